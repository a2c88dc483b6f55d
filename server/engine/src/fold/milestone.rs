//! A milestone: created, edited, closed, cancelled, reopened.

use super::{Effect, answer_criteria, flag, get, list, read_criteria, read_list, refold, set, text};
use crate::event::{Event, Kind};
use crate::task::Milestone;
use contracts::standing::Status;
use contracts::{EventId, MilestoneId};
use serde_json::Value;

/// Applies an event in order.
pub fn apply_milestone(state: &mut Option<Milestone>, event: &Event) -> Effect {
    let Some(milestone) = state.as_mut() else {
        if event.kind != Kind::MilestoneCreated {
            return Effect::waits();
        }
        *state = created(event);
        return if state.is_some() { Effect::applied() } else { Effect::default() };
    };
    let order = event.order();
    if order == milestone.last {
        return Effect::default();
    }
    let effect = match (&event.kind, milestone.status) {
        (Kind::MilestoneEdited, Status::Open) => edited(milestone, event),
        (Kind::MilestoneClosed, Status::Open) => {
            answer_criteria(&mut milestone.criteria, event.body.get("criteria").unwrap_or(&Value::Null));
            ended(milestone, event, Status::Done)
        }
        (Kind::MilestoneCancelled, Status::Open) => ended(milestone, event, Status::Cancelled),
        (Kind::MilestoneReopened, Status::Done | Status::Cancelled) => ended(milestone, event, Status::Open),
        (Kind::MilestoneClosed, Status::Done) | (Kind::MilestoneCancelled, Status::Cancelled) | (Kind::MilestoneReopened, Status::Open) => Effect::already(),
        _ => Effect::default(),
    };
    milestone.last = order.max(milestone.last.clone());
    effect
}

fn created(event: &Event) -> Option<Milestone> {
    let id = MilestoneId::parse(&event.subject).ok()?;
    let title = get::<String>(event, "title").unwrap_or_else(|| id.to_string());
    let slug = get::<String>(event, "slug").unwrap_or_else(|| crate::words::slug(&title));
    Some(Milestone {
        id,
        slug,
        title,
        goal: text(event, "goal"),
        rules: list(event, "rules"),
        criteria: event.body.get("criteria").map(read_criteria).unwrap_or_default(),
        reviews: flag(event, "reviews"),
        due_at: get(event, "due_at"),
        status: Status::Open,
        note: String::new(),
        created_by: event.actor.clone(),
        created_at: event.at.moment,
        last: event.order(),
    })
}

fn ended(milestone: &mut Milestone, event: &Event, status: Status) -> Effect {
    milestone.status = status;
    milestone.note = if status == Status::Open { String::new() } else { text(event, "note") };
    Effect::applied()
}

fn edited(milestone: &mut Milestone, event: &Event) -> Effect {
    let to = event.body.get("to").unwrap_or(&Value::Null);
    let done = match event.text("field") {
        "title" => set(&mut milestone.title, to),
        "goal" => set(&mut milestone.goal, to),
        "reviews" => set(&mut milestone.reviews, to),
        "due_at" => set(&mut milestone.due_at, to),
        "rules" if to.is_array() => {
            milestone.rules = read_list(to);
            true
        }
        "criteria" if to.is_array() => {
            milestone.criteria = read_criteria(to);
            true
        }
        _ => false,
    };
    if done { Effect::applied() } else { Effect::default() }
}

/// Folds all events about one milestone.
pub fn fold_milestone(events: &mut Vec<Event>) -> (Option<Milestone>, Vec<(EventId, Effect)>) {
    refold(events, None, apply_milestone)
}
