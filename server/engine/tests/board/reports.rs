//! Reports: windows, the seven sections, and that a day that is over is told the same for ever.

use crate::random::statement;
use crate::world::*;
use contracts::report::{Narration, NarrationState, ReportKind, ReportQuery};
use contracts::standing::Status;
use contracts::{Moment, TaskId, limits};
use engine::report::*;
use engine::{Event, fold_task};
use insta::assert_snapshot;
use jiff::tz::TimeZone;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn at(text: &str) -> Moment {
    Moment::parse(text).unwrap()
}

/// `kind key=value …`.
fn query(text: &str) -> ReportQuery {
    let mut words = text.split(' ');
    let mut query = ReportQuery { kind: ReportKind::parse(words.next().unwrap()).unwrap(), ..ReportQuery::default() };
    for (key, value) in words.filter_map(|word| word.split_once('=')) {
        let value = Some(value.to_owned());
        match key {
            "since" => query.since = value,
            "date" => query.date = value,
            "last" => query.last = value,
            "from" => query.from = value,
            "to" => query.to = value,
            "by" => query.by = value,
            other => panic!("{other}"),
        }
    }
    query
}

fn told(asked: &str, zone: &str, now: &str) -> String {
    let zone = TimeZone::get(zone).unwrap();
    match window(&query(asked), &zone, at(now)) {
        Ok(window) => {
            let from = window.from.map_or("the first event".to_owned(), |from| from.to_string());
            let hours = window.from.map(|from| window.to.seconds_since(from) / 3_600).unwrap_or_default();
            format!("{} {from} to {} ({hours} h), as of {}", window.label.unwrap_or("-".to_owned()), window.to, window.as_of).replace(":00.000Z", "Z")
        }
        Err(problem) => format!("{}: {}", problem.code, problem.title),
    }
}

fn report_of(events: &[Event], asked: &str, zone: &str, now: Moment) -> Report {
    let zone_found = TimeZone::get(zone).unwrap();
    let window = window(&query(asked), &zone_found, now).unwrap();
    let mut gather = Gather::new(window, zone_found, zone);
    let mut subjects: BTreeMap<&str, Vec<Event>> = BTreeMap::new();
    events.iter().for_each(|event| subjects.entry(&event.subject).or_default().push(event.clone()));
    subjects.into_values().for_each(|events| gather.subject(events));
    gather.finish()
}

/// The same, asked at this moment.
pub fn report_at(events: &[Event], asked: &str, zone: &str, now: &str) -> Report {
    report_of(events, asked, zone, at(now))
}

fn events(world: &World) -> Vec<Event> {
    world.events.iter().map(|(event, _)| event.clone()).collect()
}

fn text_of(world: &World, asked: &str, form: Form) -> String {
    markdown(&report_of(&events(world), asked, "UTC", world.now), form)
}

#[test]
fn windows_follow_the_calendar_of_the_project() {
    let rows = [
        ("day", "Europe/Berlin", "2026-11-29T11:00:00Z"),
        ("day date=today", "Europe/Berlin", "2026-11-29T11:00:00Z"),
        ("day date=2026-03-29", "Europe/Berlin", "2026-11-29T11:00:00Z"),
        ("day date=2026-10-25", "Europe/Berlin", "2026-11-29T11:00:00Z"),
        ("day date=2026-11-28", "Pacific/Kiritimati", "2026-11-29T11:00:00Z"),
        ("day date=2018-11-04", "America/Sao_Paulo", "2026-11-29T11:00:00Z"),
        ("day date=today", "America/Los_Angeles", "2026-11-29T03:00:00Z"),
        ("range last=1d", "UTC", "2026-11-29T11:00:00Z"),
        ("range last=7d", "Europe/Berlin", "2026-10-27T11:00:00Z"),
        ("range last=2w", "UTC", "2026-11-29T11:00:00Z"),
        ("range last=1m", "UTC", "2026-03-31T11:00:00Z"),
        ("range last=1m", "UTC", "2026-02-28T11:00:00Z"),
        ("range last=12m", "UTC", "2024-02-29T11:00:00Z"),
        ("range from=2026-02-27 to=2026-03-01", "UTC", "2026-11-29T11:00:00Z"),
        ("range from=2026-11-28", "UTC", "2026-11-29T11:00:00Z"),
        ("range from=2026-11-28 to=2026-12-05", "UTC", "2026-11-29T11:00:00Z"),
        ("standup", "UTC", "2026-11-29T11:00:00Z"),
        ("standup since=90m", "UTC", "2026-11-29T11:00:00Z"),
        ("all", "UTC", "2026-11-29T11:00:00Z"),
    ];
    let told: Vec<String> = rows.iter().map(|(asked, zone, now)| format!("{asked} in {zone}: {}", told(asked, zone, now))).collect();
    assert_snapshot!(told.join("\n"));
}

