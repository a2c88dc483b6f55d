//! Commands of our own in an agent's shell text that only a person may give.

use git::shell::Call;

/// Options of every command that take a value.
const VALUED: [&str; 2] = ["--project", "--actor"];

/// What a person would have to do, if this call is one of ours and only theirs.
pub fn only_theirs(call: &Call) -> Option<String> {
    let mut words = call.argv.iter();
    let program = words.next()?.as_deref()?;
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    if !matches!(name, "callboard" | "callboard.exe") {
        return None;
    }
    let person = |actor: &str| actor.starts_with("dev:");
    if call.variables.iter().any(|(name, value)| name == super::acting::VARIABLE && value.as_deref().is_some_and(person)) {
        return Some("acting as dev:… is for people".to_owned());
    }
    let mut said = Vec::new();
    let mut words = words.map(|word| word.as_deref().unwrap_or("?"));
    while let Some(word) = words.next() {
        let (flag, value) = word.split_once('=').map_or((word, None), |(flag, value)| (flag, Some(value)));
        if VALUED.contains(&flag) {
            let value = value.or_else(|| words.next()).unwrap_or_default();
            if flag == "--actor" && person(value) {
                return Some("acting as dev:… is for people".to_owned());
            }
        } else if !word.starts_with('-') {
            said.push(word);
        }
    }
    let deed = match (said.first().copied(), said.get(1).copied()) {
        (Some("tasks"), Some("review")) if said.contains(&"pass") => "passing a submission",
        (Some("tasks"), Some("reopen")) => "reopening a task",
        (Some("tasks"), Some("hold")) => "holding a task back",
        (Some("tasks"), Some("unhold")) => "lifting a hold",
        (Some("tasks"), Some("answer")) => "answering a question",
        (Some("conflicts"), Some("settle")) => "settling a conflict",
        (Some("config"), Some("set")) => "changing a setting",
        (Some("milestone"), Some("close")) => "closing a milestone",
        (Some("milestone"), Some("cancel")) => "cancelling a milestone",
        (Some("milestone"), Some("reopen")) => "reopening a milestone",
        (Some("run"), None) if !looks_only(call) => "starting workers that somebody pays for",
        (Some("run"), Some(word)) if !matches!(word, "list" | "log" | "cancel") && !looks_only(call) => "starting workers that somebody pays for",
        (Some("import"), _) => "importing a board",
        (Some("init"), _) => "making or removing a board",
        _ => return None,
    };
    Some(deed.to_owned())
}

/// Whether a call only asks what it would do.
fn looks_only(call: &Call) -> bool {
    call.argv.iter().any(|word| matches!(word.as_deref(), Some("--dry-run" | "--help" | "-h")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use git::shell::{self, World};
    use std::path::Path;

    fn denied(text: &str) -> Option<String> {
        let world = World { directory: Path::new("/w"), alias: &|_, _| None, file: &|_| None };
        shell::read(text, &world).calls.iter().find_map(only_theirs)
    }

    #[test]
    fn what_people_decide_is_seen_however_it_is_typed() {
        for text in [
            "callboard tasks review tk-4f2a9c pass -m 'fine'",
            "cd x && /usr/local/bin/callboard --project . tasks hold tk-4f2a9c",
            "callboard tasks done tk-4f2a9c --actor dev:ana -m done",
            "callboard --actor=dev:ana tasks list",
            "CALLBOARD_ACTOR=dev:ana callboard tasks done tk-4f2a9c",
            "bash -c \"callboard config set commit_guard off\"",
            "callboard --json milestone close ms-4f2a9c",
            "callboard conflicts settle 12 keep",
            "callboard run --yes",
            "env -u CLAUDECODE callboard run tk-4f2a9c --yes",
        ] {
            assert!(denied(text).is_some(), "{text}");
        }
        for text in [
            "callboard tasks review tk-4f2a9c changes -m 'more'",
            "callboard tasks done tk-4f2a9c -m 'hold the line'",
            "callboard next --actor agent:ana/w1",
            "echo callboard tasks hold tk-4f2a9c",
            "callboard tasks list --standing held",
            "callboard config explain zone",
            "callboard run --dry-run",
            "callboard run log tk-4f2a9c",
        ] {
            assert_eq!(denied(text), None, "{text}");
        }
    }
}
