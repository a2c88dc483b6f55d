//! Events in words: lines of a thread, of the activity, of a history. Every kind has words, unknown ones too.

use crate::event::{Event, Kind};
use crate::words::{count, cut, line, some};
use contracts::view::{Entry, HistoryRow};
use contracts::{Actor, EventId};
use serde_json::Value;

/// Whether an event of this kind stands in a thread: what somebody said, and what happened to the work.
pub fn is_thread(kind: &Kind) -> bool {
    use Kind::*;
    let speech = matches!(kind, TaskCommented | MessageSent | TaskAsked | TaskAnswered);
    let ends = matches!(kind, TaskReleased | TaskSubmitted | TaskReviewed | TaskClosed | TaskCancelled | TaskReopened);
    speech || ends || matches!(kind, TaskClaimed | TaskHeld | TaskUnheld | TaskAssigned | TaskBlocked | TaskUnblocked | ConflictSettled)
}

/// One line. `title` is the subject's, for lists over many subjects.
pub fn entry(event: &Event, seq: i64, title: &str, no_effect: bool) -> Entry {
    let text = ["text", "note", "reason"].iter().map(|key| event.text(key)).find(|text| !text.is_empty()).unwrap_or("");
    let is_word = event.kind == Kind::TaskReleased && event.text("note").is_empty();
    let actors = |key: &str| -> Vec<Actor> {
        event.body.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).filter_map(|actor| Actor::parse(actor).ok()).collect()
    };
    let mut to = actors("mentions");
    if event.kind == Kind::MessageSent {
        to = actors("to");
    }
    Entry {
        event: event.id.clone(),
        seq,
        kind: event.kind.as_str().to_owned(),
        subject: event.subject.clone(),
        title: title.to_owned(),
        actor: event.actor.clone(),
        at: event.at.moment,
        words: words(event),
        text: if is_word { String::new() } else { text.to_owned() },
        html: String::new(),
        to,
        delivered: Vec::new(),
        reply_to: EventId::parse(event.text("reply_to")).ok(),
        no_effect,
    }
}

/// Everything about one event.
pub fn history_row(event: &Event, seq: i64, title: &str, no_effect: bool) -> HistoryRow {
    let value = |key: &str| event.body.get(key).cloned().unwrap_or(Value::Null);
    let field = match event.kind {
        Kind::TaskEdited | Kind::MilestoneEdited => Some(event.text("field").to_owned()),
        Kind::ProjectConfigured => Some(event.text("key").to_owned()),
        Kind::TaskAssigned => Some("assignee".to_owned()),
        _ => None,
    };
    let (from, to) = if field.is_some() { (value("from"), value("to")) } else { (Value::Null, Value::Null) };
    HistoryRow {
        entry: entry(event, seq, title, no_effect),
        principal: event.principal.clone(),
        field,
        from,
        to,
        body: event.body.clone(),
        html: String::new(),
    }
}

