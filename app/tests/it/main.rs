//! The pages as a server renders them, over a board in memory.
#![cfg(feature = "ssr")]

#[allow(clippy::expect_used, reason = "a fake that is wrong fails its test")]
mod fake;

use any_spawner::Executor;
use app::{Assets, FormKey, Port, SetStatus, Theme};
use contracts::view::RefusedForm;
use contracts::{Code, Problem, Standing};
use fake::{FakeBoard, brindle, card};
use futures::StreamExt;
use leptos::prelude::*;
use leptos_router::location::RequestUrl;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

/// A page as it goes over the wire, and its status.
async fn page(board: FakeBoard, path: &str) -> (u16, String) {
    let _ = Executor::init_tokio();
    let status = Arc::new(AtomicU16::new(200));
    let owner = Owner::new_root(Some(Arc::new(hydration_context::SsrSharedContext::new())));
    let set = status.clone();
    let stream = owner.with(|| {
        provide_context(RequestUrl::new(path));
        provide_context(Port(Arc::new(board)));
        provide_context(Theme::Dark);
        provide_context(FormKey("k0".to_owned()));
        provide_context(SetStatus(Arc::new(move |code| set.store(code, Ordering::Relaxed))));
        let assets = Assets {
            js: "app.1.js".into(),
            wasm: "app.1.wasm".into(),
            css: "app.1.css".into(),
            icons: "icons.1.svg".into(),
            favicon: "favicon.1.svg".into(),
            base: String::new(),
        };
        app::shell(assets).to_html_stream_in_order()
    });
    let html = stream.collect::<String>().await;
    (status.load(Ordering::Relaxed), html)
}

/// How often a text stands in a page.
fn count(html: &str, text: &str) -> usize {
    html.matches(text).count()
}

#[tokio::test]
async fn the_board_is_whole_before_any_script() {
    let (status, html) = page(brindle(), "/").await;
    assert_eq!(status, 200);
    assert_eq!(count(&html, "<h1"), 1);
    assert_eq!(count(&html, "class=\"column\""), 5);
    assert_eq!(count(&html, "data-card="), 19);
    assert!(html.contains("data-theme=\"dark\"") && html.contains("href=\"/pkg/app.1.css\""));
    for text in [
        "WAL replay stops at a torn page",
        "no word from bo/w2",
        "4\u{a0}min ago",
        "2\u{a0}days over",
        "zstd level 3 or 9 by default?",
        "1\u{a0}conflict on a closed task.",
        "Changes wanted · asked by mei",
    ] {
        assert!(html.contains(text), "{text} is missing");
    }
    assert!(!html.contains("onclick") && count(&html, "<style") == 0);
}

#[tokio::test]
async fn a_card_is_a_page_of_its_own() {
    let (status, html) = page(brindle(), "/t/tk-91f24c").await;
    assert_eq!(status, 200);
    assert_eq!(count(&html, "<h1"), 1);
    assert_eq!(count(&html, "<dialog"), 0);
    for text in [
        "Change the page footer so that it holds a second checksum?",
        "delivered to ana/w1 at 16:59",
        "sent, not yet seen by ana/w2 and mei",
        "9\u{a0}min left",
        "1 subtask is open",
        "2 of 4 met",
        "Yesterday",
        "name=\"key\" value=\"k0-reply\"",
        "bo/w1 has src/wal/replay.rs too",
    ] {
        assert!(html.contains(text), "{text} is missing");
    }
}

#[tokio::test]
async fn hostile_text_stays_text() {
    let hostile = "<script>alert(1)</script><img src=x onerror=alert(1)>\u{202e}";
    let mut board = FakeBoard::new(vec![card("tk-4f2a9c", hostile, Standing::Ready, json!({"labels": ["x"], "why": {"text": hostile}}))], Vec::new());
    board.tasks = vec![fake::task(board.cards[0].clone())];
    board.tasks[0].spec_html = app::markdown::render(hostile);
    board.snapshot.project.name = hostile.to_owned();
    for path in ["/", "/t/tk-4f2a9c", "/?q=%3Cscript%3Ealert(1)%3C/script%3E"] {
        let copy = FakeBoard { snapshot: board.snapshot.clone(), cards: board.cards.clone(), tasks: board.tasks.clone(), told: Default::default() };
        let (_, html) = page(copy, path).await;
        for tag in ["<script>alert", "<img src=x"] {
            let at = html.find(tag);
            assert!(at.is_none(), "{path}: …{}…", at.map_or("", |at| &html[at.saturating_sub(200)..at + 40]));
        }
    }
}

#[tokio::test]
async fn the_filter_works_without_scripts() {
    let (_, html) = page(brindle(), "/?q=collation").await;
    assert_eq!(count(&html, "data-card="), 3);
    assert!(html.contains("16 hidden by the filter") && html.contains("value=\"collation\""));
    let (_, html) = page(brindle(), "/?q=nothing-like-it").await;
    assert!(html.contains("No task matches") && html.contains("Clear the filter"));
}

#[tokio::test]
async fn every_nothing_says_which() {
    let (_, html) = page(FakeBoard::new(Vec::new(), Vec::new()), "/").await;
    assert!(html.contains("An empty board") && html.contains("claude mcp add callboard -- callboard mcp"));
    let done = card("tk-4f2a9c", "One", Standing::Done, json!({"closed_at": fake::ago(4)}));
    let (_, html) = page(FakeBoard::new(vec![done], Vec::new()), "/").await;
    assert!(html.contains("Nothing is left to do"));
}

#[tokio::test]
async fn what_is_not_there_has_a_real_status() {
    for path in ["/t/tk-000000", "/t/nonsense", "/no/such/page"] {
        let (status, html) = page(brindle(), path).await;
        assert_eq!(status, 404, "{path}");
        assert!(html.contains("Open the board") && count(&html, "<h1") == 1, "{path}");
    }
}

#[tokio::test]
async fn a_refused_form_keeps_what_was_typed() {
    let mut board = brindle();
    let fields = [("task", "tk-91f24c"), ("text", "my long words")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    board.snapshot.refusal = Some(RefusedForm {
        command: "comment".into(),
        fields: fields.into_iter().collect(),
        problem: Problem::new(Code::TooLarge, "text has 20000 bytes, the limit is 16384"),
    });
    let (status, html) = page(board, "/t/tk-91f24c").await;
    assert_eq!(status, 413);
    assert!(html.contains(">my long words</textarea>") && count(&html, "the limit is 16384") >= 2);
}

#[tokio::test]
async fn the_live_dot_never_says_live_before_it_is() {
    let (_, html) = page(brindle(), "/").await;
    assert!(html.contains("data-live=\"start\"") && !html.contains("data-live=\"on\""));
}
