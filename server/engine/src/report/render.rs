//! A report as markdown: whole for the file, the page and a narrator, brief for a terminal and an agent.

mod board;
mod entries;

pub use board::board;

use super::section::{Report, Section};
use super::text::{moment, time};
use contracts::report::ReportKind;
use contracts::text::count;
use contracts::{Moment, limits};
use jiff::civil::Date;

/// How much of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A line or a few for each entry, and the newest of them.
    Brief,
    /// All.
    Full,
}

/// A section as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Its name in an address.
    pub key: &'static str,
    /// Its heading.
    pub title: String,
    /// How many entries it has.
    pub count: usize,
    /// Its entries.
    pub text: String,
}

/// One entry, in its two lengths.
pub(super) struct Block {
    /// What decides which are the oldest.
    pub at: Moment,
    /// The date it stands under, where entries stand under dates.
    pub day: Option<Date>,
    pub whole: String,
    /// Its one line, when the whole would be too much.
    pub line: String,
}

/// A section before it is known how long it may be.
pub(super) struct Part {
    pub key: &'static str,
    pub title: String,
    pub count: usize,
    /// What stands before the entries.
    pub before: String,
    pub blocks: Vec<Block>,
}

/// The whole report.
pub fn markdown(report: &Report, form: Form) -> String {
    let mut text = format!("# {}\n\n{}\n", title(report), lead(report));
    text.extend(open_window(report).map(|line| format!("\n{line}\n")));
    for section in sections(report, form) {
        text.push_str(&format!("\n## {}\n\n{}\n", heading(&section), section.text.trim_end()));
    }
    text
}

/// `Closed (5)`.
fn heading(section: &Written) -> String {
    if section.count == 0 { section.title.clone() } else { format!("{} ({})", section.title, section.count) }
}

/// The heading of the report.
pub fn title(report: &Report) -> String {
    let window = &report.window;
    match (window.kind, window.days) {
        (ReportKind::Day, Some((day, _))) => format!("Day {day}"),
        (ReportKind::Range, Some((first, last))) => format!("{first} to {last}"),
        (ReportKind::Standup, _) => {
            let of = window.by.as_ref().map(|by| format!(" of {by}")).unwrap_or_default();
            format!("Standup{of} since {}", moment(report.from, &report.zone))
        }
        _ => "Everything so far".to_owned(),
    }
}

/// Counts of the seven, zeros left out.
pub fn lead(report: &Report) -> String {
    let counted = Section::ALL.into_iter().map(|section| (section, report.entries(section).len())).filter(|(_, count)| *count > 0);
    let counted = counted.map(|(section, count)| section.counted(count)).collect::<Vec<_>>().join(" · ");
    match (report.inside, counted.is_empty()) {
        (0, true) => "Nothing happened, and nothing was open.".to_owned(),
        (0, false) => format!("Nothing happened, and here is what was open: {counted}"),
        (_, true) => format!("{}, about no task that has a place here.", count(report.inside, "event")),
        (_, false) => counted,
    }
}

/// Says of a window that is not over how far it goes.
fn open_window(report: &Report) -> Option<String> {
    let until = moment(report.window.as_of, &report.zone);
    report.window.is_open().then(|| format!("As of {until} in {}; what comes later is not in it.", report.zone_name))
}

/// The sections, in order; an empty one is left out.
pub fn sections(report: &Report, form: Form) -> Vec<Written> {
    let mut parts: Vec<Part> = if report.window.kind == ReportKind::Standup { entries::standup(report, form) } else { entries::parts(report, form) };
    parts.retain(|part| !part.blocks.is_empty() || !part.before.is_empty());
    let note = if form == Form::Full { shorten(&mut parts) } else { None };
    let mut written: Vec<Written> = parts.into_iter().map(|part| write(part, form)).collect();
    written.extend(note.map(|text| Written { key: "shortened", title: "Shortened".to_owned(), count: 0, text }));
    written
}

fn write(mut part: Part, form: Form) -> Written {
    let mut text = std::mem::take(&mut part.before);
    let shown = if form == Form::Brief { limits::REPORT_ROWS_MAX } else { usize::MAX };
    let more = part.blocks.len().saturating_sub(shown);
    // The newest stay.
    if more > 0 {
        let mut places: Vec<usize> = (0..part.blocks.len()).collect();
        places.sort_by_key(|place| std::cmp::Reverse((part.blocks[*place].at, std::cmp::Reverse(*place))));
        let mut kept = vec![false; part.blocks.len()];
        places.into_iter().take(shown).for_each(|place| kept[place] = true);
        let mut kept = kept.into_iter();
        part.blocks.retain(|_| kept.next().unwrap_or(false));
    }
    let mut day = None;
    for block in part.blocks {
        if block.day.is_some() && block.day != day {
            day = block.day;
            text.extend(day.map(|day| format!("\n### {day}\n\n")));
        }
        text.push_str(&block.whole);
    }
    if more > 0 {
        text.push_str(&format!("\n{more} more not shown\n"));
    }
    // Text from outside is quoted, so two empty lines are always ours.
    let text = text.trim_start_matches('\n').replace("\n\n\n", "\n\n");
    Written { key: part.key, title: part.title, count: part.count, text }
}

/// Brings a dossier to its limit: the oldest entries become one line each, and where even that is too long, the oldest lines are counted
/// only. Says what was done.
fn shorten(parts: &mut [Part]) -> Option<String> {
    // What is said about it, headings and the file's two markers need room too.
    let room = limits::DOSSIER_BYTES_MAX - (8 << 10);
    let mut bytes: usize = parts.iter().map(|part| part.before.len() + part.blocks.iter().map(|block| block.whole.len() + 20).sum::<usize>()).sum();
    if bytes <= room {
        return None;
    }
    let mut oldest: Vec<(Moment, usize, usize)> = Vec::new();
    for (part, of) in parts.iter().enumerate() {
        oldest.extend(of.blocks.iter().enumerate().map(|(block, of)| (of.at, part, block)));
    }
    oldest.sort_unstable();
    let (mut lines, mut gone) = (0_i64, 0_i64);
    for (_, part, block) in &oldest {
        if bytes <= room {
            break;
        }
        let block = &mut parts[*part].blocks[*block];
        if block.line.len() < block.whole.len() {
            bytes -= block.whole.len() - block.line.len();
            block.whole = std::mem::take(&mut block.line);
            lines += 1;
        }
    }
    for (_, part, block) in &oldest {
        if bytes <= room {
            break;
        }
        let block = &mut parts[*part].blocks[*block];
        bytes -= block.whole.len();
        block.whole.clear();
        gone += 1;
    }
    let limit = limits::DOSSIER_BYTES_MAX >> 20;
    let rest = if gone > 0 { format!(", and {gone} of those are only counted") } else { String::new() };
    Some(format!("All of it would be over {limit} MiB: the {lines} oldest entries are one line each{rest}.\n"))
}

/// When, as a report of this window tells it: days are told where there are several.
pub(super) fn told(report: &Report, at: Moment) -> String {
    match report.window.kind {
        ReportKind::Day if report.window.holds(at) => time(at, &report.zone),
        _ => moment(at, &report.zone),
    }
}
