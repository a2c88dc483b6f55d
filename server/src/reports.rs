//! Reports of a board: made of its log, kept as files that are committed like source, and narrated by a model that is given the facts alone.
//!
//! Invariants: facts are the engine's; nothing here adds to them. A file is replaced whole or not at all, and never when it is not what
//! was read. What a person wrote is kept, or replaced where they said so, with a copy beside it.

mod daily;
mod file;
mod narrate;
mod pass;
mod prompt;
mod spool;
mod view;

pub use daily::at_first_command;
pub use narrate::{Limits, narrate};
pub use spool::Spool;
pub use view::board;

use crate::board::ServerPort;
use contracts::command::NoteReport;
use contracts::report::{Freshness, Narrate, Narration, NarrationState, ReportKind, ReportQuery, ReportRow, ReportStamp, ReportView};
use contracts::{Call, Caller, Code, Command, CommandRequest, Hint, Moment, Problem, limits};
use engine::report::dossier::{Dossier, Meeting, sha256};
use engine::report::{Form, Gather, Report, Window, dossier, markdown, sum_of, window, window_of_label};
use file::{Files, Kept};
use jiff::tz::TimeZone;
use storage::{Read, StoreError};

/// The reports of one board. Cheap to clone.
#[derive(Clone)]
pub struct Reports {
    port: ServerPort,
    files: Files,
}

/// One read of the board, and what every window needs of it.
struct Facts {
    read: Read,
    zone: TimeZone,
    zone_name: String,
    now: Moment,
}

/// What the store says, cut down to what callers are told.
fn told(error: StoreError) -> Problem {
    let problem = error.problem();
    if problem.code == Code::Internal {
        tracing::error!(incident = problem.incident.as_deref(), %error, "a report could not be read");
    }
    problem
}

impl Reports {
    /// Of this board.
    pub fn of(port: &ServerPort) -> Reports {
        Reports { files: Files::of(&port.directory()), port: port.clone() }
    }

    async fn facts(&self) -> Result<Facts, Problem> {
        let mut read = self.port.store().reader().begin().await.map_err(told)?;
        let project = read.project().await.map_err(told)?.ok_or_else(crate::boot::not_initialized)?;
        let zone_name = if project.zone.is_empty() { "UTC".to_owned() } else { project.zone };
        Ok(Facts { now: read.now(), read, zone: crate::zone::named(&zone_name), zone_name })
    }

    /// Makes a report of a window.
    async fn gathered(&self, facts: &mut Facts, window: Window) -> Result<Report, Problem> {
        let mut gather = Gather::new(window, facts.zone.clone(), &facts.zone_name);
        facts.read.each_subject(|events| gather.subject(events)).await.map_err(told)?;
        Ok(gather.finish())
    }

    /// A report that is asked for, made now. `board` is not made here: it is about live rows, not about the log.
    ///
    /// # Errors
    /// `bad_request` with the legal forms.
    pub async fn asked(&self, query: &ReportQuery, pages: bool) -> Result<ReportView, Problem> {
        let mut facts = self.facts().await?;
        let window = window(query, &facts.zone, facts.now)?;
        let report = self.gathered(&mut facts, window).await?;
        let text = markdown(&report, if query.full || pages { Form::Full } else { Form::Brief });
        let seq = facts.read.head().await.map_err(told)?.seq;
        Ok(view::made(&report, text, facts.now, seq, pages))
    }

    /// A report by its name: its file when there is one, else made now.
    ///
    /// # Errors
    /// `not_found` for a name that is no window and no file.
    pub async fn named(&self, label: &str, pages: bool) -> Result<ReportView, Problem> {
        let mut facts = self.facts().await?;
        let kept = if contracts::report::is_label(label) { self.files.read(label)? } else { None };
        let window = window_of_label(label, &facts.zone, facts.now);
        let seq = facts.read.head().await.map_err(told)?.seq;
        let Some(kept) = kept else {
            let report = self.gathered(&mut facts, window?).await?;
            let text = markdown(&report, Form::Full);
            return Ok(view::made(&report, text, facts.now, seq, pages));
        };
        let dossier = self.with_its_narrator(label, dossier::read(&kept.text));
        let stale = match &dossier.stamp {
            Some(stamp) => freshness(stamp, &facts.read.event_ids().await.map_err(told)?, facts.now),
            None => Freshness::Current,
        };
        // Pictures are not in the file: they are drawn of what is known now.
        let report = match (pages, window) {
            (true, Ok(window)) => Some(self.gathered(&mut facts, window).await?),
            _ => None,
        };
        Ok(view::kept(label, dossier, stale, report.as_ref(), seq, pages))
    }

