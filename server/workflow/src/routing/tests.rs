//! The numbers that routing must come to, to six places, and the order of its rules.

use super::*;
use crate::source::read;

fn workflow(name: &str, rest: &str) -> (String, Document) {
    let text = format!("workflow: {name}\nsteps: [{{id: a, instructions: do it}}]\n{rest}");
    let source = read(&text).unwrap();
    (name.to_owned(), serde_json::from_value(source.value).unwrap())
}

fn four() -> BTreeMap<String, Document> {
    BTreeMap::from([
        workflow(
            "bugfix",
            "examples: [Export times out on large boards, Login loops after the session expires]\nnot_examples: [Add keyboard shortcuts to the board]\n",
        ),
        workflow("feature", "examples: [Add keyboard shortcuts to the board, Let people filter cards by milestone]\n"),
        workflow("docs", "examples: [Describe the webhook payload in the reference, Fix dead links in the handbook]\n"),
        workflow("incident", "examples: [Server is down for every team, 'Alert: error rate on export workers']\n"),
    ])
}

fn titled(title: &str) -> Subject {
    Subject { title: title.to_owned(), ..Subject::default() }
}

fn scores(explained: &Explained) -> Vec<(&str, f64)> {
    explained.text.iter().filter(|score| score.score > 0.0).map(|score| (score.workflow.as_str(), score.score)).collect()
}

#[test]
fn the_numbers_are_right_to_six_places() {
    let export = route(&titled("Export of a large board times out again"), &four(), None, None);
    assert_eq!(scores(&export), [("bugfix", 7.592053), ("feature", 1.341931), ("incident", 1.225241)]);
    let terms: Vec<(&str, f64)> = export.text[0].terms.iter().map(|(word, score)| (word.as_str(), *score)).collect();
    assert_eq!(terms, [("export", 1.225241), ("large", 1.713857), ("board", 1.225241), ("time", 1.713857), ("out", 1.713857)]);
    assert_eq!((export.text[0].coverage, export.margin, export.corpus), (0.733053, 0.823245, 8));
    assert_eq!((export.chosen.as_deref(), export.reason), (Some("bugfix"), Reason::Text));

    let webhook = route(&titled("webhook reference is outdated"), &four(), None, None);
    assert_eq!(scores(&webhook), [("docs", 3.754163)]);
    assert_eq!((webhook.text[0].coverage, webhook.margin, webhook.chosen.as_deref()), (0.553534, 1.0, Some("docs")));

    let rate = route(&titled("Export rate is slow"), &four(), None, None);
    assert_eq!(scores(&rate), [("incident", 2.939098), ("bugfix", 1.225241)]);
    assert_eq!((rate.text[0].coverage, rate.margin, rate.chosen.as_deref()), (0.515288, 0.583123, Some("incident")));
}

#[test]
fn words_that_decide_nothing_leave_it_to_the_defaults() {
    let slow = route(&titled("Export is slow"), &four(), None, None);
    assert_eq!(scores(&slow), [("bugfix", 1.225241), ("incident", 1.225241)]);
    assert_eq!((slow.text[0].coverage, slow.margin), (0.307082, 0.0));
    assert_eq!((slow.chosen, slow.reason, slow.rejected.len()), (None, Reason::Unrouted, 3), "three guesses, and none is taken");
    let rotate = route(&titled("Rotate the signing keys"), &four(), None, Some("docs"));
    assert_eq!((scores(&rotate).len(), rotate.chosen.as_deref(), rotate.reason), (0, Some("docs"), Reason::Project));
}

#[test]
fn what_was_named_comes_first_then_the_fields_then_the_words() {
    let mut workflows = four();
    workflows.extend([
        workflow("bugs", "applies_to: [{type: bug}]\n"),
        workflow("web-bugs", "applies_to: [{type: bug, vertical: web, required: true}]\n"),
        workflow("chores", "applies_to: [{type: chore, default: true}]\n"),
        workflow("more-chores", "applies_to: [{type: chore}]\nexamples: [Sweep the floor]\n"),
    ]);
    let bug = Subject { kind: "bug".to_owned(), ..titled("Export of a large board times out again") };
    let found = |subject: &Subject, named: Option<&str>| {
        let explained = route(subject, &workflows, named, None);
        (explained.chosen.unwrap_or_default(), explained.reason)
    };
    assert_eq!(found(&bug, Some("docs")), ("docs".to_owned(), Reason::Explicit));
    assert_eq!(found(&bug, None), ("bugs".to_owned(), Reason::Facets));
    let web = Subject { vertical: Some("web".to_owned()), ..bug };
    assert_eq!(found(&web, None), ("web-bugs".to_owned(), Reason::Facets), "the closer rule wins");
    assert_eq!(route(&web, &workflows, Some("docs"), None).required.as_deref(), Some("web-bugs"));
    let chore = Subject { kind: "chore".to_owned(), ..titled("Tidy up") };
    assert_eq!(found(&chore, None), ("chores".to_owned(), Reason::Default));
    let sweep = Subject { kind: "chore".to_owned(), ..titled("Sweep that floor") };
    assert_eq!(found(&sweep, None), ("more-chores".to_owned(), Reason::Text));
}

#[test]
fn what_reads_like_a_counter_example_is_not_taken() {
    let explained = route(&titled("Add keyboard shortcuts to the board"), &four(), None, None);
    assert!(explained.text.iter().all(|score| score.workflow != "bugfix"));
    assert_eq!(explained.chosen.as_deref(), Some("feature"));
}
