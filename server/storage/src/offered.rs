//! Log files that git has on branches that are not checked out: read in like those of the log folder, without a copy of them there.
//!
//! Invariant: nothing is put where git would see it. What was read is noted by the name of git's own blob, so each is read once.

use crate::error::StoreError;
use crate::head::Head;
use crate::import::{self, Lines, Reading};
use crate::log_file::{self, Seen};
use crate::open::waiting_blobs;
use crate::sql::{list, q};
use crate::store::{Reconciled, Store};
use crate::{encoding, lock, projection, rebuild};
use sqlx::{Connection, Row};
use std::collections::HashSet;

/// A file of the log, as git has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Its name in the log folder.
    pub name: String,
    /// The name of git's blob.
    pub blob: String,
    /// How many bytes.
    pub size: u64,
}

/// What a note about something of git's is filed under.
fn noted(name: &str) -> String {
    format!("git:{name}")
}

impl Store {
    /// Which of these names of git's (commits, say) are not noted as read.
    pub async fn unnoted(&self, names: &[String]) -> Result<Vec<String>, StoreError> {
        let known = self.read_names(names.iter().map(|name| noted(name))).await?;
        Ok(names.iter().filter(|name| !known.iter().any(|(known, _)| *known == noted(name))).cloned().collect())
    }

    /// Notes them.
    pub async fn note(&self, names: &[String]) -> Result<(), StoreError> {
        let mut conn = self.inner.writer().await?;
        for name in names {
            import::note_read(&mut conn, &Seen { name: noted(name), size: 0, mtime: 0 }, 0).await?;
        }
        Ok(())
    }

    /// Which of these files were not read yet, neither as git's blob nor in the log folder: a log file is never written again once git has
    /// it, so one of the same name and size is the same.
    pub async fn lacking(&self, offers: Vec<Offer>) -> Result<Vec<Offer>, StoreError> {
        let names = offers.iter().flat_map(|offer| [noted(&offer.blob), offer.name.clone()]);
        let known: HashSet<(String, i64)> = self.read_names(names).await?.into_iter().collect();
        let blobs: HashSet<&str> = known.iter().map(|(name, _)| name.as_str()).filter(|name| name.starts_with("git:")).collect();
        let here: HashSet<(String, i64)> =
            log_file::listing(&self.inner.place.log())?.into_iter().map(|seen| (seen.name, seen.size)).filter(|seen| known.contains(seen)).collect();
        let mut asked = HashSet::new();
        let mut new = |offer: &Offer| {
            let size = i64::try_from(offer.size).unwrap_or(i64::MAX);
            offer.name.ends_with(".jsonl")
                && !blobs.contains(noted(&offer.blob).as_str())
                && !here.contains(&(offer.name.clone(), size))
                && asked.insert(offer.blob.clone())
        };
        Ok(offers.into_iter().filter(|offer| new(offer)).collect())
    }

    async fn read_names(&self, names: impl IntoIterator<Item = String>) -> Result<Vec<(String, i64)>, StoreError> {
        let names: Vec<String> = names.into_iter().collect();
        let mut conn = self.inner.writer().await?;
        let sql = "select name, size from log_file where project = ?1 and name in (select value from json_each(?2))";
        let rows = q(sql).bind(list(names.iter().map(String::as_str))).fetch_all(&mut *conn).await?;
        Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
    }

    /// Reads these files in. Lines of the writer of this directory are left out: nobody else adds to its file.
    pub async fn take_in(&self, offered: Vec<(Offer, Vec<u8>)>) -> Result<Reconciled, StoreError> {
        let inner = &self.inner;
        let mut report = Reconciled::default();
        if inner.options.read_only || offered.is_empty() {
            return Ok(report);
        }
        let mut conn = inner.writer().await?;
        let lock = lock::exclusive(&inner.place.run("write.lock")).await?;
        let own = Head::require(&mut conn).await?.writer;
        let now = inner.now();
        let bulk = offered.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() >= usize::try_from(import::BULK_BYTES).unwrap_or(usize::MAX);
        let mut tx = conn.begin_with("begin immediate").await?;
        for (offer, bytes) in offered {
            let note = Seen { name: noted(&offer.blob), size: i64::try_from(offer.size).unwrap_or(i64::MAX), mtime: 0 };
            let reading = Reading { name: &offer.name, lines: Lines::of_bytes(bytes), note: &note, but: own.as_ref() };
            import::read_in(&mut tx, &inner.place, reading, now, bulk, &mut report).await?;
        }
        if bulk && report.lines_in > 0 {
            rebuild::project_all(&mut tx, &inner.place).await?;
        }
        tx.commit().await?;
        drop((lock, conn));
        if report.lines_in > 0 {
            inner.announce();
        }
        Ok(report)
    }

    /// Blobs that events wait for and that are not here, by their SHA-256.
    pub async fn missing_blobs(&self) -> Result<Vec<String>, StoreError> {
        let mut conn = self.inner.writer().await?;
        let waiting = waiting_blobs(&mut conn, &self.inner.place).await?;
        Ok(waiting.into_iter().filter(|(_, here)| !here).map(|(waits_for, _)| waits_for.trim_start_matches("blob:").to_owned()).collect())
    }

    /// Keeps a blob that git has elsewhere, and folds the events that waited for it. Whether it was what its name says.
    pub async fn keep_blob(&self, sha256: &str, bytes: &[u8]) -> Result<bool, StoreError> {
        let inner = &self.inner;
        if encoding::sha256_hex(bytes) != sha256 {
            return Ok(false);
        }
        let mut conn = inner.writer().await?;
        let lock = lock::exclusive(&inner.place.run("write.lock")).await?;
        inner.options.disk.write_blob_aside(&inner.place, sha256, bytes)?;
        let mut tx = conn.begin_with("begin immediate").await?;
        projection::unpark(&mut tx, &inner.place, &format!("blob:{sha256}")).await?;
        tx.commit().await?;
        drop((lock, conn));
        inner.announce();
        Ok(true)
    }
}
