//! Work given back, handed in, judged, closed, cancelled, held, assigned; things said; edges; commits.

use super::claim::take_back;
use super::{about, draft, drop_lease, note, tell, warn};
use crate::case::{Case, Right};
use crate::event::{Kind, PROJECT};
use crate::facts::{Decision, TaskFacts};
use crate::rejection::Rejection;
use crate::standing::{counting, passed};
use crate::words::{count, line, some};
use contracts::command::{AnswerQuestion, Assign, Bind, Block, Cancel, Close, Comment, Hold, Message, Question, Release, Review, Submit, Supersede};
use contracts::standing::{Status, Verdict, Via};
use contracts::{Actor, TaskId, limits};
use serde_json::json;

fn shas(of: &TaskFacts) -> Vec<String> {
    counting(&of.task).into_iter().map(|commit| commit.sha.clone()).collect()
}

/// Who is on it, other than the caller.
fn other_holder(case: &Case, of: &TaskFacts) -> Option<Actor> {
    case.running(of).map(|lease| lease.actor.clone()).filter(|holder| holder != case.caller())
}

/// The lease ends with the command; another holder is told, and the receipt says so.
pub(super) fn end_lease(case: &Case, of: &TaskFacts, decision: &mut Decision) {
    if of.lease.is_some() {
        drop_lease(decision, &of.task.id);
    }
    if let Some(holder) = other_holder(case, of) {
        warn(decision, "displaced", format!("{holder} held {} and is told", of.task.id));
    }
}

pub(super) fn release(case: &Case, release: &Release) -> Result<Decision, Rejection> {
    let of = case.task(&release.task)?;
    let told = case.told(&release.mentions, release.note.as_str());
    let claimed = of.task.claim.as_ref().map(|claim| claim.actor.clone());
    let lost = case.lost_double_claim(of);
    let holder = match lost {
        true => Some(case.caller().clone()),
        false => of.lease.as_ref().map(|lease| lease.actor.clone()).or(claimed).or_else(|| of.task.assignee.clone()),
    };
    let value = json!({"reason": "asked", "note": release.note, "holder": holder, "commits": shas(of), "mentions": told});
    let mut decision = about(&release.task, Kind::TaskReleased, value);
    if !lost {
        end_lease(case, of, &mut decision);
    }
    if crate::standing::under_review(&of.task) {
        warn(&mut decision, "withdrawn", format!("the submission of {} is withdrawn", release.task));
    }
    tell(&mut decision, &told);
    Ok(decision)
}

pub(super) fn submit(case: &Case, submit: &Submit) -> Result<Decision, Rejection> {
    let of = case.task(&submit.task)?;
    let told = case.told(&submit.mentions, submit.note.as_str());
    let mut decision = Decision { subject: submit.task.to_string(), ..Decision::default() };
    if case.right(of, "submit")? == Right::Lapsed {
        take_back(case, of, &mut decision);
    }
    let value = json!({"note": submit.note, "commits": shas(of), "no_code": submit.no_code, "mentions": told});
    decision.events.push(draft(Kind::TaskSubmitted, submit.task.as_str(), value));
    end_lease(case, of, &mut decision);
    tell(&mut decision, &told);
    Ok(decision)
}

pub(super) fn review(case: &Case, review: &Review) -> Result<Decision, Rejection> {
    let of = case.task(&review.task)?;
    let submission = of.task.submission.as_ref();
    let told = case.told(&review.mentions, review.note.as_str());
    let value = json!({"submission": submission.map(|submission| &submission.event), "verdict": review.verdict, "note": review.note, "mentions": told});
    let mut decision = about(&review.task, Kind::TaskReviewed, value);
    if review.verdict == Verdict::Pass {
        let missing = case.missing(of);
        if missing.is_empty() {
            let no_code = submission.is_some_and(|submission| submission.no_code);
            let closing = submission.map(|submission| submission.note.clone()).unwrap_or_default();
            let value = json!({"note": closing, "commits": shas(of), "no_code": no_code, "by_review": true});
            decision.events.push(draft(Kind::TaskClosed, review.task.as_str(), value));
            end_lease(case, of, &mut decision);
            open_dependency(of, &mut decision);
        } else {
            warn(&mut decision, "not_closed", format!("passed, but {} is not closed yet: {}", review.task, missing.join("; ")));
        }
    }
    tell(&mut decision, &told);
    Ok(decision)
}

fn open_dependency(of: &TaskFacts, decision: &mut Decision) {
    let open: Vec<TaskId> = of.waits_on.iter().filter(|on| on.is_open()).map(|on| on.id.clone()).collect();
    if !open.is_empty() {
        let text = format!("{} was closed while it still waited for {}; the edge was probably wrong", of.task.id, some(&open, 10));
        warn(decision, "open_dependency", text);
    }
}

