//! The entries of the sections, and the views below them.

use super::{Block, Form, Part, told};
use crate::report::section::{Correction, Deeds, Entry, Report, Said, Section, Talk};
use crate::report::text::{clean, entries, escaped, files, quoted, size, span};
use crate::report::window::date_of;
use crate::standing::counting;
use crate::task::{Closed, Commit};
use crate::words::line;
use contracts::command::Priority;
use contracts::standing::{HoldKind, Standing, Status};
use contracts::text::count;
use contracts::{Actor, Moment, TaskId};
use std::collections::BTreeMap;

/// Characters of a text that stands on one line.
const LINE_CHARS: usize = 200;

/// The seven sections and the views, of a day, a range or everything.
pub(super) fn parts(report: &Report, form: Form) -> Vec<Part> {
    let mut parts: Vec<Part> = Section::ALL.into_iter().map(|section| tasks(report, section, section.title(), form)).collect();
    parts.push(conversation(report, form));
    parts.push(actors(report, form));
    parts.push(corrections(report, form));
    parts
}

/// What a standup tells: who did how much of what, then what was closed, what goes on, and what waits for whom.
pub(super) fn standup(report: &Report, form: Form) -> Vec<Part> {
    let mut parts = vec![happened(report)];
    parts.push(tasks(report, Section::Closed, "Closed", form));
    parts.push(tasks(report, Section::Motion, "In motion", form));
    parts.push(by_person(report, form));
    parts.push(tasks(report, Section::Waiting, "Blocked", form));
    parts
}

fn tasks(report: &Report, section: Section, title: &str, form: Form) -> Part {
    let entries = report.entries(section);
    let blocks = entries.iter().map(|entry| block(report, section, entry, form)).collect();
    Part { key: section.key(), title: title.to_owned(), count: entries.len(), before: String::new(), blocks }
}

fn block(report: &Report, section: Section, entry: &Entry, form: Form) -> Block {
    match (&entry.task.closed, section) {
        (Some(closed), Section::Closed | Section::Cancelled) => {
            let line = format!("- {} · {}\n", name(entry, form), ended(report, entry, closed));
            let whole = if form == Form::Full { closed_whole(report, entry, closed) } else { closed_brief(report, entry, closed) };
            let day = report.is_by_date().then(|| date_of(closed.at, &report.zone));
            Block { at: closed.at, day, whole, line }
        }
        _ => {
            let line = format!("- {} · {}\n", name(entry, form), standing(report, entry, form));
            Block { at: entry.stir.last.max(entry.task.created_at), day: None, whole: open(report, entry, form), line }
        }
    }
}

/// Id, title, type and priority.
fn name(entry: &Entry, form: Form) -> String {
    let task = &entry.task;
    format!("{} · {} · {}", titled(&task.id, &task.title, form), task.kind, priority(task.priority))
}

/// Text from outside, as this form is read: as markdown, or as it is.
fn shown(text: &str, form: Form) -> String {
    if form == Form::Full { escaped(text) } else { clean(text) }
}

fn titled(id: &TaskId, title: &str, form: Form) -> String {
    if form == Form::Full { format!("**{id}** {}", escaped(title)) } else { format!("{id} {}", clean(title)) }
}

fn priority(number: u8) -> &'static str {
    Priority::parse(number.into()).map_or("?", |priority| priority.words())
}

/// Who ended it and when, how long it was held, and by what evidence.
fn ended(report: &Report, entry: &Entry, closed: &Closed) -> String {
    let how = if entry.task.status == Status::Cancelled { "cancelled" } else { "closed" };
    let mut words = format!("{how} by {} at {} · {}", closed.by, told(report, closed.at), held(entry));
    if entry.task.status == Status::Done {
        words.push_str(&format!(" · {}", evidence(entry, closed)));
    }
    words
}

fn held(entry: &Entry) -> String {
    match entry.task.claims {
        0 => "never held".to_owned(),
        claims => format!("held {} in {}", span(entry.held_ms), count(claims.into(), "claim")),
    }
}

fn evidence(entry: &Entry, closed: &Closed) -> String {
    let commits = counting(&entry.task);
    if closed.no_code && commits.is_empty() {
        return "no code".to_owned();
    }
    let sum = |lines: fn(&Commit) -> u32| commits.iter().map(|commit| i64::from(lines(commit))).sum::<i64>();
    let commits_told = count(i64::try_from(commits.len()).unwrap_or(i64::MAX), "commit");
    format!("{commits_told}, {}", size(sum(|commit| commit.added), sum(|commit| commit.deleted)))
}

