//! What hooks remember between two of their short lives: live rows, each one text under a kind and a key.
//!
//! Invariants: no mark is ever an event or read by a rule; losing all of them costs a repeated note, never a fact. Old ones go when new
//! ones come.

use crate::error::StoreError;
use crate::lock;
use crate::read::Read;
use crate::sql::{from_micros, micros, q, task_id};
use crate::store::Store;
use contracts::{Actor, Moment, TaskId};
use sqlx::Row;
use std::collections::BTreeSet;

/// How long a mark is kept.
const DAYS: i64 = 7;

/// Something remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// What.
    pub value: String,
    /// Since when.
    pub at: Moment,
}

impl Store {
    /// Remembers a value, in place of the one that was there.
    pub async fn mark(&self, kind: &str, key: &str, value: &str) -> Result<(), StoreError> {
        self.write_mark("insert or replace into mark (project, kind, key, value, at) values (?1, ?2, ?3, ?4, ?5)", kind, key, value).await.map(drop)
    }

    /// Remembers a value unless there is one; says whether there was none.
    pub async fn mark_once(&self, kind: &str, key: &str, value: &str) -> Result<bool, StoreError> {
        let sql = "insert into mark (project, kind, key, value, at) values (?1, ?2, ?3, ?4, ?5) on conflict do nothing";
        self.write_mark(sql, kind, key, value).await.map(|rows| rows > 0)
    }

    async fn write_mark(&self, sql: &str, kind: &str, key: &str, value: &str) -> Result<u64, StoreError> {
        let inner = &self.inner;
        if inner.options.read_only {
            return Ok(0);
        }
        let now = inner.now();
        let mut conn = inner.writer().await?;
        let _turn = lock::exclusive(&inner.place.run("write.lock")).await?;
        q("delete from mark where project = ?1 and at < ?2").bind(micros(now.plus_seconds(-DAYS * 86_400))).execute(&mut *conn).await?;
        Ok(q(sql).bind(kind).bind(key).bind(value).bind(micros(now)).execute(&mut *conn).await?.rows_affected())
    }

    /// Notes where a holder works. Anybody else's lease keeps its own place. Says whether there was such a lease.
    pub async fn note_place(&self, task: &TaskId, holder: &Actor, worktree: &str, branch: &str) -> Result<bool, StoreError> {
        let inner = &self.inner;
        if inner.options.read_only {
            return Ok(false);
        }
        let mut conn = inner.writer().await?;
        let _turn = lock::exclusive(&inner.place.run("write.lock")).await?;
        let sql = "update lease set worktree = ?4, branch = ?5 where project = ?1 and task = ?2 and actor = ?3";
        Ok(q(sql).bind(task.as_str()).bind(holder.as_str()).bind(worktree).bind(branch).execute(&mut *conn).await?.rows_affected() > 0)
    }
}

impl Read {
    /// What is remembered under a kind and a key.
    pub async fn mark(&mut self, kind: &str, key: &str) -> Result<Option<Mark>, StoreError> {
        let row = q("select value, at from mark where project = ?1 and kind = ?2 and key = ?3").bind(kind).bind(key).fetch_optional(&mut *self.conn).await?;
        Ok(row.map(|row| Mark { value: row.get(0), at: from_micros(row.get(1)) }))
    }

    /// Every task somebody has a lease on, whatever its state.
    pub async fn leased_tasks(&mut self) -> Result<Vec<TaskId>, StoreError> {
        let rows = q("select task from lease where project = ?1 order by task").fetch_all(&mut *self.conn).await?;
        rows.iter().map(|row| task_id(row.get(0))).collect()
    }

    /// The tasks a commit is bound to.
    pub async fn tasks_of_commit(&mut self, sha: &str) -> Result<Vec<TaskId>, StoreError> {
        let rows = q("select task from commit_bound where project = ?1 and sha = ?2 order by task").bind(sha).fetch_all(&mut *self.conn).await?;
        rows.iter().map(|row| task_id(row.get(0))).collect()
    }

    /// The commits of a task that were bound in this directory, and not in another clone.
    pub async fn commits_bound_here(&mut self, task: &TaskId) -> Result<BTreeSet<String>, StoreError> {
        let sql = "select distinct json_extract(e.body, '$.sha') from event e join writer w on w.project = e.project and w.writer = e.writer \
                   where e.project = ?1 and e.subject = ?2 and e.kind = 'commit.bound' and json_extract(e.body, '$.sha') is not null";
        let rows = q(sql).bind(task.as_str()).fetch_all(&mut *self.conn).await?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }
}
