//! What can be done to the tasks that are selected: one act, and a toast with the way back where there is one.

use crate::bulk::{Bulk, priority_words};
use crate::components::icon::Icon;
use crate::components::problem::Notice;
use crate::markup::row_of;
use crate::store::Store;
use crate::ui::Ui;
use crate::words::escaped;
use crate::{browser, words};
use contracts::{ActorKind, Problem, Status, TaskId};
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::collections::BTreeSet;
use wasm_bindgen::JsCast;

/// The bar over the lower edge of the board, while something is selected.
#[component]
pub fn Selection() -> impl IntoView {
    let ui = expect_context::<Ui>();
    let some = Memo::new(move |_| ui.selected.with(|selected| !selected.is_empty()));
    move || some.get().then(|| view! { <Bar/> })
}

/// The box that selects a task.
#[component]
pub fn Pick(id: TaskId) -> impl IntoView {
    let store = expect_context::<Store>();
    let ui = expect_context::<Ui>();
    let picked = ui.is_selected(&id);
    let label = format!("Select {id}");
    let press = move |event: web_sys::MouseEvent| {
        ui.pick(store, &id, event.shift_key());
        // The browser turned the box over, which a range may not have meant.
        if let Some(input) = event.target().and_then(|target| target.dyn_into::<web_sys::HtmlInputElement>().ok()) {
            request_animation_frame(move || input.set_checked(picked.get_untracked()));
        }
    };
    store.me.with_untracked(|me| me.may_write).then(|| {
        view! { <input type="checkbox" class="pick only-app" aria-label=label prop:checked=move || picked.get() on:click=press/> }
    })
}

#[component]
fn Bar() -> impl IntoView {
    let store = expect_context::<Store>();
    let ui = expect_context::<Ui>();
    // What the filter hides is not acted on.
    Effect::new(move |before: Option<Option<filter::Filter>>| {
        let now = store.filter.get();
        if before.is_some_and(|before| before != now) {
            let shown = store.rows_now().concat();
            ui.selected.update(|selected| selected.retain(|id| shown.contains(id)));
        }
        now
    });
    let problem = RwSignal::new(None::<Problem>);
    let act = Callback::new(move |bulk: Bulk| {
        let ids = ui.selected.get_untracked();
        browser::close_menus(None);
        spawn_local(async move {
            match store.do_to(ids, bulk).await {
                Ok(()) => {
                    problem.set(None);
                    clear(ui);
                }
                Err(refused) => problem.set(Some(refused)),
            }
        });
    });
    let count = move || words::count(i64::try_from(ui.selected.with(Vec::len)).unwrap_or(i64::MAX), "task selected", "tasks selected");
    let people = move || {
        let me = store.me.with(|me| me.actor.clone());
        let rows = store
            .actors
            .with(|rows| rows.iter().map(|row| row.actor.clone()).filter(|actor| actor.kind() != ActorKind::System && *actor != me).collect::<BTreeSet<_>>());
        let mut picks = vec![("Me".to_owned(), Bulk::Assign(Some(me)))];
        picks.extend(rows.into_iter().map(|actor| (actor.short().to_owned(), Bulk::Assign(Some(actor)))));
        picks.push(("Nobody".to_owned(), Bulk::Assign(None)));
        picks
    };
    let priorities = || (0..4u8).map(|priority| (words::sentence(priority_words(priority)), Bulk::Priority(priority))).collect();
    let milestones = move || {
        let mut picks: Vec<(String, Bulk)> = store.milestones.with(|all| {
            all.iter().filter(|each| each.status == Status::Open).map(|each| (each.title.clone(), Bulk::Milestone(Some(each.id.clone())))).collect()
        });
        picks.push(("None".to_owned(), Bulk::Milestone(None)));
        picks
    };
    let labels = move || store.labels().into_iter().map(|label| (label.clone(), Bulk::Label(label))).collect();
    let label_typed = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        let label = browser::fields(&event).into_iter().find(|(name, _)| name == "label").map(|(_, value)| value.trim().to_owned()).unwrap_or_default();
        if !label.is_empty() {
            act.run(Bulk::Label(label));
        }
    };
    let cancelled = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        let note = browser::fields(&event).into_iter().find(|(name, _)| name == "note").map(|(_, value)| value).unwrap_or_default();
        act.run(Bulk::Cancel(note));
    };
    view! {
        <section class="selection" aria-label="Selected tasks">
            <p aria-live="polite"><b>{count}</b></p>
            <Menu id="sel-assign" label="Assign" picks=Signal::derive(people) act=act/>
            <Menu id="sel-label" label="Label" picks=Signal::derive(labels) act=act>
                <form class="row" on:submit=label_typed><label class="labelled"><span class="only-read">"Label"</span><span class="field"><input name="label" placeholder="Another label" autocomplete="off"/></span></label><button class="button">"Set"</button></form>
            </Menu>
            <Menu id="sel-priority" label="Priority" picks=Signal::derive(priorities) act=act/>
            <Menu id="sel-milestone" label="Milestone" picks=Signal::derive(milestones) act=act/>
            <button class="button" type="button" on:click=move |_| act.run(Bulk::Hold)>"Hold"</button>
            <button class="button wide" type="button" on:click=move |_| act.run(Bulk::Unhold)>"Unhold"</button>
            <details class="menu" data-up="">
                <summary class="button">"Cancel…"</summary>
                <div class="sheet">
                    <form class="stack" on:submit=cancelled>
                        <label class="labelled"><span>"Why are they not needed?"</span><span class="field"><input name="note" required=true autocomplete="off"/></span></label>
                        <div class="row"><button class="button" data-kind="primary">"Cancel them"</button></div>
                    </form>
                </div>
            </details>
            <button class="button" type="button" data-kind="quiet" data-shape="square" aria-label="Select nothing" on:click=move |_| clear(ui)><Icon name="close"/></button>
            <Notice problem=problem/>
        </section>
    }
    .into_any()
}

