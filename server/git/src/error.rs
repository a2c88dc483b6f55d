//! What can go wrong with git, in the three ways a caller can react to.

/// A refusal or failure of git.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// Neither a repository nor a project was found from the directory asked about.
    #[error("not in a git repository")]
    NotARepository,
    /// Git ran and said no, or could not be started.
    #[error("{command} failed: {stderr}")]
    Failed {
        /// The command without its directory, as a person would type it.
        command: String,
        /// What git wrote to stderr, trimmed; the reason of the system when git could not be started.
        stderr: String,
    },
    /// Git did not end within its time limit and was stopped.
    #[error("git took too long and was stopped")]
    TimedOut,
}

impl GitError {
    pub(crate) fn failed(command: impl Into<String>, stderr: impl std::fmt::Display) -> GitError {
        GitError::Failed { command: command.into(), stderr: stderr.to_string() }
    }
}
