//! What a board decides by setting: the keys, what they may be, and what holds when nothing was set.

use crate::task::Project;
use contracts::{Actor, ActorKind, limits};
use serde_json::Value;

/// Task types that every project has.
pub const TYPES: [&str; 10] = ["task", "feature", "bug", "chore", "docs", "test", "refactor", "research", "decision", "incident"];

/// Every key of `configure`.
pub const KEYS: [&str; 21] = [
    "name",
    "zone",
    "base",
    "review_default",
    "criteria_gate",
    "lease_ttl_s.agent",
    "lease_ttl_s.dev",
    "grace_s",
    "max_held.agent",
    "max_held.dev",
    "commit_guard",
    "stop_gate",
    "types",
    "wip_max",
    "views",
    "trees_dir",
    "sync.refs",
    "narration.provider",
    "narration.model",
    "narration.language",
    "reports.daily",
];

/// What a close asks of the checklist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CriteriaGate {
    /// Nothing.
    Off,
    /// An answer to each.
    Answered,
    /// Each met.
    Met,
}

/// A project's settings with their defaults filled in.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "each field is the setting of its name")]
pub struct Settings {
    pub name: String,
    pub zone: String,
    pub base: Option<String>,
    /// As set; when it is not, the default depends on whether somebody renews for the agent (see [`Settings::ttl_s`]).
    pub lease_ttl_agent_s: Option<i64>,
    pub lease_ttl_dev_s: i64,
    pub grace_s: i64,
    pub max_held_agent: i64,
    pub max_held_dev: i64,
    pub review_default: bool,
    pub criteria_gate: CriteriaGate,
    /// All that a task may be, the built-in ones first.
    pub types: Vec<String>,
    pub commit_guard: String,
    pub stop_gate: bool,
    pub trees_dir: String,
    pub sync_refs: String,
}

impl Settings {
    /// Reads them; what cannot be read (a newer version's value) is at its default.
    pub fn of(project: &Project) -> Settings {
        let value = |key: &str| project.settings.get(key);
        let number = |key: &str| value(key).and_then(Value::as_i64);
        // The log may come from anywhere: what this version would refuse to set has no effect either.
        let word = |key: &str| value(key).filter(|value| check(key, value).is_ok()).and_then(Value::as_str).map(str::to_owned);
        let added = value("types").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let gate = match value("criteria_gate").and_then(Value::as_str) {
            Some("answered") => CriteriaGate::Answered,
            Some("met") => CriteriaGate::Met,
            _ => CriteriaGate::Off,
        };
        Settings {
            name: project.name.clone(),
            zone: project.zone.clone(),
            base: word("base"),
            lease_ttl_agent_s: number("lease_ttl_s.agent"),
            lease_ttl_dev_s: number("lease_ttl_s.dev").unwrap_or(limits::LEASE_SECONDS_DEV),
            grace_s: number("grace_s").unwrap_or(limits::GRACE_SECONDS),
            max_held_agent: number("max_held.agent").unwrap_or(limits::HELD_BY_AGENT_MAX),
            max_held_dev: number("max_held.dev").unwrap_or(limits::HELD_BY_DEV_MAX),
            review_default: value("review_default").and_then(Value::as_bool).unwrap_or(false),
            criteria_gate: gate,
            types: TYPES.iter().map(|word| (*word).to_owned()).chain(added.iter().filter_map(Value::as_str).map(str::to_owned)).collect(),
            commit_guard: word("commit_guard").unwrap_or_else(|| "agents".to_owned()),
            stop_gate: value("stop_gate").and_then(Value::as_str) != Some("off"),
            trees_dir: word("trees_dir").unwrap_or_else(|| ".callboard/trees".to_owned()),
            sync_refs: word("sync.refs").unwrap_or_else(|| "remote".to_owned()),
        }
    }

    /// Length of a new lease of this actor, seconds.
    pub fn ttl_s(&self, actor: &Actor, hooks_renew: bool) -> i64 {
        match actor.kind() {
            ActorKind::Dev => self.lease_ttl_dev_s,
            _ if hooks_renew => self.lease_ttl_agent_s.unwrap_or(limits::LEASE_SECONDS_AGENT),
            _ => self.lease_ttl_agent_s.unwrap_or(limits::LEASE_SECONDS_AGENT_WITHOUT_HOOKS),
        }
    }

