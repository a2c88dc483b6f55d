//! What pages ask a running server beside the board: the activity of a real log, and the projects that were opened.

use crate::cli::stage::Stage;
use crate::support::server::Server;
use serde_json::json;

#[tokio::test]
async fn the_activity_of_a_real_log_is_told_counted_and_sound() {
    let stage = Stage::new();
    let server = Server::of(&stage);
    let made = server.does("plan", json!({"tasks": [{"title": "Paint the buoys"}, {"title": "Sound the channel"}]})).await;
    let id = made["data"]["tasks"][0]["id"].as_str().unwrap().to_owned();
    server.does("comment", json!({"task": id, "text": "Red over green, 100% of them"})).await;
    server.does("close", json!({"task": id, "note": "all of them are painted", "no_code": true})).await;
    let view = server.get("/api/activity/timeline?verify=true").await;
    assert_eq!((&view["total"], &view["log"]["total"]), (&view["ever"], &json!(0)), "{view}");
    assert_eq!(view["rows"][0]["entry"]["kind"], "task.closed");
    assert_eq!((&view["tallies"][0]["tasks"], &view["tallies"][0]["closed"]), (&json!(2), &json!(1)), "{view}");
    let counted: i64 = view["histogram"]["bars"].as_array().unwrap().iter().flat_map(|bar| bar.as_array().unwrap()).map(|n| n.as_i64().unwrap()).sum();
    assert_eq!(json!(counted), view["ever"], "every event lies in the picture");
    let said = server.get("/api/activity/timeline?text=100%25").await;
    assert_eq!((&said["total"], &said["rows"][0]["entry"]["kind"]), (&json!(1), &json!("task.commented")), "{said}");
    server.end();
}

#[tokio::test]
async fn a_project_that_is_served_is_remembered_for_the_pages_of_others() {
    let stage = Stage::new();
    let server = Server::of(&stage);
    let known = server.get("/api/projects").await;
    let rows = known.as_array().unwrap();
    assert_eq!((rows.len(), &rows[0]["here"]), (1, &json!(true)), "{known}");
    assert_eq!(rows[0]["url"], format!("http://127.0.0.1:{}/", server.port));
    let file = stage.home().join(".local/state/callboard/projects.json");
    assert!(std::fs::read_to_string(&file).unwrap().contains("\"opened_at\""));
    server.end();
}
