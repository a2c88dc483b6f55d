//! What the settings only tell: how agents, hooks and clients are connected, whether the log holds, other projects, what this program is.
//! Drawn on the server alone; the browser's half holds none of it.

use super::{PATH, VERIFY, to_mend};
use crate::components::icon::{Glyph, Icon, Shape};
use crate::{Base, words};
use contracts::settings::{KnownProject, LogCheck, SettingsView, Snippet, Wiring, WiringRow};
use leptos::prelude::*;

/// All of it, as HTML.
pub fn draw(view: SettingsView) -> String {
    let faults = view.faults();
    let SettingsView { seq, hooks, clients, snippets, log, projects, version, licence, .. } = view;
    view! {
        <AgentsPart snippets=snippets/>
        <HooksPart hooks=hooks clients=clients faults=faults/>
        <LogPart check=log seq=seq/>
        <ProjectsPart projects=projects/>
        <AboutPart version=version licence=licence/>
    }
    .into_any()
    .to_html()
}

/// What connects each client, to be pasted.
#[component]
fn AgentsPart(snippets: Vec<Snippet>) -> impl IntoView {
    view! {
        <section class="stack" data-part="section" id="agents" aria-labelledby="agents-h">
            <header class="stack" data-part="intro">
                <h2 class="h" id="agents-h">"Connect an agent"</h2>
                <p class="quiet">"Any MCP client on this machine. The agent then asks for work with one call, "<code>"next"</code>", and is told plainly when there is none."</p>
            </header>
            <div class="pair">{snippets.into_iter().map(|snippet| view! { <Pasted snippet=snippet/> }).collect_view()}</div>
        </section>
    }
    .into_any()
}

#[component]
fn Pasted(snippet: Snippet) -> impl IntoView {
    let Snippet { client, place, text } = snippet;
    let label = format!("Copy for {client}");
    view! {
        <div class="snippet">
            <header>
                <h3>{client}</h3>
                <span>{place}</span>
                <button class="button only-app" type="button" data-kind="quiet" aria-label=label data-copy=text.clone()>"Copy"</button>
            </header>
            <pre tabindex="0"><code>{text}</code></pre>
        </div>
    }
    .into_any()
}

/// How everything that `init` writes stands.
#[component]
fn HooksPart(hooks: Vec<WiringRow>, clients: Vec<WiringRow>, faults: usize) -> impl IntoView {
    // Without a fragment: a link to a part of the page that is open loads nothing.
    let again = Base::here().path(PATH);
    let standing = if faults == 0 { "all installed".to_owned() } else { to_mend(faults) };
    let no_git = hooks.is_empty();
    let rows = hooks.into_iter().chain(clients).map(|row| view! { <WiredRow row=row/> }).collect_view();
    view! {
        <section class="stack" data-part="section" id="hooks" aria-labelledby="hooks-h">
            <header class="row wrap">
                <h2 class="h" id="hooks-h">"Hooks and clients"</h2>
                <span class="chip" data-kind="word" data-state=(faults > 0).then_some("person")>{standing}</span>
                <a class="button push" href=again rel="external">"Look again"</a>
            </header>
            {no_git.then(|| view! { <p class="quiet">"This board is in no git repository, so there are no hooks of git."</p> })}
            <div class="surface scroll" tabindex="0" role="group" aria-label="How each stands">
                <table class="table" data-wide="">
                    <thead><tr><th scope="col">"What"</th><th scope="col">"Where"</th><th scope="col">"Status"</th></tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </section>
    }
    .into_any()
}

#[component]
fn WiredRow(row: WiringRow) -> impl IntoView {
    let shape = match row.wiring {
        Wiring::Installed => Shape::DONE,
        Wiring::Missing | Wiring::Kept => Shape::PENDING,
        Wiring::Older | Wiring::Other | Wiring::Dead => Shape::FAILED,
    };
    let mend = (!row.mend.is_empty()).then(|| view! { ": run "<code class="mono">{row.mend.clone()}</code> });
    let line = (!row.line.is_empty()).then(|| {
        let name = format!("The line for {}", row.what);
        view! { <details class="fold"><summary>{name}</summary><pre tabindex="0"><code>{row.line.clone()}</code></pre></details> }
    });
    view! {
        <tr data-wiring=row.wiring.words()>
            <th scope="row">{row.what.clone()}</th>
            <td class="quiet">{row.place.clone()}</td>
            <td>
                <span class="inline"><Glyph shape=shape/>{row.wiring.words()}</span>{mend}
                {(!row.said.is_empty()).then(|| view! { <span class="quiet">{format!(" {}", row.said)}</span> })}
                {line}
            </td>
        </tr>
    }
    .into_any()
}

