//! Small things every query needs: the project bound first, ids as blobs, lists as JSON.

use crate::error::StoreError;
use contracts::{Actor, EventId, Moment, Stamp, TaskId, Writer};
use engine::{Event, Kind, Order};
use sqlx::query::Query;
use sqlx::sqlite::SqliteTransactionManager;
use sqlx::sqlite::{SqliteArguments, SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteRow, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, Row, Sqlite, Transaction, TransactionManager};
use std::path::Path;
use std::time::Duration;

/// The project's name in its own file.
pub(crate) const PROJECT: &str = "";

/// A statement with the project bound as `?1`.
pub(crate) fn q(sql: &str) -> Query<'_, Sqlite, SqliteArguments<'_>> {
    sqlx::query(sql).bind(PROJECT)
}

/// The memory the writing connection has for pages when it does not write in bulk.
pub(crate) const USUAL_MEMORY: &str = "pragma cache_size = -8000";

/// Opens a connection. Whether the file may be made is the caller's choice.
pub(crate) async fn connect(path: &Path, create: bool, only_reads: bool) -> Result<SqliteConnection, StoreError> {
    let mut options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(create)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal)
        .busy_timeout(Duration::from_millis(contracts::limits::BUSY_WAIT_MS))
        .foreign_keys(true)
        .statement_cache_capacity(300)
        // Rows come from a thread of SQLite's own; a larger buffer wakes us less often.
        .row_buffer_size(1_024)
        // There are several readers, and what they look at lies in the system's own cache.
        .pragma("cache_size", if only_reads { "-2000" } else { "-8000" })
        // What one large transaction left of the write-ahead log does not stay on the disk for ever.
        .pragma("journal_size_limit", "16777216")
        .pragma("temp_store", "memory")
        .disable_statement_logging();
    if only_reads {
        options = options.pragma("query_only", "on");
    }
    Ok(options.connect().await?)
}

/// Whether a connection is in no transaction. One that could not be ended, because the disk failed in the middle of it, is never left
/// again: whatever comes after would go into it, unseen, and hold up every other process.
pub(crate) async fn is_at_rest(conn: &mut SqliteConnection) -> bool {
    // One that was dropped is rolled back in its turn: behind a question it is done.
    depth(conn) == 0 || (conn.ping().await.is_ok() && depth(conn) == 0)
}

/// Transactions within each other on this connection.
pub(crate) fn depth(conn: &SqliteConnection) -> usize {
    SqliteTransactionManager::get_transaction_depth(conn)
}

/// Opens a connection in the place of one that is not to be used any more.
pub(crate) async fn reconnect(conn: &mut SqliteConnection, path: &Path, only_reads: bool) -> Result<(), StoreError> {
    let spoiled = std::mem::replace(conn, connect(path, false, only_reads).await?);
    tracing::warn!("a connection to the database was opened anew: its last transaction could not be ended");
    // Its thread lets go of what it locked, whether or not it can say goodbye.
    let _ = spoiled.close_hard().await;
    Ok(())
}

/// Begins a transaction that writes: at once where it is the outermost, so that nobody commits between what it reads and what it writes.
pub(crate) async fn begin(conn: &mut SqliteConnection) -> Result<Transaction<'_, Sqlite>, StoreError> {
    Ok(match depth(conn) {
        0 => conn.begin_with("begin immediate").await?,
        _ => conn.begin().await?,
    })
}

/// An event's id as it is stored.
pub(crate) fn blob(id: &EventId) -> Vec<u8> {
    u128::from_str_radix(id.as_str(), 16).unwrap_or(0).to_be_bytes().to_vec()
}

/// The id of a stored blob.
pub(crate) fn event_id(bytes: &[u8]) -> EventId {
    let mut bits = [0; 16];
    if bytes.len() == bits.len() {
        bits.copy_from_slice(bytes);
    }
    EventId::from_bits(u128::from_be_bytes(bits))
}

