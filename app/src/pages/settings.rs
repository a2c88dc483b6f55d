//! Settings: the project, how agents and git are connected, whether the log holds, and what this program is. Whole without scripts:
//! its forms are plain, and what is looked at again is a link.

use crate::components::form::{CommandForm, Send, TextField};
use crate::components::icon::{Glyph, Icon, Shape};
use crate::store::Store;
use crate::{Base, browser, words};
use contracts::settings::{LogCheck, SettingsView, Snippet, Wiring, WiringRow};
use leptos::prelude::*;

/// The path of the page, and the parameter that has the log checked.
pub const PATH: &str = "/settings";
/// `?verify=true`.
pub const VERIFY: &str = "verify";

/// Where each part is on the page, and its name.
const PARTS: [(&str, &str); 5] = [("project", "Project"), ("agents", "Agents and MCP"), ("hooks", "Hooks"), ("log", "Log"), ("about", "About")];

/// The page.
#[component]
pub fn Settings(view: SettingsView) -> impl IntoView {
    let faults = view.faults();
    let parts = PARTS.map(|(id, name)| {
        let mark = (id == "hooks" && faults > 0).then(|| view! { <span title=to_mend(faults)>{faults}</span> });
        view! { <li><a href=format!("#{id}") rel="external">{name}{mark}</a></li> }
    });
    view! {
        <div class="settingspage">
            <nav class="subnav" aria-label="Settings"><h1>"Settings"</h1><ul>{parts.collect_view()}</ul></nav>
            <div class="sheet stack" data-part="settings">
                <ProjectPart/>
                <AgentsPart snippets=view.snippets.clone()/>
                <HooksPart hooks=view.hooks.clone() clients=view.clients.clone() faults=faults/>
                <LogPart check=view.log.clone() seq=view.seq/>
                <AboutPart version=view.version.clone() licence=view.licence.clone()/>
            </div>
        </div>
    }
    .into_any()
}

fn to_mend(faults: usize) -> String {
    words::count(i64::try_from(faults).unwrap_or(i64::MAX), "thing to mend", "things to mend")
}

/// Name, zone, branch: each a form of its own, because each is a change of its own.
#[component]
fn ProjectPart() -> impl IntoView {
    let store = expect_context::<Store>();
    let project = store.project.get_untracked();
    let may_write = store.me.with_untracked(|me| me.may_write);
    let forms = [
        ("name", "Name", project.name, "what the page and reports call it"),
        ("zone", "Time zone", project.zone, "where a day ends, like Europe/Berlin"),
        ("base", "Default branch", project.base.unwrap_or_default(), "what work is cut from; empty is git's own default"),
    ]
    .map(|(key, label, value, about)| {
        view! {
            <CommandForm command="configure" place=format!("set-{key}") label=label class="settingform" only=("setting", key.to_owned()) done=Callback::new(|_| browser::reload())>
                <input type="hidden" name="setting" value=key/>
                <TextField name="value" label=label value=value id=format!("setting-{key}")/>
                {may_write.then(|| view! { <Send text=format!("Save {}", label.to_lowercase()) quiet=true/> })}
                <p class="quiet">{about}</p>
            </CommandForm>
        }
    });
    view! {
        <section class="stack" data-part="section" id="project" aria-labelledby="project-h">
            <h2 class="h" id="project-h">"Project"</h2>
            <div class="pair">{forms.collect_view()}</div>
        </section>
    }
    .into_any()
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
    let copied = RwSignal::new(false);
    let Snippet { client, place, text } = snippet;
    let label = format!("Copy for {client}");
    let value = text.clone();
    view! {
        <div class="snippet">
            <header>
                <h3>{client}</h3>
                <span>{place}</span>
                <button
                    class="button"
                    type="button"
                    data-kind="quiet"
                    aria-label=label
                    on:click=move |_| {
                        browser::copy(&value);
                        copied.set(true);
                    }
                >
                    {move || if copied.get() { "Copied" } else { "Copy" }}
                </button>
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
                    <thead><tr><th scope="col">"What"</th><th scope="col">"Where"</th><th scope="col">"Status"</th><th scope="col">"What mends it"</th></tr></thead>
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
    let mend = if row.mend.is_empty() { ().into_any() } else { view! { <code class="mono">{row.mend.clone()}</code> }.into_any() };
    let line = (!row.line.is_empty()).then(|| {
        let name = format!("The line for {}", row.what);
        view! { <details class="fold"><summary>{name}</summary><pre tabindex="0"><code>{row.line.clone()}</code></pre></details> }
    });
    view! {
        <tr data-wiring=row.wiring.words()>
            <th scope="row">{row.what.clone()}</th>
            <td class="quiet">{row.place.clone()}</td>
            <td>
                <span class="inline"><Glyph shape=shape/>{row.wiring.words()}</span>
                {(!row.said.is_empty()).then(|| view! { <span class="quiet">{format!(" {}", row.said)}</span> })}
                {line}
            </td>
            <td>{mend}</td>
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
            </dl>
        </section>
    }
    .into_any()
}
