//! The log files: how lines get there for good, and how the end of the own file is read.
//!
//! Invariant: what [`append`] returned `Ok` for survives a power cut. A file that git has is never opened for writing (sealing is the
//! business of `write.rs`).

use crate::encoding::{self, Line, Reason};
use crate::error::StoreError;
use contracts::limits;
use serde_json::json;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A moment at which a disk may fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Lines are written.
    Append,
    /// Lines are made to last.
    Sync,
    /// A new file's folder is made to last.
    SyncFolder,
    /// A blob is written.
    Blob,
}

/// Where a test makes the disk fail.
pub type Fault = Arc<dyn Fn(Step) -> io::Result<()> + Send + Sync>;

/// The disk, and what a test has against it.
#[derive(Clone, Default)]
pub struct Disk {
    /// Asked before each step.
    pub fault: Option<Fault>,
}

impl std::fmt::Debug for Disk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Disk")
    }
}

impl Disk {
    fn at(&self, step: Step) -> io::Result<()> {
        self.fault.as_ref().map_or(Ok(()), |fault| fault(step))
    }

    /// Makes a blob appear whole or not at all, and beside it where git never looks: what a checkout or a clean takes away is still there for
    /// the events of the database.
    pub(crate) fn write_blob(&self, place: &Place, sha256: &str, bytes: &[u8]) -> io::Result<()> {
        for path in [place.blob(sha256), place.blob_aside(sha256)] {
            if blob_at(&path, sha256).is_none() {
                self.write_whole(place, &path, bytes)?;
            }
        }
        Ok(())
    }

    /// Puts a blob back that is only beside what git looks at. What is nowhere is told by whoever needs it.
    pub(crate) fn restore_blob(&self, place: &Place, sha256: &str) -> io::Result<()> {
        match read_blob(place, sha256) {
            Some(bytes) => self.write_blob(place, sha256, &bytes),
            None => Ok(()),
        }
    }

    /// The same beside what git looks at.
    pub(crate) fn write_blob_aside(&self, place: &Place, sha256: &str, bytes: &[u8]) -> io::Result<()> {
        self.write_whole(place, &place.blob_aside(sha256), bytes)
    }

    fn write_whole(&self, place: &Place, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.at(Step::Blob)?;
        let Some(folder) = path.parent() else { return Err(io::ErrorKind::InvalidInput.into()) };
        fs::create_dir_all(folder)?;
        let temporary = place.run(&format!("blob.{}", std::process::id()));
        let mut file = File::create(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, path)?;
        self.sync_folder(folder)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.at(Step::SyncFolder)?;
        File::open(folder)?.sync_all()
    }
}

/// The end of a log file.
#[derive(Debug, Default)]
pub(crate) struct Tail {
    /// Bytes up to the end of the last line in use.
    pub good: u64,
    /// Bytes in all.
    pub size: u64,
    /// The last line in use.
    pub last: Option<Line>,
    /// What stands after it: never answered for.
    pub torn: Vec<u8>,
}

/// Reads the end of the own file. Lines at the end that are whole but can't be read count as torn.
pub(crate) fn tail(path: &Path) -> io::Result<Tail> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Tail::default()),
        Err(error) => return Err(error),
    };
    let size = file.metadata()?.len();
    let mut found = Tail::default();
    // Most last lines are short, and this is read at every write.
    for window in [4 << 10, (limits::LOG_LINE_BYTES_MAX as u64 + 1) * 2, size] {
        let from = size.saturating_sub(window);
        found = tail_from(&mut file, from, size)?;
        if found.last.is_some() || from == 0 {
            break;
        }
    }
    Ok(found)
}

fn tail_from(file: &mut File, from: u64, size: u64) -> io::Result<Tail> {
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::with_capacity(usize::try_from(size - from).unwrap_or_default());
    file.take(size - from).read_to_end(&mut bytes)?;
    let mut end = bytes.len();
    while let Some(newline) = bytes[..end].iter().rposition(|byte| *byte == b'\n') {
        let start = bytes[..newline].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        if start == 0 && from > 0 {
            break;
        }
        if let Ok(line) = encoding::decode(&bytes[start..newline]) {
            return Ok(Tail { good: from + newline as u64 + 1, size, last: Some(line), torn: bytes.split_off(newline + 1) });
        }
        end = newline;
    }
    Ok(Tail { good: 0, size, last: None, torn: if from == 0 { bytes } else { Vec::new() } })
}

/// Cuts the file back to its good part.
pub(crate) fn cut(path: &Path, good: u64) -> io::Result<()> {
    let file = OpenOptions::new().write(true).open(path)?;
    file.set_len(good)?;
    file.sync_all()
}

/// Adds lines at the end and makes them last. After a failure the file is cut back, so that the next try starts clean.
pub(crate) fn append(disk: &Disk, path: &Path, text: &[u8]) -> io::Result<u64> {
    if let Some(folder) = path.parent()
        && !folder.exists()
    {
        fs::create_dir(folder)?;
        folder.parent().map_or(Ok(()), |above| disk.sync_folder(above))?;
    }
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    let before = file.metadata()?.len();
    // An empty one may be left of a try that failed before the folder was made to last.
    let new = before == 0;
    let written = disk.at(Step::Append).and_then(|()| file.write_all(text)).and_then(|()| disk.at(Step::Sync)).and_then(|()| file.sync_data());
    let written = match (written, path.parent()) {
        (Ok(()), Some(folder)) if new => disk.sync_folder(folder),
        (written, _) => written,
    };
    if let Err(error) = written {
        // Best effort: what stays is cut or completed by the next process.
        let _ = file.set_len(before);
        return Err(error);
    }
    Ok(before + text.len() as u64)
}

