//! Why a command is refused, with the facts; and the one function that words it as a [`Problem`] with the way out.

use crate::task::OpenQuestion;
use crate::words::{ago, beyond, count, cut, left, line, some, span};
use contracts::command::Held;
use contracts::problem::FieldError;
use contracts::standing::HoldKind;
use contracts::{Actor, Call, Code, EventId, Hint, MilestoneId, Moment, Problem, TaskId, limits};

/// A fault of one entry of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The code it would have alone.
    pub code: Code,
    /// Where: `tasks[3].after[0]`.
    pub path: String,
    /// What is wrong.
    pub text: String,
}

/// A refusal and its facts. Nothing was written.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the facts of each refusal carry their own names")]
pub enum Rejection {
    /// A minted id exists: mint again. Never shown.
    IdTaken,
    /// No project here.
    NotInitialized,
    /// The request cannot be meant so.
    Malformed { path: String, text: String },
    /// `expect` or `fence` beside a command that is about no task.
    NoSubject { path: &'static str },
    /// Over a limit.
    TooLarge { path: String, text: String },
    /// What is wrong with a plan, at most 20.
    Plan(Vec<Fault>),
    /// A `dev:` actor on the surface for agents.
    AgentSurface,
    /// A person does this; the call they would make.
    PeopleOnly { what: String, call: Option<Call> },
    /// Neither holder nor assignee, and nobody is on it.
    NotYours { task: TaskId, command: &'static str },
    /// Fields that this actor may not change.
    Fields { task: TaskId, fields: Vec<String>, yours: Vec<String> },
    /// Nobody judges their own work.
    OwnSubmission { task: TaskId },
    /// Not this actor's to do.
    NotAllowed { text: String, hint: Hint },
    /// No such task.
    NoTask(TaskId),
    /// No such milestone.
    NoMilestone(MilestoneId),
    /// No such question, blocker, edge or conflict.
    Nothing { what: String, hint: Hint },
    /// The version moved on.
    Stale { task: TaskId, current: i64, read: i64 },
    /// An older fence.
    StaleFence { task: TaskId, current: i64, given: i64, holder: Option<Actor> },
    /// Done by somebody already.
    AlreadyDone { task: TaskId, by: Actor, at: Moment, now: Moment },
    /// The status does not allow it.
    Illegal { text: String, hint: Hint },
    /// Somebody is on it.
    LeaseHeld { task: TaskId, holder: Actor, until: Moment, late: Option<Moment>, now: Moment, elsewhere: bool, person: bool },
    /// The caller does not hold it, or somebody took it.
    LeaseLost { task: TaskId, taken: Option<(Actor, Moment)>, now: Moment },
    /// For somebody else.
    Assigned { task: TaskId, to: Actor },
    /// Held back.
    Held { task: TaskId, held: Held },
    /// It waits.
    Blocked { task: TaskId, on: Vec<(TaskId, Option<Actor>)>, children: Vec<TaskId>, blockers: Vec<String> },
    /// The caller holds as many as it may.
    AtLimit { holds: Vec<(TaskId, String)>, limit: i64 },
    /// A loop.
    Cycle { path: Vec<TaskId> },
    /// Subtasks, or tasks of a milestone, are open.
    ChildrenOpen { of: String, open: Vec<TaskId>, total: i64, hint: Hint },
    /// No counting commit.
    NoEvidence { task: TaskId, command: &'static str, branch: Option<String>, bound: usize },
    /// A note is missing or too short.
    NeedsReason { what: String, call: Call, agent: bool },
    /// Not passed.
    NeedsReview { task: TaskId, under_review: bool },
    /// An open question, or a conflict, that a person settles.
    GateClosed { task: TaskId, questions: Vec<OpenQuestion>, conflicts: usize },
    /// Criteria without an answer, by number.
    CriteriaOpen { of: String, numbers: Vec<u32>, hint: Hint },
}

fn on_task(name: &str, task: &TaskId) -> Call {
    Call::new(name).with("task", task.as_str())
}

impl Rejection {
    /// The refusal as every surface shows it.
    pub fn problem(&self) -> Problem {
        let (code, title, hint) = self.words();
        let problem = Problem::new(code, title).hint(hint);
        match self {
            Rejection::Malformed { path, text } | Rejection::TooLarge { path, text } => {
                problem.errors(vec![FieldError { path: path.clone(), text: text.clone() }])
            }
            Rejection::Plan(faults) => problem.errors(faults.iter().map(|fault| FieldError { path: fault.path.clone(), text: fault.text.clone() }).collect()),
            Rejection::GateClosed { questions, .. } => {
                problem.detail(questions.iter().map(|question| format!("{} asks: {}", question.by, cut(&question.text, 500))).collect::<Vec<_>>().join("\n"))
            }
            Rejection::Held { held, .. } if !held.note.trim().is_empty() => problem.detail(cut(&held.note, 500)),
            _ => problem,
        }
    }

    fn words(&self) -> (Code, String, Hint) {
        match self {
            Rejection::IdTaken => (Code::Busy, "an id was taken in the same moment".to_owned(), Hint::call(Call::new("retry"))),
            Rejection::NotInitialized => (Code::NotInitialized, "there is no project here yet".to_owned(), Hint::call(Call::new("init"))),
            Rejection::Malformed { path, text } => (Code::BadRequest, at_path(path, text), Hint::default()),
            Rejection::NoSubject { path } => (Code::BadRequest, at_path(path, "goes with a command about one task"), Hint::text(format!("leave {path} out"))),
            Rejection::TooLarge { path, text } => (Code::TooLarge, at_path(path, text), Hint::text("send it in parts")),
            Rejection::Plan(faults) => {
                let code = faults.first().map_or(Code::BadRequest, |fault| fault.code);
                let title = match faults.as_slice() {
                    [fault] => at_path(&fault.path, &fault.text),
                    faults => format!("the plan has {} problems, nothing was planned", faults.len()),
                };
                let hint =
                    "after and parent name a place in this call's tasks (counted from 0) or a task id; nothing was written, so send the whole plan again";
                (code, title, Hint::text(hint))
            }
            Rejection::AgentSurface => {
                let hint = Hint::text("pass an agent as the actor: agent:<dev>/<name>; people use the pages or the command line");
                (Code::Forbidden, "this is the surface of agents, people act elsewhere".to_owned(), hint)
            }
            Rejection::PeopleOnly { what, call } => {
                (Code::Forbidden, format!("a person does this: {what}"), Hint { text: "ask a person".to_owned(), calls: call.iter().cloned().collect() })
            }
            Rejection::NotYours { task, command } => {
                let title = format!("{command} of {task}: you neither hold it nor is it assigned to you");
                (Code::Forbidden, title, Hint { text: "claim it first".to_owned(), calls: vec![on_task("next", task)] })
            }
            Rejection::Fields { task, fields, yours } => {
                let title = format!("{task}: you may not change {}", some(fields, 20));
                let hint = match yours.as_slice() {
                    [] => "who holds it may change files, labels, complexity and answers to criteria; who created it its words until another claims it; a person everything".to_owned(),
                    yours => format!("you may change {}; a person may change the rest", some(yours, 20)),
                };
                (Code::Forbidden, title, Hint { text: hint, calls: vec![on_task("comment", task).with("text", "<what should change>")] })
            }
            Rejection::OwnSubmission { task } => {
                let hint = Hint { text: "somebody else judges it; to take it back".to_owned(), calls: vec![on_task("release", task).with("note", "<why>")] };
                (Code::Forbidden, format!("{task} was submitted by you, and nobody judges their own work"), hint)
            }
            Rejection::NotAllowed { text, hint } => (Code::Forbidden, text.clone(), hint.clone()),
            Rejection::NoTask(id) => (Code::NotFound, format!("there is no task {id}"), Hint::call(Call::new("search").with("query", "<words of its title>"))),
            Rejection::NoMilestone(id) => (Code::NotFound, format!("there is no milestone {id}"), Hint::text("a plan may name a milestone by its title")),
            Rejection::Nothing { what, hint } => (Code::NotFound, what.clone(), hint.clone()),
            Rejection::Stale { task, current, read } => {
                let hint = Hint { text: format!("read it again, then send expect={current}"), calls: vec![on_task("ask", task)] };
                (Code::Stale, format!("{task} is at version {current}, you read {read}"), hint)
            }
            Rejection::StaleFence { task, current, given, holder } => {
                let who = holder.as_ref().map(|holder| format!(", {holder} holds it")).unwrap_or_default();
                let hint = Hint { text: "stop working on it, nothing was changed".to_owned(), calls: vec![Call::new("next")] };
                (Code::StaleFence, format!("{task} is at fence {current}, you present {given}{who}"), hint)
            }
            Rejection::AlreadyDone { task, by, at, now } => {
                (Code::IllegalMove, format!("{task} was already done by {by} {}", ago(*at, *now)), Hint::call(Call::new("next")))
            }
            Rejection::Illegal { text, hint } => (Code::IllegalMove, text.clone(), hint.clone()),
            Rejection::LeaseHeld { task, holder, until, late, now, elsewhere, person } => {
                let place = if *elsewhere { " in another clone" } else { "" };
                let until = left(*until, *now) + &late.map(|free| format!(", free in {}", span(free.seconds_since(*now)))).unwrap_or_default();
                let tell = Call::new("message").with("to", holder.as_str()).with("task", task.as_str()).with("text", "<what you need>");
                let other = if *person { on_task("assign", task).with("to", "<actor>") } else { Call::new("next") };
                (Code::LeaseHeld, format!("{task} is held by {holder}{place}, {until}"), Hint { text: String::new(), calls: vec![tell, other] })
            }
            Rejection::LeaseLost { task, taken, now } => {
                let title = match taken {
                    Some((actor, at)) => format!("{task} is no longer yours: {actor} took it {}", ago(*at, *now)),
                    None => format!("you do not hold {task}"),
                };
                (Code::LeaseLost, title, Hint::call(on_task("next", task)))
            }
            Rejection::Assigned { task, to } => {
                let hint = Hint {
                    text: "take what is free, or a person assigns it to you".to_owned(),
                    calls: vec![Call::new("next"), on_task("assign", task).with("to", "<actor>")],
                };
                (Code::Assigned, format!("{task} is meant for {to}"), hint)
            }
            Rejection::Held { task, held } => {
                let title = match held.kind {
                    HoldKind::Person => format!("{task} is held by {}", held.by),
                    HoldKind::Plan => format!("{task} belongs to a plan that nobody approved yet"),
                };
                (Code::Held, title, Hint { text: "a person lifts the hold".to_owned(), calls: vec![on_task("unhold", task)] })
            }
            Rejection::Blocked { task, on, children, blockers } => {
                let tasks = on.iter().map(|(id, who)| who.as_ref().map_or_else(|| id.to_string(), |who| format!("{id} ({who} is on it)")));
                let children = children.iter().map(|id| format!("{id} (a subtask)"));
                let waits: Vec<String> = tasks.chain(children).chain(blockers.iter().map(|reason| line(reason, 200))).collect();
                let hint = Hint { text: "take what is free".to_owned(), calls: vec![Call::new("next")] };
                (Code::Blocked, format!("{task} waits for {}", some(&waits, 10)), hint)
            }
            Rejection::AtLimit { holds, limit } => {
                let ids: Vec<&TaskId> = holds.iter().map(|hold| &hold.0).collect();
                let calls = holds.first().map(|(id, _)| vec![on_task("next", id), on_task("release", id).with("note", "<what is done, what is left>")]);
                let hint = Hint { text: "finish or release what you hold".to_owned(), calls: calls.unwrap_or_default() };
                (Code::AtLimit, format!("you hold {} already, the most is {limit}", some(&ids, 10)), hint)
            }
            Rejection::Cycle { path } => {
                let path: Vec<String> = path.iter().map(ToString::to_string).collect();
                (
                    Code::Cycle,
                    format!("it would wait for itself: {}", path.join(" → ")),
                    Hint::text("leave out one of these edges, or unblock one that is there"),
                )
            }
            Rejection::ChildrenOpen { of, open, total, hint } => {
                let more = beyond(*total, open.len());
                let ids: Vec<String> = open.iter().map(ToString::to_string).collect();
                let title = format!("{of} has {} that {} open: {}{more}", count(*total, "task"), if *total == 1 { "is" } else { "are" }, ids.join(", "));
                (Code::ChildrenOpen, title, hint.clone())
            }
            Rejection::NoEvidence { task, command, branch, bound } => {
                let title = match bound {
                    0 => format!("{task} has no commit"),
                    _ => format!("{task} has no commit that counts (merges, empty and superseded ones do not)"),
                };
                let place = branch.as_ref().map_or_else(|| "commit your work".to_owned(), |branch| format!("commit on {branch}"));
                let elsewhere = format!("a commit elsewhere counts with the trailer Task: {task}, or after callboard bind SHA --task {task}");
                let call = on_task(command, task).with("no_code", true).with("note", "<what was done, and why without code>");
                (Code::NoEvidence, title, Hint { text: format!("{place}; {elsewhere}; or without code"), calls: vec![call] })
            }
            Rejection::NeedsReason { what, call, agent } => {
                let least = if *agent { format!(" of at least {} characters", limits::AGENT_NOTE_CHARS_MIN) } else { String::new() };
                (Code::NeedsReason, format!("{what} needs a note{least}"), Hint::call(call.clone()))
            }
            Rejection::NeedsReview { task, under_review } => {
                let (title, hint) = match under_review {
                    true => (
                        format!("{task} is under review and not passed yet"),
                        Hint { text: "a person passes it".to_owned(), calls: vec![on_task("review", task).with("verdict", "pass")] },
                    ),
                    false => {
                        let submit = on_task("submit", task).with("note", "<what was done>");
                        (format!("{task} needs a review"), Hint { text: "hand it in, a person passes it".to_owned(), calls: vec![submit] })
                    }
                };
                (Code::NeedsReview, title, hint)
            }
            Rejection::GateClosed { task, questions, conflicts } => {
                let title = match questions.first() {
                    Some(question) => format!("{task} waits for an answer to {}", question.by),
                    None => format!("{task} has {} that a person settles", count(*conflicts as i64, "conflict")),
                };
                let calls = questions.first().map(|question| Call::new("answer").with("question", question.id.as_str()).with("text", "<answer>"));
                (Code::GateClosed, title, Hint { text: "a person settles it".to_owned(), calls: calls.into_iter().collect() })
            }
            Rejection::CriteriaOpen { of, numbers, hint } => {
                (Code::CriteriaOpen, format!("{of}: criteria without an answer: {}", some(numbers, 40)), hint.clone())
            }
        }
    }

    /// The conflict that is not there.
    pub(crate) fn no_conflict(event: &EventId) -> Rejection {
        Rejection::Nothing { what: format!("there is no open conflict about event {event}"), hint: Hint::text("it may be settled already") }
    }
}

fn at_path(path: &str, text: &str) -> String {
    if path.is_empty() { text.to_owned() } else { format!("{path}: {text}") }
}

impl From<Rejection> for Problem {
    fn from(rejection: Rejection) -> Problem {
        rejection.problem()
    }
}
