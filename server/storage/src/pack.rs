//! Old log files folded into few, and own ones written back that nobody has any more.
//!
//! Invariants: a line is copied byte for byte; a file is removed only after the pack that holds its lines is safe on disk. Which file a
//! line stands in means nothing, so packs made in two clones merge.

use crate::encoding::{self, Line};
use crate::error::StoreError;
use crate::head::Head;
use crate::import;
use crate::lock;
use crate::log_file::{self, Seen};
use crate::sql::{EventRow, event_columns, q};
use crate::store::Store;
use contracts::{Moment, Writer, limits};
use sqlx::{Row, SqliteConnection};
use std::fs;
use std::path::Path;

/// How the name of a pack begins.
const PREFIX: &str = "pack-";

/// What a packing did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packed {
    /// Files that are gone.
    pub files: i64,
    /// Lines in them.
    pub lines: i64,
    /// The packs that hold these.
    pub packs: Vec<String>,
}

/// An own log file that was written back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// Its name.
    pub name: String,
    /// Lines in it.
    pub lines: i64,
}

impl Store {
    /// Folds those of these files (names in the log folder, which the base has just so) whose every event is older than 30 days into packs.
    pub async fn pack(&self, in_base: &[String]) -> Result<Packed, StoreError> {
        let inner = &self.inner;
        let folder = inner.place.log();
        let mut conn = inner.writer().await?;
        let _lock = lock::exclusive(&inner.place.run("write.lock")).await?;
        let own = Head::require(&mut conn).await?.writer.map(|own| format!("{own}.jsonl"));
        let before = inner.now().plus_seconds(-limits::PACK_DAYS * 86_400);
        let mut packed = Packed::default();
        let mut pack = Vec::new();
        let mut sources: Vec<String> = Vec::new();
        for seen in log_file::listing(&folder)? {
            let candidate = in_base.contains(&seen.name) && own.as_ref() != Some(&seen.name) && !seen.name.starts_with(PREFIX);
            if !candidate {
                continue;
            }
            let bytes = fs::read(folder.join(&seen.name))?;
            if !is_old(&bytes, before) {
                continue;
            }
            if !pack.is_empty() && pack.len() + bytes.len() > limits::PACK_BYTES_MAX {
                finish(&mut conn, &folder, &mut pack, &mut sources, &mut packed).await?;
            }
            pack.extend_from_slice(&bytes);
            sources.push(seen.name);
        }
        finish(&mut conn, &folder, &mut pack, &mut sources, &mut packed).await?;
        Ok(packed)
    }

    /// Writes own sealed files back, byte for byte, that are neither here nor on any branch. One of which an event is missing is left.
    pub async fn restore(&self) -> Result<Vec<Restored>, StoreError> {
        let inner = &self.inner;
        let mut conn = inner.writer().await?;
        let _lock = lock::exclusive(&inner.place.run("write.lock")).await?;
        let rows = q("select writer from writer where project = ?1 and sealed = 1 order by writer").fetch_all(&mut *conn).await?;
        let mut restored = Vec::new();
        let listed = log_file::listing(&inner.place.log())?;
        for writer in rows.iter().map(|row| crate::sql::writer(row.get(0))) {
            let writer = writer?;
            let path = inner.place.log_of(writer.as_str());
            if path.exists() || is_packed(&inner.place.log(), &listed, &writer)? {
                continue;
            }
            let tracked = {
                let (tracked, path) = (inner.options.tracked.clone(), path.clone());
                tokio::task::spawn_blocking(move || tracked(&path)).await.unwrap_or(true)
            };
            if tracked {
                continue;
            }
            let Some((text, lines)) = whole_file(&mut conn, &writer).await? else { continue };
            log_file::append(&inner.options.disk, &path, &text)?;
            let name = format!("{writer}.jsonl");
            note(&mut conn, &path, &name).await?;
            restored.push(Restored { name, lines });
        }
        Ok(restored)
    }
}

/// Whether every event of a file is older. A file without any is left alone.
fn is_old(bytes: &[u8], before: Moment) -> bool {
    let mut events = lines_of(bytes).filter_map(|line| encoding::decode(line).ok()).peekable();
    bytes.ends_with(b"\n") && events.peek().is_some() && events.all(|line| line.event.at.moment < before)
}

fn lines_of(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

/// Makes the pack, notes it as read, and only then removes what it is made of.
async fn finish(conn: &mut SqliteConnection, folder: &Path, pack: &mut Vec<u8>, sources: &mut Vec<String>, packed: &mut Packed) -> Result<(), StoreError> {
    let (bytes, names) = (std::mem::take(pack), std::mem::take(sources));
    // One file is as good as a pack of one.
    if names.len() < 2 {
        return Ok(());
    }
    let name = format!("{PREFIX}{}.jsonl", &encoding::sha256_hex(&bytes)[..8]);
    let path = folder.join(&name);
    if !fs::read(&path).is_ok_and(|there| there == bytes) {
        log_file::write_new(&path, &bytes)?;
    }
    note(conn, &path, &name).await?;
    for source in &names {
        fs::remove_file(folder.join(source))?;
    }
    packed.files += i64::try_from(names.len()).unwrap_or(i64::MAX);
    packed.lines += i64::try_from(lines_of(&bytes).count()).unwrap_or(i64::MAX);
    packed.packs.push(name);
    Ok(())
}

/// Notes a file as read: every line of it came from here.
async fn note(conn: &mut SqliteConnection, path: &Path, name: &str) -> Result<(), StoreError> {
    let metadata = fs::metadata(path)?;
    let seen = Seen { name: name.to_owned(), size: i64::try_from(metadata.len()).unwrap_or(i64::MAX), mtime: log_file::mtime(&metadata) };
    import::note_read(conn, &seen, metadata.len()).await
}

/// Whether a pack in the folder holds lines of this writer.
fn is_packed(folder: &Path, listed: &[Seen], writer: &Writer) -> Result<bool, StoreError> {
    let mark = format!("\"writer\":\"{writer}\"");
    for pack in listed.iter().filter(|seen| seen.name.starts_with(PREFIX)) {
        let bytes = fs::read(folder.join(&pack.name))?;
        if lines_of(&bytes).any(|line| line.ends_with(format!("{mark}}}").as_bytes())) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A writer's file as it was, when every event of it is known.
async fn whole_file(conn: &mut SqliteConnection, writer: &Writer) -> Result<Option<(Vec<u8>, i64)>, StoreError> {
    let sql = concat!("select ", event_columns!(), " from event e where e.project = ?1 and e.writer = ?2 order by e.n, e.seq");
    let rows = q(sql).bind(writer.as_str()).fetch_all(&mut *conn).await?;
    let mut text = Vec::new();
    let mut lines = 0;
    for row in &rows {
        let row = EventRow::read(row)?;
        lines += 1;
        if row.event.n != lines {
            return Ok(None);
        }
        text.extend_from_slice(encoding::encode(&Line { event: row.event, body: row.inline }).as_bytes());
        text.push(b'\n');
    }
    Ok((lines > 0).then_some((text, lines)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_no_event_or_has_no_end_is_never_packed() {
        let late = Moment(i64::MAX);
        for text in ["", "\n", "{}\n", "not json\n", "{\"actor\":\"dev:a"] {
            assert!(!is_old(text.as_bytes(), late), "{text:?}");
        }
    }
}
