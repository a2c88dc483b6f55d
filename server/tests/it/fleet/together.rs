//! Six agents, each a real MCP client with real git in real worktrees, work through one plan whose files overlap; two are killed half-way.
//!
//! Judged by the log and by git alone: nothing lost, nothing held twice, no commit without its task, and whoever began on files that
//! another was in had been told so first. Twelve tasks, forty with `SLOW=1`.

use crate::hooks::scene::Scene;
use crate::support::session::{Session, task_in};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Fewer than there are agents: somebody is always in somebody's files.
const FILES: usize = 4;
/// How long all of it may take.
const PATIENCE: Duration = Duration::from_secs(900);

/// What an agent was told when it began a task.
type Told = Arc<Mutex<Vec<(String, String)>>>;

/// A shell in a directory as an agent, apart from the scene so that agents can use it at the same time.
#[derive(Clone)]
struct Hands {
    home: PathBuf,
    root: PathBuf,
    actor: String,
}

impl Hands {
    #[allow(clippy::disallowed_methods, reason = "these tests are about processes")]
    async fn shell(&self, directory: &Path, text: &str) -> (bool, String) {
        let mut command = tokio::process::Command::new("bash");
        command
            .args(["-c", text])
            .current_dir(directory)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", &self.home)
            .env("USER", "ada")
            .env("GIT_CONFIG_GLOBAL", self.home.join("gitconfig"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("CALLBOARD_ACTOR", &self.actor)
            .env("CB", env!("CARGO_BIN_EXE_callboard"));
        let output = command.output().await.unwrap();
        (output.status.success(), format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)))
    }

    async fn must(&self, directory: &Path, text: &str) -> String {
        let (ok, said) = self.shell(directory, text).await;
        assert!(ok, "{}: {text}: {said}", self.actor);
        said.trim().to_owned()
    }

    /// The task's worktree.
    async fn place(&self, task: &str) -> PathBuf {
        self.must(&self.root, &format!("\"$CB\" worktree add {task} --quiet")).await;
        self.root.join(".callboard/trees").join(task)
    }

    async fn commit(&self, directory: &Path, task: &str) {
        self.must(directory, &format!("echo {task} >> notes-{task}.txt && git add -A && git commit --quiet -m 'Work on {task}'")).await;
    }
}

/// What becomes of an agent.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    Works,
    /// Killed in the middle of its second task, with one commit made and one file not committed.
    Dies,
}

/// Works until there is nothing left; an agent that dies gives back what it held.
async fn agent(hands: Hands, session: Session, first: String, fate: Fate, told: Told) -> Option<String> {
    let began = Instant::now();
    let mut answer = session.ok("next", json!({"task": first})).await;
    let mut tasks = 0;
    loop {
        assert!(began.elapsed() < PATIENCE, "{} is stuck: {answer}", hands.actor);
        let task = match answer.find("\n# tk-").map(|at| at + 1).or_else(|| answer.starts_with("# tk-").then_some(0)) {
            Some(at) => task_in(&answer[at..]),
            None if answer.contains("every task is closed") => {
                session.end().await;
                return None;
            }
            None => {
                tokio::time::sleep(Duration::from_millis(150)).await;
                answer = session.ok("next", json!({})).await;
                continue;
            }
        };
        told.lock().unwrap().push((task.clone(), answer.clone()));
        tasks += 1;
        let directory = hands.place(&task).await;
        hands.commit(&directory, &task).await;
        if fate == Fate::Dies && tasks == 2 {
            hands.must(&directory, "echo half > half.txt").await;
            hands.must(&hands.root, &format!("kill -KILL {}", session.pid.unwrap())).await;
            return Some(task);
        }
        answer = session.ok("update", json!({"task": task, "status": "done", "comment": "all of it is committed", "next": true})).await;
        assert!(answer.contains("done"), "{answer}");
    }
}

/// Every event of the board, in order of its clock.
fn events(scene: &Scene) -> Vec<Value> {
    let mut events: Vec<Value> = Vec::new();
    for file in std::fs::read_dir(scene.stage.board().join("log")).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        events.extend(text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()));
    }
    events.sort_by_key(|event| (event["at"].as_str().unwrap().to_owned(), event["writer"].as_str().unwrap().to_owned(), event["n"].as_i64()));
    events
}

/// A stretch of work: by whom, from when, until when.
struct Stretch {
    task: String,
    actor: String,
    from: String,
    until: String,
}

