//! What is said about the whole workflow: its name, its rules, its stores.

use super::Checker;
use crate::document::{SCHEMA, Step, is_slug};
use crate::finding::Code;
use contracts::limits;

/// Types a store's values may have.
const STORE_TYPES: [&str; 4] = ["text", "number", "bool", "any"];

impl Checker<'_> {
    pub(super) fn top(&mut self) {
        let document = self.document;
        match document.workflow.as_deref() {
            Some(name) if is_slug(name) => {}
            Some(name) => self.find("/workflow", Code::Shape, format!("{name:?} is no name"), "lower case letters, digits and dashes, at most 63"),
            None if self.formed => self.find("", Code::Shape, "the workflow has no name", "begin with: workflow: NAME"),
            None => {}
        }
        match document.schema {
            Some(SCHEMA) => {}
            Some(other) => self.find("/schema", Code::Shape, format!("the language has no version {other}"), format!("schema: {SCHEMA}")),
            None => {}
        }
        self.not_yet("", !document.policies.is_empty(), "policies", "say it in the steps that must know it");
        self.not_yet("", document.on_child_reopen.is_some(), "on_child_reopen", "leave it out: a gate that was passed stays passed");
        self.not_yet("", !document.on_cancel.is_empty(), "on_cancel", "leave it out: a run that is given up ends at once");
        let aged = self.source.value.pointer("/limits/age").is_some();
        self.not_yet("/limits", aged, "age", "leave it out");
        if document.steps.is_empty() && self.formed {
            self.find("", Code::Shape, "the workflow has no steps", "steps: [{id: work, instructions: What is to be done}]");
        }
        self.stores();
        self.rules();
    }

    fn stores(&mut self) {
        for (name, store) in &self.document.stores {
            let at = crate::source::step("/stores", name);
            if !is_slug(name) {
                self.find(&at, Code::Shape, format!("{name:?} is no name of a store"), "lower case letters, digits and dashes");
            }
            if let Some(of) = store.of.as_deref().filter(|of| !STORE_TYPES.contains(of)) {
                self.find(
                    &format!("{at}/of"),
                    Code::NotYet,
                    format!("values of the type {of} are not known yet"),
                    format!("one of {}", STORE_TYPES.join(", ")),
                );
            }
            if store.keep.as_deref().is_some_and(|keep| keep != "run") {
                self.not_yet(&at, true, "keep", "keep: run");
            }
        }
    }

    fn rules(&mut self) {
        let defaults: Vec<usize> = self.document.applies_to.iter().enumerate().filter(|(_, rule)| rule.is_default).map(|(place, _)| place).collect();
        for (earlier, later) in defaults.iter().zip(defaults.iter().skip(1)) {
            let (one, other) = (&self.document.applies_to[*earlier], &self.document.applies_to[*later]);
            if (&one.kind, &one.vertical, &one.milestone) == (&other.kind, &other.vertical, &other.milestone) {
                self.find(&format!("/applies_to/{later}"), Code::DefaultDup, "a second default for the same tasks", "keep default: true in one of them");
            }
        }
    }

    /// What only shows when all of it is seen.
    pub(super) fn whole(&mut self) {
        let total = self.order;
        if total > limits::WORKFLOW_STEPS_MAX {
            self.find("/steps", Code::Limit, format!("the workflow has {total} steps"), format!("at most {}", limits::WORKFLOW_STEPS_MAX));
        }
        if self.formed && !any(&self.document.steps, &|step| step.close.is_some()) {
            self.find("", Code::NoClose, "nothing closes the task: it stays in review until somebody does", "- {id: close, close: done}");
        }
        let mut gated = false;
        self.close_without_gate(&self.document.steps.clone(), "/steps", &mut gated);
    }

    /// Whether each close has a gate before it in the order of reading.
    fn close_without_gate(&mut self, steps: &[Step], pointer: &str, gated: &mut bool) {
        for (place, step) in steps.iter().enumerate() {
            let at = format!("{pointer}/{place}");
            for body in step.bodies() {
                self.close_without_gate(body.steps, &format!("{at}{}", body.part.pointer()), gated);
            }
            if step.close.is_some() && !*gated && step.entry_gate.is_none() {
                self.find(&at, Code::NoGateOnClose, "the task is closed and no gate stands before it", "give a step before it a gate");
            }
            *gated |= step.gate.is_some() || step.entry_gate.is_some();
        }
    }
}

/// Whether a step is among these, at any depth.
pub(super) fn any(steps: &[Step], is: &dyn Fn(&Step) -> bool) -> bool {
    steps.iter().any(|step| is(step) || step.bodies().iter().any(|body| any(body.steps, is)))
}
