//! Steps: their names, their kinds, and which keys fit them.

use super::Checker;
use crate::document::{Body, KINDS, Part, Step, is_slug};
use crate::finding::Code;
use contracts::limits;

/// Where a list of steps stands.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    /// The lists a way may lead to from here, the outermost first.
    pub lists: Vec<String>,
    /// Steps around it.
    pub depth: usize,
    /// Groups around it.
    pub groups: usize,
    /// Whether it is a lane.
    pub lane: bool,
    /// Whether a loop is around it.
    pub in_loop: bool,
}

/// Fields of the task that a `set` may write.
const SETTABLE: [&str; 7] = ["priority", "due_at", "type", "vertical", "complexity", "labels", "milestone"];

impl Checker<'_> {
    pub(super) fn index_of(&mut self, steps: &[Step], list: &str) {
        for (place, step) in steps.iter().enumerate() {
            self.order += 1;
            let at = format!("{list}/{place}");
            let is_lane = list.ends_with("/parallel");
            if let Some(id) = &step.id {
                let indexed = super::Indexed { order: self.order, list: list.to_owned(), is_lane };
                if self.index.insert(id.clone(), indexed).is_some() {
                    let code = if is_lane { Code::LaneDup } else { Code::IdDup };
                    self.find(&format!("{at}/id"), code, format!("a second step is named {id}"), "give each its own name");
                }
            }
            for Body { part, steps } in step.bodies() {
                self.index_of(steps, &format!("{at}{}", part.pointer()));
            }
        }
    }

    pub(super) fn list(&mut self, steps: &[Step], list: &str, around: &Scope) {
        let mut scope = around.clone();
        if !scope.lane {
            scope.lists.push(list.to_owned());
        }
        let mut reachable = true;
        for (place, step) in steps.iter().enumerate() {
            let at = format!("{list}/{place}");
            let named = step.id.as_deref().is_some_and(|id| self.is_target(id));
            if !reachable && !scope.lane && !named {
                self.find(&at, Code::Unreachable, format!("no way leads to {}", step.label()), "take it out, or lead a way to it with goto");
            }
            reachable = scope.lane || self.goes_on(step);
            self.step(step, &at, &scope);
        }
    }

    /// Whether the run can come to what stands behind the step.
    fn goes_on(&self, step: &Step) -> bool {
        let leaves = |steps: &[Step]| steps.last().is_none_or(|last| self.goes_on(last));
        if step.end.is_some() {
            return false;
        }
        match &step.decision {
            Some(branches) if !branches.is_empty() => {
                branches.iter().any(|branch| branch.goto.is_none() && branch.end.is_none() && leaves(branch.steps.as_deref().unwrap_or_default()))
            }
            _ => step.steps.as_deref().is_none_or(leaves),
        }
    }

    /// Whether some way is written to this step.
    fn is_target(&self, id: &str) -> bool {
        fn leads(value: &serde_json::Value, id: &str) -> bool {
            match value {
                serde_json::Value::Object(map) => map.iter().any(|(key, value)| {
                    let direct = key == "goto" && value.as_str() == Some(id);
                    direct || value.as_str().and_then(|text| text.strip_prefix("goto:")).is_some_and(|target| target.trim() == id) || leads(value, id)
                }),
                serde_json::Value::Array(items) => items.iter().any(|item| leads(item, id)),
                _ => false,
            }
        }
        leads(&self.source.value, id)
    }

    fn step(&mut self, step: &Step, at: &str, scope: &Scope) {
        self.name(step, at);
        if scope.depth >= limits::WORKFLOW_DEPTH_MAX {
            self.find(at, Code::Limit, "steps are nested too deeply", format!("at most {} levels", limits::WORKFLOW_DEPTH_MAX));
            return;
        }
        self.kind(step, at, scope);
        self.keys(step, at);
        self.later(step, at);
        self.instructions(step, at);
        self.flow(step, at, scope);
        if let Some(gate) = &step.gate {
            self.gate(gate, &format!("{at}/gate"), step, scope, false);
        }
        if let Some(gate) = &step.entry_gate {
            self.gate(gate, &format!("{at}/entry_gate"), step, scope, true);
        }
        for Body { part, steps } in step.bodies() {
            let inner = Scope {
                lists: if part.is_shut() { Vec::new() } else { scope.lists.clone() },
                depth: scope.depth + 1,
                groups: scope.groups + usize::from(part == Part::Lanes),
                lane: part == Part::Lanes,
                in_loop: scope.in_loop || part == Part::Pass,
            };
            // A step directly in a lane is the lane itself; what stands in it may go to and fro inside it.
            self.list(steps, &format!("{at}{}", part.pointer()), &inner);
        }
    }

    fn name(&mut self, step: &Step, at: &str) {
        match step.id.as_deref() {
            Some(id) if is_slug(id) => {}
            Some(id) => self.find(&format!("{at}/id"), Code::Shape, format!("{id:?} is no name of a step"), "lower case letters, digits and dashes"),
            None if self.formed => self.find(at, Code::Shape, "the step has no id", "id: NAME"),
            None => {}
        }
    }

    fn kind(&mut self, step: &Step, at: &str, scope: &Scope) {
        let kinds = step.kinds();
        match kinds.as_slice() {
            [] if step.gate.is_some() => {}
            [] if self.formed => {
                let hint = format!("one of {}; or a gate alone, for a checkpoint", KINDS.join(", "));
                self.find(at, Code::Kind, format!("nothing says what kind of step {} is", step.label()), hint);
            }
            [] | [_] => {}
            several => self.find(at, Code::Kind, format!("{} is several kinds at once: {}", step.label(), several.join(", ")), "keep one of them"),
        }
        if scope.lane && !kinds.iter().all(|kind| ["instructions", "op", "steps"].contains(kind)) {
            self.find(at, Code::Kind, format!("a lane is no {}", kinds.join(", ")), "give the lane steps, and put it there");
        }
        if let Some(lanes) = &step.parallel {
            if lanes.is_empty() || lanes.len() > limits::WORKFLOW_LANES_MAX {
                self.find(&format!("{at}/parallel"), Code::Limit, format!("{} lanes", lanes.len()), format!("1 to {}", limits::WORKFLOW_LANES_MAX));
            }
            if scope.groups >= limits::GROUP_DEPTH_MAX {
                self.find(&format!("{at}/parallel"), Code::Limit, "groups are nested too deeply", format!("at most {} levels", limits::GROUP_DEPTH_MAX));
            }
        }
        if step.steps.as_ref().is_some_and(Vec::is_empty) {
            self.find(&format!("{at}/steps"), Code::Shape, "a container without steps", "give it steps, or take it out");
        }
    }

    /// Keys that belong to another kind of step.
    fn keys(&mut self, step: &Step, at: &str) {
        let work = step.instructions.is_some() || step.op.is_some();
        let (parallel, invoke) = (step.parallel.is_some(), step.invoke.is_some());
        let misplaced = [
            ("join", step.join.is_some() && !parallel, "parallel"),
            ("on_lane_fail", step.on_lane_fail.is_some() && !parallel, "parallel"),
            ("conflict", step.conflict.is_some() && !parallel, "parallel"),
            ("max_parallel", step.max_parallel.is_some() && !parallel, "parallel"),
            ("header", step.header.is_some() && step.steps.is_none(), "steps"),
            ("merge", step.merge.is_some() && !invoke, "invoke"),
            ("allow_recursion", step.allow_recursion.is_some() && !invoke, "invoke"),
            ("with", step.given.is_some() && !invoke && step.op.is_none(), "invoke"),
            ("returns", step.returns.is_some() && !work, "instructions"),
            ("writes", !step.writes.is_empty() && !work, "instructions"),
            ("evidence", !step.evidence.is_empty() && !work, "instructions"),
            ("retry", step.retry.is_some() && !work, "instructions"),
            ("timeout", step.timeout.is_some() && !work, "instructions"),
            ("creates_children", step.creates_children && !work, "instructions"),
            ("on_timeout", step.on_timeout.is_some() && step.timeout.is_none(), "timeout"),
        ];
        for (key, is, belongs) in misplaced {
            if is {
                self.find(&format!("{at}/{key}"), Code::Key, format!("{key} means nothing here"), format!("it belongs to a step with {belongs}"));
            }
        }
    }

    /// What is legal and not carried out yet.
    fn later(&mut self, step: &Step, at: &str) {
        self.not_yet(at, step.op.is_some(), "op", "write instructions");
        self.not_yet(at, step.include.is_some(), "use", "write the steps out");
        self.not_yet(at, step.executor.is_some(), "executor", "leave it out: work is done where the agent is");
        self.not_yet(at, step.provider.is_some(), "provider", "leave it out: the client chooses");
        self.not_yet(at, step.recall.is_some(), "recall", "ask for it in the instructions");
        self.not_yet(at, !step.fallback.is_empty(), "fallback", "leave it out");
        self.not_yet(at, step.invoke.is_some(), "invoke", "write the steps out");
        self.not_yet(at, !step.notify.is_empty(), "notify", "leave it out");
        self.not_yet(at, step.on_timeout.is_some(), "on_timeout", "leave it out: a step that is not given back in time is open again");
        if let Some(repeat) = &step.repeat {
            let at = format!("{at}/loop");
            self.not_yet(&at, repeat.concurrency.is_some(), "concurrency", "passes run one after another");
            self.not_yet(&at, !repeat.carry.is_empty(), "carry", "keep it in a store");
        }
        if let Some(retry) = &step.retry {
            self.not_yet(&format!("{at}/retry"), retry.backoff.is_some(), "backoff", "it is tried again at once");
        }
        for (place, branch) in step.decision.iter().flatten().enumerate() {
            let at = format!("{at}/decision/{place}");
            self.not_yet(&at, branch.invoke.is_some(), "invoke", "write the steps out");
        }
        for (below, fault) in step.returns.iter().flat_map(crate::returns::faults_of_schema) {
            self.find(&format!("{at}/returns{below}"), Code::Shape, fault, "returns: {type: object, properties: {path: {type: string}}, required: [path]}");
        }
    }

    fn instructions(&mut self, step: &Step, at: &str) {
        if let Some(text) = &step.instructions {
            if text.trim().is_empty() {
                self.find(&format!("{at}/instructions"), Code::NoInstructions, format!("{} does not say what is to be done", step.label()), "write it down");
            }
            if text.len() > limits::STEP_INSTRUCTIONS_BYTES_MAX {
                let hint = format!("at most {}", limits::STEP_INSTRUCTIONS_BYTES_MAX);
                self.find(&format!("{at}/instructions"), Code::Limit, format!("the instructions have {} bytes", text.len()), hint);
            }
        }
        if let Some(label) = step.agent.as_deref().filter(|label| !self.document.agents.contains_key(*label)) {
            let text = format!("no line under agents says what {label} is for");
            self.find(&format!("{at}/agent"), Code::AgentUndeclared, text, format!("agents: {{{label}: what it does}}"));
        }
        for field in step.set.iter().flat_map(serde_json::Map::keys) {
            if !SETTABLE.contains(&field.as_str()) {
                self.find(&format!("{at}/set/{field}"), Code::Ref, format!("a workflow does not set {field}"), format!("one of {}", SETTABLE.join(", ")));
            }
        }
    }
}
