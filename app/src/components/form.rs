//! A change is a plain form: it posts to `<base>/do` without scripts, and goes through the port once the page is taken over.

use crate::components::problem::Notice;
use crate::store::Store;
use crate::{Base, FormKey, browser, forms, moves, words};
use contracts::command::{CommandRequest, Receipt};
use contracts::{Code, Problem, TaskId};
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::hooks::use_location;
use std::collections::BTreeMap;
use wasm_bindgen::JsCast;

/// What the fields of a form find in their context.
#[derive(Clone, Copy)]
pub struct FormState {
    /// Under way.
    pub busy: RwSignal<bool>,
    /// What it was refused with.
    pub problem: RwSignal<Option<Problem>>,
    /// The session had ended when it was sent.
    pub lost: RwSignal<bool>,
    typed: StoredValue<BTreeMap<String, String>>,
}

impl FormState {
    /// What was typed into a field of a form that was refused, else what it holds by itself.
    pub fn typed(name: &str, otherwise: impl Into<String>) -> String {
        FormState::refused_with(name).unwrap_or_else(|| otherwise.into())
    }

    fn refused_with(name: &str) -> Option<String> {
        use_context::<FormState>().and_then(|state| state.typed.with_value(|typed| typed.get(name).cloned()))
    }
}

/// Where the page is, to come back to.
pub fn here() -> String {
    let location = use_location();
    let (path, search) = (location.pathname.get_untracked(), location.search.get_untracked());
    if search.is_empty() { path } else { format!("{path}?{}", search.trim_start_matches('?')) }
}

/// A form that gives one command. `place` is unique on the page; `only` tells two forms of one command apart when one was refused;
/// `stale` is called in place of showing a refusal that says only that the task moved on.
#[component]
pub fn CommandForm(
    command: &'static str,
    #[prop(into)] place: String,
    #[prop(optional)] task: Option<TaskId>,
    #[prop(optional)] class: &'static str,
    #[prop(optional, into)] label: String,
    #[prop(optional)] only: Option<(&'static str, String)>,
    #[prop(optional)] done: Option<Callback<Vec<Receipt>>>,
    #[prop(optional)] stale: Option<Callback<web_sys::HtmlFormElement>>,
    children: Children,
) -> impl IntoView {
    let store = expect_context::<Store>();
    let task_text = task.as_ref().map(ToString::to_string);
    let refusal = store.refusal.get_untracked().filter(|refusal| {
        let same = |name: &str, value: &str| refusal.fields.get(name).is_some_and(|typed| typed == value);
        refusal.command == command && task_text.as_ref().is_none_or(|task| same("task", task)) && only.as_ref().is_none_or(|(name, value)| same(name, value))
    });
    let state = FormState {
        busy: RwSignal::new(false),
        problem: RwSignal::new(refusal.as_ref().map(|refusal| refusal.problem.clone())),
        lost: RwSignal::new(false),
        typed: StoredValue::new(refusal.map(|refusal| refusal.fields).unwrap_or_default()),
    };
    provide_context(state);
    let key = FormKey::at(&place);
    let action = Base::here().path("/do");
    let back = here();
    let submit = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        if !state.busy.get_untracked() {
            send(event, store, state, done, stale);
        }
    };
    // Sent the plain way, the server answers with a session and this page, what was typed still in it.
    let sign_in = |event: web_sys::MouseEvent| {
        let form = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok()).and_then(|button| button.closest("form").ok().flatten());
        if let Some(form) = form.and_then(|form| form.dyn_into::<web_sys::HtmlFormElement>().ok()) {
            let _ = form.submit();
        }
    };
    view! {
        <form
            method="post"
            action=action
            class=(!class.is_empty()).then_some(class)
            aria-label=(!label.is_empty()).then_some(label)
            aria-busy=move || state.busy.get().then_some("true")
            on:submit=submit
        >
            <input type="hidden" name="command" value=command/>
            <input type="hidden" name="key" value=key/>
            <input type="hidden" name="back" value=back/>
            {task_text.map(|task| view! { <input type="hidden" name="task" value=task/> })}
            {children()}
            <Notice problem=state.problem/>
            {move || state.lost.get().then(|| view! { <p><button class="button" type="button" on:click=sign_in>"Open a new session, keep what I wrote"</button></p> })}
        </form>
    }
    .into_any()
}

