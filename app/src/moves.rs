//! What moving a card to a column means: the commands, or the words that are missing first. Where a card may go at all is the
//! engine's word (`moves`), never this table's.

use contracts::command::{Command, CommandRequest};
use contracts::moves::commands_for;
use contracts::standing::{Column, Standing};
use contracts::text::Note;
use contracts::view::{Allowance, TaskCard};
use contracts::{Actor, Key, Problem};

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
    /// Why it is taken from somebody else who works on it.
    TakeBack,
    /// The same, and held back.
    TakeAndHold,
}

impl Ask {
    /// The command behind it.
    pub fn command(self) -> &'static str {
        match self {
            Ask::CloseWithoutCode => "close",
            Ask::SubmitWithoutCode => "submit",
            Ask::Changes => "review",
            Ask::Reopen => "reopen",
            Ask::TakeBack | Ask::TakeAndHold => "release",
        }
    }

    /// Where the card goes.
    pub fn to(self) -> Column {
        match self {
            Ask::CloseWithoutCode => Column::Done,
            Ask::SubmitWithoutCode => Column::NeedsYou,
            Ask::Changes | Ask::Reopen | Ask::TakeBack => Column::Ready,
            Ask::TakeAndHold => Column::Backlog,
        }
    }

    /// The heading of its form.
    pub fn title(self) -> &'static str {
        match self {
            Ask::CloseWithoutCode => "Close without a commit",
            Ask::SubmitWithoutCode => "Submit without a commit",
            Ask::Changes => "Ask for changes",
            Ask::Reopen => "Open it again",
            Ask::TakeBack => "Take it from who works on it",
            Ask::TakeAndHold => "Take it from who works on it, and hold it",
        }
    }

    /// What the field asks.
    pub fn question(self) -> &'static str {
        match self {
            Ask::CloseWithoutCode => "What was delivered, and why is there no commit?",
            Ask::SubmitWithoutCode => "What was done, and why is there no commit?",
            Ask::Changes => "What should change?",
            Ask::Reopen => "Why? (not required)",
            Ask::TakeBack | Ask::TakeAndHold => "Why? Who holds it now reads this, and stops.",
        }
    }

    /// The word on its button.
    pub fn button(self) -> &'static str {
        match self {
            Ask::CloseWithoutCode => "Close the task",
            Ask::SubmitWithoutCode => "Submit for review",
            Ask::Changes => "Ask for changes",
            Ask::Reopen => "Reopen",
            Ask::TakeBack => "Take it back",
            Ask::TakeAndHold => "Take it and hold",
        }
    }
}

/// What it takes for `me` to move a card to a column: the commands of [`contracts::moves`], unless they would lack their words, or take the
/// work of somebody else who is on it.
pub fn plan(card: &TaskCard, to: Column, me: &Actor) -> Result<Move, Problem> {
    let anothers = card.lease.as_ref().is_some_and(|lease| lease.actor != *me);
    let asks = match to {
        Column::Ready if card.column == Column::Done => Some(Ask::Reopen),
        Column::Ready if card.standing == Standing::InReview => Some(Ask::Changes),
        Column::Ready if card.column == Column::Working && anothers => Some(Ask::TakeBack),
        Column::Backlog if card.column == Column::Working && anothers => Some(Ask::TakeAndHold),
        Column::NeedsYou if card.commits == 0 => Some(Ask::SubmitWithoutCode),
        Column::Done if card.standing != Standing::InReview && card.commits == 0 => Some(Ask::CloseWithoutCode),
        _ => None,
    };
    let commands = commands_for(card, to, &Note::default(), false)?;
    Ok(asks.map_or(Move::Now(commands), Move::Ask))
}

/// The commands of a submitted move form.
pub fn from_fields(card: &TaskCard, fields: &[(String, String)]) -> Result<Vec<Command>, Problem> {
    let field = |name: &str| fields.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value.as_str());
    let to = Column::parse(field("to")).map_err(|fault| Problem::bad_request("to", fault))?;
    let note = Note::parse(field("note")).map_err(|fault| Problem::bad_request("note", fault))?;
    commands_for(card, to, &note, field("no_code") == "true")
}

