//! Hooks that git's own configuration names, since 2.54.

use super::{Found, Hook, Hooks, Wiring};
use crate::command::Git;
use crate::{GitError, Repository};

impl Hooks<'_> {
    fn section(&self, hook: &Hook) -> String {
        format!("hook.{}-{}", self.owner, hook.name)
    }

    /// Names a command for every hook.
    pub(super) fn configure(&self, repository: &Repository, binary: &str) -> Result<(), GitError> {
        for hook in self.hooks {
            let section = self.section(hook);
            let command = self.command(hook, binary);
            for (key, value) in [("command", command.as_str()), ("event", hook.name)] {
                let key = format!("{section}.{key}");
                if local(repository, &key)?.as_deref() != Some(value) {
                    Git::new(repository.directory(), &["config", "--local", "--replace-all", &key, value]).run()?;
                }
            }
        }
        Ok(())
    }

    /// Takes the commands out again.
    pub(super) fn unconfigure(&self, repository: &Repository) -> Result<(), GitError> {
        for hook in self.hooks {
            for key in ["command", "event"] {
                let key = format!("{}.{key}", self.section(hook));
                if local(repository, &key)?.is_some() {
                    repository.unset_config(&key)?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn configured(&self, repository: &Repository, hook: &Hook) -> Result<Found, GitError> {
        let section = self.section(hook);
        let Some(command) = local(repository, &format!("{section}.command"))? else { return Ok(Found::absent()) };
        let event = local(repository, &format!("{section}.event"))?;
        let enabled = repository.config(&format!("{section}.enabled"))?;
        let off = enabled.is_some_and(|value| ["false", "no", "off", "0"].iter().any(|word| value.eq_ignore_ascii_case(word)));
        let binary = self.binary_of(&command);
        let current = binary.as_deref().and_then(std::path::Path::to_str).is_some_and(|binary| self.command(hook, binary) == command);
        Ok(Found { wiring: Wiring::Configured, binary, would_run: event.as_deref() == Some(hook.name) && !off, current })
    }
}

/// A value of the repository's own configuration, ends of lines and all.
fn local(repository: &Repository, key: &str) -> Result<Option<String>, GitError> {
    let output = Git::new(repository.directory(), &["config", "--local", "-z", "--get", key]).output()?;
    match output.code {
        Some(0) => Ok(Some(String::from_utf8_lossy(&output.stdout).trim_end_matches('\0').to_owned())),
        Some(1) => Ok(None),
        _ => Err(GitError::failed(format!("git config --get {key}"), output.stderr)),
    }
}