/// The fact in words, without actor and subject.
fn words(event: &Event) -> String {
    let flag = |key: &str| event.body.get(key).and_then(Value::as_bool).unwrap_or(false);
    let length = |key: &str| event.body.get(key).and_then(Value::as_array).map_or(0, Vec::len) as i64;
    let holder = event.text("holder");
    match &event.kind {
        Kind::ProjectCreated => "created the project".to_owned(),
        Kind::ProjectConfigured => format!("set {} to {}", event.text("key"), shown(event.body.get("to"))),
        Kind::TaskCreated => "created it".to_owned(),
        Kind::TaskEdited | Kind::MilestoneEdited => edited(event),
        Kind::TaskBranched => format!("named its branch {}", event.text("branch")),
        Kind::TaskAssigned => match event.text("to") {
            "" => "took the assignment off".to_owned(),
            to if flag("dispatched") => format!("sent {to} to it"),
            to if to == event.actor.as_str() => "took it on".to_owned(),
            to => format!("assigned it to {to}"),
        },
        Kind::TaskClaimed => match event.body.get("took_over").and_then(|took| took.get("actor")).and_then(Value::as_str) {
            Some(from) => format!("took it over from {from}"),
            None if flag("resumed") => "took it back".to_owned(),
            None => "claimed it".to_owned(),
        },
        Kind::TaskRenewed => "still works on it".to_owned(),
        Kind::TaskReleased => match event.text("reason") {
            "recovered" => format!("recovered it from {holder}"),
            "displaced" => format!("took it from {holder}"),
            "stopped" => "stopped working on it".to_owned(),
            _ if !holder.is_empty() && holder != event.actor.as_str() => format!("released it from {holder}"),
            _ => "released it".to_owned(),
        },
        Kind::TaskSubmitted if flag("no_code") => "handed it in without code".to_owned(),
        Kind::TaskSubmitted => with_commits("handed it in", length("commits")),
        Kind::TaskReviewed if event.text("verdict") == "pass" => "passed it".to_owned(),
        Kind::TaskReviewed => "asked for changes".to_owned(),
        Kind::TaskClosed if flag("no_code") => "closed it without code".to_owned(),
        Kind::TaskClosed => with_commits("closed it", length("commits")),
        Kind::TaskCancelled => "cancelled it".to_owned(),
        Kind::TaskReopened | Kind::MilestoneReopened => "reopened it".to_owned(),
        Kind::TaskHeld if event.text("kind") == "plan" => "holds it until its plan is approved".to_owned(),
        Kind::TaskHeld => "put it on hold".to_owned(),
        Kind::TaskUnheld => "lifted the hold".to_owned(),
        Kind::TaskBlocked if event.text("on").is_empty() => "says it waits for something outside".to_owned(),
        Kind::TaskBlocked => format!("made it wait for {}", event.text("on")),
        Kind::TaskUnblocked if event.text("on").is_empty() => "resolved what it waited for".to_owned(),
        Kind::TaskUnblocked => format!("no longer lets it wait for {}", event.text("on")),
        Kind::TaskAsked => "asks".to_owned(),
        Kind::TaskAnswered => match event.text("choice") {
            "" => "answered".to_owned(),
            choice => format!("answered: {}", line(choice, 200)),
        },
        Kind::TaskCommented => "commented".to_owned(),
        Kind::MessageSent => "sent a message".to_owned(),
        Kind::CommitBound => format!("committed {} {}", short(event.text("sha")), line(event.text("subject"), 100)),
        Kind::CommitSuperseded => match event.text("new") {
            "" => format!("commit {} no longer counts", short(event.text("old"))),
            new => format!("commit {} became {}", short(event.text("old")), short(new)),
        },
        Kind::MilestoneCreated => "created the milestone".to_owned(),
        Kind::MilestoneClosed => "closed the milestone".to_owned(),
        Kind::MilestoneCancelled => "cancelled the milestone".to_owned(),
        Kind::ReportWritten => format!("wrote the report {}", event.text("label")),
        Kind::ConflictSettled if event.text("choice") == "keep" => "settled a conflict: kept".to_owned(),
        Kind::ConflictSettled => "settled a conflict: dismissed".to_owned(),
        Kind::ImportApplied => format!("imported from {}", event.text("source")),
        Kind::ImportOther => format!("imported {}", event.text("kind")),
        Kind::Other(kind) => format!("did something this version does not know ({})", line(kind, 60)),
        _ => of_run(event),
    }
}

