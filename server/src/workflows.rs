//! The workflow files of a project: where they lie, and reading and beginning them. What they say is `workflow`'s to judge.

use contracts::{Code, Hint, Problem};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use workflow::document::Document;
use workflow::{Around, Checked, Finding};

/// Endings of files that are read.
const ENDINGS: [&str; 3] = ["yaml", "yml", "json"];

/// A file that was read and checked.
#[derive(Debug)]
pub struct WorkflowFile {
    /// Where it lies, as it is shown.
    pub name: String,
    /// What is to be said about it; `Err` where it could not be read at all.
    pub checked: Result<Checked, Vec<Finding>>,
}

impl WorkflowFile {
    /// All that is to be said.
    pub fn findings(&self) -> &[Finding] {
        match &self.checked {
            Ok(checked) => &checked.findings,
            Err(findings) => findings,
        }
    }

    /// Whether it may be used.
    pub fn is_sound(&self) -> bool {
        self.checked.as_ref().is_ok_and(Checked::is_sound)
    }
}

/// The folder of a project's workflows. `root` is its `.callboard`.
pub fn folder(root: &Path) -> PathBuf {
    root.join("workflows")
}

/// The workflow files of a project, by name; none without the folder.
///
/// # Errors
/// `busy` when the folder can't be read.
pub fn files(root: &Path) -> Result<Vec<PathBuf>, Problem> {
    let folder = folder(root);
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(fault) if fault.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(fault) => return Err(unreadable(&folder, fault.kind())),
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(|fault| unreadable(&folder, fault.kind()))?.path();
        let is_one = path.extension().and_then(|ending| ending.to_str()).is_some_and(|ending| ENDINGS.contains(&ending));
        // An editor's schema lies beside the files it describes.
        if is_one && path.file_name().is_some_and(|name| name != SCHEMA_FILE) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The name of the schema beside the files; the first line of a new workflow names it.
pub const SCHEMA_FILE: &str = "workflow.schema.json";

/// The text of a file.
///
/// # Errors
/// `not_found` for a file that is not there, `busy` for one that can't be read.
pub fn read(path: &Path) -> Result<String, Problem> {
    fs::read_to_string(path).map_err(|fault| unreadable(path, fault.kind()))
}

/// Reads files and checks each, knowing the others and those of `around` by name.
///
/// # Errors
/// `not_found` for a file that is not there, `busy` for one that can't be read.
pub fn check(paths: &[PathBuf], others: &[PathBuf]) -> Result<Vec<WorkflowFile>, Problem> {
    let texts: Vec<(PathBuf, String)> = paths.iter().map(|path| Ok((path.clone(), read(path)?))).collect::<Result<_, Problem>>()?;
    let mut known: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in others {
        note(&mut known, &read(path)?);
    }
    texts.iter().for_each(|(_, text)| note(&mut known, text));
    let mut files = Vec::new();
    for (path, text) in texts {
        let own = workflow::source::read(&text).ok().and_then(|source| source.value.get("workflow").and_then(|name| name.as_str()).map(str::to_owned));
        let around = Around {
            workflows: known.iter().filter(|(slug, _)| Some(*slug) != own.as_ref()).map(|(slug, invoked)| (slug.clone(), invoked.clone())).collect(),
            people: None,
        };
        files.push(WorkflowFile { name: shown(&path), checked: workflow::check(&text, &around) });
    }
    Ok(files)
}

/// Notes the name of a workflow and what it invokes.
fn note(known: &mut BTreeMap<String, BTreeSet<String>>, text: &str) {
    let Ok(source) = workflow::source::read(text) else { return };
    let Some(slug) = source.value.get("workflow").and_then(|name| name.as_str()) else { return };
    let mut invoked = BTreeSet::new();
    gather(&source.value, &mut invoked);
    known.insert(slug.to_owned(), invoked);
}

fn gather(value: &serde_json::Value, invoked: &mut BTreeSet<String>) {
    match value {
        serde_json::Value::Object(map) => {
            if let Some(name) = map.get("invoke").and_then(|name| name.as_str()) {
                invoked.insert(name.split('@').next().unwrap_or_default().to_owned());
            }
            map.values().for_each(|value| gather(value, invoked));
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| gather(item, invoked)),
        _ => {}
    }
}

/// The sound workflows among files, by name.
pub fn sound(files: &[WorkflowFile]) -> BTreeMap<String, Document> {
    let sound = files.iter().filter(|file| file.is_sound()).filter_map(|file| file.checked.as_ref().ok());
    sound.map(|checked| (checked.document.slug().to_owned(), checked.document.clone())).collect()
}

/// Begins a workflow from a text; a file that is there stays as it is.
///
/// # Errors
/// `illegal_move` when the file is there, `busy` when it can't be written.
pub fn begin(root: &Path, slug: &str, text: &str) -> Result<PathBuf, Problem> {
    let folder = folder(root);
    let path = folder.join(format!("{slug}.yaml"));
    fs::create_dir_all(&folder).map_err(|fault| unwritable(&folder, fault.kind()))?;
    let schema = folder.join(SCHEMA_FILE);
    let schema_text = format!("{:#}\n", workflow::document::schema());
    fs::write(&schema, schema_text).map_err(|fault| unwritable(&schema, fault.kind()))?;
    let mut file = match fs::OpenOptions::new().write(true).create_new(true).open(&path) {
        Ok(file) => file,
        Err(fault) if fault.kind() == ErrorKind::AlreadyExists => {
            let hint = format!("callboard workflow check {} says how it stands; choose another name to begin a new one", shown(&path));
            return Err(Problem::new(Code::IllegalMove, format!("{} is there already", shown(&path))).hint(Hint::text(hint)));
        }
        Err(fault) => return Err(unwritable(&path, fault.kind())),
    };
    std::io::Write::write_all(&mut file, text.as_bytes()).map_err(|fault| unwritable(&path, fault.kind()))?;
    Ok(path)
}

/// A path as it is shown: from `.callboard` on, where it lies below one.
pub fn shown(path: &Path) -> String {
    let whole = path.to_string_lossy().replace('\\', "/");
    match whole.rfind("/.callboard/") {
        Some(at) => whole[at + 1..].to_owned(),
        None => whole,
    }
}

fn unreadable(path: &Path, kind: ErrorKind) -> Problem {
    if kind == ErrorKind::NotFound {
        return Problem::new(Code::NotFound, format!("there is no file {}", shown(path)))
            .hint(Hint::text("callboard workflow list shows the files of this project"));
    }
    Problem::new(Code::Busy, format!("{} can't be read: {kind}", shown(path)))
}

fn unwritable(path: &Path, kind: ErrorKind) -> Problem {
    Problem::new(Code::Busy, format!("{} can't be written: {kind}", shown(path)))
}
