//! The frame of every page: bar on top, rail at the side (a bar at the bottom on a phone).

use crate::components::avatar::Avatar;
use crate::components::form::here;
use crate::components::icon::{Icon, Shape};
use crate::components::time::Ago;
use crate::live::Status;
use crate::markup::Markup;
use crate::places::{PAGES, Place};
use crate::store::Store;
use crate::ui::Ui;
use crate::words::escaped;
use crate::{Base, Theme, browser, times, words};
use contracts::settings::KnownProject;
use contracts::standing::Column;
use contracts::view::{Page, SearchHit};
use leptos::prelude::*;
use leptos::task::spawn_local;

/// The bar on top.
#[component]
pub fn TopBar() -> impl IntoView {
    let store = expect_context::<Store>();
    let base = Base::here();
    let home = base.path("/");
    view! {
        <header class="topbar">
            <div class="brand">
                <Mark/>
                <a class="button" data-kind="quiet" href=home><bdi>{move || store.project.with(|project| project.name.clone())}</bdi></a>
                <Projects/>
            </div>
            <Search/>
            <div class="push">
                <PaletteButton/>
                <LiveDot/>
                <Bell/>
                <ThemeSwitch/>
                {move || store.me.with(|me| {
                    let label = format!("You are {}", me.actor);
                    view! { <span class="me"><Avatar actor=me.actor.clone()/><span class="only-read">{label}</span></span> }
                })}
            </div>
        </header>
    }
    .into_any()
}

/// The other boards of this person, asked for when they are looked for. Without scripts the settings list them.
#[component]
fn Projects() -> impl IntoView {
    let store = expect_context::<Store>();
    let settings = format!("{}#projects", Base::here().path(crate::pages::settings::PATH));
    let found = RwSignal::new(None::<Vec<KnownProject>>);
    let opened = move |event: web_sys::Event| {
        if !event_target::<web_sys::Element>(&event).has_attribute("open") {
            return;
        }
        spawn_local(async move {
            let Ok(port) = store.port() else { return };
            // What can't be asked just now is said by the line; the settings list them too.
            found.set(port.0.projects().await.ok());
        });
    };
    let rows = move || {
        let Some(projects) = found.get() else { return String::new() };
        let one = |project: &KnownProject| {
            let (name, place) = (escaped(&project.name), escaped(&project.place));
            match &project.url {
                _ if project.here => {
                    format!("<li><a href=\"\" rel=\"external\" aria-current=\"true\"><b dir=\"auto\">{name}</b><small>{place}</small></a></li>")
                }
                Some(url) => format!("<li><a href=\"{}\" rel=\"external\"><b dir=\"auto\">{name}</b><small>{place}</small></a></li>", escaped(url)),
                None => format!("<li><div><b dir=\"auto\">{name}</b><small>not served: <code>{}</code></small></div></li>", escaped(&project.command)),
            }
        };
        projects.iter().map(one).collect()
    };
    view! {
        <details class="menu projects" on:toggle=opened>
            <summary class="button" data-kind="quiet" data-shape="square" aria-label="Switch project" title="Switch project"><Icon name="down" size="sm"/></summary>
            <div class="sheet">
                <h2>"Projects"</h2>
                <ul inner_html=rows></ul>
                {move || found.with(|found| found.as_ref().is_some_and(|all| all.iter().all(|project| project.here)))
                    .then(|| view! { <p class="quiet t-12">"No other board was opened on this machine yet."</p> })}
                <p><a href=settings rel="external">"All of them, in the settings"</a></p>
            </div>
        </details>
    }
    .into_any()
}