/// Makes a file that is not there yet appear whole, made to last.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = path.with_extension("new");
    let mut file = File::create(&temporary)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&temporary, path)?;
    match path.parent() {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

/// Keeps what can't be used. The same bytes of the same file are kept once.
pub(crate) fn quarantine(root: &Path, file: &str, line: u64, reason: Reason, bytes: &[u8]) -> io::Result<bool> {
    let folder = root.join("quarantine");
    fs::create_dir_all(&folder)?;
    let mut key = file.as_bytes().to_vec();
    key.push(0);
    key.extend_from_slice(bytes);
    let path = folder.join(format!("{}.json", &encoding::sha256_hex(&key)[..24]));
    if path.exists() {
        return Ok(false);
    }
    let text: String = String::from_utf8_lossy(&bytes[..bytes.len().min(limits::LOG_LINE_BYTES_MAX)]).into_owned();
    let entry = json!({"file": file, "line": line, "reason": reason.as_str(), "text": text});
    fs::write(path, format!("{entry}\n"))?;
    Ok(true)
}

/// One regular file of the log folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Seen {
    pub name: String,
    pub size: i64,
    pub mtime: i64,
}

/// What lies in the log folder: regular files that end in `.jsonl`; links are not followed.
pub(crate) fn listing(folder: &Path) -> io::Result<Vec<Seen>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let Ok(metadata) = entry.metadata() else { continue };
        if metadata.is_file() && name.ends_with(".jsonl") {
            found.push(Seen { name, size: i64::try_from(metadata.len()).unwrap_or(i64::MAX), mtime: mtime(&metadata) });
        }
    }
    found.sort();
    Ok(found)
}

/// When a file was last changed, nanoseconds since 1970.
pub(crate) fn mtime(metadata: &fs::Metadata) -> i64 {
    let since = metadata.modified().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    since.and_then(|since| i64::try_from(since.as_nanos()).ok()).unwrap_or(0)
}

/// Which file it is: device and inode.
#[cfg(unix)]
pub(crate) fn identity(metadata: &fs::Metadata) -> (i64, i64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev().cast_signed(), metadata.ino().cast_signed())
}

#[cfg(not(unix))]
pub(crate) fn identity(_: &fs::Metadata) -> (i64, i64) {
    (0, 0)
}

/// Longest path of a database, bytes: SQLite's 512 less the ending of its journal.
const DATABASE_PATH_BYTES_MAX: usize = 504;

/// Where things lie below `.callboard/`.
#[derive(Clone, Debug)]
pub struct Place {
    /// The `.callboard` directory.
    pub root: PathBuf,
}

impl Place {
    /// The place with this root.
    pub fn new(root: impl Into<PathBuf>) -> Place {
        Place { root: root.into() }
    }
    /// Whether a database can be opened there.
    ///
    /// # Errors
    /// [`StoreError::TooDeep`] when the path is longer than SQLite's own limit allows.
    pub fn within_limit(&self) -> Result<(), StoreError> {
        let above = self.root.parent().unwrap_or(&self.root);
        let beyond = self.database().as_os_str().len().checked_sub(DATABASE_PATH_BYTES_MAX).filter(|beyond| *beyond > 0);
        match beyond {
            Some(beyond) => {
                let bytes = above.as_os_str().len();
                Err(StoreError::TooDeep { bytes, most: bytes.saturating_sub(beyond) })
            }
            None => Ok(()),
        }
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.root.join("state.db")
    }
    pub(crate) fn log(&self) -> PathBuf {
        self.root.join("log")
    }
    pub(crate) fn log_of(&self, writer: &str) -> PathBuf {
        self.log().join(format!("{writer}.jsonl"))
    }
    pub(crate) fn blob(&self, sha256: &str) -> PathBuf {
        self.root.join("blobs").join(sha256)
    }
    /// A blob that git has on another branch: beside the folder that git looks at, where a copy would block the way to that branch.
    pub(crate) fn blob_aside(&self, sha256: &str) -> PathBuf {
        self.run("blobs").join(sha256)
    }
    pub(crate) fn run(&self, name: &str) -> PathBuf {
        self.root.join("run").join(name)
    }
}

/// The bytes of a blob, if it is there and is what its name says.
pub(crate) fn read_blob(place: &Place, sha256: &str) -> Option<Vec<u8>> {
    [place.blob(sha256), place.blob_aside(sha256)].iter().find_map(|path| blob_at(path, sha256))
}

fn blob_at(path: &Path, sha256: &str) -> Option<Vec<u8>> {
    let metadata = fs::symlink_metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > limits::BLOB_BYTES_MAX as u64 {
        return None;
    }
    fs::read(path).ok().filter(|bytes| encoding::sha256_hex(bytes) == sha256)
}
