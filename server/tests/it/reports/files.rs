//! What `report` tells, and the files it writes.

use super::{file, names, scene, text};
use crate::hooks::scene::Scene;
use crate::support::session::Session;
use serde_json::{Value, json};
use std::fs;

fn done(scene: &Scene) -> String {
    let task = scene.stage.add("Paint the buoys", &["--spec", "All of them,\nin red"]);
    scene.stage.ok(&["tasks", "done", &task, "--no-code", "-m", "painted by hand"]);
    task
}

#[test]
fn a_day_is_told_in_brief_and_given_to_programs_in_full() {
    let scene = scene("");
    let task = done(&scene);
    let told = scene.stage.ok(&["report", "day", "--date", "today"]);
    assert!(told.contains("1 closed") && told.contains(&format!("- {task} Paint the buoys")) && told.contains("delivered: painted by hand"), "{told}");
    assert!(!told.contains("in red"), "the spec is not in it: {told}");
    let view: Value = serde_json::from_str(&scene.stage.ok(&["report", "day", "--date", "today", "--json"])).unwrap();
    let markdown = view["markdown"].as_str().unwrap();
    assert!(markdown.contains("> All of them,\n> in red"), "{markdown}");
    assert_eq!((&view["stamp"]["zone"], &view["written"]), (&"Europe/Berlin".into(), &false.into()));
    assert!(scene.stage.ok(&["report"]).contains("## Done (1)"));
    assert!(scene.stage.ok(&["report", "standup"]).contains("- dev:ada: project.created 1, task.closed 1, task.created 1"));
    assert!(scene.stage.ok(&["report", "all"]).contains("# Everything so far"));
    assert_eq!(names(&scene), Vec::<String>::new(), "a read writes nothing");
    let log = scene.stage.ok(&["report", "range", "--last", "7d"]);
    assert!(log.contains("1 closed"), "{log}");
}

#[test]
fn a_question_out_of_form_is_refused_with_the_forms() {
    let scene = scene("");
    for args in [
        &["report", "day", "--last", "7d"][..],
        &["report", "range"],
        &["report", "standup", "--since", "5y"],
        &["report", "board", "--write"],
        &["report", "day", "--model", "x"],
    ] {
        let ended = scene.stage.run(args);
        assert_eq!(ended.exit, 2, "{args:?}: {}{}", ended.stdout, ended.stderr);
    }
    let ended = scene.stage.run(&["report", "day", "--date", "2999-01-01"]);
    assert!(ended.stderr.contains("has not begun") && ended.stderr.contains("hint: legal are: board"), "{}", ended.stderr);
}

#[test]
fn a_file_says_what_it_was_made_of_and_how_far_it_is_behind() {
    let scene = scene("");
    done(&scene);
    let said = scene.stage.ok(&["report", "all", "--write"]);
    assert!(said.contains(".callboard/reports/all.md · current"), "{said}");
    let first = text(&scene, "all");
    assert!(first.starts_with("<!-- callboard:report v=1 kind=all label=all zone=Europe/Berlin from="), "{first}");
    assert!(first.contains(" events=3 sum=") && first.trim_end().ends_with("-->"), "{first}");
    // Writing it is an event, and leaves it current.
    let view = |scene: &Scene| -> Value {
        let server = crate::support::server::Server::of(&scene.stage);
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(server.get("/api/reports/all"))
    };
    assert_eq!(view(&scene)["stale"]["state"], "current");
    scene.stage.add("Paint the pier", &[]);
    assert_eq!(view(&scene)["stale"], serde_json::json!({"state": "behind", "events": 1}));
    assert_eq!(text(&scene, "all"), first, "it is not written anew behind anybody's back");
    assert!(scene.person("git status --porcelain").contains(".callboard/reports/"), "it is there to be committed");
}

#[test]
fn facts_of_a_day_that_is_over_are_the_same_bytes_again() {
    let scene = scene("");
    done(&scene);
    scene.stage.ok(&["report", "day", "--date", "2020-02-29", "--write"]);
    let before = text(&scene, "2020-02-29");
    assert!(before.contains("Nothing happened, and nothing was open."), "{before}");
    scene.stage.add("Paint the pier", &[]);
    scene.stage.ok(&["report", "day", "--date", "2020-02-29", "--write"]);
    assert_eq!(text(&scene, "2020-02-29"), before);
}

