//! Settings: the project, how agents and git are connected, whether the log holds, and what this program is. Whole without scripts:
//! its forms are plain, and what is looked at again is a link.

#[cfg(feature = "ssr")]
mod told;

use crate::components::form::{CommandForm, Send, TextField};
use crate::store::Store;
use crate::{browser, words};
use contracts::settings::SettingsView;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

/// The path of the page, and the parameter that has the log checked.
pub const PATH: &str = "/settings";
/// `?verify=true`.
pub const VERIFY: &str = "verify";

/// Where each part is on the page, and its name.
const PARTS: [(&str, &str); 6] =
    [("project", "Project"), ("agents", "Agents and MCP"), ("hooks", "Hooks"), ("log", "Log"), ("projects", "Projects"), ("about", "About")];

/// What the page begins with: what its forms hold, and, where it is rendered, everything else.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Opening {
    review_default: bool,
    narration: String,
    faults: usize,
    /// Never sent: what only tells is drawn by the server alone, and stays as it came.
    #[serde(skip)]
    #[cfg_attr(not(feature = "ssr"), allow(dead_code, reason = "only a server draws it"))]
    view: SettingsView,
}

impl From<SettingsView> for Opening {
    fn from(view: SettingsView) -> Opening {
        Opening { review_default: view.review_default, narration: view.narration.clone(), faults: view.faults(), view }
    }
}

/// The page.
#[component]
pub fn Settings(opening: Opening) -> impl IntoView {
    let store = expect_context::<Store>();
    let faults = opening.faults;
    #[cfg(feature = "ssr")]
    let told = told::draw(opening.view);
    // The browser keeps what the server wrote there.
    #[cfg(not(feature = "ssr"))]
    let told = String::new();
    let copy = move |event: web_sys::MouseEvent| {
        if let Some(text) = browser::pressed(&event, "data-copy") {
            browser::copy(&text);
            browser::relabel(&event, "Copied");
            store.say("Copied.");
        }
    };
    let parts = PARTS.map(|(id, name)| {
        let mark = (id == "hooks" && faults > 0).then(|| view! { <span title=to_mend(faults)>{faults}</span> });
        view! { <li><a href=format!("#{id}") rel="external">{name}{mark}</a></li> }
    });
    view! {
        <div class="settingspage">
            <nav class="subnav" aria-label="Settings"><h1>"Settings"</h1><ul>{parts.collect_view()}</ul></nav>
            <div class="sheet stack" data-part="settings">
                <ProjectPart review_default=opening.review_default narration=opening.narration/>
                <div class="stack" inner_html=told on:click=copy></div>
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
fn ProjectPart(review_default: bool, narration: String) -> impl IntoView {
    let store = expect_context::<Store>();
    let project = store.project.get_untracked();
    let may_write = store.me.with_untracked(|me| me.may_write);
    let forms = [
        ("name", "Name", project.name, "what the page and reports call it"),
        ("zone", "Time zone", project.zone, "where a day ends, like Europe/Berlin"),
        ("base", "Default branch", project.base.unwrap_or_default(), "what work is cut from; empty is git's own default"),
        ("narration.provider", "Narration", narration, "who writes the prose of reports: claude, also when it is empty"),
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
            <div class="pair">{forms.collect_view()}<ReviewDefault on=review_default may_write=may_write/></div>
        </section>
    }
    .into_any()
}

/// Whether a task wants a review when nobody says.
#[component]
fn ReviewDefault(on: bool, may_write: bool) -> impl IntoView {
    let choices = [(false, "only where a task asks for it"), (true, "for every task, unless it says otherwise")]
        .map(|(value, words)| view! { <option value=value.to_string() selected=value == on>{words}</option> });
    view! {
        <CommandForm command="configure" place="set-review_default" label="Review" class="settingform" only=("setting", "review_default".to_owned()) done=Callback::new(|_| browser::reload())>
            <input type="hidden" name="setting" value="review_default"/>
            <label class="labelled"><span>"Review"</span><span class="field"><select name="value" disabled=!may_write>{choices.collect_view()}</select></span></label>
            {may_write.then(|| view! { <Send text="Save review" quiet=true/> })}
            <p class="quiet">"what has to pass before a task is done"</p>
        </CommandForm>
    }
    .into_any()
}
