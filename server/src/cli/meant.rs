//! Names that people shorten: the first digits of a task's id, and a milestone's title where its id is taken.
//!
//! Invariant: nothing is guessed. A short name counts when it fits exactly one, and is refused with the candidates when it fits several. A
//! line whose names are whole costs nothing for this.

use super::refusal;
use super::words;
use crate::boot::{self, BootOptions};
use clap::error::{ContextKind, ContextValue};
use contracts::view::{MilestoneView, TaskCard, TaskQuery};
use contracts::{Board, Caller, Code, Hint, Problem, Surface};
use std::path::PathBuf;

/// Candidates that are named.
const NAMED_MAX: usize = 10;
/// Fewest digits that stand for an id without its `tk-`: shorter ones are words.
const BARE_DIGITS_MIN: usize = 3;

/// A name that a line gave where an id is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Short {
    /// The beginning of a task's id, whole but for its end.
    Task(String),
    /// A milestone's title, or the beginning of its id.
    Milestone(String),
}

impl Short {
    /// What a fault of the parser is about, if it is one of these.
    fn of(fault: &clap::Error) -> Option<Short> {
        let Some(ContextValue::String(raw)) = fault.get(ContextKind::InvalidValue) else { return None };
        let said = fault.to_string();
        if said.contains(words::TASK_FORM) {
            let digits = raw.to_ascii_lowercase();
            let bare = digits.strip_prefix("tk-");
            let enough = bare.map_or(digits.len() >= BARE_DIGITS_MIN, |bare| !bare.is_empty());
            let digits = bare.unwrap_or(&digits).to_owned();
            let hex = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
            return (hex && enough).then(|| Short::Task(format!("tk-{digits}")));
        }
        said.contains(words::MILESTONE_FORM).then(|| Short::Milestone(raw.trim().to_owned())).filter(|short| *short != Short::Milestone(String::new()))
    }
}

/// Finds what a fault's short name stands for and notes it, so that the line can be read again; false when the fault is about something
/// else, or nothing has such a name.
///
/// # Errors
/// `bad_request` with the candidates when there are several, and as opening a board refuses.
pub fn learn(fault: &clap::Error, line: &[String]) -> Result<bool, Problem> {
    let (Some(short), Some(ContextValue::String(raw))) = (Short::of(fault), fault.get(ContextKind::InvalidValue)) else { return Ok(false) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|fault| Problem::new(Code::Internal, format!("no runtime: {fault}")))?;
    let id = runtime.block_on(find(&short, project(line)));
    runtime.shutdown_background();
    let Some(id) = id? else { return Ok(false) };
    Ok(words::note(raw, &id))
}

/// Where the line says that the board is.
fn project(line: &[String]) -> Option<PathBuf> {
    let after = line.iter().skip_while(|word| *word != "--project").nth(1);
    after.map(PathBuf::from).or_else(|| line.iter().find_map(|word| word.strip_prefix("--project=")).map(PathBuf::from))
}

async fn find(short: &Short, project: Option<PathBuf>) -> Result<Option<String>, Problem> {
    let boot = boot::boot(BootOptions { project, ..BootOptions::default() }).await?;
    let Ok(actor) = super::who::acts(None, super::who::variable().as_deref(), &boot.identity.dev) else { return Ok(None) };
    let caller = Caller { actor, principal: boot.identity.principal.clone(), surface: Surface::Cli, session: None, client: None };
    let board = boot.port.for_caller(caller);
    match short {
        Short::Task(start) => {
            let found = tasks(board.as_ref(), start).await?;
            let rows = found.iter().map(|card| format!("{} {}", card.id, card.title)).collect();
            one(start, "tasks", rows, found.first().map(|card| format!("callboard tasks show {}", card.id)))
        }
        Short::Milestone(name) => {
            let found = milestones(board.milestones().await?, name);
            let rows = found.iter().map(|milestone| format!("{} {}", milestone.id, milestone.title)).collect();
            one(name, "milestones", rows, found.first().map(|milestone| format!("callboard milestone show {}", milestone.id)))
        }
    }
}

/// The tasks whose ids begin so.
async fn tasks(board: &dyn Board, start: &str) -> Result<Vec<TaskCard>, Problem> {
    let (mut found, mut cursor) = (Vec::new(), None);
    loop {
        let page = board.tasks(TaskQuery { q: start.to_owned(), all: true, cursor, ..TaskQuery::default() }).await?;
        found.extend(page.items.into_iter().filter(|card| card.id.as_str().starts_with(start)));
        cursor = page.next;
        if cursor.is_none() || found.len() > NAMED_MAX {
            return Ok(found);
        }
    }
}

/// The milestones of this title, the open ones if there are any; else those whose ids begin so.
fn milestones(all: Vec<MilestoneView>, name: &str) -> Vec<MilestoneView> {
    let titled = |milestone: &&MilestoneView| milestone.title.to_lowercase() == name.to_lowercase();
    let of_title: Vec<MilestoneView> = all.iter().filter(titled).cloned().collect();
    let open: Vec<MilestoneView> = of_title.iter().filter(|milestone| milestone.status == contracts::Status::Open).cloned().collect();
    let lower = name.to_ascii_lowercase();
    let of_id = || all.iter().filter(|milestone| lower.len() > "ms-".len() && milestone.id.as_str().starts_with(&lower)).cloned().collect();
    match (open.is_empty(), of_title.is_empty()) {
        (false, _) => open,
        (true, false) => of_title,
        (true, true) => of_id(),
    }
}

/// The id of the only row, which begins with it.
fn one(name: &str, kind: &str, rows: Vec<String>, first: Option<String>) -> Result<Option<String>, Problem> {
    match rows.as_slice() {
        [] => Ok(None),
        [only] => Ok(only.split(' ').next().map(str::to_owned)),
        many => {
            let mut named: Vec<&str> = many.iter().take(NAMED_MAX).map(String::as_str).collect();
            if many.len() > NAMED_MAX {
                named.push("and more");
            }
            let problem = Problem::bad_request("", format!("several {kind} are called {name}")).detail(named.join("\n"));
            Err(problem.hint(Hint::text(refusal::with_more(&first.unwrap_or_default()))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_be_an_id_is_looked_for() {
        let short = |line: &[&str]| Short::of(&<super::super::Line as clap::Parser>::try_parse_from(line).unwrap_err());
        assert_eq!(short(&["callboard", "tasks", "show", "tk-4"]), Some(Short::Task("tk-4".to_owned())));
        assert_eq!(short(&["callboard", "tasks", "show", "TK-4F2"]), Some(Short::Task("tk-4f2".to_owned())));
        assert_eq!(short(&["callboard", "tasks", "show", "4f2"]), Some(Short::Task("tk-4f2".to_owned())));
        assert_eq!(short(&["callboard", "tasks", "--milestone", "Season 1"]), Some(Short::Milestone("Season 1".to_owned())));
        for line in [&["callboard", "tasks", "show", "4f"][..], &["callboard", "tasks", "show", "tk-"], &["callboard", "tasks", "show", "buoys"]] {
            assert_eq!(short(line), None, "{line:?}");
        }
        assert_eq!(short(&["callboard", "tasks", "--standing", "4f2"]), None);
    }
}
