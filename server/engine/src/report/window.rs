//! Windows: which part of time a report is about. Days are calendar days of the project's zone, so they have 23, 24 or 25 hours.

use contracts::report::{ReportKind, ReportQuery};
use contracts::{Actor, Code, Hint, Moment, Problem, limits};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

/// Everything that is a legal question.
const FORMS: &str = "legal are: board · standup [since=<n>m|h|d|w] [by=<actor>] · day [date=2026-11-28|today|yesterday] · \
                     range last=<n>d|w|m, or from=2026-11-01 [to=2026-11-28] · all";

/// Part of time, and what is known of it now.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// Which report.
    pub kind: ReportKind,
    /// Its name, where it has a file.
    pub label: Option<String>,
    /// First instant; none from the first event on.
    pub from: Option<Moment>,
    /// First instant after it.
    pub to: Moment,
    /// The facts are the events before this: the end, or now while it is still open.
    pub as_of: Moment,
    /// Of one actor.
    pub by: Option<Actor>,
    /// First and last day, of a day or a range.
    pub days: Option<(Date, Date)>,
}

impl Window {
    /// Whether something may still happen in it.
    pub fn is_open(&self) -> bool {
        self.as_of < self.to || matches!(self.kind, ReportKind::Board | ReportKind::Standup | ReportKind::All)
    }

    /// Whether a moment lies in it.
    pub fn holds(&self, moment: Moment) -> bool {
        self.from.is_none_or(|from| from <= moment) && moment < self.as_of
    }
}

/// The window that is asked for.
///
/// # Errors
/// `bad_request` with the legal forms, for a wrong unit, date, order or combination.
pub fn window(query: &ReportQuery, zone: &TimeZone, now: Moment) -> Result<Window, Problem> {
    combination(query)?;
    let by = query.by.as_deref().map(|raw| Actor::parse(raw).map_err(|fault| refused("by", fault))).transpose()?;
    let (from, days) = match query.kind {
        ReportKind::Board | ReportKind::All => (None, None),
        ReportKind::Standup => {
            let seconds = query.since.as_deref().map_or(Ok(86_400), span)?;
            (Some(now.plus_seconds(-seconds)), None)
        }
        ReportKind::Day => {
            let date = day(query.date.as_deref().unwrap_or("yesterday"), "date", zone, now)?;
            return of_days(ReportKind::Day, date, date, zone, now);
        }
        ReportKind::Range => {
            let (first, last) = range(query, zone, now)?;
            return of_days(ReportKind::Range, first, last, zone, now);
        }
    };
    let label = (query.kind == ReportKind::All).then(|| "all".to_owned());
    Ok(Window { kind: query.kind, label, from, to: now, as_of: now, by, days })
}

/// The window of a report's name: `2026-11-28`, `2026-11-22..2026-11-28` or `all`.
///
/// # Errors
/// `not_found` for any other name, and what [`window`] says of the days in it.
pub fn window_of_label(label: &str, zone: &TimeZone, now: Moment) -> Result<Window, Problem> {
    let no_such = || {
        let text = "a report is named 2026-11-28, 2026-11-22..2026-11-28 or all; callboard report --help says how each is made";
        Problem::new(Code::NotFound, format!("no report is named {}", crate::words::line(label, 60))).hint(Hint::text(text))
    };
    let query = match label.split_once("..") {
        _ if label == "all" => ReportQuery { kind: ReportKind::All, ..ReportQuery::default() },
        Some((from, to)) => ReportQuery { kind: ReportKind::Range, from: Some(from.to_owned()), to: Some(to.to_owned()), ..ReportQuery::default() },
        None => ReportQuery { kind: ReportKind::Day, date: Some(label.to_owned()), ..ReportQuery::default() },
    };
    if label != "all" && !label.split("..").all(|day| date(day).is_some()) {
        return Err(no_such());
    }
    let window = window(&query, zone, now)?;
    if window.label.as_deref() == Some(label) { Ok(window) } else { Err(no_such()) }
}

/// Refuses what does not belong to the kind.
fn combination(query: &ReportQuery) -> Result<(), Problem> {
    use ReportKind::{Day, Range, Standup};
    let given = [
        ("since", query.since.is_some(), Standup),
        ("by", query.by.is_some(), Standup),
        ("date", query.date.is_some(), Day),
        ("last", query.last.is_some(), Range),
        ("from", query.from.is_some(), Range),
        ("to", query.to.is_some(), Range),
    ];
    match given.iter().find(|(_, there, kind)| *there && *kind != query.kind) {
        Some((name, _, kind)) => Err(refused(name, format!("goes with {}, not with {}", kind.as_str(), query.kind.as_str()))),
        None => Ok(()),
    }
}

fn refused(path: &str, text: impl Into<String>) -> Problem {
    Problem::bad_request(path, text).hint(Hint::text(FORMS))
}

