//! Facts for a decision or a view, loaded by key: tasks with their neighbours, milestones, reach, holdings. All in one script: which
//! facts are needed is known before anything is read.

use super::fleet;
use crate::error::StoreError;
use crate::lease::{self, lease_columns};
use crate::log_file::Place;
use crate::projection::rows::{self, TASK_COLUMNS, task_columns};
use crate::projection::whole;
use crate::script::{Answers, Script, Statement};
use crate::sql::{EventRow, actor, blob, event_columns, id_list, list, task_id, word};
use contracts::standing::{Standing, Status, Via};
use contracts::{Actor, Caller, MilestoneId, Moment, TaskId, limits};
use engine::{Event, Facts, Holding, Milestone, MilestoneFacts, Needs, Neighbour, Project, Settings, TaskFacts};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};
use std::collections::{BTreeMap, BTreeSet};

/// Columns of the task at an edge's other end (`o`) and its lease (`l`).
macro_rules! neighbour_columns {
    () => {
        concat!("o.title, o.status, o.rest, json_extract(o.state, '$.closed.note'), ", lease_columns!())
    };
}

/// Which milestones come with the numbers of their tasks: counting walks all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counted {
    /// All, for views.
    All,
    /// Those a command is about.
    Named,
}

/// Loads what is needed for a view.
pub(crate) async fn load(conn: &mut SqliteConnection, place: &Place, needs: &Needs, caller: &Caller, now: Moment) -> Result<Facts, StoreError> {
    let ids = named(conn, needs).await?;
    let mut script = Script::default();
    let asked = Asked::add(&mut script, needs, &ids, &caller.actor, Counted::All);
    let answers = script.run(conn).await?;
    let mut found = asked.facts(place, &answers, now)?;
    fleet::load(conn, needs, caller, now, &mut found).await?;
    Ok(found)
}

/// Whether some of the tasks needed are known by other names only.
pub(crate) fn has_other_names(needs: &Needs) -> bool {
    !needs.descendants.is_empty() || needs.agents_tasks || needs.question.is_some() || needs.blocker.is_some() || needs.conflict.is_some()
}

/// The tasks needed, with those that other names stand for.
pub(crate) async fn named(conn: &mut SqliteConnection, needs: &Needs) -> Result<BTreeSet<TaskId>, StoreError> {
    let mut ids = needs.tasks.clone();
    if needs.agents_tasks {
        ids.extend(fleet::agents_tasks(conn).await?);
    }
    let mut script = Script::default();
    let mut found = Vec::new();
    if !needs.descendants.is_empty() {
        let sql = "with recursive below (id) as (select value from json_each(?2) union \
                     select t.id from below join task t on t.project = ?1 and t.parent = below.id and t.status = 'open') select id from below";
        found.push(script.add(sql, [id_list(&needs.descendants).into()]));
    }
    for (kind, id) in [
        ("question", needs.question.as_ref().map(|id| id.as_str())),
        ("blocker", needs.blocker.as_ref().map(|id| id.as_str())),
        ("conflict", needs.conflict.as_ref().map(|id| id.as_str())),
    ] {
        if let Some(id) = id {
            found.push(script.add("select task from open_item where project = ?1 and kind = ?2 and id = ?3", [kind.into(), id.into()]));
        }
    }
    let answers = script.run(conn).await?;
    for row in found.into_iter().flat_map(|statement| answers.rows(statement)) {
        ids.insert(task_id(row.get(0))?);
    }
    Ok(ids)
}

/// The questions whose answers are [`Facts`].
pub(crate) struct Asked {
    project: Statement,
    tasks: Option<TasksAsked>,
    milestones: Option<MilestonesAsked>,
    reach: Option<Statement>,
    holdings: Option<Statement>,
    actors: Option<Statement>,
    event: Option<Statement>,
}

