//! The activity as a server renders it: whole without scripts, folded, told in words, and nothing in it acts.

use super::fake::{self, FakeBoard, ago, at, brindle, entry};
use super::{count, page};
use contracts::settings::LogCheck;
use contracts::view::{ActivityView, HistoryRow};
use serde_json::{Value, json};

fn row(n: u32, kind: &str, actor: &str, minutes: i64, words: &str, text: &str, more: Value) -> HistoryRow {
    let mut row: HistoryRow =
        serde_json::from_value(json!({"entry": entry(n, kind, actor, minutes, words, text, json!({})), "principal": "local:ana/ana@example.org"})).unwrap();
    row.entry.title = "WAL replay stops at a torn page".to_owned();
    for (name, value) in more.as_object().cloned().unwrap_or_default() {
        match name.as_str() {
            "subject" => row.entry.subject = value.as_str().unwrap_or_default().to_owned(),
            "title" => row.entry.title = value.as_str().unwrap_or_default().to_owned(),
            "void" => row.entry.no_effect = true,
            "priority" => (row.field, row.from, row.to) = (Some("priority".to_owned()), json!(2), value),
            other => panic!("{other}"),
        }
    }
    row
}

/// A board on which something happened.
fn lively() -> FakeBoard {
    let other = |title: &str| json!({"subject": "tk-b8e60a", "title": title});
    let rows = vec![
        row(9, "task.asked", "agent:bo/w1", 1, "asks", "zstd **level 3** or 9 by default?", other("Backup: compress while streaming")),
        row(8, "task.closed", "agent:ana/w2", 4, "closed it with 2 commits", "", json!({})),
        row(7, "commit.bound", "agent:ana/w2", 20, "committed 8f21c07 make it tear", "", json!({})),
        row(6, "task.renewed", "agent:ana/w2", 40, "still works on it", "", json!({})),
        row(5, "task.renewed", "agent:ana/w2", 60, "still works on it", "", json!({})),
        row(4, "task.edited", "dev:mei", 90, "set its priority to urgent", "", json!({"priority": 0})),
        row(3, "task.closed", "agent:bo/w1", 100, "closed it", "", json!({"void": true})),
        row(2, "commit.bound", "dev:ana", 1_600, "committed 0123456 let it go", "", other("<script>alert(1)</script>")),
        row(1, "project.created", "dev:ana", 3_000, "created the project", "", json!({"subject": "project", "title": ""})),
    ];
    let mut board = brindle();
    board.activity = serde_json::from_value(json!({
        "seq": 18_402, "now": at(), "ever": 18_402, "total": 9, "rows": rows, "next": "c2",
        "tallies": [
            {"actor": "agent:ana/w2", "tasks": 6, "events": 40, "closed": 2, "commits": 3, "added": 612, "deleted": 171, "last_at": ago(4), "seen_at": ago(2), "holds": [["tk-91f24c", at().plus_seconds(500)]]},
            {"actor": "dev:mei", "tasks": 1, "events": 1, "last_at": ago(90)},
        ],
        "tallies_more": 3,
        "histogram": {"from": ago(24 * 60), "step_s": 3_600, "bars": (0..25).map(|n| [n % 3, 0, 1, 0]).collect::<Vec<_>>()},
        "log": LogCheck { files: 3, lines: 18_402, events: 18_402, ..blank() },
    }))
    .unwrap();
    board
}

fn blank() -> LogCheck {
    LogCheck { files: 0, lines: 0, events: 0, blobs: 0, total: 0, findings: Vec::new() }
}

/// A page without its tags.
fn read(html: &str) -> String {
    html.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect::<Vec<_>>().join("")
}

#[tokio::test]
async fn the_activity_is_whole_before_any_script() {
    let (status, html) = page(lively(), "/activity").await;
    assert_eq!((status, count(&html, "<h1")), (200, 1));
    let text = read(&html);
    for said in [
        "9 of 18,402\u{a0}events",
        "bo/w1 asks on tk-b8e60a Backup: compress while streaming: zstd level 3 or 9 by default?",
        "ana/w2 did 4 things on tk-91f24c",
        "since 11:00, last: closed it with 2 commits",
        "still works on it 2 times",
        "mei set its priority to urgent on tk-91f24c",
        "bo/w1 closed tk-91f24c WAL replay stops at a torn page (found no effect)",
        "ana committed 0123456 let it go on tk-b8e60a",
        "ana created the project",
        "Yesterday",
        "+612\u{a0}−171",
        "3\u{a0}actors beyond these",
        "Events per hour",
    ] {
        assert!(text.contains(said), "{said} is missing in {text}");
    }
    assert!(html.contains("href=\"/activity?older=c2\"") && html.contains("href=\"/api/activity/export?format=csv\""));
    assert!(html.contains("href=\"/t/tk-91f24c\"") && count(&html, "<script>alert") == 0);
    assert_eq!(count(&html, "data-card="), 0, "the board is not part of it");
}