pub(super) fn close(case: &Case, close: &Close) -> Result<Decision, Rejection> {
    let of = case.task(&close.task)?;
    let told = case.told(&close.mentions, close.note.as_str());
    let mut decision = Decision { subject: close.task.to_string(), ..Decision::default() };
    if case.right(of, "close")? == Right::Lapsed {
        take_back(case, of, &mut decision);
    }
    let value = json!({
        "note": close.note, "commits": shas(of), "no_code": close.no_code, "criteria": close.criteria, "unpushed": close.unpushed, "mentions": told,
        "by_review": passed(&of.task),
    });
    decision.events.push(draft(Kind::TaskClosed, close.task.as_str(), value));
    end_lease(case, of, &mut decision);
    open_dependency(of, &mut decision);
    if let Some(unpushed) = close.unpushed.filter(|unpushed| *unpushed > 0) {
        warn(&mut decision, "unpushed", format!("{} not pushed yet", count(i64::from(unpushed), "commit")));
    }
    tell(&mut decision, &told);
    Ok(decision)
}

pub(super) fn cancel(case: &Case, cancel: &Cancel) -> Result<Decision, Rejection> {
    let of = case.task(&cancel.task)?;
    let children = if cancel.with_children { case.descendants(std::slice::from_ref(&cancel.task)) } else { Vec::new() };
    let ids: Vec<TaskId> = children.iter().map(|child| child.task.id.clone()).collect();
    let mut decision = about(&cancel.task, Kind::TaskCancelled, json!({"note": cancel.note, "with": ids}));
    end_lease(case, of, &mut decision);
    for child in children {
        decision.events.push(draft(Kind::TaskCancelled, child.task.id.as_str(), json!({"note": cancel.note})));
        end_lease(case, child, &mut decision);
    }
    if !ids.is_empty() {
        warn(&mut decision, "with_children", format!("cancelled with it: {}", some(&ids, 20)));
    }
    let waiting: Vec<TaskId> = of.blocking.iter().filter(|task| task.status == Some(Status::Open)).map(|task| task.id.clone()).collect();
    if !waiting.is_empty() {
        warn(&mut decision, "never_delivered", format!("{} waited for it and will never get it: {}", count(waiting.len() as i64, "task"), some(&waiting, 10)));
    }
    Ok(decision)
}

pub(super) fn hold(case: &Case, hold: &Hold) -> Result<Decision, Rejection> {
    let of = case.task(&hold.task)?;
    let mut decision = about(&hold.task, Kind::TaskHeld, json!({"kind": "person", "note": hold.note}));
    if let Some(holder) = other_holder(case, of) {
        warn(&mut decision, "still_working", format!("{holder} keeps it and is told; nobody else gets it"));
    }
    Ok(decision)
}

pub(super) fn assign(case: &Case, assign: &Assign) -> Result<Decision, Rejection> {
    let of = case.task(&assign.task)?;
    let (task, from, to) = (&of.task, &of.task.assignee, &assign.to);
    let mut decision = Decision { subject: assign.task.to_string(), ..Decision::default() };
    let holder = of.lease.as_ref().map(|lease| lease.actor.clone()).or_else(|| task.claim.as_ref().map(|claim| claim.actor.clone()));
    if let Some(holder) = holder.filter(|holder| to.as_ref().is_some_and(|to| to != holder)) {
        let value = json!({"reason": "displaced", "note": assign.note, "holder": holder, "commits": shas(of)});
        decision.events.push(draft(Kind::TaskReleased, assign.task.as_str(), value));
        end_lease(case, of, &mut decision);
    }
    if from != to {
        decision.events.push(draft(Kind::TaskAssigned, assign.task.as_str(), json!({"to": to, "from": from, "note": assign.note})));
    }
    Ok(decision)
}

/// Who holds a task works by what people say of it, so a person's comment that names nobody is for its holder.
pub(super) fn comment(case: &Case, comment: &Comment) -> Result<Decision, Rejection> {
    let of = case.task(&comment.task)?;
    let mut told = case.told(&comment.mentions, comment.text.as_str());
    let unknown = if told.is_empty() { case.unknown(comment.text.as_str()) } else { Vec::new() };
    if told.is_empty() && case.is_person() {
        told.extend(case.running(of).map(|lease| lease.actor.clone()).filter(|holder| holder != case.caller()));
    }
    let value = json!({"text": comment.text, "mentions": told, "reply_to": comment.reply_to});
    let mut decision = about(&comment.task, Kind::TaskCommented, value);
    tell(&mut decision, &told);
    match unknown.as_slice() {
        [] => {}
        [one] => warn(&mut decision, "not_told", format!("{one} has not acted here and is told nothing")),
        several => warn(&mut decision, "not_told", format!("{} have not acted here and are told nothing", some(several, 5))),
    }
    Ok(decision)
}

pub(super) fn question(case: &Case, question: &Question) -> Result<Decision, Rejection> {
    let id = case.ctx.minted.question.as_ref().ok_or(Rejection::IdTaken)?;
    let mut decision = about(&question.task, Kind::TaskAsked, json!({"question": id, "text": question.text, "choices": question.choices}));
    decision.data = json!({"question": id});
    Ok(decision)
}

