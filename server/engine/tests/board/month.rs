//! A busy month, recorded: the commits of a real repository's history (`history.tsv`: abbreviated id, subject, up to four files with their
//! sizes), replayed three times as the work of eight actors on their tasks through October 2026, in which Europe's clocks go back. The dice are
//! loaded: the same month every time.
//!
//! `git log --reverse --no-merges --numstat` gave the history; nothing but what is in it and the dice decides what happens.

use crate::reports::report_at;
use contracts::{Actor, EventId, Moment, Stamp, TaskId, Writer};
use engine::report::dossier::{outline, sha256};
use engine::report::*;
use engine::{Event, Kind};
use insta::assert_snapshot;
use serde_json::{Value, json};

const HISTORY: &str = include_str!("history.tsv");
/// Eight actors: three people, five of their agents.
const ACTORS: [&str; 8] = ["dev:ana", "dev:bo", "dev:mei", "agent:ana/w1", "agent:ana/w2", "agent:bo/w1", "agent:mei/w1", "agent:mei/w2"];

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn one_in(&mut self, bound: u64) -> bool {
        self.below(bound) == 0
    }
}

struct Month {
    dice: Dice,
    now: Moment,
    events: Vec<Event>,
    commits: u32,
}

impl Month {
    fn add(&mut self, actor: &str, kind: Kind, subject: &str, body: Value) -> EventId {
        let n = i64::try_from(self.events.len()).unwrap() + 1;
        let id = EventId::from_bits(u128::from_str_radix(&sha256(&format!("event {n}"))[..32], 16).unwrap());
        let stamp = Stamp { moment: self.now, counter: 0 };
        let event = Event {
            id: id.clone(),
            writer: Writer::parse("9c1e07ab").unwrap(),
            n,
            prev: EventId::none(),
            at: stamp,
            actor: Actor::parse(actor).unwrap(),
            principal: "local:ana".to_owned(),
            kind,
            subject: subject.to_owned(),
            body: body.as_object().unwrap().clone(),
        };
        self.events.push(event);
        id
    }

    /// Time goes by: at most so many minutes.
    fn wait(&mut self, minutes: u64) {
        self.now = self.now.plus_seconds(i64::try_from(30 + self.dice.below(minutes * 60)).unwrap());
    }

    /// One task from its plan to wherever it gets, with these commits.
    fn task(&mut self, number: u32, commits: &[(&str, &str, &str)]) {
        let id = TaskId::from_bits(u128::from(number) * 7_919 + 0x1000);
        let id = id.as_str();
        let person = ACTORS[self.dice.below(3) as usize];
        let worker = ACTORS[3 + self.dice.below(5) as usize];
        let (_, title, files) = commits[0];
        let kinds = ["feature", "bug", "chore", "docs", "task"];
        let mut body = json!({"title": title, "spec": format!("{title}.\n\nBegin at {}.", files.split(':').next().unwrap_or("the source")), "type": kinds[self.dice.below(5) as usize], "priority": self.dice.below(4)});
        if number > 1 && self.dice.one_in(5) {
            body["after"] = json!([TaskId::from_bits(u128::from(number - 1) * 7_919 + 0x1000).as_str()]);
        }
        self.add(person, Kind::TaskCreated, id, body);
        self.wait(30);
        match self.dice.below(12) {
            // Nobody ever begins it.
            0 => return,
            1 => drop(self.add(person, Kind::TaskHeld, id, json!({"kind": "person", "note": "after the release"}))),
            2 => {
                self.add(person, Kind::TaskCancelled, id, json!({"note": "done elsewhere already"}));
                return;
            }
            _ => {}
        }
        let expires = |at: Moment| at.plus_seconds(7_200).to_string();
        self.add(worker, Kind::TaskClaimed, id, json!({"expires": expires(self.now), "ttl_s": 900, "fence": 1, "via": "mcp"}));
        for (at, (short, subject, files)) in commits.iter().enumerate() {
            self.wait(40);
            self.commits += 1;
            let files: Vec<(&str, i64, i64)> = files
                .split(' ')
                .filter_map(|file| {
                    let mut parts = file.rsplitn(3, ':');
                    let (deleted, added) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
                    Some((parts.next()?, added, deleted))
                })
                .collect();
            let sum = |of: fn(&(&str, i64, i64)) -> i64| files.iter().map(of).sum::<i64>();
            let sha = format!("{short}{:033}", self.commits);
            let body =
                json!({"sha": sha[..40], "subject": subject, "how": "trailer", "files": files, "added": sum(|file| file.1), "deleted": sum(|file| file.2)});
            self.add(worker, Kind::CommitBound, id, body);
            if at == 0 && self.dice.one_in(4) {
                let new = format!("{short}{:033}", self.commits + 1_000);
                self.add(worker, Kind::CommitSuperseded, id, json!({"old": sha[..40], "new": new[..40], "why": "amend"}));
            }
        }
        if self.dice.one_in(3) {
            self.add(worker, Kind::TaskCommented, id, json!({"text": format!("Looked at it: {title} touches more than it says."), "mentions": [person]}));
            self.wait(20);
            self.add(person, Kind::TaskCommented, id, json!({"text": "Then do what it says, and say what it touches.", "mentions": [worker]}));
        }
        self.wait(60);
        match self.dice.below(10) {
            0 => drop(self.add(worker, Kind::TaskReleased, id, json!({"reason": "asked", "note": "half of it is done", "holder": worker}))),
            1 => drop(self.add(worker, Kind::TaskAsked, id, json!({"question": format!("qu-{number:08x}"), "text": "keep the old form too?"}))),
            // Its claim lapses.
            2 => {}
            3 => drop(self.add(worker, Kind::TaskSubmitted, id, json!({"note": "all of it, with tests"}))),
            4 => {
                let submission = self.add(worker, Kind::TaskSubmitted, id, json!({"note": "all of it"}));
                self.wait(90);
                self.add(person, Kind::TaskReviewed, id, json!({"submission": submission.as_str(), "verdict": "pass", "note": ""}));
                self.add(person, Kind::TaskClosed, id, json!({"note": "all of it", "by_review": true}));
            }
            5 => {
                self.add(worker, Kind::TaskClosed, id, json!({"note": "done, but for the docs"}));
                self.wait(300);
                self.add(person, Kind::TaskReopened, id, json!({"note": "the docs are missing"}));
            }
            _ => drop(self.add(worker, Kind::TaskClosed, id, json!({"note": format!("{title}: done as asked"), "commits": []}))),
        }
    }
}

