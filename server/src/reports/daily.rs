//! The day before, written by the first command of a new day, where the project wants it. No model has a part in it.

use super::Reports;
use crate::board::ServerPort;
use contracts::Caller;
use contracts::report::{Narrate, ReportKind, ReportQuery};
use engine::report::window;
use engine::report::window::date_of;
use std::fs;

/// The setting that wants it.
const SETTING: &str = "reports.daily";
/// Where it is noted which day was looked at, beside the news of narrations; git never sees it.
const NOTE: &str = "narration/daily";

/// Writes yesterday's report if the project wants it, nobody did so yet, and something happened; gives its name. What can't be written is
/// for whoever asks for the report: a person's command is not held up by it.
pub async fn at_first_command(port: &ServerPort, caller: &Caller) -> Option<String> {
    let reports = Reports::of(port);
    let mut facts = reports.facts().await.ok()?;
    let project = facts.read.project().await.ok()??;
    if project.settings.get(SETTING).and_then(serde_json::Value::as_str) != Some("on") {
        return None;
    }
    let note = port.directory().join(NOTE);
    let today = date_of(facts.now, &facts.zone).to_string();
    if fs::read_to_string(&note).is_ok_and(|day| day == today) {
        return None;
    }
    let yesterday = window(&ReportQuery { kind: ReportKind::Day, ..ReportQuery::default() }, &facts.zone, facts.now).ok()?;
    let happened = facts.read.event_ids().await.ok()?.iter().any(|(at, _)| yesterday.holds(*at));
    drop(facts);
    let label = yesterday.label?;
    let is_new = happened && reports.files.read(&label).ok()?.is_none();
    if is_new && let Err(problem) = reports.write(caller, &label, &Narrate::default()).await {
        tracing::warn!(code = %problem.code, %label, "yesterday's report was not written");
        return None;
    }
    let noted = note.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&note, today));
    if let Err(fault) = noted {
        tracing::debug!(kind = ?fault.kind(), "the next command looks again");
    }
    is_new.then_some(label)
}
