//! `POST /do`: the pages' own forms, which work without scripts. Done leads back to the page; refused is the page again, with the
//! problem and what was typed.

use super::doors::Host;
use super::refused::Answered;
use super::{RequestId, Site, body, pages, query};
use axum::Extension;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use contracts::command::parse_args;
use contracts::standing::Column;
use contracts::view::RefusedForm;
use contracts::{Board, Caller, Code, CommandRequest, Key, Note, Problem, TaskId, moves};
use serde::Deserialize;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Fields that say where a form goes, not what it says.
const ENVELOPE: [&str; 3] = ["command", "key", "back"];

/// `POST /do`.
///
/// # Errors
/// What [`body::form`] refuses; a refusal of the board is a page.
pub async fn submit(
    State(site): State<Arc<Site>>,
    Extension(caller): Extension<Caller>,
    Extension(host): Extension<Host>,
    Extension(id): Extension<RequestId>,
    request: Request,
) -> Answered {
    let cookies = request.headers().get(header::COOKIE).cloned();
    let fields = query::decoded(&body::form(request).await?)?;
    let back = in_app(field(&fields, "back"));
    let board = site.boards.for_caller(caller.clone());
    let Err(mut problem) = carried_out(&*board, &fields).await else { return Ok(see_other(&back)) };
    if problem.code == Code::Internal {
        tracing::error!(incident = %problem.incident.get_or_insert(id.0), title = %problem.title, "a form failed");
    }
    let refusal = RefusedForm { command: field(&fields, "command").to_owned(), fields: typed(&fields), problem };
    Ok(pages::refused(&site, caller, &host, &back, cookies, refusal).await)
}

/// The page a form came from, holding what was typed: it was not looked at, for the reason the problem gives.
///
/// # Errors
/// `bad_request` for a body that is no form.
pub async fn unsent(site: &Site, host: &Host, cookies: Option<HeaderValue>, sent: &str, problem: Problem) -> Answered {
    let fields = query::decoded(sent)?;
    let refusal = RefusedForm { command: field(&fields, "command").to_owned(), fields: typed(&fields), problem };
    Ok(pages::refused(site, site.person.caller(), host, &in_app(field(&fields, "back")), cookies, refusal).await)
}

async fn carried_out(board: &dyn Board, fields: &[(String, String)]) -> Result<(), Problem> {
    let mut requests = if field(fields, "command") == "move" { moved(board, fields).await? } else { read(board, fields).await? };
    match requests.len() {
        0 => {} // sent again: it is done
        1 => drop(board.execute(requests.remove(0)).await?),
        _ => drop(board.execute_all(requests).await?),
    }
    Ok(())
}

/// The commands a form names. A bare date means the end of that day in the project's zone, which is asked for only then.
async fn read(board: &dyn Board, fields: &[(String, String)]) -> Result<Vec<CommandRequest>, Problem> {
    let dated = fields.iter().filter(|(name, value)| name == "due_at" && !value.trim().is_empty() && !value.contains('T'));
    let mut ends = BTreeMap::new();
    for (_, date) in dated {
        match board.day_end(date.trim().to_owned()).await {
            Ok(end) => drop(ends.insert(date.trim(), end.to_string())),
            // What is no date is refused with the rest of the form.
            Err(problem) if problem.code == Code::BadRequest => {}
            Err(problem) => return Err(problem),
        }
    }
    app::forms::read(fields, &|date| ends.get(date.trim()).cloned())
}

/// `command=move`: a card dropped on a column.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Moved {
    task: TaskId,
    to: Column,
    #[serde(default)]
    note: Note,
    #[serde(default)]
    no_code: String,
}

