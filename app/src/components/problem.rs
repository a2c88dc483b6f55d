//! A refusal where it was caused: what is wrong, and the way out.

use crate::components::icon::Icon;
use contracts::Problem;
use leptos::prelude::*;

/// A problem at the control that caused it.
#[component]
pub fn Notice(#[prop(into)] problem: Signal<Option<Problem>>) -> impl IntoView {
    move || {
        problem.get().map(|problem| {
            let hint = problem.hint.for_web();
            let errors: Vec<_> = problem.errors.iter().filter(|error| !problem.title.contains(&error.text)).map(|error| error.text.clone()).collect();
            view! {
                <div class="notice" role="alert">
                    <Icon name="warning" size="sm"/>
                    <p>
                        <strong>{problem.title.clone()}</strong>
                        {(!problem.detail.is_empty()).then(|| format!(" {}", problem.detail))}
                        {(!errors.is_empty()).then(|| format!(" {}", errors.join(" · ")))}
                        {(!hint.is_empty()).then(|| view! { <span class="hint">{format!(" {hint}")}</span> })}
                        {problem.incident.clone().map(|incident| view! { <span class="hint">" Incident "<code class="id">{incident}</code></span> })}
                    </p>
                </div>
            }
        })
    }
}
