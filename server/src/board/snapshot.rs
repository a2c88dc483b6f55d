//! What a page begins with: everything of one moment.

use super::assemble::{Reading, told};
use super::{PageFacts, ServerPort, offsets};
use contracts::view::{BoardQuery, BoardView, ColumnView, Me, ProjectView, Quarantine, QuarantinedLine, Snapshot};
use contracts::{Caller, Column, Moment, Problem, TaskId, limits};
use engine::Project;
use serde_json::json;
use std::collections::BTreeMap;

/// Words that narrow a list: every one is looked at, so there is a limit to them.
pub(super) fn words_fit(words: &str) -> Result<(), Problem> {
    if words.chars().count() > limits::QUERY_CHARS_MAX {
        let text = format!("a filter has at most {} characters", limits::QUERY_CHARS_MAX);
        return Err(Problem::bad_request("q", text));
    }
    Ok(())
}

/// The columns, or one of them.
pub(super) async fn board(reading: &mut Reading, caller: &Caller, query: &BoardQuery) -> Result<BoardView, Problem> {
    words_fit(&query.q)?;
    let asking = reading.asking(&query.filter, caller).await?;
    let mut columns = Vec::new();
    for key in Column::ALL.iter().copied().filter(|key| query.column.is_none_or(|only| only == *key)) {
        let cursor = query.cursor.as_deref().filter(|_| query.column.is_some());
        let found = reading.read.column(key, &query.q, asking.as_ref(), cursor, query.limit).await.map_err(told)?;
        let cards = reading.cards(&found.page.rows).await?;
        columns.push(ColumnView { key, total: found.page.total, hidden: found.hidden, cards, next: found.page.next });
    }
    let counts = reading.read.counts().await.map_err(told)?;
    let edges = if query.edges {
        let open = columns.iter().filter(|column: &&ColumnView| column.key != Column::Done);
        let ids: Vec<TaskId> = open.flat_map(|column| column.cards.iter().map(|card| card.id.clone())).collect();
        reading.read.edges_among(&ids).await.map_err(told)?
    } else {
        Vec::new()
    };
    Ok(BoardView { seq: reading.seq().await?, columns, counts, edges })
}

/// Everything a page needs.
pub(super) async fn snapshot(
    port: &ServerPort,
    reading: &mut Reading,
    caller: &Caller,
    query: &BoardQuery,
    task: Option<&TaskId>,
) -> Result<Snapshot, Problem> {
    let PageFacts { version, connect, read_only, .. } = port.page();
    let head = reading.read.head().await.map_err(told)?;
    let project = reading.read.project().await.map_err(told)?.unwrap_or_default();
    let board = board(reading, caller, query).await?;
    let milestones = reading.read.milestones().await.map_err(told)?;
    let (inbox, unread) = reading.read.bell(&caller.actor).await.map_err(told)?;
    let task = match task {
        Some(id) => Some(Box::new(reading.task(id, caller).await?)),
        None => None,
    };
    Ok(Snapshot {
        seq: head.seq,
        epoch: head.epoch,
        now: reading.now,
        version,
        project: project_view(&project, reading.now, port.0.base.chosen(reading.settings.base.as_deref())),
        me: Me { actor: caller.actor.clone(), principal: caller.principal.clone(), may_write: !read_only },
        settings: shown_settings(reading, &project),
        board,
        milestones: milestones.iter().map(engine::views::milestone_view).collect(),
        actors: reading.read.actors().await.map_err(told)?,
        conflicts: reading.conflicts().await?,
        quarantine: quarantine(port)?,
        inbox: reading.inbox(inbox).await?,
        unread,
        task,
        refusal: None,
        connect,
    })
}

/// What lies in quarantine. Without any, that is one look for a folder that is not there.
fn quarantine(port: &ServerPort) -> Result<Quarantine, Problem> {
    let (total, found) = port.store().quarantined(limits::QUARANTINE_SHOWN_MAX).map_err(told)?;
    let begins = |text: &str| text.chars().take(limits::QUARANTINE_TEXT_CHARS).collect();
    let line = |one: storage::Quarantined| QuarantinedLine { text: begins(&one.text), file: one.file, line: one.line, reason: one.reason };
    let mut lines: Vec<QuarantinedLine> = found.into_iter().map(line).collect();
    lines.sort();
    Ok(Quarantine { total, lines })
}

/// Settings that pages show or act on.
pub(super) fn shown_settings(reading: &Reading, project: &Project) -> BTreeMap<String, serde_json::Value> {
    let settings = &reading.settings;
    let shown = [("grace_s", json!(settings.grace_s)), ("review_default", json!(settings.review_default)), ("types", json!(settings.types))];
    let kept = ["wip_max", "views"].into_iter().filter_map(|key| Some((key, project.settings.get(key)?.clone())).filter(|(_, value)| !value.is_null()));
    shown.into_iter().chain(kept).map(|(key, value)| (key.to_owned(), value)).collect()
}

pub(super) fn project_view(project: &Project, now: Moment, base: Option<String>) -> ProjectView {
    let demo = project.created_by.as_ref().is_some_and(|actor| actor.as_str() == "system:demo");
    ProjectView {
        name: project.name.clone(),
        slug: engine::slug(&project.name),
        zone: project.zone.clone(),
        offset_minutes: offsets::clock(&project.zone, now).at(now),
        offsets: offsets::around(&project.zone, now),
        base,
        demo,
    }
}
