//! `callboard run`: headless agents for tasks, one each, watched here until they end; and what became of earlier ones.

use super::Exit;
use super::desk::Desk;
use super::out::{Row, Tone};
use super::text::count;
use crate::run::{self, Ending, Folder, News, Provider, State, Worker};
use clap::{Args, Subcommand};
use contracts::fleet::{Dispatch, Dispatched, Recover, RecoverWhy};
use contracts::{Caller, Code, Command, Hint, Problem, Surface, TaskId};
use std::io::{self, IsTerminal, Write};
use tokio::sync::watch;

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct RunArgs {
    #[command(subcommand)]
    command: Option<RunCommand>,
    #[command(flatten)]
    start: StartArgs,
}

#[derive(Debug, Subcommand)]
enum RunCommand {
    /// List workers, running and ended
    List,
    /// Show what a task's last worker said and did
    Log(LogArgs),
    /// End a task's worker with everything it started, and free the task
    Cancel(CancelArgs),
}

#[derive(Debug, Args)]
struct StartArgs {
    /// Start a worker for these; for the next ones when left out
    #[arg(value_name = "ID", value_parser = crate::cli::words::task)]
    ids: Vec<TaskId>,
    /// Start so many, 1 to 12
    #[arg(long, value_name = "N", conflicts_with = "ids")]
    count: Option<u32>,
    /// Say which tasks would get a worker, and start none
    #[arg(long)]
    dry_run: bool,
    /// Start without asking
    #[arg(long)]
    yes: bool,
    /// Let workers use this model
    #[arg(long, value_name = "M")]
    model: Option<String>,
    /// Let workers spend on the API key in this environment instead of their own login
    #[arg(long)]
    use_api_key: bool,
}

#[derive(Debug, Args)]
struct LogArgs {
    /// Which task
    #[arg(value_name = "ID", value_parser = crate::cli::words::task)]
    id: TaskId,
    /// Print it as it came, one JSON document a line
    #[arg(long)]
    raw: bool,
}

#[derive(Debug, Args)]
struct CancelArgs {
    /// Which task
    #[arg(value_name = "ID", value_parser = crate::cli::words::task)]
    id: TaskId,
}

/// Runs one of them.
pub async fn run(desk: &mut Desk, args: RunArgs) -> Result<Exit, Problem> {
    match args.command {
        None => start(desk, args.start).await,
        Some(RunCommand::List) => list(desk).map(|()| Exit::Done),
        Some(RunCommand::Log(args)) => log(desk, &args).map(|()| Exit::Done),
        Some(RunCommand::Cancel(args)) => cancel(desk, &args.id).await.map(|()| Exit::Done),
    }
}

async fn start(desk: &mut Desk, args: StartArgs) -> Result<Exit, Problem> {
    let look = Dispatch { tasks: args.ids, count: args.count, dry_run: true, ..Dispatch::default() };
    let would = dispatched(desk, look).await?;
    if args.dry_run && desk.out.manner.json {
        desk.out.document(&would)?;
        return Ok(Exit::Done);
    }
    super::dispatch::table(&mut desk.out, &would);
    if would.started.is_empty() {
        desk.out.notice("no task for a worker: callboard next --peek says what everything waits for");
        return Ok(Exit::Done);
    }
    if args.dry_run {
        desk.out.notice("only a look: nothing was started");
        return Ok(Exit::Done);
    }
    if let Some(agent) = super::who::agent_around(&desk.actor, &|name| std::env::var_os(name).is_some_and(|value| !value.is_empty())) {
        return Err(not_by(&agent, &would));
    }
    let provider = Provider::find(&desk.boot.config, args.model, args.use_api_key)?;
    let workers = count(i64::try_from(would.started.len()).unwrap_or(i64::MAX), "worker");
    let question = format!("{workers} with {}, each in a worktree of its own; {} pays", run::provider::CLAUDE, provider.payer());
    desk.out.flush()?;
    if !args.yes && !confirmed(&question)? {
        desk.out.notice("nothing was started");
        return Ok(Exit::Done);
    }
    // What was shown is what starts.
    let tasks = would.started.into_iter().map(|started| started.task).collect();
    let done = dispatched(desk, Dispatch { tasks, ..Dispatch::default() }).await?;
    super::dispatch::table(&mut desk.out, &Dispatched { started: Vec::new(), not_started: done.not_started });
    desk.out.flush()?;
    watched(desk, &provider, done.started.iter().filter_map(Worker::of).collect()).await
}

