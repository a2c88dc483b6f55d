//! One sentence about the whole page, and what to do about it: not live, another build, a demo, conflicts on closed tasks.

use crate::components::form::{CommandForm, Send, TextField};
use crate::components::icon::{Glyph, Icon, Shape};
use crate::live::Status;
use crate::store::Store;
use crate::{Base, browser, times, words};
use contracts::standing::Status as TaskStatus;
use contracts::view::{ConflictRow, Quarantine, QuarantinedLine};
use leptos::prelude::*;

/// All bars of a page, each only when it has something to say.
#[component]
pub fn Bars() -> impl IntoView {
    view! {
        <NotLive/>
        <OtherVersion/>
        <Demo/>
        <Refused/>
    }
    .into_any()
}

#[component]
fn NotLive() -> impl IntoView {
    let store = expect_context::<Store>();
    move || {
        let Status::Off { seconds, .. } = store.line.get() else { return None };
        let offset = store.clock();
        let since = store.lost_at.get().map(|at| times::clock(at, offset)).unwrap_or_default();
        Some(view! {
            <aside class="bar" data-live="off" data-part="page" aria-label="Not live">
                <Icon name="unplugged"/>
                <p>
                    <strong>{format!("Not live since {since}.")}</strong>
                    {format!(" This is the last known state, event {}. What you write is kept here. ", words::grouped(store.seq.get()))}
                    {if seconds > 0 { format!("Next try in {seconds}\u{a0}s.") } else { "Trying now.".to_owned() }}
                </p>
                <button class="button" type="button" on:click=move |_| store.try_now.update(|tries| *tries += 1)>"Try now"</button>
            </aside>
        })
    }
}

#[component]
fn OtherVersion() -> impl IntoView {
    let store = expect_context::<Store>();
    move || {
        store.other_version.get().then(|| {
            view! {
                <aside class="bar" data-part="page" aria-label="New version">
                    <Icon name="refresh"/>
                    <p><strong>"Callboard was updated."</strong>" This page loads again by itself once nothing on it waits to be sent."</p>
                    <button class="button" type="button" on:click=move |_| browser::reload()>"Load now"</button>
                </aside>
            }
        })
    }
}

#[component]
fn Demo() -> impl IntoView {
    let store = expect_context::<Store>();
    move || {
        store.project.with(|project| project.demo).then(|| {
            view! {
                <aside class="bar" data-part="page" aria-label="Demo">
                    <Icon name="agents"/>
                    <p>
                        <strong>"This is a demo."</strong>
                        " Try anything; nothing here is yours. To begin in your own repository: "
                        <code>"callboard init && callboard ui --open"</code>
                    </p>
                </aside>
            }
        })
    }
}

/// A refused form whose own place on the page is folded away or gone still says so at the top.
#[component]
fn Refused() -> impl IntoView {
    let store = expect_context::<Store>();
    move || {
        store.refusal.get().map(|refusal| {
            let hint = refusal.problem.hint.for_web();
            view! {
                <div class="bar" data-part="page" role="alert">
                    <Icon name="warning"/>
                    <p><strong>{refusal.problem.title.clone()}</strong>{(!hint.is_empty()).then(|| format!(" {hint}"))}" Nothing was changed; what you wrote is still in the form."</p>
                </div>
            }
        })
    }
}

/// Conflicts that no open card shows.
#[component]
pub fn Conflicts() -> impl IntoView {
    let store = expect_context::<Store>();
    let rows =
        Memo::new(move |_| store.conflicts.with(|rows| rows.iter().filter(|row| row.status != TaskStatus::Open && !row.settled).cloned().collect::<Vec<_>>()));
    move || {
        let rows = rows.get();
        let first = rows.first()?.clone();
        let n = i64::try_from(rows.len()).unwrap_or(i64::MAX);
        Some(view! {
            <details class="bar" data-state="person" data-part="board">
                <summary>
                    <Glyph shape=Shape::CONFLICT/>
                    <p>
                        <strong>{format!("{} on a closed task.", words::count(n, "conflict", "conflicts"))}</strong>
                        " "
                        <code class="id">{first.task.to_string()}</code>
                        " "
                        <span class="wide">{first.text.clone()}</span>
                    </p>
                    <span class="button">"Settle it"</span>
                </summary>
                <ul class="stack">{rows.into_iter().map(|row| view! { <li><Settle row=row/></li> }).collect_view()}</ul>
            </details>
        })
    }
}

/// Lines of the log that could not be used: nothing is dropped without a word.
#[component]
pub fn Quarantined() -> impl IntoView {
    let store = expect_context::<Store>();
    let line = |line: QuarantinedLine| {
        let place = if line.line > 0 { format!("{}, line {}", line.file, line.line) } else { line.file };
        view! { <li><p><strong>{place}</strong>" "{line.reason}</p><p><code>{line.text}</code></p></li> }
    };
    move || {
        let Quarantine { total, lines } = store.quarantine.get();
        let more = total.saturating_sub(lines.len());
        (total > 0).then(|| {
            let n = i64::try_from(total).unwrap_or(i64::MAX);
            view! {
                <details class="bar" data-part="board">
                    <summary>
                        <Icon name="warning"/>
                        <p>
                            <strong>{format!("{} of the log can't be used.", words::count(n, "line", "lines"))}</strong>
                            <span class="wide">" The rest is in use; they are kept in quarantine."</span>
                        </p>
                        <span class="button">"Look"</span>
                    </summary>
                    <ul class="stack">{lines.into_iter().map(line).collect_view()}</ul>
                    {(more > 0).then(|| view! { <p>{format!("{more} more: ")}<code>"callboard log quarantine"</code></p> })}
                </details>
            }
        })
    }
}

/// A person's choice about one conflict.
#[component]
pub fn Settle(row: ConflictRow) -> impl IntoView {
    let event = row.event.to_string();
    let only = ("event", event.clone());
    let href = Base::here().task(row.task.as_str(), "");
    view! {
        <CommandForm command="settle" place=format!("settle-{event}") class="settle" label=format!("Settle the conflict on {}", row.task) only=only>
            <input type="hidden" name="event" value=event.clone()/>
            <p><a class="id tap" href=href>{row.task.to_string()}</a>" "<bdi>{row.title.clone()}</bdi>": "{row.text.clone()}</p>
            <div class="row wrap">
                <TextField name="note" label="Why" placeholder="Why" hidden_label=true/>
                <Send text="Carry it out" quiet=true name="choice" value="keep"/>
                <Send text="Leave it as it is" name="choice" value="dismiss"/>
            </div>
        </CommandForm>
    }
    .into_any()
}
