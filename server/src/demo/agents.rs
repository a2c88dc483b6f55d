//! Three scripted agents that keep the demonstration moving while somebody watches: they take, say, ask, finish, and answer.
//!
//! They use the port like any agent. Nothing they do needs a person, and a refusal is only a reason to try something else.

use crate::board::ServerPort;
use crate::boot;
use contracts::view::{InboxItem, InboxQuery, NextRequest};
use contracts::{Actor, Board, Caller, Command, CommandRequest, Problem, Surface, TaskId};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::task::JoinHandle;

/// How long they go on, counted while a page is open.
const ACTING: Duration = Duration::from_secs(600);
/// How often it is looked whether a page is open.
const LOOK: Duration = Duration::from_secs(1);
/// How long they write at an answer.
const ANSWERING: Duration = Duration::from_secs(2);
/// Seconds between two acts of one agent: at least, and how many more by chance.
const PAUSE: (u64, u128) = (6, 7);

/// The agents at work; dropping it sends them home.
pub struct Cast(Vec<JoinHandle<()>>);

impl Cast {
    /// Sends three agents to the board. `watchers` counts open pages.
    pub fn start(port: &ServerPort, watchers: &Arc<AtomicUsize>) -> Cast {
        let parts = ["ebb", "flow", "slack"].into_iter().enumerate();
        Cast(parts.map(|(number, name)| tokio::spawn(Player::new(port, name, number).play(watchers.clone()))).collect())
    }
}

impl Drop for Cast {
    fn drop(&mut self) {
        self.0.iter().for_each(JoinHandle::abort);
    }
}

struct Player {
    board: Arc<dyn Board>,
    /// Where in the lists of words it is.
    line: usize,
    /// What it is at, and how far.
    task: Option<(TaskId, u8)>,
    /// Whether it asked a person something: once is enough for one audience.
    asked: bool,
}

impl Player {
    fn new(port: &ServerPort, name: &str, number: usize) -> Player {
        let caller = Caller {
            actor: Actor::agent_named("demo", name),
            principal: "local:demo".to_owned(),
            surface: Surface::Mcp,
            session: Some(format!("demo-{name}")),
            client: Some("demo".to_owned()),
        };
        Player { board: port.for_caller(caller), line: number * 3, task: None, asked: false }
    }

    async fn play(mut self, watchers: Arc<AtomicUsize>) {
        let mut acted = Duration::ZERO;
        let mut rest = Duration::from_secs(PAUSE.0);
        while acted < ACTING {
            tokio::time::sleep(LOOK).await;
            if watchers.load(Ordering::Relaxed) == 0 {
                continue;
            }
            acted += LOOK;
            self.answer().await;
            rest = rest.saturating_sub(LOOK);
            if rest.is_zero() {
                if let Err(problem) = self.act().await {
                    // Somebody else was there first, or a person decided otherwise: look anew.
                    tracing::debug!(%problem, "a scripted agent was refused");
                    self.task = None;
                }
                rest = Duration::from_secs(PAUSE.0 + u64::try_from(boot::random_bits() % PAUSE.1).unwrap_or(0));
            }
        }
    }

    async fn does(&self, command: &str, args: Value) -> Result<(), Problem> {
        self.board.execute(CommandRequest::of(Command::parse(command, args)?)).await.map(drop)
    }

