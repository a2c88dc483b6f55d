//! The queue of what could not be written: `.callboard/pending.jsonl`, one command a line with its key, oldest first.
//!
//! Invariants: a line leaves the file only when the board took it, or refused it for good (then it is in quarantine with the reason).
//! Who reads or writes the file holds its lock; nobody waits for it.

use crate::board::ServerPort;
use contracts::{Actor, Caller, Code, Command, CommandRequest, Moment, Surface, TaskId};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
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

/// Hands the oldest lines to the board, unless somebody writes there: a hook, or who only reads, does not wait for that. Gives what became of those that the board will never take, in sentences.
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
    let text = fs::read_to_string(directory.join(FILE))?;
    let mut lines: Vec<Option<&str>> = text.lines().filter(|line| !line.trim().is_empty()).map(Some).collect();
    let mut sentences = Vec::new();
    let handing = async {
        for place in lines.iter_mut().take(LINES_MAX) {
            let Some(raw) = *place else { continue };
            match hand_over(port, raw).await {
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
    let left: String = lines.into_iter().flatten().map(|line| format!("{line}\n")).collect();
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

async fn hand_over(port: &ServerPort, raw: &str) -> Became {
    let read = serde_json::from_str::<Line>(raw).map_err(|fault| fault.to_string());
    let read = read.and_then(|line| CommandRequest::parse(line.request.clone()).map(|request| (line, request)).map_err(|problem| problem.title));
    let (line, request) = match read {
        Ok(read) => read,
        Err(why) => return Became::Refused(why),
    };
    let waits = port.now().0 - line.at.0 < UNKNOWN_DAYS * 86_400_000;
    if let Some(task) = task_of(&request.command)
        && waits
        && !port.knows(task).await
    {
        return Became::Waits;
    }
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
fn quarantine(directory: &Path, raw: &str, why: &str) -> io::Result<()> {
    use sha2::{Digest, Sha256};
    let folder = directory.join("quarantine");
    fs::create_dir_all(&folder)?;
    let name: String = Sha256::digest(raw).iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    let entry = json!({"file": FILE, "line": 0, "reason": why, "text": raw});
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