/// The facts of a run, in words.
fn of_run(event: &Event) -> String {
    let path = line(event.text("path"), 100);
    match &event.kind {
        Kind::RunStarted => format!("began the workflow {}", line(event.text("workflow"), 60)),
        Kind::RunPaused => "held the run back".to_owned(),
        Kind::RunResumed => "let the run go on".to_owned(),
        Kind::RunBlocked => format!(
            "the run can't go on: {}",
            line(event.body.get("blocked").and_then(|blocked| blocked.get("reason")).and_then(Value::as_str).unwrap_or(""), 60)
        ),
        Kind::RunUnblocked => "let the run go on that was blocked".to_owned(),
        Kind::RunEnded => format!("the run is {}", line(event.text("outcome"), 20)),
        Kind::StepActivated => format!("came to {path}"),
        Kind::StepOpened => format!("opened {path}"),
        Kind::StepSkipped => format!("passed over {path}"),
        Kind::StepClaimed => format!("took {path}"),
        Kind::StepReleased => format!("gave {path} back"),
        Kind::StepSubmitted => format!("reported {path}: {}", line(event.text("outcome"), 20)),
        Kind::StepRefused => format!("reported {path}, and it was not enough"),
        Kind::StepLate => format!("reported {path} too late"),
        Kind::GateMet => format!("opened the gate of {path}"),
        Kind::GateOverridden => format!("opened the gate of {path} all the same"),
        Kind::StepFinished => format!("closed {path}: {}", line(event.text("outcome"), 20)),
        Kind::StepSentBack => format!("sent the work back to {}", line(event.text("to"), 100)),
        Kind::DecisionTaken => format!("chose {} at {path}", line(event.text("branch"), 60)),
        Kind::LanesJoined => format!("joined the lanes of {path}"),
        Kind::LoopPassed if event.body.get("go_on") == Some(&Value::Bool(true)) => format!("began a pass of {path}"),
        Kind::LoopPassed => format!("ended the loop {path}"),
        Kind::TimerFired => format!("the time of {path} came"),
        Kind::SignalReceived => format!("heard {}", line(event.text("name"), 60)),
        Kind::ApprovalRequested => format!("asks for a yes to {path}"),
        Kind::ApprovalGiven => "said yes".to_owned(),
        Kind::ApprovalRejected => "said no".to_owned(),
        Kind::ApprovalClosed => "asks no longer".to_owned(),
        Kind::StepAsked => format!("asks at {path}"),
        Kind::StepAnswered => "answered what a step asked".to_owned(),
        Kind::NoteAdded => format!("left a note at {path}"),
        Kind::NoteResolved => "resolved a note".to_owned(),
        Kind::EvidenceAdded => format!("added evidence {} at {path}", line(event.text("name"), 60)),
        Kind::StoreChanged => format!("wrote {}", line(event.text("store"), 60)),
        other => other.as_str().to_owned(),
    }
}

fn with_commits(what: &str, commits: i64) -> String {
    if commits == 0 { what.to_owned() } else { format!("{what} with {}", count(commits, "commit")) }
}

fn short(sha: &str) -> String {
    sha.chars().take(12).collect()
}

fn edited(event: &Event) -> String {
    let to = event.body.get("to");
    match event.text("field") {
        field @ ("spec" | "criteria" | "goal" | "rules") => format!("changed its {field}"),
        "priority" => {
            let words = to.and_then(Value::as_i64).and_then(|number| contracts::command::Priority::parse(number).ok()).map_or("?", |priority| priority.words());
            format!("set its priority to {words}")
        }
        "parent" if to.is_none_or(Value::is_null) => "took it out of its parent".to_owned(),
        "parent" => format!("made it a part of {}", shown(to)),
        "title" => format!("renamed it to {}", shown(to)),
        field if to.is_none_or(Value::is_null) => format!("cleared its {}", plain(field)),
        field => format!("set its {} to {}", plain(field), shown(to)),
    }
}

fn plain(field: &str) -> &str {
    match field {
        "due_at" => "due date",
        other => other,
    }
}

fn shown(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "its default".to_owned(),
        Some(Value::String(text)) => line(text, 100),
        Some(Value::Bool(flag)) => if *flag { "yes" } else { "no" }.to_owned(),
        Some(Value::Array(items)) if items.is_empty() => "none".to_owned(),
        Some(Value::Array(items)) => some(&items.iter().map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned)).collect::<Vec<_>>(), 5),
        Some(other) => cut(&other.to_string(), 100),
    }
}