fn closed_brief(report: &Report, entry: &Entry, closed: &Closed) -> String {
    let mut text = format!("- {}\n  {}\n", name(entry, Form::Brief), ended(report, entry, closed));
    for commit in counting(&entry.task) {
        text.push_str(&format!("  - {} {} {}\n", short(&commit.sha), line(&clean(&commit.subject), LINE_CHARS), files(commit, false)));
    }
    let what = if entry.task.status == Status::Cancelled { "why" } else { "delivered" };
    if !closed.note.trim().is_empty() {
        text.push_str(&format!("  {what}: {}\n", line(&clean(&closed.note), LINE_CHARS)));
    }
    if let Some(last) = entry.said.last() {
        text.push_str(&format!("  last said: {}\n", said_line(report, last)));
    }
    text
}

fn closed_whole(report: &Report, entry: &Entry, closed: &Closed) -> String {
    let task = &entry.task;
    let level = if report.is_by_date() { "####" } else { "###" };
    let mut text =
        format!("\n{level} {} {}\n\n{} · {} · {}\n", task.id, escaped(&task.title), task.kind, priority(task.priority), ended(report, entry, closed));
    let commits = counting(task);
    if !commits.is_empty() {
        text.push_str("\n**Evidence**\n\n");
        commits.iter().for_each(|commit| text.push_str(&format!("- `{}` {} {}\n", short(&commit.sha), escaped(&commit.subject), files(commit, true))));
    } else if closed.no_code {
        text.push_str(&format!("\n**Evidence**: no code: {}\n", escaped(&line(&closed.note, LINE_CHARS))));
    }
    let asked = if task.spec.trim().is_empty() { "> (no spec)\n".to_owned() } else { quoted(&task.spec, "") };
    text.push_str(&format!("\n**Asked**\n\n{asked}"));
    if !task.criteria.is_empty() {
        text.push('\n');
    }
    for criterion in &task.criteria {
        let mark = match criterion.met {
            Some(true) => "[x]",
            Some(false) => "[ ] not met:",
            None => "[ ]",
        };
        let note = if criterion.note.trim().is_empty() { String::new() } else { format!(" ({})", escaped(&criterion.note)) };
        text.push_str(&format!("- {mark} {}{note}\n", escaped(&criterion.text)));
    }
    if !closed.note.trim().is_empty() {
        let what = if task.status == Status::Cancelled { "Why" } else { "Delivered" };
        text.push_str(&format!("\n**{what}**\n\n{}", quoted(&closed.note, "")));
    }
    for (heading, verdicts) in [("Verdicts", true), ("Thread", false)] {
        let said: Vec<&Said> = entry.said.iter().filter(|said| said.is_verdict == verdicts).collect();
        if !said.is_empty() {
            text.push_str(&format!("\n**{heading}**\n\n"));
            said.into_iter().for_each(|said| text.push_str(&said_whole(report, said)));
        }
    }
    text
}

/// An entry that goes on: how it stands, and what happened to it inside the window.
fn open(report: &Report, entry: &Entry, form: Form) -> String {
    let point = point(form);
    let mut text = format!("- {}\n{point}{}\n", name(entry, form), standing(report, entry, form));
    if entry.stir.commits > 0 {
        text.push_str(&format!("{point}{}, {}\n", count(entry.stir.commits.into(), "commit"), size(entry.stir.added, entry.stir.deleted)));
    }
    let task = &entry.task;
    if entry.standing != Standing::Blocked && entry.standing != Standing::Ready && !entry.waits_on.is_empty() {
        text.push_str(&format!("{point}waits for {}\n", named(report, &entry.waits_on, form)));
    }
    if !entry.blocking.is_empty() {
        text.push_str(&format!("{point}waited for by {}\n", named(report, &entry.blocking, form)));
    }
    for question in &task.questions {
        text.push_str(&words_of(&format!("{} asks since {}", question.by, told(report, question.at)), &question.text, form));
    }
    for conflict in &task.conflicts {
        text.push_str(&format!("{point}conflict: {}\n", shown(&conflict.text, form)));
    }
    let handed_in = task.submission.as_ref().map(|submission| ("handed in with", &submission.note));
    let judged = task.verdict.as_ref().filter(|_| entry.standing == Standing::Changes).map(|verdict| ("wanted", &verdict.note));
    let released =
        task.last_release.as_ref().filter(|release| task.claim.is_none() && report.window.holds(release.at)).map(|release| ("left with", &release.note));
    for (what, note) in [handed_in, judged, released].into_iter().flatten() {
        text.push_str(&words_of(what, note, form));
    }
    text
}