#[test]
fn what_a_person_wrote_is_not_overwritten() {
    let scene = scene("");
    done(&scene);
    scene.stage.ok(&["report", "all", "--write"]);
    let with_words = text(&scene, "all") + "\nIt was a quiet day, says Ada.\n";
    fs::write(file(&scene, "all"), &with_words).unwrap();
    scene.stage.add("Paint the pier", &[]);
    scene.stage.ok(&["report", "all", "--write"]);
    let kept = text(&scene, "all");
    assert!(kept.contains("It was a quiet day, says Ada.") && kept.contains("Paint the pier"), "facts are new, the words are theirs: {kept}");

    fs::write(file(&scene, "all"), kept.replace("1 closed", "9 closed")).unwrap();
    let refused = scene.stage.run(&["report", "all", "--write"]);
    assert_eq!(refused.exit, 1);
    assert!(
        refused.stderr.contains("report_conflict")
            && refused.stderr.contains("changed by hand")
            && refused.stderr.contains("report all --write --replace-facts"),
        "{}",
        refused.stderr
    );
    assert!(text(&scene, "all").contains("9 closed"), "nothing was written");
    scene.stage.ok(&["report", "all", "--write", "--replace-facts"]);
    let mended = text(&scene, "all");
    assert!(!mended.contains("9 closed") && mended.contains("says Ada"), "{mended}");
    let aside = names(&scene).into_iter().find(|name| name.starts_with("all.facts-")).expect("a copy is kept");
    assert!(fs::read_to_string(scene.stage.board().join("reports").join(aside)).unwrap().contains("9 closed"));

    fs::write(file(&scene, "2020-01-01"), "# My own notes\n").unwrap();
    let refused = scene.stage.run(&["report", "day", "--date", "2020-01-01", "--write"]);
    assert!(refused.stderr.contains("has no stamp"), "{}", refused.stderr);
    assert_eq!(text(&scene, "2020-01-01"), "# My own notes\n");
}

#[test]
fn the_first_command_of_a_day_writes_the_day_before_where_that_is_wanted() {
    let scene = scene("");
    scene.stage.ok(&["tasks"]);
    assert_eq!(names(&scene), Vec::<String>::new(), "nobody asked for it");
    assert_eq!(scene.stage.run(&["config", "set", "reports.daily", "sometimes"]).exit, 2);
    scene.stage.ok(&["config", "set", "reports.daily", "on"]);
    scene.stage.ok(&["tasks"]);
    assert_eq!(names(&scene), Vec::<String>::new(), "nothing happened yesterday");
    assert!(scene.stage.board().join("narration/daily").is_file(), "and it is not looked at again today");
}

#[test]
fn links_that_a_repository_brings_are_neither_read_nor_written_through() {
    let scene = scene("say 'It went well.'; over");
    let outside = scene.stage.home().join("mine.txt");
    fs::write(&outside, "mine\n").unwrap();
    fs::create_dir_all(file(&scene, "all").parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&outside, file(&scene, "all")).unwrap();
    scene.stage.ok(&["report", "all", "--write"]);
    assert_eq!(fs::read_to_string(&outside).unwrap(), "mine\n");
    assert!(fs::symlink_metadata(file(&scene, "all")).unwrap().is_file() && !text(&scene, "all").contains("mine"));
    fs::remove_file(scene.stage.board().join("narration/all.lock")).unwrap();
    std::os::unix::fs::symlink(&outside, scene.stage.board().join("narration/all.lock")).unwrap();
    let refused = scene.stage.run(&["report", "all", "--digest"]);
    assert!(refused.exit != 0 && refused.stderr.contains("is a link"), "{}", refused.stderr);
    assert_eq!(fs::read_to_string(&outside).unwrap(), "mine\n");
}

#[tokio::test]
async fn an_agent_reads_a_report_in_brief_and_page_by_page() {
    let scene = scene("");
    let session = Session::stdio(&scene.stage).await;
    let tasks: Vec<Value> = (0..120).map(|number| json!({"title": format!("Paint buoy {number} in the colour that the chart gives it")})).collect();
    session.ok("plan", json!({"tasks": tasks})).await;
    let first = session.ok("report", json!({"kind": "day", "date": "today"})).await;
    assert!(first.len() <= 4 << 10 && first.contains("# Day 2") && first.contains("120 opened"), "{first}");
    let call = first.lines().find_map(|line| line.strip_prefix("go on: report ")).expect("it says how to go on");
    let second = session.ok("report", serde_json::from_str(call).unwrap()).await;
    assert!(second.len() <= 16 << 10 && second.contains("Paint buoy 119"), "{second}");
    for args in [json!({"kind": "day", "last": "7d"}), json!({"kind": "week"}), json!({}), json!({"kind": "day", "digest": true})] {
        let refused = session.call("report", args.clone()).await;
        assert!(refused.starts_with("refused (bad_request)"), "{args}: {refused}");
    }
    session.end().await;
}
