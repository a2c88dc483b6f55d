//! `callboard import`: a board that was kept elsewhere is brought in, or with `--dry-run` only counted.

use super::desk::Desk;
use super::out::{Row, Tone};
use super::{Exit, text};
use crate::import::{self, Imported, Manner, Source};
use clap::Args;
use contracts::{Caller, Problem, Surface};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Arguments of `import`.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// Read the board at PATH: a file, or a folder that holds it
    #[arg(value_name = "PATH")]
    path: PathBuf,
    /// Take it for a log, beads or backlog instead of looking
    #[arg(long, value_name = "SOURCE", value_parser = Source::parse)]
    from: Option<Source>,
    /// Say what would come of it and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Take lines whose hash does not match too, marked as unverified
    #[arg(long)]
    force: bool,
    /// Let open tasks of beads or backlog in as ready instead of held
    #[arg(long)]
    ready: bool,
}

/// Lines of each list that are shown.
const SHOWN: usize = 10;
/// Characters of a value that are shown.
const BRIEF_CHARS: usize = 40;

/// Imports and says what came of it.
pub async fn run(desk: &mut Desk, args: &ImportArgs) -> Result<Exit, Problem> {
    let caller = Caller { actor: desk.actor.clone(), principal: desk.boot.identity.principal.clone(), surface: Surface::Cli, session: None, client: None };
    let manner = Manner { from: args.from, dry_run: args.dry_run, force: args.force, ready: args.ready };
    let done = import::import(&desk.boot, &caller, &args.path, manner).await?;
    if desk.out.manner.json {
        document(desk, &done, args.dry_run)?
    } else {
        told(desk, &done, args.dry_run)
    }
    Ok(Exit::Done)
}

fn document(desk: &mut Desk, done: &Imported, dry_run: bool) -> Result<(), Problem> {
    let Imported { board, adopted, differing, reports, leftovers } = done;
    let differing: Vec<_> =
        differing.iter().map(|one| json!({"task": one.task, "source": one.name, "field": one.field, "here": one.here, "there": one.there})).collect();
    let unusable: Vec<_> = board.unusable.iter().map(|one| json!({"file": one.file, "line": one.line, "reason": one.reason.as_str()})).collect();
    let leftovers: Vec<_> = leftovers.iter().map(|(file, line)| json!({"file": file, "line": line})).collect();
    desk.out.document(&json!({
        "dry_run": dry_run, "format": board.format, "lines": board.lines, "imported": adopted.new, "known": adopted.known, "skipped": board.skipped, "differing": differing,
        "quarantined": unusable, "inert": board.inert, "warnings": board.warnings, "reports": reports, "leftovers": leftovers,
    }))
}

fn told(desk: &mut Desk, done: &Imported, dry_run: bool) {
    let Imported { board, adopted, differing, reports, leftovers } = done;
    let out = &mut desk.out;
    let many = |count: usize, noun: &str| text::count(i64::try_from(count).unwrap_or(i64::MAX), noun);
    let noun = if board.format == "backlog" { "file" } else { "line" };
    let total: i64 = adopted.new.values().sum();
    let verb = if dry_run { "would import" } else { "imported" };
    let known = if adopted.known > 0 { format!(", {} were here", adopted.known) } else { String::new() };
    out.row(Row::new().plain(format!("read {} of the {} form: {verb} {}{known}", many(board.lines, noun), board.format, text::count(total, "event"))));
    for (kind, count) in &adopted.new {
        out.row(Row::new().dim(format!("  {count:>6}  ")).plain(kind.as_str()));
    }
    let skipped: usize = board.skipped.values().sum();
    if skipped > 0 {
        out.row(format!("left out {skipped}"));
        for (why, count) in &board.skipped {
            out.row(Row::new().dim(format!("  {count:>6}  ")).plain(why.as_str()));
        }
    }
    if !board.unusable.is_empty() {
        let place = if dry_run { "can't be used" } else { "can't be used and are in quarantine" };
        out.row(Row::new().add(Tone::Warn, format!("{} {place}", many(board.unusable.len(), noun))));
        for one in board.unusable.iter().take(SHOWN) {
            out.row(format!("  {}:{} {}", one.file, one.line, one.reason));
        }
        more(out, board.unusable.len());
    }
    if !board.inert.is_empty() {
        out.row(format!("{} would close a loop and do not count", many(board.inert.len(), "edge")));
        for (task, on) in board.inert.iter().take(SHOWN) {
            out.row(format!("  {task} waits for {on}"));
        }
        more(out, board.inert.len());
    }
    if !differing.is_empty() {
        out.row(Row::new().add(Tone::Warn, format!("{} changed there since, and otherwise here; what is here stays", many(differing.len(), "field"))));
        for one in differing.iter().take(SHOWN) {
            let row = Row::new().plain("  ").strong(one.task.as_str()).plain(format!(" {} {}", one.name, one.field));
            out.row(row.dim(format!("  here {}, there {}", brief(&one.here), brief(&one.there))));
        }
        more(out, differing.len());
        out.notice("note: callboard tasks edit ID takes over what you want from there");
    }
    for warning in board.warnings.iter().take(SHOWN) {
        out.notice(&format!("note: {}", text::flat(warning)));
    }
    if board.warnings.len() > SHOWN {
        out.notice(&format!("note: and {} more like these; --json has them all", board.warnings.len() - SHOWN));
    }
    if !reports.is_empty() {
        out.row(format!("{} {}: {}", if dry_run { "would copy" } else { "copied" }, many(reports.len(), "report"), reports.join(" ")));
    }
    if !leftovers.is_empty() {
        out.row("still wired to the old tool, for you to remove:");
        for (file, line) in leftovers {
            out.row(Row::new().plain(format!("  {file}")).dim(format!("  {line}")));
        }
    }
    let held = board.facts.iter().filter(|fact| fact.body.contains_key("held")).count();
    if held > 0 && total > 0 {
        let way = if dry_run { "--ready lets them in at once" } else { "callboard tasks unhold ID lets one go" };
        out.notice(&format!(
            "note: {} held until a person has looked; {way}",
            if held == 1 { "1 open task is".to_owned() } else { format!("{held} open tasks are") }
        ));
    }
    if dry_run {
        out.notice("nothing was changed; without --dry-run it is imported");
    }
}

/// A value on one line, cut.
fn brief(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let line = text::flat(&text);
    match line.char_indices().nth(BRIEF_CHARS) {
        Some((at, _)) => format!("\"{}…\"", &line[..at]),
        None => format!("\"{line}\""),
    }
}

fn more(out: &mut super::out::Out, count: usize) {
    if count > SHOWN {
        out.row(Row::new().dim(format!("  +{} more: --json has them all", count - SHOWN)));
    }
}
