//! Reading shell text for the commits in it, without running or expanding anything.
//!
//! An agent's client hands over the text of a command before it runs. What it would commit, where, and under which message is read
//! here: quotes, escapes, comments, here-documents as data, operators, keywords, wrappers, `sh -c`, `eval`, `$(…)`, git's global
//! options and aliases, and the directory as `cd` and the like move it.
//!
//! Invariants:
//! - Pure: aliases and files come from the caller ([`World`]); the same text gives the same answer.
//! - Total and bounded: any text gives an answer, in time that grows with its length; what cannot be told is `None` or `Unknown`.
//! - An alias or a script inside a script is read to [`DEPTH_MAX`]; text that is unbalanced, longer than [`TEXT_BYTES_MAX`] or deeper
//!   is [`Unreadable`], and then no commit is reported: the caller has to judge by other means.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

mod args;
mod commit;
mod git;
mod lexing;
mod script;
mod syntax;
#[cfg(test)]
mod tests;
mod walk;
mod words;
mod wrappers;

/// Longer text is not read.
pub const TEXT_BYTES_MAX: usize = 64 * 1024;
/// How many scripts may stand inside each other: `sh -c`, `eval`, `$(…)`, backquotes, `<(…)`, aliases.
pub const DEPTH_MAX: usize = 4;
/// What all scripts inside the text, read again, may add up to.
const CHARS_READ_MAX: usize = 16 * TEXT_BYTES_MAX;
/// How many different aliases are asked for.
const ALIASES_ASKED_MAX: usize = 16;

/// What the reader may ask of the world.
pub struct World<'a> {
    /// Where the text would be run; absolute.
    pub directory: &'a Path,
    /// What git's configuration, seen from a directory, says a word stands for (`alias.<word>`). Asked only for words that are no
    /// command of git, a few times at most.
    pub alias: &'a dyn Fn(&Directory, &str) -> Option<String>,
    /// The text of a file that a message is taken from; none when it cannot be read, is not UTF-8, or is over [`TEXT_BYTES_MAX`].
    pub file: &'a dyn Fn(&Path) -> Option<String>,
}

/// Where a command runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Directory {
    /// This absolute path, with `.` and `..` taken out.
    Known(Arc<Path>),
    /// It depends on something that only running would tell.
    Unknown,
}

/// A commit that the text would make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Where: the worktree it would be made in is the one around this directory.
    pub directory: Directory,
    /// The whole message, as far as it is in the text or in a literal file; none when any of it is not.
    pub message: Option<String>,
    /// The values of `--trailer`, in order, as written (`Key: value` or `Key=value`); one that cannot be read is left out.
    pub trailers: Vec<String>,
    /// `--amend`.
    pub amend: bool,
    /// `--fixup` or `--squash`.
    pub fixup: bool,
    /// The message of another commit is taken: `-C`, `-c`, `--amend`, `--fixup`, `--squash`.
    pub reuses: bool,
    /// An editor would open.
    pub editor: bool,
    /// Hooks are switched off or replaced: `-c core.hooksPath=…`, `-c hook.…`, `GIT_CONFIG_…=` before it.
    pub hooks_off: bool,
    /// `-n`, `--no-verify`.
    pub no_verify: bool,
}

/// A simple command of the text, with wrappers taken off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Its words; none for one that only running would tell.
    pub argv: Vec<Option<String>>,
    /// The variables set for it alone, in the text before it or by `env`.
    pub variables: Vec<(String, Option<String>)>,
    /// Where it runs.
    pub directory: Directory,
}

/// Text that could not be read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Whether the words `git` and `commit` follow each other in one of its lines.
    pub mentions_commit: bool,
}

/// What a text would do, as far as it is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Every commit, in the order of the text. Empty when the text is unreadable.
    pub commits: Vec<Commit>,
    /// Every simple command, those inside other commands first; what was read so far when the text is unreadable.
    pub calls: Vec<Call>,
    /// Set when the text could not be read to its end.
    pub unreadable: Option<Unreadable>,
}

/// Reads `text`; never fails, never runs anything.
pub fn read(text: &str, world: &World<'_>) -> Reading {
    let mut walk = walk::Walk::new(world);
    let outcome = if text.len() > TEXT_BYTES_MAX { Err(syntax::Unbalanced) } else { walk.text(text, walk::State::new(world.directory), 0) };
    let mut reading = walk.reading;
    if outcome.is_err() {
        reading.commits.clear();
        reading.unreadable = Some(Unreadable { mentions_commit: mentions_commit(text) });
    }
    reading
}

/// Whether `git` and, later in the same line, `commit` stand as words, whatever is around them.
fn mentions_commit(text: &str) -> bool {
    let mut git = false;
    for line in text.replace("\\\n", " ").split(['\n', ';', '&', '|']) {
        for word in line.split(|c: char| c.is_whitespace() || "'\"`()<>{}\\$=".contains(c)) {
            let name = word.rsplit('/').next().unwrap_or(word);
            if git && name == "commit" {
                return true;
            }
            git |= matches!(name, "git" | "git.exe");
        }
        git = false;
    }
    false
}

impl Directory {
    /// The longest path followed, which is as much as most systems take.
    const BYTES_MAX: usize = 4096;

    pub(crate) fn known(path: &Path) -> Directory {
        if path.is_absolute() && path.as_os_str().len() <= Directory::BYTES_MAX { Directory::Known(Arc::from(path)) } else { Directory::Unknown }
    }

    /// The path, if it is known.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Directory::Known(path) => Some(path),
            Directory::Unknown => None,
        }
    }

    /// Where `path` leads from here.
    pub(crate) fn join(&self, path: Option<&str>) -> Directory {
        let Some(path) = path else { return Directory::Unknown };
        let path = Path::new(path);
        let base = match self {
            _ if path.is_absolute() => Path::new(""),
            Directory::Known(base) => base,
            Directory::Unknown => return Directory::Unknown,
        };
        let mut joined = PathBuf::new();
        for component in base.components().chain(path.components()) {
            match component {
                Component::CurDir => {}
                Component::ParentDir => drop(joined.pop()),
                other => joined.push(other),
            }
        }
        Directory::known(&joined)
    }
}