async fn moved(board: &dyn Board, fields: &[(String, String)]) -> Result<Vec<CommandRequest>, Problem> {
    let own = fields.iter().filter(|(name, _)| !ENVELOPE.contains(&name.as_str()));
    let own: Map<String, Value> = own.map(|(name, value)| (name.clone(), value.as_str().into())).collect();
    let asked: Moved = parse_args(Value::Object(own))?;
    // Which commands a move comes to depends on where the card lies, and once it is done that is elsewhere. So the key is of the form, and a
    // form that was answered is not read as commands again.
    let key = match field(fields, "key") {
        "" => None,
        key => Some(key_of_form(key, fields)?),
    };
    if let Some(key) = &key
        && board.has_answered(key.clone()).await?
    {
        return Ok(Vec::new());
    }
    let card = board.task(asked.task).await?.card;
    let no_code = matches!(asked.no_code.as_str(), "true" | "on" | "yes" | "1");
    let commands = moves::commands_for(&card, asked.to, &asked.note, no_code)?;
    let with_key = |(place, command)| {
        let key = match (&key, place) {
            (Some(key), 0) => Some(key.clone()),
            (Some(key), place) => Some(Key::parse(&format!("{}.{place}", key.as_str())).map_err(|fault| Problem::bad_request("key", fault))?),
            (None, _) => None,
        };
        Ok(CommandRequest { key, ..CommandRequest::of(command) })
    };
    commands.into_iter().enumerate().map(with_key).collect()
}

/// The key of a form with all that it says.
fn key_of_form(key: &str, fields: &[(String, String)]) -> Result<Key, Problem> {
    let said: Vec<&(String, String)> = fields.iter().filter(|(name, _)| name != "back").collect();
    let digest = Sha256::digest(serde_json::json!(said).to_string());
    let digits: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    Key::parse(&format!("{key}.{digits}")).map_err(|fault| Problem::bad_request("key", fault))
}

fn field<'a>(fields: &'a [(String, String)], name: &str) -> &'a str {
    fields.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value.as_str())
}

/// What was typed, by field; one that came several times is one a line.
fn typed(fields: &[(String, String)]) -> BTreeMap<String, String> {
    let mut typed = BTreeMap::<String, String>::new();
    for (name, value) in fields.iter().filter(|(name, _)| !ENVELOPE.contains(&name.as_str())) {
        typed.entry(name.clone()).and_modify(|text| text.extend(["\n", value])).or_insert_with(|| value.clone());
    }
    typed
}

/// The path, if it leads into this app and nowhere else; else the board.
pub fn in_app(path: &str) -> String {
    let inside =
        path.starts_with('/') && !path.starts_with("//") && !path.chars().any(|character| character == '\\' || character.is_control() || character == ' ');
    if !inside {
        return "/".to_owned();
    }
    let mut address = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii() { address.push(char::from(byte)) } else { address.push_str(&format!("%{byte:02X}")) }
    }
    address
}

/// 303 to an in-app path.
pub fn see_other(path: &str) -> Response {
    let location = HeaderValue::from_str(path).unwrap_or(HeaderValue::from_static("/"));
    (StatusCode::SEE_OTHER, [(header::LOCATION, location)]).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_path_of_ours_is_gone_back_to() {
        for (path, back) in [
            ("/t/tk-4f2a9c?q=a#b", "/t/tk-4f2a9c?q=a#b"),
            ("/?q=café", "/?q=caf%C3%A9"),
            ("//evil", "/"),
            ("/\\evil", "/"),
            ("https://evil", "/"),
            ("javascript:alert(1)", "/"),
            ("/a\r\nSet-Cookie: x=y", "/"),
            ("/\t/evil", "/"),
            ("\t//evil", "/"),
            ("", "/"),
        ] {
            assert_eq!(in_app(path), back, "{path:?}");
        }
    }

    #[test]
    fn what_was_typed_is_kept_without_the_envelope() {
        let fields =
            [("command", "edit"), ("labels", "a"), ("labels", "b"), ("key", "k"), ("back", "/")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(typed(&fields), BTreeMap::from([("labels".to_owned(), "a\nb".to_owned())]));
    }
}
