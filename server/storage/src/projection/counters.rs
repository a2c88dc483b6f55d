//! What a task's neighbours make of it, counted from the edges whenever one of them changes.

use super::Change;
use crate::error::StoreError;
use crate::script::{Answers, Script, Statement};
use crate::sql::{id_list, task_id, word};
use contracts::TaskId;
use contracts::standing::{Status, Via};
use engine::Counters;
use sqlx::Row;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// An edge as counting needs it.
pub(crate) struct Link {
    pub task: TaskId,
    pub on: TaskId,
    pub via: Via,
    pub inert: bool,
}

/// Counts for the tasks at the ends of these links. A target that is not known here counts as open.
pub(crate) fn count<'a>(links: impl IntoIterator<Item = &'a Link>, status: impl Fn(&TaskId) -> Option<Status>) -> HashMap<TaskId, Counters> {
    let mut counted: HashMap<TaskId, Counters> = HashMap::new();
    // `after` and `block` may both join the same two tasks; they count once.
    let mut seen: BTreeSet<(&TaskId, &TaskId)> = BTreeSet::new();
    for link in links {
        let target = status(&link.on);
        let of_task = counted.entry(link.task.clone()).or_default();
        of_task.edges_inert += u32::from(link.inert);
        if link.via == Via::Parent {
            of_task.children += 1;
            of_task.children_open += u32::from(!link.inert && target == Some(Status::Open));
            continue;
        }
        if link.inert || !seen.insert((&link.task, &link.on)) {
            continue;
        }
        match target {
            None | Some(Status::Open) => {
                of_task.waits_open += 1;
                if of_task.waits_first.as_ref().is_none_or(|first| link.on < *first) {
                    of_task.waits_first = Some(link.on.clone());
                }
            }
            Some(Status::Cancelled) => of_task.waits_cancelled += 1,
            Some(Status::Done) => {}
        }
        if status(&link.task) == Some(Status::Open) {
            counted.entry(link.on.clone()).or_default().blocks += 1;
        }
    }
    counted
}

/// What is asked to count anew.
pub(crate) struct Asked {
    neighbours: Option<Statement>,
    links: Option<Statement>,
}

/// The tasks at the other end of an edge from these (a JSON list), in either direction.
const NEIGHBOURS: &str = "select task from edge where project = ?1 and waits_on in (select value from json_each(?2)) \
    union select waits_on from edge where project = ?1 and task in (select value from json_each(?2))";

impl Asked {
    /// Asks for what may have changed: at the edges that did (`touched`), at new tasks, and at the neighbours of those whose status did.
    pub fn add(script: &mut Script, changes: &BTreeMap<TaskId, Change>, touched: &BTreeSet<TaskId>) -> Asked {
        let moved = id_list(changes.iter().filter(|(_, change)| change.status_changed()).map(|(id, _)| id));
        let ends = id_list(touched);
        if moved == "[]" && ends == "[]" {
            return Asked { neighbours: None, links: None };
        }
        let ids = format!("select value from json_each(?3) union select value from json_each(?2) union {NEIGHBOURS}");
        let sql = format!(
            "with ids (id) as materialized ({ids}) select e.task, e.waits_on, e.via, e.inert, a.status, b.status \
             from (select * from edge where project = ?1 and task in (select id from ids) \
                   union select * from edge where project = ?1 and waits_on in (select id from ids)) e \
             left join task a on a.project = ?1 and a.id = e.task left join task b on b.project = ?1 and b.id = e.waits_on"
        );
        Asked {
            neighbours: Some(script.add(NEIGHBOURS, [moved.as_str().into()])),
            links: Some(script.add(&sql, [moved.as_str().into(), ends.as_str().into()])),
        }
    }

    pub fn is_something(&self) -> bool {
        self.links.is_some()
    }

    /// The tasks that may have changed by it and what their neighbours make of them now. `changes` stand for what is about to be written.
    pub fn read(
        self,
        answers: &Answers,
        changes: &BTreeMap<TaskId, Change>,
        touched: BTreeSet<TaskId>,
    ) -> Result<(BTreeSet<TaskId>, HashMap<TaskId, Counters>), StoreError> {
        let mut affected = touched;
        for row in self.neighbours.into_iter().flat_map(|neighbours| answers.rows(neighbours)) {
            affected.insert(task_id(row.get(0))?);
        }
        affected.extend(changes.iter().filter(|(_, change)| change.status_changed()).map(|(id, _)| id.clone()));
        let mut links = Vec::new();
        let mut statuses: HashMap<TaskId, Status> = HashMap::new();
        for row in self.links.into_iter().flat_map(|links| answers.rows(links)) {
            let (task, on) = (task_id(row.get(0))?, task_id(row.get(1))?);
            for (id, at) in [(&task, 4), (&on, 5)] {
                if let Some(status) = row.get::<Option<&str>, _>(at) {
                    statuses.insert(id.clone(), word(Status::parse(status))?);
                }
            }
            links.push(Link { task, on, via: word(Via::parse(row.get(2)))?, inert: row.get::<i64, _>(3) != 0 });
        }
        for (id, change) in changes {
            if let Some(task) = &change.new {
                statuses.insert(id.clone(), task.status);
            }
        }
        Ok((affected, count(&links, |id| statuses.get(id).copied())))
    }
}
