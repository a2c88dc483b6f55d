//! How many tasks stand where: the kept tally, corrected by the few leases.

use super::Read;
use crate::error::StoreError;
use crate::lease::{self, lease_columns};
use crate::projection::rows::{self, TASK_COLUMNS, task_columns};
use crate::script::{Answers, Script, Statement};
use crate::sql::word;
use contracts::standing::Standing;
use contracts::view::{Counts, Queue};
use contracts::{Actor, Moment};
use engine::{Lease, LeaseState};
use sqlx::Row;
use sqlx::sqlite::SqliteRow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A task with a lease row, and where both make it stand.
#[derive(Clone, Debug)]
pub(crate) struct Leased {
    pub row: rows::TaskRow,
    pub lease: Lease,
    pub standing: Standing,
    pub state: LeaseState,
}

/// Asks for every task with a lease row: few, whatever the size of the board.
pub(crate) fn add_leased(script: &mut Script) -> Statement {
    let sql = concat!(
        "select ",
        task_columns!(),
        ", ",
        lease_columns!(),
        " from lease l join task t on t.project = l.project and t.id = l.task where l.project = ?1 order by l.claimed_at, l.task"
    );
    script.add(sql, [])
}

pub(crate) fn read_leased(rows: &[SqliteRow], now: Moment, grace_s: i64) -> Result<Vec<Leased>, StoreError> {
    let read = |row: &SqliteRow| {
        let (row, lease) = (rows::read(row, 0)?, lease::read(row, TASK_COLUMNS)?);
        let standing = engine::standing(row.rest, Some(&lease), now, grace_s);
        let state = engine::lease_state(&lease, now, grace_s);
        Ok(Leased { row, lease, standing, state })
    };
    rows.iter().map(read).collect()
}

/// Asks how many tasks stand where when no lease is looked at.
pub(crate) fn add_tally(script: &mut Script) -> Statement {
    script.add("select rest, n from tally where project = ?1", [])
}

/// How many tasks stand where.
pub(crate) fn by_standing(tally: &[SqliteRow], leased: &[Leased]) -> Result<BTreeMap<Standing, i64>, StoreError> {
    let mut counts: BTreeMap<Standing, i64> = BTreeMap::new();
    for row in tally {
        counts.insert(word(Standing::parse(row.get(0)))?, row.get(1));
    }
    for one in leased.iter().filter(|one| one.standing != one.row.rest) {
        *counts.entry(one.row.rest).or_default() -= 1;
        *counts.entry(one.standing).or_default() += 1;
    }
    counts.retain(|_, count| *count != 0);
    Ok(counts)
}

/// Asks for the number of open conflicts on closed tasks.
fn add_conflicts_on_closed(script: &mut Script) -> Statement {
    script.add("select coalesce(sum(conflicts), 0) from task where project = ?1 and conflicts > 0 and status <> 'open'", [])
}

/// What is asked for the counts that go with an answer of `next`.
pub(crate) struct QueueAsked {
    tally: Statement,
    assigned: Statement,
    assigned_and_leased: Statement,
    conflicts_on_closed: Statement,
}

impl QueueAsked {
    pub fn add(script: &mut Script, who: &Actor) -> QueueAsked {
        let assigned = "select count(*) from task where project = ?1 and assignee = ?2 and status = 'open'";
        let leased = "select t.id from lease l join task t on t.project = l.project and t.id = l.task \
                      where l.project = ?1 and l.actor = ?2 and t.assignee = ?2 and t.status = 'open'";
        QueueAsked {
            tally: add_tally(script),
            assigned: script.add(assigned, [who.as_str().into()]),
            assigned_and_leased: script.add(leased, [who.as_str().into()]),
            conflicts_on_closed: add_conflicts_on_closed(script),
        }
    }

    pub fn read(&self, answers: &Answers, who: &Actor, leased: &[Leased]) -> Result<Queue, StoreError> {
        let counts = by_standing(answers.rows(self.tally), leased)?;
        let of = |standing: Standing| counts.get(&standing).copied().unwrap_or(0);
        let held = leased.iter().filter(|one| one.lease.actor == *who && one.state != LeaseState::Lapsed);
        let held: BTreeSet<&str> = held.map(|one| one.row.task.id.as_str()).collect();
        let number = |asked: Statement| answers.first(asked).map_or(0_i64, |row| row.get(0));
        let both = answers.rows(self.assigned_and_leased).iter().filter(|row| held.contains(row.get::<&str, _>(0))).count();
        let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let closed = [Standing::Done, Standing::Cancelled];
        Ok(Queue {
            ready: of(Standing::Ready),
            yours: count(held.len()) + number(self.assigned) - count(both),
            working: of(Standing::Working),
            waiting: of(Standing::Waiting),
            blocked: of(Standing::Blocked),
            needs_people: of(Standing::NeedsYou) + of(Standing::InReview) + number(self.conflicts_on_closed),
            held: of(Standing::Held),
            stalled: of(Standing::Stalled),
            open: counts.iter().filter(|(standing, _)| !closed.contains(standing)).map(|(_, count)| count).sum(),
        })
    }
}

impl Read {
    /// Every task with a lease row; read once.
    pub(crate) async fn leased(&mut self) -> Result<Arc<Vec<Leased>>, StoreError> {
        if let Some(leased) = &self.leased {
            return Ok(Arc::clone(leased));
        }
        let grace_s = self.grace_s().await?;
        let mut script = Script::default();
        let asked = add_leased(&mut script);
        let leased = Arc::new(read_leased(script.run(&mut self.conn).await?.rows(asked), self.now, grace_s)?);
        self.leased = Some(Arc::clone(&leased));
        Ok(leased)
    }

    /// How many tasks stand where, over all.
    pub async fn counts(&mut self) -> Result<Counts, StoreError> {
        let leased = self.leased().await?;
        let live = leased.iter().filter(|one| one.state != LeaseState::Lapsed && one.lease.actor.is_agent());
        let agents: BTreeSet<&Actor> = live.map(|one| &one.lease.actor).collect();
        let mut script = Script::default();
        let (tally, conflicts) = (add_tally(&mut script), add_conflicts_on_closed(&mut script));
        let answers = script.run(&mut self.conn).await?;
        Ok(Counts {
            agents_live: i64::try_from(agents.len()).unwrap_or(i64::MAX),
            by_standing: by_standing(answers.rows(tally), &leased)?,
            conflicts_on_closed: answers.first(conflicts).map_or(0, |row| row.get(0)),
        })
    }

    /// The counts that go with an answer of `next`.
    pub async fn queue(&mut self, who: &Actor) -> Result<Queue, StoreError> {
        let leased = self.leased().await?;
        let mut script = Script::default();
        let asked = QueueAsked::add(&mut script, who);
        asked.read(&script.run(&mut self.conn).await?, who, &leased)
    }
}
