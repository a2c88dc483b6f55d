//! Reports: the list with how fresh each is, and one of them with its sections, its pictures and the narration, which grows while it is
//! being written. Whole without scripts, but for narrating.

use crate::components::icon::Icon;
use crate::components::time::Ago;
use crate::narrated::Told;
use crate::port::Port;
use crate::store::Store;
use crate::{Base, browser, words};
use contracts::Problem;
use contracts::report::{Freshness, Narrate, NarrationState, ReportChart, ReportKind, ReportQuery, ReportRow, ReportSection, ReportStamp, ReportView, Telling};
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde::{Deserialize, Serialize};

/// The path of the list; a report is `<path>/<label>`.
pub const PATH: &str = "/reports";

/// What the page begins with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Opening {
    /// The written ones.
    pub rows: Vec<ReportRow>,
    /// The one that is shown.
    pub report: Option<ReportView>,
    /// Why it is not.
    pub problem: Option<Problem>,
}

/// A report by its name, or one that is made now; or none.
pub type Asked = Result<Option<String>, ReportQuery>;

impl Opening {
    /// The report whose narration is listened to.
    pub fn watched(&self) -> Option<String> {
        self.report.as_ref()?.label.clone().filter(|label| contracts::report::is_label(label))
    }
}

/// What an address asks for: `/reports/<label>`, or `/reports?from=…&to=…` or `?since=…` as the pickers write it.
pub fn asked(rest: &str, param: impl Fn(&str) -> String) -> Asked {
    let label = rest.trim_start_matches(PATH).trim_matches('/');
    let (from, to, since) = (param("from"), param("to"), param("since"));
    match () {
        () if !label.is_empty() => Ok(Some(label.to_owned())),
        () if !from.is_empty() && !to.is_empty() && from == to => Ok(Some(from)),
        () if !from.is_empty() && !to.is_empty() => Ok(Some(format!("{from}..{to}"))),
        () if !since.is_empty() => Err(ReportQuery { kind: ReportKind::Standup, since: Some(since), full: true, ..ReportQuery::default() }),
        () => Ok(None),
    }
}

/// Reads what the page shows. A report that can't be shown leaves the list.
///
/// # Errors
/// When not even the list can be read.
pub async fn opening(port: &Port, asked: Asked) -> Result<Opening, Problem> {
    let rows = port.0.reports().await?;
    let read = match asked {
        Ok(None) => return Ok(Opening { rows, report: None, problem: None }),
        Ok(Some(label)) => port.0.report_named(label).await,
        Err(query) => port.0.report(query).await,
    };
    Ok(match read {
        Ok(report) => Opening { rows, report: Some(report), problem: None },
        Err(problem) => Opening { rows, report: None, problem: Some(problem) },
    })
}

/// The page.
#[component]
pub fn Reports(opening: Opening) -> impl IntoView {
    let Opening { rows, report, problem } = opening;
    let label = report.as_ref().and_then(|report| report.label.clone());
    if let Some(problem) = &problem {
        crate::SetStatus::to(problem.code.status());
    }
    let sections = report.as_ref().map(|report| report.sections.clone()).unwrap_or_default();
    let sheet = match (report, problem) {
        (Some(report), _) => view! { <Sheet report=report/> }.into_any(),
        (None, Some(problem)) => {
            view! { <article class="report"><header><h1>{problem.title.clone()}</h1><p class="quiet">{problem.hint.for_web()}</p></header></article> }
                .into_any()
        }
        (None, None) => view! { <NoReport/> }.into_any(),
    };
    view! {
        <div class="reportpage">
            <div class="side">
                <div class="pagehead"><p class="h">"Reports"</p></div>
                <Pickers/>
                <List rows=rows current=label/>
            </div>
            <div class="sheet" tabindex="0" role="group" aria-label="Report">{sheet}</div>
            <Contents sections=sections/>
        </div>
    }
    .into_any()
}

