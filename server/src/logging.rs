//! What a process tells whoever runs it, beside what it answers: faults with their incidents, and what goes on in a worse way.
//!
//! `error` is a fault that somebody has to look at, with its incident; `warn` is a way that is worse than it should be and was taken all the
//! same; `debug` is what is refused or missed as it may be.
//!
//! Invariants: lines go to stderr, never to stdout; a process whose stderr is gone goes on. Hooks do not begin this: they stay silent.

use contracts::Problem;
use std::io::{self, IsTerminal};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// The variable that says what is told: a level, or one for each part, as `debug` or `warn,storage=debug`.
pub const VARIABLE: &str = "CALLBOARD_LOG";

/// Faults of every part, warnings of our own.
const DEFAULT: &str = "error,callboard=warn,storage=warn,mcp=warn";

/// Begins to tell, for as long as this process lives.
///
/// # Errors
/// `bad_request` when the variable names no level.
pub fn start(colours: bool) -> Result<(), Problem> {
    let asked = std::env::var(VARIABLE).ok().filter(|words| !words.is_empty());
    let told = levels(asked.as_deref().unwrap_or(DEFAULT))?;
    let lines = tracing_subscriber::fmt::layer().with_writer(io::stderr).with_ansi(colours && io::stderr().is_terminal()).log_internal_errors(false);
    // It is refused where this process has begun already, and then all is well.
    let _ = tracing_subscriber::registry().with(lines).with(told).try_init();
    Ok(())
}

fn levels(words: &str) -> Result<Targets, Problem> {
    // A word alone that is no level would be taken for a part that tells all, and the rest of us would be silent.
    let is_level = |word: &str| word.trim().rsplit('=').next().is_some_and(|level| !level.is_empty() && level.parse::<LevelFilter>().is_ok());
    let read = words.split(',').all(is_level).then(|| words.parse().ok()).flatten();
    read.ok_or_else(|| Problem::bad_request(VARIABLE, format!("{words} is no level: error, warn, info, debug, trace, or off")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing::Level;

    #[test]
    fn what_is_told_is_a_level_or_one_for_each_part() {
        for (words, part, level, told) in [
            (DEFAULT, "callboard::board", Level::WARN, true),
            (DEFAULT, "callboard::board", Level::INFO, false),
            (DEFAULT, "hyper", Level::WARN, false),
            (DEFAULT, "hyper", Level::ERROR, true),
            ("debug", "hyper", Level::DEBUG, true),
            ("warn,storage=debug", "storage::write", Level::DEBUG, true),
            ("warn,storage=debug", "callboard", Level::DEBUG, false),
            ("off", "callboard", Level::ERROR, false),
        ] {
            assert_eq!(levels(words).unwrap().would_enable(part, &level), told, "{words}: {part} {level}");
        }
        for bad in ["storage=loud", "loud", "warn,loud", "storage", "warn,", "storage="] {
            assert_eq!(levels(bad).unwrap_err().code, contracts::Code::BadRequest, "{bad}");
        }
    }
}
