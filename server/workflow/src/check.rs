//! Every rule of the language, with all findings at once.

mod flow;
mod gates;
mod steps;
mod top;

use crate::document::{Document, Step};
use crate::finding::{Code, Finding};
use crate::shape::shape;
use crate::source::{Source, read};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What a check knows beside the text.
#[derive(Clone, Debug, Default)]
pub struct Around {
    /// The other workflows that are in force, each with those it invokes.
    pub workflows: BTreeMap<String, BTreeSet<String>>,
    /// How many people belong to the project, when that is known.
    pub people: Option<usize>,
}

/// How much a workflow holds: what an agent reads back to its person.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Its name.
    pub workflow: String,
    /// Steps of its outermost list.
    pub steps: usize,
    /// Gates.
    pub gates: usize,
    /// Decisions.
    pub decisions: usize,
    /// Groups of lanes.
    pub parallel: usize,
    /// Codes of its warnings.
    pub warnings: Vec<Code>,
}

/// A text that was checked.
#[derive(Clone, Debug)]
pub struct Checked {
    /// What it says and where.
    pub source: Source,
    /// The same, typed, as far as its form allows.
    pub document: Document,
    /// Everything there is to say, in the order of the text.
    pub findings: Vec<Finding>,
}

impl Checked {
    /// Whether it may be saved.
    pub fn is_sound(&self) -> bool {
        self.findings.iter().all(|finding| finding.code.is_warning())
    }

    /// Its counts.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts { workflow: self.document.slug().to_owned(), steps: self.document.steps.len(), ..Counts::default() };
        count(&self.document.steps, &mut counts);
        counts.warnings = self.findings.iter().map(|finding| finding.code).filter(|code| code.is_warning()).collect();
        counts
    }
}

fn count(steps: &[Step], counts: &mut Counts) {
    for step in steps {
        counts.gates += usize::from(step.gate.is_some()) + usize::from(step.entry_gate.is_some());
        counts.decisions += usize::from(step.decision.is_some());
        counts.parallel += usize::from(step.parallel.is_some());
        step.bodies().iter().for_each(|body| count(body.steps, counts));
    }
}

/// Checks a text.
///
/// # Errors
/// What kept it from being read at all.
pub fn check(text: &str, around: &Around) -> Result<Checked, Vec<Finding>> {
    read(text).map(|source| check_source(source, around))
}

/// Checks a document that was read.
pub fn check_source(source: Source, around: &Around) -> Checked {
    let (document, mut findings) = shape(&source);
    // A part that was taken out for its form would be told a second time as missing.
    let formed = findings.is_empty();
    let mut checker = Checker { source: &source, document: &document, around, formed, findings: Vec::new(), index: BTreeMap::new(), order: 0 };
    checker.top();
    checker.index_of(&document.steps, "/steps");
    checker.index_of(&document.on_cancel, "/on_cancel");
    checker.list(&document.steps, "/steps", &steps::Scope::default());
    checker.list(&document.on_cancel, "/on_cancel", &steps::Scope::default());
    checker.whole();
    findings.append(&mut checker.findings);
    findings.sort_by(|a, b| (a.line, a.column, a.code, &a.pointer).cmp(&(b.line, b.column, b.code, &b.pointer)));
    findings.dedup();
    Checked { source, document, findings }
}

/// A step as the others refer to it.
struct Indexed {
    /// Its place in the order of reading.
    order: usize,
    /// The list it stands in.
    list: String,
    /// Whether that list is the lanes of a group.
    is_lane: bool,
}

struct Checker<'a> {
    source: &'a Source,
    document: &'a Document,
    around: &'a Around,
    formed: bool,
    findings: Vec<Finding>,
    index: BTreeMap<String, Indexed>,
    order: usize,
}

impl Checker<'_> {
    fn find(&mut self, pointer: &str, code: Code, text: impl Into<String>, hint: impl Into<String>) {
        let finding = self.source.finding(pointer, code, text, hint);
        self.findings.push(finding);
    }

    /// A key that is legal and not carried out yet.
    fn not_yet(&mut self, pointer: &str, there: bool, key: &str, instead: &str) {
        if there {
            self.find(&format!("{pointer}/{key}"), Code::NotYet, format!("{key} is part of the language and not carried out yet"), instead);
        }
    }
}