/// The commands as requests, each with its own key.
pub fn requests(commands: Vec<Command>, key: &str) -> Vec<CommandRequest> {
    commands
        .into_iter()
        .enumerate()
        .map(|(place, command)| CommandRequest { key: Key::parse(&format!("{key}.{place}")).ok(), ..CommandRequest::of(command) })
        .collect()
}

/// Why a card may not go to a column, as its reader's own allowances say.
pub fn reason(card: &TaskCard, allowed: &[Allowance], to: Column) -> Option<String> {
    let name = match commands_for(card, to, &Note::default(), false) {
        Ok(commands) => commands.first().map(Command::name)?,
        Err(problem) => return Some(problem.title),
    };
    allowed.iter().find(|allowance| allowance.command == name).and_then(|allowance| allowance.refused.as_ref()).map(|refusal| refusal.text.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::tests::card;

    fn words(card: &TaskCard, to: Column) -> String {
        match plan(card, to, &Actor::dev_named("ana")) {
            Ok(Move::Now(commands)) => commands.iter().map(Command::name).collect::<Vec<_>>().join(" "),
            Ok(Move::Ask(ask)) => format!("ask {}", ask.command()),
            Err(problem) => problem.code.to_string(),
        }
    }

    #[test]
    fn a_move_asks_for_the_words_it_would_lack() {
        let ready = card("tk-4f2a9c");
        let standing = |standing: Standing| TaskCard { standing, column: standing.column(), ..ready.clone() };
        let with_commit = |card: TaskCard| TaskCard { commits: 1, ..card };
        let mut done = standing(Standing::Done);
        done.status = contracts::Status::Done;
        assert_eq!(words(&ready, Column::Backlog), "hold");
        assert_eq!(words(&ready, Column::Working), "claim");
        assert_eq!(words(&ready, Column::Done), "ask close");
        assert_eq!(words(&with_commit(ready.clone()), Column::Done), "close");
        assert_eq!(words(&standing(Standing::Working), Column::NeedsYou), "ask submit");
        assert_eq!(words(&with_commit(standing(Standing::Working)), Column::NeedsYou), "submit");
        assert_eq!(words(&standing(Standing::InReview), Column::Done), "review");
        assert_eq!(words(&standing(Standing::InReview), Column::Ready), "ask review");
        assert_eq!(words(&done, Column::Ready), "ask reopen");
        assert_eq!(words(&ready, Column::NeedsYou), "illegal_move");
    }

    #[test]
    fn what_somebody_else_works_on_is_taken_with_a_reason() {
        let held = |who: &str| {
            let lease = serde_json::json!({"actor": who, "since": "2026-11-29T11:00:00Z", "until": "2026-11-29T12:00:00Z", "ttl_s": 900, "fence": 1});
            let lease = Some(serde_json::from_value(lease).unwrap());
            TaskCard { standing: Standing::Working, column: Column::Working, lease, ..card("tk-4f2a9c") }
        };
        let (own, anothers) = (held("dev:ana"), held("agent:ana/w1"));
        assert_eq!((words(&own, Column::Ready), words(&anothers, Column::Ready)), ("release".to_owned(), "ask release".to_owned()));
        assert_eq!((words(&own, Column::Backlog), words(&anothers, Column::Backlog)), ("release hold".to_owned(), "ask release".to_owned()));
    }

    #[test]
    fn a_move_form_is_the_commands_with_its_words() {
        let fields =
            [("task", "tk-4f2a9c"), ("to", "done"), ("note", "a decision"), ("no_code", "true")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        let commands = from_fields(&card("tk-4f2a9c"), &fields).unwrap();
        let Command::Close(close) = &commands[0] else { panic!("{commands:?}") };
        assert_eq!((close.note.as_str(), close.no_code), ("a decision", true));
    }
}
