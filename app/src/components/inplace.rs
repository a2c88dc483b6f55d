//! Editing in place: a value that unfolds its form. An open form keeps what was typed whatever changes around it. When somebody else
//! changed the task meanwhile, fields the reader left alone take the new value, and for the others both are shown and the reader chooses.

use crate::components::form::{CommandForm, Send};
use crate::store::Store;
use crate::{browser, words};
use contracts::view::TaskView;
use contracts::{Code, TaskId};
use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::HtmlFormElement;

/// What the fields of a form hold.
pub type Values = Vec<(&'static str, String)>;

/// How often a form is sent again by itself because the task moved on in fields that are not its own.
const AGAIN_MAX: u8 = 3;

/// A field that two people changed.
#[derive(Clone, Debug, PartialEq)]
struct Clash {
    name: &'static str,
    theirs: String,
}

/// What becomes of a form whose task moved on.
#[derive(Debug, Default, PartialEq)]
struct Merged {
    /// Fields the reader left alone, with what others made of them.
    taken: Values,
    /// Fields both changed.
    clashes: Vec<Clash>,
}

/// Compares, field by field, what the form was opened with, what the task holds now, and what was typed.
fn merged(base: &Values, theirs: &Values, mine: impl Fn(&str) -> Option<String>) -> Merged {
    let mut merged = Merged::default();
    for (name, theirs) in theirs {
        let before = base.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str());
        let mine = mine(name).map(|mine| mine.replace("\r\n", "\n"));
        if before == Some(theirs) || mine.as_ref() == Some(theirs) {
            continue;
        }
        if mine.as_deref() == before {
            merged.taken.push((name, theirs.clone()));
        } else {
            merged.clashes.push(Clash { name, theirs: theirs.clone() });
        }
    }
    merged
}

/// A value's form. `now` reads the form's fields off a task; `place` is unique on the page, and the id of what unfolds.
#[component]
pub fn EditForm(
    place: &'static str,
    task: TaskId,
    #[prop(into)] label: String,
    now: fn(&TaskView, contracts::Offsets) -> Values,
    #[prop(optional)] class: &'static str,
    summary: AnyView,
    children: Children,
) -> impl IntoView {
    let store = expect_context::<Store>();
    let offset = store.clock();
    let here = move || store.open.with_untracked(|task| task.as_ref().map(|task| (now(task, offset), task.card.version)));
    let (values, version) = here().unwrap_or_default();
    let refused = store.refusal.get_untracked().filter(|refusal| refusal.fields.get("form").is_some_and(|form| form == place));
    let open = refused.is_some();
    let clashing =
        refused.filter(|refusal| refusal.problem.code == Code::Stale).map(|refusal| merged(&Vec::new(), &values, |name| refusal.fields.get(name).cloned()));
    let clashes = RwSignal::new(clashing.map(|merged| merged.clashes).unwrap_or_default());
    let base = StoredValue::new(values);
    let tries = StoredValue::new(0u8);
    let form = move || browser::element(place).and_then(|details| browser::form_in(&details));
    let begin = move |event: web_sys::Event| {
        let opened = event_target::<web_sys::Element>(&event).has_attribute("open");
        if let (true, Some((values, version)), Some(form)) = (opened, here(), form()) {
            browser::fill(&form, &values);
            browser::fill(&form, &[("expect", version.to_string())]);
            base.set_value(values);
            tries.set_value(0);
            clashes.set(Vec::new());
            browser::focus_in(&form);
        }
    };
    let id = task.clone();
    let stale = Callback::new(move |form: HtmlFormElement| {
        let id = id.clone();
        spawn_local(async move {
            store.read_task(id).await;
            let Some((values, version)) = here() else { return };
            let Merged { taken, clashes: both } = base.with_value(|base| merged(base, &values, |name| browser::value_of(&form, name)));
            browser::fill(&form, &taken);
            browser::fill(&form, &[("expect", version.to_string())]);
            base.set_value(values);
            tries.update_value(|tries| *tries += 1);
            if both.is_empty() && tries.with_value(|tries| *tries <= AGAIN_MAX) {
                let _ = form.request_submit();
            } else {
                clashes.set(both);
            }
        });
    });
    let fold = move |_| browser::fold(place);
    view! {
        <details class=format!("unfold inplace {class}") data-once="" id=place open=open on:toggle=begin>
            {summary}
            <CommandForm command="edit" place=place task=task class="stack" label=label only=("form", place.to_owned()) stale=stale>
                <input type="hidden" name="form" value=place/>
                <input type="hidden" name="expect" value=version.to_string()/>
                {children()}
                {move || {
                    let both = clashes.get();
                    (!both.is_empty()).then(|| view! { <Clashes both=both form=Callback::new(move |(name, theirs): (&'static str, String)| {
                        if let Some(form) = form() {
                            browser::fill(&form, &[(name, theirs)]);
                            clashes.update(|both| both.retain(|clash| clash.name != name));
                        }
                    })/> })
                }}
                <div class="row">
                    <Send text="Save"/>
                    <button class="button only-app" type="button" data-kind="quiet" on:click=fold>"Cancel"</button>
                </div>
            </CommandForm>
        </details>
    }
    .into_any()
}

