//! Words of the command line that are shorter than what they stand for.

use contracts::{Actor, TaskId};

/// A task's id, with or without its `tk-`.
pub fn task(raw: &str) -> Result<TaskId, String> {
    let lower = raw.to_ascii_lowercase();
    TaskId::parse(&lower).or_else(|fault| TaskId::parse(&format!("tk-{lower}")).map_err(|_| fault))
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
