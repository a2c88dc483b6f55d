//! Process groups: ending a worker with everything it started.
//!
//! A worker leads a group of its own. What leaves that group (a shell's `setsid`, a daemon) still carries the worker's mark in its
//! environment, and is found by it where the system shows environments (Linux).

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// How long a group may take to end when it is asked to.
const ASKED: Duration = Duration::from_secs(5);
/// How long ended processes may take to be gone.
const GONE: Duration = Duration::from_secs(5);

/// The variable every process of a worker has; its value is the worker's mark.
pub const MARK: &str = "CALLBOARD_WORKER";

/// Asks a group to end, and when it does not, ends it; then whatever left the group. Says how many of those there were. Blocks.
pub fn end(pid: u32, mark: &str) -> usize {
    signal_group(pid, Signal::Ask);
    let began = Instant::now();
    while group_lives(pid) && began.elapsed() < ASKED {
        thread::sleep(Duration::from_millis(50));
    }
    signal_group(pid, Signal::End);
    sweep(mark)
}

/// Ends what a worker that has ended by itself left running. Says how many there were. Blocks.
pub fn end_rest(pid: u32, mark: &str) -> usize {
    let in_group = usize::from(group_lives(pid));
    signal_group(pid, Signal::End);
    in_group + sweep(mark)
}

/// Ends a worker that nobody watches, if it can be told for certain that the process is it.
///
/// # Errors
/// What a person has to do, where that can't be told.
pub fn end_stray(pid: u32, mark: &str) -> Result<(), String> {
    if !Path::new("/proc/self/environ").exists() {
        return Err(format!("nobody watches this worker, and here it can't be told whether process {pid} is still it: end it by hand"));
    }
    // Its number may be somebody else's by now: only processes with its mark are its own.
    if marked(mark).contains(&pid) {
        end(pid, mark);
    } else {
        sweep(mark);
    }
    Ok(())
}

/// Ends every process with this mark, also those that are started meanwhile.
fn sweep(mark: &str) -> usize {
    let began = Instant::now();
    let mut ended = std::collections::BTreeSet::new();
    loop {
        let found = marked(mark);
        if found.is_empty() || began.elapsed() > GONE {
            return ended.len();
        }
        for pid in found {
            ended.insert(pid);
            signal_one(pid);
        }
        thread::sleep(Duration::from_millis(50));
    }
}

/// Processes that carry this mark, but for this one.
fn marked(mark: &str) -> Vec<u32> {
    let wanted = format!("{MARK}={mark}");
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.filter_map(Result::ok).filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let has = |pid: &u32| {
        let variables = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        variables.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
    };
    pids.filter(|pid| *pid != std::process::id()).filter(has).collect()
}

/// What a group is told.
#[derive(Clone, Copy)]
enum Signal {
    /// To end.
    Ask,
    /// It is ended.
    End,
}

#[cfg(unix)]
mod system {
    use super::Signal;
    use rustix::process::{Pid, kill_process, kill_process_group, test_kill_process_group};

    fn pid(raw: u32) -> Option<Pid> {
        Pid::from_raw(i32::try_from(raw).ok()?)
    }

    pub fn signal_group(raw: u32, signal: Signal) {
        let signal = match signal {
            Signal::Ask => rustix::process::Signal::TERM,
            Signal::End => rustix::process::Signal::KILL,
        };
        if let Some(pid) = pid(raw) {
            let _ = kill_process_group(pid, signal); // it is gone already
        }
    }

    pub fn signal_one(raw: u32) {
        if let Some(pid) = pid(raw) {
            let _ = kill_process(pid, rustix::process::Signal::KILL); // it is gone already
        }
    }

    pub fn group_lives(raw: u32) -> bool {
        pid(raw).is_some_and(|pid| test_kill_process_group(pid).is_ok())
    }
}

#[cfg(not(unix))]
mod system {
    use super::Signal;

    // Without process groups only the worker itself is ended, by whoever holds it.
    pub fn signal_group(_: u32, _: Signal) {}
    pub fn signal_one(_: u32) {}
    pub fn group_lives(_: u32) -> bool {
        false
    }
}

use system::{group_lives, signal_group, signal_one};
