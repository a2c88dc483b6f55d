//! A task's card: one strong thing, its title; why it stands here; what is on it. What is empty takes no space.

use crate::components::avatar::{Avatar, Holder};
use crate::components::groups::SaysStanding;
use crate::components::icon::{Glyph, Icon, Shape};
use crate::components::problem::Notice;
use crate::components::selection::Pick;
use crate::components::time::{Ago, Since};
use crate::store::Store;
use crate::ui::{Press, Ui};
use crate::{Base, times, words};
use contracts::standing::Standing;
use contracts::view::{LeaseView, TaskCard};
use contracts::{Moment, TaskId};
use leptos::prelude::*;

/// Most labels a card shows.
const LABELS_SHOWN_MAX: usize = 3;

/// A card in its column. Each part is its own closure, so that a change moves only the part that differs.
#[component]
pub fn Card(id: TaskId) -> impl IntoView {
    let store = expect_context::<Store>();
    let ui = expect_context::<Ui>();
    let card = store.card(&id)?;
    let (shown, changed, busy) = (card.card.clone(), card.changed.clone(), card.busy.clone());
    let part = move |read: fn(&TaskCard) -> String| {
        let card = shown.clone();
        move || card.with(read)
    };
    let base = Base::here();
    let link_id = id.clone();
    let href = move || base.task(link_id.as_str(), &store.query());
    let is_lifted = {
        let id = id.clone();
        Memo::new(move |_| ui.lift.with(|lift| lift.as_ref().is_some_and(|lift| lift.id == id)))
    };
    let is_open = {
        let id = id.clone();
        Memo::new(move |_| store.open_id.with(|open| open.as_ref() == Some(&id)))
    };
    let milestone = {
        let card = card.card.clone();
        Memo::new(move |_| {
            card.with(|card| card.milestone.clone())
                .and_then(|id| store.milestones.with(|all| all.iter().find(|each| each.id == id).map(|each| each.title.clone())))
        })
    };
    let hue = {
        let card = card.card.clone();
        move || card.with(|card| card.milestone.clone()).and_then(|id| store.milestone_hue(&id)).map(|hue| hue.to_string())
    };
    let press_id = id.clone();
    let press = move |event: web_sys::PointerEvent| {
        if event.button() == 0 && event.pointer_type() != "touch" && store.me.with_untracked(|me| me.may_write) {
            ui.press.set(Some(Press { id: press_id.clone(), at: (event.client_x(), event.client_y()) }));
        }
    };
    let (for_head, for_why, for_foot) = (card.card.clone(), card.card.clone(), card.card.clone());
    let problem = card.problem.clone();
    let says_standing = use_context::<SaysStanding>().is_some();
    let picked = ui.is_selected(&id);
    let pick_id = id.clone();
    let menu_id = id.clone();
    let name = id.to_string();
    Some(view! {
        <li
            class="card"
            data-card=name.clone()
            data-picked=move || picked.get().then_some("")
            data-standing=part(|card| card.standing.as_str().to_owned())
            data-hue=hue
            data-lifted=move || is_lifted.get().then_some("")
            data-selected=move || is_open.get().then_some("")
            data-changed=move || changed.get().then_some("")
            aria-busy=move || busy.get().then_some("true")
            on:pointerdown=press
        >
            <header>
                <Pick id=pick_id/>
                {move || for_head.with(|card| head(card, store).into_any())}
            </header>
            <h3 dir="auto">
                <a href=href id=format!("card-{name}") draggable="false">{part(|card| card.title.clone())}</a>
                {move || milestone.get().map(|title| view! { <span class="only-read">{format!(", milestone {title}")}</span> })}
            </h3>
            {move || for_why.with(|card| why(card, says_standing).into_any())}
            {move || for_foot.with(|card| foot(card, store).into_any())}
            <Notice problem=Signal::derive(move || problem.get())/>
            <MenuButton id=menu_id/>
        </li>
    })
}

/// The card menu: "Move to…" by menu once taken over, the card's own page without scripts.
#[component]
fn MenuButton(id: TaskId) -> impl IntoView {
    let ui = expect_context::<Ui>();
    let href = format!("{}#move", Base::here().task(id.as_str(), ""));
    let label = format!("Move {id}");
    view! {
        <a
            class="button"
            data-kind="quiet"
            data-shape="square"
            data-part="menu"
            href=href
            aria-label=label
            draggable="false"
            on:click=move |event| {
                event.prevent_default();
                ui.moving.set(Some(id.clone()));
            }
        >
            <Icon name="more"/>
        </a>
    }
    .into_any()
}

