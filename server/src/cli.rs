//! The command line, for people and scripts.
//!
//! Invariant: a command parses, calls the board, and renders the answer; no rule of the board is here. Data goes to stdout, talk to
//! stderr. What serves pages is put in by `main`, because one transport does not know another.

mod actors;
mod bind;
mod completions;
mod config;
mod conflicts;
mod demo;
mod desk;
mod dispatch;
mod doctor;
mod hook;
mod import;
mod inbox;
mod init;
mod log;
mod marks;
mod mcp;
mod meant;
mod message;
mod milestone;
mod next;
mod out;
mod rebuild;
mod recover;
mod refusal;
mod report;
mod run;
mod show;
mod sync;
mod tasks;
mod text;
mod ui;
mod when;
mod who;
mod words;
mod workflow;
mod worktree;

pub use hook::{HookLine, RunHook};
pub use ui::UiOptions;

use crate::boot::Boot;
use clap::{Parser, Subcommand};
use contracts::{Code, Problem};
use desk::Desk;
use out::{Manner, Out};
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::process::ExitCode;
use tokio::runtime::Builder;

/// What serves the pages: given by `main`.
pub type Serve = fn(Boot, UiOptions) -> Pin<Box<dyn Future<Output = Result<(), Problem>>>>;

/// How a command ended when it was not refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done, also when there was nothing to do.
    Done,
    /// A check found a fault.
    Fault,
    /// Nothing found, where the command was asked to say so; or something was left over.
    Nothing,
    /// Somebody ended it.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Done => 0,
            Exit::Fault => 1,
            Exit::Nothing => 3,
            Exit::Interrupted => 130,
        })
    }
}

/// Keep the work of coding agents on one board: tasks, leases, evidence, and a live page
#[derive(Debug, Parser)]
#[command(name = "callboard", version, max_term_width = 100, propagate_version = false)]
struct Line {
    #[command(flatten)]
    globals: Globals,
    #[command(subcommand)]
    command: Command,
}

/// What every command takes.
#[derive(Clone, Debug, Default, clap::Args)]
struct Globals {
    /// Use the project in DIR instead of the one around the working directory
    #[arg(long, global = true, value_name = "DIR", help_heading = "Everywhere")]
    project: Option<PathBuf>,
    /// Act as A: dev:<name> or agent:<dev>/<name> (so does CALLBOARD_ACTOR)
    #[arg(long, global = true, value_name = "A", help_heading = "Everywhere")]
    actor: Option<String>,
    /// Print one JSON document instead of text
    #[arg(long, global = true, help_heading = "Everywhere")]
    json: bool,
    /// Leave out notices
    #[arg(long, global = true, help_heading = "Everywhere")]
    quiet: bool,
    /// Leave out colours (so does NO_COLOR)
    #[arg(long, global = true, help_heading = "Everywhere")]
    no_color: bool,
    /// Draw with ASCII alone
    #[arg(long, global = true, help_heading = "Everywhere")]
    ascii: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make a board for this repository, or repair what is there
    Init(init::InitArgs),
    /// Check that everything is wired, one line each, with the command that mends it
    Doctor,
    /// Serve the board as a live page
    Ui(ui::UiArgs),
    /// Serve the board's tools to an agent over stdin and stdout
    Mcp(mcp::McpArgs),
    /// List and change tasks
    Tasks(tasks::TasksArgs),
    /// Take the next thing to do
    Next(next::NextArgs),
    /// Tell actors something
    Message(message::MessageArgs),
    /// Read what was said to you: mentions, messages, assignments, verdicts, answers
    Inbox(inbox::InboxArgs),
    /// Show who is there and what they hold
    Actors,
    /// Give tasks to workers, one each, with a worktree and a brief
    Dispatch(dispatch::DispatchArgs),
    /// Free tasks of agents that fell silent
    Recover(recover::RecoverArgs),
    /// Start headless agents for tasks, one each, and watch them
    Run(run::RunArgs),
    /// Make, list and tidy the worktrees of tasks
    Worktree(worktree::WorktreeArgs),
    /// Tell what happened: the board, a standup, a day, several days, everything
    Report(report::ReportArgs),
    /// Begin, check and look at workflows, and say which one a task would get
    Workflow(workflow::WorkflowArgs),
    /// List and change milestones
    Milestone(milestone::MilestoneArgs),
    /// Show and settle what clones disagree on
    Conflicts(conflicts::ConflictsArgs),
    /// Read what others did, as far as git fetched it, and commit what is here
    Sync(sync::SyncArgs),
    /// Check the log
    Log(log::LogArgs),
    /// Bring in a board that was kept elsewhere
    Import(import::ImportArgs),
    /// Bind a commit to a task, where no hook did
    Bind(bind::BindArgs),
    /// Make the database anew from the log
    Rebuild,
    /// Set, explain and check settings and configuration
    Config(config::ConfigArgs),
    /// Make a demonstration project and serve it
    Demo(demo::DemoArgs),
    /// Print the completion script of a shell
    Completions(completions::CompletionsArgs),
    /// What git and agent clients call
    #[command(hide = true)]
    Hook(hook::HookArgs),
}

