//! Who acts on the command line: `--actor`, `CALLBOARD_ACTOR`, git's e-mail, the system's user.

use contracts::{Actor, ActorKind, Call, Code, Hint, Problem};

pub use crate::boot::ACTOR_VARIABLE as VARIABLE;

/// What the variable holds; what is not UTF-8 comes as something that is no actor either, and is refused like it.
pub fn variable() -> Option<String> {
    std::env::var_os(VARIABLE).map(|raw| raw.to_string_lossy().into_owned())
}

/// The first that is given. A given one is never repaired, and what an agent started acts as no person.
///
/// # Errors
/// `bad_request` for a malformed actor, `forbidden` for a person named where an agent acts, or for a part of Callboard itself.
pub fn acts(flag: Option<&str>, variable: Option<&str>, derived: &Actor) -> Result<Actor, Problem> {
    let surrounding = variable.filter(|raw| !raw.is_empty()).map(|raw| parse(VARIABLE, raw)).transpose()?;
    let named = flag.map(|raw| parse("--actor", raw)).transpose()?;
    if let (Some(named), Some(agent)) = (&named, &surrounding)
        && agent.is_agent()
        && named.is_dev()
    {
        return Err(Problem::new(Code::Forbidden, format!("this command runs as {agent}, which can't act as {named}"))
            .detail("What only people decide, a person does in a terminal of their own or in the browser.")
            .hint(Hint {
                text: "leave out --actor, or ask them".to_owned(),
                calls: vec![Call::new("message").with("to", named.as_str()).with("text", "<what you need>")],
            }));
    }
    Ok(named.or(surrounding).unwrap_or_else(|| derived.clone()))
}

/// What says that an agent gives this command: its actor, or a variable that agents' programs and our own workers set for what they start.
pub fn agent_around(actor: &Actor, is_set: &dyn Fn(&str) -> bool) -> Option<String> {
    if actor.is_agent() {
        return Some(actor.to_string());
    }
    [crate::run::MARK, "CLAUDECODE"].into_iter().find(|name| is_set(name)).map(|name| format!("an agent's shell ({name} is set)"))
}

fn parse(from: &str, raw: &str) -> Result<Actor, Problem> {
    let actor = Actor::parse(raw).map_err(|fault| Problem::bad_request(from, fault))?;
    if actor.kind() == ActorKind::System {
        return Err(Problem::new(Code::Forbidden, format!("{from}: {actor} is a part of Callboard, nobody acts as it")));
    }
    Ok(actor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(flag: Option<&str>, variable: Option<&str>) -> Result<String, Code> {
        acts(flag, variable, &Actor::dev_named("ada")).map(|actor| actor.to_string()).map_err(|problem| problem.code)
    }

    #[test]
    fn the_first_that_is_given_acts() {
        assert_eq!(said(None, None), Ok("dev:ada".into()));
        assert_eq!(said(None, Some("")), Ok("dev:ada".into()));
        assert_eq!(said(None, Some("agent:ada/w1")), Ok("agent:ada/w1".into()));
        assert_eq!(said(Some("dev:bo"), None), Ok("dev:bo".into()));
        assert_eq!(said(Some("agent:ada/w2"), Some("agent:ada/w1")), Ok("agent:ada/w2".into()));
        assert_eq!(said(Some("dev:bo"), Some("dev:ada")), Ok("dev:bo".into()));
    }

    #[test]
    fn an_agent_is_known_by_its_name_and_by_what_its_program_sets() {
        let (ada, worker) = (Actor::dev_named("ada"), Actor::agent_named("ada", "w1"));
        assert_eq!(agent_around(&ada, &|_| false), None);
        assert_eq!(agent_around(&worker, &|_| false).as_deref(), Some("agent:ada/w1"));
        for name in ["CLAUDECODE", "CALLBOARD_WORKER"] {
            assert!(agent_around(&ada, &|asked| asked == name).is_some_and(|text| text.contains(name)));
        }
    }

    #[test]
    fn a_malformed_name_is_refused_and_an_agent_is_no_person() {
        assert_eq!(said(Some("bo"), None), Err(Code::BadRequest));
        assert_eq!(said(None, Some("bo")), Err(Code::BadRequest));
        assert_eq!(said(Some("dev:bo"), Some("bo")), Err(Code::BadRequest));
        assert_eq!(said(Some("dev:ada"), Some("agent:ada/w1")), Err(Code::Forbidden));
        assert_eq!(said(Some("system:demo"), None), Err(Code::Forbidden));
    }
}
