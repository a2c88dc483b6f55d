//! The reply box: says who gets it and how before it is sent; a draft survives a reload, and a refused one stays.

use crate::components::avatar::{Avatar, kind};
use crate::components::form::{CommandForm, FormState};
use crate::components::panel::of_open;
use crate::components::time::Ago;
use crate::store::Store;
use crate::{Base, browser, mentions, words};
use contracts::{Actor, TaskId};
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// Where a draft is kept.
fn draft_name(id: &TaskId) -> String {
    format!("callboard-draft{}:{id}", Base::here().0)
}

/// A reply to the open card.
#[component]
pub fn Reply() -> impl IntoView {
    let store = expect_context::<Store>();
    let task = of_open(store, |task| task.card.id.clone());
    move || task.get().map(|task| view! { <ReplyTo task=task/> })
}

#[component]
fn ReplyTo(task: TaskId) -> impl IntoView {
    let store = expect_context::<Store>();
    let draft = RwSignal::new(String::new());
    let name = draft_name(&task);
    let sent = {
        let name = name.clone();
        Callback::new(move |_| {
            draft.set(String::new());
            browser::keep(&name, "");
        })
    };
    let may = store.me.with_untracked(|me| me.may_write);
    let chord = RwSignal::new("Ctrl ↵");
    Effect::new(move |_| {
        if browser::is_apple() {
            chord.set("⌘↵");
        }
    });
    view! {
        <CommandForm command="comment" place="reply" task=task class="reply" label="Reply to this thread" done=sent>
            <Field draft=draft name=name/>
            <footer>
                <Reach draft=draft/>
                <button class="button" data-kind="primary" disabled=!may>"Send "<kbd aria-hidden="true">{chord}</kbd></button>
            </footer>
        </CommandForm>
    }
    .into_any()
}

/// The list of names that is open under the field, and which of them is chosen.
#[derive(Clone, Copy)]
struct Naming {
    found: RwSignal<Vec<Actor>>,
    at: RwSignal<usize>,
}

/// The id of the list of names.
const NAMES: &str = "reply-names";

fn option_id(place: usize) -> String {
    format!("{NAMES}-{place}")
}

