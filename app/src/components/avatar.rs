//! Who acts: a person is a circle, an agent a square, a part of the system a diamond. The ring is the lease.

use crate::store::Store;
use crate::{times, words};
use contracts::view::LeaseView;
use contracts::{Actor, ActorKind};
use leptos::prelude::*;

/// One or two letters for an actor.
pub fn initials(actor: &Actor) -> String {
    let name = actor.name();
    match actor.kind() {
        ActorKind::Dev => words::sentence(&name.chars().take(1).collect::<String>()),
        _ if name.chars().count() <= 2 => name.to_owned(),
        _ => match name.chars().last().filter(char::is_ascii_digit) {
            Some(digit) => format!("{}{digit}", name.chars().next().unwrap_or(digit)),
            None => name.chars().take(2).collect(),
        },
    }
}

/// What kind of actor, as attribute and word.
pub fn kind(actor: &Actor) -> &'static str {
    match actor.kind() {
        ActorKind::Dev => "person",
        ActorKind::Agent => "agent",
        ActorKind::System => "system",
    }
}

/// The tint of a person and their agents.
pub fn hue(actor: &Actor) -> u32 {
    words::hue(actor.dev().unwrap_or_else(|| actor.name()))
}

/// An actor.
#[component]
pub fn Avatar(actor: Actor, #[prop(optional)] large: bool) -> impl IntoView {
    view! {
        <span class="avatar" data-kind=kind(&actor) data-hue=hue(&actor).to_string() data-size=large.then_some("lg") title=actor.to_string() aria-hidden="true">
            {initials(&actor)}
        </span>
    }
    .into_any()
}

/// What is left of a lease: 1 at the claim, 0 at its end.
pub fn left(lease: &LeaseView, now: contracts::Moment) -> f64 {
    let whole = lease.ttl_s.max(1) as f64;
    (lease.until.seconds_since(now) as f64 / whole).clamp(0.0, 1.0)
}

/// What people read of a lease: "9 min left", "late", "held in another clone".
pub fn lease_words(lease: &LeaseView, now: contracts::Moment, offset: contracts::Offsets) -> String {
    let seconds = lease.until.seconds_since(now);
    match lease.elsewhere {
        Some(at) => format!("held in another clone, as of {}", times::fixed(now, at, offset)),
        None if lease.late || seconds < 0 => "late: only they may still use it".to_owned(),
        None => format!("{} left", times::span(if seconds >= 60 { seconds / 60 * 60 } else { seconds })),
    }
}

/// The holder of a lease, with the ring that empties as it runs out.
#[component]
pub fn Holder(lease: LeaseView, #[prop(optional)] large: bool) -> impl IntoView {
    let store = expect_context::<Store>();
    let offset = store.clock();
    let actor = lease.actor.clone();
    let (for_ring, for_state, for_title) = (lease.clone(), lease.clone(), lease.clone());
    let ring = move || if store.live() { format!("--lease: {:.2}", left(&for_ring, store.now.get())) } else { "--lease: 0".to_owned() };
    let state = move || match (&for_state.elsewhere, store.live()) {
        (_, false) => Some("unknown"),
        (Some(_), true) => Some("elsewhere"),
        (None, true) => (for_state.late || for_state.until < store.now.get()).then_some("late"),
    };
    let name = actor.clone();
    let title = move || {
        if store.live() { format!("{name} · {}", lease_words(&for_title, store.now.get(), offset)) } else { format!("{name} · lease not known") }
    };
    let round = actor.kind() != ActorKind::Agent;
    let shape = |class: &str| {
        if round {
            format!("<circle class=\"{class}\" cx=\"12\" cy=\"12\" r=\"11\" pathLength=\"1\" transform=\"rotate(-90 12 12)\"></circle>")
        } else {
            format!("<rect class=\"{class}\" x=\"1\" y=\"1\" width=\"22\" height=\"22\" rx=\"6\" pathLength=\"1\"></rect>")
        }
    };
    let drawn = format!("{}{}", shape("track"), shape("left"));
    view! {
        <span
            class="avatar"
            data-kind=kind(&actor)
            data-hue=hue(&actor).to_string()
            data-size=large.then_some("lg")
            data-lease=state
            style=ring
            title=title
            aria-hidden="true"
        >
            <svg viewBox="0 0 24 24" aria-hidden="true" inner_html=drawn></svg>
            {initials(&actor)}
        </span>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initials_tell_agents_of_one_person_apart() {
        for (name, letters) in [("dev:ana", "A"), ("agent:ana/w1", "w1"), ("agent:ana/api-1", "a1"), ("agent:ana/fixer", "fi"), ("system:demo", "de")] {
            assert_eq!(initials(&Actor::parse(name).unwrap()), letters);
        }
    }
}
