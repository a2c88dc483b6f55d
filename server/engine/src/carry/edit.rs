//! Fields replaced: one event a field, none for a field that stays as it is.

use super::replaced;
use crate::case::Case;
use crate::event::Kind;
use crate::facts::Decision;
use crate::rejection::Rejection;
use crate::task::{Milestone, Task};
use contracts::command::{CriterionAnswer, Edit, MilestoneEdit};
use contracts::text::CriterionText;
use contracts::view::Criterion;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A field that changes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Change {
    pub field: &'static str,
    pub from: Value,
    pub to: Value,
}

#[derive(Default)]
struct Changes(Vec<Change>);

impl Changes {
    fn add<T: Serialize + ?Sized, U: Serialize + ?Sized>(&mut self, field: &'static str, from: &T, to: Option<&U>) {
        let Some(to) = to else { return };
        let (from, to) = (json!(from), json!(to));
        if from != to {
            self.0.push(Change { field, from, to });
        }
    }
}

/// What an edit changes of a task.
pub(crate) fn changes(task: &Task, edit: &Edit) -> Result<Vec<Change>, Rejection> {
    let mut changes = Changes::default();
    changes.add("title", &task.title, edit.title.as_ref());
    changes.add("spec", &task.spec, edit.spec.as_ref());
    changes.add("type", &task.kind, edit.kind.as_ref());
    changes.add("priority", &task.priority, edit.priority.as_ref());
    changes.add("vertical", &task.vertical, edit.vertical.as_ref());
    changes.add("complexity", &task.complexity, edit.complexity.as_ref());
    changes.add("labels", &task.labels, edit.labels.as_ref().map(|labels| labels.iter().collect::<BTreeSet<_>>()).as_ref());
    changes.add("milestone", &task.milestone, edit.milestone.as_ref());
    changes.add("parent", &task.parent, edit.parent.as_ref());
    changes.add("files", &task.files, edit.files.as_ref().map(|files| once(files)).as_ref());
    changes.add("criteria", &task.criteria, checklist(&task.criteria, edit.criteria.as_deref(), &edit.answers)?.as_ref());
    changes.add("due_at", &task.due_at, edit.due_at.as_ref());
    changes.add("review", &task.review, edit.review.as_ref());
    Ok(changes.0)
}

/// Each once, in the order given.
pub(crate) fn once<T: Ord + Clone>(items: &[T]) -> Vec<T> {
    let mut seen = BTreeSet::new();
    items.iter().filter(|item| seen.insert((*item).clone())).cloned().collect()
}

/// The checklist after new texts (answers of items whose text stays are kept) and answers.
fn checklist(present: &[Criterion], texts: Option<&[CriterionText]>, answers: &[CriterionAnswer]) -> Result<Option<Vec<Criterion>>, Rejection> {
    if texts.is_none() && answers.is_empty() {
        return Ok(None);
    }
    let kept = |text: &CriterionText| match present.iter().find(|item| item.text == text.as_str()) {
        Some(item) => item.clone(),
        None => Criterion { text: text.to_string(), met: None, note: String::new() },
    };
    let mut criteria: Vec<Criterion> = texts.map_or_else(|| present.to_vec(), |texts| texts.iter().map(kept).collect());
    answer(&mut criteria, answers, "answers")?;
    Ok(Some(criteria))
}

/// Writes answers into a checklist.
pub(crate) fn answer(criteria: &mut [Criterion], answers: &[CriterionAnswer], path: &str) -> Result<(), Rejection> {
    let items = criteria.len();
    for (place, answer) in answers.iter().enumerate() {
        let item = usize::try_from(answer.i).ok().and_then(|i| i.checked_sub(1)).and_then(|i| criteria.get_mut(i));
        let Some(item) = item else {
            let text = match items {
                0 => "there are no criteria".to_owned(),
                _ => format!("there is no criterion {}, they are counted from 1 to {items}", answer.i),
            };
            return Err(Rejection::Malformed { path: format!("{path}[{place}].i"), text });
        };
        item.met = answer.met;
        item.note = answer.note.as_ref().map(ToString::to_string).unwrap_or_default();
    }
    Ok(())
}

/// What an edit changes of a milestone.
pub(crate) fn milestone_changes(milestone: &Milestone, edit: &MilestoneEdit) -> Result<Vec<Change>, Rejection> {
    let mut changes = Changes::default();
    changes.add("title", &milestone.title, edit.title.as_ref());
    changes.add("goal", &milestone.goal, edit.goal.as_ref());
    changes.add("rules", &milestone.rules, edit.rules.as_ref());
    changes.add("criteria", &milestone.criteria, checklist(&milestone.criteria, edit.criteria.as_deref(), &edit.answers)?.as_ref());
    changes.add("reviews", &milestone.reviews, edit.reviews.as_ref());
    changes.add("due_at", &milestone.due_at, edit.due_at.as_ref());
    Ok(changes.0)
}

pub(super) fn edit(case: &Case, edit: &Edit) -> Result<Decision, Rejection> {
    let of = case.task(&edit.task)?;
    let mut decision = Decision { subject: edit.task.to_string(), ..Decision::default() };
    for change in changes(&of.task, edit)? {
        decision.events.push(replaced(Kind::TaskEdited, edit.task.as_str(), "field", change.field, change.from, change.to));
    }
    if edit.due_at.flatten().is_some_and(|due| due < case.ctx.now) && !decision.events.is_empty() {
        super::warn(&mut decision, "past_due", format!("{} is due in the past", edit.task));
    }
    Ok(decision)
}
