//! What happened on the demonstration's board in its first two days, told through the port like anybody's commands.
//!
//! The clock is set back and moved from step to step, and ids come from a counter, so that the same story gives the same ids.

use super::{diff, git_failed, maker, unusable};
use crate::board::ServerPort;
use crate::boot::{self, BootOptions};
use contracts::{Actor, Caller, Code, Command, CommandRequest, Moment, Problem, Receipt, Surface};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// One thing that happened.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    /// Minutes before the present.
    ago: i64,
    /// Who.
    by: String,
    /// A command …
    #[serde(default, rename = "do")]
    command: Option<String>,
    #[serde(default)]
    args: Value,
    /// … the names its tasks and milestone have in this story …
    #[serde(default)]
    names: Vec<String>,
    #[serde(default)]
    milestone: Option<String>,
    /// … or a commit for a task: its author, message and files.
    #[serde(default)]
    commit: Option<String>,
    #[serde(default)]
    author: Option<(String, String)>,
    #[serde(default)]
    message: String,
    #[serde(default)]
    files: BTreeMap<String, String>,
}

fn steps() -> Result<Vec<Step>, Problem> {
    serde_json::from_str(include_str!("story.json")).map_err(|fault| broken(&fault.to_string()))
}

fn broken(why: &str) -> Problem {
    Problem::new(Code::Internal, format!("the demonstration's story is broken: {why}"))
}

/// Tells the story into the empty board of `place`.
pub async fn tell(place: git::Place, repository: &git::Repository, zone: &str) -> Result<(), Problem> {
    let now = boot::now();
    let clock = Arc::new(AtomicI64::new(now.0));
    let ticking = clock.clone();
    let drawn = AtomicU64::new(0);
    let options = BootOptions {
        clock: Some(Arc::new(move || Moment(ticking.load(Ordering::Relaxed)))),
        bits: Some(Arc::new(move || bits(drawn.fetch_add(1, Ordering::Relaxed)))),
        ..BootOptions::default()
    };
    let root = place.root.clone();
    let boot = boot::open(place, options).await?;
    let you = boot.identity.dev.to_string();
    let names = BTreeMap::from([("you".to_owned(), you), ("zone".to_owned(), zone.to_owned())]);
    let mut teller = Teller { port: boot.port.clone(), root, repository, names };
    let mut told = Ok(());
    for step in steps()? {
        clock.store(now.0 - step.ago * 60_000, Ordering::Relaxed);
        told = teller.step(step, now).await;
        if told.is_err() {
            break;
        }
    }
    told
}

struct Teller<'a> {
    port: ServerPort,
    root: std::path::PathBuf,
    repository: &'a git::Repository,
    /// What stands for `$name` in arguments.
    names: BTreeMap<String, String>,
}