pub(super) fn answer(case: &Case, answer: &AnswerQuestion) -> Result<Decision, Rejection> {
    let (of, question) = case
        .asked(answer)
        .ok_or_else(|| Rejection::Nothing { what: format!("there is no open question {}", answer.question), hint: contracts::Hint::default() })?;
    let mut decision = about(&of.task.id, Kind::TaskAnswered, json!({"question": answer.question, "text": answer.text, "choice": answer.choice}));
    if question.by != *case.caller() {
        tell(&mut decision, std::slice::from_ref(&question.by));
    }
    Ok(decision)
}

pub(super) fn message(case: &Case, message: &Message) -> Decision {
    let to = case.told(&message.to, message.text.as_str());
    let subject = message.task.as_ref().map_or(PROJECT, |task| task.as_str());
    let value = json!({"text": message.text, "to": to, "reply_to": message.reply_to});
    let mut decision = Decision { subject: subject.to_owned(), events: vec![draft(Kind::MessageSent, subject, value)], ..Decision::default() };
    tell(&mut decision, &to);
    let strangers: Vec<&Actor> = message.to.iter().filter(|actor| !case.facts.actors.contains(*actor) && *actor != case.caller()).collect();
    if !strangers.is_empty() {
        warn(&mut decision, "not_here", format!("{} has not acted here: the message waits for them", some(&strangers, 5)));
    }
    decision
}

pub(super) fn block(case: &Case, block: &Block) -> Result<Decision, Rejection> {
    let of = case.task(&block.task)?;
    let mut decision = Decision { subject: block.task.to_string(), ..Decision::default() };
    if let Some(reason) = &block.reason {
        let id = case.ctx.minted.blocker.as_ref().ok_or(Rejection::IdTaken)?;
        decision.events.push(draft(Kind::TaskBlocked, block.task.as_str(), json!({"blocker": id, "reason": reason})));
        note(&mut decision, "blocker", json!(id));
    }
    for on in super::edit::once(&block.on) {
        if of.waits_on.iter().any(|there| there.id == on && there.via != Via::Parent) {
            continue;
        }
        decision.events.push(draft(Kind::TaskBlocked, block.task.as_str(), json!({"on": on})));
        if case.task(&on)?.task.status == Status::Done {
            warn(&mut decision, "satisfied", format!("{on} is done already"));
        }
    }
    Ok(decision)
}

pub(super) fn bind(case: &Case, bind: &Bind) -> Result<Decision, Rejection> {
    let of = case.task(&bind.task)?;
    if of.task.commits.iter().any(|commit| commit.sha == bind.sha) {
        return Ok(Decision { subject: bind.task.to_string(), data: json!({"repeated": true}), ..Decision::default() });
    }
    // Git takes what a line of the log does not: such a commit is evidence all the same.
    let fits = |file: &&(String, Option<u32>, Option<u32>)| file.0.chars().count() <= limits::PATH_CHARS_MAX && !file.0.chars().any(char::is_control);
    let files: Vec<_> = bind.files.iter().filter(fits).take(limits::COMMIT_FILES_MAX).collect();
    let text = |text: &str| line(&text.replace(char::is_control, " "), limits::TITLE_CHARS_MAX);
    let added = || bind.files.iter().filter_map(|file| file.1).fold(0_u32, u32::saturating_add);
    let deleted = || bind.files.iter().filter_map(|file| file.2).fold(0_u32, u32::saturating_add);
    let value = json!({
        "sha": bind.sha, "subject": text(&bind.subject), "how": bind.how, "files": files,
        "files_dropped": Some(bind.files.len() - files.len()).filter(|dropped| *dropped > 0),
        "added": bind.added.unwrap_or_else(added), "deleted": bind.deleted.unwrap_or_else(deleted),
        "author": bind.author.as_deref().map(text), "authored_at": bind.authored_at, "committed_at": bind.committed_at,
        "parents": bind.parents.iter().take(limits::COMMIT_PARENTS_MAX).collect::<Vec<_>>(), "branch": bind.branch.as_deref().map(text),
        "patch": bind.patch, "empty": bind.files.is_empty(),
    });
    Ok(about(&bind.task, Kind::CommitBound, value))
}

pub(super) fn supersede(case: &Case, supersede: &Supersede) -> Result<Decision, Rejection> {
    let of = case.task(&supersede.task)?;
    let counts = of.task.commits.iter().any(|commit| commit.sha == supersede.old && commit.superseded.as_ref() != Some(&supersede.new));
    if !counts {
        return Ok(Decision { subject: supersede.task.to_string(), data: json!({"repeated": true}), ..Decision::default() });
    }
    Ok(about(&supersede.task, Kind::CommitSuperseded, json!({"old": supersede.old, "new": supersede.new, "why": supersede.why})))
}
