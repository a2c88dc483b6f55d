//! What can be asked for: a form that leads to an address, and what is asked for as chips that can be taken out.

use super::drawing::Drawing;
use crate::times;
use crate::words::{self, escaped};
use contracts::Moment;

/// Kinds that can be chosen, with the families first; others can be written into the address.
const KINDS: [(&str, &str); 26] = [
    ("task.commented,message.sent,task.asked,task.answered", "Everything said"),
    ("task.created,task.claimed,task.released,task.submitted,task.reviewed,task.closed,task.cancelled,task.reopened", "The course of work"),
    ("task.*", "Everything about tasks"),
    ("commit.*", "Commits"),
    ("milestone.*", "Milestones"),
    ("project.*", "Settings"),
    ("conflict.*", "Conflicts settled"),
    ("task.created", "Created"),
    ("task.edited", "Edited"),
    ("task.assigned", "Assigned"),
    ("task.claimed", "Claimed"),
    ("task.renewed", "Claim renewed"),
    ("task.released", "Released"),
    ("task.submitted", "Handed in"),
    ("task.reviewed", "Judged"),
    ("task.closed", "Closed"),
    ("task.cancelled", "Cancelled"),
    ("task.reopened", "Reopened"),
    ("task.held,task.unheld", "Held or let go"),
    ("task.blocked,task.unblocked", "Blocked or unblocked"),
    ("task.asked", "Asked"),
    ("task.answered", "Answered"),
    ("task.commented", "Commented"),
    ("message.sent", "Messages"),
    ("commit.bound", "Committed"),
    ("commit.superseded", "Commits replaced"),
];

/// The form and the chips.
pub fn draw(with: &Drawing) -> String {
    let asked = with.asked;
    let kinds = options(KINDS.iter().map(|(value, text)| ((*value).to_owned(), (*text).to_owned())), asked.get("kind"), "Any kind");
    let actors = with.snapshot.actors.iter().map(|row| (row.actor.to_string(), row.actor.short().to_owned()));
    let actors = options(actors, asked.get("actor"), "Anybody");
    let milestones = with.snapshot.milestones.iter().map(|milestone| (milestone.id.to_string(), milestone.title.clone()));
    let milestones = options(milestones, asked.get("milestone"), "Any milestone");
    let select =
        |name: &str, label: &str, options: &str| format!("<label class=\"field\"><span>{label}</span><select name=\"{name}\">{options}</select></label>");
    let input = |name: &str, label: &str, kind: &str, value: &str, more: &str| {
        format!("<label class=\"field\"><span>{label}</span><input type=\"{kind}\" name=\"{name}\" value=\"{}\"{more}></label>", escaped(value))
    };
    // What is written as a length back from now is shown as the time it is.
    let query = asked.query(with.snapshot.now, with.offset().at(with.snapshot.now)).unwrap_or_default();
    let local = |at: Option<Moment>, raw: &str| at.map_or_else(|| raw.to_owned(), |at| times::machine(at, with.offset()).chars().take(16).collect());
    let audit = if asked.is("audit") { "<input type=\"hidden\" name=\"audit\" value=\"true\">" } else { "" };
    format!(
        "<form class=\"eventfilter\" id=\"filter\" method=\"get\" action=\"{}\" role=\"search\" aria-label=\"Filter the events\">{}{}{}{}{}{}{}{audit}<button class=\"button\" data-kind=\"primary\">Filter</button></form>{}",
        with.page(""),
        select("kind", "Kind", &kinds),
        select("actor", "Who", &actors),
        select("milestone", "Milestone", &milestones),
        input("task", "Task", "text", asked.get("task"), " placeholder=\"tk-…\" autocomplete=\"off\" spellcheck=\"false\""),
        input("since", "From", "datetime-local", &local(query.of.since, asked.get("since")), ""),
        input("until", "To", "datetime-local", &local(query.of.until, asked.get("until")), ""),
        input(
            "text",
            "Text",
            "search",
            asked.get("text"),
            &format!(" maxlength=\"{}\" placeholder=\"words as they stand\"", contracts::limits::QUERY_CHARS_MAX)
        ),
        chips(with),
    )
}

fn options(items: impl Iterator<Item = (String, String)>, chosen: &str, nothing: &str) -> String {
    let mut found = chosen.is_empty();
    let mut html = format!("<option value=\"\">{nothing}</option>");
    for (value, text) in items {
        let on = value == chosen;
        found |= on;
        html.push_str(&format!("<option value=\"{}\"{}>{}</option>", escaped(&value), if on { " selected" } else { "" }, escaped(&text)));
    }
    if !found {
        html.push_str(&format!("<option value=\"{0}\" selected>{0}</option>", escaped(chosen)));
    }
    html
}

/// What is asked for, each with the way to do without it.
fn chips(with: &Drawing) -> String {
    let asked = with.asked;
    let query = asked.query(with.snapshot.now, with.offset().at(with.snapshot.now)).unwrap_or_default();
    let time = |at: Option<Moment>, raw: &str| at.map_or_else(|| raw.to_owned(), |at| times::fixed(with.snapshot.now, at, with.offset()));
    let said = |name: &str| {
        let raw = asked.get(name);
        match name {
            "kind" => KINDS.iter().find(|(value, _)| *value == raw).map_or(raw, |(_, text)| text).to_owned(),
            "milestone" => with.snapshot.milestones.iter().find(|milestone| milestone.id.as_str() == raw).map_or(raw, |milestone| &milestone.title).to_owned(),
            "since" => time(query.of.since, raw),
            "until" => time(query.of.until, raw),
            _ => raw.to_owned(),
        }
    };
    let names = [("kind", "kind"), ("actor", "by"), ("task", "about"), ("milestone", "in"), ("since", "from"), ("until", "to"), ("text", "text has")];
    let chips: Vec<String> = names
        .into_iter()
        .filter(|(name, _)| !asked.get(name).is_empty())
        .map(|(name, words)| {
            let text = escaped(&said(name));
            format!(
                "<li class=\"chip\" data-kind=\"filter\">{words} <b dir=\"auto\">{text}</b><a href=\"{}\" rel=\"external\" aria-label=\"Take out {words} {text}\">{}</a></li>",
                with.page(&asked.with("older", "").with(name, "").address()),
                with.markup.icon("close")
            )
        })
        .collect();
    if chips.is_empty() {
        return String::new();
    }
    let kept = if asked.is("audit") { "?audit=true" } else { "" };
    format!(
        "<ul class=\"eventchips\" aria-label=\"{}\">{}<li><a class=\"button\" data-kind=\"quiet\" href=\"{}\" rel=\"external\">Clear</a></li></ul>",
        words::sentence("filtered by"),
        chips.concat(),
        with.page(kept)
    )
}
