//! Which directory git takes hooks from, and whose it is.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::Git;
use crate::repository::ask;
use crate::{GitError, Repository};

/// Since then git runs hooks that its configuration names.
pub(super) const CONFIGURED_SINCE: (u32, u32) = (2, 54);

/// Where hooks go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HooksPlace {
    /// Into the local configuration.
    Configuration,
    /// Into a directory below the repository's own git directory.
    Own(PathBuf),
    /// Into a directory of the tree, which is committed, or made by a manager of hooks.
    Tree(PathBuf),
    /// Somewhere else.
    Outside(PathBuf),
}

impl Repository {
    /// The major and minor version of the git that is started here.
    pub fn git_version(&self) -> Result<(u32, u32), GitError> {
        let out = Git::new(self.directory(), &["--version"]).run()?;
        let text = String::from_utf8_lossy(&out);
        version(&text).ok_or_else(|| GitError::failed("git --version", format!("{} is no version", text.trim())))
    }
}

fn version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.trim().strip_prefix("git version ")?.split(['.', ' ', '-']);
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// The directory that all worktrees share, where git looks when nobody said otherwise.
pub(super) fn common_hooks(repository: &Repository) -> PathBuf {
    settled(&repository.common_dir().join("hooks"))
}

/// The directory git takes hooks from, here.
pub(super) fn hooks_directory(repository: &Repository) -> Result<HooksPlace, GitError> {
    let configured = ask(repository.directory(), &["config", "--type=path", "--get", "core.hooksPath"])?;
    let directory = match configured {
        Some(path) => settled(&repository.directory().join(path)),
        None => common_hooks(repository),
    };
    let common = repository.common_dir();
    let main = common.parent().filter(|_| common.file_name().is_some_and(|name| name == ".git"));
    Ok(if directory.starts_with(common) {
        HooksPlace::Own(directory)
    } else if (!repository.is_bare() && directory.starts_with(repository.directory())) || main.is_some_and(|main| directory.starts_with(main)) {
        HooksPlace::Tree(managed(directory))
    } else {
        HooksPlace::Outside(directory)
    })
}

/// Husky makes `.husky/_` anew at every install; what people write is beside it.
fn managed(directory: PathBuf) -> PathBuf {
    match directory.parent() {
        Some(parent) if directory.ends_with(".husky/_") => parent.to_owned(),
        _ => directory,
    }
}

/// The path with the links in what exists of it resolved.
fn settled(path: &Path) -> PathBuf {
    for existing in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (fs::canonicalize(existing), path.strip_prefix(existing)) {
            return if rest.as_os_str().is_empty() { real } else { real.join(rest) };
        }
    }
    path.to_owned()
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn versions_are_read_as_every_system_writes_them() {
        assert_eq!(version("git version 2.39.5\n"), Some((2, 39)));
        assert_eq!(version("git version 2.54.0.windows.1"), Some((2, 54)));
        assert_eq!(version("git version 2.39.3 (Apple Git-146)"), Some((2, 39)));
        assert_eq!(version("git version 3.0-rc1"), Some((3, 0)));
        assert_eq!(version("something else"), None);
    }
}
