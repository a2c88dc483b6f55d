//! Hearing of changes: own commits, the watched file, a moved `data_version` once a second, and the end of the earliest lease. Each is a
//! hint to look; what there is to see is read from the tables.

use crate::error::StoreError;
use crate::read::grace_s;
use crate::sql::{self, from_micros, micros, q};
use crate::store::Inner;
use contracts::Moment;
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use sqlx::{Row, SqliteConnection};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, Interval, MissedTickBehavior};

/// How often the truth is looked at.
const TICK: Duration = Duration::from_secs(1);
/// What is said when there is no watcher, for whatever reason.
const UNWATCHED: &str = "no file is watched; changes by other processes show within a second";

/// Resolves when there may be something new.
pub struct Watch {
    inner: Arc<Inner>,
    /// A connection that does nothing else: `data_version` belongs to a connection.
    conn: SqliteConnection,
    version: i64,
    own: watch::Receiver<u64>,
    files: mpsc::Receiver<()>,
    /// Kept so that it goes on watching; none where the system has no way to.
    _watcher: Option<RecommendedWatcher>,
    tick: Interval,
    /// The lease ends up to here have been told.
    told: Moment,
    next_end: Option<Moment>,
    log_seen: Vec<crate::log_file::Seen>,
}

/// Why [`Watch::changed`] resolved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// Something was committed, here or elsewhere (or it is only a checkpoint: look).
    pub database: bool,
    /// A lease ended, or its grace did: see [`crate::Read::lapsed_between`].
    pub lapsed: Option<(Moment, Moment)>,
    /// The log folder holds other files than before: reconcile.
    pub log: bool,
    /// Another file lies where the database was, or it was cut short: close all and open again.
    pub replaced: bool,
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("version", &self.version).finish_non_exhaustive()
    }
}

impl Watch {
    pub(crate) async fn start(inner: Arc<Inner>) -> Result<Watch, StoreError> {
        let mut conn = sql::connect(&inner.place.database(), false, true).await?;
        let version = data_version(&mut conn).await?;
        let (sender, files) = mpsc::channel(1);
        let wake = inner.place.run("wake");
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if event.is_ok_and(|event| event.kind.is_modify() || event.kind.is_create()) {
                // Full: a hint is waiting already.
                let _ = sender.try_send(());
            }
        })
        .inspect_err(|error| tracing::warn!(%error, "{UNWATCHED}"))
        .ok();
        if !wake.exists() {
            std::fs::write(&wake, [0; 8])?;
        }
        if let Some(watching) = &mut watcher
            && let Err(error) = watching.watch(&wake, RecursiveMode::NonRecursive)
        {
            tracing::warn!(%error, "{UNWATCHED}");
            watcher = None;
        }
        let mut tick = tokio::time::interval_at(Instant::now() + TICK, TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let told = inner.now();
        let log_seen = crate::log_file::listing(&inner.place.log())?;
        let own = inner.committed.subscribe();
        let mut watch = Watch { inner, conn, version, own, files, _watcher: watcher, tick, told, next_end: None, log_seen };
        watch.next_end = watch.earliest_end().await?;
        Ok(watch)
    }

    /// Waits until there may be something new, and says what.
    pub async fn changed(&mut self) -> Result<Changed, StoreError> {
        loop {
            let mut hinted = true;
            let until_end = self.next_end.map(|end| Duration::from_millis(u64::try_from(end.0 - self.inner.now().0).unwrap_or(0)));
            tokio::select! {
                Ok(()) = self.own.changed() => {}
                Some(()) = self.files.recv() => {}
                _ = self.tick.tick() => hinted = false,
                () = tokio::time::sleep(until_end.unwrap_or(TICK)), if until_end.is_some() => hinted = false,
            }
            let version = match data_version(&mut self.conn).await {
                // What can't be read any more may be another one by now.
                Err(_) if self.inner.replaced() => return Ok(Changed { replaced: true, ..Changed::default() }),
                version => version?,
            };
            let moved = version != self.version;
            self.version = version;
            let mut changed = Changed { database: moved || hinted, ..Changed::default() };
            let now = self.inner.now();
            if self.next_end.is_some_and(|end| end <= now) {
                changed.lapsed = Some((self.told, now));
            }
            if !hinted {
                changed.replaced = self.inner.replaced();
                let log = crate::log_file::listing(&self.inner.place.log())?;
                if !same_names(&log, &self.log_seen) {
                    self.log_seen = log;
                    changed.log = true;
                }
            }
            if changed.database || changed.lapsed.is_some() {
                self.told = now;
                self.next_end = self.earliest_end().await?;
            }
            if changed != Changed::default() {
                return Ok(changed);
            }
        }
    }

    /// The first moment after the last told one at which a lease becomes late or lapses.
    async fn earliest_end(&mut self) -> Result<Option<Moment>, StoreError> {
        let grace = grace_s(&mut self.conn).await? * 1_000_000;
        let sql = "select min(case when expires_at > ?2 then expires_at when expires_at + ?3 > ?2 then expires_at + ?3 end) from lease where project = ?1";
        let end: Option<i64> = q(sql).bind(micros(self.told)).bind(grace).fetch_one(&mut self.conn).await?.get(0);
        Ok(end.map(from_micros))
    }
}

/// Own appends grow a file all the time; another name is news.
fn same_names(a: &[crate::log_file::Seen], b: &[crate::log_file::Seen]) -> bool {
    a.iter().map(|seen| &seen.name).eq(b.iter().map(|seen| &seen.name))
}

async fn data_version(conn: &mut SqliteConnection) -> Result<i64, StoreError> {
    Ok(sqlx::query("pragma data_version").fetch_one(&mut *conn).await?.get(0))
}
