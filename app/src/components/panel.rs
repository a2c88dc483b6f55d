//! The open card: what it is and what was said on the left, where it stands and what can be done on the right.

use crate::components::actions::Actions;
use crate::components::bars::Settle;
use crate::components::facts::{Files, Relations, Waiting};
use crate::components::fields::Facts;
use crate::components::icon::{Glyph, Icon, Shape};
use crate::components::questions::{Questions, ReviewAsked};
use crate::components::spec::{Criteria, Spec, Title};
use crate::components::tabs::{Chosen, ReplyBelow, Tabs};
use crate::components::time::Since;
use crate::components::{avatar, card};
use crate::store::Store;
use crate::ui::Ui;
use crate::{Base, browser, times};
use contracts::view::TaskView;
use leptos::prelude::*;

/// The head of an open card: where it belongs, its id, and the ways out.
#[component]
pub fn PanelHead(#[prop(optional)] page: bool) -> impl IntoView {
    let store = expect_context::<Store>();
    let base = Base::here();
    let id = move || store.open_id.get().map(|id| id.to_string()).unwrap_or_default();
    let milestone = move || store.open.with(|task| task.as_ref().and_then(|task| task.milestone_detail.as_ref().map(|milestone| milestone.title.clone())));
    let (home, as_page, to_place) = (base.clone(), base.clone(), base);
    let ui = expect_context::<Ui>();
    // A card that is a page of its own was opened from nowhere.
    let leads = if page { "To the board" } else { "Close" };
    let neighbours = (!page).then(|| view! { <Neighbours/> });
    view! {
        <header>
            <nav aria-label="Place">
                <a href=move || home.board(&store.query())>{move || milestone().unwrap_or_else(|| "Board".to_owned())}</a>
                <Icon name="right" size="sm"/>
                <button class="id tap" type="button" title="Copy the id" on:click=move |_| {
                    browser::copy(&store.open_id.get_untracked().map(|id| id.to_string()).unwrap_or_default());
                    store.say("Copied.");
                }>{id}</button>
            </nav>
            <div data-part="acts">
                {neighbours}
                {(!page).then(|| view! {
                    <a class="button" data-kind="quiet" data-shape="square" aria-label="Open as a page" title="Open as a page" rel="external"
                        href=move || as_page.task(&id(), "")><Icon name="external"/></a>
                })}
                <a class="button" data-kind="quiet" data-shape="square" aria-label=leads title=leads
                    href=move || ui.home(&to_place, store)><Icon name="close"/></a>
            </div>
        </header>
    }
    .into_any()
}

/// The cards before and after this one in its column.
#[component]
fn Neighbours() -> impl IntoView {
    let store = expect_context::<Store>();
    let neighbour = move |step: isize| {
        let id = store.open_id.get()?;
        let ids = store.rows().into_iter().find(|ids| ids.contains(&id))?;
        let at = ids.iter().position(|each| *each == id)?.checked_add_signed(step)?;
        ids.get(at).cloned()
    };
    [(-1, "Previous card", "up"), (1, "Next card", "down")]
        .map(|(step, label, icon)| {
            let base = Base::here();
            move || match neighbour(step) {
                Some(id) => {
                    let href = base.task(id.as_str(), &store.query());
                    view! { <a class="button" data-kind="quiet" data-shape="square" aria-label=label title=label href=href><Icon name=icon/></a> }.into_any()
                }
                None => view! { <button class="button" type="button" data-kind="quiet" data-shape="square" aria-label=label disabled=true><Icon name=icon/></button> }.into_any(),
            }
        })
        .collect_view()
}

/// Both sides of an open card, once it is known; until then what its card shows.
#[component]
pub fn PanelBody() -> impl IntoView {
    let store = expect_context::<Store>();
    let known = Memo::new(move |_| store.open.with(|task| task.as_ref().map(|task| task.card.id.clone())));
    move || match known.get() {
        Some(_) => view! { <Opened/> }.into_any(),
        None => view! { <Opening/> }.into_any(),
    }
}