fn head(card: &TaskCard, store: Store) -> impl IntoView + use<> {
    let priority = match card.priority {
        0 => Some(view! { <Icon name="p0" size="sm" label="Urgent"/> }.into_any()),
        1 => Some(view! { <Icon name="p1" size="sm" label="High priority"/> }.into_any()),
        3 => Some(view! { <Icon name="p3" size="sm" label="Someday"/> }.into_any()),
        _ => None,
    };
    let names = |actor: &contracts::Actor, shown: bool| shown.then(|| view! { <span><bdi>{actor.short().to_owned()}</bdi></span> });
    let holder = match (&card.lease, &card.assignee, &card.review) {
        (Some(lease), ..) => {
            let working = card.standing == Standing::Working;
            Some(view! { <span class="holder">{names(&lease.actor, working)}<Holder lease=lease.clone()/></span> }.into_any())
        }
        (None, Some(assignee), _) => {
            let assigned = card.standing == Standing::Assigned;
            Some(view! { <span class="holder">{names(assignee, assigned)}<Avatar actor=assignee.clone()/></span> }.into_any())
        }
        (None, None, Some(review)) => Some(view! { <span class="holder"><Avatar actor=review.by.clone()/></span> }.into_any()),
        _ => None,
    };
    let held_by = card.lease.as_ref().map(|lease| format!(", held by {}", lease.actor.short()));
    let assigned_to = card.assignee.as_ref().map(|actor| format!(", for {}", actor.short()));
    let _ = store;
    view! {
        {priority}
        <code class="id">{card.id.to_string()}</code>
        <span class="type">{card.kind.clone()}</span>
        {holder}
        <span class="only-read">{format!("{}{}{}", card.standing.words(), held_by.unwrap_or_default(), assigned_to.unwrap_or_default())}</span>
    }
}

/// What stands before the reason, when the column does not say it.
fn lead(standing: Standing) -> &'static str {
    match standing {
        Standing::Blocked => "Blocked",
        Standing::Held => "Held",
        Standing::Stalled => "Stalled",
        Standing::Changes => "Changes wanted",
        Standing::Assigned => "Assigned, not started",
        Standing::InReview => "In review",
        Standing::Cancelled => "Cancelled",
        Standing::Waiting => "Waits",
        Standing::NeedsYou | Standing::Working | Standing::Ready | Standing::Done => "",
    }
}

/// The line of reason: lead and text, without saying one word twice.
pub fn reason(standing: Standing, text: &str) -> String {
    let lead = lead(standing);
    let rest = beside(standing, text);
    match (lead, rest.as_str()) {
        ("", _) => text.to_owned(),
        (_, "") => lead.to_owned(),
        (_, rest) if rest != text => format!("{lead} {rest}"),
        (_, rest) => format!("{lead} · {rest}"),
    }
}

/// What a reason adds where the standing stands beside it: "held by ana" is "by ana" there, "jun wants changes: why" is "by jun: why".
pub fn beside(standing: Standing, text: &str) -> String {
    if standing == Standing::Changes {
        return text.split_once(" wants changes").map_or_else(|| text.to_owned(), |(who, rest)| format!("by {who}{rest}"));
    }
    let word = standing.words();
    match text.strip_prefix(word) {
        Some(rest) if rest.is_empty() || rest.starts_with(' ') => rest.trim_start().to_owned(),
        _ => text.to_owned(),
    }
}

fn why(card: &TaskCard, says_standing: bool) -> Option<AnyView> {
    let (text, since) = card.why.as_ref().map_or((String::new(), None), |why| (why.text.clone(), why.since));
    let mut line = reason(card.standing, &text);
    if line.is_empty() && says_standing {
        line = words::sentence(card.standing.words());
    }
    let late = card.lease.as_ref().filter(|lease| lease.late && card.standing == Standing::Working);
    let overlaps = (card.collides > 0 && matches!(card.standing, Standing::Working | Standing::Ready)).then(|| overlap(card.collides));
    let main = match card.standing {
        Standing::NeedsYou => Some(ask(line, since)),
        _ if late.is_some() => late.map(lease_late),
        _ if line.is_empty() => None,
        standing => {
            let quiet_since = matches!(standing, Standing::Done | Standing::Cancelled | Standing::Working | Standing::Assigned);
            let since = since.filter(|_| !quiet_since).map(|at| view! { " · "<Since at=at/> });
            Some(view! { <p class="why"><Glyph shape=Shape::of(standing)/><span><bdi>{line}</bdi>{since}</span></p> }.into_any())
        }
    };
    if main.is_none() && overlaps.is_none() {
        return None;
    }
    Some(view! { {main}{overlaps} }.into_any())
}

fn ask(line: String, since: Option<Moment>) -> AnyView {
    let (lead, rest) = line.split_once(": ").map_or((line.clone(), String::new()), |(lead, rest)| (format!("{lead}:"), rest.to_owned()));
    view! {
        <p class="ask">
            <Glyph shape=Shape::PERSON/>
            <span><b>{lead}</b>" "<bdi>{rest}</bdi>{since.map(|at| view! { " · "<Since at=at/> })}</span>
        </p>
    }
    .into_any()
}

fn lease_late(lease: &LeaseView) -> AnyView {
    let actor = lease.actor.short().to_owned();
    view! { <p class="why"><Glyph shape=Shape::of(Standing::Stalled)/><span>"Lease late · no word from "<b>{actor}</b></span></p> }.into_any()
}

