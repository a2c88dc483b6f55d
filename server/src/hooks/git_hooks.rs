//! The six hooks of git. Each does its one thing, and whatever goes wrong, git goes on.

use super::commit::{self, Here, Intent};
use super::{Said, given};
use crate::boot::{self, Boot};
use crate::evidence::{self, TRAILER};
use crate::{init, pending};
use contracts::command::{BoundHow, Supersede, SupersedeWhy};
use contracts::fleet::Branch;
use contracts::{Actor, Code, Command, CommandRequest, Key, Problem, TaskId};
use git::InProgress;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a locked database is waited for; then what was to be written is queued.
const BOARD_WAIT: Duration = Duration::from_secs(2);
/// Rewritten commits looked at in one go.
const REWRITES_MAX: usize = 200;

/// Runs one of them.
pub async fn run(project: Option<PathBuf>, name: &str, args: &[String]) -> Said {
    let here = match Here::find(project.as_deref()) {
        Ok(Some(here)) => here,
        Ok(None) => return Said::default(),
        Err(line) => return Said::line(line),
    };
    let arg = |place: usize| args.get(place).map(String::as_str);
    match name {
        "prepare-commit-msg" => match arg(0) {
            Some(message) => prepare(&here, Path::new(message), arg(1)).await,
            None => Said::default(),
        },
        "commit-msg" => match arg(0) {
            Some(message) => edited(&here, Path::new(message)).await,
            None => Said::default(),
        },
        "post-commit" => committed(&here).await,
        "post-rewrite" => rewritten(&here, arg(0)).await,
        "post-checkout" if arg(2) == Some("1") => switched(&here).await,
        "post-merge" => looked(&here).await,
        _ => Said::default(),
    }
}

/// The board, unless it can't be had in time.
async fn board(here: &Here) -> Option<Boot> {
    tokio::time::timeout(BOARD_WAIT, here.open()).await.ok()?.ok()
}

/// Commits that git makes by itself keep the messages they have.
fn by_itself(here: &Here) -> bool {
    matches!(here.repository.in_progress(), Some(InProgress::Rebase | InProgress::Am | InProgress::CherryPick))
}

/// The tasks that a message's own trailers name.
fn named_in(here: &Here, message: &str) -> Vec<TaskId> {
    let trailers = here.repository.trailers_of(message).unwrap_or_default();
    let values: Vec<String> = trailers.into_iter().filter(|trailer| trailer.key.eq_ignore_ascii_case(TRAILER)).map(|trailer| trailer.value).collect();
    evidence::tasks_of(&values)
}

fn message(here: &Here, path: &Path) -> Option<String> {
    let bytes = fs::read(here.worktree.join(path)).ok()?;
    here.repository.without_comments(&String::from_utf8_lossy(&bytes)).ok()
}

/// `prepare-commit-msg`: the guard, and the trailer where the message is there already.
async fn prepare(here: &Here, path: &Path, source: Option<&str>) -> Said {
    if source == Some("merge") || by_itself(here) {
        return Said::default();
    }
    let Some(text) = message(here, path) else { return Said::default() };
    let named = named_in(here, &text);
    let boot = board(here).await;
    let (task, refusal) = match &boot {
        Some(boot) => {
            let asked: Vec<TaskId> = named.iter().cloned().chain(here.named()).collect();
            match boot.port.hooked(&asked).await {
                Ok(mut seen) => {
                    let task = here.task(&boot.port, &seen).await;
                    let tasks: Vec<TaskId> = if named.is_empty() { task.iter().cloned().collect() } else { named.clone() };
                    if tasks.iter().any(|task| seen.task(task).is_none())
                        && let Ok(more) = boot.port.hooked(&tasks).await
                    {
                        seen = more; // an intent named one more
                    }
                    (task, here.guard(&seen, &tasks))
                }
                Err(_) => (here.named(), None),
            }
        }
        None => (here.named(), None),
    };
    if let Some(refusal) = refusal {
        return Said { stop: true, ..Said::line(refusal) };
    }
    let open = matches!(source, Some("message" | "commit"));
    if named.is_empty() && open { add(here, path, task) } else { Said::default() }
}

