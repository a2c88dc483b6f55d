//! `callboard tasks assign`: whom a task is for.

use crate::cli::desk::Desk;
use crate::cli::words::Whom;
use contracts::command::Assign;
use contracts::{Command, Note, Problem, TaskId};

/// Arguments of `tasks assign`.
#[derive(Debug, clap::Args)]
pub struct AssignArgs {
    /// Which task
    #[arg(value_name = "ID", value_parser = crate::cli::words::task)]
    id: TaskId,
    /// Whom it is for: an actor, me, or - for nobody
    #[arg(value_name = "ACTOR", value_parser = somebody, allow_hyphen_values = true)]
    to: Somebody,
    /// Say why
    #[arg(short = 'm', long = "message", value_name = "NOTE", default_value = "", hide_default_value = true, value_parser = Note::parse)]
    note: Note,
}

/// An actor, or nobody.
#[derive(Clone, Debug)]
struct Somebody(Option<Whom>);

fn somebody(raw: &str) -> Result<Somebody, String> {
    if raw == "-" { Ok(Somebody(None)) } else { Whom::parse(raw).map(Some).map(Somebody) }
}

/// Assigns it.
pub async fn run(desk: &mut Desk, args: AssignArgs) -> Result<(), Problem> {
    let to = args.to.0.map(|whom| whom.of(&desk.actor));
    let words = to.as_ref().map_or("  for nobody in particular".to_owned(), |actor| format!("  for {actor}"));
    let receipt = desk.execute(Command::Assign(Assign { task: args.id, to, note: args.note })).await?;
    let row = desk.outcome(&receipt).dim(words);
    desk.say(&receipt, row).await
}
