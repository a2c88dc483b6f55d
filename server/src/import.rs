//! Boards that were kept elsewhere: recognised, read without touching them, and worded as facts of this one.
//!
//! Invariants: the source is only read. Nothing is guessed: what can't be read is named with its place and its reason, and what has no
//! counterpart here stays in the history as it was. The same source gives the same facts everywhere, so importing twice adds nothing.

mod again;
mod backlog;
mod beads;
mod facts;
mod issues;
mod taskops;
mod yaml;

use crate::boot::Boot;
use again::Differing;
use contracts::{Caller, Code, Hint, Problem};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use storage::encoding::Reason;
use storage::{Adopted, AdoptedTask, Adoption, Fact};

/// A longer file than this is not read, bytes.
const FILE_BYTES_MAX: u64 = 256 << 20;

/// The boards that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// An append-only log, `.taskops/events.jsonl`, in either of its two line formats.
    Log,
    /// An export of beads, `.beads/issues.jsonl`.
    Beads,
    /// A folder of Backlog.md, `backlog/`.
    Backlog,
}

impl Source {
    /// Every source.
    pub const ALL: [Source; 3] = [Source::Log, Source::Beads, Source::Backlog];

    /// The word on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Source::Log => "log",
            Source::Beads => "beads",
            Source::Backlog => "backlog",
        }
    }

    /// Reads the word.
    ///
    /// # Errors
    /// Names the legal ones.
    pub fn parse(raw: &str) -> Result<Source, String> {
        let legal = Source::ALL.map(Source::as_str).join(", ");
        Source::ALL.into_iter().find(|source| source.as_str() == raw).ok_or_else(|| format!("a source is one of {legal}"))
    }

    /// How what belongs to the old tool is told in hooks and settings.
    fn marks(self) -> &'static [&'static str] {
        match self {
            Source::Log => &["taskops"],
            Source::Beads => &["bd hook", "bd sync", "bd prime", "beads"],
            Source::Backlog => &["backlog mcp", "backlog.md"],
        }
    }
}

/// A line or file that can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable {
    /// The file, as it is called in its folder.
    pub file: String,
    /// The line; 0 for the whole file.
    pub line: u64,
    /// Why.
    pub reason: Reason,
    /// As it stands.
    pub bytes: Vec<u8>,
}

/// A board that was read.
#[derive(Debug, Default)]
pub struct Board {
    /// Which form it has: `short`, `long`, `short and long`, `beads`, `backlog`.
    pub format: String,
    /// Lines, or files where each is a task.
    pub lines: usize,
    /// In order of time.
    pub facts: Vec<Fact>,
    /// What has no counterpart and is not kept, with how often.
    pub skipped: BTreeMap<String, usize>,
    /// What can't be used.
    pub unusable: Vec<Unusable>,
    /// Edges that would close a loop: who waits, and for what.
    pub inert: Vec<(String, String)>,
    /// What was changed to fit, in sentences.
    pub warnings: Vec<String>,
    /// The source's first name: tells one source from another.
    pub first: String,
    /// Reports beside it.
    pub reports: Vec<PathBuf>,
    /// SHA-256 of what was read.
    pub sha256: String,
}

/// What an import came to, or would.
#[derive(Debug)]
pub struct Imported {
    /// What was read.
    pub board: Board,
    /// What became of its facts.
    pub adopted: Adopted,
    /// What was changed there since it was imported, and is otherwise here.
    pub differing: Vec<Differing>,
    /// Labels of the reports that were copied, or would be.
    pub reports: Vec<String>,
    /// What of the old tool is still wired: file, and the line that says so.
    pub leftovers: Vec<(String, String)>,
}

/// How to import.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manner {
    /// What it is; recognised by itself when absent.
    pub from: Option<Source>,
    /// Changes nothing.
    pub dry_run: bool,
    /// Takes lines whose hash does not match, marked as unverified.
    pub force: bool,
    /// Lets open issues of a tracker in without a hold.
    pub ready: bool,
}

/// Ids that are taken here.
#[derive(Debug, Default)]
pub struct Taken {
    /// What was imported before: its name there, and the task here as it was there then.
    adopted: HashMap<String, AdoptedTask>,
    /// Every task.
    tasks: HashSet<String>,
}

/// Imports what lies at `path`.
///
/// # Errors
/// `forbidden` for an agent, `not_found` when nothing is recognised there, `bad_request` for ids that clash, and as writing refuses.
pub async fn import(boot: &Boot, caller: &Caller, path: &Path, manner: Manner) -> Result<Imported, Problem> {
    if !caller.actor.is_dev() {
        return Err(
            Problem::new(Code::Forbidden, "only a person imports a board").hint(Hint::text(format!("ask one to run callboard import '{}'", path.display())))
        );
    }
    let (source, found) = find(path, manner.from)?;
    let (adopted, tasks) = boot.store.adopted_tasks().await.map_err(|fault| fault.problem())?;
    let taken = Taken { adopted, tasks };
    let mut board = match source {
        Source::Log => taskops::read(&found, manner.force)?,
        Source::Beads => beads::read(&found, manner.ready, &taken)?,
        Source::Backlog => backlog::read(&found, manner.ready, &taken)?,
    };
    // A log has its edits; a tracker only says how things stand.
    let differing = if source == Source::Log { Vec::new() } else { again::compare(boot, caller, source, &mut board, &taken.adopted).await? };
    let first = if source == Source::Log { board.first.clone() } else { hex(board.first.as_bytes()) };
    let first: String = first.chars().take(8).collect();
    let adoption = Adoption { facts: board.facts.clone(), principal: format!("import:{first}"), note: note(source, &board), dry_run: manner.dry_run };
    let adopted = boot.store.adopt(caller, adoption).await.map_err(|fault| fault.problem())?;
    if !adopted.clashes.is_empty() {
        let shown = adopted.clashes.iter().take(10).cloned().collect::<Vec<_>>().join(", ");
        let more = adopted.clashes.len().saturating_sub(10);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        return Err(Problem::new(Code::IllegalMove, format!("{} of its ids are taken here by others: {shown}{more}", adopted.clashes.len()))
            .hint(Hint::text("import it into a repository whose board does not have them; nothing was written")));
    }
    if !manner.dry_run {
        for one in &board.unusable {
            boot.store.set_aside(&one.file, one.line, one.reason, &one.bytes).map_err(|fault| fault.problem())?;
        }
    }
    let reports = copy_reports(&boot.root, &board.reports, manner.dry_run)?;
    let leftovers = leftovers(&boot.place, source);
    Ok(Imported { board, adopted, differing, reports, leftovers })
}