    /// The written reports, the newest window first.
    ///
    /// # Errors
    /// When the folder can't be read.
    pub async fn list(&self) -> Result<Vec<ReportRow>, Problem> {
        let labels = self.files.labels()?;
        let mut facts = self.facts().await?;
        let ids = if labels.is_empty() { Vec::new() } else { facts.read.event_ids().await.map_err(told)? };
        let mut rows = Vec::with_capacity(labels.len());
        for label in labels {
            // One that went away since the folder was read is not in the list.
            let Some(kept) = self.files.read(&label)? else { continue };
            let dossier = self.with_its_narrator(&label, dossier::read(&kept.text));
            rows.push(ReportRow {
                stale: dossier.stamp.as_ref().map_or(Freshness::Current, |stamp| freshness(stamp, &ids, facts.now)),
                open: dossier.stamp.as_ref().is_some_and(|stamp| facts.now < stamp.to),
                stamp: dossier.stamp,
                sha256: kept.sha256,
                narrated: dossier.narration.by,
                narration: dossier.narration.state,
                label,
            });
        }
        rows.sort_by(|a, b| (b.stamp.as_ref().map(|stamp| stamp.from), &b.label).cmp(&(a.stamp.as_ref().map(|stamp| stamp.from), &a.label)));
        Ok(rows)
    }

    /// A narration that says it is being written, and that nobody writes any more, is an interrupted one.
    fn with_its_narrator(&self, label: &str, mut dossier: Dossier) -> Dossier {
        if dossier.narration.state == NarrationState::Writing && !self.spool(label).is_taken() {
            dossier.narration.state = NarrationState::Interrupted;
        }
        dossier
    }

    /// Where what is narrated about this label goes.
    pub fn spool(&self, label: &str) -> Spool {
        Spool::of(&self.port.directory(), label)
    }

    /// Writes the facts of a report, and leaves what is narrated below them.
    ///
    /// # Errors
    /// `report_conflict` when a person changed the facts, or the file is not one of ours, or it changed meanwhile; `narrating`.
    pub async fn write(&self, caller: &Caller, label: &str, how: &Narrate) -> Result<ReportView, Problem> {
        let taken = self.spool(label).take(&caller.actor, self.port.now())?;
        self.written(caller, label, how, None).await?;
        drop(taken);
        self.named(label, false).await
    }

    /// The same, by whoever has the label's one place. With `narration`, that stands below the facts instead of what is there.
    async fn written(&self, caller: &Caller, label: &str, how: &Narrate, narration: Option<&Narration>) -> Result<(Kept, ReportStamp), Problem> {
        if self.port.page().read_only {
            return Err(Problem::new(Code::ReadOnly, "this board is served read only"));
        }
        let mut facts = self.facts().await?;
        let window = window_of_label(label, &facts.zone, facts.now)?;
        let before = self.files.read(label)?;
        let there = before.as_ref().map(|kept| dossier::read(&kept.text));
        if let (Some(kept), Some(there)) = (&before, &there)
            && !there.is_as_made
        {
            if !how.replace_facts {
                return Err(changed_by_hand(label, kept, there));
            }
            self.files.put_aside(label, "facts", &kept.text, facts.now, &facts.zone)?;
        }
        let report = self.gathered(&mut facts, window).await?;
        let text = markdown(&report, Form::Full);
        let now = facts.now;
        drop(facts);
        let stamp = report.stamp(now).ok_or_else(|| Problem::new(Code::Internal, "a report without a name was to be written"))?;
        let standing = there.as_ref().map(|there| there.narration.clone()).unwrap_or_default();
        // Facts that are the same are the same file: writing them again gives the same bytes.
        let is_same = there.as_ref().is_some_and(|there| there.is_as_made && there.facts == text.trim() && same(there.stamp.as_ref(), &stamp));
        if let (true, None, Some(kept)) = (is_same, narration, before.clone()) {
            return Ok((kept, stamp));
        }
        let whole = dossier::write(&stamp, &text, narration.unwrap_or(&standing));
        let kept = self.files.replace(label, &whole, before.as_ref())?;
        self.note(caller, &stamp, &kept, false).await?;
        Ok((kept, stamp))
    }

