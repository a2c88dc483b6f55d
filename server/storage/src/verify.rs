//! `log verify`: every line's hash, each writer's chain, own files against the database, blobs against their names, events that wait,
//! clocks ahead. Reads only; what it finds stays in use, because each line's own hash holds.

use crate::encoding::{self, Line, Reason};
use crate::error::StoreError;
use crate::head::Head;
use crate::import::Lines;
use crate::log_file;
use crate::sql::{event_id, q};
use crate::store::Store;
use contracts::{EventId, limits};
use sqlx::Row;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;

/// Something wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file below `.callboard/`, or `state.db`.
    pub file: String,
    /// The line, from 1; 0 when it is about the whole file.
    pub line: u64,
    /// What kind of fault: a reason of quarantine, or `order`, `gap`, `chain`, `twice`, `not_in_database`, `not_in_file`, `blob`, `waits`,
    /// `clock_ahead`, `damaged`.
    pub code: String,
    /// In words.
    pub text: String,
}

/// What was looked at, and what is wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifyReport {
    /// Log files read.
    pub files: i64,
    /// Lines whose hash holds.
    pub lines: i64,
    /// Events in the database.
    pub events: i64,
    /// Blobs read.
    pub blobs: i64,
    /// Everything that is wrong; empty is good.
    pub findings: Vec<Finding>,
}

/// A line that can't be used.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
pub struct Quarantined {
    /// The log file it stood in.
    pub file: String,
    /// Where; 0 at its end.
    #[serde(default)]
    pub line: u64,
    /// Why.
    pub reason: String,
    /// As it stood, cut to 64 KiB.
    #[serde(default)]
    pub text: String,
}

struct Seen {
    file: String,
    line: u64,
    n: i64,
    id: EventId,
    prev: EventId,
}

impl VerifyReport {
    fn add(&mut self, file: &str, line: u64, code: &str, text: impl Into<String>) {
        self.findings.push(Finding { file: file.to_owned(), line, code: code.to_owned(), text: text.into() });
    }

    /// Whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.findings.is_empty()
    }
}

impl Store {
    /// Checks files and database against their hashes, their chains and each other.
    pub async fn verify(&self) -> Result<VerifyReport, StoreError> {
        let inner = &self.inner;
        let mut report = VerifyReport::default();
        let mut writers: BTreeMap<String, Vec<Seen>> = BTreeMap::new();
        for file in log_file::listing(&inner.place.log())? {
            report.files += 1;
            let name = format!("log/{}", file.name);
            let mut lines = Lines::open(&inner.place, &file.name, 0)?;
            let mut last: BTreeMap<String, i64> = BTreeMap::new();
            while let Some(raw) = lines.next()? {
                let decoded = match raw.too_long {
                    true => Err(Reason::TooLong),
                    false => encoding::decode(&raw.bytes),
                };
                match decoded {
                    Ok(line) => {
                        report.lines += 1;
                        self.check_line(&name, lines.number, &line, &mut report);
                        let Line { event, .. } = line;
                        if let Some(before) = last.insert(event.writer.as_str().to_owned(), event.n).filter(|before| *before >= event.n) {
                            report.add(&name, lines.number, "order", format!("event {} of {} stands behind event {before}", event.n, event.writer));
                        }
                        let seen = Seen { file: name.clone(), line: lines.number, n: event.n, id: event.id, prev: event.prev };
                        writers.entry(event.writer.as_str().to_owned()).or_default().push(seen);
                    }
                    Err(reason) if !raw.whole => report.add(&name, lines.number, Reason::Torn.as_str(), format!("the last line is not whole ({reason})")),
                    Err(reason) => report.add(&name, lines.number, reason.as_str(), format!("the line can't be used: {reason}")),
                }
            }
        }
        for (writer, seen) in &mut writers {
            chain(writer, seen, &mut report);
        }
        match self.against_database(&writers, &mut report).await {
            // Told with what else is wrong with its pages.
            Ok(()) | Err(StoreError::Corrupt(_)) => self.pages(&mut report).await?,
            Err(error) => return Err(error),
        }
        self.blobs(&mut report)?;
        report.findings.sort();
        Ok(report)
    }

    /// Whether SQLite itself can read all of its file.
    async fn pages(&self, report: &mut VerifyReport) -> Result<(), StoreError> {
        let mut read = self.reader().begin().await?;
        let found = sqlx::query("pragma integrity_check(5)").fetch_all(&mut *read.conn).await;
        let texts: Vec<String> = match found.map_err(StoreError::from) {
            Ok(rows) => rows.iter().map(|row| row.get(0)).collect(),
            Err(StoreError::Corrupt(text)) => vec![text],
            Err(other) => return Err(other),
        };
        for text in texts.iter().flat_map(|text| text.lines()).filter(|text| *text != "ok") {
            report.add("state.db", 0, "damaged", format!("{text}; `callboard rebuild` makes it anew from the log files"));
        }
        Ok(())
    }

    /// Puts a line of another file aside, with why it can't be used; whether it was not there yet.
    pub fn set_aside(&self, file: &str, line: u64, reason: Reason, bytes: &[u8]) -> Result<bool, StoreError> {
        Ok(log_file::quarantine(&self.inner.place.root, file, line, reason, bytes)?)
    }

