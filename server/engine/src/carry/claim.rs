//! Leases: taken, taken back, taken over, extended.

use super::{draft, warn};
use crate::case::Case;
use crate::event::Kind;
use crate::facts::{Authority, Decision, Holding, Lease, LeaseChange, TaskFacts};
use crate::rejection::Rejection;
use crate::standing::LeaseState;
use crate::words::branch_of;
use contracts::command::{Claim, Renew};
use contracts::{EventId, limits};
use serde_json::json;

/// How far ahead the published end of a claim lies, seconds.
fn horizon(ttl_s: i64) -> i64 {
    limits::PUBLISHED_SECONDS_MIN.max(ttl_s)
}

/// Extends a running lease when a third of its length has passed, and its published end when less than half of that is left.
pub(super) fn extend(case: &Case, lease: &Lease, decision: &mut Decision) {
    let now = case.ctx.now;
    let late = case.lease_state(lease) == LeaseState::Late;
    if lease.authority == Authority::Clone || (!late && now.seconds_since(lease.renewed_at) < lease.ttl_s / 3) {
        return;
    }
    let publish = lease.published_until.seconds_since(now) < horizon(lease.ttl_s) / 2;
    let published_until = publish.then(|| now.plus_seconds(horizon(lease.ttl_s)));
    if let Some(expires) = published_until {
        decision.events.push(draft(Kind::TaskRenewed, lease.task.as_str(), json!({"expires": expires})));
    }
    let expires_at = now.plus_seconds(lease.ttl_s).max(lease.expires_at);
    decision.leases.push(LeaseChange::Extend { task: lease.task.clone(), renewed_at: now, expires_at, published_until });
}

/// The events of a claim, and its lease row.
fn take(case: &Case, of: &TaskFacts, claim: &Claim, decision: &mut Decision) -> Lease {
    let (task, now, ctx) = (&of.task, case.ctx.now, case.ctx);
    let resumed = case.lapsed_own(of) || of.lease.as_ref().is_some_and(|lease| lease.actor == *case.caller());
    let before = of.lease.as_ref();
    let ttl_s = claim.ttl_s.unwrap_or_else(|| case.settings.ttl_s(case.caller(), ctx.hooks_renew));
    let expires = now.plus_seconds(horizon(ttl_s));
    let fence = task.fence.max(before.map_or(0, |lease| lease.fence)) + 1;
    let branch = task.branch.clone().unwrap_or_else(|| branch_of(&task.id, &task.title));
    let base = case.base();
    let kept = before.filter(|_| resumed);
    let session = claim.session.clone().or_else(|| ctx.caller.session.clone());
    let worktree = claim.worktree.clone().or_else(|| kept.and_then(|lease| lease.worktree.clone()));
    // Whose claim it ends: the row's, or one that another clone published and that has run out.
    let earlier = before.map(|lease| (lease.actor.clone(), lease.expires_at)).or_else(|| task.claim.as_ref().map(|claim| (claim.actor.clone(), claim.expires)));
    let took_over = earlier.filter(|(actor, _)| !resumed && actor != case.caller()).map(|(actor, at)| json!({"actor": actor, "at": at}));
    decision.events.push(draft(
        Kind::TaskClaimed,
        task.id.as_str(),
        json!({
            "expires": expires, "ttl_s": ttl_s, "fence": fence, "via": ctx.caller.surface.as_str(), "branch": branch, "worktree": worktree,
            "session": session, "resumed": resumed, "took_over": took_over,
        }),
    ));
    if task.branch.is_none() {
        decision.events.push(draft(Kind::TaskBranched, task.id.as_str(), json!({"branch": branch, "base": base})));
    }
    Lease {
        task: task.id.clone(),
        actor: case.caller().clone(),
        principal: ctx.caller.principal.clone(),
        fence,
        session,
        branch: Some(branch),
        worktree,
        claimed_at: kept.map_or(now, |lease| lease.claimed_at),
        renewed_at: now,
        expires_at: now.plus_seconds(ttl_s),
        ttl_s,
        published_until: expires,
        claim_event: EventId::none(),
        authority: Authority::Here,
    }
}

/// Takes back the caller's own lapsed lease, because what it does next ends it anyway.
pub(super) fn take_back(case: &Case, of: &TaskFacts, decision: &mut Decision) {
    let claim = Claim { task: of.task.id.clone(), ttl_s: None, session: None, worktree: None };
    drop(take(case, of, &claim, decision));
    warn(decision, "taken_back", format!("your lease of {} had lapsed, and nobody had taken it: it was taken back", of.task.id));
}