impl Teller<'_> {
    async fn step(&mut self, step: Step, now: Moment) -> Result<(), Problem> {
        let actor = Actor::parse(&step.by).map_err(|fault| broken(&fault))?;
        if let Some(task) = &step.commit {
            let args = self.commit(&step, task, now)?;
            return self.does(actor, "bind", args).await.map(drop);
        }
        let command = step.command.as_deref().ok_or_else(|| broken("a step does nothing"))?;
        let receipt = self.does(actor, command, self.filled(step.args)).await?;
        let ids = receipt.data.get("tasks").and_then(Value::as_array).cloned().unwrap_or_default();
        for (name, task) in step.names.into_iter().zip(ids) {
            self.names.insert(name, task["id"].as_str().unwrap_or_default().to_owned());
        }
        if let (Some(name), Some(id)) = (step.milestone, receipt.data.get("milestone").and_then(Value::as_str)) {
            self.names.insert(name, id.to_owned());
        }
        Ok(())
    }

    async fn does(&self, actor: Actor, command: &str, args: Value) -> Result<Receipt, Problem> {
        let surface = if actor.is_dev() { Surface::Web } else { Surface::Mcp };
        let caller = Caller { actor, principal: format!("local:{}", maker().name()), surface, session: None, client: None };
        let request = CommandRequest::of(Command::parse(command, args)?);
        self.port.for_caller(caller).execute(request).await.map_err(|problem| broken(&format!("{command}: {problem}")))
    }

    /// Makes the commit, and gives the facts that bind it to its task.
    fn commit(&self, step: &Step, task: &str, now: Moment) -> Result<Value, Problem> {
        let id = self.names.get(task).ok_or_else(|| broken(task))?;
        let (name, email) = step.author.as_ref().ok_or_else(|| broken("a commit has no author"))?;
        let at = Moment(now.0 - step.ago * 60_000);
        let mut files: Vec<(String, Option<u32>, Option<u32>)> = Vec::new();
        let mut paths = Vec::new();
        for (path, text) in &step.files {
            let full = self.root.join(path);
            let old = fs::read_to_string(&full).unwrap_or_default();
            if let Some(folder) = full.parent() {
                fs::create_dir_all(folder).map_err(|fault| unusable(&fault))?;
            }
            fs::write(&full, text).map_err(|fault| unusable(&fault))?;
            let (added, deleted) = diff::changed(&old, text);
            files.push((path.clone(), Some(added), Some(deleted)));
            paths.push(Path::new(path));
        }
        let parent = self.repository.head().map_err(|fault| git_failed(&fault))?;
        self.repository.add(&paths).map_err(|fault| git_failed(&fault))?;
        let message = format!("{}\n\nTask: {id}\n", step.message);
        let sha = self.repository.commit(&message, (name, email), &at.to_string()).map_err(|fault| git_failed(&fault))?;
        let added: u32 = files.iter().filter_map(|file| file.1).sum();
        let deleted: u32 = files.iter().filter_map(|file| file.2).sum();
        Ok(json!({
            "task": id, "sha": sha, "subject": step.message, "how": "trailer", "files": files, "added": added, "deleted": deleted,
            "author": format!("{name} <{email}>"), "authored_at": at, "committed_at": at, "parents": parent.into_iter().collect::<Vec<_>>(), "branch": "main",
        }))
    }

    /// The arguments with every `$name` replaced.
    fn filled(&self, value: Value) -> Value {
        match value {
            Value::String(text) if text.contains('$') => {
                // Longer names first: `$surge` is no `$su`.
                let mut names: Vec<_> = self.names.iter().collect();
                names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
                Value::String(names.into_iter().fold(text, |text, (name, stands_for)| text.replace(&format!("${name}"), stands_for)))
            }
            Value::Array(items) => items.into_iter().map(|item| self.filled(item)).collect(),
            Value::Object(members) => members.into_iter().map(|(key, member)| (key, self.filled(member))).collect(),
            other => other,
        }
    }
}

/// The n-th draw: well mixed, and always the same.
fn bits(draw: u64) -> u128 {
    let mixed = |seed: u64| {
        let mut word = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    };
    (u128::from(mixed(draw.wrapping_mul(2))) << 64) | u128::from(mixed(draw.wrapping_mul(2) + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_story_is_well_formed_and_told_in_order() {
        let steps = steps().unwrap();
        assert!(steps.windows(2).all(|pair| pair[0].ago >= pair[1].ago), "time runs forward");
        let tasks: usize = steps.iter().map(|step| step.args["tasks"].as_array().map_or(0, Vec::len)).sum();
        assert_eq!((tasks, steps.iter().filter(|step| step.commit.is_some()).count()), (26, 4));
        for step in &steps {
            assert!(Actor::parse(&step.by).is_ok(), "{}", step.by);
            assert!(step.command.as_deref().is_none_or(|command| Command::NAMES.contains(&command)), "{:?}", step.command);
            if step.command.as_deref() == Some("plan") {
                assert_eq!(step.names.len(), step.args["tasks"].as_array().unwrap().len(), "every task has its name");
            }
        }
    }

    #[test]
    fn draws_do_not_repeat() {
        let ids: BTreeSet<String> = (0..500).map(|draw| contracts::TaskId::from_bits(bits(draw)).to_string()).collect();
        assert_eq!(ids.len(), 500);
    }
}
