//! From a claim to its end: next, claim, release, submit, review, done, and what each frees.

use super::stage::Stage;

const AGENT: &str = "agent:ada/w1";

#[test]
fn an_agent_takes_works_and_closes() {
    let stage = Stage::new();
    let first = stage.add("Paint the buoys", &["--spec", "Red to port.", "-p", "0"]);
    let second = stage.add("Set them out", &["--after", &first]);
    let ended = stage.run_as(AGENT, &["next"]);
    assert_eq!(ended.exit, 0, "{}", ended.stderr);
    for part in [format!("{first} · Paint the buoys").as_str(), "yours until", "Spec\n  Red to port.", "git switch -c task/", "What waits for it", "2 open"] {
        assert!(ended.stdout.contains(part), "{part} in {}", ended.stdout);
    }
    let again = stage.run_as(AGENT, &["next", "--json"]).json();
    assert_eq!((again["how"].as_str(), again["task"]["id"].as_str()), (Some("resumed"), Some(first.as_str())));
    let short = stage.run_as(AGENT, &["tasks", "done", &first, "--no-code"]);
    assert!(short.exit == 1 && short.stderr.contains("(needs_reason)"), "{}", short.stderr);
    let done = stage.run_as(AGENT, &["tasks", "done", &first, "--no-code", "-m", "All eleven are painted."]);
    assert_eq!((done.exit, done.stdout), (0, format!("{first} → done\n  freed {second}\n")), "{}", done.stderr);
    let nothing = stage.run_as("agent:ada/w2", &["next", "--label", "no-such", "--exit-code"]);
    assert_eq!(nothing.exit, 3);
    assert!(nothing.stdout.starts_with("Nothing for you: "), "{}", nothing.stdout);
}

#[test]
fn having_nothing_is_an_answer() {
    let stage = Stage::new();
    let ended = stage.run_as(AGENT, &["next"]);
    assert_eq!(ended.exit, 0);
    assert!(ended.stdout.contains("Nothing for you: "), "{}", ended.stdout);
    assert_eq!(stage.run_as(AGENT, &["next", "--json"]).json()["why"]["code"], "no_tasks");
    assert_eq!(stage.run_as(AGENT, &["next", "--exit-code"]).exit, 3);
}

#[test]
fn a_peek_takes_nothing() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoys", &[]);
    let peek = stage.run_as(AGENT, &["next", "--peek"]);
    assert!(peek.stdout.contains(&id) && peek.stderr.contains("only a peek"), "{}{}", peek.stdout, peek.stderr);
    assert_eq!(stage.run(&["tasks", "show", &id, "--json"]).json()["standing"], "ready");
}

#[test]
fn a_claim_keeps_others_off_until_it_is_given_back() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoys", &[]);
    let claimed = stage.run_as(AGENT, &["tasks", "claim", &id, "--ttl", "15m"]);
    assert!(claimed.stdout.contains("→ working  yours until"), "{}{}", claimed.stdout, claimed.stderr);
    let other = stage.run_as("agent:ada/w2", &["tasks", "claim", &id]);
    assert_eq!(other.exit, 1);
    assert!(other.stderr.contains("(lease_held)") && other.stderr.contains("hint: "), "{}", other.stderr);
    let actors = stage.ok(&["actors"]);
    assert!(actors.contains(AGENT) && actors.contains(&format!("  {id} until ")), "{actors}");
    let released = stage.run_as(AGENT, &["tasks", "release", &id, "-m", "Half are painted, the rest tomorrow."]);
    assert_eq!(stage.shown(&released), "tk-1 → ready\n");
    assert_eq!(stage.run_as("agent:ada/w2", &["tasks", "claim", &id]).exit, 0);
}

#[test]
fn a_review_sends_back_and_passes() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoys", &["--review"]);
    stage.run_as(AGENT, &["tasks", "claim", &id]);
    let early = stage.run_as(AGENT, &["tasks", "done", &id, "--no-code", "-m", "All eleven are painted."]);
    assert!(early.exit == 1 && early.stderr.contains("(needs_review)"), "{}", early.stderr);
    let submitted = stage.run_as(AGENT, &["tasks", "submit", &id, "--no-code", "-m", "All eleven are painted."]);
    assert_eq!(stage.shown(&submitted), "tk-1 → in review\n");
    assert_eq!(stage.shown(&stage.run(&["tasks", "review", &id, "changes", "-m", "Two are green on the wrong side."])), "tk-1 → changes wanted\n");
    let next = stage.run_as(AGENT, &["next"]);
    assert!(next.stdout.contains("Two are green on the wrong side."), "{}", next.stdout);
    stage.run_as(AGENT, &["tasks", "submit", &id, "--no-code", "-m", "Both repainted, red to port."]);
    assert_eq!(stage.shown(&stage.run(&["tasks", "review", &id, "pass"])), "tk-1 → done\n");
}

#[test]
fn a_person_holds_assigns_cancels_and_reopens() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoys", &[]);
    let said: Vec<String> = [
        vec!["hold", &id, "-m", "until it is warm"],
        vec!["unhold", &id],
        vec!["assign", &id, "agent:ada/w1"],
        vec!["assign", &id, "-"],
        vec!["block", &id, "--reason", "paint has not come"],
        vec!["cancel", &id, "-m", "no money"],
        vec!["reopen", &id],
    ]
    .into_iter()
    .map(|args| stage.said(&[vec!["tasks"], args].concat()))
    .collect();
    insta::assert_snapshot!(said.concat(), @r"
    tk-1 → held
    tk-1 → ready
    tk-1 → assigned  for agent:ada/w1
    tk-1 → ready  for nobody in particular
    tk-1 → blocked  waits for bl-2
    tk-1 → cancelled
    tk-1 → blocked
    ");
    let log = stage.ok(&["tasks", "log", &id]);
    assert!(log.lines().count() >= 8 && log.contains("no money"), "{log}");
}
