//! A database file that was cut short, known by its file alone: SQLite would tell only when it comes to a page that is missing.

use crate::log_file::Place;
use std::fs::{self, File};
use std::io::Read;

/// What a database begins with.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// How many bytes of the first page are looked at.
const HEAD_BYTES: usize = 32;

/// Whether the file was emptied: what SQLite keeps beside a database is still there. Somebody may have it open, and would keep a new one from
/// being made in the same file.
pub(crate) fn is_emptied(place: &Place) -> bool {
    let beside = ["state.db-wal", "state.db-shm"].iter().any(|name| place.root.join(name).exists());
    beside && fs::metadata(place.database()).is_ok_and(|metadata| metadata.len() == 0)
}

/// Whether the file ends before the last page that its first page counts. While another process folds its write-ahead log in, that may be
/// so for a moment: whoever asks has a second look under the lock.
pub(crate) fn is_cut_short(place: &Place) -> bool {
    let Ok(mut file) = File::open(place.database()) else { return false };
    let Ok(length) = file.metadata().map(|metadata| metadata.len()) else { return false };
    let mut head = [0; HEAD_BYTES];
    if length == 0 || file.read_exact(&mut head).is_err() {
        return length > 0;
    }
    if head[..16] != *MAGIC {
        return false; // SQLite says so itself
    }
    let page_bytes = match u16::from_be_bytes([head[16], head[17]]) {
        1 => 65_536,
        bytes => u64::from(bytes),
    };
    let pages = u64::from(u32::from_be_bytes([head[28], head[29], head[30], head[31]]));
    length < page_bytes * pages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_ends_before_its_last_page_is_cut_short() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::new(folder.path());
        assert!(!is_cut_short(&place) && !is_emptied(&place), "there is none");
        let mut whole = vec![0; 3 * 4_096];
        whole[..16].copy_from_slice(MAGIC);
        whole[16..18].copy_from_slice(&4_096_u16.to_be_bytes());
        whole[28..32].copy_from_slice(&3_u32.to_be_bytes());
        for (length, cut) in [(3 * 4_096, false), (3 * 4_096 - 1, true), (4_096, true), (20, true), (0, false)] {
            fs::write(place.database(), &whole[..length]).unwrap();
            assert_eq!(is_cut_short(&place), cut, "{length}");
        }
        fs::write(folder.path().join("state.db-shm"), "").unwrap();
        assert!(is_emptied(&place));
    }
}
