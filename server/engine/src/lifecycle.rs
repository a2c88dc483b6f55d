//! Every guard of the board: whether a command may be carried out.
//!
//! Invariant: a refusal is decided here and nowhere else, in one order for each command: of several that hold,
//! the first is said (the entries of a plan, which are answered all at once, in `plan`); what follows from a command that passed is in `carry`.

use crate::carry::edit::changes;
use crate::case::{Case, Right};
use crate::facts::{Authority, Context, Decision, Facts, Lease, MilestoneFacts, TaskFacts};
use crate::graph::closes_a_loop;
use crate::needs::task_of;
use crate::rejection::Rejection;
use crate::settings::{self, CriteriaGate};
use crate::standing::{LeaseState, passed, under_review, waits};
use crate::words::{ago, substance};
use contracts::command::*;
use contracts::fleet::{Branch, Dispatch, Recover};
use contracts::standing::{Status, Verdict, Via};
use contracts::view::Criterion;
use contracts::{Actor, ActorKind, Call, Hint, MilestoneId, Surface, TaskId, limits};

/// What a command comes to: its events, or why it is refused. Looks at nothing but its arguments.
pub fn decide(facts: &Facts, command: &Command, ctx: &Context) -> Result<Decision, Rejection> {
    let case = Case::of(facts, ctx, false);
    case.guard(command)?;
    crate::carry::carry(&case, command)
}

/// The first guard of a command that fails, leaving texts aside that could still be given.
pub(crate) fn would_refuse(facts: &Facts, command: &Command, ctx: &Context) -> Option<Rejection> {
    Case::of(facts, ctx, true).guard(command).err()
}

type Guard = Result<(), Rejection>;

impl<'a> Case<'a> {
    /// Everything before the command's own guards, then those.
    fn guard(&self, command: &Command) -> Guard {
        if self.ctx.caller.surface == Surface::Mcp && self.is_person() {
            return Err(Rejection::AgentSurface);
        }
        if self.facts.project.is_none() && !matches!(command, Command::CreateProject(_)) {
            return Err(Rejection::NotInitialized);
        }
        self.people_only(command)?;
        if let Some(id) = task_of(command) {
            let of = self.task(id)?;
            if let Some(read) = self.ctx.expect.filter(|read| *read != of.task.version) {
                return Err(Rejection::Stale { task: id.clone(), current: of.task.version, read });
            }
            let current = self.fence(of);
            let first = of.task.claim.as_ref().filter(|claim| claim.actor == *self.caller()).map_or(current, |claim| claim.first_fence);
            if let Some(given) = self.ctx.fence.filter(|given| !(first..=current).contains(given)) {
                let holder = self.running(of).map(|lease| lease.actor.clone());
                return Err(Rejection::StaleFence { task: id.clone(), current, given, holder });
            }
        } else if let Some((path, _)) = [("expect", self.ctx.expect), ("fence", self.ctx.fence)].iter().find(|(_, given)| given.is_some()) {
            return Err(Rejection::NoSubject { path });
        }
        match command {
            Command::CreateProject(create) => self.create_project(create),
            Command::Plan(plan) => crate::plan::check(self, plan).map(drop),
            Command::Edit(edit) => self.edit(edit),
            Command::Claim(claim) => self.claim(claim),
            Command::Renew(renew) => self.renew(renew),
            Command::Release(release) => self.release(release),
            Command::Submit(submit) => self.submit(submit),
            Command::Review(review) => self.review(review),
            Command::Close(close) => self.close(close),
            Command::Cancel(cancel) => self.cancel(cancel),
            Command::Reopen(reopen) => self.reopen(reopen),
            Command::Hold(hold) => self.hold(hold),
            Command::Unhold(unhold) => self.unhold(unhold),
            Command::Assign(assign) => self.assign(assign),
            Command::Comment(comment) => self.says(comment.text.as_str()).and_then(|()| self.mentions(&comment.mentions)),
            Command::Question(question) => self.question(question),
            Command::Answer(answer) => self.answer(answer),
            Command::Message(message) => self.message(message),
            Command::Block(block) => self.block(block),
            Command::Unblock(unblock) => self.unblock(unblock),
            Command::Bind(bind) => self.bind(bind),
            Command::Supersede(supersede) => sha("old", &supersede.old).and_then(|()| supersede.new.iter().try_for_each(|new| sha("new", new))),
            Command::Branch(branch) => self.branch(branch),
            Command::Dispatch(dispatch) => self.dispatch(dispatch),
            Command::Recover(recover) => self.recover(recover),
            Command::Settle(settle) => self.settle(settle),
            Command::Configure(configure) => self.configure(configure),
            Command::NoteReport(note) => report_name(&note.stamp.label),
            Command::MilestoneCreate(create) => milestone_limits(create.rules.len(), create.criteria.len()),
            Command::MilestoneEdit(edit) => self.milestone_edit(edit),
            Command::MilestoneClose(milestone) => self.milestone_close(milestone),
            Command::MilestoneCancel(cancel) => self.milestone_cancel(cancel),
            Command::MilestoneReopen(milestone) => self.milestone_reopen(milestone),
        }
    }

