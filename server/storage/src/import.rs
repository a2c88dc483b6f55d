//! Lines on their way in: from files, each checked, inserted once, and folded.

use crate::encoding::{self, Line, Reason};
use crate::error::StoreError;
use crate::head::Head;
use crate::log_file::{self, Place, Seen};
use crate::projection::{self, Arrived};
use crate::sql::{PROJECT, blob, q};
use crate::store::Reconciled;
use contracts::{Moment, Writer, limits};
use sqlx::{QueryBuilder, Row, Sqlite, SqliteConnection};
use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Seek, SeekFrom};

/// Lines a transaction.
pub(crate) const LINES_MAX: usize = 500;
/// Rows a statement.
const ROWS_MAX: usize = 250;
/// From so many bytes on, everything is inserted first and then folded at once.
pub(crate) const BULK_BYTES: i64 = 2 << 20;

/// Inserts lines that are new, numbered in the order given, and gives them back as they are folded. `command`: seq of the command's first
/// event; by default the first of these.
pub(crate) async fn insert(
    conn: &mut SqliteConnection,
    place: &Place,
    head: &mut Head,
    lines: Vec<Line>,
    source: &str,
    command: Option<i64>,
    now: Moment,
) -> Result<Vec<Arrived>, StoreError> {
    let known = known(conn, &lines).await?;
    let mut seen = HashSet::new();
    let new: Vec<Line> = lines.into_iter().filter(|line| !known.contains(&blob(&line.event.id)) && seen.insert(line.event.id.clone())).collect();
    let command = command.unwrap_or(head.seq + 1);
    for (number, chunk) in new.chunks(ROWS_MAX).enumerate() {
        let first = head.seq + 1 + i64::try_from(number * ROWS_MAX).unwrap_or(i64::MAX);
        let mut sql: QueryBuilder<'_, Sqlite> =
            QueryBuilder::new("insert into event (project, seq, id, writer, n, prev, at, actor, principal, kind, subject, body, command, source) ");
        sql.push_values((first..).zip(chunk), |mut row, (seq, line)| {
            let event = &line.event;
            row.push_bind(PROJECT)
                .push_bind(seq)
                .push_bind(blob(&event.id))
                .push_bind(event.writer.as_str())
                .push_bind(event.n)
                .push_bind(blob(&event.prev))
                .push_bind(event.at.to_string())
                .push_bind(event.actor.as_str())
                .push_bind(&event.principal)
                .push_bind(event.kind.as_str())
                .push_bind(&event.subject)
                .push_bind(&line.body)
                .push_bind(command)
                .push_bind(source);
        });
        sql.build().execute(&mut *conn).await?;
    }
    let actors: BTreeSet<&str> = new.iter().map(|line| line.event.actor.as_str()).collect();
    if !actors.is_empty() {
        let sql = "insert or ignore into actor (project, actor) select ?1, value from json_each(?2)";
        q(sql).bind(crate::sql::list(actors)).execute(&mut *conn).await?;
    }
    let mut arrived = Vec::with_capacity(new.len());
    for line in new {
        head.seq += 1;
        head.follow(line.event.at, now);
        let mut event = line.event;
        let missing = projection::whole(place, &mut event).err();
        arrived.push(Arrived { seq: head.seq, event, missing });
    }
    Ok(arrived)
}

async fn known(conn: &mut SqliteConnection, lines: &[Line]) -> Result<HashSet<Vec<u8>>, StoreError> {
    let ids = crate::sql::list(lines.iter().map(|line| line.event.id.as_str()));
    let sql = "select id from event where project = ?1 and id in (select unhex(value) from json_each(?2))";
    Ok(q(sql).bind(ids).fetch_all(&mut *conn).await?.iter().map(|row| row.get(0)).collect())
}

/// A log file being read: whole lines from where it was left.
pub(crate) struct Lines {
    reader: Box<dyn BufRead + Send>,
    /// How far it has been read.
    pub at: u64,
    pub number: u64,
}

/// One line's bytes; `None` in place of one that is too long to be kept.
pub(crate) struct Raw {
    pub bytes: Vec<u8>,
    pub too_long: bool,
    /// Ends with a newline.
    pub whole: bool,
}

impl Lines {
    pub fn open(place: &Place, name: &str, from: u64) -> Result<Lines, StoreError> {
        let mut file = File::open(place.log().join(name))?;
        file.seek(SeekFrom::Start(from))?;
        Ok(Lines { reader: Box::new(BufReader::with_capacity(1 << 17, file)), at: from, number: 0 })
    }

    /// Of a file that lies elsewhere.
    pub fn of_bytes(bytes: Vec<u8>) -> Lines {
        Lines { reader: Box::new(Cursor::new(bytes)), at: 0, number: 0 }
    }

    /// The next line. A longer one than may be is read to its end but not kept whole.
    pub fn next(&mut self) -> Result<Option<Raw>, StoreError> {
        let mut raw = Raw { bytes: Vec::new(), too_long: false, whole: false };
        loop {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                break;
            }
            let end = buffer.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(buffer.len(), |end| end + 1);
            let room = (limits::LOG_LINE_BYTES_MAX + 1).saturating_sub(raw.bytes.len());
            let text = &buffer[..end.unwrap_or(buffer.len())];
            raw.bytes.extend_from_slice(&text[..text.len().min(room)]);
            self.reader.consume(taken);
            self.at += taken as u64;
            if end.is_some() {
                raw.whole = true;
                break;
            }
        }
        if raw.bytes.is_empty() && !raw.whole {
            return Ok(None);
        }
        self.number += 1;
        raw.too_long = raw.bytes.len() > limits::LOG_LINE_BYTES_MAX;
        Ok(Some(raw))
    }
}