/// Whether the log holds, when that was asked.
#[component]
fn LogPart(check: Option<LogCheck>, seq: i64) -> impl IntoView {
    // Without a fragment, as above: the second time would ask for nothing.
    let action = Base::here().path(PATH);
    let events = words::count(seq, "event", "events");
    view! {
        <section class="stack" data-part="section" id="log" aria-labelledby="log-h">
            <header class="row wrap">
                <h2 class="h" id="log-h">"Log"</h2>
                <span class="quiet">{events}</span>
                <form class="push" method="get" action=action>
                    <input type="hidden" name=VERIFY value="true"/>
                    <button class="button"><Icon name="shield" size="sm"/>"Verify now"</button>
                </form>
            </header>
            {match check {
                Some(check) => view! { <Checked check=check/> }.into_any(),
                None => view! { <p class="quiet">"Every line carries its own hash and that of the line before it. Verifying reads all of them; nothing is changed."</p> }.into_any(),
            }}
        </section>
    }
    .into_any()
}

#[component]
fn Checked(check: LogCheck) -> impl IntoView {
    let counts = format!(
        "{} in {}, {} in the database, {}",
        words::count(check.lines, "line", "lines"),
        words::count(check.files, "file", "files"),
        words::count(check.events, "event", "events"),
        words::count(check.blobs, "blob", "blobs"),
    );
    let sound = check.total == 0;
    let (shape, said) = match check.total {
        0 => (Shape::DONE, "Sound: every chain verifies, and the files hold what the database holds.".to_owned()),
        1 => (Shape::FAILED, "One thing does not hold. The rest stays in use, because each line's own hash is right.".to_owned()),
        total => (Shape::FAILED, format!("{} things do not hold. The rest stays in use, because each line's own hash is right.", words::grouped(total))),
    };
    let more = check.total - i64::try_from(check.findings.len()).unwrap_or(check.total);
    let findings = check.findings.into_iter().map(|found| {
        view! { <dt class="mono">{found.place}</dt><dd>{found.text}<code class="mono">{found.code}</code></dd> }
    });
    view! {
        <div class="verify" role="status">
            <p class="row" data-top=""><Glyph shape=shape/><span><b>{said}</b>" "<span class="quiet">{counts}</span></span></p>
            {(!sound).then(|| view! {
                <dl class="facts" data-part="found">{findings.collect_view()}</dl>
            })}
            {(more > 0).then(|| view! { <p class="quiet">{format!("{} more: callboard log verify lists all of them.", words::grouped(more))}</p> })}
        </div>
    }
    .into_any()
}

/// What this program is.
#[component]
fn AboutPart(version: String, licence: String) -> impl IntoView {
    view! {
        <section class="stack" data-part="section" id="about" aria-labelledby="about-h">
            <h2 class="h" id="about-h">"About"</h2>
            <dl class="facts">
                <dt>"Version"</dt>
                <dd class="mono">{version}</dd>
                <dt>"Licence"</dt>
                <dd>{licence.replace(" OR ", " or ")}", as you choose"</dd>
                <dt>"What it is made with"</dt>
                <dd><a href=Base::here().path("/licences.txt") rel="external">"Third-party licences"</a></dd>
            </dl>
        </section>
    }
    .into_any()
}

/// The other boards of this person on this machine.
#[component]
fn ProjectsPart(projects: Vec<KnownProject>) -> impl IntoView {
    let none = projects.iter().all(|project| project.here);
    let rows = projects.into_iter().map(|project| {
        let KnownProject { name, place, url, command, here } = project;
        let way = match (here, url) {
            (true, _) => view! { <span class="quiet">"this one"</span> }.into_any(),
            (false, Some(url)) => view! { <a href=url rel="external">"Open"</a> }.into_any(),
            (false, None) => view! { <code class="mono">{command}</code> }.into_any(),
        };
        view! { <tr><th scope="row"><bdi>{name}</bdi></th><td class="quiet">{place}</td><td>{way}</td></tr> }
    });
    view! {
        <section class="stack" data-part="section" id="projects" aria-labelledby="projects-h">
            <header class="stack" data-part="intro">
                <h2 class="h" id="projects-h">"Projects"</h2>
                <p class="quiet">"Boards opened lately on this machine. One that is served has a link, another the line that serves it."</p>
            </header>
            {if none {
                view! { <p class="quiet">"No other board was opened here yet."</p> }.into_any()
            } else {
                view! {
                    <div class="surface scroll" tabindex="0" role="group" aria-label="Projects">
                        <table class="table"><thead><tr><th scope="col">"Project"</th><th scope="col">"Folder"</th><th scope="col">"How to open it"</th></tr></thead><tbody>{rows.collect_view()}</tbody></table>
                    </div>
                }
                .into_any()
            }}
        </section>
    }
    .into_any()
}