/// `commit-msg`: the trailer where an editor was open. An empty message stays empty, so that git gives up as it would without us.
async fn edited(here: &Here, path: &Path) -> Said {
    if by_itself(here) || here.repository.in_progress() == Some(InProgress::Merge) {
        return Said::default();
    }
    let Some(text) = message(here, path) else { return Said::default() };
    if text.trim().is_empty() || !named_in(here, &text).is_empty() {
        return Said::default();
    }
    let task = match board(here).await {
        Some(boot) => match boot.port.hooked(&[]).await {
            Ok(seen) => here.task(&boot.port, &seen).await,
            Err(_) => here.named(),
        },
        None => here.named(),
    };
    add(here, path, task)
}

fn add(here: &Here, path: &Path, task: Option<TaskId>) -> Said {
    let Some(task) = task else { return Said::default() };
    match here.repository.add_trailer(path, TRAILER, task.as_str()) {
        Ok(()) => Said::default(),
        Err(fault) => Said::line(format!("the trailer Task: {task} could not be added: {fault}")),
    }
}

/// `post-commit`: the new commit is bound. One that names no task is left alone, and who holds a task here is told so.
async fn committed(here: &Here) -> Said {
    if here.repository.in_progress() == Some(InProgress::Rebase) {
        return Said::default();
    }
    let Ok(facts) = here.repository.commit_facts("HEAD", TRAILER) else { return Said::default() };
    let boot = board(here).await;
    let intent = match &boot {
        Some(boot) => Intent::read(&boot.port, &here.worktree).await.ok().flatten(),
        None => None,
    };
    let (tasks, how) = commit::tasks(&facts.trailers, facts.branch.as_deref(), intent.as_ref());
    if let (true, Some(boot)) = (tasks.is_empty(), &boot) {
        let Ok(seen) = boot.port.hooked(&[]).await else { return Said::default() };
        return here.unnamed(&seen, &boot.identity.dev).map_or_else(Said::default, Said::line);
    }
    let commands = tasks.iter().map(|task| Command::Bind(evidence::bind(&facts, task, how))).collect();
    write(here, boot.as_ref(), intent.as_ref(), commands).await
}

/// `post-rewrite`: the new commits count, and the old ones do not.
async fn rewritten(here: &Here, what: Option<&str>) -> Said {
    let why = if what == Some("amend") { SupersedeWhy::Amend } else { SupersedeWhy::Rebase };
    let text = String::from_utf8(given().unwrap_or_default()).unwrap_or_default();
    let pairs: Vec<(&str, &str)> = text.lines().filter_map(|line| line.split_once(' ')).take(REWRITES_MAX).collect();
    let boot = board(here).await;
    let intent = match &boot {
        Some(boot) => Intent::read(&boot.port, &here.worktree).await.ok().flatten(),
        None => None,
    };
    let mut commands = Vec::new();
    let mut facts = BTreeMap::new();
    for (old, rest) in pairs {
        let new = rest.split(' ').next().unwrap_or(rest);
        if old == new {
            continue;
        }
        if !facts.contains_key(new) {
            let Ok(found) = here.repository.commit_facts(new, TRAILER) else { continue };
            facts.insert(new, found);
        }
        let Some(found) = facts.get(new) else { continue };
        let (mut tasks, mut how) = commit::tasks(&found.trailers, found.branch.as_deref(), None);
        let before = match &boot {
            Some(boot) => boot.port.tasks_of_commit(old).await.unwrap_or_default(),
            None => tasks.clone(),
        };
        if tasks.is_empty() {
            (tasks, how) = (before.clone(), BoundHow::Manual);
        }
        commands.extend(tasks.iter().map(|task| Command::Bind(evidence::bind(found, task, how))));
        commands.extend(before.into_iter().map(|task| {
            let new = tasks.contains(&task).then(|| new.to_owned());
            Command::Supersede(Supersede { task, old: old.to_owned(), new, why: Some(why) })
        }));
    }
    write(here, boot.as_ref(), intent.as_ref(), commands).await
}

