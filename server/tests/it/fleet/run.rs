//! Headless workers, with a scripted program in place of the agent: what they are given, how they end, and that nothing is left of them.

use crate::hooks::scene::Scene;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// A scene whose person's agent is this script. It stands in its worktree, with the prompt on stdin and `$CB` to call.
fn scene(script: &str) -> Scene {
    let scene = Scene::new();
    let program = scene.stage.home().join("agent");
    let text = format!(
        "#!/bin/bash\nCB={}\necho '{{\"type\":\"system\",\"subtype\":\"init\",\"model\":\"scripted\",\"tools\":[]}}'\n{script}\n",
        env!("CARGO_BIN_EXE_callboard")
    );
    fs::write(&program, text).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let config = scene.stage.home().join(".config/callboard");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("config.toml"), format!("[providers.claude]\nprogram = {program:?}\n")).unwrap();
    scene
}

fn work(scene: &Scene, task: &str) -> PathBuf {
    scene.stage.board().join(format!("work/{task}.1"))
}

fn tree(scene: &Scene, task: &str) -> PathBuf {
    scene.stage.board().join("trees").join(task)
}

/// Starts it and comes back when its worker is at work.
fn started(scene: &Scene, task: &str) -> Child {
    let child = scene.stage.callboard(&["run", task, "--yes"]).stdout(Stdio::piped()).spawn().unwrap();
    until("the worker is at work", || tree(scene, task).join("at-work").exists());
    child
}

#[track_caller]
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(60), "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Processes of this scene's workers.
fn processes(scene: &Scene, task: &str) -> Vec<String> {
    let state: Value = serde_json::from_str(&fs::read_to_string(work(scene, task).join("worker.json")).unwrap()).unwrap();
    let mark = format!("CALLBOARD_WORKER={}", state["mark"].as_str().unwrap());
    let pids = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.unwrap().file_name().to_str()?.parse::<u32>().ok());
    let has = |pid: &u32| fs::read(format!("/proc/{pid}/environ")).is_ok_and(|all| all.split(|byte| *byte == 0).any(|one| one == mark.as_bytes()));
    pids.filter(has).map(|pid| fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default().replace('\0', " ")).collect()
}

/// Sleeps in three ways: as the worker itself, in its group, and in a session of its own.
const SLEEPS: &str = "sleep 3001 & setsid sleep 3002 & touch at-work; trap '' TERM; sleep 3003";

#[test]
fn a_worker_gets_its_task_its_place_and_nothing_of_its_starters_and_its_log_can_be_read() {
    let script = r#"cat > prompt.txt; env > env.txt; printf '%s\n' "$@" > args.txt
echo buoy > buoys.txt; git add buoys.txt; git commit -q -m Painted
"$CB" tasks done "$CALLBOARD_TASK" -m 'painted all of them' >&2
echo '{"type":"result","is_error":false,"num_turns":3}'"#;
    let scene = scene(script);
    let task = scene.stage.add("Paint the buoys", &[]);
    let mut command = scene.stage.callboard(&["run", &task, "--yes"]);
    command.env("ANTHROPIC_API_KEY", "sk-secret").env("MY_TOKEN", "secret").env("CLAUDE_CODE_ENTRYPOINT", "cli");
    let ended = command.output().unwrap();
    let said = String::from_utf8(ended.stdout).unwrap();
    assert!(ended.status.success(), "{said}{}", String::from_utf8_lossy(&ended.stderr));
    assert!(said.contains(&format!("{task} agent:ada/w1 started")) && said.contains("finished (exit 0), now done"), "{said}");

    let read = |name: &str| fs::read_to_string(tree(&scene, &task).join(name)).unwrap();
    assert!(read("prompt.txt").contains(&format!("one task: {task}")));
    let environment = read("env.txt");
    for part in [&*format!("CALLBOARD_TASK={task}"), "CALLBOARD_ACTOR=agent:ada/w1", "CALLBOARD_ROOT="] {
        assert!(environment.contains(part), "{part}: {environment}");
    }
    assert!(!environment.contains("secret") && !environment.contains("CLAUDE_CODE_ENTRYPOINT"), "{environment}");
    let state: Value = serde_json::from_str(&fs::read_to_string(work(&scene, &task).join("worker.json")).unwrap()).unwrap();
    let session = state["session"].as_str().unwrap();
    assert!(read("args.txt").contains("stream-json") && read("args.txt").contains(&format!("--session-id\n{session}\n")));
    let told = scene.stage.run(&["run", "log", &task]).stderr;
    assert!(told.contains(&format!("trees/{task}' && claude --resume {session}")), "{told}");
    let view = scene.show(&task);
    assert_eq!((&view["status"], view["commits_detail"].as_array().unwrap().len()), (&"done".into(), 1));
    assert_eq!(fs::metadata(work(&scene, &task).join("mcp.json")).unwrap().permissions().mode() & 0o777, 0o600);

    let log = scene.stage.ok(&["run", "log", &task]);
    assert!(log.contains("model scripted") && log.contains("ended after 3 turns"), "{log}");
    assert!(scene.stage.ok(&["run", "log", &task, "--raw"]).contains("\"num_turns\":3"));
    assert!(scene.stage.ok(&["run", "list"]).contains(&format!("{task} agent:ada/w1 finished (exit 0)")));
    assert!(!scene.person("git status --porcelain --ignored=no").contains("work"));
    assert_eq!(processes(&scene, &task), Vec::<String>::new());
}

