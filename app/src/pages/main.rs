//! The one mounted page: it reads a snapshot once, makes the store of it, and shows the board, a card over the board, or a card as a
//! page of its own, as the address says.

use crate::components::bars::Bars;
use crate::components::dialogs::{Asking, Ghost, Help, MoveMenu, Panel};
use crate::components::frame::{Rail, TopBar};
use crate::components::palette::Palette;
use crate::components::panel::{PanelBody, PanelHead};
use crate::components::toasts::Toasts;
#[cfg(feature = "hydrate")]
use crate::live;
use crate::look::{Look, View};
use crate::markup::Markup;
use crate::pages::activity::Activity;
use crate::pages::board::Board;
use crate::pages::missing::Failed;
use crate::pages::reports::{self, Reports};
use crate::pages::settings::{self, Settings};
use crate::pages::{drag, shortcuts};
use crate::places::Place;
use crate::port::{self, Port};
use crate::store::Store;
use crate::tabs::{self, Shown, Spot, Tab};
use crate::ui::Ui;
use crate::{Base, activity, browser, words};
use contracts::settings::SettingsQuery;
use contracts::standing::Column;
use contracts::view::{BoardQuery, Snapshot};
use contracts::{Code, Problem, TaskId};
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::NavigateOptions;
use leptos_router::components::Outlet;
use leptos_router::hooks::{use_location, use_navigate, use_query_map};
use serde::{Deserialize, Serialize};

/// Which task an address is about, if any.
fn task_in(path: &str, base: &str) -> Option<Result<TaskId, Problem>> {
    let rest = path.strip_prefix(base).unwrap_or(path);
    let id = rest.strip_prefix("/t/")?.trim_end_matches('/');
    Some(TaskId::parse(id).map_err(|_| Problem::new(Code::NotFound, format!("There is no task {id:?}"))))
}

/// What a page begins with.
#[derive(Clone, Serialize, Deserialize)]
struct Opening {
    snapshot: Snapshot,
    spot: Spot,
    shown: Shown,
    /// Only on their page, which is always loaded whole.
    settings: Option<settings::Opening>,
    /// As the settings.
    activity: Option<activity::Opening>,
    /// As the settings.
    reports: Option<reports::Opening>,
}

