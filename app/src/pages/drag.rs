//! Dragging by pointer: a press on a card that moves far enough lifts it; where it is let go, it is dropped.

use crate::browser;
use crate::components::dialogs::drop_on;
use crate::store::Store;
use crate::ui::{Lift, Ui};
use contracts::TaskId;
use contracts::standing::Column;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use web_sys::PointerEvent;

/// How far a press moves before it is a drag, pixels.
const SLOP: i32 = 6;

/// Hears the pointer for as long as the page lives.
pub fn start(store: Store, ui: Ui) {
    browser::listen_document("pointermove", move |event| {
        if let Some(event) = event.dyn_ref::<PointerEvent>() {
            moved(store, ui, event);
        }
    });
    browser::listen_document("pointerup", move |_| let_go(store, ui));
    browser::listen_document("pointercancel", move |_| cancel(store, ui));
    browser::listen_capturing("click", move |event| {
        if ui.swallow_click.get_untracked() {
            ui.swallow_click.set(false);
            event.prevent_default();
            event.stop_propagation();
        }
    });
}

fn moved(store: Store, ui: Ui, event: &PointerEvent) {
    let here = (event.client_x(), event.client_y());
    if let Some(press) = ui.press.get_untracked() {
        let far = (here.0 - press.at.0).abs().max((here.1 - press.at.1).abs());
        if far > SLOP {
            ui.press.set(None);
            lift(store, ui, &press.id, Some(here));
        }
    }
    let pointed = ui.lift.with_untracked(|lift| lift.as_ref().is_some_and(|lift| lift.at.is_some()));
    if pointed {
        event.prevent_default();
        let over = column_at(here);
        ui.lift.update(|lift| {
            if let Some(lift) = lift {
                (lift.at, lift.over) = (Some(here), over);
            }
        });
    }
}

fn column_at((x, y): (i32, i32)) -> Option<Column> {
    let element = document().element_from_point(x as f32, y as f32)?;
    let column = element.closest(".column").ok()??;
    Column::parse(&column.id()).ok()
}

/// Lifts a card, and asks why it may not go where it may not.
pub fn lift(store: Store, ui: Ui, id: &TaskId, at: Option<(i32, i32)>) {
    let Some(card) = store.card(id).map(|card| card.card.get_untracked()) else { return };
    ui.allowed.set(Vec::new());
    ui.lift.set(Some(Lift { id: id.clone(), title: card.title.clone(), moves: card.moves.clone(), from: card.column, over: Some(card.column), at }));
    let by = if at.is_some() { "" } else { " Arrows choose a column, Space drops, Escape cancels." };
    store.say(format!("Lifted {}. It may go to {}.{by}", card.title, names(&card.moves)));
    ask_why(store, ui, id.clone());
}

fn names(columns: &[Column]) -> String {
    if columns.is_empty() {
        "no other column".to_owned()
    } else {
        crate::words::listed(&columns.iter().map(|column| column.words().to_owned()).collect::<Vec<_>>())
    }
}

/// Reads what the reader may do with a card, so that a closed column can say why.
pub fn ask_why(store: Store, ui: Ui, id: TaskId) {
    spawn_local(async move {
        let Ok(port) = store.port() else { return };
        if let Ok(task) = port.0.task(id).await {
            ui.allowed.set(task.allowed);
        }
    });
}

fn let_go(store: Store, ui: Ui) {
    ui.press.set(None);
    if ui.lift.with_untracked(|lift| lift.as_ref().is_some_and(|lift| lift.at.is_some())) {
        ui.swallow_click.set(true);
        // No click follows when the pointer was let go over another element.
        set_timeout(move || ui.swallow_click.set(false), std::time::Duration::from_millis(50));
        drop_here(store, ui);
    }
}

/// Drops the lifted card where it is.
pub fn drop_here(store: Store, ui: Ui) {
    let Some(lift) = ui.lift.get_untracked() else { return };
    ui.lift.set(None);
    match lift.lands() {
        Some(column) => drop_on(store, ui, &lift.id, column),
        None => {
            let reason = lift.over.filter(|over| *over != lift.from).and_then(|over| {
                let card = store.card(&lift.id)?.card.get_untracked();
                ui.allowed.with_untracked(|allowed| crate::moves::reason(&card, allowed, over))
            });
            store.say(reason.map_or_else(|| "Not moved.".to_owned(), |reason| format!("Not moved: {reason}")));
            browser::focus_soon(format!("card-{}", lift.id));
        }
    }
}

/// Puts the lifted card back.
pub fn cancel(store: Store, ui: Ui) {
    ui.press.set(None);
    if let Some(lift) = ui.lift.get_untracked() {
        ui.lift.set(None);
        store.say("Not moved.");
        browser::focus_soon(format!("card-{}", lift.id));
    }
}
