//! The events, newest first, day by day, folded.

use super::drawing::Drawing;
use super::fold::{Fold, folded};
use crate::components::avatar;
use crate::components::icon::Shape;
use crate::words::{self, escaped};
use crate::{Base, history, times};
use contracts::Actor;
use contracts::view::{ActivityView, Entry, HistoryRow};

/// Characters of what somebody wrote that stand in a line.
const QUOTED_CHARS: usize = 160;

/// The list, or what kind of nothing there is, and the way to what was before.
pub fn draw(view: &ActivityView, with: &Drawing) -> String {
    if view.rows.is_empty() {
        let said = if view.ever == 0 {
            "<h2>Nothing has happened yet</h2><p>Every task that is added, taken, talked about or closed is told here.</p>".to_owned()
        } else {
            let all = words::count(view.ever, "event", "events");
            format!("<h2>No event matches</h2><p>{all} in all.</p><p><a class=\"button\" href=\"{}\" rel=\"external\">Show all</a></p>", with.page(""))
        };
        return format!("<div class=\"empty\">{said}</div>");
    }
    let offset = with.offset();
    let mut html = String::from("<ol class=\"timeline\">");
    let mut last = None;
    for fold in folded(&view.rows, offset) {
        let at = fold.newest.entry.at;
        let day = times::day(at, offset);
        if last != Some(day) {
            last = Some(day);
            let of_day = view.rows.iter().filter(|row| times::day(row.entry.at, offset) == day).count();
            html.push_str(&format!(
                "<li class=\"dayhead\"><h2>{}</h2> <span>{}</span></li>",
                times::day_heading(view.now, at, offset),
                words::count(i64::try_from(of_day).unwrap_or(i64::MAX), "event here", "events here")
            ));
        }
        html.push_str(&line(&fold, with));
    }
    html.push_str("</ol>");
    html.push_str(&further(view, with));
    html
}

fn further(view: &ActivityView, with: &Drawing) -> String {
    let shown = i64::try_from(view.rows.len()).unwrap_or(i64::MAX);
    let link = |query: String, text: &str| format!("<a class=\"button\" href=\"{}\" rel=\"external nofollow\">{text}</a>", with.page(&query));
    let older = !with.asked.get("older").is_empty();
    let next = view.next.as_ref().map(|cursor| link(with.asked.with("older", cursor).address(), "Earlier events"));
    let newest = older.then(|| link(with.asked.with("older", "").address(), "Newest events"));
    let said = match (older, view.next.is_some()) {
        (true, _) => format!("{} of {}", words::count(shown, "event", "events"), words::grouped(view.total)),
        (false, true) => format!("the newest {} of {}", words::grouped(shown), words::count(view.total, "event", "events")),
        (false, false) => format!("all {}", words::count(view.total, "event", "events")),
    };
    format!("<p class=\"row further\">{}{}<span class=\"quiet\">{said}</span></p>", next.unwrap_or_default(), newest.unwrap_or_default())
}

fn line(fold: &Fold, with: &Drawing) -> String {
    let entry = &fold.newest.entry;
    let who = format!("<b><bdi>{}</bdi></b>", escaped(entry.actor.short()));
    let inside = if fold.rest.is_empty() {
        let void = if entry.no_effect { " <span class=\"quiet\">(found no effect)</span>" } else { "" };
        format!("<div><p>{who} {}{void}</p>{}</div>", told(entry, with), audited(fold.newest, with))
    } else {
        folded_line(fold, &who, with)
    };
    let void = if entry.no_effect { " data-void" } else { "" };
    format!(
        "<li class=\"event\" data-event=\"{}\"{void}>{}{}{inside}{}</li>",
        entry.event,
        clock(entry, with),
        face(&entry.actor),
        with.markup.glyph(Shape::of_event(&entry.kind))
    )
}

fn folded_line(fold: &Fold, who: &str, with: &Drawing) -> String {
    let entry = &fold.newest.entry;
    let all: Vec<&HistoryRow> = std::iter::once(fold.newest).chain(fold.rest).collect();
    let since = fold.rest.last().map_or(entry.at, |row| row.entry.at);
    let mut items = String::new();
    for same in all.chunk_by(|a, b| a.entry.words == b.entry.words && a.entry.text.is_empty() && b.entry.text.is_empty()) {
        let times = if same.len() > 1 { format!(" <span class=\"quiet\">{} times</span>", same.len()) } else { String::new() };
        let Some(first) = same.first() else { continue };
        let (text, changes) = (quoted(&first.entry), audited(first, with));
        items.push_str(&format!("<li>{}<div><p>{}{text}{times}</p>{changes}</div></li>", clock(&first.entry, with), escaped(&first.entry.words)));
    }
    format!(
        "<details data-keep=\"{}\"><summary>{who} did {} things on <code class=\"id\">{}</code> <span class=\"quiet\" dir=\"auto\">{}</span> <span class=\"quiet\">since {}, last: {}</span>{}</summary>\
         <ol>{items}<li><span></span><p>{}</p></li></ol></details>",
        entry.event,
        all.len(),
        escaped(&entry.subject),
        escaped(&entry.title),
        times::clock(since, with.offset()),
        escaped(&entry.words),
        with.markup.icon("right"),
        subject(entry, with)
    )
}

