//! A column: what it is, how much of it is shown, and its cards.

use crate::components::card::Card;
use crate::components::icon::{Glyph, Shape};
use crate::components::time::Since;
use crate::moves;
use crate::store::Store;
use crate::ui::Ui;
use crate::{Base, order, words};
use contracts::standing::Column;
use leptos::prelude::*;

/// One of the five.
#[component]
pub fn ColumnOf(column: Column) -> impl IntoView {
    let store = expect_context::<Store>();
    let ui = expect_context::<Ui>();
    let here = store.columns[order::place(column)];
    let id = column.as_str();
    // A warning, not a limit: what is worked on at once, whatever the filter.
    let over = move || {
        let most = store.wip_max.get().filter(|_| column == Column::Working)?;
        (store.counts.with(|counts| counts.column(Column::Working)) > most).then_some(most)
    };
    let drop = move || {
        ui.lift.with(|lift| {
            let lift = lift.as_ref()?;
            let open = column == lift.from || lift.moves.contains(&column);
            Some(match (open, lift.over == Some(column)) {
                (false, _) => "no",
                (true, true) => "yes",
                (true, false) => "open",
            })
        })
    };
    let first = (store.first_column() == column).then_some("");
    let reason = move || {
        ui.lift.with(|lift| {
            let lift = lift.as_ref().filter(|lift| column != lift.from && !lift.moves.contains(&column))?;
            let card = store.card(&lift.id)?.card.get_untracked();
            ui.allowed.with(|allowed| moves::reason(&card, allowed, column))
        })
    };
    view! {
        <section class="column" id=id aria-labelledby=format!("{id}-h") tabindex="-1" data-drop=drop data-first=first>
            <header>
                <Glyph shape=Shape::of_column(column)/>
                <h2 id=format!("{id}-h")>{column.words()}</h2>
                <span class="count" data-over=move || over().map(|_| "")>
                    {move || words::grouped(store.total(column))}
                    {move || over().map(|most| view! { <span title=format!("More at once than the {most} this project means to work on")>{format!("over\u{a0}{most}")}</span> })}
                </span>
                <Aside column=column/>
            </header>
            {move || reason().map(|text| view! { <p class="refusal">{text}</p> })}
            <ol>
                <For each=move || here.ids.get() key=|id| id.clone() children=move |id| view! { <Card id=id/> }/>
                <More column=column/>
            </ol>
        </section>
    }
    .into_any()
}

/// What else the head of a column says: what the filter hides, who is live, what waits longest.
#[component]
fn Aside(column: Column) -> impl IntoView {
    let store = expect_context::<Store>();
    let oldest = move || {
        let first = store.columns[order::place(Column::NeedsYou)]
            .ids
            .with(|ids| ids.iter().filter_map(|id| store.card(id)).filter_map(|card| card.card.with(|card| card.why.as_ref().and_then(|why| why.since))).min());
        first.map(|at| view! { <span>"oldest "<Since at=at/></span> }.into_any())
    };
    move || {
        let hidden = store.hidden(column);
        if hidden > 0 {
            return Some(view! { <span title="Hidden by the filter">{format!("{} hidden", words::grouped(hidden))}</span> }.into_any());
        }
        match column {
            Column::Working => {
                let live = store.counts.with(|counts| counts.agents_live);
                (live > 0).then(|| view! { <span>{format!("{} live", words::count(live, "agent", "agents"))}</span> }.into_any())
            }
            Column::NeedsYou => oldest(),
            _ => None,
        }
    }
}

/// What is not shown of a column, with the way to it.
#[component]
fn More(column: Column) -> impl IntoView {
    let store = expect_context::<Store>();
    let here = store.columns[order::place(column)];
    let base = Base::here();
    move || {
        let cursor = here.next.get()?;
        let left = store.total(column) - i64::try_from(here.ids.with(Vec::len)).unwrap_or(0);
        let shown =
            if column == Column::Done { format!("Shows the last {}. ", here.ids.with(Vec::len)) } else { format!("Shows {}. ", here.ids.with(Vec::len)) };
        let query = store.query();
        let look = if query.is_empty() { String::new() } else { format!("&{query}") };
        let href = format!("{}?column={}&cursor={}{look}", base.path("/"), column.as_str(), words::encoded(&cursor));
        Some(view! {
            <li class="more">
                {shown}
                <a
                    class="tap"
                    href=href
                    rel="nofollow"
                    on:click=move |event| {
                        event.prevent_default();
                        event.stop_propagation();
                        store.more(column);
                    }
                >
                    {format!("{} more", words::grouped(left.max(1)))}
                </a>
            </li>
        })
    }
}
