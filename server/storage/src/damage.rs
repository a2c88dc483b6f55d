//! A database file that was cut short or emptied.
//!
//! Invariant: nobody but SQLite opens that file. Closing it would drop every lock this process holds on it, and another process would take
//! the write-ahead log away under its connections.

use crate::error::StoreError;
use crate::log_file::Place;
use sqlx::{Row, SqliteConnection};
use std::fs;

/// Whether the file was emptied: what SQLite keeps beside a database is still there. Somebody may have it open, and would keep a new one from
/// being made in the same file.
pub(crate) fn is_emptied(place: &Place) -> bool {
    let beside = ["state.db-wal", "state.db-shm"].iter().any(|name| place.root.join(name).exists());
    beside && fs::metadata(place.database()).is_ok_and(|metadata| metadata.len() == 0)
}

/// Whether the file ends before its last page, which SQLite would tell only when it comes there. While another process folds its
/// write-ahead log in, that may be so for a moment: whoever asks has a second look under the lock.
pub(crate) async fn is_cut_short(conn: &mut SqliteConnection, place: &Place) -> Result<bool, StoreError> {
    let bytes: i64 = sqlx::query("select page_count * page_size from pragma_page_count, pragma_page_size").fetch_one(conn).await?.get(0);
    // A page that is missing in the file may lie in the write-ahead log still.
    let is_folded_in = fs::metadata(place.root.join("state.db-wal")).map_or(true, |log| log.len() == 0);
    Ok(is_folded_in && i64::try_from(fs::metadata(place.database())?.len()).is_ok_and(|length| length < bytes))
}