impl Asked {
    pub fn add(script: &mut Script, needs: &Needs, ids: &BTreeSet<TaskId>, who: &Actor, counted: Counted) -> Asked {
        Asked {
            project: script.add("select state from project_state where project = ?1", []),
            tasks: (!ids.is_empty()).then(|| TasksAsked::add(script, ids)),
            milestones: MilestonesAsked::add(script, needs, ids, counted),
            reach: (!needs.reach.is_empty()).then(|| {
                let sql = "with recursive ahead (id) as (select value from json_each(?2) union \
                             select e.waits_on from ahead join edge e on e.project = ?1 and e.task = ahead.id and e.inert = 0) \
                           select e.task, e.waits_on from ahead join edge e on e.project = ?1 and e.task = ahead.id and e.inert = 0";
                script.add(sql, [id_list(&needs.reach).into()])
            }),
            holdings: needs.holdings.then(|| add_holdings(script, who)),
            actors: (!needs.actors.is_empty()).then(|| {
                let sql = "select value from json_each(?2) where value in (select actor from actor where project = ?1) \
                           or value in (select actor from lease where project = ?1)";
                script.add(sql, [list(needs.actors.iter().map(Actor::as_str)).into()])
            }),
            event: needs.conflict.as_ref().map(|id| {
                let sql = concat!("select ", event_columns!(), " from event e where e.project = ?1 and e.id = ?2");
                script.add(sql, [blob(id).into()])
            }),
        }
    }

    pub fn facts(self, place: &Place, answers: &Answers, now: Moment) -> Result<Facts, StoreError> {
        let project: Option<Project> = answers.first(self.project).map(|row| serde_json::from_str(row.get(0))).transpose()?;
        let grace_s = project.as_ref().map_or(limits::GRACE_SECONDS, |project| Settings::of(project).grace_s);
        let mut reach: BTreeMap<TaskId, BTreeSet<TaskId>> = BTreeMap::new();
        for row in self.reach.into_iter().flat_map(|reach| answers.rows(reach)) {
            reach.entry(task_id(row.get(0))?).or_default().insert(task_id(row.get(1))?);
        }
        Ok(Facts {
            project,
            tasks: self.tasks.map(|tasks| tasks.read(answers, now, grace_s)).transpose()?.unwrap_or_default(),
            milestones: self.milestones.map(|milestones| milestones.read(answers)).transpose()?.unwrap_or_default(),
            edges: reach,
            holdings: self.holdings.map(|holdings| read_holdings(answers.rows(holdings))).transpose()?.unwrap_or_default(),
            actors: self.actors.into_iter().flat_map(|actors| answers.rows(actors)).map(|row| actor(row.get(0))).collect::<Result<_, _>>()?,
            event: self.event.and_then(|event| answers.first(event)).map(|row| event_of(place, row)).transpose()?,
            ..Facts::default()
        })
    }
}

/// A task as if it had no neighbours.
fn alone(row: rows::TaskRow, lease: Option<engine::Lease>) -> TaskFacts {
    TaskFacts { task: row.task, counters: row.counters, lease, waits_on: Vec::new(), blocking: Vec::new(), children: Vec::new(), ancestors: Vec::new() }
}

/// Tasks with all that decides about them.
pub(crate) struct TasksAsked {
    rows: Statement,
    leases: Statement,
    ahead: Statement,
    behind: Statement,
    above: Statement,
}

/// How far parents of parents are followed.
const STEPS: i64 = 32;