    /// How many tasks this actor may hold at once; the system as many as it likes.
    pub fn held_at_once(&self, actor: &Actor) -> Option<i64> {
        match actor.kind() {
            ActorKind::Dev => Some(self.max_held_dev),
            ActorKind::Agent => Some(self.max_held_agent),
            ActorKind::System => None,
        }
    }
}

/// What a key holds now; null when it is at its default.
pub fn present(project: &Project, key: &str) -> Value {
    match key {
        "name" => project.name.clone().into(),
        "zone" => project.zone.clone().into(),
        key => project.settings.get(key).cloned().unwrap_or(Value::Null),
    }
}

/// What a key holds after it was given a value, `from` being what it holds now. A value is whole, but for one view: `{name, query}` keeps it
/// beside the others, `{name}` alone forgets it, so that two who keep a view each lose none. The error says what is legal.
pub fn changed(from: &Value, key: &str, value: &Value) -> Result<Value, String> {
    match value.as_object().filter(|_| key == "views") {
        Some(one) => {
            let name = one.get("name").filter(|name| name.is_string() && one.keys().all(|key| key == "name" || key == "query"));
            let Some(name) = name else { return Err(format!("one view is {{\"name\": \"My bugs\", \"query\": \"q=type%20%3D%20bug\"}}, not {value}")) };
            let mut all: Vec<Value> = from.as_array().cloned().unwrap_or_default();
            let known = all.iter().position(|view| view["name"] == *name);
            match (known, one.get("query").is_some_and(|query| !query.is_null())) {
                (Some(place), true) => all[place] = value.clone(),
                (None, true) => all.push(value.clone()),
                (Some(place), false) => drop(all.remove(place)),
                (None, false) => {}
            }
            check(key, &all.into())
        }
        None => check(key, value),
    }
}

/// What a key holds after an event that changed it `from` one value `to` another, where others may have changed it since: views that two
/// clones kept apart are all kept, everything else is as the last one said.
pub(crate) fn merged(now: Option<&Value>, key: &str, from: &Value, to: Value) -> Value {
    let (Some(Value::Array(now)), "views") = (now, key) else { return to };
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let (before, after) = (list(from), list(&to));
    let named = |all: &[Value], view: &Value| all.iter().any(|other| other["name"] == view["name"]);
    let mut kept: Vec<Value> = now.iter().filter(|view| !named(&before, view) || named(&after, view)).cloned().collect();
    for view in after.into_iter().filter(|view| !before.contains(view)) {
        match kept.iter().position(|other| other["name"] == view["name"]) {
            Some(place) => kept[place] = view,
            None => kept.push(view),
        }
    }
    if kept.is_empty() { Value::Null } else { kept.into() }
}

/// Checks a value for a key and gives it in its one form; null stands for the default. The error says what is legal.
pub fn check(key: &str, value: &Value) -> Result<Value, String> {
    let words = |legal: &[&str]| match value.as_str() {
        Some(word) if legal.contains(&word) => Ok(value.clone()),
        _ => Err(format!("{key} is one of {}, not {value}", legal.join(", "))),
    };
    let number = |from: i64, to: i64| match value.as_i64() {
        Some(number) if (from..=to).contains(&number) => Ok(value.clone()),
        _ => Err(format!("{key} is a whole number from {from} to {to}, not {value}")),
    };
    let line = |chars: usize| match value.as_str() {
        Some(text) => contracts::text::one_line(text, key, chars).map(Value::String),
        None => Err(format!("{key} is a text, not {value}")),
    };
    if !KEYS.contains(&key) {
        return Err(format!("{key:?} is not a setting; settings: {}", KEYS.join(", ")));
    }
    match key {
        "name" => line(limits::TITLE_CHARS_MAX),
        "zone" => zone(value),
        _ if value.is_null() => Ok(Value::Null),
        "base" => line(200).and_then(|branch| match branch.as_str() {
            Some(name) if !is_branch(name) => Err(format!("base is a branch like main or origin/main, not {value}")),
            _ => Ok(branch),
        }),
        "review_default" => value.is_boolean().then(|| value.clone()).ok_or_else(|| format!("review_default is true or false, not {value}")),
        "criteria_gate" => words(&["off", "answered", "met"]),
        "lease_ttl_s.agent" | "lease_ttl_s.dev" => number(limits::LEASE_SECONDS_MIN, limits::LEASE_SECONDS_MAX),
        "grace_s" => number(0, 3_600),
        "max_held.agent" | "max_held.dev" => number(1, 1_000),
        "commit_guard" => words(&["agents", "workers", "off"]),
        "stop_gate" | "reports.daily" => words(&["on", "off"]),
        "sync.refs" => words(&["remote", "base"]),
        "types" => types(value),
        "wip_max" => number(1, 1_000),
        "views" => views(value),
        "trees_dir" => line(limits::FILE_PATTERN_CHARS_MAX).and_then(|folder| match folder.as_str() {
            Some(name) if !is_for_trees(name) => {
                Err(format!("trees_dir is a folder in the project or beside it, like .callboard/trees or ../trees, not {value}"))
            }
            _ => Ok(folder),
        }),
        _ => line(limits::QUERY_CHARS_MAX),
    }
}

