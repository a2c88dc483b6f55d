//! `callboard message`: tell actors something, about a task or the project.

use super::Exit;
use super::desk::Desk;
use super::out::Row;
use contracts::command::Message;
use contracts::{Actor, Command, EventId, Note, Problem, TaskId};

/// Arguments of `message`.
#[derive(Debug, clap::Args)]
pub struct MessageArgs {
    /// Tell this actor; may be given up to 20 times
    #[arg(long, required = true, value_name = "ACTOR", value_parser = Actor::parse, value_delimiter = ',')]
    to: Vec<Actor>,
    /// Say this, in markdown
    #[arg(short = 'm', long = "message", value_name = "TEXT", value_parser = Note::parse)]
    text: Note,
    /// Say it about this task
    #[arg(long, value_name = "ID", value_parser = crate::cli::words::task)]
    task: Option<TaskId>,
    /// Answer this entry of a thread
    #[arg(long, value_name = "EVENT", value_parser = EventId::parse)]
    reply_to: Option<EventId>,
}

/// Sends it.
pub async fn run(desk: &mut Desk, args: MessageArgs) -> Result<Exit, Problem> {
    let MessageArgs { to, text, task, reply_to } = args;
    let receipt = desk.execute(Command::Message(Message { to, text, task, reply_to })).await?;
    let row = Row::new().plain("sent, about ").strong(receipt.subject.clone());
    desk.say(&receipt, row).await?;
    Ok(Exit::Done)
}
