//! What agents read: the guide, four skills, the same skills as a plugin folder, and a marked section in `AGENTS.md`.
//!
//! Invariant: the section between our two marks is ours, every other byte of `AGENTS.md` is not; a skill that somebody changed is kept.

use super::status::{self, row};
use super::undo::{self, Record};
use super::{Did, Step, unwritable, write};
use contracts::Problem;
use contracts::settings::{Wiring, WiringRow};
use git::Repository;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

const GUIDE: &str = include_str!("texts/guide.md");
const SKILLS: [(&str, &str); 4] = [
    ("plan", include_str!("texts/plan.md")),
    ("work", include_str!("texts/work.md")),
    ("fleet", include_str!("texts/fleet.md")),
    ("report", include_str!("texts/report.md")),
];
/// SHA-256 of what earlier versions wrote: a file that is one of these was changed by nobody.
const EARLIER: [&str; 4] = [
    "58d5c84aa4aa14864a10a16832c7c5719628d899a81abebe37f5c5d78a83d301",
    "1e38fd48f646931f8da60eac338fa7075d04575f31d4538e5d0107c607464714",
    "ceb983ec7a3cda17ec4ae9ea4d6bf0c1445fd8dec8f6c20720c0d2e2a557f582",
    "21ca55d4117e2bfb052859e248370e98c91ea4a23f492c862de90a9adeb7c8fb",
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
    let judged = |seen: Option<bool>| match seen {
        None => Wiring::Missing,
        Some(true) => Wiring::Installed,
        Some(false) => Wiring::Older,
    };
    let agents = fs::read_to_string(root.join(AGENTS)).ok().filter(|text| text.contains(BEGIN)).map(|text| text.contains(&section()));
    let mut rows = vec![row("Guide for agents", ".callboard/GUIDE.md", judged(same(&directory.join("GUIDE.md"), GUIDE)), ""), skills(root)];
    rows.extend(agents.map(|current| row("Section for agents", AGENTS, judged(Some(current)), "")));
    rows
}

/// How the skills stand. One that somebody changed is as it should be.
fn skills(root: &Path) -> WiringRow {
    let seen = SKILLS.map(|(name, text)| (name, Skill::of(&root.join(place(name)), text)));
    let any = |which: Skill| seen.iter().any(|(_, skill)| *skill == which);
    let wiring = match (seen.iter().all(|(_, skill)| *skill == Skill::Missing), any(Skill::Missing) || any(Skill::Earlier)) {
        (true, _) => Wiring::Missing,
        (false, true) => Wiring::Older,
        (false, false) => Wiring::Installed,
    };
    let changed: Vec<&str> = seen.iter().filter(|(_, skill)| *skill == Skill::Changed).map(|(name, _)| *name).collect();
    row("Skills", SKILLS_FOLDER, wiring, if changed.is_empty() { String::new() } else { format!("{} as somebody changed it", changed.join(", ")) })
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

/// A skill of ours in the client's folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Skill {
    Missing,
    /// As this version writes it.
    Current,
    /// As an earlier version wrote it.
    Earlier,
    /// As somebody wrote it: it is theirs.
    Changed,
}

impl Skill {
    fn of(path: &Path, text: &str) -> Skill {
        match fs::read(path) {
            Ok(found) if found == text.as_bytes() => Skill::Current,
            Ok(found) if EARLIER.contains(&sha256(&found).as_str()) => Skill::Earlier,
            Err(fault) if fault.kind() == ErrorKind::NotFound => Skill::Missing,
            _ => Skill::Changed,
        }
    }
}