#[test]
fn what_is_no_window_is_refused_with_the_legal_forms() {
    let rows = [
        "standup since=5",
        "standup since=5y",
        "standup since=0h",
        "standup since=-1d",
        "standup since=500d",
        "standup since=h",
        "standup by=nobody",
        "standup date=today",
        "day date=2026-02-30",
        "day date=28.11.2026",
        "day date=tomorrow",
        "day date=2026-12-01",
        "day since=24h",
        "range",
        "range last=7",
        "range last=3h",
        "range last=401d",
        "range last=99999m",
        "range last=7d from=2026-11-01",
        "range to=2026-11-01",
        "range from=2026-11-05 to=2026-11-01",
        "range from=2025-10-01 to=2026-11-28",
        "all last=7d",
        "board by=dev:ana",
    ];
    let told: Vec<String> = rows.iter().map(|asked| format!("{asked}: {}", told(asked, "UTC", "2026-11-29T11:00:00Z"))).collect();
    assert_snapshot!(told.join("\n"));
    for asked in rows {
        let problem = window(&query(asked), &TimeZone::UTC, at("2026-11-29T11:00:00Z")).unwrap_err();
        assert!(problem.hint.text.contains("range last=<n>d|w|m"), "{asked}: {:?}", problem.hint);
    }
}

#[test]
fn a_name_is_a_window_and_no_other_text_is_one() {
    let now = at("2026-11-29T11:00:00Z");
    for label in ["2026-11-28", "2026-11-22..2026-11-28", "all"] {
        assert_eq!(window_of_label(label, &TimeZone::UTC, now).unwrap().label.as_deref(), Some(label));
    }
    for label in ["", "today", "../config", "2026-11-28 ", "2026-1-1", "yesterday..today", "2026-11-28..", "..", "board", "2026-13-01"] {
        assert_eq!(window_of_label(label, &TimeZone::UTC, now).unwrap_err().code.as_str(), "not_found", "{label:?}");
    }
    assert_eq!(window_of_label("2026-12-24", &TimeZone::UTC, now).unwrap_err().code.as_str(), "bad_request");
}

/// One of everything, over two days.
fn busy() -> World {
    after(
        "ana plan a spec='Refresh the `token` table' criteria=it_works type=bug priority=1 / b / c after=a / d / e / f / g;\
         ana assign d to=w1; ana hold e note='the vendor first'; wait 2h;\
         w1 claim a; w1 comment a text='@dev:ana which table?'; ana comment a text='both'; wait 30m; w1 commit a;\
         w1 submit a note='both tables are refreshed'; ana review a verdict=changes note='no test';\
         w1 claim a; w1 commit a; w1 submit a note='with a test now'; ana review a verdict=pass;\
         wait 1d; x1 claim b; x1 question b text='keep the old format?'; ana cancel f note='in favour of b';\
         w2 claim g; w2 commit g; w2 release g note='half of it is done'; ana plan h after=c; wait 5m; w2 claim c",
    )
}

#[test]
fn a_day_in_full_and_in_brief() {
    let world = busy();
    assert_snapshot!("a_day_in_full", text_of(&world, "day date=2026-11-29", Form::Full));
    assert_snapshot!("the_next_day_in_full", text_of(&world, "day date=today", Form::Full));
    assert_snapshot!("the_next_day_in_brief", text_of(&world, "day date=today", Form::Brief));
    assert_snapshot!("a_range_in_full", text_of(&world, "range last=2d", Form::Full));
    assert_snapshot!("a_standup_in_brief", text_of(&world, "standup", Form::Brief));
    assert_snapshot!("a_standup_of_one", text_of(&world, "standup by=agent:ana/w2", Form::Brief));
}

