//! The reply box: says who gets it and how before it is sent; a draft survives a reload, and a refused one stays.

use crate::components::form::{CommandForm, FormState};
use crate::components::panel::of_open;
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
    view! {
        <CommandForm command="comment" place="reply" task=task class="reply" label="Reply to this thread" done=sent>
            <Field draft=draft name=name/>
            <Complete draft=draft/>
            <footer>
                <Reach draft=draft/>
                <button class="button" data-kind="primary" disabled=!may>"Send "<kbd aria-hidden="true">"⌘↵"</kbd></button>
            </footer>
        </CommandForm>
    }
    .into_any()
}

#[component]
fn Field(draft: RwSignal<String>, name: String) -> impl IntoView {
    let typed = FormState::typed("text", "");
    let node = NodeRef::<leptos::html::Textarea>::new();
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
    Effect::new(move |_| {
        // A completion writes the draft; the field follows.
        let text = draft.get();
        if let Some(area) = node.get_untracked()
            && area.value() != text
        {
            area.set_value(&text);
            let _ = area.focus();
        }
    });
    let input = move |event: web_sys::Event| {
        let text = event_target_value(&event);
        browser::keep(&name, &text);
        draft.set(text);
    };
    let key = move |event: web_sys::KeyboardEvent| {
        if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
            event.prevent_default();
            let form = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok()).and_then(|area| area.closest("form").ok().flatten());
            if let Some(form) = form.and_then(|form| form.dyn_into::<web_sys::HtmlFormElement>().ok()) {
                let _ = form.request_submit();
            }
        }
    };
    view! {
        <label class="field">
            <span class="only-read">"Reply"</span>
            <textarea node_ref=node id="reply" name="text" rows="1" required=true placeholder="Reply, @ to name somebody" dir="auto" on:input=input on:keydown=key inner_html=words::in_textarea(&typed)></textarea>
        </label>
    }
    .into_any()
}

/// Names that complete the `@…` at the end of the draft, present ones first.
#[component]
fn Complete(draft: RwSignal<String>) -> impl IntoView {
    let store = expect_context::<Store>();
    let matches = Memo::new(move |_| {
        draft.with(|text| {
            let part = mentions::unfinished(text)?.to_lowercase();
            let me = store.me.with(|me| me.actor.clone());
            let mut rows = store.actors.get();
            rows.sort_by_key(|row| std::cmp::Reverse(row.seen_at));
            let found: Vec<Actor> = rows.into_iter().map(|row| row.actor).filter(|actor| *actor != me && actor.as_str().contains(&part)).take(5).collect();
            (!found.is_empty() && found.iter().all(|actor| actor.short() != part)).then_some(found)
        })
    });
    move || {
        matches.get().map(|found| {
            view! {
                <ul class="complete" aria-label="People and agents">
                    {found.into_iter().map(|actor| {
                        let name = actor.short().to_owned();
                        let label = name.clone();
                        view! {
                            <li><button class="button" type="button" on:click=move |_| draft.update(|text| {
                                let keep = text.rfind('@').map_or(text.len(), |at| at + 1);
                                text.truncate(keep);
                                text.push_str(&name);
                                text.push(' ');
                            })>{label}</button></li>
                        }
                    }).collect_view()}
                </ul>
            }
        })
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
            Some(holder) => format!("Stays in the thread. Name @{} to reach who holds it.", holder.short()),
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
        assert_eq!(reaches(&[actor("agent:ana/w2")], &me, None), "Reaches ana/w2 on its next tool call.");
        assert_eq!(reaches(&[actor("agent:ana/w2"), actor("dev:mei"), me.clone()], &me, None), "Reaches ana/w2 on its next tool call, and the inbox of mei.");
    }
}