pub(super) fn claim(case: &Case, claim: &Claim) -> Result<Decision, Rejection> {
    let of = case.task(&claim.task)?;
    let (task, id) = (&of.task, &claim.task);
    let mut decision = Decision { subject: id.to_string(), ..Decision::default() };
    let (how, how_text, _) = crate::next::how(task, of.lease.as_ref(), case.caller(), case.ctx.now);
    let own = case.running(of).filter(|lease| lease.actor == *case.caller() && lease.authority != Authority::Clone);
    if let Some(lease) = own {
        extend(case, lease, &mut decision);
        let session = claim.session.as_ref().or(case.ctx.caller.session.as_ref());
        if lease.session.is_some() && session.is_some() && lease.session.as_ref() != session {
            let text = format!("another session holds {id} under your name; choose a name of your own (CALLBOARD_ACTOR)");
            warn(&mut decision, "second_session", text);
        }
        let until = decision.leases.iter().find_map(|change| match change {
            LeaseChange::Extend { expires_at, .. } => Some(*expires_at),
            _ => None,
        });
        let until = until.unwrap_or(lease.expires_at);
        let base = task.base.clone().or_else(|| case.base());
        decision.data = json!({"fence": lease.fence, "until": until, "how": "resumed", "branch": lease.branch, "base": base});
        return Ok(decision);
    }
    let back = case.lapsed_own(of) || case.running(of).is_some();
    if !back {
        warnings(of, &mut decision);
        if let Some(to) = task.assignee.as_ref().filter(|to| *to != case.caller()) {
            warn(&mut decision, "assigned", format!("{id} was meant for {to}, who is told that it is yours now"));
            decision.events.push(draft(Kind::TaskAssigned, id.as_str(), json!({"to": case.caller(), "from": to})));
        }
    }
    let lease = take(case, of, claim, &mut decision);
    if back {
        warn(&mut decision, "taken_back", format!("your lease of {id} had lapsed, and nobody had taken it: it is yours again"));
    } else if how == "taken_over" {
        warn(&mut decision, "taken_over", format!("{id} was {how_text}"));
    }
    let base = task.base.clone().or_else(|| case.base());
    decision.data = json!({"fence": lease.fence, "until": lease.expires_at, "how": how, "branch": lease.branch, "base": base});
    decision.leases.push(LeaseChange::Take(lease));
    Ok(decision)
}

/// What a person overrides, and what to know.
fn warnings(of: &TaskFacts, decision: &mut Decision) {
    let id = &of.task.id;
    if crate::standing::waits(&of.task, &of.counters) {
        let open = of.counters.waits_open + of.counters.children_open + u32::try_from(of.task.blockers.len()).unwrap_or(0);
        warn(decision, "open_dependency", format!("{id} still waits for {}", crate::words::count(i64::from(open), "thing")));
    }
    let cancelled: Vec<String> =
        of.waits_on.iter().filter(|on| on.status == Some(contracts::Status::Cancelled)).map(|on| format!("{} ({})", on.id, on.title)).collect();
    if !cancelled.is_empty() {
        warn(decision, "never_delivered", format!("{id} waited for what was cancelled, never delivered: {}", crate::words::some(&cancelled, 10)));
    }
}

pub(super) fn renew(case: &Case, renew: &Renew) -> Result<Decision, Rejection> {
    let mut decision = Decision { subject: renew.task.as_ref().map_or_else(|| crate::event::PROJECT.to_owned(), ToString::to_string), ..Decision::default() };
    match &renew.task {
        Some(id) => {
            let of = case.task(id)?;
            match case.running(of).filter(|lease| lease.authority != Authority::Clone) {
                Some(lease) => {
                    extend(case, lease, &mut decision);
                    if decision.leases.is_empty() {
                        decision.data = json!({"until": lease.expires_at});
                    }
                }
                None => return claim(case, &Claim { task: id.clone(), ttl_s: None, session: None, worktree: None }),
            }
        }
        None => {
            for holding in case.facts.holdings.iter().filter(|holding| holding.lease.authority != Authority::Clone) {
                let lease = &holding.lease;
                if case.lease_state(lease) != LeaseState::Lapsed {
                    extend(case, lease, &mut decision);
                } else if case.may_take_back(&holding.task, Some(lease)) {
                    again(case, holding, &mut decision);
                }
            }
        }
    }
    Ok(decision)
}

/// Takes back a lapsed lease of which no more than the holding was loaded.
fn again(case: &Case, holding: &Holding, decision: &mut Decision) {
    let (lease, now, ctx) = (&holding.lease, case.ctx.now, case.ctx);
    let fence = lease.fence.max(holding.task.fence) + 1;
    let expires = now.plus_seconds(horizon(lease.ttl_s));
    decision.events.push(draft(
        Kind::TaskClaimed,
        lease.task.as_str(),
        json!({
            "expires": expires, "ttl_s": lease.ttl_s, "fence": fence, "via": ctx.caller.surface.as_str(), "branch": lease.branch, "worktree": lease.worktree,
            "session": ctx.caller.session.as_ref().or(lease.session.as_ref()), "resumed": true,
        }),
    ));
    warn(decision, "taken_back", format!("your lease of {} had lapsed, and nobody had taken it: it is yours again", lease.task));
    let taken =
        Lease { fence, renewed_at: now, expires_at: now.plus_seconds(lease.ttl_s), published_until: expires, claim_event: EventId::none(), ..lease.clone() };
    decision.leases.push(LeaseChange::Take(taken));
}
