//! The pages as a server renders them, over a board in memory.
#![cfg(feature = "ssr")]

#[allow(clippy::unwrap_used, reason = "a fake that is wrong fails its test")]
mod activity;
#[allow(clippy::expect_used, reason = "a fake that is wrong fails its test")]
mod fake;

use any_spawner::Executor;
use app::{Assets, FormKey, Port, SetStatus, Theme};
use contracts::settings::{KnownProject, LogCheck, LogFinding, SettingsView, Snippet, Wiring, WiringRow};
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
        let copy = FakeBoard {
            snapshot: board.snapshot.clone(),
            cards: board.cards.clone(),
            tasks: board.tasks.clone(),
            settings: Default::default(),
            activity: Default::default(),
            in_clone: true,
            told: Default::default(),
        };
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
async fn a_filter_in_the_address_is_asked_shown_and_can_be_taken_apart() {
    let mut board = brindle();
    board.snapshot.settings.insert("types".into(), json!(["bug", "feature"]));
    let (status, html) = page(board, "/?q=type%20%3D%20bug%20and%20priority%20%3C%3D%201").await;
    let bugs = brindle().cards.iter().filter(|card| card.kind == "bug" && card.priority <= 1).count();
    assert_eq!((status, count(&html, "data-card=")), (200, bugs));
    assert!(html.contains("value=\"type = bug and priority &lt;= 1\""));
    assert!(
        html.contains("aria-label=\"Take out type bug\" href=\"/?q=priority%20%3C%3D%201\"")
            || html.contains("href=\"/?q=priority%20%3C%3D%201\" aria-label=\"Take out type bug\"")
    );
    assert!(html.contains("href=\"/?q=type%20in%20%5Bbug%2C%20feature%5D%20and%20priority%20%3C%3D%201\""), "a menu adds to what is ticked");
    assert!(html.contains("/t/tk-d41b86?q=type%20%3D%20bug"), "a card keeps the look behind it");
}

#[tokio::test]
async fn a_filter_that_cannot_be_read_hides_nothing_and_says_where_it_is_wrong() {
    let (status, html) = page(brindle(), "/?q=typ%20%3D%20bug%20and%20priority%20%3D%20high").await;
    assert_eq!((status, count(&html, "data-card=")), (400, 19));
    for text in ["There is no field typ", "did you mean type?", "Priority can&#39;t be", "<mark>high<", "aria-invalid=\"true\""] {
        assert!(html.contains(text), "{text} is missing");
    }
}

#[tokio::test]
async fn a_list_has_rows_in_the_order_its_head_says() {
    let (_, html) = page(brindle(), "/?view=list&sort=title&down=1").await;
    assert_eq!((count(&html, "<table"), count(&html, "<tr data-card=")), (1, 19));
    assert_eq!(count(&html, "aria-sort=\"descending\""), 1);
    let place = |id: &str| html.find(&format!("data-card=\"{id}\"")).unwrap();
    assert!(place("tk-c2d81e") < place("tk-d41b86"), "Page checksums before B-tree");
}

#[tokio::test]
async fn groups_are_columns_of_their_own_and_cards_say_where_they_stand() {
    let (_, html) = page(brindle(), "/?group=type").await;
    let kinds: std::collections::BTreeSet<String> = brindle().cards.iter().map(|card| card.kind.clone()).collect();
    assert_eq!((count(&html, "class=\"column\""), count(&html, "data-card=")), (kinds.len(), 19));
    assert!(html.contains("aria-label=\"bug\"") && html.contains(">Ready<"));
    let (_, html) = page(brindle(), "/?group=milestone").await;
    assert!(html.contains("No milestone"));
}