#[component]
fn NoReport() -> impl IntoView {
    view! {
        <article class="report">
            <header>
                <h1>"Reports"</h1>
                <p class="quiet">"What happened, told from the log: pick days, or a report that was written."</p>
            </header>
            <p>"A report is a file in "<code>".callboard/reports"</code>", to be committed like source. "<code>"callboard report day --write"</code>" writes yesterday's."</p>
        </article>
    }
    .into_any()
}

/// Days from a calendar, and a standup since a while ago. Plain forms: the address is the question.
#[component]
fn Pickers() -> impl IntoView {
    let base = Base::here();
    let action = base.path(PATH);
    let again = action.clone();
    view! {
        <details class="fold" data-part="range">
            <summary><Icon name="calendar"/>"Range…"</summary>
            <form method="get" action=action class="stack" aria-label="Days">
                <label>"First day"<input class="field" type="date" name="from" required/></label>
                <label>"Last day"<input class="field" type="date" name="to" required/></label>
                <button class="button" type="submit">"Show these days"</button>
            </form>
            <form method="get" action=again class="stack" aria-label="Standup">
                <label>"Standup since"
                    <select class="field" name="since">
                        <option value="24h">"a day ago"</option>
                        <option value="12h">"12 hours ago"</option>
                        <option value="3d">"3 days ago"</option>
                        <option value="1w">"a week ago"</option>
                    </select>
                </label>
                <button class="button" type="submit">"Show the standup"</button>
            </form>
        </details>
    }
    .into_any()
}

#[component]
fn List(rows: Vec<ReportRow>, current: Option<String>) -> impl IntoView {
    let base = Base::here();
    let store = expect_context::<Store>();
    let address = {
        let base = base.clone();
        move |label: &str| base.path(&format!("{PATH}/{label}"))
    };
    let kind = |row: &ReportRow| row.stamp.as_ref().map(|stamp| stamp.kind);
    let item = |label: String, words: String| {
        let href = address(&label);
        let here = current.as_deref() == Some(&label);
        let watched = label.clone();
        // The report that is shown may begin to be narrated while it is.
        let words = move || {
            if here && store.watched.get().as_ref() == Some(&watched) && store.told.with(Told::is_under_way) {
                "being narrated".to_owned()
            } else {
                words.clone()
            }
        };
        view! { <li><a href=href rel="external" aria-current=here.then_some("page")><b>{label}</b><small>{words}</small></a></li> }
    };
    let group = |title: &'static str, wanted: &dyn Fn(&ReportRow) -> bool| {
        let items: Vec<_> = rows.iter().filter(|row| wanted(row)).map(|row| item(row.label.clone(), standing(row))).collect();
        (!items.is_empty()).then(|| view! { <h2>{title}</h2><ul>{items}</ul> })
    };
    let days = group("Days", &|row| kind(row) == Some(ReportKind::Day));
    let ranges = group("Ranges", &|row| matches!(kind(row), Some(ReportKind::Range | ReportKind::All)));
    let others = group("By hand", &|row| kind(row).is_none());
    let is_there = |label: &str| rows.iter().any(|row| row.label == label);
    let unwritten = current.clone().filter(|label| !is_there(label)).map(|label| item(label, "not written".to_owned()));
    let all = (!is_there("all") && current.as_deref() != Some("all")).then(|| item("all".to_owned(), "not written".to_owned()));
    view! {
        <nav class="reportlist" aria-label="Reports">
            {days}
            {ranges}
            {others}
            {(unwritten.is_some() || all.is_some()).then(|| view! { <h2>"Not kept"</h2><ul>{unwritten}{all}</ul> })}
        </nav>
    }
    .into_any()
}

/// How a written report stands: its facts, then its narration.
fn standing(row: &ReportRow) -> String {
    let facts = match (row.stale, row.open) {
        (Freshness::Current, true) => "current, still open".to_owned(),
        (stale, _) => stale.words(),
    };
    match row.narration {
        _ if row.stamp.is_none() => "written by hand".to_owned(),
        _ if row.narrated == "hand" => format!("{facts}, by hand"),
        NarrationState::None => format!("{facts}, facts only"),
        NarrationState::Done => facts,
        NarrationState::Writing => "being narrated".to_owned(),
        NarrationState::Failed => format!("{facts}, narration unfinished"),
        NarrationState::Interrupted => format!("{facts}, narration interrupted"),
    }
}