/// Runs the command line of this process.
pub fn run(serve: Serve, run_hook: RunHook) -> ExitCode {
    let line = match read() {
        Ok(line) => line,
        Err(exit) => return exit,
    };
    if let Command::Hook(args) = line.command {
        return hook::run(&line.globals, args, run_hook);
    }
    let globals = &line.globals;
    let manner = Manner::of_process(globals.json, globals.quiet, globals.no_color, globals.ascii);
    if let Err(problem) = crate::logging::start(manner.colour) {
        return ExitCode::from(refusal::refuse(manner, &problem));
    }
    let many_at_once = matches!(line.command, Command::Ui(_) | Command::Demo(_) | Command::Mcp(_));
    let mut builder = if many_at_once { Builder::new_multi_thread() } else { Builder::new_current_thread() };
    let runtime = match builder.enable_all().build() {
        Ok(runtime) => runtime,
        Err(fault) => return ExitCode::from(refusal::refuse(manner, &Problem::new(Code::Internal, format!("no runtime: {fault}")))),
    };
    let exit = match runtime.block_on(dispatch(line, manner, serve)) {
        Ok(exit) => exit.into(),
        Err(problem) => ExitCode::from(refusal::refuse(manner, &problem)),
    };
    // Not by dropping it: a thread that still waits for another process's lock would keep this one from ending.
    runtime.shutdown_background();
    exit
}

/// The line of this process, with its short names looked up.
fn read() -> Result<Line, ExitCode> {
    let words: Vec<String> = std::env::args_os().skip(1).take_while(|word| word != "--").map(|word| word.to_string_lossy().into_owned()).collect();
    let has = |flag: &str| words.iter().any(|word| word == flag);
    let manner = Manner::of_process(has("--json"), false, has("--no-color"), false);
    loop {
        match Line::try_parse() {
            Ok(line) => return Ok(line),
            Err(fault) => match meant::learn(&fault, &words) {
                Ok(true) => {} // read it again
                Ok(false) => return Err(misread(&fault, &words, manner)),
                Err(problem) => return Err(ExitCode::from(refusal::refuse(manner, &problem))),
            },
        }
    }
}

/// A line that is no command: help and version are answers, everything else is a refusal in our own form.
fn misread(fault: &clap::Error, words: &[String], manner: Manner) -> ExitCode {
    let asks = fault.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    match refusal::usage(fault, words) {
        None => {
            let _ = fault.print(); // a reader that went away is no fault
            ExitCode::SUCCESS
        }
        // Nothing was asked for: what could be is the answer, and still a line that is no command.
        Some(problem) if asks && !manner.json => {
            let _ = fault.print();
            ExitCode::from(problem.code.exit())
        }
        Some(problem) => ExitCode::from(refusal::refuse(manner, &problem)),
    }
}

