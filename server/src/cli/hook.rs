//! `callboard hook`: what git and agent clients call. Hidden from help, because nobody types it.

use super::Globals;
use crate::boot;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// What runs a hook: given by `main`.
pub type RunHook = fn(Option<PathBuf>, HookLine) -> ExitCode;

/// Arguments of `hook`.
#[derive(Debug, Args)]
pub struct HookArgs {
    #[command(subcommand)]
    hook: HookCommand,
}

#[derive(Debug, Subcommand)]
enum HookCommand {
    /// What one of git's hooks does
    #[command(disable_help_flag = true)]
    Git {
        /// Which hook
        #[arg(value_name = "NAME")]
        name: String,
        /// What git gives it
        #[arg(value_name = "ARGS", trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// What an agent client's hook does: JSON in, at most one JSON object out
    Client {
        /// Which event
        #[arg(value_name = "EVENT")]
        event: String,
    },
}

/// A hook as it was called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookLine {
    /// One of git's.
    Git {
        /// As git names it.
        name: String,
        /// What git gives it.
        args: Vec<String>,
    },
    /// An agent client's.
    Client {
        /// As the client names it.
        event: String,
    },
}

/// Runs it, before anything is set up that it does not need.
pub fn run(globals: &Globals, args: HookArgs, run: RunHook) -> ExitCode {
    // A doctor asks whether git calls us: then that is all there is to do.
    if let (Some(path), HookCommand::Git { name, .. }) = (std::env::var_os(boot::PROBE), &args.hook) {
        let _ = std::fs::write(PathBuf::from(path).join(name), ""); // whoever asks sees what is not there
        return ExitCode::SUCCESS;
    }
    let line = match args.hook {
        HookCommand::Git { name, args } => HookLine::Git { name, args },
        HookCommand::Client { event } => HookLine::Client { event },
    };
    run(globals.project.clone(), line)
}
