//! `import`: boards of other tools come in with their history, once, however often and wherever it is done.

use super::stage::Stage;
use crate::clones::fleet::Fleet;
use crate::clones::pair::unplaced;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/import").join(name)
}

fn import(stage: &Stage, name: &str, more: &[&str]) -> Value {
    let path = fixture(name);
    let ended = stage.run(&[&["import", path.to_str().unwrap(), "--json"], more].concat());
    assert_eq!(ended.exit, 0, "{}{}", ended.stdout, ended.stderr);
    ended.json()
}

fn show(stage: &Stage, id: &str) -> Value {
    serde_json::from_str(&stage.ok(&["tasks", "show", id, "--json"])).unwrap()
}

/// Every line of the log.
fn log(stage: &Stage) -> Vec<Value> {
    crate::support::log::events(&stage.board())
}

/// The log of a folder, as the old tool lays it out.
fn laid_out(stage: &Stage, lines: &str) -> PathBuf {
    let folder = stage.dir().join("old/.taskops");
    std::fs::create_dir_all(folder.join("board")).unwrap();
    std::fs::create_dir_all(folder.join("reports")).unwrap();
    std::fs::write(folder.join("board/events.jsonl"), lines).unwrap();
    stage.dir().join("old")
}

/// One line of the long form with the id it must have.
fn line(task: &str, kind: &str, body: &Value, ts: &str) -> String {
    let hashed = format!(r#"{{"actor":"dev:ana","body":{body},"kind":"{kind}","task":"{task}","ts":{ts}}}"#);
    let id: String = Sha256::digest(&hashed).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!(r#"{{"actor":"dev:ana","body":{body},"id":"{id}","kind":"{kind}","task":"{task}","ts":{ts}}}"#)
}

#[test]
fn a_log_of_the_long_form_comes_in_with_its_history() {
    let stage = Stage::new();
    let before = log(&stage);
    let dry = import(&stage, "taskops-long.jsonl", &["--dry-run"]);
    assert_eq!((&dry["format"], &dry["lines"], &dry["quarantined"]), (&json!("long"), &json!(22), &json!([])));
    assert_eq!(log(&stage), before, "a dry run changes nothing");
    let done = import(&stage, "taskops-long.jsonl", &[]);
    assert_eq!(done["imported"], dry["imported"]);
    assert_eq!(done["inert"], json!([["tk-000003", "tk-000002"]]), "a child that waits for its parent");
    assert_eq!(done["skipped"], json!({"about a task that the log does not create": 1}));

    let painted = show(&stage, "tk-000001");
    assert_eq!((&painted["status"], &painted["title"], &painted["priority"]), (&json!("done"), &json!("Paint the café's buoys ⚓"), &json!(0)));
    assert_eq!((&painted["closing_note"], &painted["commits"], &painted["added"]), (&json!("Painted twice."), &json!(1), &json!(3)));
    assert_eq!(painted["commits_detail"][0]["files"], json!([["buoys.txt", 3, 1], ["pot.png", null, null]]));
    assert_eq!((&painted["created_by"], &painted["created_at"]), (&json!("dev:ana"), &json!("2025-08-07T07:00:01.123Z")));
    assert_eq!((&painted["milestone"], &painted["milestone_detail"]["rules"]), (&json!("ms-0a1b2c"), &json!(["No green paint"])));
    assert_eq!(painted["criteria"], json!([{"text": "Dry by noon"}]));
    let set_out = show(&stage, "tk-000002");
    assert_eq!((&set_out["assignee"], &set_out["lease"], &set_out["priority"]), (&json!("agent:ana/w3"), &json!(null), &json!(1)));
    assert_eq!(set_out["review_setting"], json!(true));
    let verdict = set_out["history"].as_array().unwrap().iter().find(|row| row["entry"]["kind"] == "task.reviewed").unwrap();
    assert_eq!((&verdict["body"]["verdict"], verdict["entry"].get("no_effect")), (&json!("changes"), None), "it judged the submission that came along");
    assert_eq!(show(&stage, "tk-000003")["status"], "open", "dropped, and opened again");

    for card in stage.run(&["tasks", "--all", "--json"]).json()["items"].as_array().unwrap() {
        assert_eq!(card.get("lease"), None, "nothing imported is held: {card}");
    }
    assert_eq!(stage.run(&["conflicts", "--json"]).json()["items"], json!([]));
    assert_eq!(stage.run(&["inbox", "--json"]).json()["total"], 0, "nobody is told what is long past");
    assert!(stage.ok(&["log", "verify"]).starts_with("sound"));
    let (shown, logged) = (show(&stage, "tk-000002"), log(&stage));
    let came = logged.iter().filter(|event| event["principal"] == "import:d9778746").count();
    let note = logged.iter().find(|event| event["kind"] == "import.applied").unwrap();
    assert_eq!((&note["body"]["imported"], &note["body"]["lines"]), (&json!(came), &json!(22)));
    let again = import(&stage, "taskops-long.jsonl", &[]);
    assert_eq!((&again["imported"], log(&stage) == logged), (&json!({}), true), "the second time adds nothing");
    stage.ok(&["rebuild"]);
    assert_eq!(unplaced(show(&stage, "tk-000002")), unplaced(shown));
}

#[test]
fn a_log_of_the_short_form_comes_in_too() {
    let stage = Stage::new();
    let done = import(&stage, "taskops-short.jsonl", &[]);
    assert_eq!((&done["format"], &done["quarantined"]), (&json!("short"), &json!([])));
    assert_eq!(done["inert"], json!([["tk-0000a2", "tk-0000a2"]]));
    assert_eq!(done["skipped"], json!({"a status that is derived here": 1, "activity of workers, which is not kept here": 1}));
    let painted = show(&stage, "tk-0000a1");
    assert_eq!((&painted["status"], &painted["closing_note"]), (&json!("done"), &json!("imported without evidence")));
    assert_eq!((painted["criteria"].as_array().unwrap().len(), &painted["branch"]), (2, &json!("cb/a1")));
    assert_eq!(painted.get("blockers"), None, "the old status moved on");
    let set_out = show(&stage, "tk-0000a2");
    assert_eq!((&set_out["standing"], &set_out["assignee"]), (&json!("assigned"), &json!("agent:ana/w2")), "what it waited for is done");
    let logged = log(&stage);
    assert_eq!((&import(&stage, "taskops-short.jsonl", &[])["imported"], log(&stage) == logged), (&json!({}), true));
}

#[test]
fn a_changed_line_is_set_aside_and_forced_only_with_a_mark() {
    let text = std::fs::read_to_string(fixture("taskops-long.jsonl")).unwrap().replace("Two coats?", "Ten coats?");
    let stage = Stage::new();
    let folder = laid_out(&stage, &format!("{text}not json\n"));
    let done = stage.run(&["import", folder.to_str().unwrap(), "--json"]).json();
    let reasons: Vec<&Value> = done["quarantined"].as_array().unwrap().iter().map(|one| &one["reason"]).collect();
    assert_eq!(reasons, [&json!("id_mismatch"), &json!("not_json")]);
    assert!(stage.ok(&["log", "quarantine"]).contains("events.jsonl:7 id_mismatch"));
    assert!(!stage.ok(&["tasks", "show", "tk-000001"]).contains("coats?"));
    let forced = stage.run(&["import", folder.to_str().unwrap(), "--force", "--json"]).json();
    assert_eq!(forced["imported"], json!({"task.commented": 1}));
    let marked = log(&stage).into_iter().find(|event| event["body"]["text"] == json!("Ten coats? @dev:ana")).unwrap();
    assert_eq!(marked["body"]["unverified"], json!(true));
}

#[test]
fn an_id_that_is_taken_refuses_the_whole_import() {
    let stage = Stage::new();
    import(&stage, "taskops-long.jsonl", &[]);
    let other = line("tk-000002", "created", &json!({"card": {"id": "tk-000002", "title": "Another"}}), "1754550000.5");
    let fresh = line("tk-00000e", "created", &json!({"card": {"id": "tk-00000e", "title": "Fresh"}}), "1754550001.5");
    let folder = laid_out(&stage, &format!("{other}\n{fresh}\n"));
    let logged = log(&stage);
    let ended = stage.run(&["import", folder.to_str().unwrap()]);
    assert!(ended.exit == 1 && ended.stderr.contains("tk-000002") && ended.stderr.contains("(illegal_move)"), "{}", ended.stderr);
    assert_eq!(log(&stage), logged, "nothing of it was written");
}

#[test]
fn only_a_person_imports_and_only_what_is_recognised() {
    let stage = Stage::new();
    let path = fixture("taskops-long.jsonl");
    let ended = stage.run_as("agent:ada/w1", &["import", path.to_str().unwrap()]);
    assert!(ended.exit == 1 && ended.stderr.contains("(forbidden)"), "{}", ended.stderr);
    let ended = stage.run(&["import", "README.md"]);
    assert!(ended.exit == 1 && ended.stderr.contains("(not_found)") && ended.stderr.contains("issues.jsonl"), "{}", ended.stderr);
    let ended = stage.run(&["import", path.to_str().unwrap(), "--from", "jira"]);
    assert!(ended.exit == 2 && ended.stderr.contains("log, beads, backlog"), "{}", ended.stderr);
}

#[test]
fn reports_come_along_and_what_is_still_wired_is_named() {
    let stage = Stage::new();
    let folder = laid_out(&stage, &std::fs::read_to_string(fixture("taskops-long.jsonl")).unwrap());
    std::fs::write(folder.join(".taskops/reports/week.md"), "# Week\n\nWe painted.\n").unwrap();
    std::fs::write(folder.join(".taskops/reports/-bad.md"), "no label\n").unwrap();
    std::fs::write(stage.dir().join(".mcp.json"), "{\"mcpServers\": {\"taskops\": {\"command\": \"taskops\"}}}\n").unwrap();
    std::fs::write(stage.dir().join(".git/hooks/pre-push"), "#!/bin/sh\nexec taskops hook pre-push\n").unwrap();
    let said = stage.ok(&["import", folder.to_str().unwrap(), "--dry-run"]);
    assert!(said.contains("would copy 1 report: week") && !stage.board().join("reports/week.md").exists(), "{said}");
    let said = stage.ok(&["import", folder.to_str().unwrap()]);
    assert!(said.contains("copied 1 report: week") && said.contains(".mcp.json") && said.contains("hooks/pre-push"), "{said}");
    let report = std::fs::read_to_string(stage.board().join("reports/week.md")).unwrap();
    assert!(report.contains("by=hand") && report.ends_with("We painted.\n"), "{report}");
    std::fs::write(stage.board().join("reports/week.md"), "mine\n").unwrap();
    stage.ok(&["import", folder.to_str().unwrap()]);
    assert_eq!(std::fs::read_to_string(stage.board().join("reports/week.md")).unwrap(), "mine\n", "a label that is here is left alone");
}

#[test]
fn two_clones_that_import_the_same_have_one_board_after_a_merge() {
    let (fleet, _) = Fleet::knowing(&["pier"], []);
    let path = fixture("taskops-long.jsonl");
    for clone in ["harbour", "pier"] {
        fleet.ok(clone, &["import", path.to_str().unwrap()]);
        fleet.ok(clone, &["sync", "--commit"]);
    }
    fleet.git("harbour", &["push", "--quiet", "origin", "main"]);
    fleet.git("pier", &["pull", "--quiet", "--no-rebase", "--no-edit"]);
    fleet.git("pier", &["push", "--quiet", "origin", "main"]);
    fleet.git("harbour", &["pull", "--quiet", "--no-rebase", "--no-edit"]);
    for id in ["tk-000001", "tk-000002", "tk-000003"] {
        let (here, there) = (fleet.json("harbour", &["tasks", "show", id]), fleet.json("pier", &["tasks", "show", id]));
        assert_eq!(unplaced(here.clone()), unplaced(there));
        assert_eq!(here.get("conflicts"), None, "{here}");
    }
    assert_eq!(fleet.json("harbour", &["tasks", "show", "tk-000001"])["comments"], json!(2), "what was said is said once");
    assert_eq!(fleet.json("harbour", &["conflicts"])["items"], json!([]));
}

#[test]
fn an_export_of_beads_comes_in_held_until_a_person_lets_it() {
    let stage = Stage::new();
    let dry = stage.run(&["import", fixture("beads.jsonl").to_str().unwrap(), "--dry-run"]);
    assert!(dry.stderr.contains("2 open tasks are held until a person has looked; --ready lets them in at once"), "{}", dry.stderr);
    let done = import(&stage, "beads.jsonl", &[]);
    assert_eq!((&done["format"], &done["lines"]), (&json!("beads"), &json!(5)));
    assert_eq!(done["imported"], json!({"task.closed": 1, "task.commented": 1, "task.created": 3}));
    assert_eq!(done["quarantined"], json!([{"file": "beads.jsonl", "line": 5, "reason": "bad_value"}]));
    assert_eq!(done["inert"].as_array().unwrap().len(), 1, "one that waits for itself");
    let cards = stage.run(&["tasks", "--all", "--json"]).json()["items"].as_array().unwrap().clone();
    let named = |title: &str| show(&stage, cards.iter().find(|card| card["title"] == json!(title)).unwrap()["id"].as_str().unwrap());
    let painted = named("Paint the buoys");
    assert_eq!((&painted["status"], &painted["closing_note"], &painted["type"]), (&json!("done"), &json!("Painted twice"), &json!("feature")));
    assert_eq!(painted["spec"], "Red, not green.\n\n## Design\n\nTwo coats.\n\n## Acceptance criteria\n\n- dry by noon");
    assert_eq!(painted["source"], json!({"kind": "beads", "ref": "hb-1", "url": "https://example.org/9"}));
    let set_out = named("Set them out");
    assert_eq!((&set_out["standing"], &set_out["priority"], &set_out["assignee"]), (&json!("held"), &json!(3), &json!(null)));
    assert_eq!((&set_out["parent_detail"]["title"], &set_out["waits_on"][0]["title"]), (&json!("The harbour"), &json!("Paint the buoys")));
    assert_eq!((&set_out["created_at"], &set_out["comments"]), (&json!("2025-10-01T08:00:00.000Z"), &json!(1)));
    assert_eq!(named("The harbour")["labels"], json!(["epic"]));
    let logged = log(&stage);
    assert_eq!((&import(&stage, "beads.jsonl", &[])["imported"], log(&stage) == logged), (&json!({}), true));
    let other = Stage::new();
    import(&other, "beads.jsonl", &["--ready"]);
    assert_eq!(other.run(&["tasks", "--standing", "held", "--json"]).json()["total"], 0);
}

#[test]
fn a_folder_of_backlog_comes_in_file_by_file() {
    let stage = Stage::new();
    let done = import(&stage, "backlog", &["--ready"]);
    assert_eq!(done["imported"], json!({"task.closed": 1, "task.created": 3}));
    assert_eq!(done["quarantined"], json!([{"file": "tasks/task-3 - Broken.md", "line": 4, "reason": "bad_value"}]));
    assert_eq!(done["skipped"], json!({"a draft": 1, "an assignee of an open task: here that would hide it from everybody else": 1}));
    let cards = stage.run(&["tasks", "--all", "--json"]).json()["items"].as_array().unwrap().clone();
    let named = |title: &str| show(&stage, cards.iter().find(|card| card["title"] == json!(title)).unwrap()["id"].as_str().unwrap());
    let painted = named("Paint: the 'buoys'");
    assert_eq!((&painted["spec"], &painted["priority"]), (&json!("## Description\n\nRed, not green"), &json!(1)));
    assert_eq!(painted["criteria"], json!([{"text": "Dry by noon", "met": true}, {"text": "No drips"}]));
    assert_eq!((&painted["labels"], &painted["created_at"]), (&json!(["sea", "wet-paint"]), &json!("2025-06-07T18:58:00.000Z")));
    let child = named("A child");
    assert_eq!((&child["parent_detail"]["title"], &child["waits_on"][0]["title"]), (&json!("Paint: the 'buoys'"), &json!("Set them out")));
    let set_out = named("Set them out");
    assert_eq!(
        (&set_out["status"], &set_out["closing_note"], &set_out["closed_at"]),
        (&json!("done"), &json!("imported as done"), &json!("2025-06-09T07:00:00.000Z"))
    );
    let logged = log(&stage);
    assert_eq!((&import(&stage, "backlog", &["--ready"])["imported"], log(&stage) == logged), (&json!({}), true));
}

/// The export with some texts replaced, where it can be imported from.
fn beads_with(stage: &Stage, changes: &[(&str, &str)]) -> PathBuf {
    let mut text = std::fs::read_to_string(fixture("beads.jsonl")).unwrap();
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    let path = stage.dir().join("issues.jsonl");
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn what_was_changed_in_a_tracker_since_arrives_and_what_was_changed_here_stays_and_is_told() {
    let stage = Stage::new();
    let again = |changes: &[(&str, &str)], more: &[&str]| {
        let path = beads_with(&stage, changes);
        stage.run(&[&["import", path.to_str().unwrap(), "--ready", "--json"], more].concat()).json()
    };
    again(&[], &[]);
    let cards = stage.run(&["tasks", "--all", "--json"]).json()["items"].as_array().unwrap().clone();
    let id = |title: &str| cards.iter().find(|card| card["title"] == json!(title)).unwrap()["id"].as_str().unwrap().to_owned();
    let (harbour, set_out, painted) = (id("The harbour"), id("Set them out"), id("Paint the buoys"));

    // There: a title, a text, a priority, and an issue that is open again. Here: another text.
    stage.ok(&["tasks", "edit", &harbour, "--spec", "Ours."]);
    let changes = [
        ("Set them out", "Set them out by noon"),
        ("All of it.", "All of it, and the pier."),
        (r#""priority":4"#, r#""priority":0"#),
        (r#""status":"closed""#, r#""status":"open""#),
    ];
    let differing = json!([
        {"task": harbour, "source": "hb-3", "field": "spec", "here": "Ours.", "there": "All of it, and the pier."},
        {"task": painted, "source": "hb-1", "field": "status", "here": "done", "there": "open"},
    ]);
    let logged = log(&stage);
    let dry = again(&changes, &["--dry-run"]);
    assert_eq!((&dry["imported"], &dry["differing"], log(&stage) == logged), (&json!({"task.edited": 2}), &differing, true));
    let done = again(&changes, &[]);
    assert_eq!((&done["imported"], &done["differing"]), (&json!({"task.edited": 2}), &differing));
    let shown = show(&stage, &set_out);
    assert_eq!((&shown["title"], &shown["priority"]), (&json!("Set them out by noon"), &json!(0)));
    assert_eq!((&show(&stage, &harbour)["spec"], &show(&stage, &painted)["status"]), (&json!("Ours."), &json!("done")));
    assert_eq!(stage.run(&["tasks", "--all", "--json"]).json()["total"], json!(3), "nothing is there twice");

    // The same once more brings nothing; there and back again arrives each time.
    let third = again(&changes, &[]);
    assert_eq!((&third["imported"], &third["differing"]), (&json!({}), &differing));
    for title in ["Set them out", "Set them out by noon", "Set them out"] {
        let back = [("Set them out", title), (r#""priority":4"#, r#""priority":0"#)];
        assert_eq!(again(&back, &[])["imported"], json!({"task.edited": 1}), "{title}");
        assert_eq!(show(&stage, &set_out)["title"], json!(title));
    }
    // What is closed here is edited no more, and is told instead.
    stage.ok(&["tasks", "cancel", &set_out, "-m", "by hand"]);
    let late = again(&[("Set them out", "Set them out at last"), (r#""priority":4"#, r#""priority":0"#)], &[]);
    assert_eq!((&late["imported"], &late["differing"][0]["there"]), (&json!({}), &json!("Set them out at last")));
    let said = stage.run(&["import", beads_with(&stage, &changes).to_str().unwrap(), "--ready"]);
    assert!(said.stdout.contains("3 fields changed there since, and otherwise here; what is here stays"), "{}", said.stdout);
    assert!(said.stdout.contains(&format!("{harbour} hb-3 spec  here \"Ours.\", there \"All of it, and the pier.\"")), "{}", said.stdout);
    assert!(stage.ok(&["log", "verify"]).starts_with("sound"));
}

#[test]
fn an_edited_file_of_backlog_arrives_too_and_in_two_clones_once() {
    let (fleet, _) = Fleet::knowing(&["pier"], []);
    let folder = tempfile::tempdir().unwrap();
    let tasks = folder.path().join("tasks");
    std::fs::create_dir(&tasks).unwrap();
    let text = std::fs::read_to_string(fixture("backlog/tasks/task-1 - Paint-the-buoys.md")).unwrap();
    let file = tasks.join("task-1 - Paint-the-buoys.md");
    std::fs::write(&file, &text).unwrap();
    let import = |clone: &str| fleet.ok(clone, &["import", folder.path().to_str().unwrap(), "--ready"]);
    import("harbour");
    fleet.ok("harbour", &["sync", "--commit"]);
    fleet.git("harbour", &["push", "--quiet", "origin", "main"]);
    fleet.git("pier", &["pull", "--quiet", "--no-rebase", "--no-edit"]);
    std::fs::write(&file, text.replace("Red, not green", "Green, not red").replace("- [ ] #2", "- [x] #2")).unwrap();
    for clone in ["harbour", "pier"] {
        import(clone);
        fleet.ok(clone, &["sync", "--commit"]);
    }
    fleet.git("harbour", &["push", "--quiet", "origin", "main"]);
    fleet.git("pier", &["pull", "--quiet", "--no-rebase", "--no-edit"]);
    let card = fleet.json("pier", &["tasks"])["items"].as_array().unwrap().iter().find(|card| card["title"] == json!("Paint: the 'buoys'")).cloned().unwrap();
    let shown = fleet.json("pier", &["tasks", "show", card["id"].as_str().unwrap()]);
    assert_eq!(shown["spec"], json!("## Description\n\nGreen, not red"));
    assert_eq!(shown["criteria"][1]["met"], json!(true));
    assert_eq!(shown.get("conflicts"), None, "{shown}");
    import("pier");
    assert_eq!(fleet.json("pier", &["tasks", "show", card["id"].as_str().unwrap()])["version"], shown["version"], "once");
}