/// Words in everything: ids, titles, specs, threads, commits. Without scripts they filter the board.
#[component]
fn Search() -> impl IntoView {
    let store = expect_context::<Store>();
    let base = Base::here();
    let action = base.path("/");
    let typed = RwSignal::new(String::new());
    let found = RwSignal::new(None::<Page<SearchHit>>);
    let open = RwSignal::new(false);
    let on_input = move |event: web_sys::Event| {
        let text = event_target_value(&event);
        typed.set(text.clone());
        open.set(true);
        if text.trim().is_empty() {
            return found.set(None);
        }
        set_timeout(
            move || {
                if typed.get_untracked() != text {
                    return;
                }
                spawn_local(async move {
                    let Ok(port) = store.port() else { return };
                    if let Ok(page) = port.0.search(text.clone(), None).await
                        && typed.get_untracked() == text
                    {
                        found.set(Some(page));
                    }
                });
            },
            std::time::Duration::from_millis(150),
        );
    };
    let keyed = move |event: web_sys::KeyboardEvent| match event.key().as_str() {
        "ArrowDown" => {
            event.prevent_default();
            browser::focus("found-0");
        }
        "Escape" if open.get_untracked() => {
            event.stop_propagation();
            open.set(false);
        }
        _ => {}
    };
    let markup = Markup::here();
    let shown = move || {
        let Some(page) = found.get() else { return String::new() };
        let query = store.query();
        let one = |(at, hit): (usize, &SearchHit)| {
            let (href, title, id) = (escaped(&base.task(hit.card.id.as_str(), &query)), escaped(&hit.card.title), hit.card.id.as_str());
            let small = if hit.excerpt.is_empty() { String::new() } else { format!("<small dir=\"auto\">{}: {}</small>", hit.matched, escaped(&hit.excerpt)) };
            let glyph = markup.glyph(Shape::of(hit.card.standing));
            format!("<li><a id=\"found-{at}\" href=\"{href}\">{glyph}<span><b dir=\"auto\">{title}</b>{small}</span><code class=\"id\">{id}</code></a></li>")
        };
        let rows: String = page.items.iter().enumerate().map(one).collect();
        let said = if page.total == 0 { "Found nowhere.".to_owned() } else { format!("{} found.", words::count(page.total, "task", "tasks")) };
        format!("<ul>{rows}</ul><p class=\"quiet t-12\" role=\"status\">{said}</p>")
    };
    let step = move |event: web_sys::KeyboardEvent| {
        let forward = match event.key().as_str() {
            "ArrowDown" => true,
            "ArrowUp" => false,
            "Escape" => {
                event.stop_propagation();
                open.set(false);
                return browser::focus("search");
            }
            _ => return,
        };
        let at = document().active_element().and_then(|active| active.id().strip_prefix("found-")?.parse::<usize>().ok());
        if let Some(at) = at {
            event.prevent_default();
            match (forward, at) {
                (true, at) => browser::focus(&format!("found-{}", at + 1)),
                (false, 0) => browser::focus("search"),
                (false, at) => browser::focus(&format!("found-{}", at - 1)),
            }
        }
    };
    // Whoever goes on elsewhere is done with what was found.
    let left = move |_| {
        request_animation_frame(move || {
            let inside = document().active_element().and_then(|active| active.closest(".search").ok().flatten()).is_some();
            if !inside {
                open.set(false);
            }
        });
    };
    view! {
        <form class="search" role="search" aria-label="Search everything" method="get" action=action on:submit=move |event| { event.prevent_default(); browser::focus("found-0"); } on:keydown=step on:focusout=left>
            <div class="field" data-quiet="">
                <Icon name="search"/>
                <input type="search" name="q" id="search" aria-label="Search tasks, threads and commits" placeholder="Search tasks, threads, commits" autocomplete="off" spellcheck="false"
                    on:input=on_input on:keydown=keyed on:focus=move |_| open.set(true)/>
                <kbd aria-hidden="true">"/"</kbd>
            </div>
            <div class="sheet" hidden=move || !open.get() || found.with(Option::is_none) inner_html=shown on:click=move |event| if browser::pressed(&event, "href").is_some() { open.set(false) }></div>
        </form>
    }
    .into_any()
}

#[component]
fn PaletteButton() -> impl IntoView {
    let ui = use_context::<Ui>();
    view! {
        <button class="button only-app wide" type="button" data-kind="quiet" data-shape="square" aria-label="Commands" title="Commands (Ctrl K)"
            on:click=move |_| { if let Some(ui) = ui { ui.palette.set(true) } }><Icon name="command"/></button>
    }
    .into_any()
}

/// The product's mark.
#[component]
pub fn Mark() -> impl IntoView {
    let drawn = "<rect x=\"1\" y=\"1\" width=\"18\" height=\"18\" rx=\"4.5\" fill=\"currentColor\"></rect>\
        <path d=\"M5.25 6h5.5M5.25 10h9.5M5.25 14h3.5\" stroke=\"var(--canvas)\" stroke-width=\"2\" stroke-linecap=\"round\"></path>";
    view! { <svg viewBox="0 0 20 20" aria-hidden="true" inner_html=drawn></svg> }.into_any()
}

/// Whether the page is live, in three states; a page that is not never looks it.
#[component]
fn LiveDot() -> impl IntoView {
    let store = expect_context::<Store>();
    let since = move || {
        let offset = store.clock();
        store.lost_at.get().map_or_else(String::new, |at| times::clock(at, offset))
    };
    let state = move || match store.line.get() {
        Status::Starting => "start",
        Status::Live(_) => "on",
        Status::Retrying { .. } => "retry",
        Status::Off { .. } => "off",
    };
    let title = move || {
        let seq = words::grouped(store.seq.get());
        match store.line.get() {
            Status::Starting => format!("As of event {seq}"),
            Status::Live(transport) => format!("Live over {}, event {seq}", transport.words()),
            Status::Retrying { .. } | Status::Off { .. } => format!("Not live since {}. The last event known here is {seq}.", since()),
        }
    };
    let word = move || match store.line.get() {
        Status::Starting => "As of".to_owned(),
        Status::Live(_) => "Live".to_owned(),
        Status::Retrying { seconds: 0 } => "Reconnecting".to_owned(),
        Status::Retrying { seconds } => format!("Reconnecting in {seconds}\u{a0}s"),
        Status::Off { .. } => "Not live".to_owned(),
    };
    let detail = move || match store.line.get() {
        Status::Starting | Status::Live(_) => words::grouped(store.seq.get()),
        Status::Retrying { .. } => String::new(),
        Status::Off { .. } => format!("since {}", since()),
    };
    // Two dots that take turns: an animation starts again only on a node that is new to it.
    let beat = move || {
        if store.pulse.get() == 0 {
            None
        } else if store.pulse.get().is_multiple_of(2) {
            Some("even")
        } else {
            Some("odd")
        }
    };
    view! {
        <span class="live" data-live=state title=title>
            <i data-pulse=beat></i>
            {word}
            <span class="wide">{detail}</span>
        </span>
    }
    .into_any()
}