impl TasksAsked {
    pub fn add<'a>(script: &mut Script, ids: impl IntoIterator<Item = &'a TaskId>) -> TasksAsked {
        let ids = id_list(ids);
        TasksAsked {
            rows: rows::add_load(script, &ids),
            leases: lease::add_of_tasks(script, &ids),
            ahead: script.add(
                concat!(
                    "select e.task, e.waits_on, e.via, e.by_actor, e.inert, ",
                    neighbour_columns!(),
                    " from edge e left join task o on o.project = e.project and o.id = e.waits_on \
                      left join lease l on l.project = e.project and l.task = e.waits_on \
                      where e.project = ?1 and e.task in (select value from json_each(?2)) order by e.waits_on, e.via"
                ),
                [ids.as_str().into()],
            ),
            behind: script.add(
                concat!(
                    "select e.task, e.waits_on, e.via, e.by_actor, e.inert, ",
                    neighbour_columns!(),
                    " from edge e left join task o on o.project = e.project and o.id = e.task \
                      left join lease l on l.project = e.project and l.task = e.task \
                      where e.project = ?1 and e.via <> 'parent' and e.waits_on in (select value from json_each(?2)) order by e.task, e.via"
                ),
                [ids.as_str().into()],
            ),
            // Nearest first. A chain that runs in a circle (a conflict for a person) is followed once around.
            above: script.add(
                concat!(
                    "with recursive up (start, id, step) as (select t.id, t.parent, 1 from task t \
                       where t.project = ?1 and t.id in (select value from json_each(?2)) and t.parent is not null \
                       union select up.start, t.parent, up.step + 1 from up join task t on t.project = ?1 and t.id = up.id \
                       where t.parent is not null and t.parent <> up.start and up.step < ?3) \
                     select up.start, up.id, ",
                    neighbour_columns!(),
                    " from up left join task o on o.project = ?1 and o.id = up.id left join lease l on l.project = ?1 and l.task = up.id \
                      order by up.start, up.step"
                ),
                [ids.as_str().into(), STEPS.into()],
            ),
        }
    }

    /// Unknown ids do not appear.
    pub fn read(self, answers: &Answers, now: Moment, grace_s: i64) -> Result<BTreeMap<TaskId, TaskFacts>, StoreError> {
        let mut leases = lease::by_task(answers.rows(self.leases))?;
        let mut found = BTreeMap::new();
        for (id, row) in rows::read_load(answers.rows(self.rows))? {
            let lease = leases.remove(&id);
            found.insert(id, alone(row, lease));
        }
        for row in answers.rows(self.ahead) {
            let neighbour = edge_neighbour(row, 1, now, grace_s)?;
            if let Some(facts) = found.get_mut(&task_id(row.get(0))?) {
                if neighbour.via == Via::Parent { &mut facts.children } else { &mut facts.waits_on }.push(neighbour);
            }
        }
        for row in answers.rows(self.behind) {
            let neighbour = edge_neighbour(row, 0, now, grace_s)?;
            if let Some(facts) = found.get_mut(&task_id(row.get(1))?) {
                facts.blocking.push(neighbour);
            }
        }
        for row in answers.rows(self.above) {
            let parent = neighbour(row, 2, task_id(row.get(1))?, Via::Parent, now, grace_s)?;
            if let Some(facts) = found.get_mut(&task_id(row.get(0))?)
                && facts.ancestors.iter().all(|known| known.id != parent.id)
            {
                facts.ancestors.push(parent);
            }
        }
        Ok(found)
    }
}

/// Reads a neighbour's columns, starting at `at`.
fn neighbour(row: &SqliteRow, at: usize, id: TaskId, via: Via, now: Moment, grace_s: i64) -> Result<Neighbour, StoreError> {
    let status: Option<&str> = row.get(at + 1);
    let rest: Option<&str> = row.get(at + 2);
    let lease = match row.get::<Option<&str>, _>(at + 4) {
        Some(_) => Some(lease::read(row, at + 4)?),
        None => None,
    };
    let standing = rest.map(|rest| word(Standing::parse(rest))).transpose()?.map(|rest| engine::standing(rest, lease.as_ref(), now, grace_s));
    Ok(Neighbour {
        id,
        title: row.get::<Option<String>, _>(at).unwrap_or_default(),
        status: status.map(|status| word(Status::parse(status))).transpose()?,
        standing,
        holder: lease.filter(|lease| engine::lease_state(lease, now, grace_s) != engine::LeaseState::Lapsed).map(|lease| lease.actor),
        via,
        inert: false,
        note: row.get::<Option<String>, _>(at + 3).unwrap_or_default(),
        by: None,
    })
}

fn edge_neighbour(row: &SqliteRow, id_at: usize, now: Moment, grace_s: i64) -> Result<Neighbour, StoreError> {
    let via = word(Via::parse(row.get(2)))?;
    let known = neighbour(row, 5, task_id(row.get(id_at))?, via, now, grace_s)?;
    Ok(Neighbour { inert: row.get::<i64, _>(4) != 0, by: Some(actor(row.get(3))?), ..known })
}

/// Open tasks of a milestone that are named; more are counted.
const OPEN_TASKS: i64 = 1_001;

/// Milestones with the numbers of their tasks, and for few the open ones by id: only a command about a milestone asks for them, and
/// finding them walks all of its tasks.
struct MilestonesAsked {
    states: Statement,
    counts: Statement,
    open_tasks: Vec<Statement>,
}

/// Milestones by id, those of some tasks, and an open one by its title.
const WANTED: &str = "select value from json_each(?2) union select milestone from task where project = ?1 and id in (select value from json_each(?3)) \
    and milestone is not null union select * from (select id from milestone where project = ?1 and title_folded = ?4 and status = 'open' \
    order by created_at, id limit 1)";

