//! Hooks on disk: a program of the caller's beside whatever hooks a repository has, and away again without a trace.
//!
//! | The repository has | Then |
//! |---|---|
//! | git 2.54 or newer | no file is touched: the local configuration names the command, and git runs it beside any hook |
//! | older git, no hook of that name | a script of ours in the common hooks directory |
//! | older git, a hook that is not ours | it becomes `<name>.chained`, bytes unchanged; ours runs, then it, and its exit status counts |
//! | `core.hooksPath` inside the tree | only when asked ([`Mode::Tracked`]): one marked line in the file there, without a path of this machine |
//! | `core.hooksPath` outside the tree | nothing; the report says what a person could add, and what they added is told where the program is |
//!
//! Invariants:
//! - Whatever is installed first tests that the program is there, so a removed one never stops git.
//! - Only exit code 1 of a hook that may refuse stops git; a crash, a time-out and any other code do not.
//! - What is not ours keeps its bytes, its mode, and its exit status; [`Hooks::remove`] puts it back where it was.
//! - Installing twice is installing once; only our own lines and files are ever rewritten.

use std::path::{Path, PathBuf};

use crate::{GitError, Repository};

mod configured;
mod files;
mod line;
mod place;
mod script;

pub use place::HooksPlace;

/// A hook of git, by the name git knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hook {
    /// As git calls it.
    pub name: &'static str,
    /// Whether git gives it something to read, which then reaches every hook of that name.
    pub input: bool,
    /// Whether exit code 1 of ours is to stop git.
    pub may_refuse: bool,
}

/// What is installed for whom.
#[derive(Clone, Copy, Debug)]
pub struct Hooks<'a> {
    /// The program's name: the section of its configuration and the mark of its files. Letters and digits.
    pub owner: &'a str,
    /// Which hooks.
    pub hooks: &'a [Hook],
    /// What the program is called with, in front of the hook's name and git's own arguments.
    pub words: &'a str,
    /// How long it may take, where the system has a `timeout` command; the program has to keep this itself as well.
    pub seconds_max: u32,
}

/// Where `core.hooksPath` leads into the tree: whether a committed file may get a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It may not.
    Local,
    /// It may (`--hooks=tracked`).
    Tracked,
}

/// One hook, as it is wired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookReport {
    /// As git calls it.
    pub name: &'static str,
    /// How.
    pub wiring: Wiring,
    /// The program it would call; none when it calls none, or when that is not said.
    pub binary: Option<PathBuf>,
    /// Whether the program is there, and git would run the hook.
    pub runs: bool,
    /// Whether it is written as this version writes it.
    pub current: bool,
}

/// How a hook is wired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wiring {
    /// In the local configuration.
    Configured,
    /// By a file of ours.
    File(PathBuf),
    /// By a file of ours, behind which the one that was there before runs.
    Chained(PathBuf),
    /// By a line of ours in a file of somebody else's.
    Line(PathBuf),
    /// Not at all.
    Absent,
    /// Not at all, because what is there was left alone.
    Kept {
        /// Why.
        why: Kept,
        /// What is there.
        path: PathBuf,
        /// The exact line that would do it, to be added by hand.
        line: String,
    },
}

/// Why something was left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Hooks are in the tree, and nobody said that a committed file may change.
    Tracked,
    /// Hooks are somewhere that other repositories may share.
    Outside,
    /// The file is not for a shell, so a line of shell has no place in it.
    NoShell,
    /// Both the hook and its `.chained` are there and not ours.
    ChainedTaken,
}

/// How one hook stands where it was looked for.
struct Found {
    wiring: Wiring,
    binary: Option<PathBuf>,
    would_run: bool,
    current: bool,
}

impl Found {
    fn absent() -> Found {
        Found { wiring: Wiring::Absent, binary: None, would_run: false, current: false }
    }
}