/// Who worked on what when. Fails when somebody takes what somebody else still has.
fn stretches(events: &[Value]) -> Vec<Stretch> {
    let mut running: BTreeMap<String, (String, String, i64)> = BTreeMap::new();
    let mut fences: BTreeMap<String, i64> = BTreeMap::new();
    let mut done = Vec::new();
    for event in events {
        let (task, actor, at) = (event["subject"].as_str().unwrap(), event["actor"].as_str().unwrap(), event["at"].as_str().unwrap());
        match event["kind"].as_str().unwrap() {
            "task.claimed" => {
                let fence = event["body"]["fence"].as_i64().unwrap();
                assert!(running.get(task).is_none_or(|(holder, ..)| holder == actor), "{actor} took {task}, which {:?} had", running.get(task));
                assert!(fences.insert(task.to_owned(), fence).is_none_or(|before| before < fence), "{task} has a fence that does not grow");
                running.insert(task.to_owned(), (actor.to_owned(), at.to_owned(), fence));
            }
            "task.released" | "task.closed" | "task.submitted" | "task.cancelled" => {
                if let Some((actor, from, _)) = running.remove(task) {
                    done.push(Stretch { task: task.to_owned(), actor, from, until: at.to_owned() });
                }
            }
            _ => {}
        }
    }
    assert!(running.is_empty(), "somebody still holds {running:?}");
    done
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn six_agents_work_through_a_plan_and_nothing_is_lost_held_twice_or_begun_unwarned() {
    let slow = std::env::var_os("SLOW").is_some_and(|value| value == "1");
    let size = if slow { 40 } else { 12 };
    let scene = Scene::new();
    let root = std::fs::canonicalize(scene.dir()).unwrap();
    let files = |task: usize| vec![format!("src/part{}.rs", task % FILES), format!("doc/{task}.md")];
    let entry = |task: usize| {
        let after: Vec<usize> = if task >= 8 && task.is_multiple_of(3) { vec![task - 7] } else { Vec::new() };
        json!({"title": format!("Part {task}"), "spec": "Do it.", "files": files(task), "priority": task % 4, "after": after})
    };
    let lead = Session::stdio(&scene.stage).await;
    lead.ok("plan", json!({"tasks": (0..size).map(entry).collect::<Vec<_>>()})).await;
    let listed: Value = serde_json::from_str(&scene.stage.ok(&["tasks", "--json"])).unwrap();
    let number = |card: &Value| card["title"].as_str().unwrap()["Part ".len()..].parse::<usize>().unwrap();
    let plan: BTreeMap<String, usize> =
        listed["items"].as_array().unwrap().iter().map(|card| (card["id"].as_str().unwrap().to_owned(), number(card))).collect();
    assert_eq!(plan.len(), size);

    let given = lead.ok("dispatch", json!({"count": 6})).await;
    let mut firsts: Vec<(String, String)> = Vec::new();
    for line in given.lines().filter(|line| line.starts_with("agent:ada/w") && line.contains(" · tk-")) {
        firsts.push((line.split(' ').next().unwrap().to_owned(), task_in(line)));
    }
    assert_eq!(firsts.len(), 6, "{given}");

    let told = Told::default();
    let mut working = Vec::new();
    for (place, (actor, first)) in firsts.into_iter().enumerate() {
        let hands = Hands { home: scene.stage.home(), root: root.clone(), actor: actor.clone() };
        let session = Session::named(&scene.stage, &actor).await;
        let fate = if place < 2 { Fate::Dies } else { Fate::Works };
        working.push(tokio::spawn(agent(hands, session, first, fate, told.clone())));
    }
    let survivors = working.split_off(2);
    let mut orphans = Vec::new();
    for dead in working {
        orphans.extend(dead.await.unwrap());
    }
    // Somebody notices, and the rest find what the dead left.
    for task in &orphans {
        let freed = lead.ok("recover", json!({"tasks": [task], "force": true})).await;
        assert!(freed.contains("Freed 1 task") && freed.contains("1 untracked (half.txt)"), "{freed}");
    }
    for survivor in survivors {
        assert_eq!(survivor.await.unwrap(), None);
    }
    lead.end().await;

    // Nothing lost.
    for (task, part) in &plan {
        let view = scene.show(task);
        assert_eq!(view["status"], "done", "part {part}");
        assert!(view["conflict_rows"].as_array().is_none_or(Vec::is_empty), "{view}");
    }
    assert_eq!(orphans.len(), 2);
    for task in &orphans {
        let took = told.lock().unwrap().iter().filter(|(of, _)| of == task).map(|(_, answer)| answer.clone()).collect::<Vec<_>>();
        assert!(took.len() == 2 && took[1].contains("half.txt"), "whoever went on with {task} read what was left: {took:?}");
    }

    // Nothing held twice.
    let events = events(&scene);
    let stretches = stretches(&events);
    assert_eq!(stretches.len(), size + orphans.len());

    // No commit without its task.
    let commits = scene.person("git log --all --format='%H %(trailers:key=Task,valueonly,separator=%x2C)' --not main");
    let mut made: BTreeSet<(String, String)> = BTreeSet::new();
    for line in commits.lines() {
        let (sha, task) = line.split_once(' ').unwrap_or((line, ""));
        assert!(plan.contains_key(task), "commit {sha} names {task:?}");
        made.insert((task.to_owned(), sha.to_owned()));
    }
    assert_eq!(made.len(), size + orphans.len());
    let bound: BTreeSet<(String, String)> = plan.keys().flat_map(|task| scene.bound(task).into_iter().map(|(sha, _)| (task.clone(), sha))).collect();
    assert_eq!(bound, made);

    // Nobody began on files that another was in without having been told.
    let surface = |task: &str| files(plan[task]).into_iter().collect::<BTreeSet<_>>();
    let mut collided = 0;
    for later in &stretches {
        for earlier in stretches.iter().filter(|earlier| earlier.task != later.task && earlier.from < later.from && earlier.until > later.from) {
            if surface(&earlier.task).is_disjoint(&surface(&later.task)) {
                continue;
            }
            collided += 1;
            let warned = told.lock().unwrap().iter().any(|(task, answer)| *task == later.task && answer.contains(&earlier.task));
            assert!(warned, "{} began {} while {} was on {}, and was not told", later.actor, later.task, earlier.actor, earlier.task);
        }
    }
    assert!(collided > 0, "six agents and {FILES} files: somebody was in somebody's way");

    // And who holds nothing commits nothing.
    let idle = Hands { home: scene.stage.home(), root: root.clone(), actor: "agent:ada/w3".to_owned() };
    let (went_through, said) = idle.shell(&root.join(".callboard/trees").join(&orphans[0]), "echo x > x && git add x && git commit -m Stray").await;
    assert!(!went_through && said.contains("callboard"), "{said}");
}