    /// What only people do, whatever the state.
    fn people_only(&self, command: &Command) -> Guard {
        if self.is_person() || self.caller().kind() == ActorKind::System {
            return Ok(());
        }
        let what = match command {
            Command::Reopen(_) => "reopening a task",
            Command::Hold(_) => "holding a task back",
            Command::Unhold(_) => "lifting a hold",
            Command::Answer(_) => "answering a question",
            Command::Settle(_) => "settling a conflict",
            Command::Configure(_) => "changing a setting",
            Command::MilestoneClose(_) => "closing a milestone",
            Command::MilestoneCancel(_) => "cancelling a milestone",
            Command::MilestoneReopen(_) => "reopening a milestone",
            Command::Review(review) if review.verdict == Verdict::Pass => "passing a submission",
            _ => return Ok(()),
        };
        let mut call = Call::new(command.name());
        for (key, value) in command.args().as_object().into_iter().flatten().filter(|(_, value)| !value.is_null() && *value != "") {
            call = call.with(key, value.clone());
        }
        Err(Rejection::PeopleOnly { what: what.to_owned(), call: Some(call) })
    }

    /// By what right the caller works on it; who is on it, otherwise.
    pub fn right(&self, of: &TaskFacts, command: &'static str) -> Result<Right, Rejection> {
        let taken_from_caller = of.task.claim.as_ref().filter(|claim| claim.took_over.as_ref() == Some(self.caller()));
        let lost = || {
            taken_from_caller.map(|claim| Rejection::LeaseLost { task: of.task.id.clone(), taken: Some((claim.actor.clone(), claim.at)), now: self.ctx.now })
        };
        match self.running(of) {
            Some(lease) if lease.actor == *self.caller() => return Ok(Right::Holder),
            Some(lease) if !self.is_person() && self.caller().kind() != ActorKind::System => return Err(lost().unwrap_or_else(|| self.lease_held(lease))),
            _ => {}
        }
        match self.caller().kind() {
            ActorKind::Dev => Ok(Right::Person),
            ActorKind::System => Ok(Right::System),
            ActorKind::Agent if self.lapsed_own(of) => Ok(Right::Lapsed),
            ActorKind::Agent if of.task.assignee.as_ref() == Some(self.caller()) => Ok(Right::Assignee),
            ActorKind::Agent => Err(lost().unwrap_or_else(|| Rejection::NotYours { task: of.task.id.clone(), command })),
        }
    }

    /// Whether the caller claimed it in the same minutes as its holder, and came second: it may let go of that claim, and of no other.
    pub fn lost_double_claim(&self, of: &TaskFacts) -> bool {
        of.task.conflicts.iter().any(|conflict| conflict.code == "double_claim" && conflict.actor == *self.caller())
            && of.task.claim.as_ref().is_some_and(|claim| claim.actor != *self.caller())
    }

    pub fn lease_held(&self, lease: &Lease) -> Rejection {
        let late = self.lease_state(lease) == LeaseState::Late;
        Rejection::LeaseHeld {
            task: lease.task.clone(),
            holder: lease.actor.clone(),
            until: lease.expires_at,
            late: late.then(|| lease.expires_at.plus_seconds(self.settings.grace_s)),
            now: self.ctx.now,
            elsewhere: lease.authority == Authority::Clone,
            person: self.is_person(),
        }
    }

    fn open(&self, of: &TaskFacts, command: &str) -> Guard {
        let reopen = || Hint { text: "a person reopens it".to_owned(), calls: vec![Call::new("reopen").with("task", of.task.id.as_str())] };
        match of.task.status {
            Status::Open => Ok(()),
            status => {
                let who = of.task.closed.as_ref().map(|closed| format!(" by {} {}", closed.by, ago(closed.at, self.ctx.now))).unwrap_or_default();
                Err(Rejection::Illegal { text: format!("{command}: {} was {status}{who}", of.task.id), hint: reopen() })
            }
        }
    }

    /// A note where one is required: ten characters of substance from an agent, anything from a person unless `people_free`.
    fn note(&self, what: &str, note: &str, call: Call, argument: &str, people_free: bool) -> Guard {
        let agent = self.caller().is_agent();
        let enough = if agent { substance(note) >= limits::AGENT_NOTE_CHARS_MIN } else { people_free || substance(note) > 0 };
        if enough || self.lenient {
            return Ok(());
        }
        Err(Rejection::NeedsReason { what: what.to_owned(), call: call.with(argument, "<why>"), agent })
    }

    fn says(&self, text: &str) -> Guard {
        if substance(text) == 0 && !self.lenient {
            return Err(Rejection::Malformed { path: "text".to_owned(), text: "the text is empty".to_owned() });
        }
        Ok(())
    }

    fn mentions(&self, mentions: &[Actor]) -> Guard {
        at_most("mentions", mentions.len(), limits::MENTIONS_MAX, "actors")
    }

    fn children_closed(&self, of: &TaskFacts, command: &'static str) -> Guard {
        if of.counters.children_open == 0 {
            return Ok(());
        }
        let open: Vec<TaskId> = of.children.iter().filter(|child| child.status == Some(Status::Open)).take(10).map(|child| child.id.clone()).collect();
        let call = match command {
            "cancel" => Call::new("cancel").with("task", of.task.id.as_str()).with("with_children", true).with("note", "<why>"),
            _ => Call::new("next"),
        };
        let text = if command == "cancel" { "cancel them too" } else { "close or cancel them first" };
        let hint = Hint { text: text.to_owned(), calls: vec![call] };
        Err(Rejection::ChildrenOpen { of: of.task.id.to_string(), open, total: i64::from(of.counters.children_open), hint })
    }

