//! Which workflow carries a task: by its fields, else by its words, else by what somebody called the default. No model is asked, and the
//! answer can be explained to the digit.

mod words;

use crate::document::{Document, Rule};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
pub use words::tokens;

/// Share of the query's weight that a workflow's words must match.
pub const COVERAGE_LEAST: f64 = 0.30;
/// How far the best must be ahead of the second.
pub const MARGIN_LEAST: f64 = 0.15;
/// Characters of the task's text that are looked at beside its title.
const SPEC_CHARS: usize = 400;
/// Guesses that are told when nothing was decided.
const GUESSES: usize = 3;

/// What routing looks at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Subject {
    /// The task's title.
    pub title: String,
    /// Its text.
    pub spec: String,
    /// Its type.
    pub kind: String,
    /// The part of the product.
    pub vertical: Option<String>,
    /// Its labels.
    pub labels: Vec<String>,
    /// Its milestone, by id and by title.
    pub milestone: Vec<String>,
    /// Where it came from.
    pub source: Option<String>,
}

/// Why a workflow was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// Somebody named it.
    Explicit,
    /// Its rules alone fit.
    Facets,
    /// Its examples read like the task.
    Text,
    /// It is the default among those that fit.
    Default,
    /// It is the project's default.
    Project,
    /// None was.
    Unrouted,
}

/// Why a workflow was not chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rejected {
    /// Which.
    pub workflow: String,
    /// Why.
    pub why: String,
}

/// How a workflow's examples read beside the task.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TextScore {
    /// Which.
    pub workflow: String,
    /// Of its best example, to six places.
    pub score: f64,
    /// Weight of the query's words that this example has, as a share of all of it.
    pub coverage: f64,
    /// The example.
    pub document: String,
    /// What each word added.
    pub terms: Vec<(String, f64)>,
}

/// The answer and all that led to it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explained {
    /// The workflow, if one was chosen.
    pub chosen: Option<String>,
    /// By what.
    pub reason: Reason,
    /// The workflows whose rules fit best.
    pub tier: Vec<String>,
    /// A workflow whose rules say that only a person may carry such a task another way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<String>,
    /// The others.
    pub rejected: Vec<Rejected>,
    /// Scores of those whose words were compared, the best first.
    pub text: Vec<TextScore>,
    /// The lead of the best over the second.
    pub margin: f64,
    /// What coverage and margin must reach.
    pub thresholds: (f64, f64),
    /// Examples that were compared with.
    pub corpus: usize,
}