/// Both versions of what two people changed.
#[component]
fn Clashes(both: Vec<Clash>, form: Callback<(&'static str, String)>) -> impl IntoView {
    let rows = both.into_iter().map(|clash| {
        let Clash { name, theirs } = clash;
        let shown = if theirs.is_empty() { "(empty)".to_owned() } else { theirs.clone() };
        view! {
            <li>
                <b>{format!("{} as it is now", named(name))}</b>
                <pre dir="auto" tabindex="0">{shown}</pre>
                <button class="button only-app" type="button" on:click=move |_| form.run((name, theirs.clone()))>"Take this"</button>
            </li>
        }
    });
    view! {
        <div class="clash" role="alert">
            <p><strong>"Somebody else changed this while you wrote."</strong>" Save keeps what stands in your form; the other version stays in the history."</p>
            <ul>{rows.collect_view()}</ul>
        </div>
    }
    .into_any()
}

/// A field as people call it.
fn named(name: &str) -> String {
    match name {
        "due_at" => "Due".to_owned(),
        other => words::sentence(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(title: &str, spec: &str) -> Values {
        vec![("title", title.to_owned()), ("spec", spec.to_owned())]
    }

    fn of(base: Values, theirs: Values, mine: Values) -> Merged {
        merged(&base, &theirs, |name| mine.iter().find(|(own, _)| *own == name).map(|(_, value)| value.clone()))
    }

    #[test]
    fn what_only_one_of_two_changed_is_no_conflict() {
        let base = || values("a", "b");
        assert_eq!(of(base(), base(), values("mine", "b")), Merged::default(), "nobody else touched it");
        assert_eq!(of(base(), values("a", "theirs"), values("mine", "b")), Merged { taken: vec![("spec", "theirs".to_owned())], clashes: Vec::new() });
        assert_eq!(of(base(), values("same", "b"), values("same", "b")), Merged::default(), "both wrote the same");
        assert_eq!(of(values("a", "one\ntwo"), values("a", "one\ntwo"), values("a", "one\r\ntwo")), Merged::default(), "a form's line ends are no change");
    }

    #[test]
    fn what_both_changed_is_shown_both_ways() {
        let clash = Clash { name: "title", theirs: "theirs".to_owned() };
        assert_eq!(of(values("a", "b"), values("theirs", "b"), values("mine", "b")), Merged { taken: Vec::new(), clashes: vec![clash.clone()] });
        assert_eq!(of(Vec::new(), values("theirs", "b"), values("mine", "b")).clashes, [clash], "a form sent without scripts knows no base");
    }
}