#[component]
fn Opening() -> impl IntoView {
    let store = expect_context::<Store>();
    let title = move || store.open_id.get().and_then(|id| store.card(&id)).map(|card| card.card.with(|card| card.title.clone())).unwrap_or_default();
    let problem = move || store.open_problem.get();
    view! {
        <div class="body">
            <article>
                <div class="text">
                    <h1 id="card-title" dir="auto" tabindex="-1">{move || if problem().is_some() { "No such task".to_owned() } else { title() }}</h1>
                    {move || match problem() {
                        Some(problem) => view! { <p role="alert">{problem.title}</p> }.into_any(),
                        None => view! { <p class="quiet" aria-busy="true">"Reading…"</p> }.into_any(),
                    }}
                </div>
            </article>
        </div>
    }
    .into_any()
}

/// The open task, for the parts that show it. Each part takes what it shows through a memo, so that it moves only when that differs.
pub fn of_open<T: PartialEq + Send + Sync + 'static>(store: Store, read: impl Fn(&TaskView) -> T + Send + Sync + 'static) -> Memo<Option<T>> {
    Memo::new(move |_| store.open.with(|task| task.as_ref().map(&read)))
}

#[component]
fn Opened() -> impl IntoView {
    let store = expect_context::<Store>();
    let conflicts = of_open(store, |task| task.conflict_rows.iter().filter(|row| !row.settled).cloned().collect::<Vec<_>>());
    view! {
        <div class="body">
            <article>
                <div class="text">
                    <Title/>
                    {move || conflicts.get().filter(|rows| !rows.is_empty()).map(|rows| view! {
                        <section class="stack" aria-label="Conflicts">
                            <h2 class="row"><Glyph shape=Shape::CONFLICT/>"Facts that do not fit"</h2>
                            {rows.into_iter().map(|row| view! { <Settle row=row/> }).collect_view()}
                        </section>
                    })}
                    <Questions/>
                    <ReviewAsked/>
                    <Spec/>
                    <Criteria/>
                    <Tabs/>
                    <Chosen/>
                </div>
                <ReplyBelow/>
            </article>
            <aside aria-label="About this task">
                <Standing/>
                <HeldBy/>
                <Waiting/>
                <Files/>
                <Facts/>
                <Relations/>
            </aside>
        </div>
    }
    .into_any()
}

/// Where it stands and why, and what can be done.
#[component]
fn Standing() -> impl IntoView {
    let store = expect_context::<Store>();
    let standing = of_open(store, |task| (task.card.standing, task.card.why.clone()));
    view! {
        <section>
            <h2>"Standing"</h2>
            {move || standing.get().map(|(standing, why)| {
                let why = why.unwrap_or_default();
                let shape = Shape::of(standing);
                view! {
                    <p class="row wrap" data-part="standing">
                        <span class="chip" data-kind="word" data-state=shape.state><Glyph shape=shape/>{standing.words()}</span>
                        <span class="quiet t-13">
                            <bdi>{card::beside(standing, &why.text)}</bdi>
                            {why.since.filter(|_| standing != contracts::Standing::Working).map(|at| view! { " · "<Since at=at/> })}
                        </span>
                    </p>
                }
            })}
            <Actions/>
        </section>
    }
    .into_any()
}

/// Who holds it, and for how long still.
#[component]
fn HeldBy() -> impl IntoView {
    let store = expect_context::<Store>();
    let lease = of_open(store, |task| task.card.lease.clone());
    let offset = store.clock();
    move || {
        lease.get().flatten().map(|lease| {
            let fence = lease.fence;
            let since = times::clock(lease.since, offset);
            let for_words = lease.clone();
            view! {
                <section>
                    <h2>"Held by"</h2>
                    <div class="row" data-part="held">
                        <avatar::Holder lease=lease.clone() large=true/>
                        <p class="t-13">
                            <b><bdi>{lease.actor.short().to_owned()}</bdi></b>
                            <br/>
                            <span class="quiet">
                                {move || if store.live() { avatar::lease_words(&for_words, store.now.get(), offset) } else { "lease not known while not live".to_owned() }}
                                {format!(" · since {since} · fence {fence}")}
                            </span>
                        </p>
                    </div>
                </section>
            }
        })
    }
}
