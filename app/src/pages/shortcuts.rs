//! The keyboard on the board: what each key of [`keys`] does.

use crate::components::{actions, fields, spec};
use crate::keys::{self, Act, With};
use crate::pages::drag;
use crate::places::Place;
use crate::store::Store;
use crate::ui::Ui;
use crate::{Base, browser, order};
use contracts::TaskId;
use contracts::standing::Column;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use wasm_bindgen::JsCast;
use web_sys::KeyboardEvent;

/// Hears the keyboard for as long as the page lives.
pub fn start(store: Store, ui: Ui, base: Base, navigate: impl Fn(&str, NavigateOptions) + Clone + 'static) {
    ui.compact.set(browser::kept("callboard-density").is_some());
    ui.letters.set(browser::kept("callboard-letters").is_none());
    let go = move |address: String| navigate(&address, NavigateOptions { scroll: false, ..NavigateOptions::default() });
    let (by_key, by_name) = ((base.clone(), go.clone()), (base, go));
    browser::listen_document("keydown", move |event| {
        let Some(event) = event.dyn_ref::<KeyboardEvent>() else { return };
        if event.default_prevented() || event.is_composing() {
            return;
        }
        let (base, go) = &by_key;
        let with =
            With { control: event.ctrl_key() || event.meta_key(), alt: event.alt_key(), typing: browser::typing(), letters_off: !ui.letters.get_untracked() };
        if ui.going.get_untracked() {
            ui.going.set(false);
            if let Some(place) = Place::of_key(&event.key()).filter(|_| !with.typing && !browser::layered()) {
                event.prevent_default();
                let address = if place == Place::Board { base.board(&store.query_now()) } else { base.path(place.page().path) };
                return if place == Place::Board && ui.place == place { go(address) } else { browser::load(&address) };
            }
        }
        let Some(act) = keys::read(&event.key(), with) else { return };
        if acted(store, ui, act, base, go) {
            event.prevent_default();
        }
    });
    // What was chosen in the palette happens once the palette is gone and the focus is back.
    Effect::new(move |_| {
        if let Some(act) = ui.asked.get() {
            ui.asked.set(None);
            let (base, go) = by_name.clone();
            let later = move || {
                acted(store, ui, act, &base, &go);
            };
            request_animation_frame(move || request_animation_frame(move || request_animation_frame(later)));
        }
    });
    browser::listen_document("click", move |event| {
        browser::close_menus(event.target());
    });
}

fn acted(store: Store, ui: Ui, act: Act, base: &Base, go: &impl Fn(String)) -> bool {
    if done(store, ui, act) {
        return true;
    }
    if act == Act::Reply
        && let Some(id) = store.open_id.get_untracked()
    {
        go(base.task(id.as_str(), &store.query_now()));
        browser::focus_soon("reply".to_owned());
        return true;
    }
    let next = (act == Act::NextNeedsYou).then(|| next_that_needs(store)).flatten();
    let found = next.is_some();
    if let Some(id) = next {
        go(base.task(id.as_str(), &store.query_now()));
    }
    found
}

/// Does it; false when it means nothing here.
fn done(store: Store, ui: Ui, act: Act) -> bool {
    let layered = browser::layered();
    if let Some(lift) = ui.lift.get_untracked() {
        match act {
            Act::Escape => drag::cancel(store, ui),
            Act::Lift if lift.at.is_none() => drag::drop_here(store, ui),
            Act::Left | Act::Right if lift.at.is_none() => step(store, ui, act == Act::Right),
            Act::Up | Act::Down if lift.at.is_none() => {}
            _ => return false,
        }
        return true;
    }
    let opened = store.open_id.get_untracked().is_some();
    match act {
        Act::Palette => ui.palette.update(|open| *open = !*open),
        Act::Edit if opened => return browser::unfold(spec::EDIT),
        Act::Assign if opened => return browser::unfold(fields::ASSIGN),
        Act::Priority if opened => return browser::unfold(fields::PRIORITY),
        Act::Move if opened => return browser::unfold(actions::MOVE),
        Act::Reply if opened && browser::element("reply").is_some() => browser::focus("reply"),
        Act::Help if !layered => ui.help.set(true),
        Act::Escape if browser::close_menus(None) => {}
        _ if layered => return false,
        Act::Search => browser::focus("search"),
        Act::Filter if ui.place == Place::Activity => browser::element("filter").iter().for_each(|form| browser::focus_in(form)),
        Act::Filter => browser::focus("q"),
        Act::Add if ui.place == Place::Board => ui.adding.set(true),
        Act::Go => ui.going.set(true),
        Act::Down | Act::Up => return along(store, act == Act::Down),
        Act::Left | Act::Right => return across(store, act == Act::Right),
        Act::Lift => return lift(store, ui),
        Act::Move => return open_move(store, ui),
        Act::Select | Act::SelectRange => return pick(store, ui, act == Act::SelectRange),
        Act::Assign => return menu_of(store, ui, "sel-assign"),
        Act::Priority => return menu_of(store, ui, "sel-priority"),
        Act::Escape if ui.adding.get_untracked() => ui.adding.set(false),
        Act::Escape if ui.selected.with_untracked(|selected| !selected.is_empty()) => crate::components::selection::clear(ui),
        Act::Add | Act::Escape | Act::Help | Act::Reply | Act::Edit | Act::NextNeedsYou => return false,
    }
    true
}

