//! Who did how much, ranked by the tasks they touched: many events on one task are not more work than one on each of many.

use super::drawing::Drawing;
use super::timeline::face;
use crate::words::{self, escaped};
use crate::{Base, times};
use contracts::view::{ActivityView, Tally};

/// The table, or nothing when there was no event.
pub fn draw(view: &ActivityView, with: &Drawing) -> String {
    if view.tallies.is_empty() {
        return "<p class=\"quiet\">Nobody did anything that was asked for.</p>".to_owned();
    }
    let rows: String = view.tallies.iter().map(|tally| row(tally, view, with)).collect();
    let more = match view.tallies_more {
        0 => String::new(),
        more => format!("<p class=\"quiet t-12\">{} beyond these</p>", words::count(more, "actor", "actors")),
    };
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Who did how much\"><table class=\"table\"><thead><tr><th scope=\"col\">Who</th>\
         <th scope=\"col\" data-num>Tasks</th><th scope=\"col\" data-num>Closed</th><th scope=\"col\" data-num>Lines</th></tr></thead><tbody>{rows}</tbody></table></div>{more}"
    )
}

fn row(tally: &Tally, view: &ActivityView, with: &Drawing) -> String {
    let offset = with.offset();
    let number = |n: i64| if n == 0 { "–".to_owned() } else { words::grouped(n) };
    let lines = match (tally.commits, tally.added, tally.deleted) {
        (0, ..) => "<span class=\"quiet\">none</span>".to_owned(),
        (commits, added, deleted) => {
            format!("<span title=\"{}\">+{}\u{a0}−{}</span>", words::count(commits, "commit", "commits"), words::grouped(added), words::grouped(deleted))
        }
    };
    let seen = tally.seen_at.unwrap_or(tally.last_at);
    let lease = match tally.holds.as_slice() {
        [] => String::new(),
        [(task, until)] => {
            let state = if *until < view.now { "late" } else { "lease live" };
            let href = escaped(&Base(with.base.to_owned()).task(task.as_str(), ""));
            format!(" · <a href=\"{href}\" title=\"Holds {task}\">{state}</a>")
        }
        several => format!(" · {}", words::count(i64::try_from(several.len()).unwrap_or(i64::MAX), "lease live", "leases live")),
    };
    format!(
        "<tr><td><div class=\"row\">{}<div><a href=\"{}\" rel=\"external\" title=\"Only what {} did\"><bdi>{}</bdi></a><br><small class=\"quiet\">\
         <time datetime=\"{}\" title=\"Last seen {}\">{}</time>{lease}</small></div></div></td><td data-num title=\"{}\">{}</td><td data-num>{}</td><td data-num>{lines}</td></tr>",
        face(&tally.actor),
        with.page(&with.asked.with("older", "").with("actor", tally.actor.as_str()).address()),
        escaped(tally.actor.as_str()),
        escaped(tally.actor.short()),
        times::machine(seen, offset),
        times::absolute(seen, offset),
        times::ago(view.now, seen, offset),
        words::count(tally.events, "event", "events"),
        number(tally.tasks),
        number(tally.closed),
    )
}
