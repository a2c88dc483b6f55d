//! Pages for what is not there, with a real status.

use crate::components::frame::Mark;
use crate::components::icon::Icon;
use crate::{Base, SetStatus, words};
use contracts::{Code, Problem};
use leptos::prelude::*;
use leptos_meta::Title;

/// No such page.
#[component]
pub fn Missing() -> impl IntoView {
    view! { <Failed problem=Problem::new(Code::NotFound, "There is no such page")/> }.into_any()
}

/// A page that could not be made: what happened, and the way on.
#[component]
pub fn Failed(problem: Problem) -> impl IntoView {
    SetStatus::to(problem.code.status());
    let home = Base::here().path("/");
    let again = !matches!(problem.code, Code::NotFound | Code::BadRequest);
    let icon = if again { "unplugged" } else { "search" };
    let hint = problem.hint.for_web();
    let title = problem.title.clone();
    view! {
        <Title text=words::in_title(&format!("{title} · Callboard"))/>
        <div class="app" data-bare="">
            <header class="topbar"><div class="brand"><Mark/><a class="button" data-kind="quiet" href=home.clone() rel="external">"Callboard"</a></div></header>
            <main class="page" id="main">
                <div class="empty">
                    <Icon name=icon size="xl"/>
                    <h1>{title}</h1>
                    {(!problem.detail.is_empty()).then(|| view! { <p>{problem.detail.clone()}</p> })}
                    {(!hint.is_empty()).then(|| view! { <p class="quiet">{hint}</p> })}
                    {problem.incident.clone().map(|incident| view! { <p class="quiet">"Incident "<code class="id">{incident}</code></p> })}
                    <div class="row">
                        {again.then(|| view! { <a class="button" data-kind="primary" href="" rel="external">"Try again"</a> })}
                        <a class="button" href=home rel="external">"Open the board"</a>
                    </div>
                </div>
            </main>
        </div>
    }
    .into_any()
}
