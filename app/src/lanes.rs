//! What stands side by side and below each other: cards in groups, rows in order. Pure, so that the keyboard walks what the eye sees.

use crate::look::{Group, Look, Sort};
use crate::{order, words};
use contracts::TaskId;
use contracts::command::Priority;
use contracts::view::{MilestoneView, TaskCard};
use std::cmp::Ordering;

/// A group of cards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// What tells it from the others.
    pub key: String,
    /// What people read.
    pub name: String,
    /// Its cards, in order.
    pub ids: Vec<TaskId>,
}

/// Cards in groups: milestones by due date and age, priorities the most urgent first, people, types and labels by name; what belongs to
/// none comes last. Every card lies in one group, one with several labels in that of its first.
pub fn lanes(group: Group, cards: &[TaskCard], milestones: &[MilestoneView]) -> Vec<Lane> {
    let mut sorted: Vec<&TaskCard> = cards.iter().collect();
    sorted.sort_by(|a, b| by_board(a, b));
    let mut lanes: Vec<(String, Lane)> = Vec::new();
    for card in sorted {
        let (rank, key, name) = lane_of(group, card, milestones);
        match lanes.iter_mut().find(|(_, lane)| lane.key == key) {
            Some((_, lane)) => lane.ids.push(card.id.clone()),
            None => lanes.push((rank, Lane { key, name, ids: vec![card.id.clone()] })),
        }
    }
    lanes.sort_by(|(a, x), (b, y)| a.cmp(b).then_with(|| x.name.cmp(&y.name)));
    lanes.into_iter().map(|(_, lane)| lane).collect()
}

/// The group of a card: its rank among the groups, its key, its name.
fn lane_of(group: Group, card: &TaskCard, milestones: &[MilestoneView]) -> (String, String, String) {
    let none = |name: &str| ("~".to_owned(), String::new(), name.to_owned());
    let named = |key: &str, name: &str| (String::new(), key.to_owned(), name.to_owned());
    match group {
        Group::Standing => (order::place(card.column).to_string(), card.column.as_str().to_owned(), card.column.words().to_owned()),
        Group::Type => named(&card.kind, &card.kind),
        Group::Label => card.labels.first().map_or_else(|| none("No label"), |label| named(label, label)),
        Group::Priority => {
            let number = card.priority.to_string();
            let words = Priority::parse(i64::from(card.priority)).map_or_else(|_| number.clone(), |priority| words::sentence(priority.words()));
            (number.clone(), number, words)
        }
        Group::Milestone => match &card.milestone {
            None => none("No milestone"),
            Some(id) => {
                let known = milestones.iter().find(|each| each.id == *id);
                let rank =
                    known.map_or_else(|| "}".to_owned(), |each| format!("{} {}", each.due_at.map_or("z".to_owned(), |at| at.to_string()), each.created_at));
                (rank, id.to_string(), known.map_or_else(|| id.to_string(), |each| each.title.clone()))
            }
        },
        Group::Assignee => {
            let who = card.lease.as_ref().map(|lease| &lease.actor).or(card.assignee.as_ref());
            who.map_or_else(|| none("Nobody yet"), |actor| named(actor.as_str(), actor.short()))
        }
    }
}

/// The order of the board: column by column, each in its own order.
fn by_board(a: &TaskCard, b: &TaskCard) -> Ordering {
    order::place(a.column).cmp(&order::place(b.column)).then_with(|| order::cards(a, b))
}

/// The rows of a list, in its order; what lacks what it is sorted by comes last either way.
pub fn rows(look: &Look, cards: &[TaskCard], milestones: &[MilestoneView]) -> Vec<TaskId> {
    let mut sorted: Vec<(Option<String>, &TaskCard)> = cards.iter().map(|card| (sort_key(look.sort, card, milestones), card)).collect();
    sorted.sort_by(|(a, x), (b, y)| {
        let keys = match (a, b) {
            (Some(a), Some(b)) if look.down => b.cmp(a),
            (Some(a), Some(b)) => a.cmp(b),
            (a, b) => b.is_some().cmp(&a.is_some()),
        };
        let board = if look.sort == Sort::Board && look.down { by_board(y, x) } else { by_board(x, y) };
        keys.then(board)
    });
    sorted.into_iter().map(|(_, card)| card.id.clone()).collect()
}

