//! Making and finding tasks: add, plan, edit, list, search, milestone.

use super::stage::Stage;

#[test]
fn a_task_is_added_and_listed() {
    let stage = Stage::new();
    insta::assert_snapshot!(stage.said(&["tasks"]), @"! no tasks yet: callboard tasks add 'What is to be done'");
    insta::assert_snapshot!(stage.said(&["tasks", "add", "Paint the buoys", "--spec", "Red to port.", "-p", "1"]), @"tk-1 Paint the buoys");
    stage.add("日本語の題 and a title that goes on", &["--label", "words,screen"]);
    insta::assert_snapshot!(stage.said(&["tasks", "--no-color"]), @r"
    ○ tk-1 P1 ready  Paint the buoys
    ○ tk-2 P2 ready  日本語の題 and a title that goes on
    2 open · 2 ready · 0 closed
    ");
    insta::assert_snapshot!(stage.said(&["tasks", "--label", "words", "--ascii", "--quiet"]), @"o tk-2 P2 ready  日本語の題 and a title that goes on");
}

#[test]
fn a_plan_is_all_or_nothing_and_names_each_fault() {
    let stage = Stage::new();
    let plan = r#"{"milestone": "Spring", "tasks": [{"title": "First", "spec": "a"}, {"title": "Second", "spec": "b", "after": [0], "due_at": "2036-12-01"}]}"#;
    insta::assert_snapshot!(stage.shown(&stage.run_with(&["tasks", "plan", "-", "--dry-run"], plan)).lines().last().unwrap(), @"2 tasks would be planned, nothing was written · 1 ready now");
    assert_eq!(stage.run(&["tasks", "--json"]).json()["total"], 0);
    let ended = stage.run_with(&["tasks", "plan", "-"], plan);
    assert_eq!(ended.exit, 0, "{}", ended.stderr);
    let listed = stage.run(&["tasks", "--json"]).json();
    assert_eq!(listed["total"], 2);
    let second = listed["items"].as_array().unwrap().iter().find(|card| card["title"] == "Second").unwrap();
    assert_eq!((second["standing"].as_str(), second["due_at"].as_str()), (Some("blocked"), Some("2036-12-01T22:59:59.000Z")));

    let faulty = stage.run_with(&["tasks", "plan", "-"], r#"{"tasks": [{"title": ""}, {"title": "x", "after": [true]}]}"#);
    insta::assert_snapshot!(stage.shown(&faulty), @r"
    ! error: 2 of the plan's tasks can't be read (bad_request)
    !   tasks[0].title: title is empty
    !   tasks[1].after[0]: expected an index within this plan (counted from 0) or a task id like tk-4
    exit 2
    ");
    assert_eq!(stage.run(&["tasks", "--json"]).json()["total"], 2);
    assert_eq!(stage.run_with(&["tasks", "plan", "-"], "[]").exit, 2);
}

#[test]
fn a_bare_date_is_the_end_of_that_day_in_the_projects_zone() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoys", &["--due", "2026-07-01"]);
    let due = || stage.run(&["tasks", "show", &id, "--json"]).json()["due_at"].clone();
    assert_eq!(due(), "2026-07-01T21:59:59.000Z");
    stage.ok(&["tasks", "edit", &id, "--due", "2026-07-01T12:00:00+02:00"]);
    assert_eq!(due(), "2026-07-01T10:00:00.000Z");
    stage.ok(&["tasks", "edit", &id, "--no-due"]);
    assert!(due().is_null());
    assert_eq!(stage.run(&["tasks", "edit", &id, "--due", "soon"]).exit, 2);
}

#[test]
fn an_edit_names_a_field_and_three_fields_have_commands_of_their_own() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoys", &["--criteria", "Seen at night"]);
    insta::assert_snapshot!(stage.said(&["tasks", "edit", &id]), @r"
    ! error: an edit names at least one field (bad_request)
    ! hint: callboard tasks edit tk-1 --priority 1
    exit 2
    ");
    insta::assert_snapshot!(stage.said(&["tasks", "edit", &id, "--assignee", "dev:bo"]), @r"
    ! error: --assignee: has a command of its own (bad_request)
    ! hint: callboard tasks assign tk-1 dev:bo
    exit 2
    ");
    stage.ok(&["tasks", "edit", &id, "--title", "Paint all buoys", "--label", "sea", "--met", "1=from the pier"]);
    let view = stage.run(&["tasks", "show", &id, "--json"]).json();
    assert_eq!((view["title"].as_str(), view["labels"][0].as_str()), (Some("Paint all buoys"), Some("sea")));
    assert_eq!((view["criteria"][0]["met"].as_bool(), view["criteria"][0]["note"].as_str()), (Some(true), Some("from the pier")));
    assert!(stage.ok(&["tasks", "edit", &id, "--title", "Paint all buoys"]).contains("nothing changed"));
    assert_eq!(stage.run(&["tasks", "edit", &id, "--no-labels", "--label", "x"]).exit, 2, "flags that do not belong together");
}

#[test]
fn words_are_found_where_they_stand() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoys", &["--spec", "Red to port, green to starboard."]);
    let found = stage.ok(&["tasks", "search", "starb"]);
    assert!(found.contains(&id) && found.contains("in spec"), "{found}");
    let nothing = stage.run(&["tasks", "search", "submarine"]);
    assert_eq!((nothing.exit, nothing.stdout.as_str(), nothing.stderr.as_str()), (0, "", "nothing found\n"));
}

#[test]
fn a_milestone_lives_and_closes() {
    let stage = Stage::new();
    let receipt = stage.run(&["milestone", "add", "Spring", "--goal", "All afloat.", "--rule", "No paint below 5 °C", "--json"]).json();
    let id = receipt["data"]["milestone"].as_str().unwrap().to_owned();
    let task = stage.add("Paint the buoys", &["--milestone", &id]);
    assert!(stage.ok(&["milestone"]).contains("Spring  1 open · 0 closed"));
    let shown = stage.ok(&["milestone", "show", &id]);
    assert!(shown.contains("All afloat.") && shown.contains("rule: No paint below 5 °C") && shown.contains(&task), "{shown}");
    let refused = stage.run(&["milestone", "close", &id]);
    assert!(refused.exit == 1 && refused.stderr.contains("(children_open)"), "{}", refused.stderr);
    stage.ok(&["milestone", "cancel", &id, "--tasks", "detach", "-m", "no spring this year"]);
    stage.ok(&["milestone", "reopen", &id, "-m", "it came after all"]);
    assert_eq!(stage.run(&["milestone", "edit", &id]).exit, 2);
    stage.ok(&["milestone", "edit", &id, "--reviews=yes", "--due", "2027-04-01"]);
}
