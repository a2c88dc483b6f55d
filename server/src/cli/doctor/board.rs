//! The log, the clock, and what waits in the queue.

use super::Finding;
use crate::boot::Boot;
use contracts::{Code, Problem};
use git::Repository;
use std::fs;

/// How far another clock may be ahead before it is worth a word, seconds.
const CLOCK_SECONDS_MAX: i64 = contracts::limits::CLOCK_AHEAD_MS_MAX / 1_000;

/// A board that does not open. Its database can be made anew from the log, unless it is somebody else's fault.
pub(super) fn closed(problem: &Problem) -> Finding {
    let mend = match problem.code {
        Code::Internal => "mv .callboard/state.db .callboard/state.db.broken && callboard rebuild".to_owned(),
        _ => problem.hint.for_cli(),
    };
    Finding::bad("board", problem.title.clone(), mend)
}

pub(super) async fn look(boot: &Boot, repository: Option<&Repository>) -> Vec<Finding> {
    let mut findings = Vec::new();
    match boot.store.verify().await {
        Ok(report) => {
            let faults: Vec<_> = report.findings.iter().filter(|finding| finding.code != "clock_ahead").collect();
            findings.push(match faults.first() {
                None => Finding::good("log", "every chain verifies, and the files hold what the database holds"),
                Some(first) => {
                    let place = if first.line > 0 { format!("{}:{}", first.file, first.line) } else { first.file.clone() };
                    let more = if faults.len() > 1 { format!(", and {} more", faults.len() - 1) } else { String::new() };
                    let path = boot.root.join(&first.file);
                    let in_git = repository.is_some_and(|repository| repository.remembers(&path).unwrap_or(false));
                    let mend = if in_git { format!("git checkout HEAD -- .callboard/{}", first.file) } else { "callboard log verify".to_owned() };
                    Finding::bad("log", format!("{place} {}{more}", first.text), mend)
                }
            });
            findings.push(if faults.len() < report.findings.len() {
                let said = format!("an event is more than {CLOCK_SECONDS_MAX} s ahead of this machine's clock");
                Finding::bad("clock", said, "set this machine's clock, or the other's")
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
