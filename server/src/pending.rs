//! The queue of what could not be written: `.callboard/pending.jsonl`, one command a line with its key, oldest first.
//!
//! Invariants: a line leaves the file only when the board took it, or refused it for good (then it is in quarantine with the reason).
//! Who reads or writes the file holds its lock; nobody waits for it.

use crate::board::ServerPort;
use contracts::{Actor, Caller, Code, Command, CommandRequest, Moment, Surface, TaskId};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

/// The file, below `.callboard`.
const FILE: &str = "pending.jsonl";
/// Lines one process takes over.
const LINES_MAX: usize = 100;
/// How long it may take for that.
const DRAIN: Duration = Duration::from_millis(300);
/// How long a commit waits for its task to become known here.
const UNKNOWN_DAYS: i64 = 30;

/// One command, and whose it is.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Line {
    at: Moment,
    actor: Actor,
    principal: String,
    /// `{command, args, key}`, as on the wire.
    request: Value,
}

/// Puts a command at the end of the queue.
///
/// # Errors
/// When the file can't be written.
pub fn add(directory: &Path, actor: &Actor, principal: &str, request: &CommandRequest, at: Moment) -> io::Result<()> {
    let line = Line { at, actor: actor.clone(), principal: principal.to_owned(), request: request.to_value() };
    let _lock = lock(directory)?;
    let mut text = serde_json::to_vec(&line).map_err(io::Error::other)?;
    text.push(b'\n');
    OpenOptions::new().create(true).append(true).open(directory.join(FILE))?.write_all(&text)
}

/// Hands the oldest lines to the board, but for those whose task is not known here yet; unless somebody writes there: a hook, or who only
/// reads, does not wait for that. Gives what became of those that the board will never take, in sentences.
pub async fn drain(directory: &Path, port: &ServerPort) -> Vec<String> {
    if fs::metadata(directory.join(FILE)).is_ok_and(|found| found.len() > 0) && !port.store().is_written() {
        match take(directory, port).await {
            Ok(sentences) => return sentences,
            Err(fault) => tracing::warn!(%fault, "the queue could not be read"),
        }
    }
    Vec::new()
}

/// Hands over all of them, for as long as each round gets some away.
pub async fn drain_all(directory: &Path, port: &ServerPort) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut before = u64::MAX;
    loop {
        let left = fs::metadata(directory.join(FILE)).map_or(0, |found| found.len());
        if left == 0 || left >= before {
            return sentences;
        }
        before = left;
        sentences.extend(drain(directory, port).await);
    }
}

async fn take(directory: &Path, port: &ServerPort) -> io::Result<Vec<String>> {
    let lock = open_lock(directory)?;
    if lock.try_lock().is_err() {
        return Ok(Vec::new()); // somebody else is at it
    }
    let text = fs::read(directory.join(FILE))?;
    let mut lines: Vec<Option<&[u8]>> = text.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).map(Some).collect();
    let mut sentences = Vec::new();
    let handing = async {
        let queued: Vec<Result<Queued, String>> = lines.iter().flatten().map(|raw| Queued::read(raw)).collect();
        let unknown = unknown(port, &queued).await;
        let waits = |queued: &Result<Queued, String>| queued.as_ref().is_ok_and(|queued| queued.waits(port.now(), &unknown));
        // However many wait, they don't keep back what comes behind them.
        for (place, queued) in lines.iter_mut().zip(queued).filter(|(_, queued)| !waits(queued)).take(LINES_MAX) {
            let Some(raw) = *place else { continue };
            match hand_over(port, queued).await {
                Became::Taken => *place = None,
                Became::Waits => {}
                Became::Stuck => break,
                Became::Refused(why) => {
                    quarantine(directory, raw, &why)?;
                    sentences.push(format!("a queued command was refused and is in quarantine: {why}"));
                    *place = None;
                }
            }
        }
        io::Result::Ok(())
    };
    let ended = tokio::time::timeout(DRAIN, handing).await;
    let left: Vec<u8> = lines.into_iter().flatten().flat_map(|line| line.iter().copied().chain([b'\n'])).collect();
    if left != text {
        if left.is_empty() {
            fs::remove_file(directory.join(FILE))?;
        } else {
            let fresh = directory.join(format!("{FILE}.{}", std::process::id()));
            fs::write(&fresh, left)?;
            fs::rename(fresh, directory.join(FILE))?;
        }
    }
    match ended {
        Ok(Err(fault)) => Err(fault),
        Ok(Ok(())) | Err(_) => Ok(sentences),
    }
}

