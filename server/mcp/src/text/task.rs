//! The order itself: title, spec, checklist, milestone, and who may do what.

use super::fit::{Block, List, Oldest};
use super::safe::{clean, cut, line};
use super::{relations, thread, when};
use contracts::command::Priority;
use contracts::limits::MCP_PAGE_BYTES;
use contracts::view::{Criterion, LeaseView, MilestoneView, TaskView};
use contracts::{Moment, Status};

/// Bytes a milestone's goal keeps in an answer that is about more than it.
const GOAL_BYTES: usize = 200;

/// `# tk-4f2a9c · title`.
pub(crate) fn head(view: &TaskView) -> String {
    format!("# {} · {}", view.card.id, line(&view.card.title, 900))
}

/// Who holds it, as others read it.
pub(crate) fn lease_for_others(lease: &LeaseView, now: Option<Moment>) -> String {
    let until = when::clock(lease.until, now);
    match (lease.elsewhere, lease.late) {
        (Some(seen), _) => format!("Held by {} in another clone, as of {}, until {until} (fence {}).", lease.actor, when::clock(seen, now), lease.fence),
        (None, true) => format!("Held by {}, late since {until} (fence {}).", lease.actor, lease.fence),
        (None, false) => format!("Held by {} until {until} (fence {}).", lease.actor, lease.fence),
    }
}

/// The spec whole to 16 KiB, then what kind of task it is.
pub(crate) fn spec(view: &TaskView) -> String {
    let text = clean(view.spec.trim());
    let text = if text.is_empty() {
        "No spec was written: the title is the order.".to_owned()
    } else {
        let (text, was_cut) = cut(&text, MCP_PAGE_BYTES);
        if was_cut { format!("{text}\ngo on: {}", thread::section(&view.card.id, "spec")) } else { text }
    };
    format!("## Spec\n{text}\n\n{}", kind(view))
}

/// Type, priority, complexity, labels, due.
fn kind(view: &TaskView) -> String {
    let card = &view.card;
    let words = Priority::parse(i64::from(card.priority)).map(Priority::words).unwrap_or("?");
    let mut parts = vec![line(&card.kind, 40), format!("P{} {words}", card.priority)];
    parts.extend(card.complexity.map(|complexity| format!("size {complexity}")));
    parts.extend(card.vertical.as_ref().map(|vertical| format!("area {}", line(vertical, 40))));
    if !card.labels.is_empty() {
        parts.push(format!("labels {}", card.labels.iter().map(|label| line(label, 40)).collect::<Vec<_>>().join(", ")));
    }
    parts.extend(card.due_at.map(|due| format!("due {}", when::clock(due, None))));
    parts.join(" · ")
}

/// The checklist, numbered, with answers; whole to 16 KiB.
pub(crate) fn criteria(view: &TaskView) -> String {
    if view.criteria.is_empty() {
        return String::new();
    }
    let (text, was_cut) = cut(&format!("## Criteria\n{}", checklist(&view.criteria).join("\n")), MCP_PAGE_BYTES);
    if was_cut { format!("{text}\ngo on: {}", thread::section(&view.card.id, "spec")) } else { text }
}

fn checklist(items: &[Criterion]) -> Vec<String> {
    let row = |(place, item): (usize, &Criterion)| {
        let mark = match item.met {
            Some(true) => "met",
            Some(false) => "not met",
            None => "open",
        };
        let note = if item.note.is_empty() { String::new() } else { format!(": {}", line(&item.note, 2_500)) };
        format!("{}. {} [{mark}{note}]", place + 1, line(&item.text, 2_100))
    };
    items.iter().enumerate().map(row).collect()
}

/// Goal, rules and criteria of the milestone: rules whole, the rest cut.
pub(crate) fn milestone(view: &TaskView, milestone: &MilestoneView) -> Vec<Block> {
    let more = thread::section(&view.card.id, "spec");
    let text = clean(milestone.goal.trim()).into_owned();
    let goal = Block::Cut { heading: String::new(), text, quoted: false, least: GOAL_BYTES, call: more.clone() };
    let (rules, was_cut) = cut(&rules(milestone), MCP_PAGE_BYTES);
    let rules = if was_cut { format!("{rules}\ngo on: {more}") } else { rules };
    let criteria = List { items: checklist(&milestone.criteria), ..List::new("Its criteria:", Oldest::Last, more) };
    vec![Block::Text(milestone_head(milestone)), goal, Block::Whole(rules), Block::List(criteria)]
}

fn milestone_head(milestone: &MilestoneView) -> String {
    format!("## Milestone {} · {} ({} open, {} closed)", milestone.id, line(&milestone.title, 500), milestone.open, milestone.closed)
}

fn rules(milestone: &MilestoneView) -> String {
    if milestone.rules.is_empty() {
        return String::new();
    }
    let rows: Vec<String> = milestone.rules.iter().map(|rule| format!("- {}", line(rule, 2_100))).collect();
    format!("Its rules hold for every task:\n{}", rows.join("\n"))
}

/// The whole order, nothing cut: what `section: spec` pages through.
pub(crate) fn whole(view: &TaskView) -> String {
    let spec = clean(view.spec.trim()).into_owned();
    let mut blocks = vec![head(view), if spec.is_empty() { "No spec was written.".to_owned() } else { format!("## Spec\n{spec}") }, kind(view)];
    if !view.files.is_empty() {
        blocks.push(format!("Files: {}", view.files.iter().map(|file| line(file, 400)).collect::<Vec<_>>().join(", ")));
    }
    if !view.criteria.is_empty() {
        blocks.push(format!("## Criteria\n{}", checklist(&view.criteria).join("\n")));
    }
    if let Some(milestone) = &view.milestone_detail {
        blocks.push(milestone_head(milestone));
        blocks.push(clean(milestone.goal.trim()).into_owned());
        blocks.push(rules(milestone));
        if !milestone.criteria.is_empty() {
            blocks.push(format!("Its criteria:\n{}", checklist(&milestone.criteria).join("\n")));
        }
    }
    blocks.push(relations::relations(view, 2_000).text());
    blocks.push(relations::collisions(view, &view.collisions, 0).text());
    blocks.push(relations::blockers(view, 2_000).text());
    super::join(blocks)
}

/// What this agent may do with it, and what stands in the way of the rest.
pub(crate) fn allowed(view: &TaskView) -> String {
    let word = |command: &str| match command {
        "claim" => Some("take it (next)"),
        "close" => Some("status done"),
        "submit" => Some("status submitted"),
        "release" => Some("status released"),
        "cancel" => Some("status cancelled"),
        "edit" => Some("edit"),
        "comment" => Some("comment"),
        "question" => Some("question"),
        "block" => Some("blocked_on"),
        "unblock" => Some("unblock"),
        _ => None,
    };
    let (mut may, mut may_not) = (Vec::new(), Vec::new());
    for row in &view.allowed {
        let Some(word) = word(&row.command) else { continue };
        match &row.refused {
            None => may.push(word.to_owned()),
            Some(refusal) => may_not.push(format!("- {word}: {} ({})", line(&refusal.text, 120), refusal.code)),
        }
    }
    let may = if may.is_empty() { String::new() } else { format!("You may: {}", may.join(", ")) };
    let may_not = if may_not.is_empty() { String::new() } else { format!("Not now:\n{}", may_not.join("\n")) };
    [may, may_not].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Whether work on it is still possible.
pub(crate) fn is_open(view: &TaskView) -> bool {
    view.card.status == Status::Open
}