    fn evidence(&self, of: &TaskFacts, command: &'static str, no_code: bool, note: &str) -> Guard {
        let call = || Call::new(command).with("task", of.task.id.as_str()).with("no_code", true);
        if no_code {
            return self.note(&format!("{command} without code"), note, call(), "note", false);
        }
        if crate::standing::counting(&of.task).is_empty() && !self.lenient {
            return Err(Rejection::NoEvidence { task: of.task.id.clone(), command, branch: of.task.branch.clone(), bound: of.task.commits.len() });
        }
        Ok(())
    }

    /// Whether the present submission stands in the way of a close by somebody who is no person.
    fn reviewed(&self, of: &TaskFacts) -> Guard {
        let wanted = self.review_required(of) || of.task.submission.is_some();
        if !wanted || passed(&of.task) || self.is_person() {
            return Ok(());
        }
        Err(Rejection::NeedsReview { task: of.task.id.clone(), under_review: under_review(&of.task) })
    }

    fn open_milestone(&self, id: &MilestoneId, path: &str) -> Guard {
        let facts = self.facts.milestones.get(id).ok_or_else(|| Rejection::NoMilestone(id.clone()))?;
        match facts.milestone.status {
            Status::Open => Ok(()),
            status => Err(Rejection::Illegal { text: format!("{path}: milestone {id} is {status}"), hint: Hint::text("choose an open one, or none") }),
        }
    }

    fn create_project(&self, create: &CreateProject) -> Guard {
        if let Some(project) = &self.facts.project {
            return Err(Rejection::Illegal { text: format!("this repository's project exists already: {}", project.name), hint: Hint::default() });
        }
        settings::check("zone", &create.zone.as_str().into()).map(drop).map_err(|text| Rejection::Malformed { path: "zone".to_owned(), text })
    }

    fn edit(&self, edit: &Edit) -> Guard {
        let of = self.task(&edit.task)?;
        self.open(of, "edit")?;
        let editor = self.editor(of);
        if self.lenient {
            let yours = editor.fields();
            return if editor.all || !yours.is_empty() {
                Ok(())
            } else {
                Err(Rejection::Fields { task: edit.task.clone(), fields: vec!["it".to_owned()], yours })
            };
        }
        if *edit == Edit::of(edit.task.clone()) {
            let text = "edit changes at least one of title, spec, type, priority, vertical, complexity, labels, milestone, parent, files, criteria, answers, due_at, review";
            return Err(Rejection::Malformed { path: String::new(), text: text.to_owned() });
        }
        at_most("labels", edit.labels.as_ref().map_or(0, Vec::len), limits::LABELS_MAX, "labels")?;
        at_most("files", edit.files.as_ref().map_or(0, Vec::len), limits::FILES_MAX, "patterns")?;
        at_most("criteria", edit.criteria.as_ref().map_or(0, Vec::len), limits::CRITERIA_MAX, "items")?;
        if let Some(kind) = edit.kind.as_ref().filter(|kind| !self.settings.types.iter().any(|known| known == kind.as_str())) {
            return Err(Rejection::Malformed { path: "type".to_owned(), text: self.no_type(kind.as_str()) });
        }
        let changes = changes(&of.task, edit)?;
        let named = |field: &str| if field == "criteria" && edit.criteria.is_none() { "answers".to_owned() } else { field.to_owned() };
        let fields: Vec<String> = changes.iter().map(|change| named(change.field)).filter(|field| !editor.may(field)).collect();
        if !fields.is_empty() {
            return Err(Rejection::Fields { task: edit.task.clone(), fields, yours: editor.fields() });
        }
        if let (Some(Some(id)), true) = (&edit.milestone, changes.iter().any(|change| change.field == "milestone")) {
            self.open_milestone(id, "milestone")?;
        }
        match &edit.parent {
            Some(Some(parent)) if changes.iter().any(|change| change.field == "parent") => self.new_parent(of, parent),
            _ => Ok(()),
        }
    }

    fn new_parent(&self, of: &TaskFacts, parent: &TaskId) -> Guard {
        let above = self.task(parent)?;
        self.open(above, "parent")?;
        if let Some(path) = closes_a_loop(&self.facts.edges, parent, &of.task.id) {
            return Err(Rejection::Cycle { path });
        }
        let depth = above.ancestors.len() + 1 + self.height(&of.task.id, limits::PARENT_DEPTH_MAX);
        if depth > limits::PARENT_DEPTH_MAX {
            let text = format!("subtasks would be {depth} deep, the limit is {}", limits::PARENT_DEPTH_MAX);
            return Err(Rejection::Malformed { path: "parent".to_owned(), text });
        }
        Ok(())
    }

    pub fn no_type(&self, kind: &str) -> String {
        format!("{kind:?} is not a type of this project; types: {}", self.settings.types.join(", "))
    }

    fn claim(&self, claim: &Claim) -> Guard {
        if let Some(ttl) = claim.ttl_s.filter(|ttl| !(limits::LEASE_SECONDS_MIN..=limits::LEASE_SECONDS_MAX).contains(ttl)) {
            let text = format!("ttl_s is {} to {} seconds, not {ttl}", limits::LEASE_SECONDS_MIN, limits::LEASE_SECONDS_MAX);
            return Err(Rejection::Malformed { path: "ttl_s".to_owned(), text });
        }
        plain("session", claim.session.as_deref(), limits::SESSION_CHARS_MAX)?;
        plain("worktree", claim.worktree.as_deref(), limits::PATH_CHARS_MAX)?;
        self.claimable(self.task(&claim.task)?)
    }

