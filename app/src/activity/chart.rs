//! The histogram: a picture whose steps a pointer can choose from, and its twin, a table of links that says the same.

use super::drawing::Drawing;
use crate::times;
use crate::words::{self, escaped};
use contracts::view::{ActivityQuery, ActivityView, Histogram, KindGroup};
use contracts::{Moment, Offsets};

/// The picture's measures, in its own units: whole width and height, where the plot begins at the left, its head and its foot.
const WIDTH: f64 = 1224.0;
const HEIGHT: f64 = 126.0;
const LEFT: f64 = 36.0;
const HEAD: f64 = 8.0;
const FOOT: f64 = 104.0;
/// Room of one label below, in the same units.
const LABEL: f64 = 96.0;
const DAY_S: i64 = 86_400;

/// The figure.
pub fn draw(view: &ActivityView, query: &ActivityQuery, with: &Drawing) -> String {
    let histogram = &view.histogram;
    let steps = histogram.bars.len();
    let (step, steps_word) = match histogram.step_s {
        ..DAY_S => ("hour", "hours"),
        DAY_S => ("day", "days"),
        _ => ("week", "weeks"),
    };
    let top = nice(histogram.bars.iter().map(|bar| bar.iter().sum()).max().unwrap_or(0));
    let x = |place: f64| LEFT + (WIDTH - LEFT) * place / steps.max(1) as f64;
    let y = |events: i64| FOOT - (FOOT - HEAD) * events as f64 / top.max(1) as f64;
    let mut svg = String::new();
    for part in 1..=2 {
        let events = top * part / 2;
        let at = y(events);
        svg.push_str(&format!(
            "<path class=\"axis\" d=\"M{LEFT} {at:.1}H{WIDTH}\"/><text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 6.0,
            at + 4.0,
            words::grouped(events)
        ));
    }
    for (place, bar) in histogram.bars.iter().enumerate() {
        let width = (WIDTH - LEFT) / steps.max(1) as f64;
        let gap = (width * 0.16).min(8.0);
        let mut below = 0;
        for (group, events) in bar.iter().enumerate().filter(|(_, events)| **events > 0) {
            let (foot, head) = (y(below), y(below + events));
            let (from, wide) = (x(place as f64) + gap / 2.0, width - gap);
            svg.push_str(&format!("<rect data-ramp=\"{}\" x=\"{from:.1}\" y=\"{head:.1}\" width=\"{wide:.1}\" height=\"{:.1}\"/>", group + 2, foot - head));
            below += events;
        }
    }
    svg.push_str(&format!("<path class=\"base\" d=\"M{LEFT} {FOOT}.5H{WIDTH}\"/>"));
    svg.push_str(&labels(histogram, view.now, with.offset(), x));
    svg.push_str(&chosen(histogram, query, view.now, x));
    let busiest = (0..steps).max_by_key(|place| histogram.bars[*place].iter().sum::<i64>()).filter(|_| steps > 0);
    let said = busiest.map_or_else(String::new, |place| {
        let events = histogram.bars[place].iter().sum::<i64>();
        format!(" Busiest: {} with {events}.", name(histogram.start(place), histogram.step_s, view.now, with.offset()))
    });
    let legend: String =
        KindGroup::ALL.iter().enumerate().rev().map(|(place, group)| format!("<span><i data-ramp=\"{}\"></i>{}</span>", place + 2, group.words())).collect();
    let end = histogram.start(steps);
    format!(
        "<figcaption><h2>Events per {step}</h2><span>{} to {}</span><span class=\"legend push\">{legend}</span></figcaption>\
         <div class=\"plot\" tabindex=\"0\" role=\"region\" aria-label=\"Histogram\" style=\"--plot: {WIDTH}px\" data-from=\"{}\" data-step=\"{}\" data-steps=\"{steps}\" data-left=\"{:.5}\">\
         <svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"Events per {step} over {steps} {steps_word}, by kind.{said}\">{svg}</svg></div>{}",
        times::fixed(view.now, histogram.from, with.offset()),
        if end > view.now { "now".to_owned() } else { times::fixed(view.now, end, with.offset()) },
        histogram.from.0,
        histogram.step_s,
        LEFT / WIDTH,
        below_the_picture(view, with, step),
    )
}

/// A round number that is not below: 1, 2, 5 and their tens, even, so that its half is a whole number.
fn nice(most: i64) -> i64 {
    let mut unit = 2;
    loop {
        for factor in [1, 2, 5] {
            if unit * factor >= most {
                return unit * factor;
            }
        }
        unit *= 10;
    }
}

/// Times below the picture, as many as have room; where a day begins it is named.
fn labels(histogram: &Histogram, now: Moment, offset: Offsets, x: impl Fn(f64) -> f64) -> String {
    let steps = histogram.bars.len();
    let room = ((WIDTH - LEFT) / LABEL).floor().max(1.0) as usize;
    let each = [1, 2, 3, 4, 6, 12, 24, 48].into_iter().find(|each| steps.div_ceil(*each) <= room).unwrap_or(steps.max(1));
    let mut html = String::new();
    // Hours are named where the wall clock shows a round one, days and weeks from the first on.
    let local_hour = |step: usize| (histogram.start(step).0.div_euclid(1_000) + i64::from(offset.at(histogram.start(step))) * 60).rem_euclid(DAY_S) / 3_600;
    let first =
        if histogram.step_s < DAY_S { (0..each).find(|step| usize::try_from(local_hour(*step)).unwrap_or(0).is_multiple_of(each)).unwrap_or(0) } else { 0 };
    for step in (first..steps).step_by(each) {
        let at = histogram.start(step);
        let begins = histogram.step_s < DAY_S && local_hour(step) == 0;
        let text = if histogram.step_s >= DAY_S || begins { times::calendar(now, at, offset) } else { times::clock(at, offset) };
        let anchor = if step == 0 { "start" } else { "middle" };
        let strong = if begins { " data-strong" } else { "" };
        html.push_str(&format!("<text x=\"{:.0}\" y=\"122\" text-anchor=\"{anchor}\"{strong}>{text}</text>", x(step as f64)));
    }
    html
}