/// Selects nothing; the focus goes back to where the selection was made.
pub fn clear(ui: Ui) {
    let last = ui.anchor.get_untracked();
    ui.selected.set(Vec::new());
    ui.anchor.set(None);
    if let Some(id) = last {
        browser::focus_soon(format!("card-{id}"));
    }
}

#[component]
fn Menu(
    id: &'static str,
    label: &'static str,
    #[prop(into)] picks: Signal<Vec<(String, Bulk)>>,
    act: Callback<Bulk>,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    let rows = move || {
        let row =
            |(at, (name, _)): (usize, &(String, Bulk))| format!("<li><button type=\"button\" dir=\"auto\" data-at=\"{at}\">{}</button></li>", escaped(name));
        picks.with(|picks| picks.iter().enumerate().map(row).collect::<String>())
    };
    let pressed = move |event: web_sys::MouseEvent| {
        if let Some((_, bulk)) = row_of(&event).and_then(|at| picks.with_untracked(|picks| picks.get(at).cloned())) {
            act.run(bulk);
        }
    };
    view! {
        <details class="menu" data-up="">
            <summary class="button" id=id>{label}<Icon name="up" size="sm"/></summary>
            <div class="sheet"><ul class="picks" inner_html=rows on:click=pressed></ul>{children.map(|children| children())}</div>
        </details>
    }
    .into_any()
}

/// What was done to many, and the way back.
#[component]
pub fn UndoToast() -> impl IntoView {
    let store = expect_context::<Store>();
    Effect::new(move |_| {
        if let Some(undo) = store.undo.get() {
            set_timeout(
                move || {
                    if store.undo.with_untracked(|now| now.as_ref() == Some(&undo)) {
                        store.undo.set(None);
                    }
                },
                std::time::Duration::from_secs(12),
            );
        }
    });
    move || {
        store.undo.get().map(|undo| {
            let back = undo.back.is_some();
            view! {
                <div class="toast" data-part="undo">
                    <p>{undo.words}</p>
                    {back.then(|| view! { <button class="button" type="button" on:click=move |_| store.take_back()>"Undo"</button> })}
                    <button class="button" type="button" data-kind="quiet" data-shape="square" aria-label="Dismiss" on:click=move |_| store.undo.set(None)><Icon name="close"/></button>
                </div>
            }
        })
    }
}