/// What begins a line below an entry: where markdown is read, a point of its own.
fn point(form: Form) -> &'static str {
    if form == Form::Full { "  - " } else { "  " }
}

/// Somebody's words below an entry: on its line, or quoted whole.
fn words_of(what: &str, text: &str, form: Form) -> String {
    match (text.trim().is_empty(), form) {
        (true, _) => String::new(),
        (false, Form::Brief) => format!("{}{what}: {}\n", point(form), line(&clean(text), LINE_CHARS)),
        (false, Form::Full) => format!("{}{what}:\n{}", point(form), quoted(text, "    ")),
    }
}

/// How a task stood, and why.
fn standing(report: &Report, entry: &Entry, form: Form) -> String {
    let task = &entry.task;
    match entry.standing {
        Standing::InReview => match &task.submission {
            Some(submission) => format!("waits for a review: handed in by {} at {}", submission.by, told(report, submission.at)),
            None => "waits for a review".to_owned(),
        },
        Standing::NeedsYou => {
            let mut why = Vec::new();
            let counted = |number: usize, noun: &str| count(i64::try_from(number).unwrap_or(i64::MAX), noun);
            if !task.questions.is_empty() {
                why.push(counted(task.questions.len(), "question"));
            }
            let conflicts = task.conflicts.len() + entry.counters.edges_inert as usize;
            if conflicts > 0 {
                why.push(counted(conflicts, "conflict"));
            }
            format!("needs a person: {}", why.join(" and "))
        }
        Standing::Working => match &task.claim {
            Some(claim) => format!("{} works on it since {}", claim.actor, told(report, claim.at)),
            None => "worked on".to_owned(),
        },
        Standing::Changes => match &task.verdict {
            Some(verdict) => format!("changes wanted by {} at {}", verdict.by, told(report, verdict.at)),
            None => "changes wanted".to_owned(),
        },
        Standing::Stalled => match &task.claim {
            Some(claim) => format!("stalled: the claim of {} lapsed at {}", claim.actor, told(report, claim.expires)),
            None => "stalled".to_owned(),
        },
        Standing::Blocked => {
            let tasks = (!entry.waits_on.is_empty()).then(|| named(report, &entry.waits_on, form));
            let outside = task.blockers.iter().map(|blocker| format!("{} (says {})", shown(&line(&blocker.reason, LINE_CHARS), form), blocker.by));
            format!("waits for {}", tasks.into_iter().chain(outside).collect::<Vec<_>>().join(", "))
        }
        Standing::Held => match &task.held {
            Some(held) if held.kind == HoldKind::Plan => format!("its plan by {} is not approved yet", held.by),
            Some(held) if held.note.trim().is_empty() => format!("held by {}", held.by),
            Some(held) => format!("held by {}: {}", held.by, shown(&line(&held.note, LINE_CHARS), form)),
            None => "held".to_owned(),
        },
        Standing::Assigned => task.assignee.as_ref().map_or_else(|| "assigned".to_owned(), |to| format!("for {to}, not started")),
        _ if task.claims > 0 => "free again".to_owned(),
        _ => "ready to start".to_owned(),
    }
}

/// Tasks by id and title, the first ten.
fn named(report: &Report, ids: &[TaskId], form: Form) -> String {
    const NAMED: usize = 10;
    let name = |id: &TaskId| match report.titles.get(id) {
        Some(title) => format!("{id} {}", shown(&line(title, 60), form)),
        None => format!("{id} (not here yet)"),
    };
    let named: Vec<String> = ids.iter().take(NAMED).map(name).collect();
    let more = if ids.len() > NAMED { format!(" and {} more", ids.len() - NAMED) } else { String::new() };
    format!("{}{more}", named.join(", "))
}

fn said_line(report: &Report, said: &Said) -> String {
    let text = if said.text.trim().is_empty() { String::new() } else { format!(": {}", line(&clean(&said.text), LINE_CHARS)) };
    format!("{} {} {}{text}", told(report, said.at), said.actor, clean(&said.words))
}

fn said_whole(report: &Report, said: &Said) -> String {
    format!("- {} {} {}\n{}", told(report, said.at), said.actor, escaped(&said.words), quoted(&said.text, "  "))
}

fn conversation(report: &Report, form: Form) -> Part {
    let blocks = report.talk.iter().map(|talk| talked(report, talk, form)).collect();
    let count = report.talk.iter().map(|talk| talk.said.len()).sum();
    Part { key: "conversation", title: "Conversation".to_owned(), count, before: String::new(), blocks }
}

