//! The palette: go somewhere, open a task, do something, by typing.

use crate::components::icon::Icon;
use crate::keys::{self, Act};
use crate::look::{Look, View};
use crate::markup::row_of;
use crate::palette::{Does, Row, rows};
use crate::store::Store;
use crate::ui::Ui;
use crate::words::escaped;
use crate::{Base, Theme, browser, places};
use contracts::TaskId;
use contracts::view::TaskCard;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;
use std::time::Duration;

/// How long typing has to rest before the server is asked.
const ASK_AFTER: Duration = Duration::from_millis(150);

/// The palette, while it is open.
#[component]
pub fn Palette() -> impl IntoView {
    let ui = expect_context::<Ui>();
    move || ui.palette.get().then(|| view! { <Open/> })
}

/// What can be chosen whatever is typed.
fn fixed(store: Store, on_card: bool, card_open: bool) -> Vec<Row> {
    let row = |name: &str, aside: &str, does: Does| Row { name: name.to_owned(), aside: aside.to_owned(), does };
    let mut all = Vec::new();
    for (key, words, act) in keys::ACTS {
        // What needs a card is offered where there is one: the open one, or the one with the focus.
        let makes_sense = match act {
            Act::Edit | Act::Reply => card_open,
            Act::Move | Act::Assign | Act::Priority => on_card,
            Act::Select => on_card && !card_open,
            _ => !card_open,
        };
        if keys::is_offered(act) && makes_sense {
            all.push(row(words, key, Does::Act(act)));
        }
    }
    for page in places::PAGES {
        let key = page.key.map(|(key, _)| format!("g {key}")).unwrap_or_default();
        all.push(row(&format!("Go to {}", page.name.to_lowercase()), &key, Does::Load(page.path)));
    }
    for view in View::ALL.iter().copied() {
        let query = store.look.with_untracked(|look| Look { view, ..look.clone() }.query());
        all.push(row(&format!("Show as {}", view.words().to_lowercase()), "", Does::Go(query)));
    }
    for (name, query) in store.views.get_untracked() {
        all.push(row(&format!("View: {name}"), "", Does::Go(query)));
    }
    let themes = [(Theme::System, "Theme as the system"), (Theme::Light, "Light theme"), (Theme::Dark, "Dark theme")];
    all.extend(themes.map(|(theme, words)| row(words, "", Does::Theme(theme))));
    all
}

#[component]
fn Open() -> impl IntoView {
    let store = expect_context::<Store>();
    let ui = expect_context::<Ui>();
    let base = Base::here();
    let navigate = use_navigate();
    let typed = RwSignal::new(String::new());
    let here = RwSignal::new(0usize);
    let beyond = RwSignal::new(Vec::<TaskCard>::new());
    let focused = browser::focused_card().and_then(|id| TaskId::parse(&id).ok()).or_else(|| store.open_id.get_untracked());
    let fixed = StoredValue::new(fixed(store, focused.is_some(), store.open_id.get_untracked().is_some()));
    let found = Memo::new(move |_| {
        let mut cards = untrack(|| store.loaded());
        beyond.with(|more| cards.extend(more.iter().filter(|card| !cards.iter().any(|own| own.id == card.id)).cloned().collect::<Vec<_>>()));
        fixed.with_value(|fixed| typed.with(|typed| rows(typed, fixed, &cards)))
    });
    let node = NodeRef::<leptos::html::Dialog>::new();
    crate::components::dialogs::shown(node);
    Effect::new(move |_| browser::focus_soon("palette-q".to_owned()));
    let close = move || {
        ui.palette.set(false);
        if let Some(id) = focused.clone() {
            browser::focus_soon(format!("card-{id}"));
        }
    };
    let choose = {
        let close = close.clone();
        Callback::new(move |row: Row| {
            close();
            match row.does {
                Does::Go(query) => navigate(&base.board(&query), NavigateOptions { scroll: false, ..NavigateOptions::default() }),
                Does::Load(path) => browser::load(&base.path(path)),
                Does::Open(id) => navigate(&base.task(id.as_str(), &store.query_now()), NavigateOptions { scroll: false, ..NavigateOptions::default() }),
                // Once the focus is back on the card it is about.
                Does::Act(act) => ui.asked.set(Some(act)),
                Does::Theme(theme) => browser::set_theme(theme),
            }
        })
    };
    let asked = move |event: web_sys::Event| {
        let text = event_target_value(&event);
        typed.set(text.clone());
        here.set(0);
        if text.trim().chars().count() < 3 {
            return beyond.set(Vec::new());
        }
        set_timeout(
            move || {
                if typed.try_get_untracked().as_ref() != Some(&text) {
                    return;
                }
                spawn_local(async move {
                    let Ok(port) = store.port() else { return };
                    if let Ok(page) = port.0.search(text.clone(), None).await
                        && typed.try_get_untracked().as_ref() == Some(&text)
                    {
                        beyond.set(page.items.into_iter().map(|hit| hit.card).collect());
                    }
                });
            },
            ASK_AFTER,
        );
    };
    let keyed = move |event: web_sys::KeyboardEvent| {
        let last = found.with_untracked(Vec::len).saturating_sub(1);
        match event.key().as_str() {
            "ArrowDown" => here.update(|here| *here = (*here + 1).min(last)),
            "ArrowUp" => here.update(|here| *here = here.saturating_sub(1)),
            "Enter" => {
                if let Some(row) = found.with_untracked(|rows| rows.get(here.get_untracked()).cloned()) {
                    choose.run(row);
                }
            }
            _ => return,
        }
        event.prevent_default();
    };
    let listed = move || {
        let chosen = here.get();
        let row = |(at, row): (usize, &Row)| {
            let (name, aside) = (escaped(&row.name), escaped(&row.aside));
            let aside = match row.does {
                _ if aside.is_empty() => aside,
                Does::Open(_) => format!("<code class=\"id\">{aside}</code>"),
                _ => format!("<kbd>{aside}</kbd>"),
            };
            format!("<li id=\"palette-{at}\" role=\"option\" aria-selected=\"{}\" data-at=\"{at}\"><span dir=\"auto\">{name}</span>{aside}</li>", at == chosen)
        };
        found.with(|rows| rows.iter().enumerate().map(row).collect::<String>())
    };
    let pressed = move |event: web_sys::MouseEvent| {
        if let Some(row) = row_of(&event).and_then(|at| found.with_untracked(|rows| rows.get(at).cloned())) {
            choose.run(row);
        }
    };
    let cancelled = close.clone();
    view! {
        <dialog
            class="dialog palette"
            node_ref=node
            aria-label="Commands"
            on:cancel=move |event: web_sys::Event| {
                event.prevent_default();
                event.stop_propagation();
                cancelled();
            }
        >
            <div class="field">
                <Icon name="command"/>
                <input
                    id="palette-q"
                    role="combobox"
                    aria-label="Go to, open, or do"
                    aria-expanded="true"
                    aria-controls="palette-rows"
                    aria-activedescendant=move || format!("palette-{}", here.get())
                    placeholder="Go to, open a task by id or title, or do something"
                    autocomplete="off"
                    spellcheck="false"
                    on:input=asked
                    on:keydown=keyed
                />
            </div>
            <ul id="palette-rows" role="listbox" aria-label="Commands" inner_html=listed on:click=pressed></ul>
            <p class="quiet t-13" role="status">{move || if found.with(Vec::is_empty) { "Nothing of that name." } else { "" }}</p>
        </dialog>
    }
    .into_any()
}
