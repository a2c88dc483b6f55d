//! Two agents, two people and the clock in any order: what must never happen does not, and the log comes to the same bytes.

use super::*;

const STEPS: &str = "  - {id: a, instructions: do, retry: {max: 1}, gate: {require_context: {min_length: 3}}}
  - id: size
    decision:
      - {id: small, when: task.complexity = S, steps: [{id: touch, instructions: do}], goto: prove}
      - {id: usual, when: default}
  - id: build
    on_lane_fail: continue
    parallel:
      - {id: x, instructions: do, writes: [complexity]}
      - {id: y, steps: [{id: y1, instructions: do}, {id: y2, instructions: do}]}
  - id: sweep
    loop: {until: output.green = true, max: 2, on_max: continue, steps: [{id: one, instructions: do}]}
  - {id: prove, instructions: do, gate: {on_reject: {goto: build, max: 2}}}
  - {id: ok, by: human, gate: {requires_approval: true, on_reject: {goto: a, max: 2}, timeout: {after: 2h, then: reject}}}
  - {id: z, end: completed}";

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % u64::try_from(bound).unwrap()).unwrap()
    }
}

/// Something that somebody might do now, or might wrongly try.
fn command(stage: &Stage, dice: &mut Dice, old: &[HandleId]) -> (Caller, Command) {
    let callers = [agent(), other_agent(), person("ana"), person("ben")];
    let caller = callers[dice.below(4)].clone();
    let handle = |dice: &mut Dice| old.get(dice.below(old.len().max(1))).cloned().unwrap_or_else(|| HandleId("st-00000000.1".to_owned()));
    let command = match dice.below(16) {
        0..=4 => Command::Claim { path: None, agent: None, seconds: 900 },
        5..=9 => {
            let held: Vec<HandleId> = stage.run.instances.values().filter_map(|own| own.holder.as_ref().map(|holder| holder.handle.clone())).collect();
            let handle = if held.is_empty() || dice.below(6) == 0 { handle(dice) } else { held[dice.below(held.len())].clone() };
            let outcome = [StepOutcome::Done, StepOutcome::Done, StepOutcome::Done, StepOutcome::Failed, StepOutcome::Cannot, StepOutcome::Back][dice.below(6)];
            let kind = if outcome == StepOutcome::Cannot { NoteKind::Blocker } else { NoteKind::Context };
            let note = (dice.below(3) > 0).then(|| (kind, format!("words {}", dice.below(1_000_000))));
            Command::Done(Box::new(Report { output: json!({"green": dice.below(2) == 0}), note, ..Stage::report(&handle, outcome) }))
        }
        10 => Command::Release { handle: handle(dice) },
        11 => match stage.run.requests.iter().next_back() {
            Some((id, request)) => {
                Command::Decide { request: id.clone(), digest: request.digest.clone(), yes: dice.below(3) > 0, comment: "because".to_owned() }
            }
            None => Command::Settle,
        },
        12 => Command::Unblock { choice: None },
        13 if dice.below(4) == 0 => Command::Pause { reason: "lunch".to_owned() },
        13 => Command::Resume,
        14 => Command::Ask { handle: handle(dice), text: "which?".to_owned(), choices: Vec::new() },
        _ => match stage.run.asks.iter().find(|(_, ask)| ask.answer.is_none()) {
            Some((id, _)) => Command::Answer { ask: id.clone(), text: "that one".to_owned() },
            None => Command::Settle,
        },
    };
    (caller, command)
}

#[track_caller]
fn holds(stage: &Stage, fences: &mut BTreeMap<Key, u64>) {
    let run = &stage.run;
    for (key, own) in &run.instances {
        let last = fences.insert(key.clone(), own.fence).unwrap_or(0);
        assert!(own.fence >= last, "a token never shrinks: {key}");
        assert_eq!(own.holder.is_some(), matches!(own.state, InstanceState::Taken | InstanceState::Asking), "{key}: {own:?}");
        assert!(own.holder.as_ref().is_none_or(|holder| holder.handle.parts().map(|(_, fence)| fence) == Some(own.fence)), "only the newest handle holds");
        if key.path == "ok" && own.state == InstanceState::Done {
            let met = run.requests.values().any(|request| {
                request.on == *key && request.closed == Some(Verdict::Met) && request.verdicts.values().any(|said| said.yes && said.actor.is_dev())
            });
            assert!(met || own.overridden, "nobody passes without a person's yes");
        }
        if let Some(attempt) = key.attempt.checked_sub(1).filter(|attempt| *attempt > 0) {
            let before = &run.instances[&Key::of(key.path.clone(), attempt)];
            assert!(before.state.is_closed(), "one attempt at a time: {key}");
        }
    }
    let reached = |path: &str| run.newest(path).map(|(_, own)| own.state);
    if run.newest("build").is_some_and(|(_, own)| !own.state.is_closed()) {
        assert!(matches!(reached("size"), Some(InstanceState::Done)), "later steps wait for earlier ones");
    }
    if run.outcome == Some(Outcome::Completed) {
        assert_eq!(reached("ok"), Some(InstanceState::Done));
    }
    if run.outcome.is_some() {
        assert!(run.instances.values().all(|own| own.state.is_closed()) && run.requests.values().all(|request| request.closed.is_some()));
    }
}

#[test]
fn any_order_of_acts_keeps_what_must_hold_and_replays_to_the_same_bytes() {
    let slow = std::env::var_os("SLOW").is_some_and(|value| value == "1");
    let rounds = if slow { 10_000 } else { 200 };
    let mut outcomes = BTreeMap::new();
    for round in 0..rounds {
        let mut dice = Dice(round * 2 + 1);
        let mut stage = Stage::of(STEPS);
        let (mut handles, mut fences) = (Vec::new(), BTreeMap::new());
        for _ in 0..60 {
            if dice.below(8) == 0 {
                stage.world.now = stage.world.now.plus_seconds(i64::try_from(dice.below(2_000)).unwrap());
            }
            let (caller, command) = command(&stage, &mut dice, &handles);
            let before = stage.run.clone();
            match stage.give(&caller, command.clone()) {
                Ok(decided) => handles.extend(decided.handle),
                Err(_) => assert_eq!(stage.run, before, "a refusal changes nothing: {command:?}"),
            }
            for (event, by) in &stage.log {
                assert!(!event.is_a_persons() || by.actor.is_dev());
            }
            holds(&stage, &mut fences);
        }
        stage.replays();
        *outcomes.entry(format!("{:?}", stage.run.outcome)).or_insert(0) += 1;
    }
    assert!(outcomes.len() > 1, "the acts lead somewhere: {outcomes:?}");
}