/// What is noted of an import; how much of it was new is known to the store.
fn note(source: Source, board: &Board) -> Map<String, Value> {
    let skipped: usize = board.skipped.values().sum();
    let note = json!({
        "source": source.as_str(), "format": board.format, "lines": board.lines, "skipped": skipped,
        "quarantined": board.unusable.len(), "sha256": board.sha256,
    });
    note.as_object().cloned().unwrap_or_default()
}

/// What lies at a path: the source, and the file or folder of it that is read.
fn find(path: &Path, from: Option<Source>) -> Result<(Source, PathBuf), Problem> {
    let sources = from.map_or(Source::ALL.to_vec(), |source| vec![source]);
    for source in sources {
        let names: &[&str] = match source {
            Source::Log => &["", "events.jsonl", "board/events.jsonl", ".taskops/events.jsonl", ".taskops/board/events.jsonl"],
            Source::Beads => &["", "issues.jsonl", ".beads/issues.jsonl"],
            Source::Backlog => &["", "backlog"],
        };
        for name in names {
            let candidate = if name.is_empty() { path.to_owned() } else { path.join(name) };
            let fits = match source {
                Source::Log => candidate.is_file() && taskops::is_one(&candidate),
                Source::Beads => candidate.is_file() && beads::is_one(&candidate),
                Source::Backlog => candidate.join("tasks").is_dir(),
            };
            if fits {
                return Ok((source, candidate));
            }
        }
    }
    let kinds = "an events.jsonl of taskops, an issues.jsonl of beads, or a folder of Backlog.md with tasks/ in it";
    Err(Problem::new(Code::NotFound, format!("there is no board to import at {}", path.display())).hint(Hint::text(format!("name {kinds}"))))
}

/// A file of the source, whole.
fn bytes_of(path: &Path) -> Result<Vec<u8>, Problem> {
    let unread = |fault: std::io::Error| Problem::new(Code::NotFound, format!("{} can't be read: {}", path.display(), fault.kind()));
    let size = fs::metadata(path).map_err(unread)?.len();
    if size > FILE_BYTES_MAX {
        let title = format!("{} has {size} bytes; the limit is {FILE_BYTES_MAX}", path.display());
        return Err(Problem::new(Code::TooLarge, title).hint(Hint::text("import it in parts")));
    }
    fs::read(path).map_err(unread)
}

/// The first line of a file that holds anything, as JSON.
fn first_line(path: &Path) -> Option<Value> {
    let mut start = Vec::new();
    fs::File::open(path).ok()?.take(1 << 20).read_to_end(&mut start).ok()?;
    let line = start.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty())?;
    serde_json::from_slice(line).ok()
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Copies reports that are not here yet, as written by hand.
fn copy_reports(root: &Path, reports: &[PathBuf], dry_run: bool) -> Result<Vec<String>, Problem> {
    let failed = |fault: std::io::Error| Problem::new(Code::Internal, format!("a report can't be copied: {}", fault.kind()));
    let folder = root.join("reports");
    let mut copied = Vec::new();
    for report in reports {
        let Some(label) = report.file_stem().and_then(|stem| stem.to_str()).filter(|label| is_label(label)) else { continue };
        let to = folder.join(format!("{label}.md"));
        if to.exists() {
            continue;
        }
        if !dry_run {
            let text = fs::read_to_string(report).map_err(failed)?;
            fs::create_dir_all(&folder).map_err(failed)?;
            fs::write(&to, format!("# {label}\n\n## Narration\n<!-- callboard:narration by=hand -->\n{text}")).map_err(failed)?;
        }
        copied.push(label.to_owned());
    }
    Ok(copied)
}

fn is_label(label: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric();
    label.bytes().next().is_some_and(plain) && label.bytes().all(|byte| plain(byte) || matches!(byte, b'.' | b'_' | b'-'))
}

/// Where the old tool is still wired. Named for a person to remove, never touched.
fn leftovers(place: &git::Place, source: Source) -> Vec<(String, String)> {
    let mut files: Vec<PathBuf> = [".mcp.json", ".claude/settings.json", ".claude/settings.local.json"].iter().map(|name| place.root.join(name)).collect();
    let hooks = place.common_dir.iter().flat_map(|common| fs::read_dir(common.join("hooks"))).flatten().filter_map(Result::ok).map(|entry| entry.path());
    files.extend(hooks.filter(|path| path.extension().is_none_or(|ending| ending != "sample")));
    files.sort();
    let mut found = Vec::new();
    for file in files.iter().filter(|file| file.is_file()) {
        let Ok(text) = fs::read_to_string(file) else { continue };
        if let Some(line) = text.lines().find(|line| source.marks().iter().any(|mark| line.contains(mark))) {
            let name = file.strip_prefix(&place.root).unwrap_or(file);
            found.push((name.display().to_string(), line.trim().chars().take(120).collect()));
        }
    }
    found
}
