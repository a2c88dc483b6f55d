//! Reading: everything through one [`Read`] is of one moment. Rows come as the engine's types; words and views are made of them elsewhere.

mod activity;
pub(crate) mod cards;
pub(crate) mod facts;
mod filter;
pub(crate) mod fleet;
mod people;
pub(crate) mod queue;
mod reports;
mod search;
mod threads;

pub use activity::TallyRow;
pub use cards::{CardPage, CardRow, ColumnPage};
pub use filter::Asking;
pub use people::{InboxPage, InboxRow, LiveRow};
pub use search::Hit;
pub use threads::EventPage;

use crate::error::StoreError;
use crate::log_file::Place;
use crate::projection::subjects;
use crate::sql::{self, q};
use contracts::{Actor, Caller, Key, Moment, limits};
use engine::{Facts, Needs, Project, Settings};
use sqlx::sqlite::SqliteTransactionManager;
use sqlx::{Row, SqliteConnection, TransactionManager};
use std::fmt;
use std::sync::Arc;
use tokio::sync::OwnedMutexGuard;

/// Where the log stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Arrival number of the newest event.
    pub seq: i64,
    /// New with every database made anew or rebuilt.
    pub epoch: String,
    /// Number of the newest change without an event.
    pub live: i64,
}

/// One read transaction. It ends when dropped.
pub struct Read {
    pub(crate) conn: OwnedMutexGuard<SqliteConnection>,
    pub(crate) place: Place,
    pub(crate) now: Moment,
    /// What was read once already: everything here is of one moment.
    project: Option<Option<Project>>,
    pub(crate) leased: Option<Arc<Vec<queue::Leased>>>,
}

impl fmt::Debug for Read {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Read").field("now", &self.now).finish_non_exhaustive()
    }
}

impl Drop for Read {
    fn drop(&mut self) {
        SqliteTransactionManager::start_rollback(&mut self.conn);
    }
}

impl Read {
    pub(crate) async fn begin(mut conn: OwnedMutexGuard<SqliteConnection>, place: Place, now: Moment, only_reads: bool) -> Result<Read, StoreError> {
        let begun = SqliteTransactionManager::begin(&mut conn, None).await;
        // Within another one it would see for ever what that one saw.
        if matches!(begun, Err(sqlx::Error::WorkerCrashed)) || sql::depth(&conn) > 1 {
            sql::reconnect(&mut conn, &place.database(), only_reads).await?;
            SqliteTransactionManager::begin(&mut conn, None).await?;
        } else {
            begun?;
        }
        Ok(Read { conn, place, now, project: None, leased: None })
    }

    /// The moment of this read: the clock when it began.
    pub fn now(&self) -> Moment {
        self.now
    }

    /// Where the log stands.
    pub async fn head(&mut self) -> Result<Head, StoreError> {
        let sql = "select epoch, seq, (select coalesce(max(n), 0) from live_change where project = ?1) from project_head where project = ?1";
        let row = q(sql).fetch_optional(&mut *self.conn).await?.ok_or_else(|| StoreError::Corrupt("no head".to_owned()))?;
        Ok(Head { epoch: row.get(0), seq: row.get(1), live: row.get(2) })
    }

    /// The project, `None` before its first event.
    pub async fn project(&mut self) -> Result<Option<Project>, StoreError> {
        if let Some(project) = &self.project {
            return Ok(project.clone());
        }
        let project = subjects::load_project(&mut self.conn).await?;
        self.project = Some(project.clone());
        Ok(project)
    }

    /// The settings, at their defaults while there is no project.
    pub async fn settings(&mut self) -> Result<Settings, StoreError> {
        Ok(Settings::of(&self.project().await?.unwrap_or_default()))
    }

    /// Whether a call of this actor with this key was answered in the last days.
    pub async fn has_answer(&mut self, who: &Actor, key: &Key) -> Result<bool, StoreError> {
        let sql = "select exists (select 1 from receipt where project = ?1 and actor = ?2 and key = ?3 and at > ?4)";
        let from = sql::micros(self.now.plus_seconds(-limits::RECEIPT_DAYS * 86_400));
        Ok(q(sql).bind(who.as_str()).bind(key.as_str()).bind(from).fetch_one(&mut *self.conn).await?.get::<i64, _>(0) != 0)
    }

    /// What a decision needs, or a view of tasks and milestones.
    pub async fn facts(&mut self, needs: &Needs, caller: &Caller) -> Result<Facts, StoreError> {
        facts::load(&mut self.conn, &self.place, needs, caller, self.now).await
    }

    /// Seconds past its end in which a lease is late and not lapsed.
    pub(crate) async fn grace_s(&mut self) -> Result<i64, StoreError> {
        Ok(self.project().await?.map_or(limits::GRACE_SECONDS, |project| Settings::of(&project).grace_s))
    }
}

pub(crate) async fn grace_s(conn: &mut SqliteConnection) -> Result<i64, StoreError> {
    Ok(subjects::load_project(conn).await?.map_or(limits::GRACE_SECONDS, |project| Settings::of(&project).grace_s))
}

/// How many rows of a list a caller gets.
pub(crate) fn page_rows(asked: Option<u32>, default: usize) -> usize {
    asked.map_or(default, |asked| usize::try_from(asked).unwrap_or(usize::MAX)).clamp(1, limits::PAGE_ROWS_MAX)
}

/// A cursor is a JSON list nobody but this crate looks into.
pub(crate) fn cursor_of(values: &[&str]) -> String {
    sql::list(values.iter().copied())
}

/// A cursor's values. One that is none is refused: from the start, its caller would read the same page for ever.
pub(crate) fn cursor_values(cursor: Option<&str>, count: usize) -> Result<Option<Vec<String>>, StoreError> {
    let Some(cursor) = cursor else { return Ok(None) };
    let values: Option<Vec<String>> = serde_json::from_str(cursor).ok();
    values.filter(|values| values.len() == count).map(Some).ok_or(StoreError::Cursor)
}
