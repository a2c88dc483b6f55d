//! `callboard mcp`: the board's tools for one agent session over stdin and stdout. stdout is the protocol's alone.

mod late;

use super::out::Out;
use super::{Exit, Globals, who};
use crate::{boot, sessions};
use clap::ValueEnum;
use contracts::{Actor, Board, Caller, Code, Hint, Problem};
use late::Late;
use std::sync::Arc;

/// Arguments of `mcp`.
#[derive(Debug, clap::Args)]
pub struct McpArgs {
    /// Offer only the tools of this set
    #[arg(long, value_enum, value_name = "SET", conflicts_with = "headers")]
    tools: Option<Set>,
    /// Print the headers an HTTP client sends, as JSON, and end
    #[arg(long)]
    headers: bool,
}

/// The sets that can be asked for.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Set {
    /// The board's own
    Board,
}

/// Serves until the client closes its end.
pub async fn run(globals: &Globals, mut out: Out, args: McpArgs) -> Result<Exit, Problem> {
    if args.headers {
        return headers(globals, &mut out);
    }
    let variable = who::variable();
    let place = boot::find_place(globals.project.as_deref()).ok();
    let identity = boot::identity(place.as_ref().and_then(git::Place::repository).as_ref());
    let named = who::acts(globals.actor.as_deref(), variable.as_deref(), &identity.dev)?;
    let late = Arc::new(Late::new(globals.project.clone()));
    let dev = identity.dev.name().to_owned();
    // A name is taken where the board is; without one there is nothing to be told apart on.
    let directory = place.filter(|place| place.project).map(|place| place.directory());
    let (actor, kept) = if named.is_agent() { (named, None) } else { sessions::name(directory.as_deref(), &dev) };
    // A name that is locked is this process's alone: whoever had it before is gone, and nobody has to be told apart from it.
    let id = kept.is_none().then(|| format!("{:032x}", boot::random_bits()));
    let session = mcp::Session { principal: identity.principal, actor, id };
    let set = args.tools.map_or(mcp::Set::All, |Set::Board| mcp::Set::Board);
    let boards = late.clone();
    let tools = mcp::Tools::new(set, move |caller: Caller| -> Arc<dyn Board> { boards.for_caller(caller) });
    let served = mcp::serve_stdio(tools, session).await;
    drop(kept);
    served.map(|()| Exit::Done).map_err(|fault| Problem::new(Code::Internal, format!("the client's pipe broke: {}", fault.kind())))
}

/// `{"Authorization": "Bearer …"}`, and who acts when the environment names an agent.
fn headers(globals: &Globals, out: &mut Out) -> Result<Exit, Problem> {
    let place = boot::find_place(globals.project.as_deref())?;
    let read = std::fs::read_to_string(place.directory().join("mcp-token")).ok();
    let token = read.map(|text| text.trim_end().to_owned()).filter(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic()));
    let Some(token) = token else {
        return Err(Problem::new(Code::Unauthorized, "there is no token for agents yet").hint(Hint::text("callboard ui makes one when it starts")));
    };
    let mut headers = serde_json::Map::new();
    headers.insert("Authorization".to_owned(), format!("Bearer {token}").into());
    if let Some(raw) = who::variable().filter(|raw| !raw.is_empty()) {
        let actor = Actor::parse(&raw).map_err(|fault| Problem::bad_request(who::VARIABLE, fault))?;
        if actor.is_agent() {
            headers.insert(mcp::ACTOR_HEADER.to_owned(), actor.as_str().into());
        }
    }
    out.document(&headers)?;
    out.flush().map(|()| Exit::Done)
}