fn sort_key(sort: Sort, card: &TaskCard, milestones: &[MilestoneView]) -> Option<String> {
    match sort {
        Sort::Board => Some(String::new()),
        Sort::Title => Some(card.title.to_lowercase()),
        Sort::Standing => Some(format!("{} {}", order::place(card.column), card.standing.as_str())),
        Sort::Priority => Some(card.priority.to_string()),
        Sort::Type => Some(card.kind.clone()),
        Sort::Milestone => card.milestone.as_ref().map(|id| lane_of(Group::Milestone, card, milestones).2.to_lowercase() + id.as_str()),
        Sort::Assignee => card.lease.as_ref().map(|lease| &lease.actor).or(card.assignee.as_ref()).map(|actor| actor.short().to_owned()),
        Sort::Due => card.due_at.map(|at| at.to_string()),
        Sort::Updated => Some(card.updated_at.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::tests::card;
    use contracts::{Actor, Moment};

    fn board() -> Vec<TaskCard> {
        let mut cards: Vec<TaskCard> = ["tk-000001", "tk-000002", "tk-000003"].map(card).into();
        cards[0].title = "zebra".into();
        cards[0].due_at = Some(Moment(5));
        cards[1].title = "Apple".into();
        cards[1].assignee = Actor::parse("dev:ana").ok();
        cards[2].title = "mango".into();
        cards[2].due_at = Some(Moment(9));
        cards[2].kind = "bug".into();
        cards
    }

    fn ids(rows: &[TaskId]) -> String {
        rows.iter().map(|id| &id.as_str()[8..]).collect()
    }

    #[test]
    fn what_belongs_to_no_group_comes_last() {
        let lanes = lanes(Group::Assignee, &board(), &[]);
        let seen: Vec<(&str, String)> = lanes.iter().map(|lane| (lane.name.as_str(), ids(&lane.ids))).collect();
        assert_eq!(seen, [("ana", "2".to_owned()), ("Nobody yet", "13".to_owned())]);
    }

    #[test]
    fn every_card_lies_in_one_group_whatever_they_are_grouped_by() {
        let mut cards = board();
        cards[0].labels = vec!["paint".into(), "hull".into()];
        cards[1].labels = vec!["hull".into()];
        cards[1].priority = 0;
        let seen = |group| lanes(group, &cards, &[]).iter().map(|lane| format!("{} {}", lane.name, ids(&lane.ids))).collect::<Vec<_>>();
        assert_eq!(seen(Group::Label), ["hull 2", "paint 1", "No label 3"]);
        assert_eq!(seen(Group::Priority), ["Urgent 2", "Normal 13"]);
        for group in Group::ALL.iter().copied() {
            let all: Vec<TaskId> = lanes(group, &cards, &[]).into_iter().flat_map(|lane| lane.ids).collect();
            assert!(all.len() == 3 && cards.iter().all(|card| all.contains(&card.id)), "{group:?}");
        }
    }

    #[test]
    fn a_list_is_sorted_either_way_and_what_lacks_the_value_stays_last() {
        let sorted = |sort, down| ids(&rows(&Look { sort, down, ..Look::default() }, &board(), &[]));
        assert_eq!((sorted(Sort::Title, false), sorted(Sort::Title, true)), ("231".into(), "132".into()));
        assert_eq!((sorted(Sort::Due, false), sorted(Sort::Due, true)), ("132".into(), "312".into()));
        assert_eq!((sorted(Sort::Type, false), sorted(Sort::Board, false)), ("312".into(), "132".into()));
    }
}