#[component]
fn Sheet(report: ReportView) -> impl IntoView {
    let has_file = report.label.is_some();
    let label = report.label.clone().unwrap_or_default();
    let (lead, title) = (report.lead.clone(), report.title.clone());
    let about = report.stamp.clone().map(|stamp| view! { <About stamp=stamp written=report.written stale=report.stale/> });
    let sections = report.sections.iter().cloned().map(|section| view! { <Section section=section/> }).collect_view();
    let charts = report.charts.clone();
    view! {
        <div data-part="acts"><Acts report=report.clone()/></div>
        <article class="report">
            <header>
                <h1>{title}</h1>
                {about}
                {lead.lines().filter(|line| !line.is_empty()).map(|line| view! { <p class="lead">{line.to_owned()}</p> }).collect_view()}
            </header>
            {(!charts.is_empty()).then(|| view! { <Charts charts=charts/> })}
            {sections}
            {has_file.then(|| view! { <Narration label=label report=report/> })}
        </article>
    }
    .into_any()
}

/// What it was made of, and how far it is behind.
#[component]
fn About(stamp: ReportStamp, written: bool, stale: Freshness) -> impl IntoView {
    let how = if written { "written " } else { "not written; made " };
    let behind = (written && stale != Freshness::Current).then(|| view! { <span class="chip" data-kind="word" data-state="person">{stale.words()}</span> });
    view! {
        <p class="quiet">
            {format!("{} in {} · {} · {how}", kind(stamp.kind), stamp.zone, words::count(stamp.events, "event", "events"))}
            <Ago at=stamp.generated/>
            " · "
            <code class="id">{format!("sum {}", stamp.sum)}</code>
            {behind}
        </p>
    }
    .into_any()
}

fn kind(kind: ReportKind) -> &'static str {
    match kind {
        ReportKind::Day => "Day",
        ReportKind::Range => "Days",
        ReportKind::All => "Everything",
        ReportKind::Board | ReportKind::Standup => "Now",
    }
}

/// Copying, keeping, and writing the file.
#[component]
fn Acts(report: ReportView) -> impl IntoView {
    let base = Base::here();
    let store = expect_context::<Store>();
    let copied = RwSignal::new(false);
    let may_write = store.me.with_untracked(|me| me.may_write);
    let markdown = report.markdown.clone();
    let label = report.label.clone();
    let keep = label.clone().map(|label| {
        let href = format!("/api{}/reports/{label}/file", base.0);
        view! { <a class="button" data-kind="quiet" href=href rel="external" download=format!("{label}.md")><Icon name="download"/>"Download"</a> }
    });
    let is_stale = report.written && report.stale != Freshness::Current;
    let wanted = label.filter(|_| may_write && (!report.written || is_stale));
    let problem = RwSignal::new(None::<Problem>);
    let write = wanted.map(|label| {
        let words = if is_stale { "Write the facts anew" } else { "Write the file" };
        let pressed = move |_| {
            let label = label.clone();
            spawn_local(async move {
                let written = match store.port() {
                    Ok(port) => port.0.write_report(label, Narrate::default()).await.map(drop),
                    Err(problem) => Err(problem),
                };
                match written {
                    Ok(()) => browser::reload(),
                    Err(refused) => problem.set(Some(refused)),
                }
            });
        };
        view! { <button class="button" type="button" on:click=pressed>{words}</button> }
    });
    view! {
        <button class="button" type="button" data-kind="quiet" on:click=move |_| { browser::copy(&markdown); copied.set(true); }>
            <Icon name="copy"/>
            {move || if copied.get() { "Copied" } else { "Copy as markdown" }}
        </button>
        {keep}
        {write}
        {move || problem.get().map(|problem| view! { <Refused problem=problem/> })}
    }
    .into_any()
}