    /// The guards of a claim: the same for a named and an unnamed one.
    pub fn claimable(&self, of: &TaskFacts) -> Guard {
        self.takeable(of)?;
        let own = self.running(of).is_some_and(|lease| lease.actor == *self.caller()) || self.lapsed_own(of);
        if own { Ok(()) } else { self.below_limit(&of.task.id) }
    }

    /// Whether the task is there to be taken, whatever the caller has already.
    pub fn takeable(&self, of: &TaskFacts) -> Guard {
        let (task, id) = (&of.task, of.task.id.clone());
        self.not_done(of)?;
        self.open(of, "claim")?;
        let running = self.running(of);
        if running.is_some_and(|lease| lease.actor == *self.caller()) || self.lapsed_own(of) {
            return Ok(());
        }
        if let Some(held) = &task.held {
            return Err(Rejection::Held { task: id, held: held.clone() });
        }
        if waits(task, &of.counters) && !self.is_person() {
            let mut on: Vec<(TaskId, Option<Actor>)> = of.waits_on.iter().filter(|on| on.is_open()).map(|on| (on.id.clone(), on.holder.clone())).collect();
            if on.is_empty() {
                on.extend(of.counters.waits_first.clone().map(|first| (first, None)));
            }
            let children = of.children.iter().filter(|child| child.is_open()).map(|child| child.id.clone()).collect();
            let blockers = task.blockers.iter().map(|blocker| blocker.reason.clone()).collect();
            return Err(Rejection::Blocked { task: id, on, children, blockers });
        }
        if under_review(task) {
            let who = task.submission.as_ref().map(|submission| format!(" by {}", submission.by)).unwrap_or_default();
            let hint = Hint { text: "a person passes it, or asks for changes".to_owned(), calls: vec![Call::new("next")] };
            return Err(Rejection::Illegal { text: format!("claim: {id} is under review, submitted{who}"), hint });
        }
        let conflicts = task.conflicts.len() + usize::try_from(of.counters.edges_inert).unwrap_or(0);
        if !task.questions.is_empty() || (conflicts > 0 && !self.is_person()) {
            return Err(Rejection::GateClosed { task: id, questions: task.questions.clone(), conflicts });
        }
        if let Some(lease) = running {
            return Err(self.lease_held(lease));
        }
        if let Some(to) = task.assignee.as_ref().filter(|to| *to != self.caller() && !self.is_person()) {
            return Err(Rejection::Assigned { task: id, to: to.clone() });
        }
        Ok(())
    }

    fn below_limit(&self, id: &TaskId) -> Guard {
        let Some(limit) = self.settings.held_at_once(self.caller()) else { return Ok(()) };
        let counts = |holding: &&crate::facts::Holding| !holding.waits() && holding.lease.task != *id && self.lease_state(&holding.lease) != LeaseState::Lapsed;
        let holds: Vec<(TaskId, String)> =
            self.facts.holdings.iter().filter(counts).map(|holding| (holding.lease.task.clone(), holding.task.title.clone())).collect();
        if (holds.len() as i64) < limit { Ok(()) } else { Err(Rejection::AtLimit { holds, limit }) }
    }

    fn not_done(&self, of: &TaskFacts) -> Guard {
        match of.task.closed.as_ref().filter(|_| of.task.status == Status::Done) {
            Some(closed) => Err(Rejection::AlreadyDone { task: of.task.id.clone(), by: closed.by.clone(), at: closed.at, now: self.ctx.now }),
            None => Ok(()),
        }
    }

    fn renew(&self, renew: &Renew) -> Guard {
        let Some(id) = &renew.task else { return Ok(()) };
        let of = self.task(id)?;
        match self.running(of) {
            Some(lease) if lease.actor == *self.caller() => Ok(()),
            Some(lease) => {
                let taken = Some((lease.actor.clone(), lease.claimed_at));
                Err(Rejection::LeaseLost { task: id.clone(), taken, now: self.ctx.now })
            }
            _ if self.lapsed_own(of) => Ok(()),
            _ => Err(Rejection::LeaseLost { task: id.clone(), taken: None, now: self.ctx.now }),
        }
    }

    fn release(&self, release: &Release) -> Guard {
        let of = self.task(&release.task)?;
        self.open(of, "release")?;
        if of.lease.is_none() && of.task.claim.is_none() && of.task.assignee.is_none() && !under_review(&of.task) {
            let hint = Hint::call(Call::new("next").with("task", release.task.as_str()));
            return Err(Rejection::Illegal { text: format!("release: nobody holds {}, and it is assigned to nobody", release.task), hint });
        }
        if !self.lost_double_claim(of) {
            self.right(of, "release")?;
        }
        self.mentions(&release.mentions)?;
        self.note("release", release.note.as_str(), Call::new("release").with("task", release.task.as_str()), "note", true)
    }

    fn submit(&self, submit: &Submit) -> Guard {
        let of = self.task(&submit.task)?;
        self.not_done(of)?;
        self.open(of, "submit")?;
        self.right(of, "submit")?;
        self.mentions(&submit.mentions)?;
        self.children_closed(of, "submit")?;
        self.evidence(of, "submit", submit.no_code, submit.note.as_str())?;
        self.note("submit", submit.note.as_str(), Call::new("submit").with("task", submit.task.as_str()), "note", true)?;
        if under_review(&of.task) {
            let hint = Hint {
                text: "to hand it in again, take it back first".to_owned(),
                calls: vec![Call::new("release").with("task", submit.task.as_str()).with("note", "<why>")],
            };
            return Err(Rejection::Illegal { text: format!("submit: {} is under review already", submit.task), hint });
        }
        Ok(())
    }

