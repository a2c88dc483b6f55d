//! What a task waits for: block and unblock.

use crate::cli::desk::Desk;
use contracts::command::{Block, Unblock};
use contracts::{BlockerId, Command, Note, Problem, TaskId};
use serde_json::Value;

/// Arguments of `tasks block`.
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("what").required(true).args(["on", "reason"])))]
pub struct BlockArgs {
    /// Which task waits
    #[arg(value_name = "ID", value_parser = crate::cli::words::task)]
    id: TaskId,
    /// Let it wait for this task; may be given several times
    #[arg(long, value_name = "ID", value_parser = crate::cli::words::task, value_delimiter = ',')]
    on: Vec<TaskId>,
    /// Let it wait for this, outside the board
    #[arg(long, value_name = "TEXT", value_parser = Note::parse)]
    reason: Option<Note>,
}

/// Makes it wait.
pub async fn block(desk: &mut Desk, args: BlockArgs) -> Result<(), Problem> {
    let BlockArgs { id, on, reason } = args;
    let words = on.iter().map(TaskId::as_str).collect::<Vec<_>>().join(" ");
    let receipt = desk.execute(Command::Block(Block { task: id, on, reason })).await?;
    let waits = receipt.data.get("blocker").and_then(Value::as_str).map_or(words, str::to_owned);
    let row = desk.outcome(&receipt).dim(format!("  waits for {waits}"));
    desk.say(&receipt, row).await
}

/// Arguments of `tasks unblock`.
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("what").required(true).args(["on", "blocker"])))]
pub struct UnblockArgs {
    /// Which task waits
    #[arg(value_name = "ID", value_parser = crate::cli::words::task)]
    id: TaskId,
    /// Let it no longer wait for this task
    #[arg(long, value_name = "ID", value_parser = crate::cli::words::task)]
    on: Option<TaskId>,
    /// Resolve this blocker
    #[arg(long, value_name = "BLOCKER", value_parser = BlockerId::parse)]
    blocker: Option<BlockerId>,
    /// Say why
    #[arg(short = 'm', long = "message", value_name = "NOTE", default_value = "", hide_default_value = true, value_parser = Note::parse)]
    note: Note,
}

/// Takes the edge or blocker away.
pub async fn unblock(desk: &mut Desk, args: UnblockArgs) -> Result<(), Problem> {
    let UnblockArgs { id, on, blocker, note } = args;
    desk.write(Command::Unblock(Unblock { task: id, on, blocker, note })).await
}
