//! One act on many tasks: the commands it is, for each task that it would change, and the commands that take it back.

use contracts::view::TaskCard;
use contracts::{Actor, Command, MilestoneId, Problem, Status};
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

    /// The commands that take it back, from how the tasks were before and are now; none where the board has no way back.
    ///
    /// # Errors
    /// As for [`Bulk::commands`].
    pub fn inverse(&self, before: &[TaskCard], now: &[TaskCard]) -> Result<Vec<Command>, Problem> {
        let changed = self.changed(before)?;
        let back = changed.iter().filter_map(|card| {
            let task = &card.id;
            Some(match self {
                Bulk::Assign(_) => command("assign", json!({"task": task, "to": card.assignee})),
                // This label alone: others may have changed the rest since.
                Bulk::Label(label) => {
                    let mut labels = now.iter().find(|now| now.id == *task).unwrap_or(card).labels.clone();
                    labels.retain(|own| own != label);
                    labels.extend(card.labels.contains(label).then(|| label.clone()));
                    command("edit", json!({"task": task, "labels": labels}))
                }
                Bulk::Priority(_) => command("edit", json!({"task": task, "priority": card.priority})),
                Bulk::Milestone(_) => command("edit", json!({"task": task, "milestone": card.milestone})),
                Bulk::Hold => command("unhold", json!({"task": task})),
                Bulk::Unhold => command("hold", json!({"task": task, "note": card.held.as_ref().map(|held| held.note.clone()).unwrap_or_default()})),
                Bulk::Cancel(_) => command("reopen", json!({"task": task})),
                // How it was closed, on which evidence and with which words, is not the board's to guess.
                Bulk::Reopen => return None,
            })
        });
        back.collect()
    }

    /// What those commands do not bring back, in words; empty when all is as it was then.
    ///
    /// # Errors
    /// As for [`Bulk::commands`].
    pub fn lost(&self, before: &[TaskCard], me: &Actor) -> Result<String, Problem> {
        let changed = self.changed(before)?;
        let count = |gone: &dyn Fn(&TaskCard) -> bool| changed.iter().filter(|card| gone(card)).count();
        // A task that is made somebody's is taken from whoever works on it; one that is cancelled and opened again is nobody's.
        let ended = |card: &TaskCard| match self {
            Bulk::Cancel(_) => true,
            Bulk::Assign(Some(to)) => card.lease.as_ref().is_some_and(|lease| lease.actor != *to),
            _ => false,
        };
        let cancelled = matches!(self, Bulk::Cancel(_));
        let parts = [
            (count(&|card| ended(card) && card.lease.is_some()), "claim", "claims"),
            (count(&|card| cancelled && card.assignee.is_some()), "assignment", "assignments"),
            (count(&|card| ended(card) && card.review.is_some()), "review", "reviews"),
            (count(&|card| *self == Bulk::Unhold && card.held.as_ref().is_some_and(|held| held.by != *me)), "name of who held it", "names of who held them"),
        ];
        let parts = parts.into_iter().filter(|(count, ..)| *count > 0);
        let parts: Vec<String> = parts.map(|(count, one, many)| crate::words::count(i64::try_from(count).unwrap_or(i64::MAX), one, many)).collect();
        Ok(parts.join(", "))
    }

    /// The tasks that it changes, as they were before.
    fn changed(&self, before: &[TaskCard]) -> Result<Vec<TaskCard>, Problem> {
        let commands = self.commands(before)?;
        let ids: Vec<String> = commands.iter().filter_map(|command| command.args().get("task").and_then(Value::as_str).map(str::to_owned)).collect();
        Ok(before.iter().filter(|card| ids.iter().any(|id| id == card.id.as_str())).cloned().collect())
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
        assert_eq!(told(Bulk::Priority(0).inverse(&cards, &cards)), [r#"edit {"priority":2,"task":"tk-000001"}"#]);
        assert_eq!(told(Bulk::Label("ui".into()).commands(&cards)), [r#"edit {"labels":["ui"],"task":"tk-000002"}"#]);
        assert_eq!(told(Bulk::Label("ui".into()).inverse(&cards, &cards)), [r#"edit {"labels":[],"task":"tk-000002"}"#]);
        assert_eq!(told(Bulk::Label("ui".into()).commands(&cards[..1])), [r#"edit {"labels":[],"task":"tk-000001"}"#]);
        let names = |commands: Vec<String>| commands.iter().map(|told| told.split(' ').next().unwrap_or_default().to_owned()).collect::<Vec<_>>();
        assert_eq!(names(told(Bulk::Hold.commands(&cards))), ["hold", "hold"]);
        assert_eq!(names(told(Bulk::Hold.inverse(&cards, &cards))), ["unhold", "unhold"]);
        assert_eq!(names(told(Bulk::Cancel("not needed any more".into()).inverse(&cards, &cards))), ["reopen", "reopen"]);
        // What others did to the labels since stays.
        let mut now = cards.clone();
        now[1].labels = vec!["ui".into(), "red".into()];
        assert_eq!(told(Bulk::Label("ui".into()).inverse(&cards, &now)), [r#"edit {"labels":["red"],"task":"tk-000002"}"#]);
        assert!(Bulk::Assign(None).commands(&cards).unwrap().is_empty());
        assert!(Bulk::Label("no spaces here".into()).commands(&cards).is_err());
    }

    #[test]
    fn what_the_way_back_does_not_bring_back_is_said() {
        let actor = |raw: &str| Actor::parse(raw).unwrap();
        let me = actor("dev:ana");
        let lease = json!({"actor": "agent:ana/w1", "since": 0, "until": 0, "ttl_s": 900, "fence": 1});
        let mut cards = vec![card("tk-000001"), card("tk-000002"), card("tk-000003")];
        cards[0].lease = serde_json::from_value(with_moments(lease)).unwrap();
        cards[0].assignee = Some(actor("agent:ana/w1"));
        cards[1].review = serde_json::from_value(with_moments(json!({"state": "submitted", "by": "agent:ana/w1", "at": 0}))).unwrap();
        cards[2].held = serde_json::from_value(json!({"kind": "person", "by": "dev:mei"})).unwrap();
        let lost = |bulk: Bulk| bulk.lost(&cards, &me).unwrap();
        assert_eq!(lost(Bulk::Cancel("no".into())), "1\u{a0}claim, 1\u{a0}assignment, 1\u{a0}review");
        assert_eq!(lost(Bulk::Assign(Some(actor("dev:mei")))), "1\u{a0}claim");
        assert_eq!(lost(Bulk::Assign(Some(actor("agent:ana/w1")))), "", "who holds it keeps it");
        assert_eq!(lost(Bulk::Assign(None)), "");
        assert_eq!(lost(Bulk::Unhold), "1\u{a0}name of who held it");
        assert_eq!(lost(Bulk::Priority(0)), "");
        // A close is not to be had again: its evidence and its words were the closer's.
        cards[0].status = Status::Done;
        assert!(Bulk::Reopen.inverse(&cards, &cards).unwrap().is_empty());
    }

    /// Numbers as the moments they stand for.
    fn with_moments(mut value: Value) -> Value {
        for key in ["since", "until", "at"] {
            if let Some(moment) = value.get_mut(key) {
                *moment = json!(contracts::Moment(0));
            }
        }
        value
    }
}