/// `post-checkout` of a branch: a task's branch that was not seen before is its branch, the holder's lease learns where its work is done, a
/// worktree made for a task gets the client's hooks, and the log that came is read in.
async fn switched(here: &Here) -> Said {
    let Some(boot) = board(here).await else { return Said::default() }; // opening reads the log in
    let root = &here.place.root;
    if here.stand().linked
        && here.stand().named().is_some()
        && init::client_hooks_are_there(root)
        && let Some(binary) = init::settings::binary()
        && let Err(problem) = init::trees::connect_one(&here.worktree, &binary)
    {
        tracing::debug!(code = %problem.code, "the client's hooks are not in this worktree");
    }
    look_at_tips(&boot).await;
    let Some((branch, task)) = here.branch.as_deref().and_then(|branch| Some((branch, evidence::task_in(branch)?))) else { return Said::default() };
    let who = here.acting.clone().unwrap_or_else(|| boot.identity.dev.clone());
    let seen = boot.port.hooked(std::slice::from_ref(&task)).await;
    if seen.is_ok_and(|seen| seen.task(&task).is_some_and(|task| task.branch.is_none())) {
        let first = Branch { task: task.clone(), branch: Some(branch.to_owned()), base: None };
        let writing = boot.port.for_caller(commit::caller(who.clone(), &boot.identity.principal));
        // Whoever needs the branch next names it, if this could not.
        drop(tokio::time::timeout(BOARD_WAIT, writing.execute(CommandRequest::of(Command::Branch(first)))).await);
    }
    let noted = boot.port.note_place(&task, &who, &here.worktree.to_string_lossy(), branch).await;
    drop(noted); // a place that could not be noted is none
    boot.port.shutdown().await;
    Said::default()
}

/// `post-merge`: the log that came is read in, and what else the fetch before it brought.
async fn looked(here: &Here) -> Said {
    if let Some(boot) = board(here).await {
        look_at_tips(&boot).await;
        boot.port.shutdown().await;
    }
    Said::default()
}

/// Reads what other branches were fetched with. The next look finds what this one had no time for.
async fn look_at_tips(boot: &Boot) {
    match tokio::time::timeout(BOARD_WAIT, boot.port.look_at_tips()).await {
        Ok(Ok(_)) => {}
        Ok(Err(problem)) => tracing::debug!(code = %problem.code, "other branches were not read"),
        Err(_) => tracing::debug!("other branches took too long to read"),
    }
}

/// Hands commands to the board, or queues them.
async fn write(here: &Here, boot: Option<&Boot>, intent: Option<&Intent>, commands: Vec<Command>) -> Said {
    let mut trouble = None;
    for command in commands {
        let request = CommandRequest::of(command);
        let Some(task) = pending::task_of(&request.command) else { continue };
        let outcome = match boot {
            Some(boot) => {
                let seen = boot.port.hooked(std::slice::from_ref(task)).await;
                let actor = seen.as_ref().map_or_else(|_| boot.identity.dev.clone(), |seen| here.author(seen, intent, task, &boot.identity.dev));
                let writing = boot.port.for_caller(commit::caller(actor.clone(), &boot.identity.principal));
                let outcome = tokio::time::timeout(BOARD_WAIT, writing.execute(request.clone())).await;
                outcome
                    .unwrap_or_else(|_| Err(Problem::new(Code::Busy, "the board is locked")))
                    .map(drop)
                    .map_err(|problem| (problem, actor, boot.identity.principal.clone()))
            }
            None => {
                let identity = boot::identity(Some(&here.repository));
                let actor = here.acting.clone().unwrap_or_else(|| identity.dev.clone());
                Err((Problem::new(Code::Busy, "the board is locked"), actor, identity.principal))
            }
        };
        if let Err((problem, actor, principal)) = outcome {
            trouble = queue(here, &problem, &actor, &principal, &request).or(trouble);
        }
    }
    trouble.map_or_else(Said::default, Said::line)
}

/// What can be written later is queued; anything else is said.
fn queue(here: &Here, problem: &Problem, actor: &Actor, principal: &str, request: &CommandRequest) -> Option<String> {
    if !matches!(problem.code, Code::Busy | Code::NotFound | Code::Unreachable | Code::Internal) {
        return Some(format!("the commit was not recorded: {}", problem.title));
    }
    match pending::add(&here.place.directory(), actor, principal, &keyed(&request.command), boot::now()) {
        Ok(()) => None,
        Err(fault) => Some(format!("the commit was not recorded ({}), and could not be queued: {}", problem.title, fault.kind())),
    }
}

/// A queued fact has a key, so that handing it over twice does nothing twice.
fn keyed(command: &Command) -> CommandRequest {
    let key = match command {
        Command::Bind(bind) => format!("bind:{}:{}", bind.task, bind.sha),
        Command::Supersede(supersede) => format!("gone:{}:{}", supersede.task, supersede.old),
        _ => String::new(),
    };
    CommandRequest { key: Key::parse(&key).ok(), ..CommandRequest::of(command.clone()) }
}
