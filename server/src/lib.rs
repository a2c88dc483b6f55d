//! The work of coding agents on one board: tasks, leases, evidence and a live page, in one binary.
//!
//! A library only so that tests and benches can stand a fake board behind the real doors, or drive the real one without a process.

pub mod assets;
pub mod board;
pub mod boot;
mod brief;
pub mod cli;
pub mod config;
mod demo;
mod evidence;
mod hooks;
pub mod http;
mod import;
mod init;
mod known;
mod lasting;
pub mod live;
mod logging;
mod pending;
pub mod publisher;
mod reports;
mod run;
mod serve;
mod sessions;
mod trees;
mod workflows;
mod zone;

/// Runs the command line of this process.
pub fn run() -> std::process::ExitCode {
    cli::run(|boot, options| Box::pin(serve::serve(boot, options)), run_hook)
}

/// What the command line read is what the hooks know.
fn run_hook(project: Option<std::path::PathBuf>, line: cli::HookLine) -> std::process::ExitCode {
    let hook = match line {
        cli::HookLine::Git { name, args } => hooks::Hook::Git { name, args },
        cli::HookLine::Client { event } => hooks::Hook::Client { event },
    };
    hooks::run(project, hook)
}
