//! Projections: what events come to, kept beside them in the same transaction.
//!
//! Invariant: after any transaction every projection equals a fold of all events from nothing, whatever the order they came in. An event
//! that comes in order is applied to the stored state; a late one folds its subject anew, once a transaction.

pub(crate) mod counters;
pub(crate) mod edges;
pub(crate) mod rows;
pub(crate) mod subjects;
pub(crate) mod texts;

use crate::error::StoreError;
use crate::log_file::{self, Place};
use crate::script::{Answers, Script, Statement};
use crate::sql::{EventRow, blob, event_columns, id_list, list, q};
use crate::{encoding, inbox, lease};
use contracts::standing::{Standing, Status};
use contracts::{EventId, TaskId};
use engine::fold::{self, Effect};
use engine::{Counters, Event, Kind, Lease, Task};
use rows::TaskRow;
use sqlx::SqliteConnection;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// An event that has just come.
#[derive(Clone, Debug)]
pub(crate) struct Arrived {
    pub seq: i64,
    /// Its body whole, unless a blob is missing.
    pub event: Event,
    /// The blob that its body lies in and that is not here.
    pub missing: Option<String>,
    /// It was not known before; else what it waited for has come.
    pub is_new: bool,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Applied {
    /// Tasks that were blocked and no longer are, other than those the events are about.
    pub freed: Vec<TaskId>,
    /// Tasks that came to stand ready.
    pub ready: i64,
    /// Events that were found to be conflicts.
    pub conflicts: i64,
    /// Where the tasks the events are about stand now, leases and clock aside.
    pub rests: BTreeMap<TaskId, Standing>,
    /// The leases of these tasks, as they will be.
    pub leases: HashMap<TaskId, Lease>,
}

/// One task before and after.
pub(crate) struct Change {
    pub old: Option<TaskRow>,
    pub new: Option<Task>,
    /// The newest event that moved its status.
    pub moved_by: Option<Event>,
}

impl Change {
    pub(crate) fn old_task(&self) -> Option<&Task> {
        self.old.as_ref().map(|row| &row.task)
    }

    pub(crate) fn status_changed(&self) -> bool {
        self.old_task().map(|task| task.status) != self.new.as_ref().map(|task| task.status)
    }
}

/// Whether an event folds into a task.
pub(crate) fn task_of(event: &Event) -> Option<TaskId> {
    TaskId::parse(&event.subject).ok()
}

/// Projects events of this transaction. `script` holds what must be written before, the events themselves if they are not in their table
/// yet; afterwards it holds what is still to be written, so that the caller can send it together with its own.
pub(crate) async fn apply(conn: &mut SqliteConnection, place: &Place, arrived: &[Arrived], script: &mut Script) -> Result<Applied, StoreError> {
    let mut applied = Applied::default();
    park_for_blobs(script, arrived);
    texts::index_events(script, arrived);
    let mut of_tasks: BTreeMap<TaskId, Vec<&Event>> = BTreeMap::new();
    let mut of_others: BTreeMap<&str, Vec<&Event>> = BTreeMap::new();
    for one in arrived.iter().filter(|one| one.missing.is_none()) {
        match task_of(&one.event) {
            Some(task) => of_tasks.entry(task).or_default().push(&one.event),
            None => of_others.entry(&one.event.subject).or_default().push(&one.event),
        }
    }
    let asked = Asked::add(script, of_tasks.keys());
    let answers = std::mem::take(script).run(conn).await?;
    let mut effects: Vec<(EventId, Effect)> = Vec::new();
    subjects::apply(conn, place, of_others, &mut effects).await?;
    let (mut changes, late) = fold_in_order(&answers, &asked, of_tasks, &mut effects)?;
    fold_anew(conn, place, &mut changes, late, &mut effects).await?;
    note_effects(script, &effects, arrived, &mut applied);
    if changes.is_empty() {
        return Ok(applied);
    }

    let touched = edges::apply(conn, &changes).await?;
    applied.leases = lease::by_task(answers.rows(asked.leases))?;
    write(conn, &changes, touched, script, &mut applied).await?;
    lease::settle(script, &lease::moved(&changes), &mut applied.leases);
    inbox::tell_dependents(script, &changes);
    Ok(applied)
}

fn park_for_blobs(script: &mut Script, arrived: &[Arrived]) {
    for (one, sha256) in arrived.iter().filter_map(|one| one.missing.as_ref().map(|sha256| (one, sha256))) {
        let sql = "insert or ignore into parked (project, id, waits_for) values (?1, ?2, ?3)";
        script.add(sql, [blob(&one.event.id).into(), format!("blob:{sha256}").into()]);
    }
}

/// What is asked about the tasks that events are about.
struct Asked {
    rows: Statement,
    leases: Statement,
    waiting: Statement,
}

impl Asked {
    fn add<'a>(script: &mut Script, tasks: impl IntoIterator<Item = &'a TaskId>) -> Asked {
        let ids = id_list(tasks);
        let waiting = "select distinct waits_for from parked where project = ?1 and waits_for in (select value from json_each(?2))";
        Asked { rows: rows::add_load(script, &ids), leases: lease::add_of_tasks(script, &ids), waiting: script.add(waiting, [ids.into()]) }
    }
}