fn talked(report: &Report, talk: &Talk, form: Form) -> Block {
    let at = talk.said.last().map(|said| said.at).unwrap_or_default();
    let name = match &talk.task {
        Some(id) => titled(id, &talk.title, form),
        None => clean(&talk.title),
    };
    let entries = entries(talk.said.len());
    let line = format!("- {name}: {entries}\n");
    let whole = match (form, talk.said.last()) {
        (Form::Brief, Some(last)) => format!("- {name}: {entries}, last {}\n", said_line(report, last)),
        (Form::Full, _) if talk.is_above => format!("- {name}: {entries}, with the task above\n"),
        (Form::Full, _) => {
            let said: String = talk.said.iter().map(|said| said_whole(report, said)).collect();
            format!("\n### {}\n\n{said}", name.replace("**", ""))
        }
        (Form::Brief, None) => line.clone(),
    };
    Block { at, day: None, whole, line }
}

fn actors(report: &Report, form: Form) -> Part {
    let rows = report.actors.iter().filter(|(_, deeds)| !deeds.tasks.is_empty() || deeds.commits > 0 || deeds.comments > 0);
    let rows: Vec<&(Actor, Deeds)> = rows.collect();
    let heading = "| Actor | Tasks | Closed | Commits | Lines | Comments |\n|---|--:|--:|--:|--:|--:|\n";
    let before = if form == Form::Full && !rows.is_empty() { heading.to_owned() } else { String::new() };
    let blocks = rows.iter().map(|(actor, deeds)| {
        let (tasks, lines) = (deeds.tasks.len(), size(deeds.added, deeds.deleted));
        let Deeds { closed, commits, comments, .. } = deeds;
        let told = format!("- {actor}: {tasks} touched, {closed} closed, {}, {lines}, {}\n", count(*commits, "commit"), count(*comments, "comment"));
        let row = format!("| {actor} | {tasks} | {closed} | {commits} | {lines} | {comments} |\n");
        // Who did most stays where rows are cut.
        let at = Moment(i64::try_from(tasks).unwrap_or(i64::MAX));
        Block { at, day: None, whole: if form == Form::Full { row.clone() } else { told }, line: row }
    });
    Part { key: "actors", title: "By actor".to_owned(), count: rows.len(), before, blocks: blocks.collect() }
}

fn corrections(report: &Report, form: Form) -> Part {
    let block = |correction: &Correction| {
        let Correction { at, task, title, actor, words, text } = correction;
        let line = format!("- {} {}: {actor} {}\n", told(report, *at), titled(task, title, form), shown(words, form));
        let quote = match (text.trim().is_empty(), form) {
            (true, _) => String::new(),
            (false, Form::Full) => quoted(text, "  "),
            (false, Form::Brief) => format!("  {}\n", crate::words::line(&clean(text), LINE_CHARS)),
        };
        Block { at: *at, day: None, whole: format!("{line}{quote}"), line }
    };
    let blocks = report.corrections.iter().map(block).collect();
    Part { key: "corrections", title: "Corrections".to_owned(), count: report.corrections.len(), before: String::new(), blocks }
}

/// Every event of the window, counted by actor and kind.
fn happened(report: &Report) -> Part {
    let mut before = String::new();
    for (actor, deeds) in report.actors.iter().filter(|(_, deeds)| !deeds.kinds.is_empty()) {
        let kinds: Vec<String> = deeds.kinds.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
        before.push_str(&format!("- {actor}: {}\n", kinds.join(", ")));
    }
    Part { key: "happened", title: "Happened".to_owned(), count: 0, before, blocks: Vec::new() }
}

/// What needs a person, by who that is: whoever answers for the agent that waits, or anybody.
fn by_person(report: &Report, form: Form) -> Part {
    let entries = report.entries(Section::Needs);
    let mut people: BTreeMap<String, String> = BTreeMap::new();
    for entry in entries {
        let task = &entry.task;
        let waiting = task.questions.first().map(|question| &question.by).or(task.submission.as_ref().map(|submission| &submission.by));
        let person = waiting.filter(|actor| actor.is_agent()).and_then(Actor::dev).map_or_else(|| "anybody".to_owned(), |dev| format!("dev:{dev}"));
        people.entry(person).or_default().push_str(&open(report, entry, form));
    }
    let before: String = people.into_iter().map(|(person, text)| format!("### {person}\n\n{text}\n")).collect();
    Part { key: "needs", title: "Waiting for people".to_owned(), count: entries.len(), before, blocks: Vec::new() }
}

fn short(sha: &str) -> String {
    sha.chars().take(12).collect()
}
