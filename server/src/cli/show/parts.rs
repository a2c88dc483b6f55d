//! The longer parts of a task: collisions, spec, criteria, milestone, relations, thread, commits.

use super::{Beside, Page, or};
use crate::cli::desk::task_row;
use crate::cli::out::{Row, Tone};
use crate::cli::text;
use contracts::Standing;
use contracts::standing::Via;
use contracts::view::{Criterion, Entry, Relation};

/// Entries of a thread that are shown; the page has the rest.
const THREAD_SHOWN: usize = 10;
/// Paths of a commit that are shown.
const PATHS_SHOWN: usize = 4;

impl Page<'_> {
    /// What only a person or the outside settles.
    pub(super) fn needs(&mut self) {
        let view = self.view;
        if !view.questions.is_empty() {
            self.heading("Questions");
            for question in &view.questions {
                self.out.row(Row::new().plain(format!("  {} asks ", question.by)).dim(format!("{} {}", question.id, self.when.moment(question.at))));
                self.out.block(4, &question.text);
                for choice in &question.choices {
                    self.out.row(format!("    - {choice}"));
                }
                self.out.row(Row::new().dim(format!("    callboard tasks answer {} -m TEXT", question.id)));
            }
        }
        if !view.conflict_rows.is_empty() {
            self.heading("Conflicts");
            for row in &view.conflict_rows {
                self.out.row(Row::new().add(Tone::Warn, "  ").plain(format!("{} by {}: {}", row.kind, row.actor, text::flat(&row.text))));
                self.out.row(Row::new().dim(format!("    callboard conflicts settle {} keep|dismiss -m NOTE", row.event)));
            }
        }
    }

    pub(super) fn collisions(&mut self, beside: &Beside<'_>) {
        let (rows, more) = match beside.answer {
            Some(answer) if !answer.collisions.is_empty() => (&answer.collisions, answer.collisions_more),
            _ => (&self.view.collisions, 0),
        };
        let rows = rows.clone();
        if rows.is_empty() {
            return;
        }
        self.heading("Others in the same files");
        for row in rows {
            let who = row.actor.as_ref().map(|actor| format!("  {actor}")).unwrap_or_default();
            let line = task_row(self.out, &row.id, Some(row.standing), &row.title).dim(who).dim(format!("  {}", row.paths.join(", ")));
            self.out.row(indented(line));
        }
        if more > 0 {
            self.out.row(Row::new().dim(format!("  +{more} more")));
        }
    }

    pub(super) fn spec(&mut self) {
        self.heading("Spec");
        if self.view.spec.trim().is_empty() {
            self.out.row(Row::new().dim("  no spec"));
        } else {
            self.out.block(2, &self.view.spec);
        }
        if !self.view.files.is_empty() {
            self.out.row(Row::new().dim(format!("  files: {}", self.view.files.join(" "))));
        }
    }

    pub(super) fn criteria(&mut self) {
        if !self.view.criteria.is_empty() {
            self.heading("Criteria");
            self.checklist(&self.view.criteria);
        }
    }

    fn checklist(&mut self, items: &[Criterion]) {
        for (place, item) in items.iter().enumerate() {
            let (mark, tone) = match item.met {
                Some(true) => ("[x]", Tone::Good),
                Some(false) => ("[!]", Tone::Bad),
                None => ("[ ]", Tone::Plain),
            };
            self.out.row(Row::new().plain(format!("  {:>2} ", place + 1)).add(tone, mark).plain(format!(" {}", item.text)));
            self.out.block(9, &item.note);
        }
    }

    pub(super) fn milestone(&mut self) {
        let Some(milestone) = &self.view.milestone_detail else { return };
        self.heading("Milestone");
        self.out.row(Row::new().plain("  ").strong(milestone.id.as_str()).plain(format!(" {}", milestone.title)));
        self.out.block(2, &milestone.goal);
        for rule in &milestone.rules {
            self.out.row(format!("  rule: {rule}"));
        }
        self.checklist(&milestone.criteria);
    }

    pub(super) fn relations(&mut self) {
        let view = self.view;
        if let Some(parent) = &view.parent_detail {
            self.heading("Part of");
            self.relation(parent);
        }
        if !view.waits_on.is_empty() || !view.blockers.is_empty() {
            self.heading("Waits for");
            view.waits_on.iter().for_each(|relation| self.relation(relation));
            for blocker in &view.blockers {
                self.out.row(
                    Row::new().strong(format!("  {}", blocker.id)).plain(format!(" {}", text::flat(&blocker.reason))).dim(format!("  said {}", blocker.by)),
                );
            }
        }
        for (words, relations) in [("What waits for it", &view.blocking), ("Subtasks", &view.subtasks)] {
            if !relations.is_empty() {
                self.heading(words);
                relations.iter().for_each(|relation| self.relation(relation));
            }
        }
    }

    fn relation(&mut self, relation: &Relation) {
        let title = if relation.standing.is_none() { "is not here yet: sync" } else { &relation.title };
        let mut row = indented(task_row(self.out, &relation.id, relation.standing, title));
        if let Some(holder) = &relation.holder {
            row = row.dim(format!("  {holder}"));
        }
        if relation.inert {
            row = row.add(Tone::Warn, "  would close a loop, so it does not count");
        }
        if relation.standing == Some(Standing::Cancelled) && relation.via != Some(Via::Parent) {
            row = row.add(Tone::Warn, "  never delivered");
        }
        self.out.row(row);
        self.out.block(6, &relation.note);
    }

    pub(super) fn thread(&mut self) {
        let thread = &self.view.thread;
        if thread.is_empty() {
            return;
        }
        self.heading("Thread");
        let shown = &thread[thread.len().saturating_sub(THREAD_SHOWN)..];
        let earlier = self.view.thread_total.max(i64::try_from(thread.len()).unwrap_or(0)) - i64::try_from(shown.len()).unwrap_or(0);
        if earlier > 0 {
            self.out.row(Row::new().dim(format!("  +{earlier} earlier: callboard tasks log {}", self.view.card.id)));
        }
        for entry in shown {
            self.entry(entry);
        }
    }

    fn entry(&mut self, entry: &Entry) {
        let void = if entry.no_effect { "  had no effect" } else { "" };
        self.out
            .row(Row::new().strong(format!("  {}", entry.actor)).plain(format!(" {}", entry.words)).dim(void).dim(format!("  {}", self.when.moment(entry.at))));
        self.out.block(4, &entry.text);
    }

    pub(super) fn commits(&mut self) {
        if self.view.commits_detail.is_empty() {
            return;
        }
        self.heading("Commits");
        for commit in &self.view.commits_detail {
            let sha: String = commit.sha.chars().take(12).collect();
            let void = if commit.counts { "" } else { "  does not count" };
            let row = Row::new()
                .strong(format!("  {sha}"))
                .plain(format!(" {}", or(&commit.subject, "no subject")))
                .dim(format!("  +{} -{}{void}", commit.added, commit.deleted));
            self.out.row(row);
            let paths: Vec<&str> = commit.files.iter().take(PATHS_SHOWN).map(|(path, _, _)| path.as_str()).collect();
            let more = commit.files.len() - paths.len() + usize::try_from(commit.files_dropped).unwrap_or(0);
            if !paths.is_empty() {
                let more = if more > 0 { format!(", +{more}") } else { String::new() };
                self.out.row(Row::new().dim(format!("    {}{more}", paths.join(", "))));
            }
        }
        self.out.row(Row::new().dim(format!("  callboard tasks commits {} --diff", self.view.card.id)));
    }
}

fn indented(row: Row) -> Row {
    Row::new().plain("  ").then(row)
}
