//! The files of reports, `.callboard/reports/<label>.md`: read whole, replaced whole.

use contracts::{Code, Hint, Moment, Problem, limits};
use engine::report::dossier::sha256;
use engine::report::window::date_of;
use jiff::tz::TimeZone;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const FOLDER: &str = "reports";
const ENDING: &str = ".md";
/// Copies of one report put aside on one day.
const ASIDE_MAX: u32 = 100;

/// The folder of them.
#[derive(Clone, Debug)]
pub(super) struct Files {
    directory: PathBuf,
}

/// A file as it was read or written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    pub text: String,
    pub sha256: String,
}

fn failed(what: &str, label: &str, fault: &io::Error) -> Problem {
    Problem::new(Code::Busy, format!("{label} can't be {what}: {}", fault.kind())).hint(Hint::text("look at the disk and at who may write .callboard/reports"))
}

impl Files {
    pub fn of(directory: &Path) -> Files {
        Files { directory: directory.to_owned() }
    }

    fn path(&self, label: &str) -> PathBuf {
        self.directory.join(FOLDER).join(format!("{label}{ENDING}"))
    }

    /// The file of a label that has the form of one; none when there is no file.
    pub fn read(&self, label: &str) -> Result<Option<Kept>, Problem> {
        let path = self.path(label);
        // A link leads to something that is no report: a repository could bring one.
        match fs::symlink_metadata(&path) {
            Ok(found) if !found.is_file() => return Ok(None),
            Ok(found) if found.len() > limits::REPORT_FILE_BYTES_MAX as u64 => {
                let text = format!("{label} has {} bytes, the limit is {}", found.len(), limits::REPORT_FILE_BYTES_MAX);
                return Err(Problem::new(Code::TooLarge, text));
            }
            _ => {}
        }
        match fs::read(&path) {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                Ok(Some(Kept { sha256: sha256(&text), text }))
            }
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(fault) => Err(failed("read", label, &fault)),
        }
    }

    /// The labels there are files of.
    pub fn labels(&self) -> Result<Vec<String>, Problem> {
        let entries = match fs::read_dir(self.directory.join(FOLDER)) {
            Ok(entries) => entries,
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(fault) => return Err(failed("listed", FOLDER, &fault)),
        };
        let names = entries.filter_map(Result::ok).filter_map(|entry| entry.file_name().into_string().ok());
        let mut labels: Vec<String> =
            names.filter_map(|name| name.strip_suffix(ENDING).map(str::to_owned)).filter(|label| contracts::report::is_label(label)).collect();
        labels.sort();
        Ok(labels)
    }

    /// Replaces a file, if it still is what was read.
    pub fn replace(&self, label: &str, text: &str, read: Option<&Kept>) -> Result<Kept, Problem> {
        if self.read(label)?.as_ref().map(|kept| &kept.sha256) != read.map(|kept| &kept.sha256) {
            let title = format!("{label} changed while it was being written: what is there was left alone");
            return Err(Problem::new(Code::ReportConflict, title).hint(Hint::text("look at it, then do the same again")));
        }
        self.write(&self.path(label), text).map_err(|fault| failed("written", label, &fault))?;
        Ok(Kept { text: text.to_owned(), sha256: sha256(text) })
    }

    /// Keeps a text beside the file, as `<label>.<what>-<date>.md`; a name that is taken gets a number.
    pub fn put_aside(&self, label: &str, what: &str, text: &str, now: Moment, zone: &TimeZone) -> Result<String, Problem> {
        let name = format!("{label}.{what}-{}", date_of(now, zone));
        for number in 1..ASIDE_MAX {
            let name = if number == 1 { name.clone() } else { format!("{name}-{number}") };
            match self.read(&name)? {
                Some(kept) if kept.text == text => return Ok(name),
                Some(_) => {}
                None => {
                    self.write(&self.path(&name), text).map_err(|fault| failed("written", &name, &fault))?;
                    return Ok(name);
                }
            }
        }
        Err(Problem::new(Code::Busy, format!("too many copies of {label} were put aside today: delete some of .callboard/reports")))
    }

    /// A temporary file, outside the folder git sees, then a rename.
    fn write(&self, path: &Path, text: &str) -> io::Result<()> {
        fs::create_dir_all(self.directory.join(FOLDER))?;
        let temporary = self.directory.join(format!("report-{:032x}.tmp", crate::boot::random_bits()));
        let written = File::create(&temporary).and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()));
        written.and_then(|()| fs::rename(&temporary, path)).inspect_err(|_| {
            let _ = fs::remove_file(&temporary); // the fault that is told is the one before
        })
    }
}
