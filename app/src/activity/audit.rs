//! The audit: what stands behind the events, said plainly, and whether the log holds.

use super::drawing::Drawing;
use crate::words::{self, escaped};
use contracts::settings::LogCheck;
use contracts::view::ActivityView;

/// What is told above the events while the audit is on.
pub fn draw(view: &ActivityView, with: &Drawing) -> String {
    let quarantined = i64::try_from(with.snapshot.quarantine.total).unwrap_or(i64::MAX);
    let lines = if quarantined == 0 {
        "No line of the log is in quarantine.".to_owned()
    } else {
        format!(
            "{} of the log could not be used and {} in quarantine; the board names them.",
            words::count(quarantined, "line", "lines"),
            if quarantined == 1 { "is" } else { "are" }
        )
    };
    let open = i64::try_from(with.snapshot.conflicts.len()).unwrap_or(i64::MAX);
    let conflicts = if open == 0 {
        "No conflict waits for a person.".to_owned()
    } else {
        format!("{} for a person on the board.", words::count(open, "conflict waits", "conflicts wait"))
    };
    let verify = with.page(&with.asked.with("older", "").with("verify", "true").address());
    let button = |text: &str| format!("<a class=\"button\" href=\"{verify}\" rel=\"external nofollow\">{text}</a>");
    let chains = match &view.log {
        None => format!("<p>The chains were not checked on this visit.</p>{}", button("Verify the chains")),
        Some(log) => format!("{}{}", checked(log), button("Verify again")),
    };
    format!(
        "<section class=\"surface\" aria-labelledby=\"audit-h\"><h2 id=\"audit-h\">Audit</h2><div role=\"status\">{chains}</div>\
         <p>{lines} {conflicts}</p>\
         <p class=\"quiet\">An actor is a name that its caller declares; behind it stands who this machine knows. What another clone wrote is that clone's word. \
         A fact that fits nothing any more is kept and marked as without effect; a call that was refused changed nothing and left no event.</p></section>"
    )
}

fn checked(log: &LogCheck) -> String {
    let read =
        format!("{}, {}, {}", words::count(log.files, "file", "files"), words::count(log.lines, "line", "lines"), words::count(log.events, "event", "events"));
    if log.total == 0 {
        return format!("<p><b>Sound: every chain verifies.</b> {read}.</p>");
    }
    let found: String = log
        .findings
        .iter()
        .map(|finding| format!("<li><code>{}</code> <code>{}</code> {}</li>", escaped(&finding.place), escaped(&finding.code), escaped(&finding.text)))
        .collect();
    let more = log.total - i64::try_from(log.findings.len()).unwrap_or(i64::MAX);
    let more = if more > 0 { format!("<p>{} more; <code>callboard log verify</code> lists all.</p>", words::grouped(more)) } else { String::new() };
    format!("<p><b>{} not hold.</b> {read}.</p><ul>{found}</ul>{more}", words::count(log.total, "thing does", "things do"))
}
