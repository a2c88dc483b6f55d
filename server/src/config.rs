//! What a machine decides: `config.toml` of the project and of the person. What a board decides is a setting, an event.
//!
//! Order: flag, variable, `.callboard/config.toml`, `~/.config/callboard/config.toml`, default. Unknown keys are refused with line
//! and column, because a misspelt key that is ignored is a setting that silently does not hold.

use contracts::{Code, Hint, Problem};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use std::net::Ipv6Addr;
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
    /// Further names accepted in `Host`, as [`host_name`] reads them.
    #[serde(deserialize_with = "host_names")]
    pub hosts: Option<Vec<String>>,
    /// Whether a browser must enter the one-time code printed at the start.
    pub private: Option<bool>,
    /// Whether `ui` opens a browser.
    pub open: Option<bool>,
}

/// Reads a name that `Host` may hold: in lower case and without its port, since whoever comes through a proxy names the proxy's.
///
/// # Errors
/// Text that no request could name, in words.
pub fn host_name(raw: &str) -> Result<String, String> {
    let lower = raw.trim().to_ascii_lowercase();
    let address = |text: &str| text.parse::<Ipv6Addr>().ok().map(|address| format!("[{address}]"));
    let (name, port) = match lower.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((inside, rest)) => (address(inside).filter(|_| rest.is_empty() || rest.starts_with(':')), rest.strip_prefix(':')),
        None => match address(&lower) {
            Some(bare) => (Some(bare), None),
            None => lower.split_once(':').map_or((Some(lower.clone()), None), |(name, port)| (Some(name.to_owned()), Some(port))),
        },
    };
    let is_name =
        |name: &String| name.starts_with('[') || (!name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte)));
    let name = name.filter(is_name).filter(|_| port.is_none_or(|port| port.parse::<u16>().is_ok()));
    name.ok_or_else(|| format!("{raw:?} is no name of a host; write it like board.example or 192.168.1.5"))
}

fn host_names<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    let names: Vec<String> = Deserialize::deserialize(deserializer)?;
    names.iter().map(|name| host_name(name)).collect::<Result<_, _>>().map(Some).map_err(D::Error::custom)
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
    fn a_name_of_a_host_is_taken_without_its_port_or_refused() {
        for (raw, name) in [
            ("Board.Example", "board.example"),
            ("box.lan:8080", "box.lan"),
            ("192.168.1.5", "192.168.1.5"),
            ("::1", "[::1]"),
            ("[FD00::5]", "[fd00::5]"),
            ("[::1]:2140", "[::1]"),
            ("my_box", "my_box"),
        ] {
            assert_eq!(host_name(raw).as_deref(), Ok(name), "{raw}");
        }
        for raw in ["", "foo bar", "https://box.lan", "box.lan/", "box.lan:", "box.lan:http", "box.lan:99999", "[::1", "[::1]x", "[box]", "café.lan", "*.lan"]
        {
            assert!(host_name(raw).is_err_and(|why| why.contains(&format!("{raw:?}"))), "{raw}");
        }
        let problem = parse("[http]\nhosts = [\"box.lan:8080\", \"foo bar\"]\n", "config.toml").unwrap_err();
        assert!(problem.title.contains("foo bar") && problem.errors[0].path.starts_with("config.toml:2"), "{problem:?}");
        assert_eq!(parse("[http]\nhosts = [\"box.lan:8080\"]\n", "p").unwrap().http.hosts, Some(vec!["box.lan".to_owned()]));
    }

    #[test]
    fn the_project_stands_before_the_person() {
        let config = Config { project: parse("[http]\nport = 1\n", "p").unwrap(), person: parse("[http]\nport = 2\nopen = true\n", "q").unwrap() };
        assert_eq!((config.port(), config.open()), (Some(1), true));
        assert_eq!(config.explain()[0], ("http.port", "1".to_owned(), Source::Project));
    }
}
