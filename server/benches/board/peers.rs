//! The nearest other tools, each by its best path, in the same run: Taskwarrior, taskops, Backlog.md, clops. `peers.sh` beside this
//! folder installs them below the build's folder; what is not there is said to be not there.

use crate::process::{Bench, Session, run, run_with, timed};
use crate::stats::{kib, median, ms};
use crate::{Outcome, boards};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Where each is, if it is.
pub struct Peers {
    task: Option<PathBuf>,
    /// The Python that has taskops.
    taskops: Option<PathBuf>,
    clops: Option<PathBuf>,
    backlog: Option<PathBuf>,
}

/// A peer's name and its rounds.
#[derive(Default)]
struct Rounds(Vec<(&'static str, Vec<Duration>, Vec<Duration>)>);

impl Rounds {
    fn add(&mut self, name: &'static str, wall: Duration, cpu: Duration) {
        match self.0.iter_mut().find(|(own, ..)| *own == name) {
            Some((_, walls, cpus)) => {
                walls.push(wall);
                cpus.push(cpu);
            }
            None => self.0.push((name, vec![wall], vec![cpu])),
        }
    }

    fn words(&self, missing: &[&'static str]) -> String {
        let one = |(name, walls, cpus): &(&'static str, Vec<Duration>, Vec<Duration>)| match median(cpus) {
            Duration::ZERO => format!("{name} {}", ms(median(walls))),
            cpu => format!("{name} {} (cpu {})", ms(median(walls)), ms(cpu)),
        };
        let absent = missing.iter().filter(|name| !self.0.iter().any(|(own, ..)| own == *name)).map(|name| format!("{name} not installed"));
        self.0.iter().map(one).chain(absent).collect::<Vec<_>>().join("; ")
    }
}

/// Reads of a list of 1,000.
#[derive(Default)]
pub struct Reads(Rounds);

impl Reads {
    /// In words; taskops has no command that reads.
    pub fn words(&self) -> Vec<String> {
        vec![self.0.words(&["Taskwarrior", "Backlog.md"]), "taskops has no command line that reads".to_owned()]
    }
}

/// Creates of one task.
#[derive(Default)]
pub struct Creates(Rounds);

impl Creates {
    /// In words.
    pub fn words(&self) -> String {
        self.0.words(&["Taskwarrior", "Backlog.md"])
    }
}

/// Starts of a session.
#[derive(Default)]
pub struct Starts(Rounds);

impl Starts {
    /// In words.
    pub fn words(&self) -> String {
        self.0.words(&["taskops", "clops", "Backlog.md"])
    }
}

impl Peers {
    /// Looks where `peers.sh` puts them, then on the path.
    pub fn find(bench: &Bench) -> Peers {
        let below = bench.work.join("peers");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let find = |own: &str, name: &str| {
            let own = below.join(own);
            let places = std::env::split_paths(&path).map(|folder| folder.join(name));
            std::iter::once(own).chain(places).find(|place| place.is_file())
        };
        let python = find("py/bin/taskops", "taskops").map(|taskops| taskops.with_file_name("python3")).filter(|python| python.is_file());
        Peers {
            task: find("deb/root/usr/bin/task", "task"),
            taskops: python,
            clops: find("py/bin/clops-mcp", "clops-mcp"),
            backlog: find("js/node_modules/.bin/backlog", "backlog"),
        }
    }

    /// One list of 1,000 tasks by each.
    pub fn read(&self, bench: &Bench, series: &mut Reads) -> Outcome<()> {
        if let Some(task) = &self.task {
            let data = self.taskwarrior(bench, task)?;
            let (wall, cpu) = timed(bench.times(5), || taskwarrior(bench, task, &data, &["list"]))?;
            series.0.add("Taskwarrior", median(&wall), cpu);
        }
        if let Some(backlog) = &self.backlog {
            let board = self.backlog_board(bench, backlog)?;
            let (wall, cpu) = timed(1, || backlog_command(bench, backlog, &board, &["task", "list", "--plain"]))?;
            series.0.add("Backlog.md", median(&wall), cpu);
        }
        Ok(())
    }

    /// One task more by each.
    pub fn create(&self, bench: &Bench, series: &mut Creates) -> Outcome<()> {
        if let Some(task) = &self.task {
            let data = self.taskwarrior(bench, task)?;
            let (wall, cpu) = timed(bench.times(5), || taskwarrior(bench, task, &data, &["add", "Refuse expired tokens"]))?;
            series.0.add("Taskwarrior", median(&wall), cpu);
        }
        if let Some(backlog) = &self.backlog {
            let board = self.backlog_board(bench, backlog)?;
            let (wall, cpu) = timed(1, || backlog_command(bench, backlog, &board, &["task", "create", "Refuse expired tokens"]))?;
            series.0.add("Backlog.md", median(&wall), cpu);
        }
        Ok(())
    }

    /// A thousand tasks, where a peer has a call for many.
    pub fn plan(&self, bench: &Bench) -> Outcome<Option<Duration>> {
        let Some(python) = &self.taskops else { return Ok(None) };
        let board = taskops_board(bench, python, "taskops-plan", true)?;
        let mut session = taskops_session(bench, python, &board)?;
        let started = Instant::now();
        for part in 0..10 {
            session.must("taskops_plan", taskops_plan(part))?;
        }
        Ok(Some(started.elapsed()))
    }

    /// A session's first answer.
    pub fn start(&self, bench: &Bench, series: &mut Starts) -> Outcome<()> {
        if let Some(python) = &self.taskops {
            let board = taskops_board(bench, python, "taskops", false)?;
            series.0.add("taskops", taskops_session(bench, python, &board)?.first, Duration::ZERO);
        }
        if let Some(clops) = &self.clops {
            let board = bench.work.join("boards/clops");
            fs::create_dir_all(&board)?;
            series.0.add("clops", Session::start(&mut bench.command(clops, &board))?.first, Duration::ZERO);
        }
        if let Some(backlog) = &self.backlog {
            let board = self.backlog_board(bench, backlog)?;
            series.0.add("Backlog.md", Session::start(&mut backlog_command(bench, backlog, &board, &["mcp", "start"]))?.first, Duration::ZERO);
        }
        Ok(())
    }

    /// Bytes of the tools each lists.
    pub fn schemas(&self, bench: &Bench) -> Outcome<String> {
        let mut words = Vec::new();
        let mut say = |name: &str, session: Option<Session>| -> Outcome<()> {
            words.push(match session {
                Some(mut session) => {
                    let tools = session.ask("tools/list", json!({}))?["tools"].take();
                    format!("{name} {}", kib(tools.to_string().len() as u64))
                }
                None => format!("{name} not installed"),
            });
            Ok(())
        };
        let taskops = self.taskops.as_ref().map(|python| taskops_session(bench, python, &taskops_board(bench, python, "taskops", false)?)).transpose()?;
        say("taskops", taskops)?;
        let backlog = self.backlog.as_ref().map(|backlog| {
            let board = self.backlog_board(bench, backlog)?;
            Session::start(&mut backlog_command(bench, backlog, &board, &["mcp", "start"]))
        });
        say("Backlog.md", backlog.transpose()?)?;
        let clops = self.clops.as_ref().map(|clops| Session::start(&mut bench.command(clops, &bench.work.join("home"))));
        say("clops", clops.transpose()?)?;
        Ok(words.join("; "))
    }

    /// A board of 1,000 tasks in Taskwarrior, imported in one go.
    fn taskwarrior(&self, bench: &Bench, task: &Path) -> Outcome<PathBuf> {
        let data = bench.work.join("boards/taskwarrior");
        if data.join("pending.data").exists() {
            return Ok(data);
        }
        fs::create_dir_all(&data)?;
        let plan = boards::plan(0, 1_000);
        let tasks: Vec<Value> =
            plan["tasks"].as_array().into_iter().flatten().map(|task| json!({"description": task["title"], "tags": task["labels"]})).collect();
        run_with(&mut taskwarrior(bench, task, &data, &["import", "-"]), Value::from(tasks).to_string().as_bytes())?;
        Ok(data)
    }

    /// A board of 1,000 tasks in Backlog.md: one made by it, the others copies of that file under their own numbers.
    fn backlog_board(&self, bench: &Bench, backlog: &Path) -> Outcome<PathBuf> {
        let board = bench.work.join("boards/backlog");
        if board.join(".made").exists() {
            return Ok(board);
        }
        if board.exists() {
            fs::remove_dir_all(&board)?;
        }
        boards::repository(bench, &board)?;
        run(&mut backlog_command(
            bench,
            backlog,
            &board,
            &["init", "bench", "--defaults", "--integration-mode", "mcp", "--check-branches", "false", "--include-remote", "false"],
        ))?;
        run(&mut backlog_command(bench, backlog, &board, &["task", "create", "Refuse expired tokens"]))?;
        let tasks = board.join("backlog/tasks");
        let first = fs::read_dir(&tasks)?.next().ok_or("Backlog.md wrote no task")??.path();
        let text = fs::read_to_string(&first)?;
        let name = first.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        for number in 2..=1_000 {
            let name = name.replacen("-1 ", &format!("-{number} "), 1);
            let text = text.replacen("TASK-1\n", &format!("TASK-{number}\n"), 1).replacen("task-1\n", &format!("task-{number}\n"), 1);
            fs::write(tasks.join(name), text)?;
        }
        fs::write(board.join(".made"), "")?;
        Ok(board)
    }
}

fn taskwarrior(bench: &Bench, task: &Path, data: &Path, words: &[&str]) -> Command {
    let mut command = bench.command(task, data);
    command.env("TASKRC", "/dev/null").env("TASKDATA", data);
    command.args(["rc.confirmation=off", "rc.verbose=nothing", "rc.hooks=off", "rc.gc=off"]).args(words);
    command
}

fn backlog_command(bench: &Bench, backlog: &Path, board: &Path, words: &[&str]) -> Command {
    let mut command = bench.command(backlog, board);
    command.args(words).stderr(Stdio::null());
    command
}

fn taskops_board(bench: &Bench, python: &Path, name: &str, fresh: bool) -> Outcome<PathBuf> {
    let board = bench.work.join("boards").join(name);
    if board.exists() {
        if !fresh {
            return Ok(board);
        }
        fs::remove_dir_all(&board)?;
    }
    boards::repository(bench, &board)?;
    run(bench.command(python.with_file_name("taskops"), &board).arg("init"))?;
    Ok(board)
}

fn taskops_session(bench: &Bench, python: &Path, board: &Path) -> Outcome<Session> {
    Session::start(bench.command(python, board).args(["-m", "taskops.mcp"]).env("TASKOPS_ACTOR", "dev:bench"))
}

fn taskops_plan(part: usize) -> Value {
    let plan = boards::plan(part * 100, 100);
    let tasks: Vec<Value> = plan["tasks"].as_array().into_iter().flatten().map(|task| json!({"title": task["title"]})).collect();
    json!({"milestone": format!("Part {part}"), "tasks": tasks})
}
