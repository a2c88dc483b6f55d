//! What agents read: the guide, four skills, the same skills as a plugin folder, and a marked section in `AGENTS.md`.
//!
//! Invariant: the section between our two marks is ours, every other byte of `AGENTS.md` is not; a skill that somebody changed is kept.

use super::status::row;
use super::undo::{self, Record};
use super::{Did, Step, unwritable, write};
use contracts::Problem;
use contracts::settings::{Wiring, WiringRow};
use git::Repository;
use std::fs;
use std::path::Path;

const GUIDE: &str = include_str!("texts/guide.md");
const SKILLS: [(&str, &str); 4] = [
    ("plan", include_str!("texts/plan.md")),
    ("work", include_str!("texts/work.md")),
    ("fleet", include_str!("texts/fleet.md")),
    ("report", include_str!("texts/report.md")),
];
/// Where a client finds a project's skills, from the root.
const SKILLS_FOLDER: &str = ".claude/skills";
/// What keeps them out of commits.
const SKILLS_LINE: &str = "/.claude/skills/callboard-*/";
const AGENTS: &str = "AGENTS.md";
const AGENTS_RECORD: &str = "agents.before";
const BEGIN: &str = "<!-- callboard: begin -->";
const END: &str = "<!-- callboard: end -->";

/// How the texts for agents stand. The section in `AGENTS.md` may be left out on purpose, so one that is not there is no fault.
pub fn status(root: &Path, directory: &Path) -> Vec<WiringRow> {
    let same = |path: &Path, text: &str| fs::read_to_string(path).ok().map(|found| found == text);
    let judged = |seen: &[Option<bool>]| match (seen.iter().all(Option::is_none), seen.iter().all(|seen| *seen == Some(true))) {
        (true, _) => Wiring::Missing,
        (_, true) => Wiring::Installed,
        _ => Wiring::Older,
    };
    let skills = SKILLS.map(|(name, text)| same(&root.join(SKILLS_FOLDER).join(format!("callboard-{name}/SKILL.md")), text));
    let agents = fs::read_to_string(root.join(AGENTS)).ok().filter(|text| text.contains(BEGIN)).map(|text| text.contains(&section()));
    let mut rows = vec![
        row("Guide for agents", ".callboard/GUIDE.md", judged(&[same(&directory.join("GUIDE.md"), GUIDE)]), ""),
        row("Skills", SKILLS_FOLDER, judged(&skills), ""),
    ];
    rows.extend(agents.map(|current| row("Section for agents", AGENTS, judged(&[Some(current)]), "")));
    rows
}

/// Writes guide and plugin, which are ours alone.
pub fn write_guide(directory: &Path) -> Result<Step, Problem> {
    let what = ".callboard/GUIDE.md";
    let failed = |fault: std::io::Error| unwritable(what, &fault);
    let path = directory.join("GUIDE.md");
    let found = fs::read_to_string(&path).ok();
    let did = match &found {
        Some(text) if text == GUIDE => Did::Already,
        Some(_) => Did::Repaired,
        None => Did::Created,
    };
    if did != Did::Already {
        write(&path, GUIDE).map_err(failed)?;
    }
    let plugin = directory.join("plugin");
    fs::create_dir_all(plugin.join(".claude-plugin")).map_err(failed)?;
    let manifest = serde_json::json!({"name": "callboard", "description": "Plan, work, lead a fleet and report with the project's Callboard", "version": env!("CARGO_PKG_VERSION")});
    write(&plugin.join(".claude-plugin/plugin.json"), &format!("{manifest:#}\n")).map_err(failed)?;
    for (name, text) in SKILLS {
        let folder = plugin.join("skills").join(name);
        fs::create_dir_all(&folder).map_err(failed)?;
        write(&folder.join("SKILL.md"), &text.replacen(&format!("name: callboard-{name}"), &format!("name: {name}"), 1)).map_err(failed)?;
    }
    Ok(Step::new(what, did).note("for agents; the skills as a plugin are in .callboard/plugin"))
}

/// Puts the skills where the client looks for them, out of git's sight.
pub fn offer_skills(root: &Path, repository: Option<&Repository>) -> Result<Step, Problem> {
    let (mut made, mut mended) = (0, 0);
    for (name, text) in SKILLS {
        let folder = root.join(SKILLS_FOLDER).join(format!("callboard-{name}"));
        let path = folder.join("SKILL.md");
        match fs::read_to_string(&path) {
            Ok(found) if found == text => continue,
            Ok(_) => mended += 1,
            Err(_) => made += 1,
        }
        let written = fs::create_dir_all(&folder).and_then(|()| write(&path, text));
        written.map_err(|fault| unwritable(SKILLS_FOLDER, &fault))?;
    }
    if let Some(repository) = repository {
        let _ = repository.exclude(SKILLS_LINE); // seen by git, they are only untidy
    }
    let did = match (made, mended) {
        (0, 0) => Did::Already,
        (_, 0) => Did::Created,
        _ => Did::Repaired,
    };
    Ok(Step::new(format!("{SKILLS_FOLDER}/callboard-*"), did).note("plan, work, fleet, report"))
}

