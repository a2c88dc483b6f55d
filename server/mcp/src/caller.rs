//! Who acts. The principal comes from the transport and never from input; the actor is declared, and must be an agent.

use contracts::{Actor, ActorKind, Call, Caller, Code, Hint, Problem, Surface};
use http::HeaderMap;
use serde_json::{Map, Value};

/// The header that names the agent of an HTTP client.
pub const ACTOR_HEADER: &str = "Callboard-Actor";

/// The last part of the name that every HTTP client has which gives none: `agent:<dev>/http`.
pub const UNNAMED: &str = "http";

/// Who is behind an HTTP request, put into its extensions by the server's doors after they checked the credential. A request
/// without it is `unauthorized`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpPrincipal {
    /// `local:<os user>`, `user:<id>`, …
    pub principal: String,
    /// Who acts when the call names nobody: `agent:<dev>/http`.
    pub actor: Actor,
}

/// Who is behind a stdio session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// `local:<os user>`, …
    pub principal: String,
    /// Who acts when the call names nobody: `CALLBOARD_ACTOR`, or the name this session took.
    pub actor: Actor,
    /// Tells two holders of one name apart.
    pub id: Option<String>,
}

/// What a transport knows about the one who calls.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub principal: String,
    pub actor: Actor,
    pub session: Option<String>,
}

impl Known {
    /// Of a stdio session.
    pub fn of_session(session: &Session) -> Known {
        Known { principal: session.principal.clone(), actor: session.actor.clone(), session: session.id.clone() }
    }

    /// Of an HTTP request.
    pub fn of_request(parts: &http::request::Parts) -> Result<Known, Problem> {
        let Some(known) = parts.extensions.get::<McpPrincipal>() else {
            return Err(Problem::new(Code::Unauthorized, "No credential came with this call").hint(Hint::text("send Authorization: Bearer <token>")));
        };
        let actor = header_actor(&parts.headers)?.unwrap_or_else(|| known.actor.clone());
        Ok(Known { principal: known.principal.clone(), actor, session: None })
    }
}

/// The header's agent; a header that names a person or a part of Callboard names nobody here, as `CALLBOARD_ACTOR` does.
fn header_actor(headers: &HeaderMap) -> Result<Option<Actor>, Problem> {
    let Some(value) = headers.get(ACTOR_HEADER) else { return Ok(None) };
    let raw = value.to_str().map_err(|_| malformed(ACTOR_HEADER, "is not plain text".into()))?;
    let actor = Actor::parse(raw.trim()).map_err(|fault| malformed(ACTOR_HEADER, fault))?;
    Ok(actor.is_agent().then_some(actor))
}

fn malformed(place: &str, fault: String) -> Problem {
    Problem::bad_request(place, fault).hint(Hint::text("name yourself agent:<person>/<name>, or leave it out"))
}

/// The caller of one tool call: its `actor` argument, else what the transport knows.
pub(crate) fn caller(known: Known, args: &Map<String, Value>, client: Option<String>) -> Result<Caller, Problem> {
    let actor = match args.get("actor") {
        None | Some(Value::Null) => known.actor,
        Some(Value::String(raw)) => Actor::parse(raw).map_err(|fault| malformed("actor", fault))?,
        Some(other) => return Err(malformed("actor", format!("is text like agent:<person>/<name>, not {other}"))),
    };
    if actor.kind() != ActorKind::Agent {
        let example = Actor::agent_named(actor.dev().unwrap_or("ana"), "main");
        return Err(Problem::new(Code::Forbidden, format!("{actor} is no agent, and these tools are for agents"))
            .detail("People use the web page or the command line.")
            .hint(Hint::call(Call::new("next").with("actor", example.as_str()))));
    }
    Ok(Caller { actor, principal: known.principal, surface: Surface::Mcp, session: known.session, client })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn known() -> Known {
        Known { principal: "local:ana".into(), actor: Actor::agent_named("ana", "main"), session: None }
    }

    fn said(args: Value) -> Result<String, Code> {
        let Value::Object(args) = args else { panic!() };
        caller(known(), &args, None).map(|caller| caller.actor.to_string()).map_err(|problem| problem.code)
    }

    #[test]
    fn agents_act_and_nobody_else() {
        assert_eq!(said(json!({})), Ok("agent:ana/main".into()));
        assert_eq!(said(json!({"actor": "agent:bo/w1"})), Ok("agent:bo/w1".into()));
        for (actor, code) in
            [(json!("dev:ana"), Code::Forbidden), (json!("system:x"), Code::Forbidden), (json!("ana"), Code::BadRequest), (json!(1), Code::BadRequest)]
        {
            assert_eq!(said(json!({"actor": actor})), Err(code));
        }
    }

    #[test]
    fn a_header_names_an_agent_or_nobody() {
        let of = |raw: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACTOR_HEADER, raw.parse().unwrap());
            header_actor(&headers).map(|actor| actor.map(|actor| actor.to_string())).map_err(|problem| problem.code)
        };
        assert_eq!(of("agent:bo/w1"), Ok(Some("agent:bo/w1".into())));
        assert_eq!(of("dev:bo"), Ok(None));
        assert_eq!(of("Bo"), Err(Code::BadRequest));
    }
}
