//! The projects a person opened lately on this machine, so that one page leads to the others. One small file of ours in the person's own
//! state directory; who removes it loses that list and nothing else.
//!
//! Invariant: nothing is read or written there but that file, and nothing a project holds depends on it.

use contracts::Moment;
use contracts::settings::KnownProject;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Projects that are remembered; the one that was opened longest ago goes first.
const REMEMBERED_MAX: usize = 30;
/// How long a page server may take to say that it is there.
const ANSWERS_WITHIN: Duration = Duration::from_millis(80);

/// One project in the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Row {
    name: String,
    root: PathBuf,
    opened_at: Moment,
}

/// Where the list is kept: `$XDG_STATE_HOME/callboard/projects.json`, else below `~/.local/state`. None where there is no home.
pub fn file() -> Option<PathBuf> {
    let named = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let state = named.or_else(|| crate::boot::home().map(|home| home.join(".local/state")))?;
    Some(state.join("callboard/projects.json"))
}

/// What is in the file; nothing when it is not there or is no list.
fn read(file: &Path) -> Vec<Row> {
    fs::read(file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// Notes that the project with this root was opened, and forgets those whose board is gone.
///
/// # Errors
/// What writing says; the list is then as it was.
pub fn remember(file: &Path, name: &str, root: &Path, now: Moment) -> io::Result<()> {
    let mut rows = read(file);
    rows.retain(|row| row.root != root && row.root.join(git::PROJECT_DIRECTORY).is_dir());
    rows.insert(0, Row { name: name.to_owned(), root: root.to_owned(), opened_at: now });
    rows.truncate(REMEMBERED_MAX);
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let fresh = folder.join(format!("projects.json.{}", std::process::id()));
    let mut options = fs::File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(&fresh).and_then(|mut written| written.write_all(serde_json::to_string_pretty(&rows)?.as_bytes()))?;
    fs::rename(&fresh, file)
}

/// The projects of the list, the one opened last first, each with its page where it is served now.
pub fn list(file: &Path, here: &Path, home: Option<&Path>) -> Vec<KnownProject> {
    let there = |row: &Row| row.root.join(git::PROJECT_DIRECTORY).is_dir();
    read(file).into_iter().filter(there).map(|row| known(row, here, home)).collect()
}

fn known(row: Row, here: &Path, home: Option<&Path>) -> KnownProject {
    let place = match home.and_then(|home| row.root.strip_prefix(home).ok()) {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~/{}", rest.display()),
        None => row.root.display().to_string(),
    };
    let is_here = row.root == here;
    KnownProject { name: row.name, command: format!("cd {} && callboard ui", quoted(&place)), url: served_at(&row.root), here: is_here, place }
}

/// A path as a shell takes it; the `~` at its start stays what it means.
fn quoted(place: &str) -> String {
    let plain = |text: &str| text.chars().all(|character| character.is_alphanumeric() || "/._-+@".contains(character));
    match place.strip_prefix('~') {
        Some(rest) if plain(rest) => place.to_owned(),
        Some(rest) => format!("~/'{}'", rest.trim_start_matches('/').replace('\'', "'\\''")),
        None if plain(place) => place.to_owned(),
        None => format!("'{}'", place.replace('\'', "'\\''")),
    }
}

/// The page of a project's server, if one answers where it said it would.
fn served_at(root: &Path) -> Option<String> {
    #[derive(Deserialize)]
    struct Running {
        url: String,
    }
    let bytes = fs::read(root.join(git::PROJECT_DIRECTORY).join("run/ui.json")).ok()?;
    let Running { url } = serde_json::from_slice(&bytes).ok()?;
    let at: SocketAddr = url.strip_prefix("http://")?.trim_end_matches('/').replace("localhost", "127.0.0.1").parse().ok()?;
    TcpStream::connect_timeout(&at, ANSWERS_WITHIN).ok()?;
    Some(url)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    fn board(folder: &Path, name: &str) -> PathBuf {
        let root = folder.join(name);
        fs::create_dir_all(root.join(git::PROJECT_DIRECTORY).join("run")).unwrap();
        root
    }

    #[test]
    fn the_project_opened_last_comes_first_and_one_that_is_gone_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state/callboard/projects.json");
        let (one, two, gone) = (board(folder.path(), "one"), board(folder.path(), "it's two"), board(folder.path(), "gone"));
        assert!(list(&file, &one, None).is_empty(), "nothing is known where nothing was opened");
        for (name, root) in [("One", &one), ("Gone", &gone), ("Two", &two), ("One again", &one)] {
            remember(&file, name, root, Moment(0)).unwrap();
        }
        fs::remove_dir_all(&gone).unwrap();
        let known = list(&file, &one, Some(folder.path()));
        let short = |project: &KnownProject| (project.name.clone(), project.place.clone(), project.command.clone(), project.here);
        assert_eq!(
            known.iter().map(short).collect::<Vec<_>>(),
            [
                ("One again".to_owned(), "~/one".to_owned(), "cd ~/one && callboard ui".to_owned(), true),
                ("Two".to_owned(), "~/it's two".to_owned(), "cd ~/'it'\\''s two' && callboard ui".to_owned(), false),
            ]
        );
        fs::write(&file, "not a list").unwrap();
        remember(&file, "Two", &two, Moment(0)).unwrap();
        assert_eq!(list(&file, &one, None).len(), 1, "a file that is no list is begun anew");
    }

    #[test]
    fn a_project_has_an_address_while_somebody_answers_there() {
        let folder = tempfile::tempdir().unwrap();
        let root = board(folder.path(), "one");
        assert_eq!(served_at(&root), None);
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", server.local_addr().unwrap());
        fs::write(root.join(".callboard/run/ui.json"), format!("{{\"url\": \"{url}\", \"pid\": 1}}")).unwrap();
        assert_eq!(served_at(&root), Some(url));
        drop(server);
        assert_eq!(served_at(&root), None, "a file that a crash left behind is no server");
    }
}
