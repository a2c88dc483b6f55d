//! One act on many tasks: the commands it is, for each task that it would change, and the commands that take it back.

use contracts::view::TaskCard;
use contracts::{Actor, Command, MilestoneId, Problem, Standing, Status};
use serde_json::{Value, json};

/// What is done to each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bulk {
    /// Meant for somebody, or for nobody.
    Assign(Option<Actor>),
    /// With a label, or without it when all have it.
    Label(String),
    /// Of this priority.
    Priority(u8),
    /// In a milestone, or in none.
    Milestone(Option<MilestoneId>),
    /// Held back.
    Hold,
    /// Not held back.
    Unhold,
    /// Closed without delivery, with the reason.
    Cancel(String),
    /// Opened again.
    Reopen,
}

fn command(name: &str, args: Value) -> Result<Command, Problem> {
    Command::parse(name, args)
}

impl Bulk {
    /// The commands, one for each task that is not so already.
    ///
    /// # Errors
    /// `bad_request` when a label or reason is out of form.
    pub fn commands(&self, cards: &[TaskCard]) -> Result<Vec<Command>, Problem> {
        let all_have = |label: &String| cards.iter().all(|card| card.labels.contains(label));
        let mut commands = Vec::new();
        for card in cards {
            let task = &card.id;
            let open = card.status == Status::Open;
            let one = match self {
                Bulk::Assign(to) => (open && card.assignee != *to).then(|| command("assign", json!({"task": task, "to": to}))),
                Bulk::Label(label) => {
                    let mut labels = card.labels.clone();
                    let gone = all_have(label);
                    if gone {
                        labels.retain(|own| own != label);
                    } else if !labels.contains(label) {
                        labels.push(label.clone());
                    }
                    (labels != card.labels).then(|| command("edit", json!({"task": task, "labels": labels})))
                }
                Bulk::Priority(priority) => (card.priority != *priority).then(|| command("edit", json!({"task": task, "priority": priority}))),
                Bulk::Milestone(milestone) => (card.milestone != *milestone).then(|| command("edit", json!({"task": task, "milestone": milestone}))),
                Bulk::Hold => (open && card.held.is_none()).then(|| command("hold", json!({"task": task}))),
                Bulk::Unhold => (open && card.held.is_some()).then(|| command("unhold", json!({"task": task}))),
                Bulk::Cancel(note) => open.then(|| command("cancel", json!({"task": task, "note": note}))),
                Bulk::Reopen => (!open).then(|| command("reopen", json!({"task": task}))),
            };
            commands.extend(one.transpose()?);
        }
        Ok(commands)
    }

    /// The commands that take it back, from how the tasks were before; none where the board has no way back.
    ///
    /// # Errors
    /// As for [`Bulk::commands`].
    pub fn inverse(&self, before: &[TaskCard]) -> Result<Vec<Command>, Problem> {
        let changed: Vec<String> =
            self.commands(before)?.iter().filter_map(|command| command.args().get("task").and_then(Value::as_str).map(str::to_owned)).collect();
        let back = before.iter().filter(|card| changed.iter().any(|id| id == card.id.as_str())).map(|card| {
            let task = &card.id;
            match self {
                Bulk::Assign(_) => command("assign", json!({"task": task, "to": card.assignee})),
                Bulk::Label(_) => command("edit", json!({"task": task, "labels": card.labels})),
                Bulk::Priority(_) => command("edit", json!({"task": task, "priority": card.priority})),
                Bulk::Milestone(_) => command("edit", json!({"task": task, "milestone": card.milestone})),
                Bulk::Hold => command("unhold", json!({"task": task})),
                Bulk::Unhold => command("hold", json!({"task": task, "note": card.held.as_ref().map(|held| held.note.clone()).unwrap_or_default()})),
                Bulk::Cancel(_) => command("reopen", json!({"task": task})),
                // What was done stays done and what was cancelled stays cancelled in words only: the reason can't be guessed.
                Bulk::Reopen if card.standing == Standing::Cancelled => command("cancel", json!({"task": task, "note": "as it was before"})),
                Bulk::Reopen => command("close", json!({"task": task, "note": "as it was before", "no_code": true})),
            }
        });
        back.collect()
    }

    /// What was done, in words, to so many.
    pub fn words(&self, count: usize) -> String {
        let tasks = crate::words::count(i64::try_from(count).unwrap_or(i64::MAX), "task", "tasks");
        match self {
            Bulk::Assign(None) => format!("{tasks} for nobody now"),
            Bulk::Assign(Some(actor)) => format!("{tasks} for {} now", actor.short()),
            Bulk::Label(label) => format!("Label {label} changed on {tasks}"),
            Bulk::Priority(priority) => format!("{tasks} now {}", priority_words(*priority)),
            Bulk::Milestone(_) => format!("Milestone of {tasks} changed"),
            Bulk::Hold => format!("{tasks} held"),
            Bulk::Unhold => format!("{tasks} not held any more"),
            Bulk::Cancel(_) => format!("{tasks} cancelled"),
            Bulk::Reopen => format!("{tasks} open again"),
        }
    }
}

/// A priority as people read it.
pub fn priority_words(priority: u8) -> &'static str {
    match priority {
        0 => "urgent",
        1 => "high",
        2 => "normal",
        _ => "someday",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::tests::card;

    fn told(commands: Result<Vec<Command>, Problem>) -> Vec<String> {
        commands.unwrap().iter().map(|command| format!("{} {}", command.name(), command.args())).collect()
    }

    #[test]
    fn only_what_changes_is_commanded_and_the_way_back_leads_to_how_it_was() {
        let mut cards = vec![card("tk-000001"), card("tk-000002")];
        cards[0].labels = vec!["ui".into()];
        cards[1].priority = 0;
        assert_eq!(told(Bulk::Priority(0).commands(&cards)), [r#"edit {"priority":0,"task":"tk-000001"}"#]);
        assert_eq!(told(Bulk::Priority(0).inverse(&cards)), [r#"edit {"priority":2,"task":"tk-000001"}"#]);
        assert_eq!(told(Bulk::Label("ui".into()).commands(&cards)), [r#"edit {"labels":["ui"],"task":"tk-000002"}"#]);
        assert_eq!(told(Bulk::Label("ui".into()).inverse(&cards)), [r#"edit {"labels":[],"task":"tk-000002"}"#]);
        assert_eq!(told(Bulk::Label("ui".into()).commands(&cards[..1])), [r#"edit {"labels":[],"task":"tk-000001"}"#]);
        let names = |commands: Vec<String>| commands.iter().map(|told| told.split(' ').next().unwrap_or_default().to_owned()).collect::<Vec<_>>();
        assert_eq!(names(told(Bulk::Hold.commands(&cards))), ["hold", "hold"]);
        assert_eq!(names(told(Bulk::Hold.inverse(&cards))), ["unhold", "unhold"]);
        assert_eq!(names(told(Bulk::Cancel("not needed any more".into()).inverse(&cards))), ["reopen", "reopen"]);
        assert!(Bulk::Assign(None).commands(&cards).unwrap().is_empty());
        assert!(Bulk::Label("no spaces here".into()).commands(&cards).is_err());
    }
}
