//! Reports on the wire: what is asked for, what a report is, and how its narration stands.

use crate::Moment;
use serde::{Deserialize, Serialize};

/// Which report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ReportKind {
    /// How everything stands now.
    #[default]
    Board,
    /// What happened since a while ago.
    Standup,
    /// One calendar day.
    Day,
    /// Several calendar days.
    Range,
    /// Everything.
    All,
}

impl ReportKind {
    /// Every kind.
    pub const ALL: [ReportKind; 5] = [ReportKind::Board, ReportKind::Standup, ReportKind::Day, ReportKind::Range, ReportKind::All];

    /// The word on every surface.
    pub fn as_str(self) -> &'static str {
        match self {
            ReportKind::Board => "board",
            ReportKind::Standup => "standup",
            ReportKind::Day => "day",
            ReportKind::Range => "range",
            ReportKind::All => "all",
        }
    }

    /// Reads the word.
    ///
    /// # Errors
    /// The legal words.
    pub fn parse(raw: &str) -> Result<ReportKind, String> {
        ReportKind::ALL.into_iter().find(|kind| kind.as_str() == raw).ok_or_else(|| format!("{raw:?} is no report: board, standup, day, range or all"))
    }
}

/// What is asked for. Which of these goes with which kind, and in which form, the engine says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReportQuery {
    /// Which report.
    pub kind: ReportKind,
    /// `standup`: how long ago it begins: `24h`, `90m`, `3d`, `1w`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// `day`: `2026-11-28`, `today` or `yesterday`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// `range`: so many calendar days, weeks or months that end today: `7d`, `2w`, `1m`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
    /// `range`: the first day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// `range`: the last day; today when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// `standup`: of one actor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// In full, as the file and the page have it, and not cut for a terminal.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub full: bool,
}

/// Whether a text can be the name of a report: it is the name of a file.
pub fn is_label(raw: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    raw.len() <= crate::limits::REPORT_LABEL_CHARS_MAX && raw.bytes().all(fits) && raw.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric())
}

/// Which facts a report was made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportStamp {
    /// `day`, `range` or `all`.
    pub kind: ReportKind,
    /// Its name, and its file's.
    pub label: String,
    /// IANA zone its days were cut in.
    pub zone: String,
    /// First instant of its window.
    pub from: Moment,
    /// First instant after it.
    pub to: Moment,
    /// The facts are those before this: the window's end, or the moment it was made.
    pub as_of: Moment,
    /// Events before `as_of`, but for those about reports.
    pub events: i64,
    /// First 16 digits of SHA-256 over their ids.
    pub sum: String,
    /// When it was made.
    pub generated: Moment,
}

/// How far a written report is behind the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Freshness {
    /// It says what would be said now.
    #[default]
    Current,
    /// So many events came since.
    Behind {
        /// How many.
        events: i64,
    },
    /// As many events, but others.
    Changed,
}

impl Freshness {
    /// In words.
    pub fn words(self) -> String {
        match self {
            Freshness::Current => "current".to_owned(),
            Freshness::Behind { events } => format!("{} behind", crate::text::count(events, "event")),
            Freshness::Changed => "made of other events".to_owned(),
        }
    }
}

/// How a narration stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NarrationState {
    /// Nobody narrated it.
    #[default]
    None,
    /// Being written.
    Writing,
    /// Written.
    Done,
    /// Not finished: the provider failed, or somebody or something ended it.
    Failed,
    /// Whoever wrote it is gone.
    Interrupted,
}

impl NarrationState {
    /// Every state.
    pub const ALL: [NarrationState; 5] =
        [NarrationState::None, NarrationState::Writing, NarrationState::Done, NarrationState::Failed, NarrationState::Interrupted];

    /// The word in the file.
    pub fn as_str(self) -> &'static str {
        match self {
            NarrationState::None => "none",
            NarrationState::Writing => "writing",
            NarrationState::Done => "done",
            NarrationState::Failed => "failed",
            NarrationState::Interrupted => "interrupted",
        }
    }
}

/// The prose below the facts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Narration {
    /// `none`, `hand`, or the provider.
    pub by: String,
    /// The model, when one wrote it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// How it stands.
    pub state: NarrationState,
    /// Events the facts it was written for were made of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<i64>,
    /// The prose.
    pub text: String,
    /// The same as HTML that may be put into a page; filled in where pages are rendered.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub html: String,
}

impl Narration {
    /// Whether a person wrote it, or changed what a model wrote.
    pub fn is_by_hand(&self) -> bool {
        self.by == "hand"
    }
}

/// One section of the facts, for a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportSection {
    /// Its name in an address.
    pub key: String,
    /// Its heading.
    pub title: String,
    /// How many entries it has.
    pub count: i64,
    /// Its entries as HTML that may be put into a page as it is.
    pub html: String,
}

/// One picture of the period, drawn by the server, with the same numbers as a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportChart {
    /// What it shows, with its unit.
    pub title: String,
    /// The picture: SVG of our own making.
    pub svg: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The numbers, a row a day (or a week, where the period is long).
    pub rows: Vec<Vec<String>>,
}

/// A report as it is shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportView {
    /// Which report.
    pub kind: ReportKind,
    /// Its name, where it has a file or could have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Its heading.
    pub title: String,
    /// The facts.
    pub markdown: String,
    /// What they were made of; none for `board` and `standup`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamp: Option<ReportStamp>,
    /// Whether there is a file; without one the facts were made just now.
    pub written: bool,
    /// How far a written one is behind.
    #[serde(default)]
    pub stale: Freshness,
    /// The prose.
    #[serde(default)]
    pub narration: Narration,
    /// Counts of the seven sections, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub lead: String,
    /// For a page: the sections.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<ReportSection>,
    /// For a page: pictures of the period.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub charts: Vec<ReportChart>,
    /// Position of the log.
    pub seq: i64,
}

/// A written report, in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportRow {
    /// Its name.
    pub label: String,
    /// What it was made of; none for a file without a stamp.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamp: Option<ReportStamp>,
    /// How far it is behind.
    pub stale: Freshness,
    /// Whether its window is still open.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
    /// SHA-256 of the file.
    pub sha256: String,
    /// Who narrated it: `none`, `hand`, or the provider.
    pub narrated: String,
    /// How the narration stands.
    pub narration: NarrationState,
}

/// What happens to a narration, for whoever watches it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Telling {
    /// It begins.
    Started,
    /// Pass `i` of `n` begins.
    Pass,
    /// More text.
    Delta,
    /// It is whole.
    Done,
    /// It is not, and `text` says why and what to do.
    Failed,
}

/// One message about a narration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NarrationNews {
    /// Which report.
    pub label: String,
    /// What happens.
    pub state: Telling,
    /// The text, where there is some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Which pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub i: Option<u32>,
    /// Of how many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n: Option<u32>,
    /// Tokens the model wrote so far, as its provider reports them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<i64>,
    /// Cost in millionths of a dollar, as the provider reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_micros: Option<i64>,
    /// When.
    pub at: Moment,
}

/// What a narration may do that it does not do unasked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Narrate {
    /// Use this model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Spend on the API key of the environment.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub use_api_key: bool,
    /// Write a finished narration anew.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub replace_narration: bool,
    /// Replace one that a person wrote; what they wrote is kept beside it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub replace_hand: bool,
    /// Replace facts that a person changed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub replace_facts: bool,
}