/// Takes the skills away, as far as they are as we wrote them.
pub fn withdraw_skills(root: &Path, repository: Option<&Repository>) -> Step {
    let what = format!("{SKILLS_FOLDER}/callboard-*");
    let (mut removed, mut kept) = (0, 0);
    for (name, text) in SKILLS {
        let folder = root.join(SKILLS_FOLDER).join(format!("callboard-{name}"));
        match fs::read_to_string(folder.join("SKILL.md")) {
            Ok(found) if found == text => {
                let _ = fs::remove_file(folder.join("SKILL.md")).and_then(|()| fs::remove_dir(&folder)); // not empty: it stays
                removed += 1;
            }
            Ok(_) => kept += 1,
            Err(_) => {}
        }
    }
    if let Some(repository) = repository {
        let _ = repository.unexclude(SKILLS_LINE);
    }
    // Only when nothing else is in them.
    let _ = fs::remove_dir(root.join(SKILLS_FOLDER)).and_then(|()| fs::remove_dir(root.join(".claude")));
    match (removed, kept) {
        (0, 0) => Step::new(what, Did::Already).note("there are none"),
        (_, 0) => Step::new(what, Did::Removed),
        (_, kept) => Step::new(what, Did::Kept).note(format!("{kept} of them were changed by somebody")),
    }
}

fn section() -> String {
    format!(
        "{BEGIN}\n## Work on the board\n\nThis project keeps its work on a Callboard. Before you change anything, take a task: the tool `next`, or \
         `callboard next`.\nCommit as usual, and end each task with one of done, submitted, released. `.callboard/GUIDE.md` says the rest; where \
         it is missing,\n`callboard init` writes it.\n{END}\n"
    )
}

/// Puts our section into `AGENTS.md`, or mends it.
pub fn connect_agents(root: &Path, directory: &Path) -> Result<Step, Problem> {
    let path = root.join(AGENTS);
    let found = undo::text(&path, AGENTS)?;
    let before = match (&found, Record::read(directory, AGENTS_RECORD)) {
        (None, _) => None,
        (Some(text), Some(record)) if record.after == *text => record.before,
        (Some(text), _) => {
            if text.contains(&section()) {
                return Ok(Step::new(AGENTS, Did::Already));
            }
            Some(without(text)).filter(|before| !before.is_empty())
        }
    };
    let after = match before.as_deref() {
        None => section(),
        Some(before) => format!("{before}{}{}", if before.ends_with('\n') { "\n" } else { "\n\n" }, section()),
    };
    if found.as_ref() == Some(&after) {
        return Ok(Step::new(AGENTS, Did::Already));
    }
    let did = if found.as_ref().is_some_and(|text| text.contains(BEGIN)) { Did::Repaired } else { Did::Created };
    Record { before, after, excluded: false }.put(&path, AGENTS, directory, AGENTS_RECORD)?;
    Ok(Step::new(AGENTS, did).note("a section of ours between two marks"))
}

/// Takes our section out.
pub fn disconnect_agents(root: &Path, directory: &Path) -> Result<Step, Problem> {
    let path = root.join(AGENTS);
    let Some(text) = undo::text(&path, AGENTS)? else { return Ok(Step::new(AGENTS, Did::Already).note("there is none")) };
    if !text.contains(BEGIN) {
        return Ok(Step::new(AGENTS, Did::Already).note("our section is not in it"));
    }
    let before = match Record::read(directory, AGENTS_RECORD) {
        Some(record) if record.after == text => record.before,
        _ => Some(without(&text)).filter(|before| !before.is_empty()),
    };
    undo::restore(&path, AGENTS, before.as_deref(), directory, AGENTS_RECORD)?;
    Ok(Step::new(AGENTS, Did::Removed).note("our section was taken out"))
}

/// The text without our section and the blank line before it.
fn without(text: &str) -> String {
    let (Some(begin), Some(end)) = (text.find(BEGIN), text.find(END)) else { return text.to_owned() };
    if end < begin {
        return text.to_owned();
    }
    let rest = text[end + END.len()..].strip_prefix('\n').unwrap_or(&text[end + END.len()..]);
    let head = &text[..begin];
    let head = head.strip_suffix("\n\n").map_or(head, |_| &head[..head.len() - 1]);
    format!("{head}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_section_comes_and_goes_and_leaves_every_byte() {
        for before in [None, Some("# Ours\n"), Some("# Ours"), Some("# Ours\n\n\n"), Some("\n")] {
            for keep in [true, false] {
                let root = tempfile::tempdir().unwrap();
                let directory = root.path().join(".callboard");
                if let Some(before) = before {
                    fs::write(root.path().join(AGENTS), before).unwrap();
                }
                assert_eq!(connect_agents(root.path(), &directory).unwrap().did, Did::Created);
                assert_eq!(connect_agents(root.path(), &directory).unwrap().did, Did::Already);
                assert!(fs::read_to_string(root.path().join(AGENTS)).unwrap().ends_with(&section()));
                if !keep {
                    fs::remove_dir_all(&directory).unwrap();
                }
                disconnect_agents(root.path(), &directory).unwrap();
                let after = fs::read_to_string(root.path().join(AGENTS)).ok();
                if keep || before.is_none_or(|before| before.ends_with('\n')) {
                    assert_eq!(after.as_deref(), before, "{keep}");
                }
            }
        }
    }

    #[test]
    fn what_was_written_around_the_section_stays() {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join(".callboard");
        fs::write(root.path().join(AGENTS), "# Ours\n").unwrap();
        connect_agents(root.path(), &directory).unwrap();
        let text = fs::read_to_string(root.path().join(AGENTS)).unwrap();
        fs::write(root.path().join(AGENTS), format!("{text}\n## More\n")).unwrap();
        assert_eq!(connect_agents(root.path(), &directory).unwrap().did, Did::Already);
        disconnect_agents(root.path(), &directory).unwrap();
        assert_eq!(fs::read_to_string(root.path().join(AGENTS)).unwrap(), "# Ours\n\n## More\n");
    }
}
