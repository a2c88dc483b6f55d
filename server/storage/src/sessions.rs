//! Sessions of pages: data of the server's, kept under a hash of their id so that the database holds no id in clear.

use crate::error::StoreError;
use crate::sql::{from_micros, micros};
use crate::store::Store;
use contracts::Moment;
use sha2::{Digest, Sha256};
use sqlx::Row;

fn hash(id: &str) -> Vec<u8> {
    Sha256::digest(id.as_bytes()).to_vec()
}

/// Stores or replaces a session.
pub async fn put(store: &Store, id: &str, data: &str, until: Moment) -> Result<(), StoreError> {
    let mut conn = store.inner.writer().await?;
    sqlx::query(
        "insert into session (id_hash, data, until) values (?1, ?2, ?3) on conflict (id_hash) do update set data = excluded.data, until = excluded.until",
    )
    .bind(hash(id))
    .bind(data)
    .bind(micros(until))
    .execute(&mut *conn)
    .await?;
    Ok(())
}

/// A session's data, unless it is over.
pub async fn get(store: &Store, id: &str) -> Result<Option<(String, Moment)>, StoreError> {
    let now = store.inner.now();
    let mut read = store.reader().begin().await?;
    let row = sqlx::query("select data, until from session where id_hash = ?1 and until > ?2")
        .bind(hash(id))
        .bind(micros(now))
        .fetch_optional(&mut *read.conn)
        .await?;
    Ok(row.map(|row| (row.get(0), from_micros(row.get(1)))))
}

/// Ends a session.
pub async fn delete(store: &Store, id: &str) -> Result<(), StoreError> {
    let mut conn = store.inner.writer().await?;
    sqlx::query("delete from session where id_hash = ?1").bind(hash(id)).execute(&mut *conn).await?;
    Ok(())
}

/// Deletes what is over: sessions, and receipts older than seven days. The page server does this when it starts, and daily.
pub async fn expire(store: &Store) -> Result<(), StoreError> {
    let now = store.inner.now();
    let mut conn = store.inner.writer().await?;
    sqlx::query("delete from session where until <= ?1").bind(micros(now)).execute(&mut *conn).await?;
    let from = now.plus_seconds(-contracts::limits::RECEIPT_DAYS * 86_400);
    crate::sql::q("delete from receipt where project = ?1 and at <= ?2").bind(micros(from)).execute(&mut *conn).await?;
    Ok(())
}