#[test]
fn a_worker_that_dies_keeps_its_lease_until_it_lapses_and_what_it_left_is_in_the_thread() {
    let scene = scene("echo half > buoys.txt; sleep 3000 & kill -9 $$");
    let task = scene.stage.add("Paint the buoys", &[]);
    let ended = scene.stage.run(&["run", &task, "--yes"]);
    assert_eq!(ended.exit, 3, "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains("ended with the task in its hands (signal 9)") && ended.stdout.contains("left running, ended"), "{}", ended.stdout);
    let view = scene.show(&task);
    assert_eq!((&view["standing"], &view["lease"]["actor"]), (&"working".into(), &"agent:ada/w1".into()));
    let thread = view["thread"].to_string();
    assert!(thread.contains("1 untracked (buoys.txt)") && thread.contains("system:run"), "{thread}");
    assert_eq!(processes(&scene, &task), Vec::<String>::new());
}

#[test]
fn cancelling_ends_everything_a_worker_started_and_frees_its_task() {
    let scene = scene(SLEEPS);
    let task = scene.stage.add("Paint the buoys", &[]);
    let watcher = started(&scene, &task);
    assert!(processes(&scene, &task).len() >= 4, "{:?}", processes(&scene, &task));
    assert!(scene.stage.ok(&["run", "list"]).contains("running"));
    assert!(scene.stage.ok(&["run", "cancel", &task]).contains("cancelled"));
    assert_eq!(processes(&scene, &task), Vec::<String>::new());
    let said = watcher.wait_with_output().unwrap();
    assert_eq!(said.status.code(), Some(3), "{}", String::from_utf8_lossy(&said.stdout));
    let view = scene.show(&task);
    assert_eq!((&view["standing"], &view["assignee"]), (&"ready".into(), &Value::Null));
    assert!(view["thread"].to_string().contains("stopped") || view["history"].to_string().contains("stopped"));
    let again = scene.stage.run(&["run", "cancel", &task]);
    assert!(again.exit == 1 && again.stderr.contains("not_found"), "{}", again.stderr);
}

#[test]
fn interrupting_the_watcher_ends_its_workers() {
    let scene = scene(SLEEPS);
    let task = scene.stage.add("Paint the buoys", &[]);
    let watcher = started(&scene, &task);
    signal("-INT", watcher.id());
    let said = watcher.wait_with_output().unwrap();
    assert_eq!(said.status.code(), Some(130), "{}", String::from_utf8_lossy(&said.stdout));
    assert_eq!(processes(&scene, &task), Vec::<String>::new());
    assert_eq!(scene.show(&task)["standing"], "ready");
}

#[test]
fn a_worker_whose_watcher_was_killed_can_still_be_ended() {
    let scene = scene(SLEEPS);
    let task = scene.stage.add("Paint the buoys", &[]);
    let mut watcher = started(&scene, &task);
    watcher.kill().unwrap();
    watcher.wait().unwrap();
    assert!(!processes(&scene, &task).is_empty());
    assert!(scene.stage.ok(&["run", "list"]).contains("nobody watches it"));
    scene.stage.ok(&["run", "cancel", &task]);
    assert_eq!(processes(&scene, &task), Vec::<String>::new());
    assert_eq!(scene.show(&task)["standing"], "ready");
}

#[test]
fn nothing_is_started_unasked_and_a_look_is_free() {
    let scene = scene("touch started");
    let task = scene.stage.add("Paint the buoys", &[]);
    let look = scene.stage.run(&["run", "--dry-run"]);
    assert!(look.exit == 0 && look.stdout.contains(&task) && look.stderr.contains("nothing was started"), "{}{}", look.stdout, look.stderr);
    let refused = scene.stage.run(&["run", &task]);
    assert_eq!(refused.exit, 1);
    for part in ["1 worker with claude", "claude's own login pays", "callboard run --yes"] {
        assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
    }
    assert_eq!((&scene.show(&task)["standing"], scene.stage.board().join("trees").exists()), (&"ready".into(), false));
    // A repository can't say which program a person starts.
    fs::remove_file(scene.stage.home().join(".config/callboard/config.toml")).unwrap();
    fs::write(scene.stage.board().join("config.toml"), format!("[providers.claude]\nprogram = {:?}\n", scene.stage.home().join("agent"))).unwrap();
    let mut command = scene.stage.callboard(&["run", &task, "--yes"]);
    let output = command.env("PATH", "/usr/bin:/bin").output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("claude is not on the PATH"), "{output:?}");
    assert_eq!(scene.show(&task)["standing"], "ready");
}

