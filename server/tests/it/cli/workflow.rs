//! Workflows on the command line: begun, checked, shown, explained, and refused with the line and what would be right.

use super::stage::Stage;
use serde_json::Value;

fn write(stage: &Stage, name: &str, text: &str) {
    let folder = stage.board().join("workflows");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(name), text).unwrap();
}

#[test]
fn a_workflow_is_begun_checked_and_shown() {
    let stage = Stage::new();
    let begun = stage.run(&["workflow", "new", "mend", "--from", "bugfix"]);
    assert!(begun.exit == 0 && begun.stdout.starts_with(".callboard/workflows/mend.yaml  A fault"), "{begun:?}");
    let text = std::fs::read_to_string(stage.board().join("workflows/mend.yaml")).unwrap();
    assert!(text.starts_with("# yaml-language-server: $schema=./workflow.schema.json\n") && text.contains("workflow: mend\n"));
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(stage.board().join("workflows/workflow.schema.json")).unwrap()).unwrap();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");

    let checked = stage.run(&["workflow", "check"]);
    assert_eq!(checked.exit, 0, "{checked:?}");
    assert_eq!(checked.stdout, ".callboard/workflows/mend.yaml sound\n  mend: 6 steps, 3 gates, 1 decision, 1 group of lanes\n");
    let shown = stage.ok(&["workflow", "show", "mend"]);
    assert!(shown.starts_with("Mend a bug  mend@") && shown.contains("3.1 repair · maker") && shown.contains("tester  writes tests"), "{shown}");
    assert!(stage.ok(&["workflow", "list"]).starts_with("mend  Pin a fault down"));
    let ignored = stage.git(&["status", "--porcelain", "--untracked-files=all"]);
    assert!(ignored.contains(".callboard/workflows/mend.yaml"), "git sees it: {ignored}");
}

#[test]
fn a_file_that_is_there_is_never_written_over() {
    let stage = Stage::new();
    write(&stage, "mend.yaml", "# mine\n");
    let again = stage.run(&["workflow", "new", "mend"]);
    assert!(again.exit == 1 && again.stderr.contains("is there already (illegal_move)"), "{again:?}");
    assert_eq!(std::fs::read_to_string(stage.board().join("workflows/mend.yaml")).unwrap(), "# mine\n");
}

#[test]
fn every_fault_is_told_with_its_line_and_the_check_fails() {
    let stage = Stage::new();
    write(
        &stage,
        "bad.yaml",
        "workflow: bad\nsteps:\n  - id: a\n    instructions: do\n    gate: {require_aproval: true}\n  - {id: b, instructions: do, on_fail: 'goto:c'}\n",
    );
    write(&stage, "twice.json", "{\"workflow\": \"x\", \"workflow\": \"y\"}");
    let checked = stage.run(&["workflow", "check"]);
    assert_eq!(checked.exit, 1);
    for line in [
        ".callboard/workflows/bad.yaml refused\n",
        "  5:12 E_GATE_KEY no gate has a key require_aproval; a gate with one would hold nothing\n      did you mean requires_approval?\n",
        "  6:31 E_REF there is no step c\n",
        "  1:19 E_KEY_DUP workflow stands here a second time\n",
    ] {
        assert!(checked.stdout.contains(line), "{line:?} is not in\n{}", checked.stdout);
    }
    let document = stage.run(&["workflow", "check", "--json"]).json();
    assert_eq!(document["ok"], false);
    let first = &document["files"][0]["findings"][0];
    assert_eq!(
        (first["line"].as_u64(), first["code"].as_str(), first["pointer"].as_str()),
        (Some(5), Some("E_GATE_KEY"), Some("/steps/0/gate/require_aproval"))
    );
}

#[test]
fn what_is_not_carried_out_yet_is_refused_and_never_ignored() {
    let stage = Stage::new();
    write(&stage, "later.yaml", "workflow: later\npolicies: [be-kind]\nsteps:\n  - {id: a, instructions: do, executor: gpu-box}\n");
    let checked = stage.run(&["workflow", "check"]);
    assert_eq!(checked.exit, 1);
    assert_eq!(checked.stdout.matches("E_NOT_YET").count(), 2, "{}", checked.stdout);
}

#[test]
fn refusals_name_the_call_that_works() {
    let stage = Stage::new();
    for (args, said) in [
        (vec!["workflow", "new", "Bad Name"], "is no name"),
        (vec!["workflow", "new", "x", "--from", "nothing"], "one of bugfix, feature, research, release, refactor, publish, blank"),
        (vec!["workflow", "show", "nothing"], "callboard workflow list shows their names"),
        (vec!["workflow", "check", "nowhere.yaml"], "there is no file nowhere.yaml (not_found)"),
    ] {
        let refused = stage.run(&args);
        assert!(refused.exit != 0 && refused.stderr.contains(said), "{args:?}: {refused:?}");
    }
    let bare = Stage::bare();
    assert!(bare.run(&["workflow", "new", "x"]).stderr.contains("(not_initialized)"));
    assert!(bare.run(&["workflow", "schema"]).json()["properties"]["steps"].is_object(), "the schema needs no project");
}

#[test]
fn which_workflow_a_task_would_get_is_explained_to_the_digit() {
    let stage = Stage::new();
    for name in ["bugfix", "feature"] {
        stage.ok(&["workflow", "new", name, "--from", name]);
    }
    let id = stage.add("Exports time out on a large board", &["--type", "bug"]);
    let by_fields = stage.ok(&["workflow", "explain", &id]);
    assert!(by_fields.starts_with("bugfix  its rules fit"), "{by_fields}");
    let by_words = stage.run(&["workflow", "explain", "Exports time out on a large board", "--json"]).json();
    assert_eq!((by_words["chosen"].as_str(), by_words["reason"].as_str(), by_words["corpus"].as_u64()), (Some("bugfix"), Some("text"), Some(4)));
    let scored: Vec<&str> = by_words["text"].as_array().unwrap().iter().filter_map(|score| score["workflow"].as_str()).collect();
    assert_eq!(scored, ["bugfix"], "the other names this very task as one it is not for");
    let undecided = stage.ok(&["workflow", "explain", "Rotate the signing keys"]);
    assert!(undecided.starts_with("no workflow  nothing decided"), "{undecided}");
}

#[test]
fn a_workflow_is_played_to_its_end_without_anybody() {
    let stage = Stage::new();
    stage.ok(&["workflow", "new", "post", "--from", "publish"]);
    let script = stage.dir().join("red.yaml");
    std::fs::write(
        &script,
        "play: post\nreports: {draft: [{output: {text: so}}], claims: [{output: {green: false}}]}\nexpect: {outcome: failed, branches: {verdict: red}}\n",
    )
    .unwrap();
    let script = script.to_str().unwrap();
    let played = stage.run(&["workflow", "check", "--play", script]);
    assert!(played.exit == 0 && played.stdout.contains("check[4]/claims#1: done") && played.stdout.contains("verdict → red\nfailed  "), "{played:?}");
    std::fs::write(script, "play: post\nreports: {draft: [{output: {text: so}}], claims: [{output: {green: false}}]}\n").unwrap();
    let unexpected = stage.run(&["workflow", "check", "--play", script, "--json"]);
    assert_eq!((unexpected.exit, unexpected.json()["outcome"].as_str()), (1, Some("failed")));
    std::fs::write(script, "play: nothing\n").unwrap();
    assert!(stage.run(&["workflow", "check", "--play", script]).stderr.contains("(not_found)"));
}