/// Where a file was left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Left {
    pub size: i64,
    pub mtime: i64,
    pub read: i64,
}

/// Files that differ from what was read of them.
pub(crate) async fn unread(conn: &mut SqliteConnection, place: &Place, own: Option<&str>) -> Result<Vec<(Seen, Left)>, StoreError> {
    let rows = q("select name, size, mtime, read from log_file where project = ?1").fetch_all(&mut *conn).await?;
    let left: std::collections::HashMap<String, Left> =
        rows.iter().map(|row| (row.get(0), Left { size: row.get(1), mtime: row.get(2), read: row.get(3) })).collect();
    let own = own.map(|own| format!("{own}.jsonl"));
    let files = log_file::listing(&place.log())?.into_iter().filter(|seen| Some(&seen.name) != own.as_ref());
    let with_left = files.map(|seen| {
        let left = left.get(&seen.name).copied().unwrap_or_default();
        (seen, left)
    });
    Ok(with_left.filter(|(seen, left)| (seen.size, seen.mtime) != (left.size, left.mtime)).collect())
}

/// Notes how far a file was read.
pub(crate) async fn note_read(conn: &mut SqliteConnection, seen: &Seen, read: u64) -> Result<(), StoreError> {
    q("insert or replace into log_file (project, name, size, mtime, read) values (?1, ?2, ?3, ?4, ?5)")
        .bind(&seen.name)
        .bind(seen.size)
        .bind(seen.mtime)
        .bind(i64::try_from(read).unwrap_or(i64::MAX))
        .execute(&mut *conn)
        .await?;
    Ok(())
}

/// Up to 500 lines of a file, and whether its end was reached. What can't be used goes to quarantine.
pub(crate) fn batch(place: &Place, name: &str, lines: &mut Lines, report: &mut Reconciled) -> Result<(Vec<Line>, u64, bool), StoreError> {
    let mut good = Vec::new();
    let mut read = lines.at;
    while good.len() < LINES_MAX {
        let Some(raw) = lines.next()? else { return Ok((good, read, true)) };
        let decoded = if raw.too_long { Err(Reason::TooLong) } else { encoding::decode(&raw.bytes) };
        match decoded {
            Ok(line) => good.push(line),
            // The end of a file that somebody is still writing: read again when it has grown.
            Err(_) if !raw.whole => {
                report.quarantined += i64::from(log_file::quarantine(&place.root, name, lines.number, Reason::Torn, &raw.bytes)?);
                return Ok((good, read, true));
            }
            Err(reason) => report.quarantined += i64::from(log_file::quarantine(&place.root, name, lines.number, reason, &raw.bytes)?),
        }
        read = lines.at;
    }
    Ok((good, read, false))
}

/// Reads one file in, in transactions of 500 lines.
pub(crate) async fn file(
    conn: &mut SqliteConnection,
    place: &Place,
    seen: &Seen,
    left: Left,
    now: Moment,
    bulk: bool,
    report: &mut Reconciled,
) -> Result<(), StoreError> {
    let from = if seen.size > left.size { u64::try_from(left.read).unwrap_or(0) } else { 0 };
    let lines = Lines::open(place, &seen.name, from)?;
    read_in(conn, place, Reading { name: &seen.name, lines, note: seen, but: None }, now, bulk, report).await
}

/// A file that is being read in.
pub(crate) struct Reading<'a> {
    /// Its name in the log folder.
    pub name: &'a str,
    pub lines: Lines,
    /// As what it is noted once it was read.
    pub note: &'a Seen,
    /// A writer whose lines are left out.
    pub but: Option<&'a Writer>,
}

/// Reads lines in, in transactions of 500.
pub(crate) async fn read_in(
    conn: &mut SqliteConnection,
    place: &Place,
    mut reading: Reading<'_>,
    now: Moment,
    bulk: bool,
    report: &mut Reconciled,
) -> Result<(), StoreError> {
    use sqlx::Connection;
    loop {
        let (mut good, read, end) = batch(place, reading.name, &mut reading.lines, report)?;
        if let Some(but) = reading.but {
            good.retain(|line| line.event.writer != *but);
        }
        let mut tx = conn.begin().await?;
        let mut head = Head::require(&mut tx).await?;
        let arrived = insert(&mut tx, place, &mut head, good, reading.name, None, now).await?;
        if !bulk {
            let applied = projection::apply(&mut tx, place, &arrived).await?;
            report.now_ready += applied.ready;
            report.conflicts += applied.conflicts;
        }
        head.store(&mut tx).await?;
        if end {
            note_read(&mut tx, reading.note, read).await?;
        }
        tx.commit().await?;
        report.lines_in += i64::try_from(arrived.len()).unwrap_or(i64::MAX);
        if end {
            return Ok(());
        }
    }
}