type Folded = (BTreeMap<TaskId, Change>, Vec<TaskId>);

/// Applies what comes in order; gives back the subjects to be folded anew.
fn fold_in_order(
    answers: &Answers,
    asked: &Asked,
    of_tasks: BTreeMap<TaskId, Vec<&Event>>,
    effects: &mut Vec<(EventId, Effect)>,
) -> Result<Folded, StoreError> {
    let mut stored = rows::read_load(answers.rows(asked.rows))?;
    let waiting: BTreeSet<&str> = answers.rows(asked.waiting).iter().map(|row| sqlx::Row::get(row, 0)).collect();
    let mut changes = BTreeMap::new();
    let mut late = Vec::new();
    for (id, mut events) in of_tasks {
        events.sort_by_key(|event| event.order());
        let old = stored.remove(&id);
        let mut new = old.as_ref().map(|row| row.task.clone());
        let in_order = match (&new, events.first()) {
            (Some(task), Some(_)) => events.iter().all(|event| fold::is_additive(event) || event.order() > task.last),
            (None, Some(first)) => first.kind == Kind::TaskCreated && !waiting.contains(id.as_str()),
            (_, None) => true,
        };
        let mut moved_by = None;
        if in_order {
            for event in events {
                let before = new.as_ref().map(|task| task.status);
                effects.push((event.id.clone(), fold::apply_task(&mut new, event)));
                if before.is_some() && new.as_ref().map(|task| task.status) != before {
                    moved_by = Some(event.clone());
                }
            }
        } else {
            moved_by = events.into_iter().rfind(|event| moves_status(&event.kind)).cloned();
            late.push(id.clone());
        }
        changes.insert(id, Change { old, new, moved_by });
    }
    Ok((changes, late))
}

fn moves_status(kind: &Kind) -> bool {
    matches!(kind, Kind::TaskClosed | Kind::TaskCancelled | Kind::TaskReopened)
}

/// Folds subjects that got a late event from all their events.
async fn fold_anew(
    conn: &mut SqliteConnection,
    place: &Place,
    changes: &mut BTreeMap<TaskId, Change>,
    late: Vec<TaskId>,
    effects: &mut Vec<(EventId, Effect)>,
) -> Result<(), StoreError> {
    if late.is_empty() {
        return Ok(());
    }
    forget(conn, &id_list(&late)).await?;
    let mut histories = histories(conn, place, late.iter().map(TaskId::as_str)).await?;
    for id in late {
        let mut events: Vec<Event> = histories.remove(id.as_str()).unwrap_or_default();
        let (task, mut of_task) = fold::fold_task(&mut events);
        effects.append(&mut of_task);
        if let Some(change) = changes.get_mut(&id) {
            change.new = task;
        }
    }
    Ok(())
}

/// Takes back what the fold of these subjects once said beside their state.
pub(crate) async fn forget(conn: &mut SqliteConnection, subjects: &str) -> Result<(), StoreError> {
    inbox::forget(conn, subjects).await?;
    q("delete from parked where project = ?1 and waits_for in (select value from json_each(?2))").bind(subjects).execute(&mut *conn).await?;
    Ok(())
}

/// All usable events of some subjects, bodies whole.
pub(crate) async fn histories<'a>(
    conn: &mut SqliteConnection,
    place: &Place,
    subjects: impl IntoIterator<Item = &'a str>,
) -> Result<BTreeMap<String, Vec<Event>>, StoreError> {
    let sql = concat!(
        "select ",
        event_columns!(),
        " from event e where e.project = ?1 and e.subject in (select value from json_each(?2)) order by e.subject, e.at, e.writer, e.n, e.id"
    );
    let mut found: BTreeMap<String, Vec<Event>> = BTreeMap::new();
    for row in q(sql).bind(list(subjects)).fetch_all(&mut *conn).await? {
        let mut event = EventRow::read(&row)?.event;
        if whole(place, &mut event).is_ok() {
            found.entry(event.subject.clone()).or_default().push(event);
        }
    }
    Ok(found)
}

/// Puts a body that lies in a blob in its place; the error names a blob that is not here.
pub(crate) fn whole(place: &Place, event: &mut Event) -> Result<(), String> {
    let Some(reference) = encoding::blob_ref(&event.body) else { return Ok(()) };
    let body = log_file::read_blob(place, &reference.sha256).and_then(|bytes| serde_json::from_slice(&bytes).ok());
    event.body = body.ok_or(reference.sha256)?;
    Ok(())
}

/// Whether an event found no effect.
pub(crate) fn found_none(effect: &Effect) -> bool {
    effect.already || effect.conflict
}