    fn review(&self, review: &Review) -> Guard {
        let of = self.task(&review.task)?;
        self.open(of, "review")?;
        let Some(submission) = of.task.submission.as_ref().filter(|_| under_review(&of.task)) else {
            let hint = Hint {
                text: "who holds it hands it in".to_owned(),
                calls: vec![Call::new("submit").with("task", review.task.as_str()).with("note", "<what was done>")],
            };
            return Err(Rejection::Illegal { text: format!("review: {} has no submission to judge", review.task), hint });
        };
        if submission.by == *self.caller() {
            return Err(Rejection::OwnSubmission { task: review.task.clone() });
        }
        self.mentions(&review.mentions)?;
        if review.verdict == Verdict::Changes {
            let call = Call::new("review").with("task", review.task.as_str()).with("verdict", "changes");
            self.note("asking for changes", review.note.as_str(), call, "note", false)?;
        }
        Ok(())
    }

    fn close(&self, close: &Close) -> Guard {
        let of = self.task(&close.task)?;
        self.not_done(of)?;
        self.open(of, "close")?;
        self.right(of, "close")?;
        self.mentions(&close.mentions)?;
        self.children_closed(of, "close")?;
        self.reviewed(of)?;
        let mut criteria = of.task.criteria.clone();
        crate::carry::edit::answer(&mut criteria, &close.criteria, "criteria")?;
        self.criteria_answered(of, &criteria)?;
        self.evidence(of, "close", close.no_code, close.note.as_str())
    }

    fn criteria_answered(&self, of: &TaskFacts, criteria: &[Criterion]) -> Guard {
        let open = |item: &Criterion| match self.settings.criteria_gate {
            CriteriaGate::Off => false,
            CriteriaGate::Answered => item.met.is_none(),
            CriteriaGate::Met => item.met != Some(true),
        };
        let numbers = unanswered(criteria, open);
        if numbers.is_empty() {
            return Ok(());
        }
        let answers = serde_json::json!([{"i": numbers.first(), "met": true}]);
        let call = Call::new("close").with("task", of.task.id.as_str()).with("criteria", answers);
        Err(Rejection::CriteriaOpen { of: of.task.id.to_string(), numbers, hint: Hint::call(call) })
    }

    /// What a passed submission still lacks to be closed, in words.
    pub fn missing(&self, of: &TaskFacts) -> Vec<String> {
        let evidence = self.evidence_of_submission(of);
        let guards = [self.children_closed(of, "close"), self.criteria_answered(of, &of.task.criteria), evidence];
        guards.into_iter().filter_map(Result::err).map(|refused| refused.problem().title).collect()
    }

    /// A submission without code carried its reason already.
    fn evidence_of_submission(&self, of: &TaskFacts) -> Guard {
        let no_code = of.task.submission.as_ref().is_some_and(|submission| submission.no_code);
        if no_code { Ok(()) } else { self.evidence(of, "close", false, "") }
    }

    fn cancel(&self, cancel: &Cancel) -> Guard {
        let of = self.task(&cancel.task)?;
        let mine = |of: &TaskFacts| of.task.created_by == *self.caller() && of.task.claims == 0;
        let children = if cancel.with_children { self.descendants(std::slice::from_ref(&cancel.task)) } else { Vec::new() };
        if self.caller().is_agent() && !(mine(of) && children.iter().all(|child| mine(child))) {
            let hint = Hint {
                text: "a person cancels it, or its creator before anybody claims it".to_owned(),
                calls: vec![Call::new("comment").with("task", cancel.task.as_str()).with("text", "<why it should be cancelled>")],
            };
            return Err(Rejection::NotAllowed { text: format!("cancel: {} is not yours to cancel", cancel.task), hint });
        }
        self.open(of, "cancel")?;
        self.note("cancel", cancel.note.as_str(), Call::new("cancel").with("task", cancel.task.as_str()), "note", false)?;
        if cancel.with_children { Ok(()) } else { self.children_closed(of, "cancel") }
    }

    fn reopen(&self, reopen: &Reopen) -> Guard {
        let of = self.task(&reopen.task)?;
        if of.task.status == Status::Open {
            let hint = Hint { text: "it can be worked on".to_owned(), calls: vec![Call::new("next").with("task", reopen.task.as_str())] };
            return Err(Rejection::Illegal { text: format!("reopen: {} is open", reopen.task), hint });
        }
        self.note("reopen", reopen.note.as_str(), Call::new("reopen").with("task", reopen.task.as_str()), "note", true)?;
        if let Some(parent) = of.ancestors.first().filter(|parent| matches!(parent.status, Some(Status::Done | Status::Cancelled))) {
            let hint = Hint { text: "reopen it first".to_owned(), calls: vec![Call::new("reopen").with("task", parent.id.as_str())] };
            return Err(Rejection::Illegal { text: format!("reopen: the parent {} of {} is closed", parent.id, reopen.task), hint });
        }
        Ok(())
    }

    fn hold(&self, hold: &Hold) -> Guard {
        let of = self.task(&hold.task)?;
        self.open(of, "hold")?;
        match &of.task.held {
            Some(held) => {
                let hint = Hint::call(Call::new("unhold").with("task", hold.task.as_str()));
                Err(Rejection::Illegal { text: format!("hold: {} is held by {} already", hold.task, held.by), hint })
            }
            None => Ok(()),
        }
    }