impl MilestonesAsked {
    fn add(script: &mut Script, needs: &Needs, tasks: &BTreeSet<TaskId>, counted: Counted) -> Option<MilestonesAsked> {
        if needs.milestones.is_empty() && tasks.is_empty() && needs.milestone_title.is_none() {
            return None;
        }
        let (named, of_tasks) = (list(needs.milestones.iter().map(MilestoneId::as_str)), id_list(tasks));
        let title = || needs.milestone_title.as_deref().into();
        let states = format!("select state from milestone where project = ?1 and id in ({WANTED})");
        let states = script.add(&states, [named.as_str().into(), of_tasks.as_str().into(), title()]);
        let counts = "select milestone, sum(status = 'open'), sum(status <> 'open') from task where project = ?1 and milestone in";
        let counts = match counted {
            Counted::All => script.add(&format!("{counts} ({WANTED}) group by milestone"), [named.as_str().into(), of_tasks.as_str().into(), title()]),
            Counted::Named => script.add(&format!("{counts} (select value from json_each(?2)) group by milestone"), [named.as_str().into()]),
        };
        let open_tasks = "select milestone, id from task where project = ?1 and milestone = ?2 and status = 'open' order by id limit ?3";
        let open_tasks = needs.milestones.iter().map(|id| script.add(open_tasks, [id.as_str().into(), OPEN_TASKS.into()])).collect();
        Some(MilestonesAsked { states, counts, open_tasks })
    }

    fn read(self, answers: &Answers) -> Result<BTreeMap<MilestoneId, MilestoneFacts>, StoreError> {
        let mut found = BTreeMap::new();
        for row in answers.rows(self.states) {
            let milestone: Milestone = serde_json::from_str(row.get(0))?;
            found.insert(milestone.id.clone(), MilestoneFacts { milestone, open_tasks: Vec::new(), open: 0, closed: 0 });
        }
        for row in answers.rows(self.counts) {
            if let Some(facts) = found.get_mut(&word(MilestoneId::parse(row.get(0)))?) {
                (facts.open, facts.closed) = (row.get(1), row.get(2));
            }
        }
        for row in self.open_tasks.into_iter().flat_map(|open| answers.rows(open)) {
            if let Some(facts) = found.get_mut(&word(MilestoneId::parse(row.get(0)))?) {
                facts.open_tasks.push(task_id(row.get(1))?);
            }
        }
        Ok(found)
    }
}

/// Milestones with the numbers of their tasks.
pub(crate) async fn milestones(conn: &mut SqliteConnection, ids: &[MilestoneId]) -> Result<BTreeMap<MilestoneId, MilestoneFacts>, StoreError> {
    let mut script = Script::default();
    let ids = list(ids.iter().map(MilestoneId::as_str));
    let states = script.add("select state from milestone where project = ?1 and id in (select value from json_each(?2))", [ids.as_str().into()]);
    let sql = "select milestone, sum(status = 'open'), sum(status <> 'open') from task where project = ?1 and milestone in (select value from json_each(?2)) \
               group by milestone";
    let counts = script.add(sql, [ids.into()]);
    MilestonesAsked { states, counts, open_tasks: Vec::new() }.read(&script.run(conn).await?)
}

/// The actor's leases with their tasks, oldest claim first.
pub(crate) fn add_holdings(script: &mut Script, who: &Actor) -> Statement {
    let sql = concat!(
        "select ",
        task_columns!(),
        ", ",
        lease_columns!(),
        " from lease l join task t on t.project = l.project and t.id = l.task where l.project = ?1 and l.actor = ?2 order by l.claimed_at, l.task"
    );
    script.add(sql, [who.as_str().into()])
}

/// The actor's leases with their tasks.
pub(crate) fn read_holdings(rows: &[SqliteRow]) -> Result<Vec<Holding>, StoreError> {
    let holding = |row: &SqliteRow| {
        let rows::TaskRow { task, counters, .. } = rows::read(row, 0)?;
        Ok(Holding { lease: lease::read(row, TASK_COLUMNS)?, task, counters })
    };
    rows.iter().map(holding).collect()
}

fn event_of(place: &Place, row: &SqliteRow) -> Result<Event, StoreError> {
    let mut event = EventRow::read(row)?.event;
    // A body whose blob is not here stays the reference that it is.
    let _ = whole(place, &mut event);
    Ok(event)
}