#[test]
fn an_empty_day_says_what_was_open() {
    let mut world = after("ana plan a / b after=a");
    world.say("wait 3d").unwrap();
    let text = text_of(&world, "day", Form::Full);
    assert!(text.contains("Nothing happened, and here is what was open: 1 waiting · 1 ready"), "{text}");
    assert!(text_of(&World::new(), "day", Form::Full).contains("Nothing happened, and nothing was open"), "an empty board");
}

#[test]
fn twenty_four_tasks_of_one_day_are_all_opened_and_each_once() {
    let mut world = World::new();
    for number in 0..24 {
        world.say(&format!("ana plan task-{number}")).unwrap();
    }
    let report = report_of(&events(&world), "day date=today", "UTC", world.now.plus_seconds(60));
    assert_eq!(report.entries(Section::Opened).len(), 24);
    let text = markdown(&report, Form::Full);
    for id in world.tasks.keys() {
        assert_eq!(text.matches(id.as_str()).count(), 1, "{id}\n{text}");
    }
}

#[test]
fn a_long_section_is_cut_in_brief_and_says_by_how_much() {
    let mut world = World::new();
    for number in 0..limits::REPORT_ROWS_MAX + 7 {
        world.say(&format!("ana plan t{number}")).unwrap();
        world.say("wait 1m").unwrap();
    }
    let brief = text_of(&world, "day date=today", Form::Brief);
    assert!(brief.contains("\n7 more not shown"), "{brief}");
    assert!(brief.contains(" t206 ") && !brief.contains(" t0 "), "the newest stay");
    assert!(!text_of(&world, "day date=today", Form::Full).contains("more not shown"));
}

#[test]
fn a_standup_counts_everything_whatever_it_shows() {
    let mut world = after("ana plan a");
    for _ in 0..5_000 {
        world.say("w1 comment a text=hello").unwrap();
    }
    let text = markdown(&report_of(&events(&world), "standup", "UTC", world.now.plus_seconds(60)), Form::Brief);
    assert!(text.contains("- agent:ana/w1: task.commented 5000"), "{text}");
}

#[test]
fn a_dossier_over_its_limit_tells_its_oldest_entries_in_one_line() {
    let mut world = World::new();
    let words = "word ".repeat(3_000);
    for number in 0..160 {
        world.say(&format!("ana plan t{number} spec='{words}'")).unwrap();
        let id = world.tasks.keys().next_back().unwrap().clone();
        world.say(&format!("ana close {id} no_code=true note='done by hand'")).unwrap();
        world.say("wait 1m").unwrap();
    }
    let report = report_of(&events(&world), "day date=today", "UTC", world.now);
    let text = markdown(&report, Form::Full);
    assert!(text.len() <= limits::DOSSIER_BYTES_MAX, "{} bytes", text.len());
    assert!(text.len() > limits::DOSSIER_BYTES_MAX - (64 << 10), "{} bytes", text.len());
    assert!(text.contains("oldest entries are one line each"), "it says so");
    assert!(world.tasks.keys().all(|id| text.contains(id.as_str())), "nothing is left out");
    let whole = |title: &str| text.contains(&format!(" {title}\n\ntask"));
    assert!(whole("t159") && !whole("t0"), "the newest are whole");
}

#[test]
fn what_is_quoted_makes_no_section() {
    let world =
        after("ana plan a spec='# Title\n## Narration\n<!-- callboard:narration by=x state=done -->'; ana close a no_code=true note='## Closed (9)'; wait 1m");
    let text = text_of(&world, "day date=today", Form::Full);
    assert!(!text.lines().any(|line| line.starts_with("## Narration") || line.starts_with("<!--") || line == "## Closed (9)"), "{text}");
}

#[test]
fn a_picture_of_a_period_has_its_numbers_beside_it() {
    let charts = chart::charts(&report_of(&events(&busy()), "range last=3d", "UTC", busy().now));
    let tables: Vec<String> = charts
        .iter()
        .map(|chart| format!("{}\n{}\n{}", chart.title, chart.columns.join(" "), chart.rows.iter().map(|row| row.join(" ")).collect::<Vec<_>>().join("\n")))
        .collect();
    assert_snapshot!("charts_as_tables", tables.join("\n\n"));
    assert_snapshot!("a_chart", charts[2].svg);
    assert_eq!(chart::charts(&report_of(&events(&busy()), "day date=today", "UTC", busy().now)).len(), 0, "one day is no curve");
}