    /// Everything in quarantine, by the names of its files. An entry that can't be read is in it too, as it stands.
    pub fn quarantine(&self) -> Result<Vec<Quarantined>, StoreError> {
        Ok(self.quarantined(usize::MAX)?.1)
    }

    /// How many entries lie in quarantine, and the first few of them: only those are read.
    pub fn quarantined(&self, most: usize) -> Result<(usize, Vec<Quarantined>), StoreError> {
        let folder = self.inner.place.root.join("quarantine");
        let Ok(entries) = fs::read_dir(folder) else { return Ok((0, Vec::new())) };
        let mut paths: Vec<_> =
            entries.filter_map(Result::ok).map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|ext| ext == "json")).collect();
        paths.sort();
        let total = paths.len();
        let mut found = Vec::new();
        for path in paths.into_iter().take(most) {
            let text = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
            let read = serde_json::from_str::<Quarantined>(&text);
            found.push(read.unwrap_or_else(|fault| {
                let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                Quarantined { file, line: 0, reason: format!("unreadable: {fault}"), text }
            }));
        }
        Ok((total, found))
    }

    fn check_line(&self, name: &str, number: u64, line: &Line, report: &mut VerifyReport) {
        let ahead = line.event.at.moment.0 - self.inner.now().0;
        if ahead > limits::CLOCK_AHEAD_MS_MAX {
            report.add(name, number, "clock_ahead", format!("{} is {} s ahead of this machine's clock", line.event.at, ahead / 1000));
        }
        if let Some(blob) = encoding::blob_ref(&line.event.body).filter(|blob| !self.inner.place.blob(&blob.sha256).exists()) {
            report.add(name, number, "blob", format!("its body, blobs/{}, is missing", blob.sha256));
        }
    }

    async fn against_database(&self, writers: &BTreeMap<String, Vec<Seen>>, report: &mut VerifyReport) -> Result<(), StoreError> {
        let mut read = self.reader().begin().await?;
        let conn = &mut *read.conn;
        let head = Head::require(conn).await?;
        let in_files: HashSet<&EventId> = writers.values().flatten().map(|seen| &seen.id).collect();
        let own: BTreeSet<String> = q("select writer from writer where project = ?1").fetch_all(&mut *conn).await?.iter().map(|row| row.get(0)).collect();
        let current = head.writer.as_ref().map(|writer| writer.as_str().to_owned());
        let mut in_database: HashSet<EventId> = HashSet::new();
        for row in q("select id, writer, n from event where project = ?1").fetch_all(&mut *conn).await? {
            report.events += 1;
            let (id, writer): (EventId, &str) = (event_id(row.get(0)), row.get(1));
            // A sealed file may be away with another branch; the current one, and one that is here, hold every event of theirs.
            let here = current.as_deref() == Some(writer) || (own.contains(writer) && writers.contains_key(writer));
            if here && !in_files.contains(&id) {
                report.add(
                    &format!("log/{writer}.jsonl"),
                    0,
                    "not_in_file",
                    format!("event {} of {writer} is in the database and not in its file", row.get::<i64, _>(2)),
                );
            }
            in_database.insert(id);
        }
        for seen in writers.values().flatten().filter(|seen| !in_database.contains(&seen.id)) {
            report.add(
                &seen.file,
                seen.line,
                "not_in_database",
                format!("event {} is not in the database; state.db may be deleted, it is made anew from the log", seen.id),
            );
        }
        let sql = "select e.writer, e.n, p.waits_for from parked p join event e on e.project = p.project and e.id = p.id where p.project = ?1 order by e.seq";
        for row in q(sql).fetch_all(&mut *conn).await? {
            let (writer, n, waits_for): (&str, i64, &str) = (row.get(0), row.get(1), row.get(2));
            report.add("state.db", 0, "waits", format!("event {n} of {writer} waits for {waits_for}"));
        }
        Ok(())
    }

    fn blobs(&self, report: &mut VerifyReport) -> Result<(), StoreError> {
        let folder = self.inner.place.root.join("blobs");
        let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
        for entry in entries {
            let Ok(name) = entry?.file_name().into_string() else { continue };
            if name.len() != 64 {
                continue;
            }
            report.blobs += 1;
            if log_file::read_blob(&self.inner.place, &name).is_none() {
                report.add(&format!("blobs/{name}"), 0, "blob", "the blob is not what its name says");
            }
        }
        Ok(())
    }
}

/// One writer's numbers and predecessors.
fn chain(writer: &str, seen: &mut [Seen], report: &mut VerifyReport) {
    seen.sort_by(|a, b| (a.n, &a.file, a.line).cmp(&(b.n, &b.file, b.line)));
    let (mut n, mut prev) = (0, EventId::none());
    for one in seen.iter() {
        if one.n == n && one.id != prev {
            report.add(&one.file, one.line, "twice", format!("two events of {writer} claim place {n}: the file was forked"));
        } else if one.n > n + 1 {
            report.add(&one.file, one.line, "gap", format!("events {} to {} of {writer} are missing", n + 1, one.n - 1));
        } else if one.n == n + 1 && one.prev != prev {
            report.add(&one.file, one.line, "chain", format!("event {} of {writer} does not follow the one before it", one.n));
        }
        if one.n > n {
            (n, prev) = (one.n, one.id.clone());
        }
    }
}
