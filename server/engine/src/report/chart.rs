//! Pictures of a period: bars a day, drawn as SVG, each with its numbers as a table. All that is in them are dates and numbers.

use super::section::{Figures, Report};
use super::text::{size, span};
use contracts::report::ReportChart;
use jiff::civil::Date;
use std::collections::BTreeSet;

/// Days that are drawn one by one; a longer period is drawn by weeks.
const DAYS_ONE_BY_ONE: usize = 62;
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 140.0;
/// Room for the numbers at the left and the dates below.
const LEFT: f64 = 44.0;
const BELOW: f64 = 20.0;
const ABOVE: f64 = 8.0;

/// What happened in a day, or a week.
struct Bucket {
    begins: Date,
    figures: Figures,
}

/// The pictures of a report; none where there is one day or less to show.
pub fn charts(report: &Report) -> Vec<ReportChart> {
    let buckets = buckets(report);
    if buckets.len() < 2 {
        return Vec::new();
    }
    let each = if buckets.len() > 1 && days_between(&buckets[0], &buckets[1]) > 1 { "week" } else { "day" };
    let label = |bucket: &Bucket| bucket.begins.to_string();
    let picture = |title: String, column: &str, value: &dyn Fn(&Figures) -> f64, told: &dyn Fn(&Figures) -> String| ReportChart {
        svg: drawn(&title, &buckets.iter().map(|bucket| (label(bucket), told(&bucket.figures), value(&bucket.figures), 0.0)).collect::<Vec<_>>()),
        columns: vec![each.to_owned(), column.to_owned()],
        rows: buckets.iter().map(|bucket| vec![label(bucket), told(&bucket.figures)]).collect(),
        title,
    };
    let lines = format!("Lines of commits a {each}");
    let bars: Vec<_> =
        buckets.iter().map(|of| (label(of), size(of.figures.added, of.figures.deleted), of.figures.added as f64, of.figures.deleted as f64)).collect();
    let number = |count: usize| count.to_string();
    vec![
        picture(format!("Tasks closed a {each}"), "closed", &|of| of.closed as f64, &|of| of.closed.to_string()),
        picture(format!("From creation to close, hours, median a {each}"), "time", &|of| median(of) as f64 / 3_600.0, &|of| match of.lead_s.len() {
            0 => "none closed".to_owned(),
            _ => span(median(of).saturating_mul(1000)),
        }),
        ReportChart {
            svg: drawn(&lines, &bars),
            columns: [each, "commits", "added", "taken away"].map(str::to_owned).to_vec(),
            rows: buckets
                .iter()
                .map(|of| vec![label(of), of.figures.commits.to_string(), of.figures.added.to_string(), of.figures.deleted.to_string()])
                .collect(),
            title: lines,
        },
        picture(format!("Agents at work a {each}"), "agents", &|of| of.agents.len() as f64, &|of| number(of.agents.len())),
    ]
}

fn days_between(first: &Bucket, second: &Bucket) -> i32 {
    second.begins.since(first.begins).map_or(0, |span| span.get_days())
}

/// Every day or week of the window, also those without anything.
fn buckets(report: &Report) -> Vec<Bucket> {
    let Some(first) = report.window.days.map(|(first, _)| first).or_else(|| report.days.keys().next().copied()) else { return Vec::new() };
    let until = super::window::date_of(report.window.as_of.plus_seconds(-1), &report.zone);
    let days: Vec<Date> = first.series(jiff::Span::new().days(1)).take_while(|day| *day <= until).collect();
    let of = |day: &Date| report.days.get(day).cloned().unwrap_or_default();
    if days.len() <= DAYS_ONE_BY_ONE {
        return days.iter().map(|day| Bucket { begins: *day, figures: of(day) }).collect();
    }
    days.chunks(7)
        .map(|week| {
            let mut sum = Figures { agents: BTreeSet::new(), ..Figures::default() };
            for day in week.iter().map(of) {
                (sum.closed, sum.commits) = (sum.closed + day.closed, sum.commits + day.commits);
                (sum.added, sum.deleted) = (sum.added + day.added, sum.deleted + day.deleted);
                sum.lead_s.extend(day.lead_s);
                sum.agents.extend(day.agents);
            }
            Bucket { begins: week[0], figures: sum }
        })
        .collect()
}

/// The middle of the times from creation to close, seconds; none is zero.
fn median(figures: &Figures) -> i64 {
    let mut times = figures.lead_s.clone();
    times.sort_unstable();
    match times.len() {
        0 => 0,
        odd if odd % 2 == 1 => times[odd / 2],
        even => (times[even / 2 - 1] + times[even / 2]) / 2,
    }
}

/// Bars above the line, and below it where there is a second value.
fn drawn(title: &str, bars: &[(String, String, f64, f64)]) -> String {
    let above = bars.iter().map(|bar| bar.2).fold(0.0, f64::max);
    let below = bars.iter().map(|bar| bar.3).fold(0.0, f64::max);
    let (room, all) = (HEIGHT - BELOW - ABOVE, (above + below).max(1.0));
    let line = ABOVE + room * if above + below > 0.0 { above / all } else { 1.0 };
    let step = (WIDTH - LEFT) / bars.len() as f64;
    let width = (step * 0.72).max(1.0);
    let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{title}\">");
    for (at, (name, told, up, down)) in bars.iter().enumerate() {
        let x = LEFT + step * at as f64 + (step - width) / 2.0;
        for (part, value, y) in [("up", *up, line - room * up / all), ("down", *down, line)] {
            if value > 0.0 {
                let height = (room * value / all).max(1.0);
                svg.push_str(&format!(
                    "<rect data-part=\"{part}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"><title>{name}: {told}</title></rect>"
                ));
            }
        }
    }
    svg.push_str(&format!("<line class=\"base\" x1=\"{LEFT}\" x2=\"{WIDTH}\" y1=\"{line:.1}\" y2=\"{line:.1}\"/>"));
    let mut text =
        |x: f64, y: f64, anchor: &str, words: &str| svg.push_str(&format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{words}</text>"));
    text(LEFT - 6.0, ABOVE + 8.0, "end", &number(above));
    if below > 0.0 {
        text(LEFT - 6.0, HEIGHT - BELOW, "end", &format!("−{}", number(below)));
    }
    if let (Some(first), Some(last)) = (bars.first(), bars.last()) {
        text(LEFT, HEIGHT - 5.0, "start", &first.0);
        text(WIDTH, HEIGHT - 5.0, "end", &last.0);
    }
    svg.push_str("</svg>");
    svg
}

/// A number of an axis: whole, unless it is small.
fn number(value: f64) -> String {
    if value > 0.0 && value < 10.0 && value.fract() > 0.05 { format!("{value:.1}") } else { format!("{value:.0}") }
}
