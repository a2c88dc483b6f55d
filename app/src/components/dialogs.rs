//! Layers over the page: the open card, the keys, "Move to…", and the words a move needs. Each is a modal dialog of the browser, which
//! traps the focus, closes on Escape and gives the focus back.

use crate::components::actions::AskForm;
use crate::components::icon::Icon;
use crate::components::panel::{PanelBody, PanelHead};
use crate::store::{Giving, Store};
use crate::ui::Ui;
use crate::{browser, keys, moves, order};
use contracts::standing::Column;
use leptos::prelude::*;

/// Opens a dialog as soon as it is on the page.
pub fn shown(node: NodeRef<leptos::html::Dialog>) {
    Effect::new(move |_| {
        if let Some(dialog) = node.get()
            && !dialog.open()
        {
            let _ = dialog.show_modal();
        }
    });
}

/// A small dialog with a heading and a way out.
#[component]
fn Small(heading: String, close: Callback<()>, children: Children) -> impl IntoView {
    let node = NodeRef::<leptos::html::Dialog>::new();
    shown(node);
    view! {
        <dialog
            class="dialog"
            node_ref=node
            aria-labelledby="dialog-h"
            on:cancel=move |event: web_sys::Event| {
                event.prevent_default();
                event.stop_propagation();
                close.run(());
            }
        >
            <header>
                <h2 id="dialog-h" dir="auto">{heading}</h2>
                <button class="button" type="button" data-kind="quiet" data-shape="square" aria-label="Dismiss" on:click=move |_| close.run(())><Icon name="close"/></button>
            </header>
            {children()}
        </dialog>
    }
    .into_any()
}

/// The card over the board.
#[component]
pub fn Panel(close: Callback<()>) -> impl IntoView {
    let node = NodeRef::<leptos::html::Dialog>::new();
    shown(node);
    Effect::new(move |_| browser::focus_soon("card-title".to_owned()));
    let outside = move |event: web_sys::MouseEvent| {
        let on_backdrop = node.get_untracked().is_some_and(|dialog| event.target().as_ref() == Some(dialog.as_ref()));
        if on_backdrop {
            close.run(());
        }
    };
    view! {
        <dialog
            class="panel"
            node_ref=node
            aria-labelledby="card-title"
            on:click=outside
            on:cancel=move |event: web_sys::Event| {
                event.prevent_default();
                close.run(());
            }
        >
            <PanelHead/>
            <PanelBody/>
        </dialog>
    }
    .into_any()
}

/// The keys that work here.
#[component]
pub fn Help() -> impl IntoView {
    let ui = expect_context::<Ui>();
    let close = Callback::new(move |()| ui.help.set(false));
    move || {
        ui.help.get().then(|| {
            view! {
                <Small heading="Keys".to_owned() close=close>
                    <dl class="keylist">
                        {keys::help().into_iter().map(|(key, what)| view! { <dt><kbd>{key}</kbd></dt><dd>{what}</dd> }).collect_view()}
                    </dl>
                    <label class="tick">
                        <input type="checkbox" prop:checked=move || ui.letters.get() on:change=move |event| {
                            let on = event_target_checked(&event);
                            ui.letters.set(on);
                            browser::keep("callboard-letters", if on { "" } else { "off" });
                        }/>
                        "Single letters and signs act"
                    </label>
                    <p class="quiet t-12">"They do nothing while you type. Everything here has a control you can press, too."</p>
                </Small>
            }
        })
    }
}

/// "Move to…": the twin of dragging.
#[component]
pub fn MoveMenu() -> impl IntoView {
    let store = expect_context::<Store>();
    let ui = expect_context::<Ui>();
    let back = move || {
        if let Some(id) = ui.moving.get_untracked() {
            ui.moving.set(None);
            browser::focus_soon(format!("card-{id}"));
        }
    };
    let close = Callback::new(move |()| back());
    move || {
        let id = ui.moving.get()?;
        let card = store.card(&id)?.card.get_untracked();
        let heading = format!("Move “{}” to", card.title);
        let from = card.column;
        let rows: Vec<_> = order::COLUMNS
            .into_iter()
            .filter(|column| *column != from)
            .map(|column| {
                let (card, id) = (card.clone(), id.clone());
                let may = card.moves.contains(&column);
                let why = {
                    let card = card.clone();
                    move || (!may).then(|| ui.allowed.with(|allowed| moves::reason(&card, allowed, column)).unwrap_or_else(|| "not from here".to_owned()))
                };
                view! {
                    <li>
                        <button class="button" type="button" disabled=!may on:click=move |_| choose(store, ui, &id, column)>{column.words()}</button>
                        <span class="quiet t-12">{why}</span>
                    </li>
                }
            })
            .collect();
        Some(view! { <Small heading=heading close=close><ul class="moves">{rows}</ul></Small> })
    }
}

fn choose(store: Store, ui: Ui, id: &contracts::TaskId, column: Column) {
    ui.moving.set(None);
    drop_on(store, ui, id, column);
}

/// Moves a card, asking for words first where the move needs some.
pub fn drop_on(store: Store, ui: Ui, id: &contracts::TaskId, column: Column) {
    if let Giving::Asks(ask) = store.move_to(id, column) {
        ui.asking.set(Some((id.clone(), ask)));
        browser::focus_soon(format!("ask-note-{}", ask.to().as_str()));
    }
}

/// The words a move needs; the card stays where it was when they are not given.
#[component]
pub fn Asking() -> impl IntoView {
    let store = expect_context::<Store>();
    let ui = expect_context::<Ui>();
    let back = move || {
        if let Some((id, _)) = ui.asking.get_untracked() {
            ui.asking.set(None);
            browser::focus_soon(format!("card-{id}"));
        }
    };
    let close = Callback::new(move |()| {
        store.say("Not moved.");
        back();
    });
    let done = Callback::new(move |_| back());
    move || ui.asking.get().map(|(id, ask)| view! { <Small heading=ask.title().to_owned() close=close><AskForm task=id ask=ask done=done/></Small> })
}

/// The picture of a lifted card under the pointer.
#[component]
pub fn Ghost() -> impl IntoView {
    let ui = expect_context::<Ui>();
    move || {
        ui.lift.get().and_then(|lift| {
            let (x, y) = lift.at?;
            Some(view! {
                <div class="ghost" style=format!("--x: {x}; --y: {y}") aria-hidden="true">
                    <code class="id">{lift.id.to_string()}</code>
                    <p dir="auto">{lift.title}</p>
                </div>
            })
        })
    }
}
