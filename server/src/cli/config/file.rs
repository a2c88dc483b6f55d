//! One key of `[http]` in a `config.toml`, written or taken out; every other line stays as it is.

use contracts::{Code, Hint, Problem};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// Keys of the section, and how their values are written.
const KEYS: &[&str] = &["port", "hosts", "private", "open"];

/// Sets `http.<name>`; `null` takes it out. The text that comes of it must be one that can be read.
pub fn set(path: &Path, key: &str, raw: &str) -> Result<(), Problem> {
    let name = key.strip_prefix("http.").filter(|name| KEYS.contains(name));
    let Some(name) = name else {
        let names: Vec<String> = KEYS.iter().map(|name| format!("http.{name}")).collect();
        return Err(Problem::bad_request("KEY", format!("{key:?} is no key")).hint(Hint::text(format!("keys: {}", names.join(", ")))));
    };
    let old = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(fault) if fault.kind() == ErrorKind::NotFound => String::new(),
        Err(fault) => return Err(unwritable(fault.kind())),
    };
    let value = (raw != "null").then(|| written(name, raw));
    let new = with(&old, name, value.as_deref());
    toml::from_str::<crate::config::ConfigFile>(&new).map_err(|fault| Problem::bad_request("VALUE", fault.message().to_owned()))?;
    let fresh = path.with_extension(format!("toml.{}", std::process::id()));
    fs::write(&fresh, new).and_then(|()| fs::rename(&fresh, path)).map_err(|fault| unwritable(fault.kind()))
}

fn unwritable(kind: ErrorKind) -> Problem {
    Problem::new(Code::Busy, format!(".callboard/config.toml can't be written: {kind}"))
}

fn written(name: &str, raw: &str) -> String {
    if name == "hosts" && !raw.starts_with('[') {
        let names: Vec<String> = raw.split(',').map(str::trim).filter(|part| !part.is_empty()).map(|part| toml::Value::from(part).to_string()).collect();
        return format!("[{}]", names.join(", "));
    }
    raw.to_owned()
}

/// The text with the key set or taken out: in its place, at the end of the section, or in a new section at the end.
fn with(text: &str, name: &str, value: Option<&str>) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let header = |line: &str| line.trim().starts_with('[') && line.split('#').next().is_some_and(|line| line.trim().ends_with(']'));
    let section = lines.iter().position(|line| line.split('#').next().is_some_and(|line| line.trim() == "[http]"));
    let line = value.map(|value| format!("{name} = {value}"));
    match section {
        Some(start) => {
            let end = lines.iter().skip(start + 1).position(|line| header(line)).map_or(lines.len(), |offset| start + 1 + offset);
            let found = (start + 1..end).find(|at| lines[*at].split_once('=').is_some_and(|(key, _)| key.trim() == name));
            match (found, line) {
                (Some(at), Some(line)) => lines[at] = line,
                (Some(at), None) => drop(lines.remove(at)),
                (None, Some(line)) => {
                    let last = (start..end).rev().find(|at| !lines[*at].trim().is_empty()).unwrap_or(start);
                    lines.insert(last + 1, line);
                }
                (None, None) => {}
            }
        }
        None => {
            if let Some(line) = line {
                if lines.last().is_some_and(|last| !last.trim().is_empty()) {
                    lines.push(String::new());
                }
                lines.extend(["[http]".to_owned(), line]);
            }
        }
    }
    lines.into_iter().map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_lines_stay_as_they_are() {
        assert_eq!(with("", "port", Some("2141")), "[http]\nport = 2141\n");
        let text = "# mine\n[http] # web\nport = 1\n\n[env]\npass = [\"A\"]\n";
        assert_eq!(with(text, "port", Some("2")), text.replace("= 1", "= 2"));
        assert_eq!(with(text, "open", Some("true")), text.replace("port = 1\n", "port = 1\nopen = true\n"));
        assert_eq!(with(text, "port", None), text.replace("port = 1\n", ""));
        assert_eq!(with("provider = \"x\"\n", "port", Some("1")), "provider = \"x\"\n\n[http]\nport = 1\n");
    }

    #[test]
    fn a_value_that_can_not_be_read_is_refused_before_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        assert!(set(&path, "http.port", "99999").is_err());
        assert!(set(&path, "http.prot", "1").is_err());
        assert!(!path.exists());
        set(&path, "http.hosts", "board.local, other").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "[http]\nhosts = [\"board.local\", \"other\"]\n");
        set(&path, "http.hosts", "null").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "[http]\n");
    }
}
