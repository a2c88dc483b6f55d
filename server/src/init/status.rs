//! How everything `init` writes stands now, changed by nobody: what `doctor` and the settings page tell.

use super::{client, guide, hooked, settings};
use contracts::settings::{Wiring, WiringRow};
use git::hooks::{HookReport, HooksPlace, Kept, Wiring as Wired};
use git::{GitError, Repository};
use std::path::Path;

/// The command that mends most things.
pub const INIT: &str = "callboard init";

/// The one that may put a line into a file of somebody's.
const TRACKED: &str = "callboard init --hooks=tracked";

/// One row; what mends it is `init`, unless told otherwise.
pub(super) fn row(what: &str, place: &str, wiring: Wiring, said: impl Into<String>) -> WiringRow {
    let mend = if wiring.is_good() { String::new() } else { INIT.to_owned() };
    WiringRow { what: what.to_owned(), place: place.to_owned(), wiring, said: said.into(), line: String::new(), mend }
}

/// Git's hooks, one row each, as they would call `binary`.
///
/// # Errors
/// When git can't be asked.
pub fn hooks(repository: &Repository, binary: &Path) -> Result<Vec<WiringRow>, GitError> {
    let reports = hooked::OURS.outlook(repository)?;
    let place = hooked::OURS.place(repository)?;
    let mend = match &place {
        HooksPlace::Tree(_) => TRACKED.to_owned(),
        HooksPlace::Outside(_) => outside(repository)?,
        HooksPlace::Own(_) | HooksPlace::Configuration => INIT.to_owned(),
    };
    Ok(reports.iter().map(|report| hook(report, binary, &mend)).collect())
}

/// What leads git's hooks back into the repository; hooks that others share are then not run here any more.
fn outside(repository: &Repository) -> Result<String, GitError> {
    let own = "git config core.hooksPath \"$(git rev-parse --path-format=absolute --git-common-dir)/hooks\" && callboard init";
    let plain = "git config --local --unset-all core.hooksPath && callboard init";
    Ok(if repository.local_config("core.hooksPath")?.is_some() { plain.to_owned() } else { own.to_owned() })
}

fn hook(report: &HookReport, binary: &Path, mend: &str) -> WiringRow {
    let (wiring, said, line) = match &report.wiring {
        Wired::Absent => (Wiring::Missing, String::new(), String::new()),
        Wired::Kept { why, line, .. } => (Wiring::Kept, hooked::why_kept(*why).to_owned(), line.clone()),
        _ if !report.runs => (Wiring::Dead, "its program is not there, or git would not run it".to_owned(), String::new()),
        _ if report.binary.as_deref() != Some(binary) => (Wiring::Other, "it calls another program than this one".to_owned(), String::new()),
        _ if !report.current => (Wiring::Older, String::new(), String::new()),
        Wired::Chained(_) => (Wiring::Installed, "yours runs after it".to_owned(), String::new()),
        Wired::Line(_) => (Wiring::Installed, "by a line in a file of yours".to_owned(), String::new()),
        Wired::File(_) | Wired::Configured => (Wiring::Installed, String::new(), String::new()),
    };
    let mend = match &report.wiring {
        _ if wiring.is_good() => String::new(),
        Wired::Kept { why: Kept::NoShell, .. } => "add such a call to it, with its mark, then callboard init".to_owned(),
        Wired::Kept { why: Kept::ChainedTaken, .. } => TRACKED.to_owned(),
        _ => mend.to_owned(),
    };
    WiringRow { what: report.name.to_owned(), place: "git".to_owned(), wiring, said, line, mend }
}

/// What an agent client is given: its hooks, the tools, the guide.
pub fn clients(root: &Path, directory: &Path, repository: Option<&Repository>, binary: &Path) -> Vec<WiringRow> {
    let mut rows = vec![settings::status(root, repository, binary), client::status(root)];
    rows.extend(guide::status(root, directory));
    rows
}
