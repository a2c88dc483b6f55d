//! The log of taskops, in both of its line formats: read line by line, each against its own hash.

mod line;
mod map;
mod python;

use super::{Board, Unusable, bytes_of, first_line, hex};
use contracts::Problem;
use line::Line;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Whether a file is such a log, by its first line.
pub fn is_one(path: &Path) -> bool {
    first_line(path).is_some_and(|line| line::KEYS.iter().all(|key| line.get(key).is_some()))
}

/// Reads one. With `force` a line whose hash does not match is taken and marked.
///
/// # Errors
/// When the file can't be read.
pub fn read(path: &Path, force: bool) -> Result<Board, Problem> {
    let bytes = bytes_of(path)?;
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut board = Board { sha256: hex(&bytes), reports: reports(path), ..Board::default() };
    let mut formats: BTreeSet<&str> = BTreeSet::new();
    let mut lines: Vec<Line> = Vec::new();
    for (number, raw) in (1_u64..).zip(bytes.split(|byte| *byte == b'\n')) {
        let raw = raw.trim_ascii();
        if raw.is_empty() {
            continue;
        }
        board.lines += 1;
        match Line::parse(raw) {
            Ok(line) if line.verified || force => {
                formats.insert(line.format());
                lines.push(line);
            }
            Ok(_) => board.unusable.push(Unusable { file: file.clone(), line: number, reason: storage::encoding::Reason::IdMismatch, bytes: raw.to_vec() }),
            Err(reason) => board.unusable.push(Unusable { file: file.clone(), line: number, reason, bytes: raw.to_vec() }),
        }
    }
    board.format = formats.into_iter().collect::<Vec<_>>().join(" and ");
    board.first = lines.first().map(|line| line.id.clone()).unwrap_or_default();
    map::facts(lines, &mut board);
    Ok(board)
}

/// Reports beside the log: `reports/` in its folder, or in the one above when the log lies in `board/`.
fn reports(log: &Path) -> Vec<PathBuf> {
    let folders = log.ancestors().skip(1).take(2).map(|folder| folder.join("reports"));
    let mut found: Vec<PathBuf> =
        folders.flat_map(|folder| fs::read_dir(folder).into_iter().flatten()).filter_map(Result::ok).map(|entry| entry.path()).collect();
    found.retain(|path| path.extension().is_some_and(|ending| ending == "md") && path.symlink_metadata().is_ok_and(|metadata| metadata.is_file()));
    found.sort();
    found
}
