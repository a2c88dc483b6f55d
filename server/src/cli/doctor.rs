//! `callboard doctor`: whether everything is wired, one line each, with the command that mends it.

use super::out::{Out, Row, Tone};
use super::{Exit, Globals};
use crate::boot::{self, BootOptions};
use crate::init::{self, hooked};
use contracts::Problem;
use git::Repository;
use git::hooks::{HooksPlace, Wiring};
use serde_json::json;
use std::fs;
use std::path::Path;

/// One thing that was looked at.
struct Finding {
    what: &'static str,
    good: bool,
    said: String,
    mend: String,
}

impl Finding {
    fn good(what: &'static str, said: impl Into<String>) -> Finding {
        Finding { what, good: true, said: said.into(), mend: String::new() }
    }

    fn bad(what: &'static str, said: impl Into<String>, mend: impl Into<String>) -> Finding {
        Finding { what, good: false, said: said.into(), mend: mend.into() }
    }
}

/// How far another clock may be ahead before it is worth a word, seconds.
const CLOCK_SECONDS_MAX: i64 = contracts::limits::CLOCK_AHEAD_MS_MAX / 1_000;

/// Looks at everything.
pub async fn run(globals: &Globals, out: &mut Out) -> Result<Exit, Problem> {
    let place = boot::find_place(globals.project.as_deref())?;
    if !place.project {
        return Err(boot::not_initialized());
    }
    let mut findings = Vec::new();
    let directory = place.directory();
    findings.push(ignore_rules(&directory));
    match place.repository() {
        Some(repository) => findings.extend(hooks(&repository)),
        None => findings.push(Finding::good("git", "this is no repository, so there are no hooks")),
    }
    findings.push(client(&place.root));
    findings.push(modes(&directory));
    match boot::boot(BootOptions { project: globals.project.clone(), ..BootOptions::default() }).await {
        Ok(boot) => findings.extend(board(&boot).await),
        Err(problem) => findings.push(Finding::bad("board", problem.title.clone(), problem.hint.for_cli())),
    }
    let well = findings.iter().all(|finding| finding.good);
    if out.manner.json {
        let rows: Vec<_> =
            findings.iter().map(|finding| json!({"what": finding.what, "good": finding.good, "said": finding.said, "mend": finding.mend})).collect();
        out.document(&json!({"well": well, "findings": rows}))?;
    } else {
        for finding in findings {
            let (tone, word) = if finding.good { (Tone::Good, "well") } else { (Tone::Warn, "fault") };
            let row = Row::new().add(tone, format!("{word:<6}")).plain(format!("{:<13} {}", finding.what, super::text::flat(&finding.said)));
            out.row(if finding.mend.is_empty() { row } else { row.strong(format!("  mend: {}", finding.mend)) });
        }
    }
    Ok(if well { Exit::Done } else { Exit::Fault })
}

fn ignore_rules(directory: &Path) -> Finding {
    let ignore = fs::read_to_string(directory.join(".gitignore")).unwrap_or_default();
    let attributes = fs::read_to_string(directory.join(".gitattributes")).unwrap_or_default();
    if ignore.starts_with(init::GITIGNORE) && attributes.starts_with(init::GITATTRIBUTES) {
        Finding::good("ignore rules", "no database, token or lock can be committed")
    } else {
        Finding::bad("ignore rules", ".callboard/.gitignore or .gitattributes is not as it must be", "callboard init")
    }
}

/// How the hooks are wired, and whether a real commit calls them.
fn hooks(repository: &Repository) -> Vec<Finding> {
    let reports = match hooked::OURS.status(repository) {
        Ok(reports) => reports,
        Err(fault) => return vec![Finding::bad("git hooks", fault.to_string(), "callboard init")],
    };
    let own = std::env::current_exe().ok();
    let absent: Vec<&str> = reports.iter().filter(|report| matches!(report.wiring, Wiring::Absent | Wiring::Kept { .. })).map(|report| report.name).collect();
    let dead: Vec<&str> = reports.iter().filter(|report| report.binary.is_some() && !report.runs).map(|report| report.name).collect();
    let other: Vec<&str> = reports.iter().filter(|report| report.runs && report.binary.is_some() && report.binary != own).map(|report| report.name).collect();
    let mut findings = vec![match (absent.as_slice(), dead.as_slice(), other.as_slice()) {
        ([], [], []) => Finding::good("git hooks", format!("{} are wired to this program", reports.len())),
        ([], [], other) => Finding::bad("git hooks", format!("{} call another program than this one", other.join(", ")), "callboard init"),
        ([], dead, _) => {
            Finding::bad("git hooks", format!("{} call a program that is not there, or git would not run them", dead.join(", ")), "callboard init")
        }
        (absent, ..) => {
            Finding::bad("git hooks", format!("{} not wired; commits are still found when a task is closed", absent.join(", ")), wiring(repository))
        }
    }];
    if absent.is_empty() && dead.is_empty() {
        findings.push(match probe(repository) {
            Ok(called) => {
                let missing: Vec<&str> =
                    ["prepare-commit-msg", "commit-msg", "post-commit"].into_iter().filter(|name| !called.iter().any(|found| found == name)).collect();
                match missing.as_slice() {
                    [] => Finding::good("real commit", "a commit in a linked worktree calls the hooks"),
                    missing => uncalled(repository, missing),
                }
            }
            Err(fault) => Finding::bad("real commit", format!("it could not be tried: {fault}"), "git commit in this repository, to see why"),
        });
    }
    findings
}

