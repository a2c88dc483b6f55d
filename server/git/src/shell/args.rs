//! Arguments: what a command is given, and how options are told from the rest.

use super::words::{UNKNOWN, Word, is_name};

/// One argument.
#[derive(Clone, Debug)]
pub(super) struct Arg {
    /// Its value; none when only running would tell.
    pub text: Option<String>,
    /// The same as script text, for commands that read it as one.
    pub script: String,
}

impl Arg {
    pub fn of(word: &Word) -> Arg {
        Arg { text: word.value(), script: word.script_text() }
    }

    pub fn known(text: impl Into<String>) -> Arg {
        let text = text.into();
        Arg { script: text.clone(), text: Some(text) }
    }

    pub fn unknown() -> Arg {
        Arg { text: None, script: String::from(UNKNOWN) }
    }

    /// The name of the program this would be, without its folder.
    pub fn base_name(&self) -> Option<&str> {
        self.text.as_deref().map(|text| text.rsplit('/').next().unwrap_or(text))
    }

    /// `name=value`.
    pub fn assignment(&self) -> Option<(String, Option<String>)> {
        let (name, _) = self.script.split_once('=')?;
        let name = name.strip_suffix('+').unwrap_or(name);
        let value = self.text.as_ref().and_then(|text| text.split_once('=')).map(|(_, value)| value.to_owned());
        is_name(name).then(|| (name.to_owned(), value))
    }

    /// The argument as a word that a shell would read back.
    pub fn quoted(&self) -> String {
        self.text.as_ref().map_or_else(|| self.script.clone(), |text| format!("'{}'", text.replace('\'', r"'\''")))
    }
}

/// Which options of a command take a value.
pub(super) struct Valued {
    pub short: &'static str,
    pub long: &'static [&'static str],
    /// The option that ends them, its value being the command.
    pub last: &'static [&'static str],
}

/// Options at the front of `args`, each with its value, and how many arguments they are. `--` ends them and is counted.
pub(super) fn options(args: &[Arg], valued: &Valued) -> (Vec<(String, Option<Arg>)>, usize) {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(text) = args.get(at).and_then(|arg| arg.text.as_deref()) {
        if found.last().is_some_and(|(name, _): &(String, Option<Arg>)| valued.last.contains(&name.as_str())) {
            break;
        }
        at += 1;
        if text == "--" {
            break;
        }
        if let Some(long) = text.strip_prefix("--") {
            let (name, mut value) = match long.split_once('=') {
                Some((name, value)) => (name, Some(Arg::known(value))),
                None => (long, None),
            };
            if value.is_none() && valued.long.contains(&name) {
                value = args.get(at).cloned();
                at += 1;
            }
            found.push((name.to_owned(), value));
        } else if let Some(cluster) = text.strip_prefix('-').filter(|cluster| !cluster.is_empty()) {
            for (n, c) in cluster.char_indices() {
                let rest = &cluster[n + c.len_utf8()..];
                if !valued.short.contains(c) {
                    found.push((c.to_string(), None));
                    continue;
                }
                if rest.is_empty() {
                    found.push((c.to_string(), args.get(at).cloned()));
                    at += 1;
                } else {
                    found.push((c.to_string(), Some(Arg::known(rest))));
                }
                break;
            }
        } else {
            at -= 1;
            break;
        }
    }
    (found, at.min(args.len()))
}
