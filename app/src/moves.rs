//! What moving a card to a column means: the commands, or the words that are missing first. Where a card may go at all is the
//! engine's word (`moves`), never this table's.

use contracts::command::{Claim, Close, Command, CommandRequest, Hold, Release, Review, Submit, Unhold};
use contracts::standing::{Column, Standing, Verdict};
use contracts::text::Note;
use contracts::view::{Allowance, TaskCard};

/// What a move needs.
#[derive(Clone, Debug, PartialEq)]
pub enum Move {
    /// These commands, as one.
    Now(Vec<Command>),
    /// Words first.
    Ask(Ask),
}

/// Which words a move needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// Close without a commit: why there is none.
    CloseWithoutCode,
    /// Hand in without a commit: why there is none.
    SubmitWithoutCode,
    /// What to change.
    Changes,
    /// Why it is opened again.
    Reopen,
}

impl Ask {
    /// The command its form gives.
    pub fn command(self) -> &'static str {
        match self {
            Ask::CloseWithoutCode => "close",
            Ask::SubmitWithoutCode => "submit",
            Ask::Changes => "review",
            Ask::Reopen => "reopen",
        }
    }

    /// The heading of its form.
    pub fn title(self) -> &'static str {
        match self {
            Ask::CloseWithoutCode => "Close without a commit",
            Ask::SubmitWithoutCode => "Submit without a commit",
            Ask::Changes => "Ask for changes",
            Ask::Reopen => "Open it again",
        }
    }

    /// What the field asks.
    pub fn question(self) -> &'static str {
        match self {
            Ask::CloseWithoutCode => "What was delivered, and why is there no commit?",
            Ask::SubmitWithoutCode => "What was done, and why is there no commit?",
            Ask::Changes => "What should change?",
            Ask::Reopen => "Why? (not required)",
        }
    }

    /// The word on its button.
    pub fn button(self) -> &'static str {
        match self {
            Ask::CloseWithoutCode => "Close",
            Ask::SubmitWithoutCode => "Submit for review",
            Ask::Changes => "Ask for changes",
            Ask::Reopen => "Reopen",
        }
    }
}

/// What it takes to move a card to a column (`board.md` 2.6).
pub fn plan(card: &TaskCard, to: Column) -> Move {
    let task = card.id.clone();
    let note = Note::default;
    match to {
        Column::Backlog if card.standing == Standing::Working => Move::Now(vec![
            Command::Release(Release { task: task.clone(), note: note(), mentions: Vec::new() }),
            Command::Hold(Hold { task, note: note() }),
        ]),
        Column::Backlog => Move::Now(vec![Command::Hold(Hold { task, note: note() })]),
        Column::Ready if card.column == Column::Done => Move::Ask(Ask::Reopen),
        Column::Ready if card.standing == Standing::InReview => Move::Ask(Ask::Changes),
        Column::Ready if card.held.is_some() => Move::Now(vec![Command::Unhold(Unhold { task, note: note() })]),
        Column::Ready => Move::Now(vec![Command::Release(Release { task, note: note(), mentions: Vec::new() })]),
        Column::Working => Move::Now(vec![Command::Claim(Claim { task, ttl_s: None, session: None, worktree: None })]),
        Column::NeedsYou if card.commits == 0 => Move::Ask(Ask::SubmitWithoutCode),
        Column::NeedsYou => Move::Now(vec![Command::Submit(Submit { task, note: note(), no_code: false, mentions: Vec::new() })]),
        Column::Done if card.standing == Standing::InReview => {
            Move::Now(vec![Command::Review(Review { task, verdict: Verdict::Pass, note: note(), mentions: Vec::new() })])
        }
        Column::Done if card.commits == 0 => Move::Ask(Ask::CloseWithoutCode),
        Column::Done => {
            Move::Now(vec![Command::Close(Close { task, note: note(), no_code: false, criteria: Vec::new(), unpushed: None, mentions: Vec::new() })])
        }
    }
}

/// The commands as requests, each with its own key.
pub fn requests(commands: Vec<Command>, key: &str) -> Vec<CommandRequest> {
    commands
        .into_iter()
        .enumerate()
        .map(|(place, command)| CommandRequest { key: contracts::Key::parse(&format!("{key}.{place}")).ok(), ..CommandRequest::of(command) })
        .collect()
}

/// Why a card may not go to a column, as its reader's own allowances say.
pub fn reason(card: &TaskCard, allowed: &[Allowance], to: Column) -> Option<String> {
    let name = match plan(card, to) {
        Move::Now(commands) => commands.first().map(Command::name)?,
        Move::Ask(ask) => ask.command(),
    };
    allowed.iter().find(|allowance| allowance.command == name).and_then(|allowance| allowance.refused.as_ref()).map(|refusal| refusal.text.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::tests::card;

    fn words(card: &TaskCard, to: Column) -> String {
        match plan(card, to) {
            Move::Now(commands) => commands.iter().map(Command::name).collect::<Vec<_>>().join(" "),
            Move::Ask(ask) => format!("ask {}", ask.command()),
        }
    }

    #[test]
    fn every_move_is_the_command_of_the_table() {
        let ready = card("tk-4f2a9c");
        let standing = |standing: Standing| TaskCard { standing, column: standing.column(), ..ready.clone() };
        let with_commit = |card: TaskCard| TaskCard { commits: 1, ..card };
        assert_eq!(words(&ready, Column::Backlog), "hold");
        assert_eq!(words(&ready, Column::Working), "claim");
        assert_eq!(words(&ready, Column::Done), "ask close");
        assert_eq!(words(&standing(Standing::Working), Column::Backlog), "release hold");
        assert_eq!(words(&standing(Standing::Working), Column::Ready), "release");
        assert_eq!(words(&standing(Standing::Working), Column::NeedsYou), "ask submit");
        assert_eq!(words(&with_commit(standing(Standing::Working)), Column::NeedsYou), "submit");
        assert_eq!(words(&with_commit(standing(Standing::Working)), Column::Done), "close");
        assert_eq!(words(&standing(Standing::InReview), Column::Done), "review");
        assert_eq!(words(&standing(Standing::InReview), Column::Ready), "ask review");
        assert_eq!(words(&standing(Standing::Done), Column::Ready), "ask reopen");
        let mut held = standing(Standing::Held);
        held.held = serde_json::from_value(serde_json::json!({"kind": "person", "by": "dev:ana"})).unwrap();
        assert_eq!(words(&held, Column::Ready), "unhold");
    }
}