/// The time asked for, marked.
fn chosen(histogram: &Histogram, query: &ActivityQuery, now: Moment, x: impl Fn(f64) -> f64) -> String {
    if query.since.is_none() && query.until.is_none() {
        return String::new();
    }
    let place = |at: Moment| (at.seconds_since(histogram.from) as f64 / histogram.step_s.max(1) as f64).clamp(0.0, histogram.bars.len() as f64);
    let (from, to) = (x(place(query.since.unwrap_or(histogram.from))), x(place(query.until.unwrap_or(now))));
    let wide = (to - from).max(1.0);
    format!("<g class=\"brush\"><rect x=\"{from:.1}\" y=\"0\" width=\"{wide:.1}\" height=\"{FOOT}\"/><path d=\"M{from:.1} 0V{FOOT}M{to:.1} 0V{FOOT}\"/></g>")
}

/// A step as people name it.
fn name(at: Moment, step_s: i64, now: Moment, offset: Offsets) -> String {
    match step_s {
        ..DAY_S => times::fixed(now, at, offset),
        DAY_S => times::calendar(now, at, offset),
        _ => format!("the week of {}", times::calendar(now, at, offset)),
    }
}

/// Usual times to choose, and the table.
fn below_the_picture(view: &ActivityView, with: &Drawing, step: &str) -> String {
    let histogram = &view.histogram;
    let usual = [("", "All"), ("1h", "Last hour"), ("today", "Today"), ("24h", "24 hours"), ("7d", "7 days"), ("30d", "30 days")];
    let now_asked = if with.asked.get("until").is_empty() { with.asked.get("since") } else { "?" };
    let links: String = usual
        .iter()
        .map(|(since, text)| {
            let address = with.asked.with("older", "").with("until", "").with("since", since).address();
            let current = if now_asked == *since { " aria-current=\"true\"" } else { "" };
            format!("<a class=\"button\" data-kind=\"quiet\" href=\"{}\" rel=\"external\"{current}>{text}</a>", with.page(&address))
        })
        .collect();
    let row = |place: usize| {
        let bar = &histogram.bars[place];
        let (start, end) = (histogram.start(place), histogram.start(place + 1));
        let cells: String = bar.iter().map(|events| format!("<td data-num>{}</td>", words::grouped(*events))).collect();
        format!(
            "<tr><th scope=\"row\"><a href=\"{}\" rel=\"external\">{}</a></th>{cells}<td data-num>{}</td></tr>",
            with.page(&with.asked.between(start, end).address()),
            escaped(&name(start, histogram.step_s, view.now, with.offset())),
            words::grouped(bar.iter().sum())
        )
    };
    let filled: Vec<usize> = (0..histogram.bars.len()).rev().filter(|place| histogram.bars[*place].iter().any(|events| *events > 0)).collect();
    let rows: String = filled.iter().map(|place| row(*place)).collect();
    let heads: String = KindGroup::ALL.iter().map(|group| format!("<th scope=\"col\" data-num>{}</th>", words::sentence(group.words()))).collect();
    let empty = histogram.bars.len() - filled.len();
    let left_out = if empty > 0 {
        format!("<p class=\"quiet t-12\">{} without any event left out</p>", words::count(i64::try_from(empty).unwrap_or(0), step, &format!("{step}s")))
    } else {
        String::new()
    };
    format!(
        "<div class=\"row wrap\"><span class=\"quiet t-12\">Time</span>{links}<details class=\"unfold push\" data-keep=\"table\"><summary class=\"button\" data-kind=\"quiet\">{}Table</summary>\
         <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Events per {step}\"><table class=\"table\" data-dense><thead><tr><th scope=\"col\">{}</th>{heads}<th scope=\"col\" data-num>All</th></tr></thead><tbody>{rows}</tbody></table></div>{left_out}</details></div>",
        with.markup.icon("table"),
        words::sentence(step),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_ends_at_a_round_number_with_a_whole_half() {
        for (most, top) in [(0, 2), (1, 2), (3, 4), (7, 10), (52, 100), (41, 100), (20, 20), (1_001, 2_000)] {
            assert_eq!(nice(most), top, "{most}");
        }
    }

    #[test]
    fn labels_have_room_and_name_the_day_where_it_begins() {
        let now = Moment::parse("2026-11-29T12:00:00Z").unwrap();
        let hours = Histogram { from: Moment::parse("2026-11-28T10:00:00Z").unwrap(), step_s: 3_600, bars: vec![[0; 4]; 27] };
        let html = labels(&hours, now, Offsets::from(0), |place| place);
        assert!(html.contains("data-strong>29\u{a0}Nov<") && html.contains(">12:00<") && !html.contains(">13:00<"), "{html}");
        assert!(html.matches("<text").count() <= 12);
        let years = Histogram { from: Moment::parse("2020-01-06T00:00:00Z").unwrap(), step_s: 7 * DAY_S, bars: vec![[0; 4]; 360] };
        assert!((4..=12).contains(&labels(&years, now, Offsets::from(0), |place| place).matches("<text").count()));
    }
}
