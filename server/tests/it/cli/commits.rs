//! Commits as they are shown: their files, their change, and the answer of a clone that does not have them.

use super::stage::Stage;
use crate::clones::pair::{Harbour, Pair, Pier};
use crate::routes::wire::call;
use crate::support::server::Server;
use serde_json::json;

/// A commit for the task, made on a branch of its own.
fn commit(stage: &Stage, id: &str) -> String {
    stage.git(&["switch", "--quiet", "-c", "side"]);
    std::fs::write(stage.dir().join("buoys.txt"), "red\nand\tgreen \u{1b}[31m\n").unwrap();
    std::fs::write(stage.dir().join("README.md"), "# pier\n").unwrap();
    stage.git(&["add", "buoys.txt", "README.md"]);
    stage.git(&["commit", "--quiet", "-m", &format!("Paint them\n\nTask: {id}")]);
    let sha = stage.git(&["rev-parse", "HEAD"]).trim().to_owned();
    stage.ok(&["bind"]);
    stage.git(&["switch", "--quiet", "main"]);
    sha
}

#[test]
fn the_commits_of_a_task_are_shown_with_their_files_and_their_change() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoys", &[]);
    let none = stage.run(&["tasks", "commits", &id]);
    assert_eq!((none.exit, none.stdout.as_str(), none.stderr.as_str()), (0, "", "no commit is bound to this task\n"));
    let sha = commit(&stage, &id);
    let plain = stage.ok(&["tasks", "commits", &id]);
    let lines: Vec<&str> = plain.lines().collect();
    assert!(lines[0].starts_with(&format!("{} Paint them  +3 -1  Ada <ada@example.org>", &sha[..12])), "{plain}");
    assert_eq!(lines[1..], ["         +1 -1  README.md", "         +2 -0  buoys.txt"]);
    let shown = stage.ok(&["tasks", "commits", &id, "--diff"]);
    let lines: Vec<&str> = shown.lines().skip(1).collect();
    let expected =
        ["  README.md", "  @@ -1,1 +1,1 @@", "  -# harbour", "  +# pier", "  buoys.txt  new", "  @@ -0,0 +1,2 @@", "  +red", "  +and    green \\u{1b}[31m"];
    assert_eq!(lines, expected);
    let document = stage.run(&["tasks", "commits", &id, "--diff", "--json"]).json();
    assert_eq!(document["items"][0]["diff"]["files"][1]["hunks"][0]["lines"], json!(["+red", "+and\tgreen \u{1b}[31m"]));
    assert_eq!((&document["total"], &document["items"][0]["tasks"]), (&json!(1), &json!([id])));
    assert!(stage.ok(&["tasks", "show", &id]).contains(&format!("callboard tasks commits {id} --diff")));
}

#[tokio::test]
async fn the_api_shows_a_bound_commit_and_no_other() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoys", &[]);
    let sha = commit(&stage, &id);
    let server = Server::of(&stage);
    let shown = server.get(&format!("/api/commits/{sha}")).await;
    assert_eq!((&shown["sha"], &shown["in_clone"], &shown["counts"]), (&json!(sha), &json!(true), &json!(true)));
    assert_eq!(shown["diff"]["files"][0]["hunks"][0]["lines"], json!(["-# harbour", "+# pier"]));
    let begin = stage.git(&["rev-parse", "main"]).trim().to_owned();
    let refused = server.api(call("GET", &format!("/api/commits/{begin}"))).await;
    assert_eq!((refused.status, refused.code().as_str()), (404, "not_found"), "the board is no window to the repository");
}

#[test]
fn a_clone_without_the_commit_says_so_and_how_to_get_it() {
    let (pair, [id]) = Pair::knowing(["Paint the buoys"]);
    let sha = commit(&pair.stage, &id);
    pair.commit(Harbour);
    pair.git(Pier, &["fetch", "--quiet", "origin", "main"]);
    pair.git(Pier, &["merge", "--quiet", "--no-edit", "origin/main"]);
    let shown = pair.ok(Pier, "dev:ada", &["tasks", "commits", &id, "--diff"]);
    assert!(shown.contains("not in this clone: git fetch origin"), "{shown}");
    let document = pair.json(Pier, &["tasks", "commits", &id, "--diff"]);
    let item = &document["items"][0];
    assert_eq!((&item["sha"], &item["in_clone"], item.get("diff")), (&json!(sha), &json!(false), None));
    assert_eq!(item["files"].as_array().unwrap().len(), 2, "the facts travelled with the log");
    pair.git(Pier, &["fetch", "--quiet", "origin"]);
    assert_eq!(pair.json(Pier, &["tasks", "commits", &id, "--diff"])["items"][0]["in_clone"], json!(true));
}