#[tokio::test]
async fn what_is_asked_for_stands_in_the_address_the_form_and_the_chips() {
    let (_, html) = page(lively(), "/activity?actor=dev%3Amei&since=today&text=a%3Cb").await;
    let text = read(&html);
    assert!(text.contains("1 of 18,402") && !text.contains("did 4 things"), "{text}");
    assert!(html.contains("<option value=\"dev:mei\" selected>mei</option>") && html.contains("value=\"2026-11-29T00:00\""), "{html}");
    for (chip, without) in [("Take out by dev:mei", "since=today&amp;text=a%3Cb"), ("Take out text has a&lt;b", "actor=dev%3Amei&amp;since=today")] {
        assert!(html.contains(&format!("href=\"/activity?{without}\" rel=\"external\" aria-label=\"{chip}\"")), "{chip}: {html}");
    }
    assert!(html.contains("class=\"brush\"") && text.contains("Clear"));
}

#[tokio::test]
async fn what_cant_be_read_is_said_beside_the_form_with_the_form_as_it_was_filled() {
    let (status, html) = page(lively(), "/activity?task=91f24c&actor=dev%3Amei").await;
    assert_eq!(status, 400);
    assert!(html.contains("role=\"alert\"") && html.contains("value=\"91f24c\"") && html.contains("tk-4f2a9c"), "{html}");
    assert_eq!(count(&html, "class=\"timeline\""), 0);
}

#[tokio::test]
async fn the_audit_shows_who_is_behind_what_changed_and_whether_the_log_holds() {
    let (_, html) = page(lively(), "/activity?audit=true").await;
    let text = read(&html);
    for said in [
        "behind it local:ana/ana@example.org",
        "declared agent:bo/w1",
        "task.edited",
        "before: normal → after: urgent",
        "The chains were not checked",
        "1\u{a0}conflict waits for a person",
    ] {
        assert!(text.contains(said), "{said} is missing in {text}");
    }
    assert!(html.contains("href=\"/activity?audit=true&amp;verify=true\"") && html.contains("href=\"/activity\" rel=\"external\" data-on"));
    let (_, html) = page(lively(), "/activity?audit=true&verify=true").await;
    assert!(read(&html).contains("Sound: every chain verifies. 3\u{a0}files, 18,402\u{a0}lines, 18,402\u{a0}events."));
    assert!(!read(&page(lively(), "/activity").await.1).contains("behind it"));
}

#[tokio::test]
async fn an_empty_list_says_which_kind_of_nothing_it_is() {
    let mut board = brindle();
    board.activity = ActivityView { now: at(), ..ActivityView::default() };
    assert!(read(&page(board, "/activity").await.1).contains("Nothing has happened yet"));
    let mut board = lively();
    board.activity.rows.clear();
    let text = read(&page(board, "/activity?kind=commit.%2A").await.1);
    assert!(text.contains("No event matches") && text.contains("18,402\u{a0}events in all"), "{text}");
}

#[tokio::test]
async fn every_page_leads_to_the_others_and_says_where_one_is() {
    for (path, current) in [("/", "Board"), ("/activity", "Activity"), ("/settings", "Settings")] {
        let (_, html) = page(fake::brindle(), path).await;
        let rail = html.split("class=\"rail\"").nth(1).and_then(|rest| rest.split("</nav>").next()).unwrap();
        let here: Vec<&str> = rail.split("<li>").filter(|item| item.contains("aria-current=\"page\"")).collect();
        assert!(here.len() == 1 && here[0].contains(&format!("<span>{current}<")), "{path}: {rail}");
        for name in ["Board", "Activity", "Settings"] {
            assert!(rail.contains(&format!("<span>{name}<")), "{path}: {name}");
        }
    }
}