/// The refusal for who can't say yes to what a person pays for.
fn not_by(agent: &str, would: &Dispatched) -> Problem {
    let ids = would.started.iter().map(|started| started.task.as_str()).collect::<Vec<_>>().join(" ");
    Problem::new(Code::Forbidden, format!("workers are started by a person, who pays for them, and this is {agent}"))
        .detail(format!("Somebody who wants them runs, in a terminal of their own: callboard run {ids}"))
        .hint(Hint::text(format!("callboard dispatch {ids} hands them to agents that are there")))
}

async fn dispatched(desk: &Desk, dispatch: Dispatch) -> Result<Dispatched, Problem> {
    let receipt = desk.execute(Command::Dispatch(dispatch)).await?;
    serde_json::from_value(receipt.data).map_err(|fault| Problem::new(Code::Internal, format!("the board's answer can't be read: {fault}")))
}

/// Asks; without a terminal the answer is no.
fn confirmed(question: &str) -> Result<bool, Problem> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(Problem::new(Code::Forbidden, format!("nobody said yes to this: {question}"))
            .hint(Hint::text("callboard run --yes, or run it in a terminal; --dry-run shows what would start")));
    }
    let mut err = io::stderr().lock();
    let asked = write!(err, "{question}. Start? [y/N] ").and_then(|()| err.flush());
    let mut answer = String::new();
    let heard = asked.and_then(|()| io::stdin().read_line(&mut answer));
    Ok(heard.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Tells what happens until the last worker has ended, or somebody ends them all.
async fn watched(desk: &mut Desk, provider: &Provider, workers: Vec<Worker>) -> Result<Exit, Problem> {
    let (stop, stopped) = watch::channel(false);
    let caller = Caller { actor: desk.actor.clone(), principal: desk.boot.identity.principal.clone(), surface: Surface::Cli, session: None, client: None };
    let mut news = run::start(&desk.boot.port, &caller, &desk.boot.place.root, provider, workers, &stopped);
    let mut exit = Exit::Done;
    let mut interrupted = false;
    loop {
        tokio::select! {
            said = news.recv() => match said {
                Some(said) => {
                    if !matches!(said, News::Started(..) | News::Ended { ending: Ending::Finished, .. }) {
                        exit = Exit::Nothing;
                    }
                    tell(desk, &said)?;
                }
                None => return Ok(if interrupted { Exit::Interrupted } else { exit }),
            },
            () = super::end_of_process(), if !interrupted => {
                interrupted = true;
                desk.out.notice("ending the workers");
                let _ = stop.send(true); // none of them is left to hear it
            }
        }
    }
}

fn tell(desk: &mut Desk, news: &News) -> Result<(), Problem> {
    if desk.out.manner.json {
        let document = match news {
            News::Started(worker, pid) => serde_json::json!({"event": "started", "task": worker.task, "worker": worker.name, "pid": pid}),
            News::Ended { worker, ending, exit, standing, left_running } => serde_json::json!({
                "event": "ended", "task": worker.task, "worker": worker.name, "ending": ending, "exit": exit, "standing": standing, "left_running": left_running,
            }),
            News::Failed(worker, problem) => serde_json::json!({"event": "failed", "task": worker.task, "worker": worker.name, "problem": problem.title}),
        };
        desk.out.raw(&format!("{document}\n"));
        return desk.out.flush();
    }
    let row = match news {
        News::Started(worker, _) => Row::new().strong(worker.task.as_str()).plain(format!(" {} started", worker.name)),
        News::Ended { worker, ending, exit, standing, left_running } => {
            let tone = if *ending == Ending::Finished { Tone::Good } else { Tone::Warn };
            let rest = if *left_running > 0 { format!("; {left_running} left running, ended") } else { String::new() };
            let row = Row::new().strong(worker.task.as_str()).plain(format!(" {} ", worker.name)).add(tone, ending.words());
            row.dim(format!(" ({exit}), now {standing}{rest}"))
        }
        News::Failed(worker, problem) => Row::new().strong(worker.task.as_str()).add(Tone::Bad, format!(" {} not started: {}", worker.name, problem.title)),
    };
    desk.out.row(row);
    desk.out.flush()
}

fn list(desk: &mut Desk) -> Result<(), Problem> {
    let found: Vec<(Folder, State)> = Folder::all(&desk.boot.root).into_iter().filter_map(|folder| folder.state().map(|state| (folder, state))).collect();
    if desk.out.manner.json {
        let items: Vec<&State> = found.iter().map(|(_, state)| state).collect();
        return desk.out.document(&serde_json::json!({"items": items, "total": found.len()}));
    }
    for (folder, state) in &found {
        let how = match state.ending {
            Some(ending) => ending.words(),
            None if folder.is_watched() => "running",
            None => "nobody watches it: callboard run cancel ends what is left of it",
        };
        let exit = state.exit.as_deref().map(|exit| format!(" ({exit})")).unwrap_or_default();
        let session = state.session.as_deref().map(|session| format!("  session {session}")).unwrap_or_default();
        desk.out.row(Row::new().strong(state.task.as_str()).plain(format!(" {} {how}{exit}", state.worker)).dim(session));
    }
    if found.is_empty() {
        desk.out.notice("no worker was ever started here");
    }
    Ok(())
}

fn log(desk: &mut Desk, args: &LogArgs) -> Result<(), Problem> {
    let none = || Problem::new(Code::NotFound, format!("no worker was started for {}", args.id)).hint(Hint::text("callboard run list shows those there are"));
    let folder = Folder::newest(&desk.boot.root, &args.id).ok_or_else(none)?;
    let read = |name: &str| std::fs::read(folder.file(name)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let raw = read("raw.jsonl");
    if args.raw {
        desk.out.raw(&raw);
        return Ok(());
    }
    let lines = run::transcript(&raw);
    let errors: Vec<String> = read("stderr").lines().map(str::to_owned).collect();
    if desk.out.manner.json {
        return desk.out.document(&serde_json::json!({"state": folder.state(), "lines": lines, "stderr": errors}));
    }
    for line in lines {
        desk.out.row(line);
    }
    for line in errors {
        desk.out.row(Row::new().add(Tone::Warn, line));
    }
    if let Some(State { ending: Some(ending), exit, session, directory, .. }) = folder.state() {
        desk.out.notice(&format!("{} ({})", ending.words(), exit.unwrap_or_default()));
        if let (Some(session), Some(directory)) = (session, directory) {
            let directory = directory.to_string_lossy().replace('\'', "'\\''");
            desk.out.notice(&format!("to go on with it yourself: cd '{directory}' && {} --resume {session}", run::provider::CLAUDE));
        }
    }
    Ok(())
}

async fn cancel(desk: &mut Desk, id: &TaskId) -> Result<(), Problem> {
    let run::Cancelled { state, freed } = run::cancel(&desk.boot.root, id).await?;
    // What its watcher freed may be somebody else's by now.
    if !freed {
        let recover = Recover { tasks: vec![id.clone()], force: true, why: Some(RecoverWhy::Stopped), ..Recover::default() };
        desk.execute(Command::Recover(recover)).await?;
    }
    if desk.out.manner.json {
        return desk.out.document(&state);
    }
    desk.out.row(Row::new().strong(id.as_str()).plain(format!(" {} cancelled", state.worker)));
    Ok(())
}
