//! Reading one value out of git's configuration text, without starting git.
//!
//! Only what `callboard init` writes and git itself writes back is understood: sections, subsections, quoted values, escapes,
//! comments and continued lines. `include` is not followed: `init` writes the key into the repository's own file, and a file that
//! includes another settles nothing.

use std::path::PathBuf;
use std::{env, fs, io};

/// What git would answer, where plain files say it beyond doubt: from the strongest file down, the first that has the key. `None` is no
/// answer: then git is asked, who also knows included files and the system's own.
pub(crate) fn settled(strongest_first: &[PathBuf], section: &str, key: &str) -> Option<String> {
    for file in strongest_first {
        let text = match fs::read(file) {
            Ok(bytes) => String::from_utf8(bytes).ok().filter(|text| is_plain(text))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(_) => return None,
        };
        if let Some(value) = value(&text, section, key) {
            return Some(value);
        }
    }
    None
}

/// Whether git and [`value`] read the same out of a text: nothing included, no line that goes on in the next.
fn is_plain(text: &str) -> bool {
    let goes_on = text.lines().any(|line| line.ends_with('\\'));
    !goes_on && !text.starts_with('\u{feff}') && !text.to_ascii_lowercase().contains("[include")
}

/// A person's own files, the stronger first; none when something says that they are elsewhere.
pub(crate) fn of_person() -> Option<[PathBuf; 2]> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if set("GIT_CONFIG_GLOBAL").is_some() {
        return None;
    }
    let home = set("HOME")?;
    let folder = set("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
    Some([home.join(".gitconfig"), folder.join("git/config")])
}

/// The last value of `section.key` (no subsection) in a configuration file; the last one wins, as in git.
pub(crate) fn value(text: &str, section: &str, key: &str) -> Option<String> {
    let mut here = false;
    let mut found = None;
    for line in logical_lines(text) {
        let mut line = line.trim();
        if let Some(rest) = line.strip_prefix('[') {
            let Some(end) = header_end(rest) else { continue };
            here = rest[..end].trim().eq_ignore_ascii_case(section);
            line = rest[end + 1..].trim_start();
        }
        if !here || line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        let (name, raw) = line.split_once('=').unwrap_or((line, "true"));
        if name.trim().eq_ignore_ascii_case(key) {
            found = Some(unquoted(raw.trim()));
        }
    }
    found
}

/// The `]` that ends a section header; one inside a quoted subsection does not.
fn header_end(rest: &str) -> Option<usize> {
    let (mut quoted, mut escaped) = (false, false);
    for (at, c) in rest.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ']' if !quoted => return Some(at),
            _ => {}
        }
    }
    None
}

/// Lines, with those that end in an odd number of backslashes joined to the next.
fn logical_lines(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut open = String::new();
    for line in text.lines() {
        let backslashes = line.chars().rev().take_while(|c| *c == '\\').count();
        if backslashes % 2 == 1 {
            open.push_str(&line[..line.len() - 1]);
        } else {
            open.push_str(line);
            lines.push(std::mem::take(&mut open));
        }
    }
    lines.push(open);
    lines
}

/// A value without its quotes, escapes and trailing comment.
fn unquoted(raw: &str) -> String {
    let mut value = String::new();
    let mut kept = 0; // what stood before trailing blanks outside quotes
    let mut quoted = false;
    let mut chars = raw.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                quoted = !quoted;
                kept = value.len();
            }
            '\\' => {
                match chars.next() {
                    Some('n') => value.push('\n'),
                    Some('t') => value.push('\t'),
                    Some('b') => value.push('\u{8}'),
                    Some(other) => value.push(other),
                    None => {}
                }
                kept = value.len();
            }
            '#' | ';' if !quoted => break,
            c => {
                value.push(c);
                if quoted || !c.is_whitespace() {
                    kept = value.len();
                }
            }
        }
    }
    value.truncate(kept);
    value
}

#[cfg(test)]
mod tests {
    use super::{settled, value};
    use std::fs;

    #[test]
    fn the_strongest_plain_file_settles_a_value() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            fs::write(dir.path().join(name), text).unwrap();
            dir.path().join(name)
        };
        let (own, person) = (file("own", "[user]\n\tname = Ada\n"), file("person", "[user]\n\temail = ada@example.org\n"));
        let email = |files: &[_]| settled(files, "user", "email");
        assert_eq!(email(&[own.clone(), dir.path().join("missing"), person.clone()]).as_deref(), Some("ada@example.org"));
        assert_eq!(email(std::slice::from_ref(&own)), None, "the system's file may have it");
        for unclear in ["[includeIf \"gitdir:/srv/\"]\n\tpath = more\n", "[Include]\npath = more\n", "# why \\\n", "\u{feff}[user]\nemail = b\n"] {
            assert_eq!(email(&[file("unclear", unclear), person.clone()]), None, "{unclear:?}");
            assert_eq!(email(&[person.clone(), file("unclear", unclear)]).as_deref(), Some("ada@example.org"), "what is weaker says nothing");
        }
    }

    fn root(text: &str) -> Option<String> {
        value(text, "callboard", "root")
    }

    #[test]
    fn the_plain_form_git_writes_is_read() {
        assert_eq!(root("[core]\n\tbare = false\n[callboard]\n\troot = /srv/app\n").as_deref(), Some("/srv/app"));
    }

    #[test]
    fn names_ignore_case_and_the_last_value_wins() {
        assert_eq!(root("[CallBoard]\nRoot=/a\n[callboard] root = /b\n").as_deref(), Some("/b"));
    }

    #[test]
    fn quotes_escapes_and_comments_are_taken_off() {
        assert_eq!(root("[callboard]\nroot = \"/srv/a b; c\" ; why\n").as_deref(), Some("/srv/a b; c"));
        assert_eq!(
            root(
                r#"[callboard]
root = C:\\a\"b   # why"#
            )
            .as_deref(),
            Some(r#"C:\a"b"#)
        );
        assert_eq!(root("[callboard]\nroot = /srv/\\\nlong\n").as_deref(), Some("/srv/long"));
    }

    #[test]
    fn other_sections_and_subsections_do_not_count() {
        assert_eq!(root("[callboard \"x\"]\nroot = /a\n[remote \"callboard\"]\nroot = /b\n[user]\nroot=/c\n"), None);
        assert_eq!(root("[branch \"a]b\"]\nroot = /a\n"), None);
        assert_eq!(root("# [callboard]\n; root = /a\n"), None);
    }

    #[test]
    fn broken_text_is_nothing_never_a_panic() {
        for text in ["[", "[callboard", "[callboard]\nroot = \"", "[callboard]\n\\", "=", "[callboard]\n= x", "\\"] {
            let _ = root(text);
        }
    }
}
