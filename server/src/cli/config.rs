//! `callboard config`: settings of the board (events, the same in every clone) and configuration of the machine (`config.toml`).

mod file;

use super::desk::Desk;
use super::out::{Out, Row};
use super::{Exit, Globals};
use crate::boot;
use crate::config::{Config, Source};
use clap::{Args, Subcommand};
use contracts::command::Configure;
use contracts::{Command, Hint, Problem};
use serde_json::{Value, json};

/// Arguments of `config`.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Give a key a value: a setting in the log, http.* in .callboard/config.toml; the repository carries both, and
    /// ~/.config/callboard/config.toml is for this machine alone
    Set {
        /// Which key
        #[arg(value_name = "KEY")]
        key: String,
        /// Its value; null is the default again
        #[arg(value_name = "VALUE", allow_hyphen_values = true)]
        value: String,
    },
    /// Show a key's value and where it comes from; all keys without one
    Explain {
        /// Which key
        #[arg(value_name = "KEY")]
        key: Option<String>,
    },
    /// Read both configuration files and say what is wrong
    Check,
}

impl ConfigArgs {
    /// Whether the board is opened: a check must work while the configuration is broken.
    pub fn needs_board(&self) -> bool {
        !matches!(self.command, ConfigCommand::Check)
    }
}

/// Settings of the board, with their defaults in words.
const SETTINGS: &[(&str, &str)] = &[
    ("name", "the folder's name"),
    ("zone", "the machine's zone at init"),
    ("base", "the remote's default branch, main or master"),
    ("types", "none beside the ten built in"),
    ("review_default", "false"),
    ("criteria_gate", "off"),
    ("lease_ttl_s.agent", "3600, or 900 where hooks renew"),
    ("lease_ttl_s.dev", "86400"),
    ("grace_s", "120"),
    ("max_held.agent", "1"),
    ("max_held.dev", "20"),
    ("commit_guard", "agents"),
    ("stop_gate", "on"),
    ("wip_max", "none: nothing is too much at once"),
    ("views", "none kept"),
    ("trees_dir", ".callboard/trees"),
    ("sync.refs", "remote"),
    ("narration.provider", "none"),
    ("narration.model", "none"),
    ("narration.language", "none"),
    ("reports.daily", "off"),
];

/// Sets or explains.
pub async fn run(desk: &mut Desk, args: ConfigArgs) -> Result<Exit, Problem> {
    match args.command {
        ConfigCommand::Set { key, value } if key == "http.hosts" => {
            let hint = format!("for one start: callboard ui --allow-host {value}; for all: [http] hosts = [...] in ~/.config/callboard/config.toml");
            let why = "is yours to say and not the repository's, which carries .callboard/config.toml";
            return Err(Problem::bad_request("http.hosts", why).hint(Hint::text(hint)));
        }
        ConfigCommand::Set { key, value } if key.starts_with("http.") => {
            file::set(&desk.boot.root.join("config.toml"), &key, &value)?;
            if desk.out.manner.json {
                desk.out.document(&json!({"key": key, "file": ".callboard/config.toml"}))?;
            } else {
                desk.out.row(Row::new().strong(key).plain(format!(" = {value}")).dim("  in .callboard/config.toml"));
            }
        }
        ConfigCommand::Set { key, value } => {
            let read = value_of(&key, &value);
            let receipt = desk.execute(Command::Configure(Configure { key: key.clone(), value: read.clone() })).await?;
            let shown = if read.is_null() { "its default".to_owned() } else { plain(&read) };
            let row = Row::new().strong(key).plain(format!(" = {shown}"));
            desk.say(&receipt, row).await?;
        }
        ConfigCommand::Explain { key } => explain(desk, key.as_deref()).await?,
        ConfigCommand::Check => {}
    }
    Ok(Exit::Done)
}