    /// Says in the log that a report was written.
    async fn note(&self, caller: &Caller, stamp: &ReportStamp, kept: &Kept, narrated: bool) -> Result<(), Problem> {
        let command = Command::NoteReport(NoteReport { stamp: stamp.clone(), sha256: kept.sha256.clone(), narrated });
        self.port.for_caller(caller.clone()).execute(CommandRequest::of(command)).await.map(drop)
    }

    /// Takes in a version of a file that was made elsewhere, by the rule for two versions.
    ///
    /// # Errors
    /// `report_conflict` naming both, and nothing is written; `too_large`, `bad_request`.
    pub async fn put(&self, caller: &Caller, label: &str, text: &str, base: Option<&str>) -> Result<ReportView, Problem> {
        if self.port.page().read_only {
            return Err(Problem::new(Code::ReadOnly, "this board is served read only"));
        }
        if !contracts::report::is_label(label) {
            return Err(Problem::bad_request("label", format!("{label:?} is no name of a report: letters, digits, dots, dashes")));
        }
        if text.len() > limits::REPORT_FILE_BYTES_MAX {
            return Err(Problem::new(Code::TooLarge, format!("a report has at most {} bytes, not {}", limits::REPORT_FILE_BYTES_MAX, text.len())));
        }
        let taken = self.spool(label).take(&caller.actor, self.port.now())?;
        let here = self.files.read(label)?;
        match dossier::meet(here.as_ref().map(|kept| kept.text.as_str()), text, base) {
            Meeting::Known => {}
            Meeting::Store => {
                let kept = self.files.replace(label, text, here.as_ref())?;
                let dossier = dossier::read(text);
                if let Some(stamp) = dossier.stamp.filter(|stamp| stamp.label == label) {
                    self.note(caller, &stamp, &kept, dossier.narration.by != "none").await?;
                }
            }
            Meeting::Conflict => {
                let here = here.map(|kept| kept.text).unwrap_or_default();
                let hint =
                    Hint::text("write what should stand into one text, and send it with the base that is here").or(Call::new("report").with("label", label));
                let title = format!("{label} is here in another version: nothing was written");
                let detail = format!("here: {}\nsent: {}", version(&here), version(text));
                return Err(Problem::new(Code::ReportConflict, title).detail(detail).hint(hint));
            }
        }
        drop(taken);
        self.named(label, false).await
    }
}

/// Whether two stamps are of the same facts, whenever they were made.
fn same(there: Option<&ReportStamp>, made: &ReportStamp) -> bool {
    there.is_some_and(|there| ReportStamp { generated: made.generated, as_of: made.as_of, ..there.clone() } == *made)
}

/// How far a report is behind: by events known before the earlier of its end and now.
fn freshness(stamp: &ReportStamp, ids: &[(Moment, u128)], now: Moment) -> Freshness {
    let until = stamp.to.min(now);
    let known = ids.partition_point(|(at, _)| *at < until);
    match i64::try_from(known).unwrap_or(i64::MAX) - stamp.events {
        0 if sum_of(ids[..known].iter().map(|(_, id)| *id).collect()) == stamp.sum => Freshness::Current,
        0 => Freshness::Changed,
        // Fewer than were counted: the log is another one, or lost some.
        events if events < 0 => Freshness::Changed,
        events => Freshness::Behind { events },
    }
}

/// A version in words: when it was made, of how much, who narrated it, how long it is, and how it begins.
fn version(text: &str) -> String {
    let dossier = dossier::read(text);
    let made = dossier.stamp.as_ref().map_or("without a stamp".to_owned(), |stamp| format!("made {} of {} events", stamp.generated, stamp.events));
    let begins: String = dossier.narration.text.chars().chain(dossier.facts.chars()).take(200).collect();
    format!("{made}, {} bytes, narrated by {}, sha256 {}, begins {begins:?}", text.len(), dossier.narration.by, sha256(text))
}

fn changed_by_hand(label: &str, kept: &Kept, there: &Dossier) -> Problem {
    let why = if there.stamp.is_some() { "its facts were changed by hand" } else { "it has no stamp, so a person or another program wrote it" };
    Problem::new(Code::ReportConflict, format!("{label} was not written: {why}")).detail(format!("here: {}", version(&kept.text))).hint(
        Hint::text("--replace-facts replaces them, and keeps what is there as a file beside it")
            .or(Call::new("write_report").with("label", label).with("replace_facts", true)),
    )
}

/// The words of a kind that has no file.
pub(crate) fn has_a_file(kind: ReportKind) -> bool {
    matches!(kind, ReportKind::Day | ReportKind::Range | ReportKind::All)
}
