//! `callboard recover`: tasks taken back from agents that fell silent.

use super::Exit;
use super::desk::Desk;
use super::out::Row;
use super::text::{count, flat};
use super::when::span;
use contracts::fleet::{Recover, Recovered};
use contracts::{Command, Problem, TaskId};

/// Arguments of `recover`.
#[derive(Debug, clap::Args)]
pub struct RecoverArgs {
    /// Look at these; at all that agents have when left out
    #[arg(value_name = "ID", value_parser = crate::cli::words::task)]
    ids: Vec<TaskId>,
    /// Count an agent as silent after TIME: seconds, or 15m, 2h
    #[arg(long, value_name = "TIME", value_parser = super::tasks::seconds)]
    grace: Option<i64>,
    /// Take it also from an agent that still reports
    #[arg(long)]
    force: bool,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// End with 3 when there is nothing to recover
    #[arg(long)]
    exit_code: bool,
}

/// Takes them back and prints from whom, and what was left.
pub async fn run(desk: &mut Desk, args: RecoverArgs) -> Result<Exit, Problem> {
    let command = Recover { tasks: args.ids, grace_s: args.grace, force: args.force, dry_run: args.dry_run, why: None, leftovers: Vec::new() };
    let receipt = desk.execute(Command::Recover(command)).await?;
    let done: Recovered = serde_json::from_value(receipt.data.clone()).unwrap_or_default();
    let exit = if done.freed.is_empty() && args.exit_code { Exit::Nothing } else { Exit::Done };
    if desk.out.manner.json {
        desk.out.document(&receipt)?;
        return Ok(exit);
    }
    for freed in &done.freed {
        let silent = freed.silent_s.map_or_else(|| "never heard of".to_owned(), |seconds| format!("silent for {}", span(seconds)));
        let begun = if freed.never_started { ", had not begun" } else { "" };
        let commits = count(i64::from(freed.commits), "commit");
        desk.out.row(Row::new().strong(freed.task.as_str()).plain(format!(" {}", flat(&freed.title))).dim(format!("  from {}", freed.holder)));
        desk.out.row(Row::new().dim(format!("  {silent}{begun}, {commits}")));
        if let Some(left) = &freed.leftovers {
            desk.out.row(Row::new().dim(format!("  left behind: {}", left.words())));
        }
    }
    for left in &done.left_alone {
        desk.out.row(Row::new().dim(format!("left alone {} with {}: {}", left.task, left.holder, flat(&left.text))));
    }
    if done.freed.is_empty() {
        desk.out.notice("nothing to recover");
    } else if args.dry_run {
        desk.out.notice("only a look: nothing was written");
    }
    Ok(exit)
}