/// The fact with its subject in it: "closed tk-e07a29 Checkpoint writes twice with 2 commits".
fn told(entry: &Entry, with: &Drawing) -> String {
    let (subject, text) = (subject(entry, with), quoted(entry));
    // Behind these words stands what somebody wrote, which may hold an "it" of its own.
    let quotes = matches!(entry.kind.as_str(), "commit.bound" | "task.answered" | "project.configured" | "import.other") || entry.words.starts_with("set ");
    let place = if quotes { None } else { place_of_it(&entry.words) };
    let fact = match (place, entry.subject.as_str()) {
        (Some((before, after)), _) => format!("{}{subject}{}", escaped(before), escaped(after)),
        (None, "project") => escaped(&entry.words),
        (None, _) => format!("{} on {subject}", escaped(&entry.words)),
    };
    format!("{fact}{text}")
}

/// What stands before and behind the word "it".
fn place_of_it(words: &str) -> Option<(&str, &str)> {
    let at = words.match_indices("it").map(|(at, _)| at).find(|at| {
        let ends = |character: Option<char>| character.is_none_or(|character| !character.is_alphanumeric());
        ends(words[..*at].chars().next_back()) && ends(words[at + 2..].chars().next())
    })?;
    Some((&words[..at], &words[at + 2..]))
}

fn subject(entry: &Entry, with: &Drawing) -> String {
    let (id, title) = (escaped(&entry.subject), escaped(&entry.title));
    if entry.subject.starts_with("tk-") {
        let href = escaped(&Base(with.base.to_owned()).task(&entry.subject, ""));
        format!("<a class=\"id\" href=\"{href}\">{id}</a> <span class=\"quiet\" dir=\"auto\">{title}</span>")
    } else {
        format!("<code class=\"id\">{id}</code> <span class=\"quiet\" dir=\"auto\">{title}</span>")
    }
}

/// What somebody wrote, on one line, without the marks of markdown.
fn quoted(entry: &Entry) -> String {
    let bare = entry.text.replace("**", "").replace("__", "").replace('`', "");
    let line = bare.lines().map(|line| line.trim_start_matches(['#', '>', ' '])).collect::<Vec<_>>().join(" ");
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() {
        return String::new();
    }
    let cut: String = line.chars().take(QUOTED_CHARS).collect();
    let end = if cut.len() < line.len() { "…" } else { "" };
    format!(": <q dir=\"auto\">{}{end}</q>", escaped(cut.trim_end()))
}

/// Who was behind it and what it changed, when the audit is on.
fn audited(row: &HistoryRow, with: &Drawing) -> String {
    if !with.asked.is("audit") {
        return String::new();
    }
    let entry = &row.entry;
    let changed = history::changed(row, with.offset());
    let changed = if changed.is_empty() { changed } else { format!("<div class=\"changed\">{changed}</div>") };
    format!(
        "<p class=\"quiet t-12\">declared <bdi>{}</bdi> · behind it <bdi>{}</bdi> · <code>{}</code> · event {} · <code>{}</code></p>{changed}",
        escaped(entry.actor.as_str()),
        escaped(&row.principal),
        escaped(&entry.kind),
        words::grouped(entry.seq),
        entry.event
    )
}

fn clock(entry: &Entry, with: &Drawing) -> String {
    let offset = with.offset();
    let (machine, absolute) = (times::machine(entry.at, offset), times::absolute(entry.at, offset));
    format!("<time datetime=\"{machine}\" title=\"{absolute}\">{}</time>", times::clock(entry.at, offset))
}

/// An actor as everywhere: a circle, a square or a diamond in the tint of the person behind it.
pub fn face(actor: &Actor) -> String {
    format!(
        "<span class=\"avatar\" data-kind=\"{}\" data-hue=\"{}\" title=\"{}\" aria-hidden=\"true\">{}</span>",
        avatar::kind(actor),
        avatar::hue(actor),
        escaped(actor.as_str()),
        escaped(&avatar::initials(actor))
    )
}

impl Drawing<'_> {
    /// The address of the page with parameters, as an attribute's value.
    pub fn page(&self, query: &str) -> String {
        escaped(&format!("{}{}{query}", self.base, super::PATH))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_subject_stands_where_the_words_say_it() {
        assert_eq!(place_of_it("closed it with 2 commits"), Some(("closed ", " with 2 commits")));
        assert_eq!(place_of_it("committed 8f21 with wit"), None);
        assert_eq!(place_of_it("claimed it"), Some(("claimed ", "")));
        assert_eq!(place_of_it("lifted the hold"), None);
        assert_eq!(place_of_it("set its priority to high"), None);
    }
}
