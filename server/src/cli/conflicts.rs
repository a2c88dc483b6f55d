//! `callboard conflicts`: facts that found no effect, and a person's word on them.

use super::Exit;
use super::desk::Desk;
use super::out::{Row, Tone};
use super::text;
use clap::{Args, Subcommand};
use contracts::command::{Settle, SettleChoice};
use contracts::{Code, Command, EventId, Hint, Note, Problem};

/// Arguments of `conflicts`.
#[derive(Debug, Args)]
pub struct ConflictsArgs {
    #[command(subcommand)]
    command: Option<ConflictsCommand>,
}

#[derive(Debug, Subcommand)]
enum ConflictsCommand {
    /// List open conflicts
    List,
    /// Settle one: carry the fact out now, or let the present state stand
    Settle(SettleArgs),
}

#[derive(Debug, Args)]
struct SettleArgs {
    /// Which event, by its id or the first digits of it
    #[arg(value_name = "EVENT")]
    event: String,
    /// Carry it out now, or let the present state stand
    #[arg(value_name = "keep|dismiss", value_parser = SettleChoice::parse)]
    choice: SettleChoice,
    /// Say why
    #[arg(short = 'm', long = "message", value_name = "NOTE", default_value = "", hide_default_value = true, value_parser = Note::parse)]
    note: Note,
}

/// Runs one of them.
pub async fn run(desk: &mut Desk, args: ConflictsArgs) -> Result<Exit, Problem> {
    match args.command.unwrap_or(ConflictsCommand::List) {
        ConflictsCommand::List => list(desk).await?,
        ConflictsCommand::Settle(args) => settle(desk, args).await?,
    }
    Ok(Exit::Done)
}

async fn list(desk: &mut Desk) -> Result<(), Problem> {
    let rows = desk.list(async |board| board.conflicts().await).await?;
    if desk.out.manner.json {
        return Ok(());
    }
    let when = desk.when().await?;
    for row in rows.iter().filter(|row| !row.settled) {
        let event: String = row.event.as_str().chars().take(SHORT).collect();
        let line = Row::new().add(Tone::Warn, format!("{event} ")).strong(row.task.as_str()).plain(format!(" {}", row.title));
        desk.out.row(line);
        desk.out.row(format!("  {} by {} {}: {}", row.kind, row.actor, when.moment(row.at), text::flat(&row.text)));
        let way_out = match &row.way_out {
            Some(call) => Hint::call(call.clone()).for_cli(),
            None => format!("callboard conflicts settle {event} keep|dismiss -m NOTE"),
        };
        desk.out.row(Row::new().dim(format!("  {way_out}")));
    }
    if rows.iter().all(|row| row.settled) {
        desk.out.notice("no conflicts");
    }
    Ok(())
}

/// Digits of an event's id that are shown; as many are enough to name it.
const SHORT: usize = 8;

async fn settle(desk: &mut Desk, args: SettleArgs) -> Result<(), Problem> {
    let event = named(desk, &args.event).await?;
    let receipt = desk.execute(Command::Settle(Settle { event, choice: args.choice, note: args.note })).await?;
    let words = match args.choice {
        SettleChoice::Keep => "  carried out",
        SettleChoice::Dismiss => "  dismissed",
    };
    let row = desk.outcome(&receipt).dim(words);
    desk.say(&receipt, row).await
}

/// The whole id, or the only open conflict whose id begins so.
async fn named(desk: &Desk, raw: &str) -> Result<EventId, Problem> {
    if let Ok(event) = EventId::parse(raw) {
        return Ok(event);
    }
    let is_start = raw.len() >= 4 && raw.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if !is_start {
        return Err(Problem::bad_request("EVENT", format!("{raw:?} is neither an event's id nor the first digits of one")));
    }
    let rows = desk.board.conflicts().await?;
    let mut found = rows.iter().filter(|row| row.event.as_str().starts_with(raw));
    match (found.next(), found.next()) {
        (Some(row), None) => Ok(row.event.clone()),
        (None, _) => Err(Problem::new(Code::NotFound, format!("no open conflict begins with {raw}")).hint(Hint::text("callboard conflicts lists them"))),
        (Some(_), Some(_)) => Err(Problem::bad_request("EVENT", format!("several conflicts begin with {raw}: give more digits"))),
    }
}