async fn dispatch(line: Line, manner: Manner, serve: Serve) -> Result<Exit, Problem> {
    let Line { globals, command } = line;
    let mut out = Out::new(manner);
    match command {
        Command::Init(args) => {
            let exit = init::run(&globals, &mut out, args).await?;
            out.flush().map(|()| exit)
        }
        Command::Doctor => {
            let exit = doctor::run(&globals, &mut out).await?;
            out.flush().map(|()| exit)
        }
        Command::Completions(args) => completions::run(&mut out, &args).and_then(|()| out.flush()).map(|()| Exit::Done),
        Command::Ui(args) => ui::run(&globals, out, args, serve).await,
        Command::Demo(args) => demo::run(&globals, out, args, serve).await,
        Command::Mcp(args) => mcp::run(&globals, out, args).await,
        Command::Config(args) if !args.needs_board() => {
            let exit = config::check(&globals, &mut out)?;
            out.flush().map(|()| exit)
        }
        Command::Workflow(args) if !args.needs_board() => {
            let exit = workflow::run(&globals, &mut out, args)?;
            out.flush().map(|()| exit)
        }
        command => {
            let mut desk = Desk::open(&globals, out).await?;
            desk.begin_the_day().await;
            let exit = on_board(&mut desk, command).await?;
            desk.out.flush().map(|()| exit)
        }
    }
}

/// The commands that read or write the board.
async fn on_board(desk: &mut Desk, command: Command) -> Result<Exit, Problem> {
    match command {
        Command::Tasks(args) => tasks::run(desk, args).await,
        Command::Next(args) => next::run(desk, args).await,
        Command::Message(args) => message::run(desk, args).await,
        Command::Inbox(args) => inbox::run(desk, &args).await,
        Command::Actors => actors::run(desk).await,
        Command::Dispatch(args) => dispatch::run(desk, args).await,
        Command::Recover(args) => recover::run(desk, args).await,
        Command::Run(args) => run::run(desk, args).await,
        Command::Worktree(args) => worktree::run(desk, args).await,
        Command::Report(args) => report::run(desk, args).await,
        Command::Milestone(args) => milestone::run(desk, args).await,
        Command::Conflicts(args) => conflicts::run(desk, args).await,
        Command::Sync(args) => sync::run(desk, &args).await,
        Command::Log(args) => log::run(desk, &args).await,
        Command::Import(args) => import::run(desk, &args).await,
        Command::Bind(args) => bind::run(desk, args).await,
        Command::Rebuild => rebuild::run(desk).await,
        Command::Workflow(args) => workflow::on_board(desk, args).await,
        Command::Config(args) => config::run(desk, args).await,
        Command::Init(_) | Command::Ui(_) | Command::Mcp(_) | Command::Demo(_) | Command::Completions(_) => Ok(Exit::Done),
        Command::Doctor | Command::Hook(_) => Ok(Exit::Done),
    }
}

/// Whether a line, without the program's name, can be read as a command. Tests hold what refusals advise to it.
///
/// # Errors
/// What the parser says.
pub fn reads(words: &[String]) -> Result<(), String> {
    let line = std::iter::once("callboard").chain(words.iter().map(String::as_str));
    match Line::try_parse_from(line) {
        Ok(_) => Ok(()),
        Err(fault) if fault.use_stderr() => Err(fault.to_string()),
        Err(_) => Ok(()), // help and version are answers
    }
}

/// Ends with Ctrl-C or a polite kill.
async fn end_of_process() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await; // without a signal to hear it never comes
}

/// The whole command line, for completions and tests of the help.
fn definition() -> clap::Command {
    <Line as clap::CommandFactory>::command()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        definition().debug_assert();
    }

    #[test]
    fn every_command_and_flag_says_what_it_does() {
        fn look(command: &clap::Command, path: &str, silent: &mut Vec<String>) {
            let path = format!("{path} {}", command.get_name());
            if command.get_about().is_none() {
                silent.push(path.clone());
            }
            silent.extend(command.get_arguments().filter(|arg| arg.get_help().is_none() && !arg.is_hide_set()).map(|arg| format!("{path}: {}", arg.get_id())));
            command.get_subcommands().for_each(|inner| look(inner, &path, silent));
        }
        let mut silent = Vec::new();
        look(&definition(), "", &mut silent);
        assert!(silent.is_empty(), "{silent:#?}");
    }
}