#[component]
fn Refused(problem: Problem) -> impl IntoView {
    // Where two versions are in each other's way, both are named.
    let detail = (!problem.detail.is_empty()).then(|| view! { <pre tabindex="0"><code>{problem.detail.clone()}</code></pre> });
    view! { <div role="alert"><p class="quiet">{format!("{}. {}", problem.title, problem.hint.for_web())}</p>{detail}</div> }.into_any()
}

#[component]
fn Section(section: ReportSection) -> impl IntoView {
    let ReportSection { key, title, count, html } = section;
    let heading = format!("{key}-h");
    let labelled = heading.clone();
    let counted = (count > 0).then(|| view! { <span>{format!(" {}", words::grouped(count))}</span> });
    view! {
        <section id=key aria-labelledby=labelled>
            <h2 id=heading>{title}{counted}</h2>
            <div class="prose" dir="auto" inner_html=html></div>
        </section>
    }
    .into_any()
}

/// Pictures drawn by the server, each with its numbers as a table.
#[component]
fn Charts(charts: Vec<ReportChart>) -> impl IntoView {
    let picture = |chart: ReportChart| {
        let ReportChart { title, svg, columns, rows } = chart;
        let head = columns.into_iter().map(|column| view! { <th scope="col">{column}</th> }).collect_view();
        let rows = rows.into_iter().map(|row| view! { <tr>{row.into_iter().map(|cell| view! { <td>{cell}</td> }).collect_view()}</tr> }).collect_view();
        let label = format!("{title}, as a table");
        view! {
            <figure class="chart" data-part="days">
                <figcaption>{title}</figcaption>
                <div class="plot" inner_html=svg></div>
                <details class="fold"><summary>"As a table"</summary>
                    <div class="scroll" tabindex="0" role="group" aria-label=label><table class="table"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>
                </details>
            </figure>
        }
    };
    view! {
        <details class="fold" data-part="charts">
            <summary>"Pictures of the period"</summary>
            <div class="stack">{charts.into_iter().map(picture).collect_view()}</div>
        </details>
    }
    .into_any()
}