/// A branch that can stand in a command line as it is.
fn is_branch(name: &str) -> bool {
    let plain = |character: char| character.is_alphanumeric() || "/._-+@#".contains(character);
    !name.starts_with('-') && !name.contains("..") && name.chars().all(plain)
}

/// A folder in the project or right beside it, and none of git's or of the board's own files.
fn is_for_trees(name: &str) -> bool {
    let parts: Vec<&str> = name.trim_end_matches('/').split('/').collect();
    let below = parts.strip_prefix(&[".."]).unwrap_or(&parts);
    let plain = |part: &&str| !matches!(*part, "" | "." | ".." | ".git") && !part.contains('\\') && !part.contains(':');
    let boards_own = parts.first() == Some(&".callboard") && parts.get(1).is_none_or(|part| !part.starts_with("trees"));
    !below.is_empty() && below.iter().all(plain) && !boards_own
}

fn zone(value: &Value) -> Result<Value, String> {
    let legal = |character: char| character.is_ascii_alphanumeric() || "_+-/".contains(character);
    match value.as_str() {
        Some(name) if (1..=64).contains(&name.len()) && name.chars().all(legal) => Ok(value.clone()),
        _ => Err(format!("zone is the name of a time zone like Europe/Berlin or UTC, not {value}")),
    }
}

fn types(value: &Value) -> Result<Value, String> {
    let Some(items) = value.as_array() else { return Err(format!("types is a list of slugs, not {value}")) };
    let mut added: Vec<String> = Vec::new();
    for item in items {
        let word = item.as_str().ok_or_else(|| format!("types is a list of slugs, not of {item}"))?;
        let slug = contracts::text::Slug::parse(word)?.into_string();
        if !TYPES.contains(&word) && !added.contains(&slug) {
            added.push(slug);
        }
    }
    if added.len() > limits::TYPES_ADDED_MAX {
        return Err(format!("types adds {} types, the limit is {}", added.len(), limits::TYPES_ADDED_MAX));
    }
    Ok(if added.is_empty() { Value::Null } else { added.into() })
}