/// The command that wires hooks here.
fn wiring(repository: &Repository) -> &'static str {
    match hooked::OURS.place(repository) {
        Ok(HooksPlace::Tree(_)) => "callboard init --hooks=tracked",
        Ok(HooksPlace::Outside(_)) => "git config --unset core.hooksPath, or add the lines that callboard init prints",
        _ => "callboard init",
    }
}

/// Hooks that stand only in the main checkout are in no linked worktree.
fn uncalled(repository: &Repository, missing: &[&str]) -> Finding {
    let said = format!("a commit in a linked worktree does not call {}", missing.join(", "));
    match hooked::OURS.place(repository) {
        Ok(HooksPlace::Tree(folder)) => {
            let folder = folder.strip_prefix(repository.directory()).unwrap_or(&folder).display().to_string();
            Finding::bad(
                "real commit",
                format!("{said}: it has what is committed of {folder}; its commits are found when a task is closed"),
                format!("commit {folder}"),
            )
        }
        _ => Finding::bad("real commit", said, "callboard init"),
    }
}

/// Which hooks a commit in a throw-away worktree calls.
fn probe(repository: &Repository) -> Result<Vec<String>, String> {
    let folder = std::env::temp_dir().join(format!("callboard-doctor-{:016x}", boot::random_bits() >> 64));
    let called = folder.join("called");
    fs::create_dir_all(&called).map_err(|fault| fault.kind().to_string())?;
    let probed = repository.probe_hooks(&folder.join("tree"), boot::PROBE, &called);
    let names = fs::read_dir(&called).map(|found| found.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect());
    let _ = fs::remove_dir_all(&folder); // it is in the system's temporary folder
    probed.map_err(|fault| fault.to_string())?;
    names.map_err(|fault| fault.kind().to_string())
}

fn client(root: &Path) -> Finding {
    let file = root.join(init::settings::FILE);
    if !init::client_hooks_are_there(root) {
        return Finding::bad(
            "client hooks",
            "the agent client does not call us: leases of agents last an hour, commits are judged by git's hook alone",
            "callboard init",
        );
    }
    let own = std::env::current_exe().ok().map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
    let text = fs::read_to_string(file).unwrap_or_default();
    if text.contains(" hook client ") && !text.contains(&own) {
        return Finding::bad("client hooks", "they call another program than this one", "callboard init");
    }
    Finding::good("client hooks", "the agent client calls us")
}

/// Whether tokens are ours alone.
fn modes(directory: &Path) -> Finding {
    let open = |name: &&str| {
        let path = directory.join(name);
        fs::metadata(&path).is_ok_and(|found| is_open(&found))
    };
    let open: Vec<&str> = ["local-token", "mcp-token", "state.db"].into_iter().filter(open).collect();
    if open.is_empty() {
        Finding::good("file modes", "tokens and database are readable by you alone")
    } else {
        let files: Vec<String> = open.iter().map(|name| format!(".callboard/{name}")).collect();
        Finding::bad("file modes", format!("{} can be read by others", open.join(", ")), format!("chmod 600 {}", files.join(" ")))
    }
}

#[cfg(unix)]
fn is_open(found: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o077 != 0
}

#[cfg(not(unix))]
fn is_open(_: &fs::Metadata) -> bool {
    false
}

/// The log, the clock, and what waits in the queue.
async fn board(boot: &boot::Boot) -> Vec<Finding> {
    let mut findings = Vec::new();
    match boot.store.verify().await {
        Ok(report) => {
            let faults = report.findings.iter().filter(|finding| finding.code != "clock_ahead").count();
            findings.push(match faults {
                0 => Finding::good("log", "every chain verifies, and the files hold what the database holds"),
                faults => Finding::bad("log", format!("{faults} findings"), "callboard log verify"),
            });
            let ahead = report.findings.iter().any(|finding| finding.code == "clock_ahead");
            findings.push(if ahead {
                Finding::bad(
                    "clock",
                    format!("an event is more than {CLOCK_SECONDS_MAX} s ahead of this machine's clock"),
                    "set this machine's clock, or the other's",
                )
            } else {
                Finding::good("clock", "no event is ahead of it")
            });
        }
        Err(fault) => findings.push(Finding::bad("log", fault.problem().title, "callboard log verify")),
    }
    let waiting = fs::read_to_string(boot.root.join("pending.jsonl")).map_or(0, |text| text.lines().count());
    findings.push(match waiting {
        0 => Finding::good("queue", "nothing waits to be written"),
        waiting => Finding::good("queue", format!("{waiting} commits wait for their task to become known here")),
    });
    findings
}