/// What the fold said about each event: inbox rows, flags, and who still waits.
fn note_effects(script: &mut Script, effects: &[(EventId, Effect)], arrived: &[Arrived], applied: &mut Applied) {
    for (id, effect) in effects {
        applied.conflicts += i64::from(effect.conflict);
        if effect.waits {
            let sql = "insert or ignore into parked (project, id, waits_for) select ?1, id, subject from event where project = ?1 and id = ?2";
            script.add(sql, [blob(id).into()]);
        }
    }
    inbox::tell(script, effects.iter().flat_map(|(id, effect)| effect.notices.iter().map(move |notice| (&notice.actor, id, notice.why))));
    // Events that have just come have no flag to take back.
    let new: BTreeSet<&EventId> = arrived.iter().filter(|one| one.is_new).map(|one| &one.event.id).collect();
    // The ids drive the search: with ids and flags joined in as one list, SQLite walks every event of the project for each of them.
    for (flag, wanted) in [(0_i64, false), (1, true)] {
        let of_flag = effects.iter().filter(|(id, effect)| found_none(effect) == wanted && (wanted || !new.contains(id)));
        let ids: Vec<&str> = of_flag.map(|(id, _)| id.as_str()).collect();
        if !ids.is_empty() {
            let sql = "update event set no_effect = ?3 where project = ?1 and id in (select unhex(value) from json_each(?2)) and no_effect <> ?3";
            script.add(sql, [list(ids).into(), flag.into()]);
        }
    }
}

/// Writes the tasks that changed and those whose neighbours did.
async fn write(
    conn: &mut SqliteConnection,
    changes: &BTreeMap<TaskId, Change>,
    touched: BTreeSet<TaskId>,
    script: &mut Script,
    applied: &mut Applied,
) -> Result<(), StoreError> {
    let asked = counters::Asked::add(script, changes, &touched);
    let answers = if asked.is_something() { std::mem::take(script).run(conn).await? } else { Answers::default() };
    let (affected, counted) = asked.read(&answers, changes, touched)?;
    let neighbours: Vec<&TaskId> = affected.iter().filter(|id| !changes.contains_key(*id)).collect();
    let stored = rows::load(conn, neighbours).await?;
    let mut tally: BTreeMap<Standing, i64> = BTreeMap::new();
    let mut move_one = |from: Option<Standing>, to: Option<Standing>, ready: &mut i64| {
        if from != to {
            from.into_iter().for_each(|from| *tally.entry(from).or_default() -= 1);
            to.into_iter().for_each(|to| *tally.entry(to).or_default() += 1);
            *ready += i64::from(to == Some(Standing::Ready));
        }
    };
    let mut whole_rows = Vec::new();
    for (id, change) in changes {
        let Some(task) = &change.new else { continue };
        // What no neighbour and no edge moved stays as it was counted.
        let counters: Counters = match &change.old {
            Some(old) if !affected.contains(id) => old.counters.clone(),
            _ => counted.get(id).cloned().unwrap_or_default(),
        };
        let rest = engine::rest(task, &counters);
        move_one(change.old.as_ref().map(|row| row.rest), Some(rest), &mut applied.ready);
        applied.rests.insert(id.clone(), rest);
        whole_rows.push((change.old.as_ref(), TaskRow { task: task.clone(), counters, rest }));
    }
    for (id, old) in stored {
        let counters = counted.get(&id).cloned().unwrap_or_default();
        let rest = engine::rest(&old.task, &counters);
        if rest == old.rest && counters == old.counters {
            continue;
        }
        move_one(Some(old.rest), Some(rest), &mut applied.ready);
        if old.rest == Standing::Blocked && rest != Standing::Blocked && old.task.status == Status::Open {
            applied.freed.push(id.clone());
        }
        rows::update_counters(script, &id, &counters, rest);
    }
    rows::upsert(script, &whole_rows)?;
    rows::add_to_tally(script, &tally);
    Ok(())
}

/// Folds the subjects of events whose blob has come.
pub(crate) async fn unpark(conn: &mut SqliteConnection, place: &Place, waits_for: &str) -> Result<(), StoreError> {
    let sql =
        concat!("select ", event_columns!(), " from parked p join event e on e.project = p.project and e.id = p.id where p.project = ?1 and p.waits_for = ?2");
    let mut arrived = Vec::new();
    for row in q(sql).bind(waits_for).fetch_all(&mut *conn).await? {
        let EventRow { seq, mut event, .. } = EventRow::read(&row)?;
        let missing = whole(place, &mut event).err();
        arrived.push(Arrived { seq, event, missing, is_new: false });
    }
    let mut script = Script::default();
    script.add("delete from parked where project = ?1 and waits_for = ?2", [waits_for.into()]);
    apply(conn, place, &arrived, &mut script).await?;
    script.run(conn).await?;
    Ok(())
}