impl Hooks<'_> {
    /// Wires every hook to `binary`, an absolute path, and takes away what was wired otherwise before.
    pub fn install(&self, repository: &Repository, binary: &Path, mode: Mode) -> Result<Vec<HookReport>, GitError> {
        let text = binary.to_str().filter(|_| binary.is_absolute());
        let text = text.ok_or_else(|| GitError::failed("install hooks", "the program's path is not absolute, or not UTF-8"))?;
        let place = self.place(repository)?;
        if place != HooksPlace::Configuration {
            self.unconfigure(repository)?;
        }
        let own = place::common_hooks(repository);
        if !matches!(&place, HooksPlace::Own(directory) if *directory == own) {
            self.remove_files(&own)?;
        }
        match &place {
            HooksPlace::Configuration => {
                self.forget_lines(repository)?;
                self.configure(repository, text)?;
            }
            HooksPlace::Own(directory) => {
                self.forget_lines(repository)?;
                let (mut kept, mut lines) = (Vec::new(), false);
                for hook in self.hooks {
                    kept.extend(self.install_file(directory, hook, text, mode)?);
                    lines |= self.has_line(&directory.join(hook.name))?;
                }
                self.tell_lines(repository, text, lines)?;
                return Ok(self.with_kept(self.status(repository)?, kept));
            }
            HooksPlace::Tree(directory) => {
                let mut kept = Vec::new();
                let mut lines = false;
                for hook in self.hooks {
                    match self.install_line(directory, hook, mode)? {
                        Some(report) => kept.push(report),
                        None => lines = true,
                    }
                }
                self.tell_lines(repository, text, lines)?;
                return Ok(self.with_kept(self.status(repository)?, kept));
            }
            HooksPlace::Outside(directory) => {
                // Not ours to write into; a line that a person put there works once it is told where the program is.
                let mut lines = false;
                for hook in self.hooks {
                    lines |= self.has_line(&directory.join(hook.name))?;
                }
                self.tell_lines(repository, text, lines)?;
                return self.outlook(repository);
            }
        }
        self.status(repository)
    }

    /// Where lines find the program, if there are any.
    fn tell_lines(&self, repository: &Repository, binary: &str, any: bool) -> Result<(), GitError> {
        if any { repository.set_config(&self.binary_key(), binary) } else { self.forget_binary(repository) }
    }

    /// How every hook is wired now. Nothing is changed.
    pub fn status(&self, repository: &Repository) -> Result<Vec<HookReport>, GitError> {
        let place = self.place(repository)?;
        self.hooks.iter().map(|hook| self.status_of(repository, &place, hook)).collect()
    }

    /// The same, and for each hook that [`Hooks::install`] would leave alone, why, and the line to be added by hand. Nothing is changed.
    pub fn outlook(&self, repository: &Repository) -> Result<Vec<HookReport>, GitError> {
        let place = self.place(repository)?;
        let mut kept = Vec::new();
        let reports = self.status(repository)?;
        for (hook, _) in self.hooks.iter().zip(&reports).filter(|(_, report)| report.wiring == Wiring::Absent) {
            let (why, directory) = match &place {
                HooksPlace::Configuration => continue,
                HooksPlace::Own(directory) if self.both_taken(directory, hook)? => {
                    let shell = self.takes_line(&directory.join(hook.name))?;
                    (if shell { Kept::ChainedTaken } else { Kept::NoShell }, directory)
                }
                HooksPlace::Own(_) => continue,
                HooksPlace::Tree(directory) if self.takes_line(&directory.join(hook.name))? => (Kept::Tracked, directory),
                HooksPlace::Tree(directory) => (Kept::NoShell, directory),
                HooksPlace::Outside(directory) => (Kept::Outside, directory),
            };
            kept.push(self.kept(hook, why, directory.join(hook.name), self.line_text(hook)));
        }
        Ok(self.with_kept(reports, kept))
    }

    /// Takes away everything [`Hooks::install`] ever put there, and puts back what was there before.
    pub fn remove(&self, repository: &Repository) -> Result<Vec<HookReport>, GitError> {
        self.unconfigure(repository)?;
        self.remove_files(&place::common_hooks(repository))?;
        if let HooksPlace::Own(directory) = place::hooks_directory(repository)? {
            self.remove_files(&directory)?;
            for hook in self.hooks {
                self.remove_line(&directory, hook)?;
            }
        }
        self.forget_lines(repository)?;
        self.status(repository)
    }

    /// Where hooks go in this repository, with this git.
    pub fn place(&self, repository: &Repository) -> Result<HooksPlace, GitError> {
        if place::CONFIGURED_SINCE <= repository.git_version()? {
            return Ok(HooksPlace::Configuration);
        }
        place::hooks_directory(repository)
    }

    fn status_of(&self, repository: &Repository, place: &HooksPlace, hook: &Hook) -> Result<HookReport, GitError> {
        let found = match place {
            HooksPlace::Configuration => self.configured(repository, hook)?,
            HooksPlace::Own(directory) => self.file_status(directory, hook)?,
            HooksPlace::Tree(_) | HooksPlace::Outside(_) => Found::absent(),
        };
        let found = match place {
            HooksPlace::Own(directory) | HooksPlace::Tree(directory) | HooksPlace::Outside(directory) if found.wiring == Wiring::Absent => {
                Found { binary: repository.config(&self.binary_key())?.map(PathBuf::from), ..self.line_status(directory, hook)? }
            }
            _ => found,
        };
        let Found { wiring, binary, would_run, current } = found;
        let binary = binary.filter(|_| wiring != Wiring::Absent);
        let runs = would_run && binary.as_deref().is_some_and(files::is_executable);
        Ok(HookReport { name: hook.name, wiring, binary, runs, current })
    }

    /// The lines in the tree, and where they find the program.
    fn forget_lines(&self, repository: &Repository) -> Result<(), GitError> {
        if let HooksPlace::Tree(directory) = place::hooks_directory(repository)? {
            for hook in self.hooks {
                self.remove_line(&directory, hook)?;
            }
        }
        self.forget_binary(repository)
    }

    fn forget_binary(&self, repository: &Repository) -> Result<(), GitError> {
        match repository.config(&self.binary_key())? {
            Some(_) => repository.unset_config(&self.binary_key()),
            None => Ok(()),
        }
    }

    fn binary_key(&self) -> String {
        format!("{}.bin", self.owner)
    }

    fn kept(&self, hook: &Hook, why: Kept, path: PathBuf, line: String) -> HookReport {
        HookReport { name: hook.name, wiring: Wiring::Kept { why, path, line }, binary: None, runs: false, current: false }
    }

    fn with_kept(&self, mut reports: Vec<HookReport>, kept: Vec<HookReport>) -> Vec<HookReport> {
        for kept in kept {
            if let Some(report) = reports.iter_mut().find(|report| report.name == kept.name) {
                *report = kept;
            }
        }
        reports
    }
}