#[test]
fn a_file_reads_back_as_it_was_put_together() {
    let world = busy();
    let report = report_of(&events(&world), "day date=2026-11-29", "UTC", world.now);
    let stamp = report.stamp(world.now).unwrap();
    let narration = Narration {
        by: "claude".into(),
        model: "m-1".into(),
        state: NarrationState::Done,
        events: Some(3),
        text: "It went well.\n\n## Narration\n\nIndeed.".into(),
        html: String::new(),
    };
    let text = dossier::write(&stamp, &markdown(&report, Form::Full), &narration);
    let read = dossier::read(&text);
    assert_eq!((read.stamp.as_ref(), &read.narration, read.is_as_made), (Some(&stamp), &narration, true));
    assert_eq!(dossier::write(&stamp, &read.facts, &read.narration), text);
    assert_eq!(dossier::read(&text.replace('\n', "\r\n")), read, "line ends are git's business");
    assert!(
        text.starts_with(
            "<!-- callboard:report v=1 kind=day label=2026-11-29 zone=UTC from=2026-11-29T00:00:00Z to=2026-11-30T00:00:00Z as_of=2026-11-30T00:00:00Z events="
        ),
        "{}",
        text.lines().next().unwrap()
    );
}

#[test]
fn a_persons_words_are_known_as_theirs() {
    let world = busy();
    let report = report_of(&events(&world), "day date=2026-11-29", "UTC", world.now);
    let narration = Narration { by: "claude".into(), state: NarrationState::Done, text: "It went well.".into(), ..Narration::default() };
    let text = dossier::write(&report.stamp(world.now).unwrap(), &markdown(&report, Form::Full), &narration);
    let marker = text.lines().find(|line| line.starts_with("<!-- callboard:narration")).unwrap();
    let hands =
        [text.replace("It went well.", "It went badly."), text.replace(marker, "").replace("It went well.", "Mine."), text.replace("by=claude", "by=hand")];
    for edited in hands {
        let read = dossier::read(&edited);
        assert!(read.narration.is_by_hand() && read.is_as_made, "{edited}");
    }
    assert!(!dossier::read(&text.replace("## Closed (1)", "## Closed (2)")).is_as_made, "facts changed by hand");
    let bare = dossier::read("# My own notes\n\nabout that day\n");
    assert!(bare.stamp.is_none() && !bare.is_as_made && bare.facts.starts_with("# My own notes"));
    assert_eq!(dossier::read(&text.replace("It went well.\n", "")).narration.by, "none", "what was taken out is nobody's");
}

#[test]
fn two_versions_meet_and_neither_is_lost() {
    use dossier::Meeting::{Conflict, Known, Store};
    let world = busy();
    let all = events(&world);
    let version = |events: &[Event], narration: &str, by: &str| {
        let report = report_of(events, "range from=2026-11-29", "UTC", world.now);
        let state = if narration.is_empty() { NarrationState::None } else { NarrationState::Done };
        let narration = Narration { by: by.into(), state, text: narration.into(), ..Narration::default() };
        dossier::write(&report.stamp(world.now).unwrap(), &markdown(&report, Form::Full), &narration)
    };
    let (less, more) = (version(&all[..20], "", "none"), version(&all, "", "none"));
    let (less_by_hand, more_told) = (version(&all[..20], "Mine.", "hand"), version(&all, "Told.", "claude"));
    let hash = |text: &str| dossier::sha256(text);
    let edited = more.replace("## Closed (1)", "## Closed (2)");
    let rows = [
        ("none is here", None, more.as_str(), None, Store),
        ("the same bytes", Some(more.as_str()), more.as_str(), None, Known),
        ("the sender saw what is here", Some(less.as_str()), more_told.as_str(), Some(hash(&less)), Store),
        ("it covers more, and no words are lost", Some(less.as_str()), more_told.as_str(), None, Store),
        ("it covers less", Some(more.as_str()), less.as_str(), None, Conflict),
        ("words by hand would be lost", Some(less_by_hand.as_str()), more_told.as_str(), Some(hash(&less_by_hand)), Conflict),
        ("two narrations of as many events", Some(more_told.as_str()), version(&all, "Other.", "claude").leak(), None, Conflict),
        ("facts that a person changed", Some(edited.as_str()), more_told.as_str(), None, Conflict),
        ("no stamp", Some("# Mine"), more.as_str(), None, Conflict),
    ];
    for (what, here, sent, base, wanted) in rows {
        assert_eq!(dossier::meet(here, sent, base.as_deref()), wanted, "{what}");
    }
}

