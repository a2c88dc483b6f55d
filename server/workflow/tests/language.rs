//! The language from outside: what is refused, with which code, at which line; and that everything that is shipped is sound.

use std::collections::{BTreeMap, BTreeSet};
use workflow::{Around, Code, check};

fn around() -> Around {
    Around { workflows: BTreeMap::from([("other".to_owned(), BTreeSet::from(["loops".to_owned()]))]), people: None }
}

/// Steps with a name, a version of the language and a close behind them.
fn with_steps(steps: &str) -> String {
    format!("workflow: loops\nagents: {{maker: makes}}\nvars: {{seen: 0}}\nstores: {{plan: {{kind: list}}}}\nsteps:\n{steps}\n  - {{id: close, close: done}}\n")
}

/// Codes with their lines, in order; `W_NO_GATE_ON_CLOSE` is left out, which most short examples earn.
fn codes(text: &str) -> Vec<(usize, Code)> {
    let findings = match check(text, &around()) {
        Ok(checked) => checked.findings,
        Err(findings) => findings,
    };
    findings.iter().filter(|finding| finding.code != Code::NoGateOnClose).map(|finding| (finding.line, finding.code)).collect()
}

#[track_caller]
fn refused(steps: &str, code: Code) {
    let text = with_steps(steps);
    let found = codes(&text);
    assert!(
        found.iter().any(|(_, own)| *own == code),
        "{code} is not among {found:?} of:\n{text}\n{:#?}",
        check(&text, &around()).map(|checked| checked.findings)
    );
}

#[track_caller]
fn sound(steps: &str) {
    let text = with_steps(steps);
    assert_eq!(codes(&text), [], "{text}\n{:#?}", check(&text, &around()).map(|checked| checked.findings));
}

#[test]
fn each_rule_refuses_what_breaks_it() {
    use Code::*;
    for (steps, code) in [
        ("  - {id: a, instructions: do}\n  - {id: a, instructions: do}", IdDup),
        ("  - {id: a}", Kind),
        ("  - {id: a, instructions: do, end: failed}", Kind),
        ("  - {id: a, instructions: do, colour: red}", Key),
        ("  - {id: a, instructions: do, join: all}", Key),
        ("  - {id: a, instructions: do, gate: {require_aproval: true}}", GateKey),
        ("  - {id: a, instructions: do, entry_gate: {require_context: true}}", GateKey),
        ("  - {id: a, instructions: do, gate: {prompt: really}}", GateKey),
        ("  - {id: a, instructions: do, gate: {task_status: finished}}", GateKey),
        ("  - {id: a, instructions: do, on_fail: 'goto:nowhere'}", Ref),
        ("  - {id: a, instructions: 'see {{ steps.b.output }}'}", Ref),
        ("  - {id: a, instructions: 'see {{ vars.unseen }}'}", Ref),
        ("  - {id: a, instructions: do, gate: {condition: stores.plam.count > 1}}", Ref),
        ("  - {id: a, set: {title: x}}", Ref),
        ("  - {id: a, decision: [{id: x, when: task.complexity = S}]}", DecisionNoDefault),
        ("  - {id: a, decision: [{id: x, when: default}, {id: y, when: task.complexity = S}]}", DecisionDead),
        ("  - {id: a, decision: [{id: x, when: task.complexity = S}, {id: y, when: complexity = S}, {id: z, when: default}]}", DecisionDead),
        ("  - {id: a, decision: [{id: x, when: task.complexity > S}, {id: z, when: default}]}", Type),
        ("  - {id: a, decision: [{id: x, when: task.complexity =}, {id: z, when: default}]}", Filter),
        ("  - {id: a, instructions: do}\n  - {id: b, decision: [{id: x, when: default, goto: a}]}", BackNoMax),
        ("  - {id: a, instructions: do}\n  - {id: b, decision: [{id: x, when: default, goto: a, max: 99}]}", BackNoMax),
        ("  - {id: a, loop: {until: output.done, steps: [{id: b, instructions: do}]}}", BackNoMax),
        ("  - {id: a, parallel: [{id: l, instructions: do}]}\n  - {id: b, instructions: do, on_fail: 'goto:l'}", GotoScope),
        ("  - {id: a, parallel: [{id: l, instructions: do, on_fail: 'goto:b'}]}\n  - {id: b, instructions: do}", GotoScope),
        ("  - {id: a, decision: [{id: x, when: default, steps: [{id: in, instructions: do}]}]}\n  - {id: b, instructions: do, on_fail: 'goto:in'}", GotoScope),
        ("  - {id: a, end: failed}\n  - {id: b, instructions: do}", Unreachable),
        ("  - {id: a, invoke: loops}", InvokeCycle),
        ("  - {id: a, invoke: other}", InvokeCycle),
        ("  - {id: a, parallel: [{id: l, instructions: do}, {id: l, instructions: do}]}", LaneDup),
        ("  - {id: a, gate: {requires_approval: true, approvers: {people: [ana], min: 2}}}", GateImpossible),
        ("  - {id: a, gate: {requires_approval: true, approvers: {min: 0}}}", GateImpossible),
        ("  - {id: a, parallel: []}", Limit),
        ("  - {id: a, instructions: do, timeout: soon}", Shape),
        ("  - {id: a, instructions: do, returns: {pattern: x}}", Shape),
        ("  - {id: a, op: desk/sort}", NotYet),
        ("  - {id: a, instructions: do, executor: gpu-box}", NotYet),
        ("  - {id: a, instructions: do, recall: what}", NotYet),
        ("  - {id: a, instructions: do, gate: {condition: pool.rotting.count = 0}}", NotYet),
        ("  - {id: a, instructions: ''}", NoInstructions),
        ("  - {id: a, instructions: do, agent: stranger}", AgentUndeclared),
        ("  - {id: a, instructions: do, gate: {wait_for_children: true}}", VacuousChildren),
    ] {
        refused(steps, code);
    }
}