#[test]
fn an_agent_cannot_say_yes_to_what_a_person_pays_for() {
    let scene = scene("touch started");
    let task = scene.stage.add("Paint the buoys", &[]);
    for (name, value) in [("CLAUDECODE", "1"), ("CALLBOARD_WORKER", "m"), ("CALLBOARD_ACTOR", "agent:ada/w1")] {
        let output = scene.stage.callboard(&["run", &task, "--yes"]).env(name, value).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{name}: {said}");
        for part in ["(forbidden)", &*format!("callboard run {task}"), &*format!("hint: callboard dispatch {task}")] {
            assert!(said.contains(part), "{name}: {part}: {said}");
        }
        assert!(scene.stage.callboard(&["run", "--dry-run"]).env(name, value).output().unwrap().status.success(), "{name}: a look is free");
    }
    assert_eq!((&scene.show(&task)["standing"], scene.stage.board().join("trees").exists()), (&"ready".into(), false));
    let why = scene.denied("agent:ada/w1", &format!("callboard run {task} --yes"), &scene.dir());
    assert!(why.is_some_and(|why| why.contains("starting workers")), "the client's hook says it before it runs");
}

#[test]
fn a_program_that_cannot_be_started_leaves_the_task_free() {
    let scene = scene("");
    fs::write(scene.stage.home().join("agent"), "#!/does/not/exist\n").unwrap();
    let task = scene.stage.add("Paint the buoys", &[]);
    let ended = scene.stage.run(&["run", &task, "--yes"]);
    assert!(ended.exit == 3 && ended.stdout.contains("could not be started"), "{}{}", ended.stdout, ended.stderr);
    assert_eq!((&scene.show(&task)["standing"], &scene.show(&task)["assignee"]), (&"ready".into(), &Value::Null));
}

#[allow(clippy::disallowed_methods, reason = "these tests are about processes")]
fn signal(name: &str, pid: u32) {
    assert!(std::process::Command::new("kill").args([name, &pid.to_string()]).status().unwrap().success());
}
