//! Hooks as one marked line in a file that is committed, or that a manager of hooks looks after.

use std::fs;
use std::path::Path;

use super::files::{exists, failed, is_executable, read, write_executable};
use super::{Found, Hook, HookReport, Hooks, Kept, Mode, Wiring};
use crate::GitError;

impl Hooks<'_> {
    /// Makes sure of our line. A line that is there already, because somebody committed it, is kept up to date in either mode.
    pub(super) fn install_line(&self, directory: &Path, hook: &Hook, mode: Mode) -> Result<Option<HookReport>, GitError> {
        let path = directory.join(hook.name);
        let line = self.line_text(hook);
        let text = read(&path)?;
        let there = self.lines_in(&text) != 0;
        if mode == Mode::Local && !there {
            return Ok(Some(self.kept(hook, Kept::Tracked, path, line)));
        }
        if !exists(&path) {
            fs::create_dir_all(directory).map_err(failed)?;
            write_executable(&path, &format!("#!/bin/sh\n{}\n{line}\n", self.only_ours()))?;
            return Ok(None);
        }
        if text.lines().any(|old| old == line) {
            return Ok(None);
        }
        let foreign = self.without_lines(&text);
        let Some(head) = shell_head(&foreign) else { return Ok(Some(self.kept(hook, Kept::NoShell, path, line))) };
        let (first, rest) = foreign.split_at(head);
        let begin = if first.is_empty() || first.ends_with('\n') { "" } else { "\n" };
        // A file whose last line has no end keeps that.
        let end = if begin.is_empty() { "\n" } else { "" };
        let only = if text.lines().any(|old| old == self.only_ours()) { self.only_ours() + "\n" } else { String::new() };
        fs::write(&path, format!("{first}{begin}{only}{line}{end}{rest}")).map_err(failed)?;
        Ok(None)
    }

    pub(super) fn remove_line(&self, directory: &Path, hook: &Hook) -> Result<(), GitError> {
        let path = directory.join(hook.name);
        let text = read(&path)?;
        if self.lines_in(&text) == 0 {
            return Ok(());
        }
        if text.contains(char::REPLACEMENT_CHARACTER) {
            return Err(GitError::failed("remove hooks", format!("{} is not UTF-8", path.display())));
        }
        let foreign = self.without_lines(&text);
        let only_ours = text.lines().any(|line| line == self.only_ours()) && foreign == "#!/bin/sh\n";
        let done = if only_ours { fs::remove_file(&path) } else { fs::write(&path, foreign) };
        done.map_err(failed)
    }

    /// The program of a line is in the configuration, which is not looked at here.
    pub(super) fn line_status(&self, directory: &Path, hook: &Hook) -> Result<Found, GitError> {
        let path = directory.join(hook.name);
        let text = read(&path)?;
        if self.lines_in(&text) == 0 {
            return Ok(Found::absent());
        }
        let current = text.lines().any(|line| line.trim_start() == self.line_text(hook));
        // Husky reads its files, so they need not be executable.
        let would_run = is_executable(&path) || directory.ends_with(".husky");
        Ok(Found { wiring: Wiring::Line(path), binary: None, would_run, current })
    }

    /// Whether a line of ours is in the file.
    pub(super) fn has_line(&self, path: &Path) -> Result<bool, GitError> {
        Ok(self.lines_in(&read(path)?) != 0)
    }

    /// Whether a line of ours could be in the file.
    pub(super) fn takes_line(&self, path: &Path) -> Result<bool, GitError> {
        Ok(shell_head(&read(path)?).is_some())
    }

    /// Says that a file is there for our line alone, and goes with it.
    fn only_ours(&self) -> String {
        format!("# This file is here for the next line alone.{}", self.line_mark())
    }

    fn lines_in(&self, text: &str) -> usize {
        text.lines().filter(|line| line.ends_with(&self.line_mark())).count()
    }

    fn without_lines(&self, text: &str) -> String {
        let ours = |line: &&str| line.trim_end_matches('\n').ends_with(&self.line_mark());
        let mut kept: String = text.split_inclusive('\n').filter(|line| !ours(line)).collect();
        if !text.ends_with('\n') && kept.ends_with('\n') {
            kept.pop();
        }
        kept
    }
}

/// Where a line of shell may go first: behind `#! … sh`, or at the front where nothing says what the file is for. None when it says
/// something else.
fn shell_head(text: &str) -> Option<usize> {
    if text.contains(['\0', char::REPLACEMENT_CHARACTER]) {
        return None; // a program, or text that writing back would change
    }
    if !text.starts_with("#!") {
        return Some(0);
    }
    let end = text.find('\n').map_or(text.len(), |at| at + 1);
    let mut words = text[2..end].split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let mut program = words.next()?;
    if program == "env" {
        program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    }
    matches!(program, "sh" | "bash" | "dash" | "zsh" | "ksh" | "ash").then_some(end)
}