    fn unhold(&self, unhold: &Unhold) -> Guard {
        let of = self.task(&unhold.task)?;
        self.open(of, "unhold")?;
        if of.task.held.is_none() {
            return Err(Rejection::Illegal { text: format!("unhold: {} is not held", unhold.task), hint: Hint::default() });
        }
        Ok(())
    }

    fn assign(&self, assign: &Assign) -> Guard {
        let of = self.task(&assign.task)?;
        self.open(of, "assign")?;
        self.assignable("to", assign.to.as_ref())?;
        if !self.caller().is_agent() {
            return Ok(());
        }
        if let Some(to) = of.task.assignee.as_ref().filter(|to| !to.same_dev(self.caller())) {
            return Err(Rejection::Assigned { task: assign.task.clone(), to: to.clone() });
        }
        match self.running(of) {
            Some(lease) if lease.actor != *self.caller() => Err(self.lease_held(lease)),
            _ => Ok(()),
        }
    }

    /// Whether this caller may make a task somebody's.
    pub fn assignable(&self, path: &str, to: Option<&Actor>) -> Guard {
        match to {
            Some(to) if to.kind() == ActorKind::System => Err(Rejection::Malformed { path: path.to_owned(), text: format!("{to} is no person and no agent") }),
            Some(to) if self.caller().is_agent() && !to.same_dev(self.caller()) => {
                let text = format!("{to} answers to somebody else than you do");
                Err(Rejection::NotAllowed { text, hint: Hint::text("agents assign among the agents of their own person; a person assigns to anybody") })
            }
            _ => Ok(()),
        }
    }

    fn question(&self, question: &Question) -> Guard {
        let of = self.task(&question.task)?;
        self.open(of, "question")?;
        self.right(of, "question")?;
        self.says(question.text.as_str())?;
        at_most("choices", question.choices.len(), limits::CHOICES_MAX, "choices")
    }

    fn answer(&self, answer: &AnswerQuestion) -> Guard {
        let Some((_, question)) = self.asked(answer) else {
            let hint = Hint::text("it may be answered already; the open ones stand with their tasks");
            return Err(Rejection::Nothing { what: format!("there is no open question {}", answer.question), hint });
        };
        match &answer.choice {
            Some(choice) if !question.choices.contains(choice) => {
                let text = match question.choices.as_slice() {
                    [] => "the question offers no choices, answer in text".to_owned(),
                    choices => format!("{choice:?} is not a choice; choices: {}", choices.join(", ")),
                };
                Err(Rejection::Malformed { path: "choice".to_owned(), text })
            }
            Some(_) => Ok(()),
            None => self.says(answer.text.as_str()),
        }
    }

    fn message(&self, message: &Message) -> Guard {
        if message.to.is_empty() && !self.lenient {
            return Err(Rejection::Malformed { path: "to".to_owned(), text: format!("to names 1 to {} actors", limits::MENTIONS_MAX) });
        }
        at_most("to", message.to.len(), limits::MENTIONS_MAX, "actors")?;
        self.says(message.text.as_str())
    }

    fn may_block(&self, of: &TaskFacts) -> bool {
        let caller = self.caller();
        !caller.is_agent() || self.editor(of).holds || of.task.assignee.as_ref() == Some(caller) || of.task.created_by == *caller
    }

    fn block(&self, block: &Block) -> Guard {
        let of = self.task(&block.task)?;
        if !self.may_block(of) {
            return Err(Rejection::NotYours { task: block.task.clone(), command: "block" });
        }
        self.open(of, "block")?;
        if block.on.is_empty() == block.reason.is_none() && !self.lenient {
            let text = "block names either on (task ids) or a reason outside the board";
            return Err(Rejection::Malformed { path: "on".to_owned(), text: text.to_owned() });
        }
        if let Some(reason) = &block.reason {
            self.says(reason.as_str())?;
        }
        let edges = of.waits_on.iter().filter(|on| on.via != Via::Parent).count();
        let added = block.on.iter().filter(|on| !of.waits_on.iter().any(|there| there.id == **on)).count();
        at_most("on", if added == 0 { 0 } else { edges + added }, limits::AFTER_MAX, "tasks to wait for")?;
        for on in &block.on {
            let target = self.task(on)?;
            if target.task.status == Status::Cancelled {
                return Err(Rejection::Illegal {
                    text: format!("block: {on} was cancelled, it will never be delivered"),
                    hint: Hint::text("wait for what replaces it"),
                });
            }
            let there = of.waits_on.iter().any(|there| there.id == *on);
            if let Some(path) = closes_a_loop(&self.facts.edges, &block.task, on).filter(|_| !there) {
                return Err(Rejection::Cycle { path });
            }
        }
        Ok(())
    }

    fn unblock(&self, unblock: &Unblock) -> Guard {
        let of = self.task(&unblock.task)?;
        let added_by: Option<&Actor> = match (&unblock.on, &unblock.blocker) {
            (Some(on), None) => {
                let edge = of.waits_on.iter().find(|edge| edge.id == *on && edge.via != Via::Parent);
                let edge = edge.ok_or_else(|| {
                    let hint = Hint {
                        text: "a parent waits for its subtasks as long as they are its own".to_owned(),
                        calls: vec![Call::new("ask").with("task", unblock.task.as_str())],
                    };
                    Rejection::Nothing { what: format!("{} does not wait for {on}", unblock.task), hint }
                })?;
                edge.by.as_ref()
            }
            (None, Some(id)) => {
                let blocker = of.task.blockers.iter().find(|blocker| blocker.id == *id);
                let blocker =
                    blocker.ok_or_else(|| Rejection::Nothing { what: format!("{} has no open blocker {id}", unblock.task), hint: Hint::default() })?;
                Some(&blocker.by)
            }
            (None, None) if self.lenient => {
                if of.waits_on.is_empty() && of.task.blockers.is_empty() {
                    return Err(Rejection::Nothing { what: format!("{} waits for nothing", unblock.task), hint: Hint::default() });
                }
                of.waits_on.first().and_then(|edge| edge.by.as_ref()).or(of.task.blockers.first().map(|blocker| &blocker.by))
            }
            _ => {
                let text = "unblock names either on (a task) or a blocker";
                return Err(Rejection::Malformed { path: "on".to_owned(), text: text.to_owned() });
            }
        };
        if self.caller().is_agent() && added_by != Some(self.caller()) && !self.editor(of).holds {
            return Err(Rejection::NotYours { task: unblock.task.clone(), command: "unblock" });
        }
        Ok(())
    }