/// A list as JSON text, for `in (select value from json_each(?))`.
pub(crate) fn list<'a>(items: impl IntoIterator<Item = &'a str>) -> String {
    serde_json::Value::from_iter(items).to_string()
}

/// Task ids as such a list.
pub(crate) fn id_list<'a>(ids: impl IntoIterator<Item = &'a TaskId>) -> String {
    list(ids.into_iter().map(TaskId::as_str))
}

fn damaged(what: &str) -> StoreError {
    StoreError::Corrupt(format!("stored {what}"))
}

pub(crate) fn actor(raw: &str) -> Result<Actor, StoreError> {
    Actor::parse(raw).map_err(|_| damaged("actor"))
}

pub(crate) fn task_id(raw: &str) -> Result<TaskId, StoreError> {
    TaskId::parse(raw).map_err(|_| damaged("task id"))
}

pub(crate) fn stamp(raw: &str) -> Result<Stamp, StoreError> {
    Stamp::parse(raw).ok_or_else(|| damaged("stamp"))
}

pub(crate) fn writer(raw: &str) -> Result<Writer, StoreError> {
    Writer::parse(raw).map_err(|_| damaged("writer"))
}

/// A stored word of one of the contracts' word types.
pub(crate) fn word<T>(parsed: Result<T, String>) -> Result<T, StoreError> {
    parsed.map_err(StoreError::Corrupt)
}

/// Live times are microseconds in the database.
pub(crate) fn micros(moment: Moment) -> i64 {
    moment.0.saturating_mul(1000)
}

pub(crate) fn from_micros(micros: i64) -> Moment {
    Moment(micros.div_euclid(1000))
}

/// The columns [`EventRow::read`] reads, of a table or alias `e`.
macro_rules! event_columns {
    () => {
        "e.seq, e.id, e.writer, e.n, e.prev, e.at, e.actor, e.principal, e.kind, e.subject, e.body, e.command, e.no_effect"
    };
}
pub(crate) use event_columns;

/// An event and its place in this database.
#[derive(Clone, Debug, PartialEq)]
pub struct EventRow {
    /// Its place in the order of arrival.
    pub seq: i64,
    /// Seq of the first event of its command.
    pub command: i64,
    /// The event. Its body is whole: what lay in a blob has been read.
    pub event: Event,
    /// Whether it found no effect.
    pub no_effect: bool,
    /// The body as it stands on the line.
    pub(crate) inline: String,
}

impl EventRow {
    /// Columns of [`event_columns`].
    pub(crate) const COLUMNS: usize = 13;

    pub(crate) fn read(row: &SqliteRow) -> Result<EventRow, StoreError> {
        EventRow::read_at(row, 0)
    }

    /// Reads an event's columns, starting at `at`.
    pub(crate) fn read_at(row: &SqliteRow, at: usize) -> Result<EventRow, StoreError> {
        let inline: String = row.get(at + 10);
        let event = Event {
            id: event_id(row.get(at + 1)),
            writer: writer(row.get(at + 2))?,
            n: row.get(at + 3),
            prev: event_id(row.get(at + 4)),
            at: stamp(row.get(at + 5))?,
            actor: actor(row.get(at + 6))?,
            principal: row.get(at + 7),
            kind: Kind::of(row.get(at + 8)),
            subject: row.get(at + 9),
            body: serde_json::from_str(&inline)?,
        };
        Ok(EventRow { seq: row.get(at), command: row.get(at + 11), event, no_effect: row.get::<i64, _>(at + 12) != 0, inline })
    }
}

/// An order from its four columns, starting at `at`.
pub(crate) fn order(row: &SqliteRow, at: usize) -> Result<Order, StoreError> {
    Ok(Order { at: stamp(row.get(at))?, writer: writer(row.get(at + 1))?, n: row.get(at + 2), id: event_id(row.get(at + 3)) })
}
