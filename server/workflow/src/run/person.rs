//! What only people do: say yes or no, open a gate all the same, hold a run back, let it go on, give it up.

use super::decide::Deciding;
use super::event::RunEvent;
use super::state::*;
use crate::document::{Approvers, Gate};
use crate::plan::BlockKind;
use contracts::{Code, Hint, Problem};
use serde_json::Value;
use std::collections::BTreeSet;

/// The role that may open a gate all the same.
const MAINTAINER: &str = "maintainer";

impl Deciding<'_> {
    fn people_only(&self, what: &str) -> Result<(), Problem> {
        if self.caller.is_person && self.caller.actor.is_dev() {
            return Ok(());
        }
        Err(Problem::new(Code::Forbidden, format!("{what} is for a person, on the board's pages or at a terminal"))
            .hint(Hint::text("end your turn and tell your person; no tool does this")))
    }

    pub(super) fn verdict(&mut self, id: &str, digest: &str, yes: bool, comment: &str) -> Result<(), Problem> {
        self.people_only("an approval")?;
        let Some(request) = self.working.run.requests.get(id).cloned() else { return Err(Problem::new(Code::NotFound, format!("nobody asks {id}"))) };
        if let Some(said) = request.verdicts.get(&self.caller.principal).filter(|said| said.yes == yes) {
            // A second click is the first one again.
            self.repeated = said.yes == yes;
            return Ok(());
        }
        if let Some(how) = request.closed {
            return Err(self.closed(id, &request, how));
        }
        if request.verdicts.contains_key(&self.caller.principal) {
            return Err(Problem::new(Code::AlreadyDecided, "you said so already, and otherwise"));
        }
        if digest != request.digest {
            return Err(Problem::new(Code::Stale, "what you looked at is not what is asked about any more").hint(Hint::text("look again, then say it")));
        }
        let gate = self.plan.at(&request.on.path).and_then(|index| self.plan.block(index).gate().cloned()).unwrap_or_default();
        self.eligible(gate.approvers.as_ref().unwrap_or(&Approvers::default()), &request)?;
        self.assured(&gate)?;
        if !yes && comment.trim().is_empty() && gate.on_reject.as_ref().is_none_or(|reject| reject.reason_required) {
            return Err(Problem::new(Code::NeedsReason, "a no says why").hint(Hint::text("-m 'what must be done otherwise'")));
        }
        let run = self.working.run.id.clone();
        let (request, digest, assurance, comment) = (id.to_owned(), digest.to_owned(), self.caller.assurance.clone(), comment.to_owned());
        self.write(if yes {
            RunEvent::ApprovalGiven { run, request, digest, assurance, comment }
        } else {
            RunEvent::ApprovalRejected { run, request, digest, assurance, comment }
        });
        Ok(())
    }

    fn closed(&self, id: &str, request: &Request, how: Verdict) -> Problem {
        let newer = self.working.run.open_request(&request.on).map(|(id, _)| id.clone());
        let hint = newer.map_or_else(|| "nothing is asked any more".to_owned(), |newer| format!("{newer} is asked now"));
        if matches!(how, Verdict::Met | Verdict::Rejected) {
            let by: Vec<String> = request.verdicts.values().map(|said| format!("{} at {}", said.actor, said.at)).collect();
            return Problem::new(Code::AlreadyDecided, format!("{id} was decided by {}", by.join(", "))).hint(Hint::text(hint));
        }
        let why = serde_json::json!(how);
        Problem::new(Code::RequestClosed, format!("{id} is no longer asked: {}", why.as_str().unwrap_or_default())).hint(Hint::text(hint))
    }

    /// Whether this person counts here and now.
    fn eligible(&self, approvers: &Approvers, request: &Request) -> Result<(), Problem> {
        let none = BTreeSet::new();
        let roles = self.world.people.get(&self.caller.principal);
        let no = |text: String| Err(Problem::new(Code::Forbidden, text));
        if roles.is_none() && !self.world.people.is_empty() {
            return no("only who belongs to the project may say so".to_owned());
        }
        let roles = roles.unwrap_or(&none);
        let named =
            approvers.people.iter().any(|name| self.caller.actor.as_str() == name || self.caller.actor.short() == name || self.caller.principal == *name);
        let in_role = approvers.roles.iter().any(|role| roles.contains(role));
        if !(named || in_role || (approvers.people.is_empty() && approvers.roles.is_empty())) {
            let who = approvers.people.iter().cloned().chain(approvers.roles.iter().map(|role| format!("a {role}"))).collect::<Vec<_>>().join(", ");
            return no(format!("this is for {who}"));
        }
        if approvers.own == Some(false) && self.behind(&request.on).is_some_and(|principal| principal == self.caller.principal) {
            return no("whoever answers for the work does not approve it here".to_owned());
        }
        Ok(())
    }

    fn assured(&self, gate: &Gate) -> Result<(), Problem> {
        let wanted = gate.requires_approval.as_ref().and_then(|switch| switch.on().and_then(|approval| approval.assurance));
        match wanted {
            Some(crate::document::Assurance::Session) if self.caller.assurance == "terminal" => {
                Err(Problem::new(Code::Forbidden, "this is said in a signed-in page").hint(Hint::text("callboard ui")))
            }
            _ => Ok(()),
        }
    }

    /// Who answers for the work a request is about: its own, or the newest before a checkpoint.
    fn behind(&self, key: &Key) -> Option<String> {
        let run = &self.working.run;
        let own = run.instances.get(key)?.reported.as_ref().map(|reported| reported.principal.clone());
        own.or_else(|| {
            run.instances
                .values()
                .filter_map(|own| own.reported.as_ref().map(|reported| (own.order, reported.principal.clone())))
                .max()
                .map(|(_, principal)| principal)
        })
    }

    pub(super) fn override_gate(&mut self, key: &Key, reason: &str) -> Result<(), Problem> {
        self.people_only("opening a gate all the same")?;
        let may = self.world.people.get(&self.caller.principal).is_none_or(|roles| roles.contains(MAINTAINER));
        if !may || (!self.world.people.is_empty() && !self.world.people.contains_key(&self.caller.principal)) {
            return Err(Problem::new(Code::Forbidden, "only a maintainer opens a gate all the same"));
        }
        if reason.trim().is_empty() {
            return Err(Problem::new(Code::NeedsReason, "opening a gate all the same says why").hint(Hint::text("-m 'why'")));
        }
        let Some(own) = self.working.run.instances.get(key).cloned() else { return Err(Problem::new(Code::NotFound, format!("there is no {key}"))) };
        let block = self.plan.at(&key.path).map(|index| self.plan.block(index));
        let Some(gate) = block.and_then(|block| block.gate()).filter(|_| matches!(own.state, InstanceState::Gated | InstanceState::Within)) else {
            return Err(Problem::new(Code::IllegalMove, format!("{key} does not wait at a gate")));
        };
        let keys = gate.predicates().into_iter().map(str::to_owned).collect();
        let run = self.working.run.id.clone();
        self.write(RunEvent::GateOverridden { run, path: key.path.clone(), attempt: key.attempt, keys, reason: reason.to_owned() });
        let on = key.clone();
        self.working.close_requests(move |of| *of == on, Verdict::Superseded);
        Ok(())
    }

    pub(super) fn unblock(&mut self, choice: Option<&str>) -> Result<(), Problem> {
        self.people_only("letting a blocked run go on")?;
        let Some(blocked) = self.working.run.blocked.clone() else { return Err(Problem::new(Code::IllegalMove, "the run is not blocked")) };
        let run = self.working.run.id.clone();
        let how = if choice.is_some() { "pick" } else { "retry" };
        let key = self.working.run.newest(&blocked.path).map(|(key, own)| (key.clone(), own.clone()));
        if let Some(choice) = choice {
            self.pick(&blocked, key.as_ref().map(|(key, _)| key), choice)?;
        }
        self.write(RunEvent::Unblocked { run, how: how.to_owned(), choice: choice.map(str::to_owned) });
        let again = choice.is_none() && matches!(blocked.reason.as_str(), "failed" | "cannot" | "rejected" | "lapsed_3x");
        if let Some((key, own)) = key.filter(|(_, own)| again && !own.state.is_closed()) {
            drop(own);
            self.working.finish(&key, StepOutcome::Superseded, Value::Null, false);
        }
        Ok(())
    }

    /// A branch where none held, or a lane whose words stand.
    fn pick(&mut self, blocked: &Blocked, key: Option<&Key>, choice: &str) -> Result<(), Problem> {
        let none = || Problem::bad_request("choice", format!("there is nothing to choose {choice} for"));
        let key = key.ok_or_else(none)?.clone();
        let index = self.plan.at(&key.path).ok_or_else(none)?;
        match (&self.plan.block(index).kind, blocked.reason.as_str()) {
            (BlockKind::Decision(arms), "no_branch") => {
                if !arms.iter().any(|arm| arm.id == choice) {
                    let ids: Vec<&str> = arms.iter().map(|arm| arm.id.as_str()).collect();
                    return Err(Problem::bad_request("choice", format!("there is no branch {choice}")).hint(Hint::text(ids.join(", "))));
                }
                let run = self.working.run.id.clone();
                let taken = RunEvent::DecisionTaken {
                    run,
                    path: key.path,
                    attempt: key.attempt,
                    branch: choice.to_owned(),
                    inputs: Default::default(),
                    results: Default::default(),
                    by: "person".to_owned(),
                };
                self.write(taken);
                Ok(())
            }
            (BlockKind::Lanes(_), "write_conflict") if self.working.pick_lane(&key, choice) => Ok(()),
            _ => Err(none()),
        }
    }

    pub(super) fn pause(&mut self, reason: &str) -> Result<(), Problem> {
        let run = self.working.run.id.clone();
        self.write(RunEvent::Paused { run, reason: reason.to_owned() });
        Ok(())
    }

    pub(super) fn resume(&mut self) -> Result<(), Problem> {
        self.people_only("letting a run go on that was held back")?;
        let run = self.working.run.id.clone();
        self.write(RunEvent::Resumed { run, reason: String::new() });
        Ok(())
    }

    pub(super) fn cancel(&mut self, reason: &str) -> Result<(), Problem> {
        let run = &self.working.run;
        let approved = run.requests.values().any(|request| request.closed == Some(Verdict::Met));
        if !self.caller.is_person && (run.started_by != self.caller.actor || approved) {
            return Err(
                Problem::new(Code::Forbidden, "an agent gives up only a run it began, and none that a person approved").hint(Hint::text("tell your person"))
            );
        }
        if reason.trim().is_empty() {
            return Err(Problem::new(Code::NeedsReason, "giving a run up says why").hint(Hint::text("-m 'why'")));
        }
        self.working.end(Outcome::Cancelled, reason);
        Ok(())
    }
}