fn month() -> Month {
    let history: Vec<(&str, &str, &str)> = HISTORY
        .lines()
        .filter_map(|line| {
            let mut parts = line.split('\t');
            Some((parts.next()?, parts.next()?, parts.next()?))
        })
        .collect();
    let mut month = Month { dice: Dice(20_261_001), now: Moment::parse("2026-10-01T05:00:00Z").unwrap(), events: Vec::new(), commits: 0 };
    month.add("dev:ana", Kind::ProjectCreated, "project", json!({"name": "Callboard", "zone": "Europe/Berlin"}));
    let thrice: Vec<_> = history.iter().chain(&history).chain(&history).copied().collect();
    let (mut at, mut number) = (0, 0);
    while at < thrice.len() {
        number += 1;
        let take = (1 + month.dice.below(4) as usize).min(thrice.len() - at);
        month.task(number, &thrice[at..at + take]);
        at += take;
        month.wait(270);
    }
    month
}

#[test]
fn the_month_is_a_busy_one_and_the_same_every_time() {
    let month = month();
    let tasks = month.events.iter().filter(|event| event.kind == Kind::TaskCreated).count();
    let commits = month.events.iter().filter(|event| event.kind == Kind::CommitBound).count();
    let actors: std::collections::BTreeSet<&str> = month.events.iter().map(|event| event.actor.as_str()).collect();
    assert!(tasks >= 120 && commits >= 300 && actors.len() == 8, "{tasks} tasks, {commits} commits, {} actors", actors.len());
    assert!(month.now > Moment::parse("2026-11-01T12:00:00Z").unwrap(), "it reaches over both changes of the clock: {}", month.now);
    assert_eq!(month.events, self::month().events);
}

/// What stands for a dossier that is too long to be kept: its outline, and its hash.
fn digest(text: &str) -> String {
    let outline = outline(text);
    let sections: Vec<String> = outline.sections.iter().map(|(title, count, text)| format!("{title} ({count}), {} lines", text.lines().count())).collect();
    format!("{}\n{}\n{}\nsha256 {}", outline.title, outline.lead, sections.join("\n"), sha256(text))
}

#[test]
fn golden_dossiers_in_two_zones() {
    let month = month();
    for (zone, name) in [("Europe/Berlin", "berlin"), ("America/New_York", "new_york")] {
        let told = |asked: &str, form: Form| {
            let report = report_at(&month.events, asked, zone, "2026-11-02T12:00:00Z");
            (markdown(&report, form), report)
        };
        // Europe's clocks go back on the first of these days, America's on the second.
        for day in ["2026-10-25", "2026-11-01"] {
            assert_snapshot!(format!("golden_{name}_{day}"), told(&format!("day date={day}"), Form::Full).0);
        }
        assert_snapshot!(format!("golden_{name}_standup"), told("standup since=1w", Form::Brief).0);
        let (text, report) = told("range from=2026-10-01 to=2026-10-31", Form::Full);
        let days: Vec<String> = chart::charts(&report)
            .iter()
            .map(|chart| format!("{}: {}", chart.title, chart.rows.iter().map(|row| row[1..].join("/")).collect::<Vec<_>>().join(" ")))
            .collect();
        assert_snapshot!(format!("golden_{name}_range"), format!("{}\n{}", digest(&text), days.join("\n")));
        assert_snapshot!(format!("golden_{name}_all"), digest(&told("all", Form::Full).0));
    }
}

#[test]
fn every_day_of_the_month_is_the_same_when_it_is_told_later() {
    let month = month();
    for zone in ["Europe/Berlin", "America/New_York", "Asia/Kathmandu"] {
        for day in 1..=31 {
            let asked = format!("day date=2026-10-{day:02}");
            let late = report_at(&month.events, &asked, zone, "2026-11-02T12:00:00Z");
            let over = late.window.to;
            let known: Vec<Event> = month.events.iter().filter(|event| event.at.moment < over).cloned().collect();
            let early = report_at(&known, &asked, zone, &over.to_string());
            assert_eq!(markdown(&early, Form::Full), markdown(&late, Form::Full), "{asked} in {zone}");
            assert_eq!((early.events, early.sum), (late.events, late.sum.clone()), "{asked} in {zone}");
        }
    }
}
