//! How a project is wired to git and to agent clients, and what checking its log found: what the settings page shows.

use serde::{Deserialize, Serialize};

/// How one thing is wired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wiring {
    /// As this program writes it, and it calls this program.
    Installed,
    /// Ours, but not as this program writes it.
    Older,
    /// It calls another program than this one.
    Other,
    /// It would call a program that is not there, or git would not run it.
    Dead,
    /// What is there is somebody's, and was left alone; a line would do it.
    Kept,
    /// Not there.
    Missing,
}

impl Wiring {
    /// Whether nothing is to be done.
    pub fn is_good(self) -> bool {
        self == Wiring::Installed
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Wiring::Installed => "installed",
            Wiring::Older => "older than this binary",
            Wiring::Other => "calls another program",
            Wiring::Dead => "calls nothing",
            Wiring::Kept => "left to its manager",
            Wiring::Missing => "not installed",
        }
    }
}

/// One thing that is wired, or is not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WiringRow {
    /// What: a hook by git's name for it, or what a client is given.
    pub what: String,
    /// Where it stands: `git`, or a file below the root.
    pub place: String,
    /// How it stands.
    pub wiring: Wiring,
    /// More, when there is more to say.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub said: String,
    /// The exact line to be added by hand, where something was left alone.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub line: String,
    /// The command that mends it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub mend: String,
}

/// Something to paste.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snippet {
    /// For which client.
    pub client: String,
    /// Where it goes.
    pub place: String,
    /// What is pasted.
    pub text: String,
}

/// A project this person opened lately on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownProject {
    /// What people call it.
    pub name: String,
    /// Its folder, from the person's home where it lies below it.
    pub place: String,
    /// Its page, while it is served.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The line that serves it.
    pub command: String,
    /// Whether it is the one whose page this is.
    #[serde(default, skip_serializing_if = "is_false")]
    pub here: bool,
}

/// Something wrong in the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogFinding {
    /// The file, and the line when it is about one.
    pub place: String,
    /// What kind of fault.
    pub code: String,
    /// In words.
    pub text: String,
}

/// What checking the log found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogCheck {
    /// Files read.
    pub files: i64,
    /// Lines whose hash holds.
    pub lines: i64,
    /// Events in the database.
    pub events: i64,
    /// Blobs read.
    pub blobs: i64,
    /// Everything that is wrong.
    pub total: i64,
    /// The first of it.
    pub findings: Vec<LogFinding>,
}

/// What is asked of the settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SettingsQuery {
    /// Whether to check the log, which reads all of it.
    #[serde(skip_serializing_if = "is_false")]
    pub verify: bool,
}

/// The settings of a project and of this machine's copy of it. Nothing in it is a path of the machine, but for the projects this person
/// opened on it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingsView {
    /// Position of the log.
    pub seq: i64,
    /// Git's hooks.
    pub hooks: Vec<WiringRow>,
    /// What agent clients are given.
    pub clients: Vec<WiringRow>,
    /// What connects a client by hand.
    pub snippets: Vec<Snippet>,
    /// The log, when it was checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<LogCheck>,
    /// Whether a task wants a review when nobody says.
    #[serde(default)]
    pub review_default: bool,
    /// What writes the prose of reports; empty when none was named.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub narration: String,
    /// The projects this person opened lately, this one among them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub projects: Vec<KnownProject>,
    /// Build of this program.
    pub version: String,
    /// Terms it is under.
    pub licence: String,
}

impl SettingsView {
    /// How many things are not as they should be.
    pub fn faults(&self) -> usize {
        self.hooks.iter().chain(&self.clients).filter(|row| !row.wiring.is_good()).count()
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_false(value: &bool) -> bool {
    !value
}