#[test]
fn what_keeps_the_rules_is_taken() {
    for steps in [
        "  - {id: a, instructions: 'see {{ task.title }} and {{ vars.seen }}', agent: maker}",
        "  - {id: a, gate: {wait_for_children: true, min_children: 1}}",
        "  - {id: a, instructions: do}\n  - {id: b, decision: [{id: x, when: task.complexity = S, goto: a, max: 2}, {id: z, when: default}]}",
        "  - {id: a, decision: [{id: x, when: 'complexity in [XS, S, M]'}, {id: y, when: 'complexity in [L, XL]'}, {id: z, when: complexity is null}]}",
        "  - {id: a, decision: [{id: x, when: default, steps: [{id: in, instructions: do, on_fail: 'goto:b'}]}]}\n  - {id: b, instructions: do}",
        "  - {id: a, loop: {until: output.done = true, max: 3, steps: [{id: b, instructions: 'pass {{ loop.index }}'}]}}",
        "  - {id: a, steps: [{id: b, instructions: do}, {id: c, instructions: do, gate: {on_reject: {goto: b}}}]}",
        "  - {id: a, decision: [{id: x, when: vars.seen = 1, end: failed}, {id: w, when: vars.seen = 2, goto: c}, {id: y, when: default}]}\n  - {id: b, instructions: do, when: overdue}\n  - {id: c, instructions: do}",
    ] {
        sound(steps);
    }
}

#[test]
fn all_findings_of_a_file_are_told_at_once_in_the_order_of_its_lines() {
    let text = "workflow: Bad Name\nschema: 2\nsteps:\n  - id: one\n    instructions: see {{ steps.two.output }}\n    gate:\n      require_aproval: true\n      condition: complexity is nul\n  - id: one\n    loop: {steps: [{id: in, end: nowhere}]}\n";
    let told: String = check(text, &Around::default()).unwrap().findings.iter().map(|finding| format!("{finding} at {}\n", finding.pointer)).collect();
    insta::assert_snapshot!(told);
}

#[test]
fn the_schema_that_is_published_names_every_key_and_refuses_others() {
    let schema = workflow::document::schema();
    insta::assert_snapshot!(format!("{schema:#}"));
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["$defs"]["Gate"]["properties"].as_object().unwrap().len(), 16, "twelve predicates and four that say how a person is asked");
}

#[test]
fn json_and_yaml_say_the_same() {
    let yaml = "steps:\n  - id: release\n    by: human\n    gate: {requires_approval: true, prompt: 'Release {{ task.id }}?', approvers: {min: 1, roles: [maintainer]}, timeout: {after: 72h, then: escalate}}\nworkflow: x\n";
    let json = r#"{"workflow":"x","steps":[{"id":"release","by":"human","gate":{"requires_approval":true,"prompt":"Release {{ task.id }}?","approvers":{"min":1,"roles":["maintainer"]},"timeout":{"after":"72h","then":"escalate"}}}]}"#;
    let (yaml, json) = (check(yaml, &Around::default()).unwrap(), check(json, &Around::default()).unwrap());
    assert_eq!(yaml.source.value, json.source.value);
    assert_eq!(yaml.document, json.document);
    assert!(yaml.is_sound(), "{:?}", yaml.findings);
}

#[test]
fn an_outline_reads_as_the_workflow_runs() {
    let template = workflow::templates::template("bugfix").unwrap();
    let checked = check(template.text, &Around::default()).unwrap();
    insta::assert_snapshot!(workflow::outline::text(&checked.document));
    let counts = checked.counts();
    assert_eq!((counts.steps, counts.gates, counts.decisions, counts.parallel, counts.warnings.len()), (6, 3, 1, 1, 0));
}

#[test]
fn every_sound_template_compiles_to_blocks() {
    for template in workflow::templates::TEMPLATES {
        let checked = check(template.text, &Around::default()).unwrap();
        let version = workflow::Version::of(&checked.source.value).unwrap().0;
        let plan = workflow::plan::Plan::compile(&checked.document, version.as_str()).unwrap();
        assert_eq!(plan.steps.len(), checked.document.steps.len(), "{}", template.slug);
        for (place, block) in plan.blocks.iter().enumerate() {
            assert!(plan.list_of(place).contains(&place), "{}: {}", template.slug, block.id);
            assert_eq!(plan.named(&block.id), Some(place));
        }
    }
}
