//! After a commit: the own file gets every own event it lacks, in order of `n`, in one write that is made to last.

use crate::encoding::{self, Line};
use crate::error::StoreError;
use crate::lock;
use crate::log_file::{self, Disk, Place};
use crate::sql::{EventRow, event_columns, q};
use contracts::Writer;
use sqlx::SqliteConnection;

/// Completes the file of this writer; says how many lines were written. Whoever comes second often finds its events there. `fresh`: lines
/// just committed, by number, which spare reading them back where they are what the file lacks.
pub(crate) async fn complete(conn: &mut SqliteConnection, place: &Place, disk: &Disk, writer: &Writer, fresh: &[(i64, String)]) -> Result<i64, StoreError> {
    let _lock = lock::exclusive(&place.run("append.lock")).await?;
    let path = place.log_of(writer.as_str());
    let tail = log_file::tail(&path)?;
    if tail.good != tail.size {
        let torn = tail.torn.strip_suffix(b"\n").unwrap_or(&tail.torn);
        log_file::quarantine(&place.root, &format!("{writer}.jsonl"), 0, encoding::Reason::Torn, torn)?;
        log_file::cut(&path, tail.good)?;
    }
    let last = tail.last.as_ref().filter(|line| line.event.writer == *writer).map_or(0, |line| line.event.n);
    let mut text = Vec::new();
    let count = match fresh {
        [(first, _), ..] if *first == last + 1 => {
            fresh.iter().for_each(|(_, line)| add(&mut text, line));
            fresh.len()
        }
        [.., (newest, _)] if *newest <= last => 0,
        _ => {
            let sql = concat!("select ", event_columns!(), " from event e where e.project = ?1 and e.writer = ?2 and e.n > ?3 order by e.n, e.seq");
            let rows = q(sql).bind(writer.as_str()).bind(last).fetch_all(&mut *conn).await?;
            for row in &rows {
                let row = EventRow::read(row)?;
                if let Some(reference) = encoding::blob_ref(&row.event.body) {
                    disk.restore_blob(place, &reference.sha256)?;
                }
                add(&mut text, &encoding::encode(&Line { event: row.event, body: row.inline }));
            }
            rows.len()
        }
    };
    if count > 0 {
        log_file::append(disk, &path, &text)?;
    }
    Ok(i64::try_from(count).unwrap_or(i64::MAX))
}

fn add(text: &mut Vec<u8>, line: &str) {
    text.extend_from_slice(line.as_bytes());
    text.push(b'\n');
}
