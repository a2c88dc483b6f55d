//! A report as it is shown: its facts, how it stands, and, for a page, its sections as HTML and its pictures.

use contracts::Moment;
use contracts::report::{Freshness, Narration, ReportKind, ReportSection, ReportView};
use contracts::view::BoardView;
use engine::report::Report;
use engine::report::chart::charts;
use engine::report::dossier::{Dossier, outline};

/// One that was made just now.
pub(super) fn made(report: &Report, text: String, now: Moment, seq: i64, pages: bool) -> ReportView {
    let view = ReportView {
        kind: report.window.kind,
        label: report.window.label.clone(),
        title: String::new(),
        markdown: text,
        stamp: report.stamp(now),
        written: false,
        stale: Freshness::Current,
        narration: Narration { by: "none".to_owned(), ..Narration::default() },
        lead: String::new(),
        sections: Vec::new(),
        charts: if pages { charts(report) } else { Vec::new() },
        seq,
    };
    shown(view, pages)
}

/// How everything stands now: no file, and nothing of the log.
pub fn board(board: &BoardView, pages: bool) -> ReportView {
    let view = ReportView {
        kind: ReportKind::Board,
        label: None,
        title: String::new(),
        markdown: engine::report::board(board),
        stamp: None,
        written: false,
        stale: Freshness::Current,
        narration: Narration { by: "none".to_owned(), ..Narration::default() },
        lead: String::new(),
        sections: Vec::new(),
        charts: Vec::new(),
        seq: board.seq,
    };
    shown(view, pages)
}

/// One that is kept.
pub(super) fn kept(label: &str, dossier: Dossier, stale: Freshness, report: Option<&Report>, seq: i64, pages: bool) -> ReportView {
    let kind = dossier.stamp.as_ref().map_or(ReportKind::Day, |stamp| stamp.kind);
    let mut narration = dossier.narration;
    if pages {
        narration.html = app::markdown::render(&narration.text);
    }
    let view = ReportView {
        kind,
        label: Some(label.to_owned()),
        title: String::new(),
        markdown: dossier.facts,
        stamp: dossier.stamp,
        written: true,
        stale,
        narration,
        lead: String::new(),
        sections: Vec::new(),
        charts: report.map(charts).unwrap_or_default(),
        seq,
    };
    shown(view, pages)
}

/// With heading, lead and, for a page, sections, all of them read from the facts.
fn shown(mut view: ReportView, pages: bool) -> ReportView {
    let outline = outline(&view.markdown);
    view.title = outline.title;
    view.lead = outline.lead;
    if pages {
        let section = |(at, (title, count, text)): (usize, (String, i64, String))| {
            let name: String = title.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).take(20).collect();
            ReportSection { key: format!("s{at}-{name}"), title, count, html: app::markdown::render(&text) }
        };
        view.sections = outline.sections.into_iter().enumerate().map(section).collect();
    }
    view
}