/// The prose: what is in the file, or what is being told.
#[component]
fn Narration(label: String, report: ReportView) -> impl IntoView {
    let store = expect_context::<Store>();
    let told = store.told;
    let problem = RwSignal::new(None::<Problem>);
    let kept = RwSignal::new(report.narration.clone());
    let made_of = report.stamp.as_ref().map(|stamp| stamp.events);
    // What was told to its end is in the file now, as HTML.
    let reread = label.clone();
    Effect::new(move |_| {
        if told.with(|told| matches!(told.state, Some(Telling::Done | Telling::Failed))) {
            let label = reread.clone();
            spawn_local(async move {
                let Ok(port) = store.port() else { return };
                if let Ok(view) = port.0.report_named(label).await {
                    kept.set(view.narration);
                }
            });
        }
    });
    let act = {
        let label = label.clone();
        move |how: Narrate| {
            let label = label.clone();
            problem.set(None);
            spawn_local(async move {
                let asked = match store.port() {
                    Ok(port) => port.0.narrate(label, how).await,
                    Err(problem) => Err(problem),
                };
                problem.set(asked.err());
            });
        }
    };
    let cancel = move |_| {
        let label = label.clone();
        spawn_local(async move {
            let asked = match store.port() {
                Ok(port) => port.0.cancel_narration(label).await,
                Err(problem) => Err(problem),
            };
            problem.set(asked.err());
        });
    };
    let under_way = Memo::new(move |_| {
        told.with(Told::is_under_way) || (told.with(|told| told.state.is_none()) && kept.with(|kept| kept.state == NarrationState::Writing))
    });
    let may_write = store.me.with_untracked(|me| me.may_write);
    let words = move || match (told.with(|told| told.state), kept.with(|kept| (kept.state, kept.is_by_hand(), kept.by.clone()))) {
        _ if under_way.get() => "Being written".to_owned(),
        (_, (NarrationState::None, _, _)) => "Nobody narrated it".to_owned(),
        (_, (_, true, _)) => "Written by hand".to_owned(),
        (_, (NarrationState::Done, _, by)) => format!("By {by}"),
        (_, (NarrationState::Interrupted, ..)) => "Interrupted: whoever wrote it is gone".to_owned(),
        (_, (NarrationState::Failed | NarrationState::Writing, ..)) => "Unfinished".to_owned(),
    };
    let older = move || {
        let events = kept.with(|kept| kept.events).zip(made_of).filter(|(events, made_of)| events != made_of);
        events.map(|(events, made_of)| format!("It was written for {}; the facts above are made of {made_of}.", words::count(events, "event", "events")))
    };
    let facts = move || told.with(|told| told.facts(store.now.get())).into_iter().map(|fact| view! { <span>{fact}</span> }).collect_view();
    let pass = move || {
        told.with(|told| told.pass.filter(|(_, n)| *n > 1 && told.is_under_way())).map(|(i, n)| {
            view! { <progress max=n value=i aria-label=format!("Narration, pass {i} of {n}")></progress> }
        })
    };
    let prose = move || {
        if told.with(|told| told.is_under_way() && !told.text.is_empty()) {
            return view! { <div class="prose" data-part="told" dir="auto">{move || told.with(|told| told.text.clone())}<span class="caret" aria-hidden="true"></span></div> }.into_any();
        }
        view! { <div class="prose" dir="auto" inner_html=move || kept.with(|kept| kept.html.clone())></div> }.into_any()
    };
    let failed = move || told.with(|told| told.problem.clone()).map(|text| view! { <p role="alert">{text}</p> });
    let buttons = move || {
        if !may_write {
            return ().into_any();
        }
        if under_way.get() {
            return view! { <button class="button" type="button" on:click=cancel.clone()><Icon name="stop"/>"Cancel"</button> }.into_any();
        }
        let (state, by_hand) = kept.with(|kept| (kept.state, kept.is_by_hand()));
        let act = act.clone();
        let (label, how) = match (state, by_hand) {
            (_, true) => ("Replace what was written by hand", Narrate { replace_hand: true, ..Narrate::default() }),
            (NarrationState::Done, _) => ("Narrate anew", Narrate { replace_narration: true, ..Narrate::default() }),
            _ => ("Narrate", Narrate::default()),
        };
        view! { <button class="button" type="button" on:click=move |_| act(how.clone())>{label}</button> }.into_any()
    };
    view! {
        <section id="narration" class="narration" aria-labelledby="narration-h" aria-busy=move || under_way.get().to_string()>
            <header>
                <h2 id="narration-h">"Narration"</h2>
                <span class="quiet" data-part="state">{words}</span>
                <p>{facts}</p>
                {buttons}
                {pass}
            </header>
            <noscript><p class="quiet">"Narrating from here needs scripts; "<code>"callboard report --digest"</code>" needs none."</p></noscript>
            {move || older().map(|text| view! { <p class="quiet">{text}</p> })}
            {failed}
            {move || problem.get().map(|problem| view! { <Refused problem=problem/> })}
            {prose}
        </section>
    }
    .into_any()
}

#[component]
fn Contents(sections: Vec<ReportSection>) -> impl IntoView {
    if sections.is_empty() {
        return ().into_any();
    }
    let item = |section: ReportSection| {
        let count = (section.count > 0).then(|| view! { <span>{words::grouped(section.count)}</span> });
        view! { <li><a href=format!("#{}", section.key) rel="external">{section.title}{count}</a></li> }
    };
    view! {
        <nav class="toc" aria-label="On this page">
            <h2>"On this page"</h2>
            <ol>
                {sections.into_iter().map(item).collect_view()}
                <li><a href="#narration" rel="external">"Narration"</a></li>
            </ol>
        </nav>
    }
    .into_any()
}
