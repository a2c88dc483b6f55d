//! Words of the command line that are shorter than what they stand for.

use contracts::{Actor, MilestoneId, TaskId};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// How the refusal of what is no task's id names the form of one.
pub const TASK_FORM: &str = "tk-000000";
/// The same for a milestone's.
pub const MILESTONE_FORM: &str = "ms-000000";

thread_local! {
    /// Short names of this line that were looked up, with the ids they stand for.
    static NOTED: RefCell<BTreeMap<String, String>> = const { RefCell::new(BTreeMap::new()) };
}

/// Notes what a short name stands for; false when that was known.
pub fn note(raw: &str, id: &str) -> bool {
    NOTED.with_borrow_mut(|noted| noted.insert(raw.to_owned(), id.to_owned()).is_none())
}

fn noted(raw: &str) -> Option<String> {
    NOTED.with_borrow(|noted| noted.get(raw).cloned())
}

/// A task's id, with or without its `tk-`, or what was noted for it.
pub fn task(raw: &str) -> Result<TaskId, String> {
    let lower = noted(raw).unwrap_or_else(|| raw.to_ascii_lowercase());
    TaskId::parse(&lower).or_else(|fault| TaskId::parse(&format!("tk-{lower}")).map_err(|_| fault))
}

/// A milestone's id, or what was noted for a title.
pub fn milestone(raw: &str) -> Result<MilestoneId, String> {
    MilestoneId::parse(&noted(raw).unwrap_or_else(|| raw.to_owned()))
}

/// An actor, or `me`: whoever gives the command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whom {
    /// Whoever gives the command.
    Me,
    /// This one.
    Named(Actor),
}

impl Whom {
    /// Reads it.
    pub fn parse(raw: &str) -> Result<Whom, String> {
        if raw == "me" { Ok(Whom::Me) } else { Actor::parse(raw).map(Whom::Named).map_err(|fault| format!("{fault}; or me")) }
    }

    /// Who that is when `me` gives the command.
    pub fn of(&self, me: &Actor) -> Actor {
        match self {
            Whom::Me => me.clone(),
            Whom::Named(actor) => actor.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_one_with_or_without_its_prefix() {
        for raw in ["tk-4f2a9c", "4f2a9c", "TK-4F2A9C"] {
            assert_eq!(task(raw).map(|id| id.to_string()), Ok("tk-4f2a9c".to_owned()), "{raw}");
        }
        assert_eq!(task("4f2"), Err("\"4f2\" is not of the form tk-000000".to_owned()));
    }

    #[test]
    fn me_is_whoever_gives_the_command() {
        let me = Actor::dev_named("ada");
        assert_eq!(Whom::parse("me").map(|whom| whom.of(&me)), Ok(me.clone()));
        assert_eq!(Whom::parse("agent:ada/w1").map(|whom| whom.of(&me).to_string()), Ok("agent:ada/w1".to_owned()));
        assert!(Whom::parse("ada").unwrap_err().ends_with("; or me"));
    }
}
