//! Migrations: only ever added; run under the write lock, because SQLite has no lock of its own for them. `user_version` is the newest.

use crate::error::StoreError;
use sqlx::{Connection, Executor, Row, SqliteConnection};

const MIGRATIONS: [&str; 2] = [include_str!("../migrations/1_board.sql"), include_str!("../migrations/2_marks.sql")];

/// The index for words, as the first migration makes it: a rebuild makes it anew, because emptying it reads every row.
pub(crate) const SEARCH: &str = "create virtual table search using fts5 (
    subject unindexed, event unindexed, id, title, spec, thread, commits,
    prefix = '2 3', tokenize = 'unicode61 remove_diacritics 2'
);";

/// The newest format this version knows.
pub(crate) const NEWEST: i64 = MIGRATIONS.len() as i64;

/// The format of a database; 0 when it is empty.
pub(crate) async fn version(conn: &mut SqliteConnection) -> Result<i64, StoreError> {
    let version: i64 = sqlx::query("pragma user_version").fetch_one(&mut *conn).await?.get(0);
    if version > NEWEST {
        return Err(StoreError::NewerFormat { found: version, known: NEWEST });
    }
    Ok(version)
}

/// Brings a database to the newest format, in one transaction.
pub(crate) async fn migrate(conn: &mut SqliteConnection) -> Result<(), StoreError> {
    let mut tx = conn.begin_with("begin immediate").await?;
    let from = usize::try_from(version(&mut tx).await?).unwrap_or(0);
    for sql in &MIGRATIONS[from..] {
        tx.execute(*sql).await?;
    }
    tx.execute(format!("pragma user_version = {NEWEST}").as_str()).await?;
    tx.commit().await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rebuild_makes_the_same_index_for_words_as_the_migrations() {
        assert!(MIGRATIONS[0].contains(SEARCH));
        assert!(MIGRATIONS[1..].iter().all(|sql| !sql.contains("search")), "make the newest form in SEARCH");
    }
}
