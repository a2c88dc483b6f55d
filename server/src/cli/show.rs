//! A task as text, part by part in one order: for `tasks show` and for the answer of `next`.

mod parts;

use super::desk::Desk;
use super::out::{Out, Row};
use super::when::When;
use super::{inbox, marks, text};
use contracts::command::Priority;
use contracts::view::{NextAnswer, TaskView};
use contracts::{Problem, Standing, TaskId};
use std::rc::Rc;

/// `callboard tasks show`.
pub async fn task(desk: &mut Desk, id: TaskId) -> Result<(), Problem> {
    let view = desk.board.task(id).await?;
    if desk.out.manner.json {
        return desk.out.document(&view);
    }
    let when = desk.when().await?;
    let page = Page { out: &mut desk.out, when, view: &view };
    page.task(&Beside::default());
    Ok(())
}

/// The answer to `next`, when it holds a task.
pub fn answer(out: &mut Out, when: Rc<When>, view: &TaskView, answer: &NextAnswer, peek: bool) {
    Page { out, when, view }.task(&Beside { answer: Some(answer), peek });
}

/// What an answer says beside its task.
#[derive(Default)]
struct Beside<'a> {
    answer: Option<&'a NextAnswer>,
    /// Nothing was taken: it is said as what would be.
    peek: bool,
}

/// One task being written.
struct Page<'a> {
    out: &'a mut Out,
    when: Rc<When>,
    view: &'a TaskView,
}

