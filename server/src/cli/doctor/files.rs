//! What git may see of `.callboard/`, who may read it, and whether its configuration can be read.

use super::Finding;
use crate::config::Config;
use crate::init;
use git::Repository;
use std::fs;
use std::path::{Path, PathBuf};

/// Files with something in them that is one person's.
const PRIVATE: [&str; 3] = ["local-token", "mcp-token", "state.db"];
/// What shows git the log again, whatever hides it.
const SHOW_LOG: &str = r"printf '\n!/.callboard/\n!/.callboard/log/*.jsonl\n' >>.gitignore";

pub(super) fn ignore_rules(directory: &Path) -> Finding {
    let read = |name: &str| fs::read_to_string(directory.join(name)).unwrap_or_default();
    let wrong: Vec<&str> = [(".gitignore", init::GITIGNORE), (".gitattributes", init::GITATTRIBUTES)]
        .into_iter()
        .filter(|(name, text)| !read(name).starts_with(text))
        .map(|(name, _)| name)
        .collect();
    if wrong.is_empty() {
        Finding::good("ignore rules", "no database, token or lock can be committed")
    } else {
        let said = format!("{} in .callboard/ not as it must be", wrong.join(" and "));
        Finding::bad("ignore rules", said, init::status::INIT)
    }
}

/// Whether the repository's own rules let the log in.
pub(super) fn own_rules(repository: &Repository, directory: &Path) -> Finding {
    match repository.ignored_by(&directory.join("log/00000000.jsonl")) {
        Ok(None) => Finding::good("the log in git", "git sees it"),
        Ok(Some(rule)) => Finding::bad("the log in git", format!("{rule} hides it, so no other clone ever sees the board"), SHOW_LOG),
        Err(fault) => Finding::bad("the log in git", fault.to_string(), "git status"),
    }
}

/// Whether tokens are ours alone.
pub(super) fn modes(directory: &Path) -> Finding {
    let open: Vec<&str> = PRIVATE.into_iter().filter(|name| fs::metadata(directory.join(name)).is_ok_and(|found| is_open(&found))).collect();
    if open.is_empty() {
        Finding::good("file modes", "tokens and database are readable by you alone")
    } else {
        let files: Vec<String> = open.iter().map(|name| format!(".callboard/{name}")).collect();
        Finding::bad("file modes", format!("{} can be read by others", open.join(", ")), format!("chmod 600 {}", files.join(" ")))
    }
}

#[cfg(unix)]
fn is_open(found: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o077 != 0
}

#[cfg(not(unix))]
fn is_open(_: &fs::Metadata) -> bool {
    false
}

/// Whether both files of configuration are ones.
pub(super) fn configuration(directory: &Path) -> Finding {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let aside = |file: &str| format!("mv {file} {file}.broken");
    if let Err(problem) = Config::load(directory, None) {
        return Finding::bad("configuration", problem.title, aside(".callboard/config.toml"));
    }
    match Config::load(directory, home.as_deref()) {
        Ok(_) => Finding::good("configuration", "every key is known"),
        Err(problem) => Finding::bad("configuration", problem.title, aside("~/.config/callboard/config.toml")),
    }
}