/// Finds the workflow of a task. `named` is what the caller asked for, `default` the project's.
pub fn route(subject: &Subject, workflows: &BTreeMap<String, Document>, named: Option<&str>, default: Option<&str>) -> Explained {
    let fits: Vec<(&String, &Document, u8)> = workflows
        .iter()
        .filter_map(|(slug, document)| Some((slug, document, document.applies_to.iter().filter_map(|rule| specificity(rule, subject)).max()?)))
        .collect();
    let best = fits.iter().map(|(_, _, tier)| *tier).max();
    let tier: Vec<&String> = fits.iter().filter(|(_, _, own)| Some(*own) == best).map(|(slug, _, _)| *slug).collect();
    let required = fits.iter().find(|(_, document, _)| document.applies_to.iter().any(|rule| rule.required && specificity(rule, subject).is_some()));
    let mut explained = Explained {
        chosen: None,
        reason: Reason::Unrouted,
        tier: tier.iter().map(|slug| (*slug).clone()).collect(),
        required: required.map(|(slug, _, _)| (*slug).clone()),
        rejected: Vec::new(),
        text: Vec::new(),
        margin: 0.0,
        thresholds: (COVERAGE_LEAST, MARGIN_LEAST),
        corpus: 0,
    };
    if let Some(named) = named {
        return choose(explained, named, Reason::Explicit, workflows);
    }
    if let [only] = tier.as_slice() {
        let only = (*only).clone();
        return choose(explained, &only, Reason::Facets, workflows);
    }
    let compared: Vec<&String> =
        if tier.is_empty() { workflows.iter().filter(|(_, document)| !document.examples.is_empty()).map(|(slug, _)| slug).collect() } else { tier.clone() };
    score(&mut explained, subject, workflows, &compared);
    let (first, second) = (explained.text.first(), explained.text.get(1));
    let lead = first.map_or(0.0, |best| best.score);
    explained.margin = if lead > 0.0 { six((lead - second.map_or(0.0, |second| second.score)) / lead) } else { 0.0 };
    if let Some(best) = first.filter(|best| best.score > 0.0 && best.coverage >= COVERAGE_LEAST && explained.margin >= MARGIN_LEAST) {
        let best = best.workflow.clone();
        return choose(explained, &best, Reason::Text, workflows);
    }
    let is_default = |slug: &&&String| {
        workflows.get(**slug).is_some_and(|document| document.applies_to.iter().any(|rule| rule.is_default && specificity(rule, subject).is_some()))
    };
    let mut defaults: Vec<&String> = tier.iter().filter(|slug| is_default(slug)).copied().collect();
    defaults.sort_by_key(|slug| (std::cmp::Reverse(workflows.get(*slug).map_or(0, |document| document.priority)), (*slug).clone()));
    if let Some(first) = defaults.first() {
        let first = (*first).clone();
        return choose(explained, &first, Reason::Default, workflows);
    }
    match default.filter(|slug| workflows.contains_key(*slug)) {
        Some(slug) => choose(explained, slug, Reason::Project, workflows),
        None => {
            explained.rejected =
                explained.text.iter().take(GUESSES).map(|guess| Rejected { workflow: guess.workflow.clone(), why: below(guess, explained.margin) }).collect();
            explained
        }
    }
}

fn choose(mut explained: Explained, slug: &str, reason: Reason, workflows: &BTreeMap<String, Document>) -> Explained {
    explained.chosen = Some(slug.to_owned());
    explained.reason = reason;
    let why = |other: &String| match explained.text.iter().find(|score| score.workflow == *other) {
        Some(score) => below(score, explained.margin),
        None if explained.tier.contains(other) => "its rules fit as well, and another was chosen".to_owned(),
        None => "no rule of it fits as closely".to_owned(),
    };
    let others = workflows.keys().filter(|other| other.as_str() != slug);
    explained.rejected = others.map(|other| Rejected { workflow: other.clone(), why: why(other) }).collect();
    explained
}

fn below(score: &TextScore, margin: f64) -> String {
    format!("score {:.6}, coverage {:.6} (at least {COVERAGE_LEAST:.2}), lead {margin:.6} (at least {MARGIN_LEAST:.2})", score.score, score.coverage)
}

/// How closely a rule fits, or that it does not: milestone counts most, then type, part of the product, labels.
fn specificity(rule: &Rule, subject: &Subject) -> Option<u8> {
    let facet = |said: &Option<String>, own: &dyn Fn(&str) -> bool| said.as_deref().is_none_or(own);
    let fits = facet(&rule.milestone, &|name| subject.milestone.iter().any(|own| own.eq_ignore_ascii_case(name)))
        && facet(&rule.kind, &|kind| subject.kind == kind)
        && facet(&rule.vertical, &|part| subject.vertical.as_deref() == Some(part))
        && facet(&rule.source, &|source| subject.source.as_deref() == Some(source))
        && rule.labels_all.iter().all(|label| subject.labels.contains(label))
        && (rule.labels_any.is_empty() || rule.labels_any.iter().any(|label| subject.labels.contains(label)));
    let labels = !rule.labels_all.is_empty() || !rule.labels_any.is_empty();
    let weights = [(rule.milestone.is_some(), 8), (rule.kind.is_some(), 4), (rule.vertical.is_some(), 2), (labels, 1)];
    fits.then(|| weights.into_iter().filter(|(said, _)| *said).map(|(_, weight)| weight).sum())
}

/// An example, taken apart.
struct Example<'a> {
    workflow: &'a str,
    text: &'a str,
    words: Vec<String>,
}