    fn says<'a>(&mut self, lines: &[&'a str]) -> &'a str {
        self.line += 1;
        lines[self.line % lines.len()]
    }

    /// The next act: take something, say two things about it, finish it, and plan what follows.
    async fn act(&mut self) -> Result<(), Problem> {
        let Some((task, step)) = self.task.take() else { return self.take().await };
        match step {
            0 | 1 => {
                let text = self.says(PROGRESS);
                self.does("comment", json!({"task": task, "text": text})).await?;
                self.task = Some((task, step + 1));
            }
            2 if !self.asked && self.line.is_multiple_of(2) => {
                self.asked = true;
                let text = self.says(QUESTIONS);
                self.does("question", json!({"task": task, "text": text, "choices": ["Yes", "No", "Later"]})).await?;
            }
            _ => {
                let note = self.says(CLOSING);
                self.does("close", json!({"task": task, "no_code": true, "note": note})).await?;
                let title = self.says(FOLLOW_UPS);
                self.does("plan", json!({"tasks": [{"title": title, "priority": 2, "labels": ["follow-up"]}]})).await?;
            }
        }
        Ok(())
    }

    async fn take(&mut self) -> Result<(), Problem> {
        let answer = self.board.next(NextRequest::default()).await?;
        match answer.task {
            Some(view) => self.task = Some((view.card.id, 0)),
            None => {
                let title = self.says(FOLLOW_UPS);
                self.does("plan", json!({"tasks": [{"title": title, "priority": 3, "labels": ["follow-up"]}]})).await?;
            }
        }
        Ok(())
    }

    /// What a person said to this agent is answered where it was said.
    async fn answer(&mut self) {
        let query = InboxQuery { deliver: true, limit: Some(5), ..InboxQuery::default() };
        let Ok(page) = self.board.inbox(query).await else { return };
        for item in page.items {
            if item.entry.actor.is_dev() && item.entry.is_speech() {
                tokio::time::sleep(ANSWERING).await;
                let _ = self.reply(&item).await; // the task may be gone; then there is nothing to add
            }
        }
    }

    async fn reply(&mut self, item: &InboxItem) -> Result<(), Problem> {
        let entry = &item.entry;
        let words = if entry.kind == "task.answered" { self.says(THANKS) } else { self.says(REPLIES) };
        let text = format!("@{} {words}", entry.actor);
        match TaskId::parse(&entry.subject) {
            Ok(task) => self.does("comment", json!({"task": task, "text": text, "mentions": [entry.actor], "reply_to": entry.event})).await,
            Err(_) => self.does("message", json!({"to": [entry.actor], "text": text, "reply_to": entry.event})).await,
        }
    }
}

const PROGRESS: &[&str] = &[
    "Read the spec and the two tasks beside it. Starting with the smallest case.",
    "The readings of **March** pass. April has a gap on the 9th where the gauge froze; I skip that day and say so.",
    "Found the place: `tidewatch/alerts.py`, the loop that walks the prediction forward.",
    "First attempt was wrong by one step at midnight. Writing the test for it before the fix.",
    "Half done. What is left is the wording, and that is for people.",
    "Measured on the old tablet: 0.9 s now, 3.4 s before.",
    "Three harbours tried: Porthkerris, Muscat, 鹿児島. All three read right.",
    "The sill at Muscat is given against another datum. Converted, and noted in the harbour's file.",
    "Tests are green. Looking once more at what happens when the feed is silent.",
    "Two of the ten worst days were typing errors in the table. Told the harbour office.",
];
const QUESTIONS: &[&str] = &[
    "The skipper's margin is empty for four boats. Is 30 cm right for all of them?",
    "May a warning be sent before six in the morning?",
    "The harbour master's name stands in every text. Shall it stay?",
];
const CLOSING: &[&str] = &[
    "Checked against the table of the harbour office; nothing had to be changed in the program.",
    "Settled in the thread. The answer is written down in the harbour's file.",
    "Tried on three phones and the old tablet, all read it. No code was needed.",
    "The cause was a wrong entry, which the office has mended.",
];
const FOLLOW_UPS: &[&str] = &[
    "Ask the office for readings of the frozen gauge",
    "Name the datum beside every height",
    "Say in a warning how sure we are of it",
    "Try the page with the sun on the screen",
    "Show when a harbour was last heard of",
    "Write down how a sill is measured",
    "Let a skipper see yesterday's warnings",
    "Count the boats that left in time",
    "Check the moon's age against the almanac",
    "Find harbours that share one weather call",
    "Print the week's tides for the notice board",
    "Warn the office when no reading came for an hour",
];
const REPLIES: &[&str] = &[
    "understood, I take that up next.",
    "good point. I had it the other way round; changing it now.",
    "yes. I will say here when it is done.",
    "thanks, that settles it for me.",
];
const THANKS: &[&str] = &["thank you, going on with that.", "clear, then I know how to finish it."];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_one_a_board_takes() {
        for text in [PROGRESS, QUESTIONS, CLOSING, REPLIES, THANKS].concat() {
            assert!(contracts::Note::parse(text).is_ok_and(|note| !note.is_blank()), "{text}");
        }
        for title in FOLLOW_UPS {
            assert!(contracts::Title::parse(title).is_ok(), "{title}");
        }
    }
}
