//! How a run moves: branches, ways back, loops, waits, what is invoked, and the names that filters and texts ask for.

use super::Checker;
use super::steps::Scope;
use crate::condition::{self, Condition};
use crate::document::{Branch, Course, Given, Loop, Step};
use crate::finding::Code;
use crate::reference;
use contracts::limits;
use filter::Field;
use serde_json::Value;

impl Checker<'_> {
    pub(super) fn flow(&mut self, step: &Step, at: &str, scope: &Scope) {
        if let Some(text) = &step.when {
            self.filter(text, &format!("{at}/when"), scope);
        }
        self.course(step.on_fail.as_ref(), &format!("{at}/on_fail"), &["fail_run", "continue", "ask"], step, scope);
        self.course(step.on_timeout.as_ref(), &format!("{at}/on_timeout"), &["fail", "ask"], step, scope);
        for (key, text) in [("instructions", &step.instructions), ("header", &step.header)] {
            if let Some(text) = text {
                self.text(text, &format!("{at}/{key}"), scope);
            }
        }
        for (key, value) in [("with", step.given.clone()), ("set", step.set.clone().map(Value::Object))] {
            self.texts(value.as_ref(), &format!("{at}/{key}"), scope);
        }
        self.waits(step, at);
        if let Some(branches) = &step.decision {
            self.decision(step, branches, &format!("{at}/decision"), scope);
        }
        if let Some(repeat) = &step.repeat {
            self.repeat(repeat, &format!("{at}/loop"), scope);
        }
        if let Some(slug) = &step.invoke {
            self.invoke(slug, step.allow_recursion.unwrap_or(0), &format!("{at}/invoke"));
        }
        self.joins(step, at);
        if let Some(retry) = &step.retry
            && (retry.max == 0 || retry.max > limits::WAY_BACK_MAX)
        {
            self.find(&format!("{at}/retry/max"), Code::Limit, format!("{} tries", retry.max), format!("1 to {}", limits::WAY_BACK_MAX));
        }
    }

    fn waits(&mut self, step: &Step, at: &str) {
        if let Some(wait) = &step.wait {
            let said = [wait.length.is_some(), wait.until.is_some(), wait.event.is_some()].into_iter().filter(|is| *is).count();
            if said != 1 {
                self.find(&format!("{at}/wait"), Code::Shape, "a wait says one of for, until, event", "wait: {for: 2h}");
            }
            if let Some(until) = wait.until.as_deref().filter(|until| contracts::Moment::parse(until).is_none()) {
                self.find(&format!("{at}/wait/until"), Code::Shape, format!("{until:?} is no time"), "2027-01-05T08:00:00Z");
            }
        }
        if let Some(close) = &step.close {
            let status = match &close.0 {
                Given::Word(word) => Some(word.as_str()),
                Given::Map(close) => close.status.as_deref(),
                _ => None,
            };
            if !matches!(status, Some("done" | "cancelled")) {
                self.find(&format!("{at}/close"), Code::Shape, "a task is closed as done or cancelled", "close: done");
            }
        }
    }

    fn joins(&mut self, step: &Step, at: &str) {
        let lanes: Vec<&str> = step.parallel.iter().flatten().filter_map(|lane| lane.id.as_deref()).collect();
        let Some(join) = &step.join else { return };
        let at = format!("{at}/join");
        match &join.0 {
            Given::Word(word) if ["all", "any"].contains(&word.as_str()) => {}
            Given::Map(join) if join.quorum.is_some() != join.required.is_some() => {
                if let Some(quorum) = join.quorum.filter(|quorum| *quorum == 0 || usize::try_from(*quorum).map_or(true, |quorum| quorum > lanes.len())) {
                    self.find(&at, Code::Limit, format!("a quorum of {quorum} of {} lanes", lanes.len()), format!("1 to {}", lanes.len()));
                }
                for id in join.required.iter().flatten().filter(|id| !lanes.contains(&id.as_str())) {
                    self.find(&at, Code::Ref, format!("there is no lane {id}"), format!("lanes: {}", lanes.join(", ")));
                }
            }
            _ => self.find(&at, Code::Shape, "lanes are joined by all, any, a quorum, or those that are required", "join: all"),
        }
    }

    fn invoke(&mut self, name: &str, recursion: u32, at: &str) {
        let slug = name.split('@').next().unwrap_or_default();
        if slug == self.document.slug() || self.invokes(slug, &mut Vec::new()) {
            if recursion == 0 {
                self.find(at, Code::InvokeCycle, format!("{slug} would carry itself"), "take it out, or write allow_recursion: 1");
            }
        } else if !self.around.workflows.contains_key(slug) {
            let known: Vec<&str> = self.around.workflows.keys().map(String::as_str).collect();
            let near = crate::shape::nearest(slug, &known).map(|near| format!("did you mean {near}?"));
            self.find(at, Code::Ref, format!("there is no workflow {slug}"), near.unwrap_or_else(|| "save it first: callboard workflow save".to_owned()));
        }
    }

    /// Whether a workflow comes to invoke the one that is checked.
    fn invokes(&self, slug: &str, seen: &mut Vec<String>) -> bool {
        if seen.iter().any(|one| one == slug) {
            return false;
        }
        seen.push(slug.to_owned());
        let own = self.document.slug();
        self.around.workflows.get(slug).is_some_and(|invoked| invoked.iter().any(|next| next == own || self.invokes(next, seen)))
    }

    fn decision(&mut self, step: &Step, branches: &[Branch], at: &str, scope: &Scope) {
        if branches.is_empty() || branches.len() > limits::WORKFLOW_BRANCHES_MAX {
            self.find(at, Code::Limit, format!("{} branches", branches.len()), format!("1 to {}", limits::WORKFLOW_BRANCHES_MAX));
        }
        let mut conditions: Vec<Condition> = Vec::new();
        let (mut default, mut ids) = (false, Vec::new());
        for (place, branch) in branches.iter().enumerate() {
            let here = format!("{at}/{place}");
            self.branch(step, branch, &here, scope);
            if let Some(id) = &branch.id {
                if ids.contains(id) {
                    self.find(&format!("{here}/id"), Code::IdDup, format!("a second branch is named {id}"), "give each its own name");
                }
                ids.push(id.clone());
            }
            if default {
                self.find(&here, Code::DecisionDead, "nothing is left for a branch behind the default", "put the default last");
            }
            match branch.when.as_deref() {
                Some("default") => default = true,
                Some(text) => {
                    if let Some(condition) = self.filter(text, &format!("{here}/when"), scope) {
                        if conditions.iter().any(|other| other.says_the_same_as(&condition)) {
                            self.find(&format!("{here}/when"), Code::DecisionDead, "a branch before it takes all of this", "take one of the two out");
                        }
                        conditions.push(condition);
                    }
                }
                None => {}
            }
        }
        let all_read = conditions.len() == branches.iter().filter(|branch| branch.when.is_some()).count();
        if !default && all_read && self.formed && !covers(&conditions) {
            let text = format!("{} may match no branch", step.label());
            self.find(at, Code::DecisionNoDefault, text, "end it with {id: otherwise, when: default}");
        }
    }

    fn branch(&mut self, step: &Step, branch: &Branch, at: &str, scope: &Scope) {
        if branch.id.as_deref().is_none_or(|id| !crate::document::is_slug(id)) && self.formed {
            self.find(at, Code::Shape, "the branch has no name", "id: NAME");
        }
        if branch.when.is_none() && self.formed {
            self.find(at, Code::Shape, "the branch does not say when it is taken", "when: a filter, or default");
        }
        if branch.steps.is_some() && branch.invoke.is_some() {
            self.find(at, Code::Kind, "a branch has steps or invokes, not both", "put the invocation into the steps");
        }
        if branch.goto.is_some() && branch.end.is_some() {
            self.find(at, Code::Kind, "a branch goes on somewhere or ends the run, not both", "keep one of them");
        }
        if let Some(slug) = &branch.invoke {
            self.invoke(slug, 0, &format!("{at}/invoke"));
        }
        self.texts(branch.given.as_ref(), &format!("{at}/with"), scope);
        self.course(branch.on_fail.as_ref(), &format!("{at}/on_fail"), &["fail_run", "continue", "ask"], step, scope);
        if let Some(target) = &branch.goto {
            let back = self.goto(target, &format!("{at}/goto"), step, scope);
            match branch.max {
                Some(max) if !(1..=limits::WAY_BACK_MAX).contains(&max) => {
                    self.find(&format!("{at}/max"), Code::BackNoMax, format!("a way back is gone {max} times"), format!("1 to {}", limits::WAY_BACK_MAX));
                }
                None if back => {
                    let text = format!("the way back to {target} has no end");
                    self.find(at, Code::BackNoMax, text, format!("max: {}", limits::WAY_BACK_DEFAULT));
                }
                _ => {}
            }
        }
    }

    fn repeat(&mut self, repeat: &Loop, at: &str, scope: &Scope) {
        let said = [repeat.over.is_some(), repeat.go_on.is_some(), repeat.until.is_some()].into_iter().filter(|is| *is).count();
        if said != 1 {
            self.find(at, Code::Shape, "a loop says one of over, while, until", "loop: {until: output.done, max: 3, steps: […]}");
        }
        match repeat.max {
            Some(max) if (1..=limits::LOOP_PASSES_MAX).contains(&max) => {}
            Some(max) => self.find(&format!("{at}/max"), Code::Limit, format!("{max} passes"), format!("1 to {}", limits::LOOP_PASSES_MAX)),
            None => self.find(at, Code::BackNoMax, "the loop has no end", "max: 10"),
        }
        if repeat.steps.is_empty() && self.formed {
            self.find(at, Code::Shape, "a loop without steps", "steps: […]");
        }
        let inside = Scope { in_loop: true, ..scope.clone() };
        for (key, text) in [("while", &repeat.go_on), ("until", &repeat.until)] {
            if let Some(text) = text {
                self.filter(text, &format!("{at}/{key}"), &inside);
            }
        }
        match &repeat.over {
            None | Some(Value::Array(_)) => {}
            Some(Value::String(name)) => self.name_of(name, &format!("{at}/over"), scope),
            Some(Value::Object(map)) if map.contains_key("pool") => {
                self.find(&format!("{at}/over"), Code::NotYet, "pools are not carried out yet", "name a list")
            }
            Some(_) => self.find(&format!("{at}/over"), Code::Shape, "a loop goes over a list or the name of one", "over: steps.plan.output.files"),
        }
        self.texts(Some(&Value::Object(repeat.carry.clone().into_iter().collect())), &format!("{at}/carry"), &inside);
    }

    /// A word that may stand there, or a way.
    pub(super) fn course(&mut self, course: Option<&Course>, at: &str, words: &[&str], step: &Step, scope: &Scope) {
        match course {
            Some(Course::Word(word)) if !words.contains(&word.as_str()) => {
                self.find(at, Code::Shape, format!("{word} is no way to go on"), format!("{} or goto:<step>", words.join(", ")));
            }
            Some(Course::Goto(target)) => {
                self.goto(target, at, step, scope);
            }
            _ => {}
        }
    }

    /// Whether a way leads back; a way that leads nowhere is told.
    pub(super) fn goto(&mut self, target: &str, at: &str, step: &Step, scope: &Scope) -> bool {
        let Some(there) = self.index.get(target) else {
            let known: Vec<&str> = self.index.keys().map(String::as_str).collect();
            let hint = crate::shape::nearest(target, &known).map_or_else(|| format!("steps: {}", known.join(", ")), |near| format!("did you mean {near}?"));
            self.find(at, Code::Ref, format!("there is no step {target}"), hint);
            return false;
        };
        let own = step.id.as_deref().and_then(|id| self.index.get(id)).map_or(0, |own| own.order);
        let (back, inside) = (there.order <= own, scope.lists.contains(&there.list) && !there.is_lane);
        if !inside {
            let hint = "a way stays in its list or leads outwards, never into or out of a lane or a loop, nor into a branch";
            self.find(at, Code::GotoScope, format!("no way leads from {} to {target}", step.label()), hint);
        }
        back
    }

    /// Reads a filter and looks up what it asks for.
    pub(super) fn filter(&mut self, text: &str, at: &str, scope: &Scope) -> Option<Condition> {
        match condition::read(text) {
            Ok(condition) => {
                for name in condition.names() {
                    self.name_of(name, at, scope);
                }
                Some(condition)
            }
            Err(fault) => {
                let later = fault.text.ends_with("not carried out yet");
                let code = if fault.is_type {
                    Code::Type
                } else if later {
                    Code::NotYet
                } else {
                    Code::Filter
                };
                self.find(at, code, fault.text, fault.hint);
                None
            }
        }
    }

    fn texts(&mut self, value: Option<&Value>, at: &str, scope: &Scope) {
        match value {
            Some(Value::String(text)) => self.text(text, at, scope),
            Some(Value::Array(items)) => items.iter().enumerate().for_each(|(place, item)| self.texts(Some(item), &format!("{at}/{place}"), scope)),
            Some(Value::Object(map)) => map.iter().for_each(|(key, item)| self.texts(Some(item), &crate::source::step(at, key), scope)),
            _ => {}
        }
    }

    /// Reads a text with references and looks up each.
    pub(super) fn text(&mut self, text: &str, at: &str, scope: &Scope) {
        match reference::references(text) {
            Ok(references) => references.iter().for_each(|reference| self.name_of(&reference.name, at, scope)),
            Err(fault) => self.find(at, Code::Ref, fault, "{{ task.title }}"),
        }
    }

    /// Whether a name can have a value.
    fn name_of(&mut self, name: &str, at: &str, scope: &Scope) {
        let mut parts = name.split('.');
        let (root, first) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let (there, known): (bool, Vec<&str>) = match root {
            "task" => (Field::named(first).is_some() || ["spec", "fields"].contains(&first), Field::ALL.iter().map(|field| field.as_str()).collect()),
            "vars" => (self.document.vars.contains_key(first), self.document.vars.keys().map(String::as_str).collect()),
            "stores" => (self.document.stores.contains_key(first), self.document.stores.keys().map(String::as_str).collect()),
            "steps" => (self.index.contains_key(first), self.index.keys().map(String::as_str).collect()),
            "lanes" => {
                let lanes: Vec<&str> = self.index.iter().filter(|(_, step)| step.is_lane).map(|(id, _)| id.as_str()).collect();
                (lanes.contains(&first), lanes)
            }
            "run" => (["input", "id", "workflow"].contains(&first), vec!["input", "id", "workflow"]),
            "loop" => (scope.in_loop && ["index", "item", "output", "outputs"].contains(&first), vec!["index", "item", "output", "outputs"]),
            "children" => (["total", "open"].contains(&first), vec!["total", "open"]),
            "output" => (true, Vec::new()),
            "const" => return self.find(at, Code::NotYet, "constants are not carried out yet", "write the value out, or use vars"),
            "pool" | "fire" => return self.find(at, Code::NotYet, format!("{root}. is not carried out yet"), "ask the task, the steps or the stores"),
            _ => (false, reference::ROOTS.to_vec()),
        };
        if !there {
            let word = if reference::ROOTS.contains(&root) { first } else { root };
            let near = crate::shape::nearest(word, &known).map(|near| format!("did you mean {near}?"));
            let hint = near.unwrap_or_else(|| if known.is_empty() { "declare it first".to_owned() } else { format!("known: {}", known.join(", ")) });
            self.find(at, Code::Ref, format!("{name} names nothing"), hint);
        }
    }
}

/// Whether filters on one field with fixed words let every one of them through, the missing one too.
fn covers(conditions: &[Condition]) -> bool {
    let mut field = None;
    let mut words: Vec<Option<&str>> = Vec::new();
    for condition in conditions {
        let Some((name, some)) = condition.words_of_one_field() else { return false };
        if *field.get_or_insert(name) != name {
            return false;
        }
        words.extend(some);
    }
    let Some(field) = field.and_then(|name| name.strip_prefix("task.")).and_then(Field::named) else { return false };
    let all = field.words();
    // Every task has a status, a standing and a column; its size may be missing.
    let may_be_missing = field == Field::Complexity;
    !all.is_empty() && all.iter().all(|word| words.contains(&Some(word))) && (!may_be_missing || words.contains(&None))
}