    fn bind(&self, bind: &Bind) -> Guard {
        sha("sha", &bind.sha)?;
        bind.parents.iter().try_for_each(|parent| plain("parents", Some(parent), limits::SHA_CHARS_MAX))?;
        plain("patch", bind.patch.as_deref(), limits::SHA_CHARS_MAX)
    }

    fn branch(&self, branch: &Branch) -> Guard {
        self.task(&branch.task)?;
        for (path, name) in [("branch", &branch.branch), ("base", &branch.base)] {
            let bad = |name: &&String| {
                let form = name.is_empty() || name.starts_with('-') || name.contains("..");
                form || name.chars().count() > limits::BRANCH_CHARS_MAX || name.chars().any(|c| c.is_whitespace() || c.is_control())
            };
            if let Some(name) = name.as_ref().filter(bad) {
                return Err(Rejection::Malformed { path: path.to_owned(), text: format!("{name:?} names no branch") });
            }
        }
        Ok(())
    }

    fn dispatch(&self, dispatch: &Dispatch) -> Guard {
        let malformed = |path: &str, text: String| Err(Rejection::Malformed { path: path.to_owned(), text });
        let Some(dev) = self.caller().dev() else {
            let hint = Hint::text("a person or one of their agents gives tasks to workers");
            return Err(Rejection::NotAllowed { text: "dispatch: workers answer to a person".to_owned(), hint });
        };
        if dispatch.tasks.len() > limits::WORKERS_MAX {
            let text = format!("tasks names {} tasks; one dispatch starts at most {} workers", dispatch.tasks.len(), limits::WORKERS_MAX);
            return malformed("tasks", text);
        }
        match dispatch.count {
            Some(_) if !dispatch.tasks.is_empty() => return malformed("count", "either tasks or count: each task that is named gets one worker".to_owned()),
            Some(count) if count == 0 || count as usize > limits::WORKERS_MAX => {
                return malformed("count", format!("count is 1 to {}, not {count}", limits::WORKERS_MAX));
            }
            _ => {}
        }
        // With room for the number.
        let named = |prefix: &String| Actor::parse(&format!("agent:{dev}/{prefix}9999"));
        match dispatch.prefix.as_ref().map(named) {
            Some(Err(_)) => malformed("prefix", "prefix begins the workers' names, like w or api-: [a-z0-9][a-z0-9._-]{0,35}".to_owned()),
            _ => Ok(()),
        }
    }

    fn recover(&self, recover: &Recover) -> Guard {
        at_most("tasks", recover.tasks.len(), limits::AFTER_MAX, "tasks")?;
        if let Some(grace_s) = recover.grace_s.filter(|grace_s| !(0..=limits::LEASE_SECONDS_MAX).contains(grace_s)) {
            let text = format!("grace_s is 0 to {} seconds, not {grace_s}", limits::LEASE_SECONDS_MAX);
            return Err(Rejection::Malformed { path: "grace_s".to_owned(), text });
        }
        for id in &recover.tasks {
            let of = self.task(id)?;
            let holder = self.keeping(of).map(|lease| &lease.actor).or(of.task.assignee.as_ref());
            if let Some(holder) = holder.filter(|holder| self.caller().is_agent() && !holder.same_dev(self.caller())) {
                let text = format!("recover: {holder} answers to somebody else than you do");
                let call = Call::new("message").with("to", vec![holder.as_str()]).with("task", id.as_str()).with("text", "<text>");
                return Err(Rejection::NotAllowed { text, hint: Hint { text: "ask them, or their person".to_owned(), calls: vec![call] } });
            }
        }
        Ok(())
    }

    fn settle(&self, settle: &Settle) -> Guard {
        let call = Call::new("settle").with("event", settle.event.as_str()).with("choice", settle.choice.as_str());
        crate::carry::project::conflicted(self.facts, settle)?;
        self.note("settling a conflict", settle.note.as_str(), call, "note", false)?;
        if settle.choice == SettleChoice::Dismiss {
            return Ok(());
        }
        self.guard(&crate::carry::project::kept(self.facts, settle)?)
    }

    fn configure(&self, configure: &Configure) -> Guard {
        let path = if settings::KEYS.contains(&configure.key.as_str()) { "value" } else { "key" };
        let from = self.facts.project.as_ref().map(|project| settings::present(project, &configure.key)).unwrap_or_default();
        settings::changed(&from, &configure.key, &configure.value).map(drop).map_err(|text| Rejection::Malformed { path: path.to_owned(), text })
    }

