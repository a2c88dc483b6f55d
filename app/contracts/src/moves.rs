//! Dragging a card is a command: which one, from where the card lies and where it is dropped.
//!
//! Invariant: this only translates. Whether the move is allowed is the engine's word, in its own words; the columns a page
//! offers are the card's `moves`.

use crate::command::{Claim, Close, Command, Hold, Release, Reopen, Review, Submit, Unhold};
use crate::hint::{Call, Hint};
use crate::problem::{Code, Problem};
use crate::standing::{Column, Standing, Status, Verdict};
use crate::text::Note;
use crate::view::TaskCard;

/// The commands that take a card to a column, in order; more than one are sent as one batch. `note` goes to each of them that takes
/// one, `no_code` to a close or submission. `illegal_move` when no command leads there from where the card lies.
pub fn commands_for(card: &TaskCard, to: Column, note: &Note, no_code: bool) -> Result<Vec<Command>, Problem> {
    let (task, note) = (card.id.clone(), note.clone());
    if card.status != Status::Open {
        return match to {
            Column::Ready => Ok(vec![Command::Reopen(Reopen { task, note })]),
            _ => Err(no_way(card, to)),
        };
    }
    let worked_on = card.column == Column::Working;
    let release = || Command::Release(Release { task: card.id.clone(), note: note.clone(), mentions: Vec::new() });
    match to {
        _ if card.column == to => Err(no_way(card, to)),
        Column::Backlog if card.held.is_some() && worked_on => Ok(vec![release()]),
        Column::Backlog if worked_on && card.lease.is_some() => Ok(vec![release(), Command::Hold(Hold { task, note })]),
        Column::Backlog => Ok(vec![Command::Hold(Hold { task, note })]),
        Column::Ready => {
            let mut commands = Vec::new();
            if card.standing == Standing::InReview {
                commands.push(Command::Review(Review { task: task.clone(), verdict: Verdict::Changes, note: note.clone(), mentions: Vec::new() }));
            } else if worked_on && card.lease.is_some() {
                commands.push(release());
            }
            if card.held.is_some() {
                commands.push(Command::Unhold(Unhold { task, note }));
            }
            if commands.is_empty() { Err(no_way(card, to)) } else { Ok(commands) }
        }
        Column::Working => Ok(vec![Command::Claim(Claim { task, ttl_s: None, session: None, worktree: None })]),
        Column::NeedsYou if worked_on => Ok(vec![Command::Submit(Submit { task, note, no_code, mentions: Vec::new() })]),
        Column::NeedsYou => Err(no_way(card, to)),
        Column::Done if card.standing == Standing::InReview => Ok(vec![Command::Review(Review { task, verdict: Verdict::Pass, note, mentions: Vec::new() })]),
        Column::Done => Ok(vec![Command::Close(Close { task, note, no_code, criteria: Vec::new(), unpushed: None, mentions: Vec::new() })]),
    }
}

fn no_way(card: &TaskCard, to: Column) -> Problem {
    let title = if card.column == to {
        format!("{} lies in {} already", card.id, to.words())
    } else {
        format!("{} can't be moved from {} to {}", card.id, card.column.words(), to.words())
    };
    let hint = match card.moves.iter().map(|column| column.words()).collect::<Vec<_>>() {
        columns if columns.is_empty() => Hint::call(Call::new("ask").with("task", card.id.as_str())),
        columns => Hint::text(format!("it can be moved to {}", columns.join(", "))),
    };
    Problem::new(Code::IllegalMove, title).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::LeaseView;
    use crate::{Actor, Moment, TaskId, command::Held, standing::HoldKind};
    use serde_json::json;

    fn card(standing: Standing) -> TaskCard {
        let status = match standing {
            Standing::Done => Status::Done,
            Standing::Cancelled => Status::Cancelled,
            _ => Status::Open,
        };
        let mut card: TaskCard = serde_json::from_value(json!({
            "id": "tk-4f2a9c", "title": "a", "status": status, "standing": standing, "column": standing.column(),
            "created_at": "2026-11-29T11:37:08.123Z", "updated_at": "2026-11-29T11:37:08.123Z", "version": 1,
        }))
        .unwrap();
        if standing == Standing::Working {
            let actor = Actor::parse("agent:ana/w1").unwrap();
            card.lease = Some(LeaseView { actor, since: Moment(0), until: Moment(1), ttl_s: 900, late: false, elsewhere: None, fence: 1 });
        }
        if standing == Standing::Held {
            card.held = Some(Held { kind: HoldKind::Person, by: Actor::parse("dev:ana").unwrap(), note: String::new() });
        }
        card
    }

    fn names(card: &TaskCard, to: Column) -> String {
        match commands_for(card, to, &Note::parse("so it is").unwrap(), true) {
            Ok(commands) => commands
                .iter()
                .map(|command| match command {
                    Command::Review(review) => format!("review {}", review.verdict),
                    other => other.name().to_owned(),
                })
                .collect::<Vec<_>>()
                .join(", "),
            Err(problem) => problem.code.to_string(),
        }
    }

    #[test]
    fn every_move_of_the_table_is_its_command() {
        let table = [
            (Standing::Ready, ["hold", "illegal_move", "claim", "illegal_move", "close"]),
            (Standing::Assigned, ["hold", "illegal_move", "claim", "illegal_move", "close"]),
            (Standing::Working, ["release, hold", "release", "illegal_move", "submit", "close"]),
            (Standing::Waiting, ["hold", "illegal_move", "illegal_move", "submit", "close"]),
            (Standing::InReview, ["hold", "review changes", "claim", "illegal_move", "review pass"]),
            (Standing::NeedsYou, ["hold", "illegal_move", "claim", "illegal_move", "close"]),
            (Standing::Held, ["illegal_move", "unhold", "claim", "illegal_move", "close"]),
            (Standing::Blocked, ["illegal_move", "illegal_move", "claim", "illegal_move", "close"]),
            (Standing::Done, ["illegal_move", "reopen", "illegal_move", "illegal_move", "illegal_move"]),
            (Standing::Cancelled, ["illegal_move", "reopen", "illegal_move", "illegal_move", "illegal_move"]),
        ];
        for (standing, expected) in table {
            let got: Vec<String> = Column::ALL.iter().map(|column| names(&card(standing), *column)).collect();
            assert_eq!(got, expected, "{standing}");
        }
    }

    #[test]
    fn a_held_card_that_is_worked_on_leaves_both_behind() {
        let mut both = card(Standing::Working);
        both.held = card(Standing::Held).held;
        assert_eq!(names(&both, Column::Ready), "release, unhold");
        assert_eq!(names(&both, Column::Backlog), "release");
    }

    #[test]
    fn note_and_evidence_go_with_the_command() {
        let commands = commands_for(&card(Standing::Working), Column::Done, &Note::parse("so it is").unwrap(), true).unwrap();
        let Command::Close(close) = &commands[0] else { panic!("{commands:?}") };
        assert_eq!((close.task.clone(), close.note.as_str(), close.no_code), (TaskId::parse("tk-4f2a9c").unwrap(), "so it is", true));
    }

    #[test]
    fn a_move_that_leads_nowhere_names_those_that_do() {
        let mut done = card(Standing::Done);
        done.moves = vec![Column::Ready];
        let problem = commands_for(&done, Column::Working, &Note::default(), false).unwrap_err();
        assert_eq!(problem.title, "tk-4f2a9c can't be moved from Done to Working");
        assert_eq!(problem.hint.for_web(), "it can be moved to Ready");
    }
}
