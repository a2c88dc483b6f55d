//! What a person is asked: open questions with their choices, and a submission to judge.

use crate::components::form::{CommandForm, FormState, Send, TextArea};
use crate::components::icon::{Glyph, Shape};
use crate::components::panel::of_open;
use crate::components::spec::Prose;
use crate::components::time::Ago;
use crate::store::Store;
use crate::words;
use contracts::standing::Standing;
use contracts::view::QuestionView;
use leptos::prelude::*;

/// Every open question of the open card.
#[component]
pub fn Questions() -> impl IntoView {
    let store = expect_context::<Store>();
    let questions = of_open(store, |task| task.questions.clone());
    // By id, so that another question leaves what is typed into this one alone.
    view! { <For each=move || questions.get().unwrap_or_default() key=|question| question.id.clone() let:question><Ask question=question/></For> }.into_any()
}

#[component]
fn Ask(question: QuestionView) -> impl IntoView {
    let id = question.id.to_string();
    let heading = format!("{id}-h");
    let (head, body) = worded(&question);
    let only = ("question", id.clone());
    let choices = question.choices.clone();
    view! {
        <section class="gate" aria-labelledby=heading.clone()>
            <header>
                <Glyph shape=Shape::PERSON/>
                <div>
                    {head}
                    <p><b><bdi>{question.by.short().to_owned()}</bdi></b>" asks · "<Ago at=question.at/>" · the task waits for your answer"</p>
                </div>
            </header>
            {body}
            <CommandForm command="answer" place=format!("answer-{id}") label="Answer" class="gateform" only=only>
                <input type="hidden" name="question" value=id.clone()/>
                <Choices choices=choices/>
                <TextArea name="text" label="Answer in words" placeholder="Answer, or a remark on your choice"/>
                <div class="row"><Send text="Answer"/></div>
            </CommandForm>
        </section>
    }
    .into_any()
}

/// A question as its heading, or, when it is more than one paragraph, below a heading that says who asks.
fn worded(question: &QuestionView) -> (AnyView, Option<AnyView>) {
    let heading = format!("{}-h", question.id);
    if question.html.is_empty() {
        return (view! { <h2 id=heading dir="auto">{question.text.clone()}</h2> }.into_any(), None);
    }
    match words::one_paragraph(&question.html) {
        Some(line) => (view! { <h2 id=heading dir="auto" class="oneline" inner_html=line></h2> }.into_any(), None),
        None => {
            let head = view! { <h2 id=heading>{format!("A question from {}", question.by.short())}</h2> }.into_any();
            (head, Some(view! { <div class="gatetext"><Prose html=question.html.clone() text=question.text.clone()/></div> }.into_any()))
        }
    }
}

#[component]
fn Choices(choices: Vec<String>) -> impl IntoView {
    let chosen = FormState::typed("choice", "");
    (!choices.is_empty()).then(|| {
        view! {
            <fieldset class="choices">
                <legend>"Choose one"</legend>
                {choices.into_iter().map(|choice| {
                    let checked = choice == chosen;
                    view! { <label class="tick"><input type="radio" name="choice" value=choice.clone() checked=checked/><span dir="auto">{choice}</span></label> }
                }).collect_view()}
            </fieldset>
        }
    })
}

/// A submission nobody judged yet.
#[component]
pub fn ReviewAsked() -> impl IntoView {
    let store = expect_context::<Store>();
    let asked = of_open(store, |task| {
        let asked = task.card.standing == Standing::InReview || task.card.review.as_ref().is_some_and(|review| review.state == "submitted");
        asked.then(|| (task.card.id.clone(), crate::components::actions::refusal(task, "review")))
    });
    move || {
        asked.get().flatten().map(|(task, refused)| {
            let judged = match refused {
                Some(text) => view! { <p class="quiet t-12 gateform">{text}</p> }.into_any(),
                None => view! {
                    <CommandForm command="review" place="review" task=task class="gateform" label="Review">
                        <TextArea name="note" label="What to change, or what was good" placeholder="Needed to ask for changes"/>
                        <div class="row">
                            <Send text="Ask for changes" quiet=true name="verdict" value="changes"/>
                            <span class="push"><Send text="Pass" name="verdict" value="pass"/></span>
                        </div>
                    </CommandForm>
                }
                .into_any(),
            };
            view! {
                <section class="gate" aria-labelledby="review-h">
                    <HandedIn/>
                    {judged}
                </section>
            }
        })
    }
}

/// Who handed it in, and with what.
#[component]
fn HandedIn() -> impl IntoView {
    let store = expect_context::<Store>();
    let seen = of_open(store, |task| {
        let said = task.thread.iter().rfind(|entry| entry.kind == "task.submitted").map(|entry| entry.html.clone()).unwrap_or_default();
        (task.card.review.clone(), said, task.card.commits)
    });
    move || {
        seen.get().map(|(review, said, commits)| {
            let by = review.as_ref().map(|review| (review.by.clone(), review.at, review.note.clone()));
            let evidence = match commits {
                0 => "No commit is bound to it.".to_owned(),
                n => format!("{} bound to it.", words::count(n.into(), "commit is", "commits are")),
            };
            view! {
                <header>
                    <Glyph shape=Shape::PERSON/>
                    <div>
                        <h2 id="review-h">"Is this good?"</h2>
                        {by.clone().map(|(actor, at, _)| view! { <p><b><bdi>{actor.short().to_owned()}</bdi></b>" handed it in · "<Ago at=at/></p> })}
                    </div>
                </header>
                <dl>
                    {by.filter(|(_, _, note)| !note.is_empty()).map(|(_, _, note)| view! { <dt>"Their note"</dt><dd><Prose html=said text=note/></dd> })}
                    <dt>"Evidence"</dt><dd>{evidence}</dd>
                    <dt>"A yes"</dt><dd>"closes the task, if nothing else is missing."</dd>
                </dl>
            }
        })
    }
}