fn overlap(collides: u32) -> AnyView {
    let text = if collides == 1 { "Shares files with 1 other".to_owned() } else { format!("Shares files with {collides} others") };
    view! { <p class="why"><Icon name="warning" size="sm"/><span>{text}</span></p> }.into_any()
}

fn foot(card: &TaskCard, store: Store) -> Option<AnyView> {
    let labels: Vec<String> = card.labels.iter().take(LABELS_SHOWN_MAX).cloned().collect();
    let more_labels = card.labels.len().saturating_sub(LABELS_SHOWN_MAX);
    let closed = card.closed_at.filter(|_| matches!(card.standing, Standing::Done | Standing::Cancelled));
    let due = card.due_at.filter(|_| closed.is_none());
    let (done_children, children) = card.children;
    let nothing = labels.is_empty()
        && [card.waits, card.blocks, card.comments, card.commits, children, card.conflicts].iter().all(|count| *count == 0)
        && closed.is_none()
        && due.is_none();
    if nothing {
        return None;
    }
    let waits = (card.waits > 0 && card.standing != Standing::Blocked)
        .then(|| counted("waits", format!("waits for {}", card.waits), format!("Waits for {}", card.waits)));
    let labelled = (!labels.is_empty()).then(|| {
        view! {
            <span class="labels">
                {labels.into_iter().map(|label| view! { <span class="chip">{label}</span> }).collect_view()}
                {(more_labels > 0).then(|| view! { <span class="quiet">{format!("+{more_labels}")}</span> })}
            </span>
        }
    });
    let blocks = (card.blocks > 0).then(|| {
        let long = if card.blocks == 1 { " waits for this" } else { " wait for this" };
        view! {
            <span title=format!("{}{long}", card.blocks)>
                <Icon name="wanted" size="sm"/>{card.blocks}<span data-part="long">{long}</span>
            </span>
        }
    });
    let commits = (card.commits > 0).then(|| {
        let lines = (card.added + card.deleted > 0).then(|| view! { <span>{words::lines(card.added, card.deleted)}</span> });
        view! {
            <span title=words::count(card.commits.into(), "commit", "commits")><Icon name="commit" size="sm"/>{card.commits}{lines}</span>
        }
    });
    let parts =
        (children > 0).then(|| counted("requirements", format!("{done_children}/{children}"), format!("{done_children} of {children} subtasks closed")));
    let comments = (card.comments > 0).then(|| talk(card, store));
    let conflicts = (card.conflicts > 0).then(|| {
        view! { <span title=words::count(card.conflicts.into(), "conflict", "conflicts")><Glyph shape=Shape::CONFLICT/>{card.conflicts}</span> }
    });
    Some(
        view! {
            <footer>
                {labelled}{waits}{blocks}{parts}{conflicts}{comments}{commits}
                {due.map(|at| view! { <Due at=at/> })}
                {closed.map(|at| {
                    let _ = store;
                    view! { <Ago at=at/> }
                })}
            </footer>
        }
        .into_any(),
    )
}

/// How much was said, with a dot when some of it is new to the reader.
fn talk(card: &TaskCard, store: Store) -> AnyView {
    let (n, seen) = (card.comments, card.clone());
    let unread = Memo::new(move |_| store.is_unread(&seen));
    view! {
        <span title=words::count(n.into(), "comment", "comments") data-unread=move || unread.get().then_some("")>
            <Icon name="comment" size="sm"/>{n}{move || unread.get().then(|| view! { <span class="only-read">" new"</span> })}
        </span>
    }
    .into_any()
}

fn counted(icon: &'static str, text: String, title: String) -> AnyView {
    view! { <span title=title><Icon name=icon size="sm"/>{text}</span> }.into_any()
}

/// When it is due.
#[component]
fn Due(at: Moment) -> impl IntoView {
    let store = expect_context::<Store>();
    let offset = store.clock();
    let due = Memo::new(move |_| times::due(store.now.get(), at, offset));
    view! {
        <span data-overdue=move || due.get().1.then_some("") title=format!("Due {}", times::absolute(at, offset))>
            <Icon name="calendar" size="sm"/>
            {move || due.get().0}
        </span>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_not_said_twice() {
        assert_eq!(reason(Standing::Blocked, "waits for tk-4f2a9c"), "Blocked · waits for tk-4f2a9c");
        assert_eq!(reason(Standing::Held, "held by ana: until 0.9 is cut"), "Held by ana: until 0.9 is cut");
        assert_eq!(reason(Standing::Changes, "jun wants changes: keep old files"), "Changes wanted by jun: keep old files");
        assert_eq!(reason(Standing::Cancelled, "cancelled by ana"), "Cancelled by ana");
        assert_eq!(reason(Standing::Held, "its plan is not approved yet"), "Held · its plan is not approved yet");
        assert_eq!(reason(Standing::Assigned, ""), "Assigned, not started");
        assert_eq!(reason(Standing::Ready, ""), "");
        assert_eq!(reason(Standing::NeedsYou, "bo/w1 asks: level 3 or 9?"), "bo/w1 asks: level 3 or 9?");
    }
}