/// What others did that concerns the reader.
#[component]
fn Bell() -> impl IntoView {
    let store = expect_context::<Store>();
    let base = Base::here();
    let label = move || match store.unread.get() {
        0 => "Messages".to_owned(),
        unread => format!("Messages, {unread} new"),
    };
    let items = move || {
        let base = base.clone();
        store.inbox.with(|inbox| {
            inbox
                .iter()
                .map(|item| {
                    let entry = item.entry.clone();
                    let href = if entry.subject.starts_with("tk-") { base.task(&entry.subject, "") } else { base.path("/") };
                    let text = entry.text.chars().take(140).collect::<String>();
                    view! {
                        <li>
                            <Avatar actor=entry.actor.clone()/>
                            <p>
                                <a href=href><b><bdi>{entry.actor.short().to_owned()}</bdi></b>{format!(" {} ", entry.words)}<code class="id">{entry.subject.clone()}</code></a>
                                {(!text.is_empty()).then(|| view! { <span dir="auto">{text}</span> })}
                            </p>
                            <Ago at=entry.at class="quiet"/>
                        </li>
                    }
                })
                .collect_view()
        })
    };
    view! {
        <details
            class="menu"
            on:toggle=move |_| store.read_inbox()
        >
            <summary class="button" data-kind="quiet" data-shape="square" aria-label=label title=label>
                <Icon name="bell"/>
                {move || (store.unread.get() > 0).then(|| view! { <span class="badge" data-state="person">{store.unread.get()}</span> })}
            </summary>
            <div class="sheet">
                <h2>"Messages"</h2>
                <ul>{items}</ul>
                {move || {
                    let more = store.not_listed();
                    (more > 0).then(|| view! {
                        <button class="button" type="button" on:click=move |_| store.list_unread()>{format!("Show {more} more, unread")}</button>
                    })
                }}
                {move || store.inbox.with(Vec::is_empty).then(|| view! { <p class="quiet">"Nothing for you yet. Mentions, answers and what is given to you come here; questions wait in Needs you."</p> })}
            </div>
        </details>
    }
    .into_any()
}

/// As the system, light, dark: a form that leads back here, and at once where scripts run.
#[component]
fn ThemeSwitch() -> impl IntoView {
    let theme = RwSignal::new(use_context::<Theme>().unwrap_or_default());
    let buttons = Theme::ALL.map(|each| {
        let (label, icon) = match each {
            Theme::System => ("As the system", "monitor"),
            Theme::Light => ("Light", "sun"),
            Theme::Dark => ("Dark", "moon"),
        };
        view! {
            <button
                class="button"
                name="theme"
                value=each.as_str()
                data-shape="square"
                aria-label=label
                title=label
                aria-pressed=move || if theme.get() == each { "true" } else { "false" }
                on:click=move |event| {
                    event.prevent_default();
                    theme.set(each);
                    browser::set_theme(each);
                }
            >
                <Icon name=icon/>
            </button>
        }
    });
    let action = Base::here().path("/theme");
    view! {
        <form class="segmented" method="post" action=action aria-label="Theme">
            <input type="hidden" name="back" value=here()/>
            {buttons.collect_view()}
        </form>
    }
    .into_any()
}

/// The pages there are. Each is loaded whole, so that what it looks at is looked at when it is opened; the board and its cards are one page.
#[component]
pub fn Rail(place: Place) -> impl IntoView {
    let store = expect_context::<Store>();
    let ui = use_context::<Ui>();
    let base = Base::here();
    let asks = move || store.counts.with(|counts| counts.column(Column::NeedsYou));
    let version = store.version.with_untracked(|version| version.split(['+', '-']).next().unwrap_or_default().to_owned());
    let badge = move || {
        let asks = asks();
        (asks > 0).then(|| {
            view! {
                <span class="badge" data-state="person" title=format!("{} you", words::count(asks, "card needs", "cards need"))>{asks}</span>
            }
        })
    };
    let pages = PAGES.map(|page| {
        let within = place == Place::Board && page.place == Place::Board;
        view! {
            <li>
                <a href=base.path(page.path) aria-current=(page.place == place).then_some("page") rel=(!within).then_some("external")>
                    <Icon name=page.icon/>
                    <span>{page.name}</span>
                    {(page.place == Place::Board).then_some(badge)}
                </a>
            </li>
        }
    });
    view! {
        <nav class="rail" aria-label="Project">
            <ul>
                {pages.collect_view()}
            </ul>
            <p>
                {format!("Callboard {version}")}
                <br/>
                <button class="keys" type="button" on:click=move |_| { if let Some(ui) = ui { ui.help.set(true) } }><kbd>"?"</kbd>" shows the keys"</button>
            </p>
        </nav>
    }
    .into_any()
}