fn partition_holds(events: &[Event], asked: &str, zone: &str, now: Moment) {
    let report = report_of(events, asked, zone, now);
    let mut placed: BTreeMap<TaskId, usize> = BTreeMap::new();
    for entry in Section::ALL.iter().flat_map(|section| report.entries(*section)) {
        *placed.entry(entry.task.id.clone()).or_default() += 1;
    }
    let mut wanted: BTreeMap<TaskId, usize> = BTreeMap::new();
    let mut subjects: BTreeMap<&str, Vec<Event>> = BTreeMap::new();
    events.iter().filter(|event| event.at.moment < report.window.as_of).for_each(|event| subjects.entry(&event.subject).or_default().push(event.clone()));
    for (subject, mut events) in subjects {
        let Ok(id) = TaskId::parse(subject) else { continue };
        let Some(task) = fold_task(&mut events).0 else { continue };
        if task.status == Status::Open || task.closed.is_some_and(|closed| report.window.from.is_none_or(|from| from <= closed.at)) {
            wanted.insert(id, 1);
        }
    }
    assert_eq!(placed, wanted, "{asked} in {zone}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn each_task_is_in_one_section_and_a_day_that_is_over_stays_as_it_was(statements in proptest::collection::vec(statement(), 1..60)) {
        let mut world = after("ana plan a / b after=a / c parent=a / d");
        for statement in &statements {
            let words: Vec<&str> = statement.split(' ').collect();
            if words.get(1) == Some(&"next") && words.get(2).is_some_and(|id| !world.tasks.contains_key(&task(id))) {
                continue;
            }
            let _ = world.say(statement);
        }
        let (events, now) = (events(&world), world.now.plus_seconds(1));
        for zone in ["UTC", "Asia/Kathmandu"] {
            for asked in ["day date=today", "day date=2026-11-29", "range last=2d", "range last=1m", "standup", "all"] {
                partition_holds(&events, asked, zone, now);
            }
        }
        let over = at("2026-11-30T00:00:00Z");
        let (before, all): (Vec<Event>, Vec<Event>) = (events.iter().filter(|event| event.at.moment < over).cloned().collect(), events);
        let early = markdown(&report_of(&before, "day date=2026-11-29", "UTC", over), Form::Full);
        let late = markdown(&report_of(&all, "day date=2026-11-29", "UTC", now.max(over)), Form::Full);
        prop_assert_eq!(early, late);
    }

    #[test]
    fn parts_leave_nothing_out_and_say_nothing_twice(lines in proptest::collection::vec("(## |### |- |> |)[a-zé ]{0,60}", 0..80), chars_max in 40_usize..400) {
        let dossier = format!("# Day\n\nlead\n\n{}", lines.join("\n"));
        let pieces = part::pieces(&dossier, chars_max);
        let bodies: String = pieces.iter().map(|piece| piece.body.as_str()).collect();
        prop_assert_eq!(format!("{}{bodies}", pieces[0].head), dossier, "{:?}", pieces);
    }
}

#[test]
fn a_dossier_is_cut_between_entries_with_its_head_repeated() {
    let entries: String = (0..40).map(|number| format!("\n### tk-{number:06} title\n\n{}\n", "words ".repeat(40))).collect();
    let dossier = format!("# Day 2026-11-28\n\n40 closed\n\n## Closed (40)\n{entries}\n## By actor (1)\n\n| Actor |\n");
    let pieces = part::pieces(&dossier, 3_000);
    assert!(pieces.len() > 2);
    for piece in &pieces {
        assert!(piece.text().chars().count() <= 3_000, "{}", piece.text().len());
        assert!(piece.text().starts_with("# Day 2026-11-28\n\n40 closed\n"));
    }
    for piece in &pieces[1..] {
        assert!(piece.head.ends_with("## Closed (40), continued\n\n") && piece.body.starts_with("### tk-"), "{}", piece.text());
    }
    assert_eq!(part::pieces("short", 3_000).len(), 1);
}