/// What became of a line.
enum Became {
    /// The board has it.
    Taken,
    /// Its task is not known here yet.
    Waits,
    /// The board can't be written now.
    Stuck,
    /// Never.
    Refused(String),
}

/// A line that was read.
struct Queued {
    line: Line,
    request: CommandRequest,
}

impl Queued {
    /// Reads a line; why it can't be, in words.
    fn read(raw: &[u8]) -> Result<Queued, String> {
        let text = std::str::from_utf8(raw).map_err(|fault| fault.to_string())?;
        let line: Line = serde_json::from_str(text).map_err(|fault| fault.to_string())?;
        let request = CommandRequest::parse(line.request.clone()).map_err(|problem| problem.title)?;
        Ok(Queued { line, request })
    }

    /// Whether it is young enough to wait for its task.
    fn may_wait(&self, now: Moment) -> bool {
        now.0 - self.line.at.0 < UNKNOWN_DAYS * 86_400_000
    }

    fn waits(&self, now: Moment, unknown: &BTreeSet<TaskId>) -> bool {
        self.may_wait(now) && task_of(&self.request.command).is_some_and(|task| unknown.contains(task))
    }
}

/// The tasks of these lines that are not known here. A board that can't be read knows none of them.
async fn unknown(port: &ServerPort, queued: &[Result<Queued, String>]) -> BTreeSet<TaskId> {
    let wanted: BTreeSet<TaskId> = queued.iter().flatten().filter_map(|queued| task_of(&queued.request.command)).cloned().collect();
    let known = port.known_of(wanted.iter()).await;
    wanted.into_iter().filter(|task| !known.contains(task)).collect()
}

async fn hand_over(port: &ServerPort, queued: Result<Queued, String>) -> Became {
    let (line, request, waits) = match queued {
        Ok(queued) => {
            let waits = queued.may_wait(port.now());
            (queued.line, queued.request, waits)
        }
        Err(why) => return Became::Refused(why),
    };
    let caller = Caller { actor: line.actor, principal: line.principal, surface: Surface::Hook, session: None, client: None };
    match port.for_caller(caller).execute(request).await {
        Ok(_) => Became::Taken,
        Err(problem) => match problem.code {
            Code::Busy | Code::Internal | Code::Unreachable | Code::ReadOnly => Became::Stuck,
            Code::NotFound if waits => Became::Waits,
            _ => Became::Refused(problem.title),
        },
    }
}

/// The task a queued fact is about.
pub(crate) fn task_of(command: &Command) -> Option<&TaskId> {
    match command {
        Command::Bind(bind) => Some(&bind.task),
        Command::Supersede(supersede) => Some(&supersede.task),
        _ => None,
    }
}

/// A file of its own beside those of the log, in the form `log quarantine` reads.
fn quarantine(directory: &Path, raw: &[u8], why: &str) -> io::Result<()> {
    use sha2::{Digest, Sha256};
    let folder = directory.join("quarantine");
    fs::create_dir_all(&folder)?;
    let name: String = Sha256::digest(raw).iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    let entry = json!({"file": FILE, "line": 0, "reason": why, "text": String::from_utf8_lossy(raw)});
    fs::write(folder.join(format!("{name}.json")), format!("{entry}\n"))
}

fn open_lock(directory: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).truncate(false).write(true).open(directory.join("run").join("pending.lock"))
}

fn lock(directory: &Path) -> io::Result<File> {
    let lock = open_lock(directory)?;
    lock.lock()?;
    Ok(lock)
}