/// What an address asks for.
struct Wanted {
    board: BoardQuery,
    task: Option<Result<TaskId, Problem>>,
    spot: Spot,
    settings: Option<SettingsQuery>,
    activity: Option<Vec<(&'static str, String)>>,
    reports: Option<reports::Asked>,
    base: String,
    markup: Markup,
}

async fn read(port: Option<Port>, wanted: Wanted) -> Result<Opening, Problem> {
    let Wanted { board, task, spot, settings, activity, reports, base, markup } = wanted;
    let task = task.transpose()?;
    let port = port.ok_or_else(port::unreachable)?;
    let mut snapshot = port.0.snapshot(board, task.clone()).await?;
    if let Some(task) = snapshot.task.as_mut().filter(|_| spot.tab == Tab::Thread && !spot.before.is_empty()) {
        let page = port.0.thread(task.card.id.clone(), Some(spot.before.clone())).await?;
        (task.thread, task.thread_next) = (page.items, page.next);
    }
    let shown = match task {
        Some(task) => tabs::read(port.clone(), task, &spot).await,
        None => Shown::Nothing,
    };
    let settings = match settings {
        Some(query) => Some(port.0.settings(query).await?.into()),
        None => None,
    };
    let activity = match activity {
        Some(params) => Some(activity::opening(&port, params, &snapshot, &base, &markup).await?),
        None => None,
    };
    let reports = match reports {
        Some(asked) => Some(reports::opening(&port, asked).await?),
        None => None,
    };
    Ok(Opening { snapshot, spot, shown, settings, activity, reports })
}

/// Everything but the pages for what is not there.
#[component]
pub fn Main() -> impl IntoView {
    let base = Base::here().0;
    let path = use_location().pathname.get_untracked();
    let params = use_query_map();
    let param = |name: &str| params.with_untracked(|map| map.get(name)).unwrap_or_default();
    let look = Look::read(param);
    // What can't be read hides nothing; the page says what is wrong with it.
    let filter = filter::typed(&look.q).ok().flatten().map(|filter| filter.to_string()).unwrap_or_default();
    let place = Place::of(&path, &base).unwrap_or_default();
    let board = BoardQuery {
        filter,
        column: Column::parse(&param("column")).ok(),
        cursor: Some(param("cursor")).filter(|text| !text.is_empty()),
        edges: look.view == View::Graph,
        // Elsewhere nothing of the board is shown but its counts.
        limit: matches!(place, Place::Activity | Place::Reports).then_some(1),
        ..BoardQuery::default()
    };
    let spot = Spot::of(|name| params.with_untracked(|map| map.get(name)));
    let settings = (place == Place::Settings).then(|| SettingsQuery { verify: param(settings::VERIFY) == "true" });
    let activity = (place == Place::Activity).then(|| activity::NAMES.map(|name| (name, param(name))).to_vec());
    let reports = (place == Place::Reports).then(|| reports::asked(path.strip_prefix(base.as_str()).unwrap_or(&path), param));
    let wanted = Wanted { board, task: task_in(&path, &base), spot, settings, activity, reports, base, markup: Markup::here() };
    let reading = OnceResource::new_blocking(read(Port::here(), wanted));
    view! {
        <Suspense>
            {move || {
                let look = look.clone();
                Suspend::new(async move {
                    match reading.await {
                        Ok(opening) => view! { <Loaded opening=opening look=look place=place/> }.into_any(),
                        Err(problem) => view! { <Failed problem=problem/> }.into_any(),
                    }
                })
            }}
        </Suspense>
        // The children show nothing, but the router changes the address only when they have been shown.
        <Outlet/>
    }
    .into_any()
}

#[component]
fn Loaded(opening: Opening, look: Look, place: Place) -> impl IntoView {
    let store = Store::new(opening.snapshot, look, Port::here());
    store.thread_partial.set(opening.spot.tab == Tab::Thread && !opening.spot.before.is_empty());
    store.spot.set(opening.spot);
    store.shown.set(opening.shown);
    let (settings, activity, reports) = (opening.settings, opening.activity, opening.reports);
    store.watched.set(reports.as_ref().and_then(reports::Opening::watched));
    let ui = Ui::new(place, activity.as_ref().map(|opening| opening.query.clone()).unwrap_or_default());
    provide_context(store);
    provide_context(ui);
    if let Some(refusal) = store.refusal.get_untracked() {
        crate::SetStatus::to(refusal.problem.code.status());
    } else if store.faults.with_untracked(|faults| !faults.is_empty()) {
        crate::SetStatus::to(Code::BadRequest.status());
    }
    let base = Base::here();
    let location = use_location();
    let path = location.pathname;
    let wanted = {
        let base = base.0.clone();
        Memo::new(move |_| path.with(|path| task_in(path, &base).and_then(Result::ok)))
    };
    // Opened directly, a card is a page; opened from the board, a panel over it.
    let as_page = RwSignal::new(wanted.get_untracked().is_some());
    follow_address(store, wanted, as_page);
    leave_for_others(place, path, base.0.clone());
    start(store, ui);
    let navigate = use_navigate();
    let close = Callback::new(move |()| {
        let id = store.open_id.get_untracked();
        navigate(&untrack(|| ui.home(&base, store)), NavigateOptions { scroll: false, ..NavigateOptions::default() });
        if let Some(id) = id {
            browser::focus_soon(format!("card-{id}"));
        }
    });
    let title = move || {
        let project = store.project.with(|project| project.name.clone());
        let needs = store.counts.with(|counts| counts.column(Column::NeedsYou));
        let mark = if needs > 0 { format!("({needs}) ") } else { String::new() };
        match wanted.get().and_then(|id| store.card(&id)) {
            Some(card) => format!("{} · {project} · Callboard", card.card.with(|card| card.title.clone())),
            None if place == Place::Board => format!("{mark}Board · {project} · Callboard"),
            None => format!("{} · {project} · Callboard", place.page().name),
        }
    };
    view! {
        <Title text=move || words::in_title(&title())/>
        <a class="skip button" href="#main" rel="external">"Skip to the page"</a>
        <div class="app">
            <TopBar/>
            <Rail place=place/>
            {move || if let Some(settings) = settings.clone() {
                view! { <main class="page" id="main" data-fixed="" tabindex="-1"><Bars/><Settings opening=settings/></main> }.into_any()
            } else if let Some(opening) = activity.clone() {
                view! { <main class="page" id="main" tabindex="-1"><Bars/><Activity opening=opening/></main> }.into_any()
            } else if let Some(opening) = reports.clone() {
                view! { <main class="page" id="main" data-fixed="" tabindex="-1"><Bars/><Reports opening=opening/></main> }.into_any()
            } else if as_page.get() {
                view! {
                    <main class="page" id="main" data-fixed="" tabindex="-1">
                        <Bars/>
                        <div class="panel" data-page=""><PanelHead page=true/><PanelBody/></div>
                    </main>
                }.into_any()
            } else {
                view! { <main class="page" id="main" data-fixed="" tabindex="-1"><Bars/><Board/></main> }.into_any()
            }}
        </div>
        {move || (!as_page.get() && wanted.get().is_some()).then(|| view! { <Panel close=close/> })}
        <Help/>
        <MoveMenu/>
        <Palette/>
        <Asking/>
        <Ghost/>
        <Toasts/>
    }
    .into_any()
}

/// Opens and closes cards as the address says.
fn follow_address(store: Store, wanted: Memo<Option<TaskId>>, as_page: RwSignal<bool>) {
    Effect::new(move |_| match wanted.get() {
        Some(id) => store.open_card(id),
        None => {
            as_page.set(false);
            store.close();
        }
    });
    let params = use_query_map();
    Effect::new(move |_| store.go(Spot::of(|name| params.with(|map| map.get(name)))));
    Effect::new(move |_| store.look_at(params.with(|map| Look::read(|name| map.get(name).unwrap_or_default()))));
}

/// Loads what an address is of, when that is another page than this one: each is made for what it was loaded with.
fn leave_for_others(place: Place, path: Memo<String>, base: String) {
    let search = use_location().search;
    Effect::new(move |_| {
        if path.with(|path| Place::of(path, &base)).is_some_and(|there| there != place) {
            let search = search.get_untracked();
            let and = if search.is_empty() { "" } else { "?" };
            browser::load(&format!("{}{and}{}", path.get_untracked(), search.trim_start_matches('?')));
        }
    });
}

/// What only a browser does: the line to the server, the clock, the keyboard, the pointer.
fn start(store: Store, ui: Ui) {
    let navigate = use_navigate();
    let base = Base::here();
    Effect::new(move |started: Option<()>| {
        if started.is_some() {
            return;
        }
        #[cfg(feature = "hydrate")]
        live::driver::start(store);
        set_interval(move || store.tick(), std::time::Duration::from_secs(5));
        set_interval(
            move || {
                if store.other_version.get_untracked() && !browser::has_unsent() && !browser::typing() {
                    browser::reload();
                }
            },
            std::time::Duration::from_secs(2),
        );
        store.follow_reading(&base);
        browser::taken_over();
        drag::start(store, ui);
        shortcuts::start(store, ui, base.clone(), navigate.clone());
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_at_most_one_task() {
        assert!(task_in("/", "").is_none());
        assert!(matches!(task_in("/t/tk-4f2a9c", ""), Some(Ok(_))));
        assert!(matches!(task_in("/p/x/t/tk-4f2a9c/", "/p/x"), Some(Ok(_))));
        assert!(matches!(task_in("/t/<script>", ""), Some(Err(problem)) if problem.code == Code::NotFound));
    }
}