#[component]
fn Field(draft: RwSignal<String>, name: String) -> impl IntoView {
    let store = expect_context::<Store>();
    let typed = FormState::typed("text", "");
    let node = NodeRef::<leptos::html::Textarea>::new();
    let naming = Naming { found: RwSignal::new(Vec::new()), at: RwSignal::new(0) };
    let load = name.clone();
    Effect::new(move |_| {
        let Some(area) = node.get() else { return };
        if area.value().is_empty()
            && let Some(text) = browser::kept(&load)
        {
            area.set_value(&text);
        }
        draft.set(area.value());
    });
    let keep = StoredValue::new(name);
    let wrote = move |text: String| {
        keep.with_value(|name| browser::keep(name, &text));
        draft.set(text);
    };
    let look = move || {
        let Some(area) = node.get_untracked() else { return };
        let found = mentions::unfinished(&browser::before_caret(&area)).map(|part| candidates(store, part)).unwrap_or_default();
        if naming.found.with_untracked(|old| *old != found) {
            naming.at.set(0);
            if !found.is_empty() {
                store.say(format!("{}, arrows choose.", words::count(i64::try_from(found.len()).unwrap_or(0), "name", "names")));
            }
            naming.found.set(found);
        }
    };
    let shut = move || naming.found.set(Vec::new());
    let take = Callback::new(move |actor: Actor| {
        if let Some(area) = node.get_untracked() {
            let before = browser::before_caret(&area);
            let part = mentions::unfinished(&before).map_or(0, str::len);
            browser::insert(&area, part, &format!("{} ", actor.short()));
            wrote(area.value());
        }
        shut();
    });
    let input = move |event: web_sys::Event| {
        wrote(event_target_value(&event));
        look();
    };
    let key = move |event: web_sys::KeyboardEvent| {
        if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
            event.prevent_default();
            if let Some(form) =
                event_target::<web_sys::Element>(&event).closest("form").ok().flatten().and_then(|form| form.dyn_into::<web_sys::HtmlFormElement>().ok())
            {
                let _ = form.request_submit();
            }
            return;
        }
        let (found, at) = (naming.found.get_untracked(), naming.at.get_untracked());
        let Some(last) = found.len().checked_sub(1).filter(|_| !event.is_composing()) else { return };
        match event.key().as_str() {
            "ArrowDown" => naming.at.set(if at == last { 0 } else { at + 1 }),
            "ArrowUp" => naming.at.set(at.checked_sub(1).unwrap_or(last)),
            "Enter" | "Tab" if !event.shift_key() => {
                if let Some(actor) = found.get(at) {
                    take.run(actor.clone());
                }
            }
            "Escape" => shut(),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let open = move || naming.found.with(|found| !found.is_empty());
    view! {
        <label class="field">
            <span class="only-read">"Reply"</span>
            <textarea
                node_ref=node
                id="reply"
                name="text"
                rows="1"
                required=true
                placeholder="Reply, @ to name somebody"
                dir="auto"
                aria-autocomplete="list"
                aria-haspopup="listbox"
                aria-controls=move || open().then_some(NAMES)
                aria-activedescendant=move || open().then(|| option_id(naming.at.get()))
                on:input=input
                on:keydown=key
                on:click=move |_| look()
                on:blur=move |_| shut()
                inner_html=words::in_textarea(&typed)
            ></textarea>
        </label>
        <Names naming=naming take=take/>
    }
    .into_any()
}

/// Who can be named by what was typed after the `@`: who is on this card first, then who is present, then the rest by when they were seen.
fn candidates(store: Store, part: &str) -> Vec<Actor> {
    let me = store.me.with_untracked(|me| me.actor.clone());
    let holder = store.open.with_untracked(|task| task.as_ref().and_then(|task| task.card.lease.as_ref().map(|lease| lease.actor.clone())));
    mentions::candidates(part, &store.actors.get_untracked(), &me, holder.as_ref(), store.now.get_untracked())
}

/// The names that fit.
#[component]
fn Names(naming: Naming, take: Callback<Actor>) -> impl IntoView {
    let store = expect_context::<Store>();
    let row = move |(place, actor): (usize, Actor)| {
        let seen = store.actors.with_untracked(|rows| rows.iter().find(|row| row.actor == actor).and_then(|row| row.seen_at));
        let present = seen.map(|at| {
            if mentions::is_present(at, store.now.get_untracked()) { view! { "here now" }.into_any() } else { view! { "seen "<Ago at=at/> }.into_any() }
        });
        let (shown, name) = (actor.clone(), actor.short().to_owned());
        // Pressed, not clicked: a click comes after the field has lost the focus.
        let press = move |event: web_sys::PointerEvent| {
            event.prevent_default();
            take.run(actor.clone());
        };
        view! {
            <li role="option" id=option_id(place) aria-selected=move || if naming.at.get() == place { "true" } else { "false" } on:pointerdown=press>
                <Avatar actor=shown.clone()/><b><bdi>{name}</bdi></b><span class="quiet">{kind(&shown)}</span><span class="quiet push">{present}</span>
            </li>
        }
    };
    move || {
        let found = naming.found.get();
        (!found.is_empty()).then(
            || view! { <ul class="names" role="listbox" id=NAMES aria-label="People and agents">{found.into_iter().enumerate().map(row).collect_view()}</ul> },
        )
    }
}

/// Who will get it, and how.
#[component]
fn Reach(draft: RwSignal<String>) -> impl IntoView {
    let store = expect_context::<Store>();
    let text = Memo::new(move |_| {
        let known: Vec<Actor> = store.actors.with(|rows| rows.iter().map(|row| row.actor.clone()).collect());
        let me = store.me.with(|me| me.actor.clone());
        let named = draft.with(|text| mentions::mentioned(text, &known));
        let holder = store.open.with(|task| task.as_ref().and_then(|task| task.card.lease.as_ref().map(|lease| lease.actor.clone())));
        reaches(&named, &me, holder.as_ref())
    });
    view! { <p>{move || text.get()}</p> }.into_any()
}

/// "Reaches ana/w2 on its next tool call, and the inbox of mei."
fn reaches(named: &[Actor], me: &Actor, holder: Option<&Actor>) -> String {
    let short = |kind: fn(&Actor) -> bool| named.iter().filter(|actor| *actor != me && kind(actor)).map(|actor| actor.short().to_owned()).collect::<Vec<_>>();
    let (agents, people) = (short(Actor::is_agent), short(Actor::is_dev));
    match (agents.as_slice(), people.as_slice()) {
        ([], []) => match holder.filter(|holder| *holder != me) {
            Some(holder) if holder.is_agent() => format!("Reaches {}, who holds it, on its next tool call.", holder.short()),
            Some(holder) => format!("Reaches the inbox of {}, who holds it.", holder.short()),
            None => "Stays in the thread. @ names somebody to reach.".to_owned(),
        },
        ([one], []) => format!("Reaches {one} on its next tool call."),
        (many, []) => format!("Reaches {} on their next tool calls.", words::listed(many)),
        ([], people) => format!("Reaches the inbox of {}.", words::listed(people)),
        (agents, people) => {
            let call = if agents.len() == 1 { "its next tool call" } else { "their next tool calls" };
            format!("Reaches {} on {call}, and the inbox of {}.", words::listed(agents), words::listed(people))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_says_who_gets_it_before_it_is_sent() {
        let actor = |name: &str| Actor::parse(name).unwrap();
        let me = actor("dev:ana");
        assert_eq!(reaches(&[], &me, None), "Stays in the thread. @ names somebody to reach.");
        assert_eq!(reaches(&[], &me, Some(&actor("agent:ana/w1"))), "Reaches ana/w1, who holds it, on its next tool call.");
        assert_eq!(reaches(&[], &me, Some(&me)), "Stays in the thread. @ names somebody to reach.");
        assert_eq!(reaches(&[actor("agent:ana/w2")], &me, None), "Reaches ana/w2 on its next tool call.");
        assert_eq!(reaches(&[actor("agent:ana/w2"), actor("dev:mei"), me.clone()], &me, None), "Reaches ana/w2 on its next tool call, and the inbox of mei.");
    }
}
