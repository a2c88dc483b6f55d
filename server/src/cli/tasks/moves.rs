//! The commands that move a task: claim, renew, release, submit, done, cancel, reopen, hold, unhold, review.

use super::edit::AnswerArgs;
use crate::cli::desk::Desk;
use contracts::command::{Cancel, Claim, Close, Hold, Release, Renew, Reopen, Review, Submit, Unhold};
use contracts::standing::Verdict;
use contracts::{Actor, Command, Moment, Note, Problem, TaskId};
use serde_json::Value;

/// A task and a note.
#[derive(Debug, clap::Args)]
pub struct NoteArgs {
    /// Which task
    #[arg(value_name = "ID", value_parser = crate::cli::words::task)]
    id: TaskId,
    /// Say why, or what is done and what is left
    #[arg(short = 'm', long = "message", value_name = "NOTE", default_value = "", hide_default_value = true, value_parser = Note::parse)]
    note: Note,
}

impl NoteArgs {
    /// Gives back.
    pub fn release(self) -> Command {
        Command::Release(Release { task: self.id, note: self.note, mentions: Vec::new() })
    }

    /// Opens again.
    pub fn reopen(self) -> Command {
        Command::Reopen(Reopen { task: self.id, note: self.note })
    }

    /// Holds back.
    pub fn hold(self) -> Command {
        Command::Hold(Hold { task: self.id, note: self.note })
    }

    /// Lifts a hold.
    pub fn unhold(self) -> Command {
        Command::Unhold(Unhold { task: self.id, note: self.note })
    }
}

/// What a delivery says.
#[derive(Debug, clap::Args)]
pub struct EvidenceArgs {
    #[command(flatten)]
    what: NoteArgs,
    /// Deliver without a commit; the note says why
    #[arg(long)]
    no_code: bool,
    /// Tell this actor; may be given several times
    #[arg(long, value_name = "ACTOR", value_parser = Actor::parse, value_delimiter = ',')]
    to: Vec<Actor>,
}

impl EvidenceArgs {
    /// Hands in.
    pub fn submit(self) -> Command {
        Command::Submit(Submit { task: self.what.id, note: self.what.note, no_code: self.no_code, mentions: self.to })
    }
}

/// What a close says.
#[derive(Debug, clap::Args)]
pub struct DoneArgs {
    #[command(flatten)]
    evidence: EvidenceArgs,
    #[command(flatten)]
    answers: AnswerArgs,
}

impl DoneArgs {
    /// Closes.
    pub fn close(self) -> Command {
        let EvidenceArgs { what, no_code, to } = self.evidence;
        Command::Close(Close { task: what.id, note: what.note, no_code, criteria: self.answers.answers(), unpushed: None, mentions: to })
    }
}

/// What a cancellation says.
#[derive(Debug, clap::Args)]
pub struct CancelArgs {
    #[command(flatten)]
    what: NoteArgs,
    /// Cancel its open subtasks too
    #[arg(long)]
    with_children: bool,
}

impl CancelArgs {
    /// Closes without delivery.
    pub fn cancel(self) -> Command {
        Command::Cancel(Cancel { task: self.what.id, note: self.what.note, with_children: self.with_children })
    }
}

/// What a review says.
#[derive(Debug, clap::Args)]
pub struct ReviewArgs {
    /// Which task
    #[arg(value_name = "ID", value_parser = crate::cli::words::task)]
    id: TaskId,
    /// Pass it, or want changes
    #[arg(value_name = "pass|changes", value_parser = Verdict::parse)]
    verdict: Verdict,
    /// Say what to change, or what was good
    #[arg(short = 'm', long = "message", value_name = "NOTE", default_value = "", hide_default_value = true, value_parser = Note::parse)]
    note: Note,
}

impl ReviewArgs {
    /// Judges.
    pub fn review(self) -> Command {
        Command::Review(Review { task: self.id, verdict: self.verdict, note: self.note, mentions: Vec::new() })
    }
}

/// Arguments of `tasks claim`.
#[derive(Debug, clap::Args)]
pub struct ClaimArgs {
    /// Which task
    #[arg(value_name = "ID", value_parser = crate::cli::words::task)]
    id: TaskId,
    /// Hold it this long without a renewal: seconds, or 15m, 2h, 1d
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    ttl: Option<i64>,
}

/// A number of seconds, or with a unit.
pub fn seconds(raw: &str) -> Result<i64, String> {
    let (number, unit) = match raw.char_indices().next_back() {
        Some((at, 's')) => (&raw[..at], 1),
        Some((at, 'm')) => (&raw[..at], 60),
        Some((at, 'h')) => (&raw[..at], 3_600),
        Some((at, 'd')) => (&raw[..at], 86_400),
        _ => (raw, 1),
    };
    let number: i64 = number.parse().map_err(|_| format!("{raw:?} is no length of time like 900, 15m or 2h"))?;
    number.checked_mul(unit).ok_or_else(|| format!("{raw:?} is too long"))
}

/// Takes a task, and says until when and where to work.
pub async fn claim(desk: &mut Desk, args: ClaimArgs) -> Result<(), Problem> {
    let receipt = desk.execute(Command::Claim(Claim { task: args.id, ttl_s: args.ttl, session: None, worktree: None })).await?;
    let mut row = desk.outcome(&receipt);
    if !desk.out.manner.json {
        let when = desk.when().await?;
        if let Some(until) = receipt.data.get("until").and_then(Value::as_str).and_then(Moment::parse) {
            row = row.dim(format!("  yours until {}", when.clock(until)));
        }
        if let Some(branch) = receipt.data.get("branch").and_then(Value::as_str) {
            row = row.dim(format!("  branch {branch}"));
        }
    }
    desk.say(&receipt, row).await
}

/// Arguments of `tasks renew`.
#[derive(Debug, clap::Args)]
pub struct RenewArgs {
    /// Which task; all you hold when left out
    #[arg(value_name = "ID", value_parser = crate::cli::words::task)]
    id: Option<TaskId>,
}

/// Extends one lease, or all.
pub async fn renew(desk: &mut Desk, args: RenewArgs) -> Result<(), Problem> {
    let receipt = desk.execute(Command::Renew(Renew { task: args.id.clone() })).await?;
    let row = match &args.id {
        Some(_) => desk.outcome(&receipt).dim("  renewed"),
        None => super::super::out::Row::from("renewed what you hold"),
    };
    desk.say(&receipt, row).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_of_time_has_a_unit_or_is_in_seconds() {
        let read: Vec<_> = ["900", "15m", "2h", "1d", "90s"].iter().map(|raw| seconds(raw).unwrap()).collect();
        assert_eq!(read, [900, 900, 7_200, 86_400, 90]);
        for bad in ["", "m", "1w", "x", "9223372036854775807d", "1é"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }
}