/// What was typed, as the setting's own kind of value; whether it is legal is the board's to say.
fn value_of(key: &str, raw: &str) -> Value {
    if raw == "null" {
        return Value::Null;
    }
    match key {
        "types" if !raw.starts_with('[') => raw.split(',').map(str::trim).filter(|part| !part.is_empty()).collect(),
        "review_default" | "grace_s" | "types" | "wip_max" | "views" => serde_json::from_str(raw).unwrap_or_else(|_| raw.into()),
        key if key.starts_with("lease_ttl_s.") || key.starts_with("max_held.") => serde_json::from_str(raw).unwrap_or_else(|_| raw.into()),
        _ => raw.into(),
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Where each value comes from. The last word of a machine's key has a flag, which is not known here.
async fn explain(desk: &mut Desk, key: Option<&str>) -> Result<(), Problem> {
    let mut read = desk.boot.store.reader().begin().await.map_err(|fault| fault.problem())?;
    let project = read.project().await.map_err(|fault| fault.problem())?.unwrap_or_default();
    drop(read);
    let mut rows: Vec<(String, String, String)> = Vec::new();
    for (name, default) in SETTINGS {
        let set = Some(engine::settings::present(&project, name)).filter(|value| !value.is_null());
        let (value, from) = match set {
            Some(value) => (plain(&value), "setting of this board"),
            None => ((*default).to_owned(), "default"),
        };
        rows.push(((*name).to_owned(), value, from.to_owned()));
    }
    for (name, value, source) in desk.boot.config.explain() {
        let from = match source {
            Source::Project => ".callboard/config.toml",
            Source::Person => "~/.config/callboard/config.toml",
            Source::Default => "default",
        };
        rows.push((name.to_owned(), value, from.to_owned()));
    }
    if let Some(key) = key {
        let names: Vec<String> = rows.iter().map(|(name, ..)| name.clone()).collect();
        rows.retain(|(name, ..)| name == key);
        if rows.is_empty() {
            return Err(Problem::bad_request("KEY", format!("{key:?} is no key")).hint(Hint::text(format!("keys: {}", names.join(", ")))));
        }
    }
    if desk.out.manner.json {
        let rows: Vec<Value> = rows.iter().map(|(key, value, from)| json!({"key": key, "value": value, "from": from})).collect();
        return desk.out.document(&json!({"items": rows}));
    }
    let widest = rows.iter().map(|(name, ..)| name.len()).max().unwrap_or(0);
    for (name, value, from) in rows {
        desk.out.row(Row::new().strong(format!("{name:<widest$}")).plain(format!("  {value}")).dim(format!("  {from}")));
    }
    if key.is_some_and(|key| key.starts_with("http.")) {
        desk.out.row(Row::new().dim("a flag of callboard ui goes before both files"));
    }
    Ok(())
}

/// Reads both files; what is wrong is a refusal with file, line and column.
pub fn check(globals: &Globals, out: &mut Out) -> Result<Exit, Problem> {
    let place = boot::find_place(globals.project.as_deref())?;
    let config = Config::load(&place.directory(), boot::home().as_deref())?;
    let left_out = config.left_out();
    if out.manner.json {
        out.document(&json!({"ok": true, "left_out": left_out}))?;
    } else {
        out.row(left_out.as_deref().unwrap_or("both configuration files are in order"));
    }
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_of_the_board_is_explained() {
        let explained: Vec<&str> = SETTINGS.iter().map(|(key, _)| *key).collect();
        assert!(engine::settings::KEYS.iter().all(|key| explained.contains(key)) && explained.len() == engine::settings::KEYS.len());
    }

    #[test]
    fn a_value_is_read_as_its_key_wants_it() {
        assert_eq!(value_of("name", "2026"), json!("2026"));
        assert_eq!(value_of("grace_s", "60"), json!(60));
        assert_eq!(value_of("max_held.agent", "two"), json!("two"));
        assert_eq!(value_of("review_default", "true"), json!(true));
        assert_eq!(value_of("types", "spike, chore"), json!(["spike", "chore"]));
        assert_eq!(value_of("base", "null"), Value::Null);
    }
}