#[tokio::test]
async fn a_graph_is_drawn_by_the_server_and_has_the_same_as_a_list() {
    let mut board = brindle();
    let edge = |waits: &str, on: &str| (contracts::TaskId::parse(waits).unwrap(), contracts::TaskId::parse(on).unwrap());
    board.snapshot.board.edges = vec![edge("tk-8841f0", "tk-b31e07"), edge("tk-0b7c44", "tk-8841f0"), edge("tk-c2d81e", "tk-d41b86")];
    let (_, html) = page(board, "/?view=graph").await;
    let plane = html.split("class=\"plane\"").nth(1).and_then(|rest| rest.split("</svg>").next()).unwrap_or_default();
    assert_eq!((count(&html, "class=\"node\""), count(plane, "<path d=\"M")), (5, 3));
    assert_eq!(count(&html, ", on the critical path"), 3);
    assert!(html.contains("3\u{a0}tasks on the critical path") && html.contains("waits for"));
    let (_, html) = page(brindle(), "/?view=graph").await;
    assert!(html.contains("Nothing waits for anything here"));
}

#[tokio::test]
async fn kept_views_are_links_and_too_much_at_once_is_said() {
    let mut board = brindle();
    let working = board.cards.iter().filter(|card| card.column == contracts::Column::Working).count();
    board.snapshot.settings.insert("views".into(), json!([{"name": "My bugs", "query": "q=type%20%3D%20bug&view=list"}]));
    board.snapshot.settings.insert("wip_max".into(), json!(working - 1));
    let (_, html) = page(board, "/").await;
    assert!(html.contains("href=\"/?q=type%20%3D%20bug&amp;view=list\"") && html.contains("My bugs"));
    assert!(html.contains(&format!("over\u{a0}{}", working - 1)));
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

fn wired(what: &str, wiring: Wiring, line: &str, mend: &str) -> WiringRow {
    WiringRow { what: what.into(), place: "git".into(), wiring, said: String::new(), line: line.into(), mend: mend.into() }
}

#[tokio::test]
async fn the_settings_say_what_is_wired_and_what_mends_the_rest() {
    let mut board = brindle();
    board.settings = SettingsView {
        seq: 18_402,
        hooks: vec![
            wired("post-commit", Wiring::Installed, "", ""),
            wired("commit-msg", Wiring::Kept, "if <it> is there", "callboard init --hooks=tracked"),
            wired("post-merge", Wiring::Older, "", "callboard init"),
        ],
        clients: vec![wired("Tools over MCP", Wiring::Missing, "", "callboard init")],
        snippets: vec![Snippet { client: "Codex".into(), place: "~/.codex/config.toml".into(), text: "[mcp_servers.callboard]".into() }],
        log: None,
        version: "0.1.0+abc".into(),
        licence: "MIT OR Apache-2.0".into(),
        review_default: true,
        narration: "claude".into(),
        projects: vec![
            KnownProject { name: "brindle".into(), place: "~/brindle".into(), url: None, command: "cd ~/brindle && callboard ui".into(), here: true },
            KnownProject { name: "harbour".into(), place: "~/harbour".into(), url: Some("http://127.0.0.1:2141/".into()), command: "x".into(), here: false },
            KnownProject { name: "<mole>".into(), place: "~/mole".into(), url: None, command: "cd ~/mole && callboard ui".into(), here: false },
        ],
    };
    let (status, html) = page(board, "/settings").await;
    assert_eq!((status, count(&html, "<h1"), count(&html, "<table")), (200, 1, 2));
    for text in [
        "name=\"setting\" value=\"zone\"",
        "value=\"UTC\"",
        "3\u{a0}things to mend",
        "left to its manager",
        "if &lt;it&gt; is there",
        "older than this binary",
        "callboard init --hooks=tracked",
        "[mcp_servers.callboard]",
        "Verify now",
        "MIT or Apache-2.0",
        "href=\"/licences.txt\"",
        "name=\"setting\" value=\"narration.provider\"",
        "value=\"claude\"",
        "<option value=\"true\" selected>",
        "href=\"http://127.0.0.1:2141/\"",
        "&lt;mole&gt;",
        "cd ~/mole &amp;&amp; callboard ui",
    ] {
        assert!(html.contains(text), "{text} is missing");
    }
    assert!(!html.contains("class=\"verify\"") && count(&html, "aria-current=\"page\"") == 1);
    let rows = "What | Where | Status | post-commit | git | installed | commit-msg | git | left to its manager | : run | callboard init --hooks=tracked | \
        The line for commit-msg | if &lt;it&gt; is there | post-merge | git | older than this binary | : run | callboard init | \
        Tools over MCP | git | not installed | : run | callboard init";
    assert_eq!(text_of(&html, "id=\"hooks\"").replace('\u{a0}', " "), format!("Hooks and clients | 3 things to mend | Look again | {rows}"));
}

#[tokio::test]
async fn the_log_is_checked_when_that_is_asked() {
    let mut board = brindle();
    let finding = LogFinding { place: "log/7c19e24b.jsonl:212".into(), code: "chain".into(), text: "does not follow the line before it".into() };
    board.settings.log = Some(LogCheck { files: 41, lines: 18_401, events: 18_402, blobs: 3, total: 1, findings: vec![finding] });
    let (_, html) = page(board, "/settings?verify=true").await;
    let told = "One thing does not hold. The rest stays in use, because each line's own hash is right. | \
        18,401 lines in 41 files, 18,402 events in the database, 3 blobs | log/7c19e24b.jsonl:212 | does not follow the line before it | chain";
    assert_eq!(text_of(&html, "id=\"log\"").replace('\u{a0}', " "), format!("Log | 0 events | Verify now | {told}"));
    let mut board = brindle();
    board.settings.log = Some(LogCheck { files: 1, lines: 1, events: 1, blobs: 0, total: 0, findings: Vec::new() });
    let (_, html) = page(board, "/settings?verify=true").await;
    assert!(html.contains("Sound: every chain verifies"));
}

#[tokio::test]
async fn what_asks_again_leads_to_an_address_without_a_fragment() {
    // A browser that is already there would only scroll.
    let (_, html) = page(brindle(), "/settings?verify=true").await;
    let addresses = |attribute: &str| html.split(attribute).skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect::<Vec<_>>();
    let actions = addresses(" action=\"");
    assert!(actions.contains(&"/settings".to_owned()) && actions.iter().all(|action| !action.contains('#')), "{actions:?}");
    let again = html.split("<a ").find(|link| link.contains(">Look again<")).unwrap_or_default();
    let again = again.split("href=\"").nth(1).and_then(|rest| rest.split('"').next());
    assert_eq!(again, Some("/settings"));
}

/// The words of the section that has this attribute, element by element; an empty part leaves a mark that is no word.
fn text_of(html: &str, attribute: &str) -> String {
    let Some(begin) = html.find(attribute) else { panic!("there is no section {attribute}") };
    let section = html[begin..].split("</section>").next().unwrap_or_default();
    let (mut words, mut inside) = (String::new(), true);
    for character in section.chars() {
        match character {
            '<' => inside = true,
            '>' => (inside, words) = (false, words + "\n"),
            other if !inside => words.push(other),
            _ => {}
        }
    }
    words.lines().map(str::trim).filter(|line| !line.is_empty() && *line != "--").collect::<Vec<_>>().join(" | ")
}

#[tokio::test]
async fn the_live_dot_never_says_live_before_it_is() {
    let (_, html) = page(brindle(), "/").await;
    assert!(html.contains("data-live=\"start\"") && !html.contains("data-live=\"on\""));
}

#[tokio::test]
async fn a_question_is_read_and_not_its_marks() {
    let (_, html) = page(brindle(), "/t/tk-91f24c").await;
    assert!(html.contains("class=\"oneline\">Change the <code>footer</code> so that it holds a <strong>second</strong> checksum?</h2>"), "{html}");
    let mut board = brindle();
    let question = &mut board.tasks.iter_mut().find(|task| task.card.id.as_str() == "tk-91f24c").expect("it is there").questions[0];
    question.text = "Two things:\n\n- one\n- two".to_owned();
    question.html = app::markdown::render(&question.text);
    let (_, html) = page(board, "/t/tk-91f24c").await;
    let gate = html.split("class=\"gate\"").nth(1).and_then(|rest| rest.split("</form>").next()).expect("it is asked");
    assert!(gate.contains("A question from ana/w1") && gate.contains("<li>two</li>"), "{gate}");
}

#[tokio::test]
async fn a_phone_opens_where_a_person_is_needed() {
    let (_, html) = page(brindle(), "/").await;
    let first = html.split("<section class=\"column\"").find(|part| part.contains(" data-first")).expect("one column comes first");
    assert!(first.contains("id=\"needs_you\"") && count(&html, " data-first") == 1, "{}", &first[..120]);
}

#[tokio::test]
async fn two_milestones_are_told_apart() {
    let (_, html) = page(brindle(), "/").await;
    let hue = |milestone: &str| {
        let card = html.split("<li ").find(|item| item.contains("data-card=") && item.contains(milestone)).expect("a card of it");
        let tag = card.split('>').next().expect("its tag");
        tag.split("data-hue=\"").nth(1).and_then(|rest| rest.chars().next()).unwrap_or_else(|| panic!("{milestone} has no tint in {tag}"))
    };
    assert_ne!(hue(", milestone 0.9 Durable"), hue(", milestone Faster scans"));
}

#[tokio::test]
async fn older_words_are_a_link_away() {
    let (_, html) = page(brindle(), "/t/tk-91f24c").await;
    assert!(html.contains("href=\"/t/tk-91f24c?before=c1#tabs\"") && html.contains("3\u{a0}entries before these"));
    let (_, html) = page(brindle(), "/t/tk-91f24c?before=c1").await;
    assert!(html.contains("The very first word.") && html.contains("Newer entries") && !html.contains("41 of 60 tear patterns pass"));
}

#[tokio::test]
async fn a_move_bears_the_name_of_its_column() {
    let (_, html) = page(brindle(), "/t/tk-91f24c").await;
    let moves = html.split("id=\"move\"").nth(1).and_then(|rest| rest.split("</ul>").next()).expect("the twin of dragging");
    for column in ["Backlog", "Ready", "Working", "Done"] {
        assert!(moves.contains(&format!(">{column}")), "{column} in {moves}");
    }
}

#[tokio::test]
async fn the_parts_of_a_card_are_links_and_each_is_whole_before_any_script() {
    let tabs = |html: &str| html.split("id=\"tabs\"").nth(1).and_then(|rest| rest.split("</nav>").next()).map(str::to_owned).expect("the links");
    for (address, current, words) in [
        ("/t/tk-91f24c", "Thread", vec!["41 of 60 tear patterns pass", "name=\"text\""]),
        ("/t/tk-91f24c?tab=commits", "Commits", vec!["Find the torn half", "src/wal/replay.rs", "+120 −30", "binary", "and 2\u{a0}files more"]),
        ("/t/tk-91f24c?tab=graph", "Graph", vec!["<svg class=\"edges\"", "href=\"tk-0b7c44?tab=graph\"", "Waits for this", "It waits for no other task."]),
        (
            "/t/tk-91f24c?tab=history",
            "History",
            vec![
                "local:mei/mei@example.org",
                "<del dir=\"auto\">normal</del>",
                "<ins dir=\"auto\">urgent</ins>",
                "60\u{a0}events before these",
                "tab=history&amp;before=h1",
            ],
        ),
    ] {
        let (status, html) = page(brindle(), address).await;
        assert_eq!((status, count(&html, "aria-current=\"page\"")), (200, 2), "{address}: one of the rail, one of the tabs");
        let links = tabs(&html);
        let chosen = links.split("<a ").find(|link| link.contains("aria-current")).expect("one is chosen");
        assert!(chosen.contains(current) && links.contains("/t/tk-91f24c?tab=graph"), "{links}");
        for text in words {
            assert!(html.contains(text), "{text} is missing at {address}");
        }
    }
    let (_, html) = page(brindle(), "/t/tk-91f24c?tab=history&before=h1").await;
    assert!(html.contains("Newest events") && !html.contains("before these"));
    let (_, html) = page(brindle(), "/t/tk-91f24c?q=wal&tab=history").await;
    assert!(tabs(&html).contains("/t/tk-91f24c?q=wal&amp;tab=graph"), "the filter goes along");
}

#[tokio::test]
async fn an_address_that_names_a_part_wrongly_shows_what_is_there() {
    let (status, html) = page(brindle(), "/t/tk-91f24c?tab=graph&steps=nonsense").await;
    assert!(status == 200 && html.contains("<svg class=\"edges\""));
    let (status, html) = page(brindle(), "/t/tk-91f24c?tab=log").await;
    assert!(status == 200 && html.contains("41 of 60 tear patterns pass"));
}

#[tokio::test]
async fn a_value_unfolds_its_own_form() {
    let (_, html) = page(brindle(), "/t/tk-91f24c").await;
    for place in ["edit", "criteria", "type", "labels", "milestone", "due", "files"] {
        let form = html.split(&format!("id=\"{place}\"")).nth(1).and_then(|rest| rest.split("</form>").next()).unwrap_or_else(|| panic!("{place} unfolds"));
        assert!(form.contains(&format!("name=\"form\" value=\"{place}\"")) && form.contains("name=\"expect\" value=\"3\""), "{place}: {form}");
    }
    for (place, words) in [("assign", "name=\"to\" value=\"dev:ana\""), ("priority", "name=\"priority\" value=\"0\" aria-current=\"true\"")] {
        let form = html.split(&format!("id=\"{place}\"")).nth(1).and_then(|rest| rest.split("</form>").next()).expect("it unfolds");
        assert!(form.contains(words), "{place}: {form}");
    }
    let (_, html) = page(brindle(), "/t/tk-e07a29").await;
    assert_eq!((count(&html, "id=\"edit\""), count(&html, "id=\"labels\"")), (0, 0), "a closed task has nothing to unfold");
}

#[tokio::test]
async fn what_two_people_changed_is_shown_both_ways() {
    let mut board = brindle();
    let fields = [("task", "tk-91f24c"), ("form", "edit"), ("title", "My title"), ("spec", "My spec"), ("expect", "2")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    let problem = Problem::new(Code::Stale, "tk-91f24c has moved on");
    board.snapshot.refusal = Some(RefusedForm { command: "edit".into(), fields: fields.into_iter().collect(), problem });
    let theirs = board.tasks[0].card.title.clone();
    let title = board.tasks.iter().find(|task| task.card.id.as_str() == "tk-91f24c").map_or(theirs, |task| task.card.title.clone());
    let (status, html) = page(board, "/t/tk-91f24c").await;
    assert_eq!(status, 409);
    let form = html.split("id=\"edit\"").nth(1).and_then(|rest| rest.split("</form>").next()).expect("the form");
    assert!(form.contains("value=\"My title\"") && form.contains(">My spec</textarea>"), "what was typed stays: {form}");
    assert!(form.contains("Title as it is now") && form.contains(&title) && form.contains("name=\"expect\" value=\"3\""), "and so is theirs: {form}");
    assert_eq!(count(&html, "Somebody else changed this while you wrote."), 1, "in its own form alone");
}

#[tokio::test]
async fn a_commit_opens_its_change() {
    let sha = "0123456789abcdef0123456789abcdef01234567";
    let (_, html) = page(brindle(), "/t/tk-91f24c?tab=commits").await;
    assert!(html.contains(&format!("href=\"/t/tk-91f24c?tab=commits&amp;commit={sha}\"")), "{html}");
    let (_, html) = page(brindle(), &format!("/t/tk-91f24c?tab=commits&commit={sha}")).await;
    assert!(html.contains("data-view=\"unified\"") && html.contains("<code><span class=\"k\">let</span> a") && html.contains("Side by side"));
    let (_, html) = page(brindle(), &format!("/t/tk-91f24c?tab=commits&commit={sha}&view=split")).await;
    assert!(html.contains("data-view=\"split\""));
    let (_, html) = page(FakeBoard { in_clone: false, ..brindle() }, &format!("/t/tk-91f24c?tab=commits&commit={sha}")).await;
    let part = html.split("data-part=\"commit\"").nth(1).and_then(|rest| rest.split("</section>").next()).expect("the commit's own part");
    assert!(part.contains("not in this clone") && part.contains("<code>git fetch origin<") && !part.contains("data-view="), "{part}");
    for wrong in ["nonsense", "ffffffffffffffffffffffffffffffffffffffff"] {
        let (status, html) = page(brindle(), &format!("/t/tk-91f24c?tab=commits&commit={wrong}")).await;
        assert!(status == 200 && html.contains("class=\"notice\""), "{wrong} is said in its place");
    }
}
