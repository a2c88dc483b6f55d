//! `callboard init`: what was created, already there, repaired or kept, and how agents are connected.

use super::out::{Out, Row, Tone};
use super::{Exit, Globals, when, who};
use crate::boot;
use crate::init::{self, Did, InitOptions, Step};
use contracts::{Code, Hint, Problem};
use serde_json::json;

/// Arguments of `init`.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct InitArgs {
    /// Leave the agent client's settings and AGENTS.md alone
    #[arg(long)]
    no_client: bool,
    /// Leave git's hooks alone
    #[arg(long, conflicts_with = "hooks")]
    no_hooks: bool,
    /// Where hooks are in the tree, add our line to those committed files
    #[arg(long, value_enum, value_name = "WHERE")]
    hooks: Option<HooksWhere>,
    /// Use this IANA time zone instead of the machine's
    #[arg(long, value_name = "Z", value_parser = zone)]
    zone: Option<String>,
    /// Take our hooks and our entries in the agent client's settings out; the board in .callboard/ stays
    #[arg(long, conflicts_with_all = ["no_client", "no_hooks", "hooks", "zone"])]
    remove: bool,
}

/// Where a line of ours may go.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum HooksWhere {
    /// Into the committed hooks of the tree
    Tracked,
}

fn zone(raw: &str) -> Result<String, String> {
    if when::is_zone(raw) { Ok(raw.to_owned()) } else { Err(format!("{raw:?} is no time zone this machine knows, like Europe/Berlin or UTC")) }
}

/// The line that registers the tools with a client that reads no `.mcp.json`.
const REGISTER: &str = "claude mcp add callboard -- callboard mcp";

/// Makes the board, repairs it, or takes the client's entry out.
pub async fn run(globals: &Globals, out: &mut Out, args: InitArgs) -> Result<Exit, Problem> {
    let place = init::place(globals.project.as_deref())?;
    if args.remove {
        let steps = init::remove(&place)?;
        return report(out, &steps, false).map(|()| Exit::Done);
    }
    let identity = boot::identity(place.repository().as_ref());
    let actor = who::acts(globals.actor.as_deref(), who::variable().as_deref(), &identity.dev)?;
    if actor.is_agent() {
        return Err(Problem::new(Code::Forbidden, "a board is made by a person").hint(Hint::text("ask them to run callboard init")));
    }
    if place.common_dir.is_none() {
        out.notice("this is no git repository: the board is kept here, and git carries it nowhere");
    }
    let zone = args.zone.unwrap_or_else(when::machine_zone);
    let mode = if args.hooks.is_some() { git::hooks::Mode::Tracked } else { git::hooks::Mode::Local };
    let options = InitOptions { actor, zone, client: !args.no_client, hooks: (!args.no_hooks).then_some(mode) };
    let steps = init::init(&place, options).await?;
    report(out, &steps, true)?;
    Ok(Exit::Done)
}

fn report(out: &mut Out, steps: &[Step], made: bool) -> Result<(), Problem> {
    if out.manner.json {
        let steps: Vec<_> = steps.iter().map(|step| json!({"what": step.what, "did": step.did.as_str(), "note": step.note})).collect();
        return out.document(&json!({"steps": steps, "register": REGISTER}));
    }
    for step in steps {
        let tone = match step.did {
            Did::Created | Did::Repaired | Did::Removed => Tone::Good,
            Did::Already => Tone::Dim,
            Did::Kept => Tone::Warn,
        };
        let row = Row::new().add(tone, format!("{:<9}", step.did.as_str())).plain(step.what.clone());
        out.row(if step.note.is_empty() { row } else { row.dim(format!("  {}", step.note)) });
    }
    if made {
        out.gap();
        out.row(Row::new().dim("an agent client that reads no .mcp.json is connected with"));
        out.row(format!("  {REGISTER}"));
        out.row(Row::new().dim("and then"));
        out.row("  callboard tasks add 'What is to be done'");
        out.row("  callboard ui");
    }
    Ok(())
}