/// Scores the examples of some workflows; the best of each counts.
fn score(explained: &mut Explained, subject: &Subject, workflows: &BTreeMap<String, Document>, compared: &[&String]) {
    let documents: Vec<(&String, &Document)> = compared.iter().filter_map(|slug| workflows.get_key_value(*slug)).collect();
    let examples: Vec<Example<'_>> =
        documents.iter().flat_map(|(workflow, document)| document.examples.iter().map(|text| Example { workflow, text, words: tokens(text) })).collect();
    explained.corpus = examples.len();
    let spec: String = subject.spec.chars().take(SPEC_CHARS).collect();
    let mut query = Vec::new();
    for word in tokens(&format!("{} {spec}", subject.title)) {
        if !query.contains(&word) {
            query.push(word);
        }
    }
    let corpus = Corpus::of(&examples);
    let whole: f64 = query.iter().map(|word| corpus.weight(word)).sum();
    for (workflow, document) in &documents {
        let own = examples.iter().filter(|example| example.workflow == workflow.as_str());
        let scored = own.map(|example| (example, corpus.terms(&query, &example.words)));
        let total = |terms: &[(String, f64)]| six(terms.iter().map(|(_, score)| score).sum());
        let mut best: Option<(&Example<'_>, Vec<(String, f64)>)> = None;
        for (example, terms) in scored {
            if best.as_ref().is_none_or(|(_, other)| total(&terms) > total(other)) {
                best = Some((example, terms));
            }
        }
        let Some((example, terms)) = best else { continue };
        let refuted = document.not_examples.iter().map(|text| total(&corpus.terms(&query, &tokens(text)))).fold(0.0, f64::max);
        let score = total(&terms);
        if score > 0.0 && refuted >= score {
            continue;
        }
        let matched: f64 = query.iter().filter(|word| example.words.contains(word)).map(|word| corpus.weight(word)).sum();
        let coverage = if whole > 0.0 { six(matched / whole) } else { 0.0 };
        let terms = terms.into_iter().map(|(word, score)| (word, six(score))).collect();
        explained.text.push(TextScore { workflow: (*workflow).clone(), score, coverage, document: example.text.to_owned(), terms });
    }
    let priority = |slug: &str| workflows.get(slug).map_or(0, |document| document.priority);
    explained
        .text
        .sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| priority(&b.workflow).cmp(&priority(&a.workflow))).then_with(|| a.workflow.cmp(&b.workflow)));
}

/// What is known of the examples as a whole.
struct Corpus {
    documents: f64,
    length: f64,
    seen: BTreeMap<String, f64>,
}

/// How fast more of the same word stops counting.
const K1: f64 = 1.2;
/// How much a long example is held against it.
const B: f64 = 0.75;

impl Corpus {
    fn of(examples: &[Example<'_>]) -> Corpus {
        let mut seen = BTreeMap::new();
        for example in examples {
            for word in example.words.iter().collect::<BTreeSet<_>>() {
                *seen.entry(word.clone()).or_insert(0.0) += 1.0;
            }
        }
        let count = |many: usize| u32::try_from(many).map_or(f64::from(u32::MAX), f64::from);
        let documents = count(examples.len());
        let words: usize = examples.iter().map(|example| example.words.len()).sum();
        Corpus { documents, length: if examples.is_empty() { 1.0 } else { count(words) / documents }, seen }
    }

    fn weight(&self, word: &str) -> f64 {
        let seen = self.seen.get(word).copied().unwrap_or(0.0);
        (1.0 + (self.documents - seen + 0.5) / (seen + 0.5)).ln()
    }

    fn terms(&self, query: &[String], words: &[String]) -> Vec<(String, f64)> {
        let long = 1.0 - B + B * f64::from(u32::try_from(words.len()).unwrap_or(u32::MAX)) / self.length;
        let mut terms = Vec::new();
        for word in query {
            let often = f64::from(u32::try_from(words.iter().filter(|own| *own == word).count()).unwrap_or(u32::MAX));
            if often > 0.0 {
                terms.push((word.clone(), self.weight(word) * often * (K1 + 1.0) / (often + K1 * long)));
            }
        }
        terms
    }
}

/// To six places.
fn six(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests;
