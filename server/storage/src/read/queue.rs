//! How many tasks stand where: the kept tally, corrected by the few leases.

use super::Read;
use crate::error::StoreError;
use crate::lease::{self, lease_columns};
use crate::projection::rows::{self, TASK_COLUMNS, task_columns};
use crate::sql::{q, word};
use contracts::standing::Standing;
use contracts::view::{Counts, Queue};
use contracts::{Actor, Moment};
use engine::{Lease, LeaseState};
use sqlx::{Row, SqliteConnection};
use std::collections::{BTreeMap, BTreeSet};

/// A task with a lease row, and where both make it stand.
#[derive(Clone, Debug)]
pub(crate) struct Leased {
    pub row: rows::TaskRow,
    pub lease: Lease,
    pub standing: Standing,
    pub state: LeaseState,
}

/// Every task with a lease row: few, whatever the size of the board.
pub(crate) async fn leased(conn: &mut SqliteConnection, now: Moment, grace_s: i64) -> Result<Vec<Leased>, StoreError> {
    let sql = concat!(
        "select ",
        task_columns!(),
        ", ",
        lease_columns!(),
        " from lease l join task t on t.project = l.project and t.id = l.task where l.project = ?1 order by l.claimed_at, l.task"
    );
    let rows = q(sql).fetch_all(&mut *conn).await?;
    let read = |row: &sqlx::sqlite::SqliteRow| {
        let (row, lease) = (rows::read(row)?, lease::read(row, TASK_COLUMNS)?);
        let standing = engine::standing(row.rest, Some(&lease), now, grace_s);
        let state = engine::lease_state(&lease, now, grace_s);
        Ok(Leased { row, lease, standing, state })
    };
    rows.iter().map(read).collect()
}

/// How many tasks stand where.
pub(crate) async fn by_standing(conn: &mut SqliteConnection, leased: &[Leased]) -> Result<BTreeMap<Standing, i64>, StoreError> {
    let mut counts: BTreeMap<Standing, i64> = BTreeMap::new();
    for row in q("select rest, n from tally where project = ?1").fetch_all(&mut *conn).await? {
        counts.insert(word(Standing::parse(row.get(0)))?, row.get(1));
    }
    for one in leased.iter().filter(|one| one.standing != one.row.rest) {
        *counts.entry(one.row.rest).or_default() -= 1;
        *counts.entry(one.standing).or_default() += 1;
    }
    counts.retain(|_, count| *count != 0);
    Ok(counts)
}

/// Open conflicts on closed tasks.
async fn conflicts_on_closed(conn: &mut SqliteConnection) -> Result<i64, StoreError> {
    let sql = "select coalesce(sum(conflicts), 0) from task where project = ?1 and conflicts > 0 and status <> 'open'";
    Ok(q(sql).fetch_one(&mut *conn).await?.get(0))
}

/// The counts that go with an answer of `next`.
pub(crate) async fn queue(conn: &mut SqliteConnection, who: &Actor, leased: &[Leased]) -> Result<Queue, StoreError> {
    let counts = by_standing(conn, leased).await?;
    let of = |standing: Standing| counts.get(&standing).copied().unwrap_or(0);
    let held = leased.iter().filter(|one| one.lease.actor == *who && one.state != LeaseState::Lapsed);
    let held: BTreeSet<&str> = held.map(|one| one.row.task.id.as_str()).collect();
    let sql = "select count(*) from task where project = ?1 and assignee = ?2 and status = 'open' and id not in (select value from json_each(?3))";
    let assigned: i64 = q(sql).bind(who.as_str()).bind(crate::sql::list(held.iter().copied())).fetch_one(&mut *conn).await?.get(0);
    let closed = [Standing::Done, Standing::Cancelled];
    Ok(Queue {
        ready: of(Standing::Ready),
        yours: i64::try_from(held.len()).unwrap_or(i64::MAX) + assigned,
        working: of(Standing::Working),
        waiting: of(Standing::Waiting),
        blocked: of(Standing::Blocked),
        needs_people: of(Standing::NeedsYou) + of(Standing::InReview) + conflicts_on_closed(conn).await?,
        held: of(Standing::Held),
        stalled: of(Standing::Stalled),
        open: counts.iter().filter(|(standing, _)| !closed.contains(standing)).map(|(_, count)| count).sum(),
    })
}

impl Read {
    pub(crate) async fn leased(&mut self) -> Result<Vec<Leased>, StoreError> {
        let grace_s = self.grace_s().await?;
        leased(&mut self.conn, self.now, grace_s).await
    }

    /// How many tasks stand where, over all.
    pub async fn counts(&mut self) -> Result<Counts, StoreError> {
        let leased = self.leased().await?;
        let live = leased.iter().filter(|one| one.state != LeaseState::Lapsed && one.lease.actor.is_agent());
        let agents: BTreeSet<&Actor> = live.map(|one| &one.lease.actor).collect();
        Ok(Counts {
            agents_live: i64::try_from(agents.len()).unwrap_or(i64::MAX),
            by_standing: by_standing(&mut self.conn, &leased).await?,
            conflicts_on_closed: conflicts_on_closed(&mut self.conn).await?,
        })
    }

    /// The counts that go with an answer of `next`.
    pub async fn queue(&mut self, who: &Actor) -> Result<Queue, StoreError> {
        let leased = self.leased().await?;
        queue(&mut self.conn, who, &leased).await
    }
}
