//! Hooks on disk: a program of the caller's beside whatever hooks a repository has, and away again without a trace.
//!
//! | The repository has | Then |
//! |---|---|
//! | git 2.54 or newer | no file is touched: the local configuration names the command, and git runs it beside any hook |
//! | older git, no hook of that name | a script of ours in the common hooks directory |
//! | older git, a hook that is not ours | it becomes `<name>.chained`, bytes unchanged; ours runs, then it, and its exit status counts |
//! | `core.hooksPath` inside the tree | only when asked ([`Mode::Tracked`]): one marked line in the file there, without a path of this machine |
//! | `core.hooksPath` outside the tree | nothing; the report says what a person could add |
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
    /// By a line of ours in a committed file.
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
                let mut kept = Vec::new();
                for hook in self.hooks {
                    kept.extend(self.install_file(directory, hook, text)?);
                }
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
                if lines {
                    repository.set_config(&self.binary_key(), text)?;
                } else {
                    self.forget_binary(repository)?;
                }
                return Ok(self.with_kept(self.status(repository)?, kept));
            }
            HooksPlace::Outside(directory) => {
                self.forget_binary(repository)?;
                let line = |hook: &Hook| format!("{} {} {} \"$@\"", script::quoted(text), self.words, hook.name);
                let kept = |hook: &Hook| self.kept(hook, Kept::Outside, directory.join(hook.name), line(hook));
                return Ok(self.hooks.iter().map(kept).collect());
            }
        }
        self.status(repository)
    }

    /// How every hook is wired now. Nothing is changed.
    pub fn status(&self, repository: &Repository) -> Result<Vec<HookReport>, GitError> {
        let place = self.place(repository)?;
        self.hooks.iter().map(|hook| self.status_of(repository, &place, hook)).collect()
    }

    /// Takes away everything [`Hooks::install`] ever put there, and puts back what was there before.
    pub fn remove(&self, repository: &Repository) -> Result<Vec<HookReport>, GitError> {
        self.unconfigure(repository)?;
        self.remove_files(&place::common_hooks(repository))?;
        if let HooksPlace::Own(directory) = place::hooks_directory(repository)? {
            self.remove_files(&directory)?;
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
        let (wiring, binary, would_run) = match place {
            HooksPlace::Configuration => self.configured(repository, hook)?,
            HooksPlace::Own(directory) => self.file_status(directory, hook)?,
            HooksPlace::Tree(directory) => {
                let (wiring, would_run) = self.line_status(directory, hook)?;
                (wiring, repository.config(&self.binary_key())?.map(PathBuf::from), would_run)
            }
            HooksPlace::Outside(_) => (Wiring::Absent, None, false),
        };
        let runs = would_run && binary.as_deref().is_some_and(files::is_executable);
        Ok(HookReport { name: hook.name, binary: binary.filter(|_| wiring != Wiring::Absent), wiring, runs })
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
        HookReport { name: hook.name, wiring: Wiring::Kept { why, path, line }, binary: None, runs: false }
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
