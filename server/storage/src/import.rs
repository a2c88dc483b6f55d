//! Lines on their way in: from files, each checked, inserted once, and folded.

use crate::encoding::{self, Line, Reason};
use crate::error::StoreError;
use crate::head::Head;
use crate::log_file::{self, Disk, Place, Seen};
use crate::projection::{self, Arrived};
use crate::rebuild::Indexes;
use crate::script::Script;
use crate::sql::{self, blob, q};
use crate::store::Reconciled;
use contracts::{EventId, Moment, Writer, limits};
use sqlx::{Row, SqliteConnection};
use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Seek, SeekFrom};

/// Lines a transaction.
pub(crate) const LINES_MAX: usize = 500;
/// From so many bytes on, everything is inserted first and then folded at once.
pub(crate) const BULK_BYTES: i64 = 2 << 20;

/// Where lines come from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source<'a> {
    /// Decided here, just now: no other has them.
    Here {
        /// Seq of the first event of their command.
        command: i64,
    },
    /// Read from a file; some may be known. They are one command.
    File(&'a str),
    /// Read from a file into an empty log that has no indexes now.
    Empty(&'a str),
}

/// Puts lines that are new into `script`, numbered in the order given, and gives them back as they are folded.
pub(crate) async fn insert(
    conn: &mut SqliteConnection,
    place: &Place,
    head: &mut Head,
    lines: Vec<Line>,
    source: Source<'_>,
    now: Moment,
    script: &mut Script,
) -> Result<Vec<Arrived>, StoreError> {
    let (new, command, source): (Vec<Line>, i64, &str) = match source {
        Source::Here { command } => (lines, command, "here"),
        // Whoever reads these has left out what comes twice.
        Source::Empty(name) => (lines, head.seq + 1, name),
        Source::File(name) => {
            let known = known(conn, &lines).await?;
            let mut seen = HashSet::new();
            let is_new = |line: &Line| !known.contains(&blob(&line.event.id)) && seen.insert(line.event.id.clone());
            (lines.into_iter().filter(is_new).collect(), head.seq + 1, name)
        }
    };
    let rows = (head.seq + 1..).zip(&new).map(|(seq, line)| {
        let event = &line.event;
        [
            seq.into(),
            blob(&event.id).into(),
            event.writer.as_str().into(),
            event.n.into(),
            blob(&event.prev).into(),
            event.at.to_string().into(),
            event.actor.as_str().into(),
            (&event.principal).into(),
            event.kind.as_str().into(),
            (&event.subject).into(),
            (&line.body).into(),
            command.into(),
            source.into(),
        ]
    });
    script.insert("insert into event (project, seq, id, writer, n, prev, at, actor, principal, kind, subject, body, command, source)", rows, "");
    let actors: BTreeSet<&str> = new.iter().map(|line| line.event.actor.as_str()).collect();
    script.insert("insert or ignore into actor (project, actor)", actors.into_iter().map(|actor| [actor.into()]), "");
    let mut arrived = Vec::with_capacity(new.len());
    for line in new {
        head.seq += 1;
        head.follow(line.event.at, now);
        let mut event = line.event;
        if let Some(reference) = encoding::blob_ref(&event.body)
            && let Err(error) = Disk::default().restore_blob(place, &reference.sha256)
        {
            tracing::warn!(%error, "a long body could not be kept beside the log");
        }
        let missing = projection::whole(place, &mut event).err();
        arrived.push(Arrived { seq: head.seq, event, missing, is_new: true });
    }
    Ok(arrived)
}

async fn known(conn: &mut SqliteConnection, lines: &[Line]) -> Result<HashSet<Vec<u8>>, StoreError> {
    let ids = crate::sql::list(lines.iter().map(|line| line.event.id.as_str()));
    let sql = "select id from event where project = ?1 and id in (select unhex(value) from json_each(?2))";
    Ok(q(sql).bind(ids).fetch_all(&mut *conn).await?.iter().map(|row| row.get(0)).collect())
}

/// Writers with lines in the log folder: a file bears the name of its writer, a pack is looked into.
pub(crate) fn writers(place: &Place) -> Result<HashSet<String>, StoreError> {
    let mut found = HashSet::new();
    for file in log_file::listing(&place.log())? {
        let stem = file.name.trim_end_matches(".jsonl");
        if Writer::parse(stem).is_ok() {
            found.insert(stem.to_owned());
            continue;
        }
        let mut lines = Lines::open(place, &file.name, 0)?;
        while let Some(raw) = lines.next()? {
            if let Ok(line) = encoding::decode(&raw.bytes) {
                found.insert(line.event.writer.as_str().to_owned());
            }
        }
    }
    Ok(found)
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
pub(crate) async fn file(conn: &mut SqliteConnection, place: &Place, seen: &Seen, left: Left, now: Moment, report: &mut Reconciled) -> Result<(), StoreError> {
    let lines = Lines::open(place, &seen.name, left.from(seen))?;
    read_in(conn, place, Reading { name: &seen.name, lines, note: seen, but: None }, now, false, report).await
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
    loop {
        let (mut good, read, end) = batch(place, reading.name, &mut reading.lines, report)?;
        if let Some(but) = reading.but {
            good.retain(|line| line.event.writer != *but);
        }
        let mut tx = sql::begin(conn).await?;
        let mut head = Head::require(&mut tx).await?;
        let mut script = Script::default();
        let arrived = insert(&mut tx, place, &mut head, good, Source::File(reading.name), now, &mut script).await?;
        if !bulk {
            let applied = projection::apply(&mut tx, place, &arrived, &mut script).await?;
            report.now_ready += applied.ready;
            report.conflicts += applied.conflicts;
        }
        script.run(&mut tx).await?;
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

impl Left {
    /// Where to go on.
    pub fn from(&self, seen: &Seen) -> u64 {
        if seen.size > self.size { u64::try_from(self.read).unwrap_or(0) } else { 0 }
    }
}

/// Reads files in without folding them, in the caller's transaction. The next lines are checked while these are written.
pub(crate) async fn bulk(conn: &mut SqliteConnection, place: &Place, files: Vec<(Seen, Left)>, now: Moment, report: &mut Reconciled) -> Result<(), StoreError> {
    let mut head = Head::require(conn).await?;
    let is_empty = q("select 1 from event where project = ?1 limit 1").fetch_optional(&mut *conn).await?.is_none();
    // Ids and subjects come in no order: their indexes are made once, of all rows.
    let indexes = if is_empty { Some(Indexes::drop_all(conn, &["event"]).await?) } else { None };
    let mut known: HashSet<EventId> = HashSet::new();
    for (seen, left) in files {
        let mut lines = Lines::open(place, &seen.name, left.from(&seen))?;
        let mut next = Some(batch(place, &seen.name, &mut lines, report)?);
        while let Some((mut good, read, end)) = next.take() {
            let (here, name) = (place.clone(), seen.name.clone());
            let ahead = (!end).then(|| {
                tokio::task::spawn_blocking(move || {
                    let mut quarantined = Reconciled::default();
                    batch(&here, &name, &mut lines, &mut quarantined).map(|next| (lines, next, quarantined))
                })
            });
            let source = if is_empty { Source::Empty(&seen.name) } else { Source::File(&seen.name) };
            if is_empty {
                good.retain(|line| known.insert(line.event.id.clone()));
            }
            let mut script = Script::default();
            let arrived = insert(conn, place, &mut head, good, source, now, &mut script).await?;
            script.run(conn).await?;
            report.lines_in += i64::try_from(arrived.len()).unwrap_or(i64::MAX);
            let Some(ahead) = ahead else {
                note_read(conn, &seen, read).await?;
                break;
            };
            let (rest, batch, quarantined) = ahead.await.map_err(std::io::Error::other)??;
            report.quarantined += quarantined.quarantined;
            (lines, next) = (rest, Some(batch));
        }
    }
    head.store(conn).await?;
    match indexes {
        Some(indexes) => indexes.make(conn).await,
        None => Ok(()),
    }
}