/// Looks at the board that were kept: a name and the address each.
fn views(value: &Value) -> Result<Value, String> {
    let Some(items) = value.as_array() else { return Err(format!("views is a list of {{name, query}}, not {value}")) };
    if items.len() > limits::VIEWS_MAX {
        return Err(format!("views has {} views, the limit is {}", items.len(), limits::VIEWS_MAX));
    }
    let mut kept: Vec<Value> = Vec::with_capacity(items.len());
    for item in items {
        let text = |key: &str, chars: usize| match item.get(key).and_then(Value::as_str) {
            Some(text) => contracts::text::one_line(text, key, chars),
            None => Err(format!("a view is {{\"name\": \"My bugs\", \"query\": \"q=type%20%3D%20bug\"}}, not {item}")),
        };
        let view = serde_json::json!({"name": text("name", limits::VIEW_NAME_CHARS_MAX)?, "query": text("query", limits::VIEW_QUERY_CHARS_MAX)?});
        if kept.iter().any(|other| other["name"] == view["name"]) {
            return Err(format!("two views are named {}", view["name"]));
        }
        kept.push(view);
    }
    Ok(if kept.is_empty() { Value::Null } else { kept.into() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_checked_and_null_is_the_default_again() {
        for (key, good) in [
            ("grace_s", json!(60)),
            ("types", json!(["spike"])),
            ("criteria_gate", json!("met")),
            ("zone", json!("Europe/Berlin")),
            ("wip_max", json!(5)),
            ("views", json!([{"name": "Mine", "query": "q=x"}])),
        ] {
            assert_eq!(check(key, &good), Ok(good.clone()), "{key}");
        }
        assert_eq!(check("grace_s", &Value::Null), Ok(Value::Null));
        assert_eq!(check("types", &json!(["bug"])), Ok(Value::Null), "a built-in type adds nothing");
        for (key, bad) in [
            ("grace_s", json!("60")),
            ("grace_s", json!(1.5)),
            ("lease_ttl_s.agent", json!(59)),
            ("lease_ttl_s.agent", json!(86_401)),
            ("types", json!(["Upper"])),
            ("types", json!((0..21).map(|n| format!("t{n}")).collect::<Vec<_>>())),
            ("zone", json!("")),
            ("name", Value::Null),
            ("review_default", json!("yes")),
            ("base", json!("--upload-pack=x")),
            ("base", json!("main$(id)")),
            ("base", json!("main;id")),
            ("trees_dir", json!("/tmp/x")),
            ("trees_dir", json!("../../x")),
            ("trees_dir", json!("a/../../x")),
            ("trees_dir", json!("..")),
            ("trees_dir", json!(".git/x")),
            ("trees_dir", json!(".callboard/log")),
            ("trees_dir", json!(".callboard")),
            ("colour", json!(1)),
            ("wip_max", json!(0)),
            ("views", json!(["x"])),
            ("views", json!([{"name": "x", "query": "q=a"}, {"name": "x", "query": "q=b"}])),
            ("views", json!([{"name": "x".repeat(41), "query": "q=a"}])),
        ] {
            assert!(check(key, &bad).is_err(), "{key} {bad}");
        }
    }

    fn view(name: &str, query: &str) -> Value {
        json!({"name": name, "query": query})
    }

    #[test]
    fn a_view_is_kept_beside_the_others_and_forgotten_alone() {
        let set = |from: Value, value: Value| changed(&from, "views", &value);
        assert_eq!(set(Value::Null, view("X", "q=a")), Ok(json!([view("X", "q=a")])));
        assert_eq!(set(json!([view("X", "q=a")]), view("Y", "q=b")), Ok(json!([view("X", "q=a"), view("Y", "q=b")])));
        assert_eq!(set(json!([view("X", "q=a"), view("Y", "q=b")]), view("X", "q=c")), Ok(json!([view("X", "q=c"), view("Y", "q=b")])));
        assert_eq!(set(json!([view("X", "q=a"), view("Y", "q=b")]), json!({"name": "X"})), Ok(json!([view("Y", "q=b")])));
        assert_eq!(set(json!([view("X", "q=a")]), json!({"name": "X", "query": null})), Ok(Value::Null));
        assert_eq!(set(json!([view("X", "q=a")]), json!({"name": "Z"})), Ok(json!([view("X", "q=a")])));
        assert_eq!(set(json!([view("X", "q=a")]), json!([view("Y", "q=b")])), Ok(json!([view("Y", "q=b")])), "a list is whole");
        for bad in [json!({"query": "q=a"}), json!({"name": 1}), json!({"name": "x", "query": "q=a", "colour": 1}), view(&"x".repeat(41), "q=a")] {
            assert!(set(Value::Null, bad.clone()).is_err(), "{bad}");
        }
    }

    #[test]
    fn views_that_two_clones_kept_apart_are_all_kept() {
        let meet = |now: Value, from: Value, to: Value| merged(Some(&now).filter(|now| !now.is_null()), "views", &from, to);
        let (x, y) = (view("X", "q=a"), view("Y", "q=b"));
        assert_eq!(meet(json!([x]), Value::Null, json!([y])), json!([x, y]));
        assert_eq!(meet(json!([x, y]), json!([x]), Value::Null), json!([y]), "who forgot X knew no Y");
        assert_eq!(meet(json!([y]), json!([x]), Value::Null), json!([y]));
        assert_eq!(meet(json!([x]), json!([x]), json!([view("X", "q=c")])), json!([view("X", "q=c")]));
        assert_eq!(meet(Value::Null, Value::Null, json!([y])), json!([y]));
        assert_eq!(meet(json!([x]), json!([x]), Value::Null), Value::Null);
        assert_eq!(merged(Some(&json!(["a"])), "types", &Value::Null, json!(["b"])), json!(["b"]));
    }
}