fn pick(store: Store, ui: Ui, range: bool) -> bool {
    let id = focused().filter(|_| store.me.with_untracked(|me| me.may_write));
    if let Some(id) = &id {
        ui.pick(store, id, range);
    }
    id.is_some()
}

/// Opens a menu of the selection; the card under the focus is selected first when nothing is.
fn menu_of(store: Store, ui: Ui, menu: &'static str) -> bool {
    if ui.selected.with_untracked(Vec::is_empty) && !pick(store, ui, false) {
        return false;
    }
    request_animation_frame(move || {
        browser::open_menu(menu);
    });
    true
}

fn step(store: Store, ui: Ui, right: bool) {
    ui.lift.update(|lift| {
        if let Some(lifted) = lift {
            *lift = Some(lifted.stepped(right));
        }
    });
    if let Some(over) = ui.lift.with_untracked(|lift| lift.as_ref().and_then(|lift| lift.over)) {
        store.say(format!("Over {}.", over.words()));
    }
}

fn focused() -> Option<TaskId> {
    browser::focused_card().and_then(|id| TaskId::parse(&id).ok())
}

fn go(id: &TaskId) -> bool {
    browser::focus(&format!("card-{id}"));
    if let Some(card) = browser::element(&format!("card-{id}")) {
        browser::keep_in_view(&card);
    }
    true
}

fn along(store: Store, down: bool) -> bool {
    let rows = store.rows_now();
    let Some(id) = focused() else { return rows.iter().find_map(|ids| ids.first()).is_some_and(go) };
    let Some(ids) = rows.iter().find(|ids| ids.contains(&id)) else { return false };
    let at = ids.iter().position(|each| *each == id).unwrap_or(0);
    let next = if down { ids.get(at + 1) } else { at.checked_sub(1).and_then(|at| ids.get(at)) };
    next.is_none_or(go)
}

fn across(store: Store, right: bool) -> bool {
    let Some(id) = focused() else { return along(store, true) };
    let columns = store.rows_now();
    let Some((column, row)) = columns.iter().enumerate().find_map(|(place, ids)| Some((place, ids.iter().position(|each| *each == id)?))) else { return false };
    let mut others: Vec<&Vec<TaskId>> = if right { columns[column + 1..].iter().collect() } else { columns[..column].iter().rev().collect() };
    others.retain(|ids| !ids.is_empty());
    others.first().and_then(|ids| ids.get(row.min(ids.len() - 1))).is_none_or(go)
}

fn lift(store: Store, ui: Ui) -> bool {
    let on_link = browser::on_card_link();
    match focused().filter(|_| on_link && store.me.with_untracked(|me| me.may_write)) {
        Some(id) => {
            drag::lift(store, ui, &id, None);
            true
        }
        None => false,
    }
}

fn open_move(store: Store, ui: Ui) -> bool {
    match focused() {
        Some(id) => {
            ui.allowed.set(Vec::new());
            drag::ask_why(store, ui, id.clone());
            ui.moving.set(Some(id));
            true
        }
        None => false,
    }
}

fn next_that_needs(store: Store) -> Option<TaskId> {
    if browser::layered() && store.open_id.get_untracked().is_none() {
        return None;
    }
    let ids = store.columns[order::place(Column::NeedsYou)].ids.get_untracked();
    let here = store.open_id.get_untracked().or_else(focused).and_then(|id| ids.iter().position(|each| *each == id));
    let next = here.map_or(0, |here| here + 1);
    ids.get(next).or_else(|| ids.first()).cloned()
}
