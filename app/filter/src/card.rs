//! A card that can be asked.

use crate::ask::{Fact, Facts};
use crate::field::Field;
use contracts::view::{MilestoneView, TaskCard};

/// A card, and the milestones there are (for their titles).
#[derive(Clone, Copy, Debug)]
pub struct Card<'a> {
    /// The card.
    pub card: &'a TaskCard,
    /// All milestones.
    pub milestones: &'a [MilestoneView],
}

impl Facts for Card<'_> {
    fn fact(&self, field: Field) -> Fact {
        let card = self.card;
        let name = |text: Option<&str>| text.map_or(Fact::Missing, |text| Fact::Names(vec![text.to_owned()]));
        let time = |at: Option<contracts::Moment>| at.map_or(Fact::Missing, Fact::Time);
        let count = |n: u32| Fact::Number(i64::from(n));
        match field {
            Field::Id => name(Some(card.id.as_str())),
            Field::Title => name(Some(&card.title)),
            Field::Text => Fact::Names(words(card)),
            Field::Type => name(Some(&card.kind)),
            Field::Status => name(Some(card.status.as_str())),
            Field::Standing => name(Some(card.standing.as_str())),
            Field::Column => name(Some(card.column.as_str())),
            Field::Priority => Fact::Number(i64::from(card.priority)),
            Field::Labels => Fact::Set(card.labels.clone()),
            Field::Milestone => {
                let Some(id) = &card.milestone else { return Fact::Missing };
                let title = self.milestones.iter().find(|each| each.id == *id).map(|each| each.title.clone());
                Fact::Names(std::iter::once(id.to_string()).chain(title).collect())
            }
            Field::Parent => name(card.parent.as_ref().map(|id| id.as_str())),
            Field::Assignee => name(card.assignee.as_ref().map(|actor| actor.as_str())),
            Field::Holder => name(card.lease.as_ref().map(|lease| lease.actor.as_str())),
            Field::Waits => count(card.waits),
            Field::Blocks => count(card.blocks),
            Field::ChildrenTotal => count(card.children.1),
            Field::ChildrenOpen => count(card.children.1.saturating_sub(card.children.0)),
            Field::Comments => count(card.comments),
            Field::Conflicts => count(card.conflicts),
            Field::Complexity => name(card.complexity.map(|size| size.as_str())),
            Field::Vertical => name(card.vertical.as_deref()),
            Field::Branch => name(card.branch.as_deref()),
            Field::DueAt => time(card.due_at),
            Field::CreatedAt => time(Some(card.created_at)),
            Field::UpdatedAt => time(Some(card.updated_at)),
            Field::ClosedAt => time(card.closed_at),
            Field::Claimed | Field::ChildrenAllDone | Field::DueInDays | Field::Overdue | Field::AgeDays | Field::StaleDays => Fact::Missing,
        }
    }
}

/// What is looked in for words: id, title, labels and assignee as one text, the holder as another.
fn words(card: &TaskCard) -> Vec<String> {
    let assignee = card.assignee.as_ref().map_or("", |actor| actor.as_str());
    let own = format!("{} {} {} {assignee}", card.id, card.title, card.labels.join(" "));
    std::iter::once(own).chain(card.lease.as_ref().map(|lease| lease.actor.to_string())).collect()
}