/// A number and its unit, as `24h` has them.
fn amount<'a>(raw: &'a str, path: &str, units: &str) -> Result<(i64, &'a str), Problem> {
    let digits = raw.bytes().take_while(u8::is_ascii_digit).count();
    let unit = &raw[digits..];
    let number = raw[..digits].parse::<i64>().ok().filter(|number| (1..=1_000_000).contains(number));
    match number {
        Some(number) if unit.len() == 1 && units.contains(unit) => Ok((number, unit)),
        _ => Err(refused(path, format!("{:?} is no number with one of the units {units}", crate::words::line(raw, 40)))),
    }
}

/// Seconds of `90m`, `24h`, `3d` or `1w`: elapsed ones, since a standup is about how long ago and not about days.
fn span(raw: &str) -> Result<i64, Problem> {
    let (number, unit) = amount(raw, "since", "mhdw")?;
    let seconds = number
        * match unit {
            "m" => 60,
            "h" => 3_600,
            "d" => 86_400,
            _ => 604_800,
        };
    if seconds > limits::REPORT_DAYS_MAX * 86_400 {
        return Err(refused("since", format!("{raw} is longer than {} days", limits::REPORT_DAYS_MAX)));
    }
    Ok(seconds)
}

fn range(query: &ReportQuery, zone: &TimeZone, now: Moment) -> Result<(Date, Date), Problem> {
    let today = date_of(now, zone);
    let beyond = |fault: jiff::Error| refused("last", fault.to_string());
    match (&query.last, &query.from) {
        (Some(_), _) if query.from.is_some() || query.to.is_some() => Err(refused("last", "goes without from and to: one of the two says which days")),
        (Some(last), _) => {
            let (number, unit) = amount(last, "last", "dwm")?;
            let back = match unit {
                "d" => Span::new().try_days(number),
                "w" => Span::new().try_weeks(number),
                _ => Span::new().try_months(number),
            };
            let first = back.and_then(|back| today.checked_sub(back)).and_then(|before| before.tomorrow()).map_err(beyond)?;
            Ok((first, today))
        }
        (None, Some(from)) => {
            let first = day(from, "from", zone, now)?;
            let last = query.to.as_deref().map_or(Ok(today), |to| day(to, "to", zone, now))?;
            Ok((first, last))
        }
        (None, None) => Err(refused("last", "a range wants last, or from")),
    }
}

fn day(raw: &str, path: &str, zone: &TimeZone, now: Moment) -> Result<Date, Problem> {
    let today = date_of(now, zone);
    match raw {
        "today" => Ok(today),
        "yesterday" => today.yesterday().map_err(|fault| refused(path, fault.to_string())),
        other => date(other).ok_or_else(|| refused(path, format!("{:?} is no day: 2026-11-28, today or yesterday", crate::words::line(other, 40)))),
    }
}

/// A day in its one spelling.
fn date(raw: &str) -> Option<Date> {
    raw.parse::<Date>().ok().filter(|date| date.to_string() == raw)
}

fn of_days(kind: ReportKind, first: Date, last: Date, zone: &TimeZone, now: Moment) -> Result<Window, Problem> {
    if last < first {
        return Err(refused("to", format!("{last} is before {first}")));
    }
    if date_of(now, zone) < first {
        return Err(refused(if kind == ReportKind::Day { "date" } else { "from" }, format!("{first} has not begun")));
    }
    let days = i64::from(last.since(first).map_or(0, |span| span.get_days())) + 1;
    if days > limits::REPORT_DAYS_MAX {
        return Err(refused("from", format!("{days} days are too many: the limit is {}", limits::REPORT_DAYS_MAX)));
    }
    let end = last.tomorrow().map_err(|fault| refused("to", fault.to_string()))?;
    let (from, to) = (midnight(first, zone)?, midnight(end, zone)?);
    let label = if kind == ReportKind::Day { first.to_string() } else { format!("{first}..{last}") };
    Ok(Window { kind, label: Some(label), from: Some(from), to, as_of: to.min(now), by: None, days: Some((first, last)) })
}

/// When a day begins: at midnight, or where the clock jumps over midnight, when it lands.
fn midnight(date: Date, zone: &TimeZone) -> Result<Moment, Problem> {
    let begins = date.to_zoned(zone.clone()).map_err(|fault| refused("date", fault.to_string()))?;
    Ok(Moment(begins.timestamp().as_millisecond()))
}

/// The day of a moment.
pub fn date_of(moment: Moment, zone: &TimeZone) -> Date {
    zone.to_datetime(stamp(moment)).date()
}

/// A moment as the calendar's library has it. What its calendar does not reach is its end.
pub(super) fn stamp(moment: Moment) -> Timestamp {
    Timestamp::from_millisecond(moment.0).unwrap_or(if moment.0 < 0 { Timestamp::MIN } else { Timestamp::MAX })
}