    fn milestone_in(&self, id: &MilestoneId, command: &str) -> Result<&'a MilestoneFacts, Rejection> {
        let facts = self.milestone(id)?;
        match facts.milestone.status {
            Status::Open => Ok(facts),
            status => {
                let hint = Hint { text: "a person reopens it".to_owned(), calls: vec![Call::new("milestone_reopen").with("milestone", id.as_str())] };
                Err(Rejection::Illegal { text: format!("{command}: milestone {id} is {status}"), hint })
            }
        }
    }

    fn milestone_edit(&self, edit: &MilestoneEdit) -> Guard {
        let facts = self.milestone_in(&edit.milestone, "edit")?;
        milestone_limits(edit.rules.as_ref().map_or(0, Vec::len), edit.criteria.as_ref().map_or(0, Vec::len))?;
        let changes = crate::carry::edit::milestone_changes(&facts.milestone, edit)?;
        let nothing = changes.is_empty() && serde_json::to_value(edit).is_ok_and(|value| value.as_object().is_some_and(|fields| fields.len() == 1));
        if nothing {
            let text = "edit changes at least one of title, goal, rules, criteria, answers, reviews, due_at";
            return Err(Rejection::Malformed { path: String::new(), text: text.to_owned() });
        }
        Ok(())
    }

    fn milestone_close(&self, close: &MilestoneMove) -> Guard {
        let facts = self.milestone_in(&close.milestone, "close")?;
        if facts.open > 0 {
            let hint = Hint::text("close or cancel them, or move them to another milestone");
            return Err(self.tasks_open(facts, hint));
        }
        let numbers = unanswered(&facts.milestone.criteria, |item| item.met.is_none() || (item.met == Some(false) && substance(&item.note) == 0));
        if numbers.is_empty() {
            return Ok(());
        }
        let answers = serde_json::json!([{"i": numbers.first(), "met": true}]);
        let call = Call::new("milestone_edit").with("milestone", close.milestone.as_str()).with("answers", answers);
        let hint = Hint { text: "answer each; a no needs a note".to_owned(), calls: vec![call] };
        Err(Rejection::CriteriaOpen { of: close.milestone.to_string(), numbers, hint })
    }

    fn tasks_open(&self, facts: &MilestoneFacts, hint: Hint) -> Rejection {
        let open = facts.open_tasks.iter().take(10).cloned().collect();
        Rejection::ChildrenOpen { of: facts.milestone.id.to_string(), open, total: facts.open, hint }
    }

    fn milestone_cancel(&self, cancel: &MilestoneCancel) -> Guard {
        let facts = self.milestone_in(&cancel.milestone, "cancel")?;
        if facts.open > 0 && cancel.tasks.is_none() {
            let call = |tasks: &str| Call::new("milestone_cancel").with("milestone", cancel.milestone.as_str()).with("tasks", tasks);
            return Err(self.tasks_open(facts, Hint { text: "say what becomes of them".to_owned(), calls: vec![call("cancel"), call("detach")] }));
        }
        let below = if cancel.tasks == Some(MilestoneTasks::Cancel) { self.descendants(&facts.open_tasks).len() } else { 0 };
        at_most("tasks", facts.open_tasks.len() + below, limits::PLAN_TASKS_MAX, "open tasks")?;
        self.note("cancel", cancel.note.as_str(), Call::new("milestone_cancel").with("milestone", cancel.milestone.as_str()), "note", false)
    }

    fn milestone_reopen(&self, reopen: &MilestoneMove) -> Guard {
        let facts = self.milestone(&reopen.milestone)?;
        if facts.milestone.status == Status::Open {
            return Err(Rejection::Illegal { text: format!("reopen: milestone {} is open", reopen.milestone), hint: Hint::default() });
        }
        Ok(())
    }
}

/// A word of the caller's machine: one line, and not without end.
fn plain(path: &str, text: Option<&str>, chars_max: usize) -> Guard {
    let Some(text) = text else { return Ok(()) };
    at_most(path, text.chars().count(), chars_max, "characters")?;
    match text.chars().find(|character| character.is_control()) {
        Some(bad) => {
            Err(Rejection::Malformed { path: path.to_owned(), text: format!("is one line without control characters, it holds {}", bad.escape_unicode()) })
        }
        None => Ok(()),
    }
}

pub(crate) fn at_most(path: &str, size: usize, limit: usize, what: &str) -> Guard {
    if size > limit {
        return Err(Rejection::TooLarge { path: path.to_owned(), text: format!("{path} has {size} {what}, the limit is {limit}") });
    }
    Ok(())
}

fn milestone_limits(rules: usize, criteria: usize) -> Guard {
    at_most("rules", rules, limits::RULES_MAX, "rules")?;
    at_most("criteria", criteria, limits::CRITERIA_MAX, "items")
}

fn report_name(label: &str) -> Guard {
    match contracts::report::is_label(label) {
        true => Ok(()),
        false => Err(Rejection::Malformed { path: "stamp.label".to_owned(), text: format!("{label:?} is no name of a report: letters, digits, dots, dashes") }),
    }
}

fn unanswered(criteria: &[Criterion], open: impl Fn(&Criterion) -> bool) -> Vec<u32> {
    (1..).zip(criteria).filter(|(_, item)| open(item)).map(|(number, _)| number).collect()
}

fn sha(path: &str, text: &str) -> Guard {
    if contracts::CommitSha::parse(text).is_ok() {
        Ok(())
    } else {
        Err(Rejection::Malformed { path: path.to_owned(), text: format!("a commit is 40 or 64 lower-case hexadecimal digits, not {text:?}") })
    }
}