/// Where a skill is, from the root.
fn place(name: &str) -> String {
    format!("{SKILLS_FOLDER}/callboard-{name}/SKILL.md")
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Puts the skills where the client looks for them, out of git's sight. One that somebody changed stays theirs.
pub fn offer_skills(root: &Path, repository: Option<&Repository>) -> Result<Vec<Step>, Problem> {
    let (mut made, mut mended, mut kept) = (0, 0, Vec::new());
    for (name, text) in SKILLS {
        let path = root.join(place(name));
        match Skill::of(&path, text) {
            Skill::Current => continue,
            Skill::Changed => {
                kept.push(place(name));
                continue;
            }
            Skill::Earlier => mended += 1,
            Skill::Missing => made += 1,
        }
        let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| write(&path, text));
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
    let mut steps = vec![Step::new(format!("{SKILLS_FOLDER}/callboard-*"), did).note("plan, work, fleet, report")];
    steps.extend(kept.into_iter().map(|path| {
        let note = format!("somebody changed it; for ours: rm {path} && {}", status::INIT);
        Step::new(path, Did::Kept).note(note)
    }));
    Ok(steps)
}

/// Takes the skills away, as far as they are as we wrote them.
pub fn withdraw_skills(root: &Path, repository: Option<&Repository>) -> Step {
    let what = format!("{SKILLS_FOLDER}/callboard-*");
    let (mut removed, mut kept) = (0, Vec::new());
    for (name, text) in SKILLS {
        let path = root.join(place(name));
        match Skill::of(&path, text) {
            Skill::Current | Skill::Earlier => {
                let folder = path.parent().unwrap_or(root);
                let _ = fs::remove_file(&path).and_then(|()| fs::remove_dir(folder)); // not empty: it stays
                removed += 1;
            }
            Skill::Changed => kept.push(name),
            Skill::Missing => {}
        }
    }
    if let Some(repository) = repository {
        let _ = repository.unexclude(SKILLS_LINE);
    }
    // Only when nothing else is in them.
    let _ = fs::remove_dir(root.join(SKILLS_FOLDER)).and_then(|()| fs::remove_dir(root.join(".claude")));
    match (removed, kept.as_slice()) {
        (0, []) => Step::new(what, Did::Already).note("there are none"),
        (_, []) => Step::new(what, Did::Removed),
        (_, kept) => Step::new(what, Did::Kept).note(format!("somebody changed {}: delete it by hand", kept.join(", "))),
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

    #[test]
    fn a_skill_that_somebody_changed_is_theirs_and_one_of_an_earlier_version_is_ours() {
        let root = tempfile::tempdir().unwrap();
        let file = |name: &str| root.path().join(place(name));
        assert_eq!(offer_skills(root.path(), None).unwrap().len(), 1);
        fs::write(file("plan"), "# Our own way\n").unwrap();
        fs::remove_file(file("work")).unwrap();
        let steps = offer_skills(root.path(), None).unwrap();
        assert_eq!((steps[0].did, steps[1].did), (Did::Created, Did::Kept));
        assert_eq!(steps[1].note, "somebody changed it; for ours: rm .claude/skills/callboard-plan/SKILL.md && callboard init");
        assert_eq!(fs::read_to_string(file("plan")).unwrap(), "# Our own way\n");
        let told = skills(root.path());
        assert_eq!((told.wiring, told.said.as_str()), (Wiring::Installed, "plan as somebody changed it"));

        let step = withdraw_skills(root.path(), None);
        assert_eq!((step.did, step.note.as_str()), (Did::Kept, "somebody changed plan: delete it by hand"));
        assert!(file("plan").exists() && !file("work").exists() && !file("fleet").exists());
        fs::remove_file(file("plan")).unwrap();
        offer_skills(root.path(), None).unwrap();
        assert_eq!(withdraw_skills(root.path(), None).did, Did::Removed);
        assert!(!root.path().join(".claude").exists());
    }

    #[test]
    fn a_text_that_changes_leaves_its_hash_behind() {
        let now = SKILLS.map(|(name, text)| format!("{name} {}", sha256(text.as_bytes())));
        insta::assert_snapshot!(now.join("\n"), "before you accept this, the hash that goes is added to EARLIER", @r"
        plan 730df530dc573df3edd83a77882fcb6eaa7fc19b2683b4523342dd4c99efe746
        work c753160b1ca8e385e91a753d85715f1f9b6d077655c6dfc2d4fb116622031ce1
        fleet 0180855b0ecd866371949ff2d9734ba6c8a44a682bc2019c31c0cab5a7b1b0c1
        report 5b0a684a6d530da1b97801f6c12eab22dd81cf169303c4ae4e5b346d1ccf83bf
        ");
        assert!(SKILLS.iter().all(|(_, text)| !EARLIER.contains(&sha256(text.as_bytes()).as_str())));
    }
}
