//! `callboard dispatch`: tasks for workers, one each, with the brief that each is started with.

use super::Exit;
use super::desk::Desk;
use super::out::{Out, Row, Tone};
use super::text::{count, flat};
use contracts::fleet::{Dispatch, Dispatched};
use contracts::{Command, Problem, TaskId};

/// Arguments of `dispatch`.
#[derive(Debug, clap::Args)]
pub struct DispatchArgs {
    /// Give out these; the next ones when left out
    #[arg(value_name = "ID", value_parser = crate::cli::words::task)]
    ids: Vec<TaskId>,
    /// Give out so many, 1 to 12
    #[arg(long, value_name = "N", conflicts_with = "ids")]
    count: Option<u32>,
    /// Begin the workers' names with P instead of w
    #[arg(long, value_name = "P")]
    prefix: Option<String>,
    /// Make no worktrees; each worker switches to its branch where it is
    #[arg(long)]
    no_worktrees: bool,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
}

/// Gives them out and prints who got what, then the briefs.
pub async fn run(desk: &mut Desk, args: DispatchArgs) -> Result<Exit, Problem> {
    let dry_run = args.dry_run;
    let command = Dispatch { tasks: args.ids, count: args.count, prefix: args.prefix, worktrees: args.no_worktrees.then_some(false), dry_run };
    let receipt = desk.execute(Command::Dispatch(command)).await?;
    if desk.out.manner.json {
        desk.out.document(&receipt)?;
        return Ok(Exit::Done);
    }
    let done: Dispatched = serde_json::from_value(receipt.data).unwrap_or_default();
    table(&mut desk.out, &done);
    if done.started.is_empty() && done.not_started.is_empty() {
        desk.out.notice("nothing is free: callboard next --peek says what everything waits for");
    }
    if dry_run {
        desk.out.notice("only a look: nothing was written");
        return Ok(Exit::Done);
    }
    for started in &done.started {
        desk.out.gap();
        desk.out.block(0, &started.brief);
    }
    if !done.started.is_empty() {
        let workers = count(i64::try_from(done.started.len()).unwrap_or(i64::MAX), "worker");
        desk.out.notice(&format!("{workers}: start an agent with each brief, in its directory"));
    }
    Ok(Exit::Done)
}

/// Who gets what, and what nobody gets.
pub fn table(out: &mut Out, done: &Dispatched) {
    for started in &done.started {
        let row = Row::new().strong(started.worker.as_str()).plain(format!(" {} {}", started.task, flat(&started.title)));
        out.row(row);
        let place = started.directory.as_deref().map(|directory| format!(" in {directory}")).unwrap_or_default();
        out.row(Row::new().dim(format!("  branch {}{place}", started.branch)));
        for other in &started.collisions {
            let who = other.actor.as_ref().map(|actor| format!(" ({actor})")).unwrap_or_default();
            out.row(Row::new().add(Tone::Warn, format!("  also in its files: {}{who}: {}", other.id, other.paths.join(", "))));
        }
    }
    for one in &done.not_started {
        out.row(Row::new().add(Tone::Warn, "not started ").strong(one.task.as_str()).plain(format!(" ({}): {}", one.code, flat(&one.text))));
    }
}