fn send(event: web_sys::SubmitEvent, store: Store, state: FormState, done: Option<Callback<Vec<Receipt>>>, stale: Option<Callback<web_sys::HtmlFormElement>>) {
    let mut fields: Vec<(String, String)> = browser::fields(&event).into_iter().filter(|(name, _)| name != "key").collect();
    for (name, text) in &mut fields {
        if matches!(name.as_str(), "text" | "note") {
            let known: Vec<_> = store.actors.with_untracked(|actors| actors.iter().map(|row| row.actor.clone()).collect());
            *text = crate::mentions::written_out(text, &known);
        }
    }
    fields.push(("key".to_owned(), browser::key()));
    state.busy.set(true);
    spawn_local(async move {
        let answer = match read(store, &fields).await {
            Ok(requests) => store.give(requests).await,
            Err(problem) => Err(problem),
        };
        state.busy.set(false);
        match answer {
            Ok(receipts) => {
                state.lost.set(false);
                state.problem.set(None);
                settled(&event);
                if let Some(done) = done {
                    done.run(receipts);
                }
                store.reread_soon();
            }
            Err(problem) if problem.code == Code::Stale && stale.is_some() => {
                state.problem.set(None);
                if let (Some(stale), Some(form)) = (stale, browser::form_of(&event)) {
                    stale.run(form);
                }
            }
            Err(problem) => {
                state.lost.set(problem.code == Code::Unauthorized);
                state.problem.set(Some(problem));
            }
        }
    });
}

/// The commands of a form; a move is translated by where its card lies. When a day ends, the server says: it knows the project's zone.
async fn read(store: Store, fields: &[(String, String)]) -> Result<Vec<CommandRequest>, Problem> {
    let field = |name: &str| fields.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value.as_str());
    if field("command") != "move" {
        let ends = match forms::bare_date(fields) {
            Some(date) => Some(store.port()?.0.day_end(date.to_owned()).await?.to_string()),
            None => None,
        };
        return forms::read(fields, &|_| ends.clone());
    }
    let id = TaskId::parse(field("task")).map_err(|fault| Problem::bad_request("task", fault))?;
    let card = store.card(&id).ok_or_else(|| Problem::new(Code::NotFound, format!("There is no {id} here")))?;
    let commands = card.card.with_untracked(|card| moves::from_fields(card, fields))?;
    Ok(moves::requests(commands, field("key")))
}

/// A form that did its work is empty again, and folded away when it was unfolded.
fn settled(event: &web_sys::SubmitEvent) {
    browser::reset(event);
    if let Some(Ok(Some(details))) = browser::form_of(event).map(|form| form.closest("details[data-once]")) {
        browser::fold_up(&details);
    }
}

/// A line to type into.
#[component]
pub fn TextField(
    name: &'static str,
    #[prop(into)] label: String,
    #[prop(optional, into)] value: Signal<String>,
    #[prop(optional)] placeholder: &'static str,
    #[prop(optional)] hidden_label: bool,
    #[prop(optional)] required: bool,
    #[prop(default = "text")] kind: &'static str,
    #[prop(optional, into)] list: Option<String>,
    #[prop(optional, into)] id: Option<String>,
) -> impl IntoView {
    // An attribute is what a field holds until somebody types into it, so a change elsewhere never takes their words.
    let typed = FormState::refused_with(name);
    let value = move || typed.clone().unwrap_or_else(|| value.get());
    view! {
        <label class="labelled">
            <span class=hidden_label.then_some("only-read")>{label}</span>
            <span class="field">
                <input type=kind name=name value=value placeholder=placeholder required=required list=list id=id autocomplete="off"/>
            </span>
        </label>
    }
    .into_any()
}

/// Several lines to type into.
#[component]
pub fn TextArea(
    name: &'static str,
    #[prop(into)] label: String,
    #[prop(optional, into)] value: String,
    #[prop(optional)] placeholder: &'static str,
    #[prop(default = 2)] rows: u32,
    #[prop(optional, into)] required: Signal<bool>,
    #[prop(optional, into)] id: Option<String>,
) -> impl IntoView {
    let value = FormState::typed(name, value);
    view! {
        <label class="labelled">
            <span>{label}</span>
            <span class="field" data-area>
                <textarea name=name rows=rows.to_string() style=format!("--rows: {rows}") placeholder=placeholder required=move || required.get() id=id inner_html=words::in_textarea(&value)></textarea>
            </span>
        </label>
    }
    .into_any()
}

/// The button that sends a form.
#[component]
pub fn Send(
    #[prop(into)] text: String,
    #[prop(optional)] quiet: bool,
    #[prop(optional)] name: Option<&'static str>,
    #[prop(optional, into)] value: Option<String>,
) -> impl IntoView {
    let busy = use_context::<FormState>().map(|state| state.busy);
    view! {
        <button
            class="button"
            data-kind=(!quiet).then_some("primary")
            name=name
            value=value
            aria-disabled=move || busy.is_some_and(|busy| busy.get()).then_some("true")
        >
            {text}
        </button>
    }
    .into_any()
}
