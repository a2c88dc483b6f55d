//! Gates: whether each key can ever be met, and by whom.

use super::Checker;
use super::steps::Scope;
use super::top::any;
use crate::document::{FieldWanted, Gate, Given, Step};
use crate::finding::Code;
use contracts::limits;
use contracts::standing::{Standing, Status};
use contracts::{Moment, TaskId};
use filter::Field;

/// Predicates about work that is done in the step; an entry gate stands before any.
const OF_THE_WORK: [&str; 3] = ["require_context", "require_evidence", "requires_approval"];

impl Checker<'_> {
    pub(super) fn gate(&mut self, gate: &Gate, at: &str, step: &Step, scope: &Scope, entry: bool) {
        let predicates = gate.predicates();
        if entry {
            for key in OF_THE_WORK.into_iter().filter(|key| predicates.contains(key)) {
                self.find(&format!("{at}/{key}"), Code::GateKey, format!("{key} is about work done in the step, and nobody has begun it"), "put it into gate");
            }
        }
        self.approval(gate, at, &predicates, step, scope);
        self.children(gate, at, step, scope);
        self.words(gate, at);
        self.evidence_and_notes(gate, at);
        self.fields(gate, at, scope);
        self.times(gate, at);
        if let Some(text) = &gate.condition {
            self.filter(text, &format!("{at}/condition"), scope);
        }
        if let Some(wanted) = &gate.wait_for_event
            && wanted.name.is_empty()
        {
            self.find(&format!("{at}/wait_for_event"), Code::GateKey, "the event has no name", "name: task.closed, or name: signal:deployed");
        }
    }

    fn approval(&mut self, gate: &Gate, at: &str, predicates: &[&str], step: &Step, scope: &Scope) {
        let asks = predicates.contains(&"requires_approval");
        for (key, is) in [
            ("prompt", gate.prompt.is_some()),
            ("approvers", gate.approvers.is_some()),
            ("timeout", gate.timeout.is_some()),
            ("on_reject", gate.on_reject.is_some() && !step_can_go_back(step)),
        ] {
            if is && !asks {
                self.find(&format!("{at}/{key}"), Code::GateKey, format!("{key} says how a person is asked, and nobody is"), "requires_approval: true");
            }
        }
        if let Some(prompt) = &gate.prompt {
            let characters = prompt.chars().count();
            if characters > limits::GATE_PROMPT_CHARS_MAX {
                self.find(
                    &format!("{at}/prompt"),
                    Code::Limit,
                    format!("the question has {characters} characters"),
                    format!("at most {}", limits::GATE_PROMPT_CHARS_MAX),
                );
            }
            self.text(prompt, &format!("{at}/prompt"), scope);
        }
        if let Some(approval) = gate.requires_approval.as_ref().and_then(|switch| switch.on()) {
            let key = format!("{at}/requires_approval");
            self.not_yet(&key, approval.assurance.is_some_and(|assurance| assurance > crate::document::Assurance::Session), "assurance", "terminal or session");
            self.not_yet(&key, approval.recheck_role, "recheck_role", "leave it out");
        }
        if let Some(approvers) = &gate.approvers {
            let eligible = if approvers.roles.is_empty() && !approvers.people.is_empty() { Some(approvers.people.len()) } else { self.around.people };
            let wanted = usize::try_from(approvers.min).unwrap_or(usize::MAX);
            if wanted == 0 {
                self.find(&format!("{at}/approvers/min"), Code::GateImpossible, "a yes of nobody opens the gate", "min: 1");
            } else if eligible.is_some_and(|eligible| wanted > eligible) {
                let text = format!("{wanted} must say yes, and {} may", eligible.unwrap_or(0));
                self.find(&format!("{at}/approvers"), Code::GateImpossible, text, "lower min, or name more people");
            } else if approvers.own == Some(false) && self.around.people == Some(1) {
                self.find(&format!("{at}/approvers/self"), Code::GateImpossible, "the only person here may not say yes to their own work", "self: true");
            }
            self.not_yet(&format!("{at}/approvers"), approvers.distinct_roles, "distinct_roles", "leave it out");
        }
        if let Some(reject) = &gate.on_reject {
            match &reject.goto {
                Some(target) => {
                    let back = self.goto(target, &format!("{at}/on_reject/goto"), step, scope);
                    if !back && self.index.contains_key(target) {
                        self.find(&format!("{at}/on_reject/goto"), Code::GotoScope, format!("{target} stands behind this step"), "a no leads back");
                    }
                }
                None => self.find(&format!("{at}/on_reject"), Code::Shape, "nothing says where a no leads", "on_reject: {goto: <step>}"),
            }
            if !(1..=limits::WAY_BACK_MAX).contains(&reject.max) {
                self.find(
                    &format!("{at}/on_reject/max"),
                    Code::BackNoMax,
                    format!("a way back is gone {} times", reject.max),
                    format!("1 to {}", limits::WAY_BACK_MAX),
                );
            }
        }
        if let Some(timeout) = &gate.timeout {
            let at = format!("{at}/timeout");
            if timeout.after.is_none() || timeout.then.is_none() {
                self.find(&at, Code::Shape, "a timeout says after how long, and what then", "timeout: {after: 72h, then: escalate}");
            }
            self.course(timeout.then.as_ref(), &format!("{at}/then"), &["escalate", "reject", "fail"], step, scope);
        }
    }

    fn children(&mut self, gate: &Gate, at: &str, step: &Step, scope: &Scope) {
        let waits = gate.wait_for_children.as_ref().and_then(|switch| switch.on());
        if let Some(children) = &waits {
            let at = format!("{at}/wait_for_children");
            if let Some(text) = &children.filter {
                self.filter(text, &format!("{at}/filter"), scope);
            }
            for state in children.states.iter().flatten().filter(|state| Status::ALL.iter().all(|known| known.as_str() != state.as_str())) {
                self.find(&format!("{at}/states"), Code::Ref, format!("{state} is no status"), "open, done, cancelled");
            }
        }
        let any_waits = waits.is_some() || gate.sequential_children.as_ref().is_some_and(|switch| switch.on().is_some());
        let made = any(&self.document.steps, &|step| step.creates_children);
        if any_waits && gate.min_children.is_none() && !made && step.parallel.is_none() {
            let text = "waits for subtasks, and no step makes any: without subtasks the gate is open";
            self.find(at, Code::VacuousChildren, text, "min_children: 1, or creates_children: true where they are made");
        }
        self.not_yet(
            at,
            gate.sequential_children.as_ref().is_some_and(|switch| switch.on().is_some()),
            "sequential_children",
            "wait_for_children, and order them with what waits for what",
        );
    }

    fn words(&mut self, gate: &Gate, at: &str) {
        let Some(status) = &gate.task_status else { return };
        let at = format!("{at}/task_status");
        let (words, of): (Vec<&String>, Option<&str>) = match &status.0 {
            Given::Word(word) => (vec![word], None),
            Given::Words(words) => (words.iter().collect(), None),
            Given::Map(map) => {
                if map.is_in.is_some() == map.not_in.is_some() {
                    self.find(&at, Code::Shape, "says one of in, not_in", "task_status: {in: [done]}");
                }
                (map.is_in.iter().chain(&map.not_in).flatten().collect(), map.of.as_deref())
            }
            Given::Flag(_) => (Vec::new(), None),
        };
        for word in words {
            let known = Status::ALL.iter().any(|known| known.as_str() == word) || Standing::ALL.iter().any(|known| known.as_str() == word);
            if !known {
                let all: Vec<&str> = Standing::ALL.iter().map(|known| known.as_str()).collect();
                self.find(&at, Code::GateKey, format!("{word} is neither a status nor a standing"), format!("open, {}", all.join(", ")));
            }
        }
        if let Some(of) = of.filter(|of| !["self", "parent"].contains(of) && TaskId::parse(of).is_err()) {
            self.find(&format!("{at}/of"), Code::Ref, format!("{of} is no task"), "self, parent, or a task's id");
        }
    }

    fn evidence_and_notes(&mut self, gate: &Gate, at: &str) {
        for (place, wanted) in gate.require_evidence.iter().flatten().enumerate() {
            if wanted.name.trim().is_empty() {
                self.find(&format!("{at}/require_evidence/{place}"), Code::GateKey, "the evidence has no name", "name: tests");
            }
        }
        if let Some(notes) = gate.require_context.as_ref().and_then(|switch| switch.on())
            && notes.count == 0
        {
            self.find(&format!("{at}/require_context/count"), Code::GateImpossible, "no notes are wanted", "count: 1, or take the key out");
        }
    }

    fn fields(&mut self, gate: &Gate, at: &str, scope: &Scope) {
        for (place, wanted) in gate.require_fields.iter().flatten().enumerate() {
            let at = format!("{at}/require_fields/{place}");
            match &wanted.0 {
                Given::Word(field) => self.field(field, &at),
                Given::Map(FieldWanted { field, is: Some(rest) }) => {
                    self.filter(&format!("task.{field} {rest}"), &at, scope);
                }
                Given::Map(FieldWanted { field, is: None }) => self.field(field, &at),
                _ => {}
            }
        }
        match gate.wait_for_tasks.as_ref().map(|tasks| &tasks.0) {
            Some(Given::Words(ids)) => {
                for (place, id) in ids.iter().enumerate().filter(|(_, id)| TaskId::parse(id).is_err()) {
                    self.find(&format!("{at}/wait_for_tasks/{place}"), Code::Ref, format!("{id:?} is no task"), "tk- and six digits");
                }
            }
            Some(Given::Word(text)) if TaskId::parse(text).is_err() => {
                self.find(&format!("{at}/wait_for_tasks"), Code::NotYet, "tasks by a filter are not waited for yet", "name them: [tk-4f2a9c]");
            }
            _ => {}
        }
    }

    fn field(&mut self, field: &str, at: &str) {
        if Field::named(field).is_none() {
            let hint = Field::near(field).map_or_else(String::new, |near| format!("did you mean {}?", near.as_str()));
            self.find(at, Code::Ref, format!("a task has no field {field}"), hint);
        }
    }

    fn times(&mut self, gate: &Gate, at: &str) {
        let at = format!("{at}/wait_until");
        match gate.wait_until.as_ref().map(|until| &until.0) {
            Some(Given::Word(text)) if Moment::parse(text).is_none() && text.strip_prefix('+').and_then(filter::length).is_none() => {
                self.find(&at, Code::Shape, format!("{text:?} is no time"), "2027-01-05T08:00:00Z, +2h, or {field: due_at, offset: -1d}");
            }
            Some(Given::Map(until)) => {
                self.field(&until.field, &format!("{at}/field"));
                let signed = |text: &str| text.strip_prefix(['+', '-']).and_then(filter::length).is_some();
                if until.offset.as_deref().is_some_and(|offset| !signed(offset)) {
                    self.find(&format!("{at}/offset"), Code::Shape, "an offset has a sign and a length", "-1d");
                }
            }
            _ => {}
        }
    }
}

/// Whether its holder may send the work back: then a way back means something without a person.
fn step_can_go_back(step: &Step) -> bool {
    step.instructions.is_some() || step.op.is_some()
}