impl Page<'_> {
    fn task(mut self, beside: &Beside<'_>) {
        self.head(beside);
        self.lease(beside);
        self.place(beside);
        if let Some(answer) = beside.answer.filter(|answer| !answer.inbox.is_empty()) {
            self.heading("For you");
            inbox::rows(self.out, &self.when, &answer.inbox);
            if answer.inbox_more > 0 {
                self.out.row(Row::new().dim(format!("  +{} more: callboard inbox", answer.inbox_more)));
            }
        }
        self.verdict(beside);
        self.needs();
        self.collisions(beside);
        self.spec();
        self.criteria();
        self.milestone();
        self.relations();
        self.thread();
        self.commits();
        self.finish();
    }

    fn heading(&mut self, words: &str) {
        self.out.gap();
        self.out.row(Row::new().strong(words));
    }

    fn head(&mut self, beside: &Beside<'_>) {
        let card = &self.view.card;
        self.out.row(Row::new().strong(card.id.as_str()).dim(format!(" {} ", self.out.dot())).strong(card.title.clone()));
        let mark = marks::mark(card.standing, self.out.manner.ascii);
        let mut row = Row::new().add(marks::tone(card.standing), format!("{mark} {}", card.standing.words()));
        match (beside.answer, &card.why) {
            (Some(answer), _) if !answer.how_text.is_empty() => {
                row = row.plain(format!("  {}{}", if beside.peek { "would be " } else { "" }, answer.how_text));
            }
            // A question or a verdict stands below, whole.
            (_, Some(why)) if self.view.questions.is_empty() && card.standing != Standing::Changes => {
                row = row.plain(format!("  {}", text::flat(&why.text)));
                if let Some(since) = why.since {
                    row = row.dim(format!(", {}", self.when.moment(since)));
                }
            }
            _ => {}
        }
        self.out.row(row);
        let mut facts = vec![format!("P{} {}", card.priority, Priority::parse(card.priority.into()).map_or("", Priority::words)), card.kind.clone()];
        facts.extend(card.complexity.map(|size| size.to_string()));
        facts.extend(card.vertical.as_ref().map(|area| format!("area {area}")));
        facts.extend(card.labels.iter().map(|label| format!("#{label}")));
        facts.extend(card.due_at.map(|at| format!("due {}", self.when.clock(at))));
        self.out.row(Row::new().dim(facts.join(&format!(" {} ", self.out.dot()))));
        let by = format!("by {} {}, version {}", self.view.created_by, self.when.moment(card.created_at), card.version);
        self.out.row(Row::new().dim(by));
        if let Some(held) = &card.held {
            self.out.row(format!("held by {}: {}", held.by, or(&held.note, "no reason given")));
        }
        if let Some(closed) = card.closed_at {
            self.out.row(format!("closed {}{}", self.when.moment(closed), if self.view.closing_note.is_empty() { "" } else { ":" }));
            self.out.block(2, &self.view.closing_note);
        }
    }

    fn lease(&mut self, beside: &Beside<'_>) {
        let Some(lease) = beside.answer.and_then(|answer| answer.lease.as_ref()).or(self.view.card.lease.as_ref()) else {
            if let Some(assignee) = &self.view.card.assignee {
                self.out.row(format!("for {assignee}"));
            }
            return;
        };
        let until = self.when.clock(lease.until);
        let words = match (beside.answer.is_some(), lease.late, lease.elsewhere) {
            (true, ..) => format!("yours until {until} (fence {}); every Callboard call extends it", lease.fence),
            (false, _, Some(as_of)) => format!("held by {} in another clone, as of {}, until {until}", lease.actor, self.when.clock(as_of)),
            (false, true, None) => format!("held by {}, late since {until} (fence {})", lease.actor, lease.fence),
            (false, false, None) => format!("held by {} until {until} (fence {})", lease.actor, lease.fence),
        };
        self.out.row(words);
    }

    fn place(&mut self, beside: &Beside<'_>) {
        match beside.answer.and_then(|answer| answer.place.as_ref()) {
            Some(place) => {
                if let Some(worktree) = &place.worktree {
                    self.out.row(format!("work in {worktree}"));
                }
                if let Some(command) = &place.command {
                    self.out.row(Row::new().plain("work here after: ").strong(command.clone()));
                }
            }
            None => {
                if let Some(branch) = &self.view.card.branch {
                    self.out.row(Row::new().dim(format!("branch {branch}")));
                }
            }
        }
    }

    fn verdict(&mut self, beside: &Beside<'_>) {
        let given = beside.answer.map(|answer| answer.verdict.as_str()).filter(|note| !note.is_empty());
        let review = self.view.card.review.as_ref();
        let wanted = review.is_some_and(|review| review.state == "changes");
        if let Some(review) = review {
            let words = match review.state.as_str() {
                "submitted" => "submitted by",
                "passed" => "passed by",
                _ => "changes wanted by",
            };
            self.out.gap();
            self.out.row(Row::new().strong(words).plain(format!(" {}", review.by)).dim(format!("  {}", self.when.moment(review.at))));
            // A card cuts the note; who is to act on it is handed all of it.
            self.out.block(2, given.filter(|_| wanted).unwrap_or(&review.note));
        }
        if let Some(note) = given.filter(|_| !wanted) {
            self.heading("Note of who had it before");
            self.out.block(2, note);
        }
    }

    fn finish(&mut self) {
        if self.view.card.standing == Standing::Done || self.view.card.standing == Standing::Cancelled {
            return;
        }
        let id = self.view.card.id.as_str();
        let may = |command: &str| self.view.allowed.iter().any(|row| row.command == command && row.refused.is_none());
        let calls: Vec<String> = [
            ("claim", format!("callboard tasks claim {id}")),
            ("close", format!("callboard tasks done {id} -m NOTE")),
            ("submit", format!("callboard tasks submit {id} -m NOTE")),
            ("review", format!("callboard tasks review {id} pass|changes -m NOTE")),
            ("release", format!("callboard tasks release {id} -m NOTE")),
        ]
        .into_iter()
        .filter(|(command, _)| may(command))
        .map(|(_, call)| call)
        .collect();
        if calls.is_empty() {
            return;
        }
        self.heading("Next");
        for call in calls {
            self.out.row(format!("  {call}"));
        }
        if self.view.review_required {
            self.out.row(Row::new().dim("  a review is required: a person passes it"));
        }
    }
}

fn or<'a>(text: &'a str, otherwise: &'a str) -> &'a str {
    if text.trim().is_empty() { otherwise } else { text }
}
