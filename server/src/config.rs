//! What a machine decides: `config.toml` of the project and of the person. What a board decides is a setting, an event.
//!
//! Order: flag, variable, `.callboard/config.toml`, `~/.config/callboard/config.toml`, default. Unknown keys are refused with line
//! and column, because a misspelt key that is ignored is a setting that silently does not hold.

use contracts::{Code, Hint, Problem};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// One `config.toml`. Every key may be absent.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ConfigFile {
    /// The web server's.
    pub http: HttpSection,
    /// How a model or agent program is called. Read by the parts that start one; kept whole until then.
    pub provider: Option<String>,
    /// Particulars of each provider.
    pub providers: toml::Table,
    /// Which environment variables a worker gets.
    pub env: toml::Table,
    /// How a worktree is prepared.
    pub worktree: toml::Table,
    /// Limits of workers.
    pub limits: toml::Table,
    /// Constants that workflows may read.
    pub constants: toml::Table,
    /// Libraries of workflows.
    pub libraries: toml::Table,
}

/// `[http]`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HttpSection {
    /// Port to listen on; the first free one of 2140 to 2159 when absent.
    pub port: Option<u16>,
    /// Further names accepted in `Host`.
    pub hosts: Option<Vec<String>>,
    /// Whether a browser must enter the one-time code printed at the start.
    pub private: Option<bool>,
    /// Whether `ui` opens a browser.
    pub open: Option<bool>,
}

/// Where a value came from, for `config explain`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// `.callboard/config.toml`.
    Project,
    /// The person's own file.
    Person,
    /// Built in.
    Default,
}

/// Both files, the project's first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// `.callboard/config.toml`.
    pub project: ConfigFile,
    /// `~/.config/callboard/config.toml`.
    pub person: ConfigFile,
}

impl Config {
    /// Reads both files; a file that is not there is empty.
    ///
    /// # Errors
    /// `bad_request` naming file, line and column when one can't be read as configuration.
    pub fn load(project: &Path, home: Option<&Path>) -> Result<Config, Problem> {
        let person = match home {
            Some(home) => read(&home.join(".config/callboard/config.toml"), "~/.config/callboard/config.toml")?,
            None => ConfigFile::default(),
        };
        Ok(Config { project: read(&project.join("config.toml"), ".callboard/config.toml")?, person })
    }

    /// The port, if a file names one.
    pub fn port(&self) -> Option<u16> {
        self.project.http.port.or(self.person.http.port)
    }

    /// Further names accepted in `Host`: the person's own alone. The project's file comes with the repository, and whoever wrote that would
    /// choose which names may speak for the person.
    pub fn hosts(&self) -> Vec<String> {
        self.person.http.hosts.clone().unwrap_or_default()
    }

    /// What of the project's file has no effect, in words.
    pub fn left_out(&self) -> Option<String> {
        let hosts = self.project.http.hosts.as_ref().filter(|hosts| !hosts.is_empty())?;
        let names: Vec<String> = hosts.iter().map(|name| format!("--allow-host {name}")).collect();
        Some(format!(
            "http.hosts in .callboard/config.toml has no effect, as the file comes with the repository: give {}, or write it into ~/.config/callboard/config.toml",
            names.join(" ")
        ))
    }

    /// Whether browsers must enter a code: when either file wants it.
    pub fn private(&self) -> bool {
        [self.project.http.private, self.person.http.private].contains(&Some(true))
    }

    /// Whether `ui` opens a browser.
    pub fn open(&self) -> bool {
        self.project.http.open.or(self.person.http.open).unwrap_or(false)
    }

    /// Every machine key of this version with its value and where it came from.
    pub fn explain(&self) -> Vec<(&'static str, String, Source)> {
        fn pick<T: std::fmt::Debug>(project: Option<T>, person: Option<T>, default: &str) -> (String, Source) {
            match (project, person) {
                (Some(value), _) => (format!("{value:?}"), Source::Project),
                (None, Some(value)) => (format!("{value:?}"), Source::Person),
                (None, None) => (default.to_owned(), Source::Default),
            }
        }
        let (project, person) = (&self.project.http, &self.person.http);
        [
            ("http.port", pick(project.port, person.port, "the first free one of 2140 to 2159")),
            ("http.hosts", pick(None, person.hosts.clone(), "[]")),
            ("http.private", pick(project.private.filter(|private| *private), person.private, "false")),
            ("http.open", pick(project.open, person.open, "false")),
        ]
        .into_iter()
        .map(|(key, (value, source))| (key, value, source))
        .collect()
    }
}

fn read(path: &PathBuf, shown: &str) -> Result<ConfigFile, Problem> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(ConfigFile::default()),
        Err(error) => return Err(Problem::new(Code::BadRequest, format!("{shown} can't be read: {error}"))),
    };
    parse(&text, shown)
}

fn parse(text: &str, shown: &str) -> Result<ConfigFile, Problem> {
    toml::from_str(text).map_err(|fault| {
        let place = fault.span().map_or(String::new(), |span| {
            let before = &text[..span.start.min(text.len())];
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().map_or(1, |line| line.chars().count() + 1);
            format!(":{line}:{column}")
        });
        Problem::bad_request(format!("{shown}{place}"), fault.message().to_owned()).hint(Hint::text("callboard config explain lists every key"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_key_is_refused_with_its_place() {
        let problem = parse("[http]\nprot = 2140\n", "config.toml").unwrap_err();
        assert_eq!(problem.errors[0].path, "config.toml:2:1");
        assert!(problem.title.contains("prot"), "{}", problem.title);
    }

    #[test]
    fn the_project_stands_before_the_person() {
        let config = Config { project: parse("[http]\nport = 1\n", "p").unwrap(), person: parse("[http]\nport = 2\nopen = true\n", "q").unwrap() };
        assert_eq!((config.port(), config.open()), (Some(1), true));
        assert_eq!(config.explain()[0], ("http.port", "1".to_owned(), Source::Project));
    }
}
