//! `callboard actors`: who is there, and what they hold until when.

use super::desk::Desk;
use super::out::{Row, Tone};
use super::{Exit, text};
use contracts::view::ActorRow;
use contracts::{Moment, Problem};

/// Prints one line an actor, those who hold something first.
pub async fn run(desk: &mut Desk) -> Result<Exit, Problem> {
    let rows = desk.list(async |board| board.actors().await).await?;
    if desk.out.manner.json {
        return Ok(Exit::Done);
    }
    let when = desk.when().await?;
    let now = crate::boot::now();
    let widest = rows.iter().map(|row| text::width(row.actor.as_str())).max().unwrap_or(0).min(40);
    for row in &rows {
        let line = Row::new().strong(text::pad(row.actor.as_str(), widest, desk.out.ellipsis()));
        let line = match row.seen_at {
            Some(at) => line.dim(format!("  seen {}{}", when.moment(at), place(row))),
            None => line.dim("  known from the log"),
        };
        desk.out.row(line);
        for (task, until) in &row.holds {
            desk.out.row(hold(task.as_str(), *until, now, &when.clock(*until)));
        }
    }
    if rows.is_empty() {
        desk.out.notice("nobody has acted here yet");
    }
    Ok(Exit::Done)
}

fn place(row: &ActorRow) -> String {
    match (row.surface.as_str(), row.client.as_str()) {
        ("", "") => String::new(),
        (surface, "") => format!(" on {surface}"),
        (surface, client) => format!(" on {surface} with {client}"),
    }
}

fn hold(task: &str, until: Moment, now: Moment, clock: &str) -> Row {
    let row = Row::new().plain("  ").plain(task);
    if until < now { row.add(Tone::Warn, format!(" late since {clock}")) } else { row.dim(format!(" until {clock}")) }
}
