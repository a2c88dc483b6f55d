//! What can be done with the open card: every command the reader may give, and in words why not the others.

use crate::components::form::{CommandForm, FormState, Send, TextArea, TextField};
use crate::components::icon::Icon;
use crate::components::panel::of_open;
use crate::moves::{self, Ask, Move};
use crate::store::Store;
use contracts::standing::Column;
use contracts::view::TaskView;
use contracts::{Actor, Code, TaskId};
use leptos::prelude::*;

/// Why the reader may not give a command; none when they may.
pub fn refusal(task: &TaskView, command: &str) -> Option<String> {
    let allowance = task.allowed.iter().find(|allowance| allowance.command == command)?;
    allowance.refused.as_ref().map(|refusal| refusal.text.clone())
}

/// Commands that make no sense for a task as it is, so that their refusal is not worth a line.
fn is_beside_the_point(code: Code) -> bool {
    code == Code::IllegalMove
}

/// One action: a command, its word, and the words it takes.
#[derive(Clone, Copy, PartialEq)]
struct Action {
    command: &'static str,
    word: &'static str,
    takes: Takes,
}

#[derive(Clone, Copy, PartialEq)]
enum Takes {
    Nothing,
    Note,
    Closing,
    Cancelling,
}

const ACTIONS: [Action; 9] = [
    Action { command: "claim", word: "Claim", takes: Takes::Nothing },
    Action { command: "close", word: "Close", takes: Takes::Closing },
    Action { command: "submit", word: "Submit for review", takes: Takes::Closing },
    Action { command: "release", word: "Release", takes: Takes::Note },
    Action { command: "hold", word: "Hold", takes: Takes::Note },
    Action { command: "unhold", word: "Lift the hold", takes: Takes::Nothing },
    Action { command: "reopen", word: "Reopen", takes: Takes::Note },
    Action { command: "block", word: "Add a dependency", takes: Takes::Note },
    Action { command: "cancel", word: "Cancel task", takes: Takes::Cancelling },
];

/// What stands in the row itself: what a reader of a card wants of it most. The rest is one press further away.
const MAIN: [&str; 5] = ["claim", "close", "submit", "unhold", "reopen"];

/// How an action stands for the reader.
#[derive(Clone, PartialEq)]
enum Offer {
    /// It makes no sense for a task as it is.
    Absent,
    Given,
    /// Why not.
    Refused(String),
}

fn offer(task: &TaskView, command: &str) -> Offer {
    match task.allowed.iter().find(|allowance| allowance.command == command).map(|allowance| &allowance.refused) {
        None => Offer::Absent,
        Some(None) => Offer::Given,
        Some(Some(refused)) if is_beside_the_point(refused.code) => Offer::Absent,
        Some(Some(refused)) => Offer::Refused(refused.text.clone()),
    }
}

/// All actions of the open card.
#[component]
pub fn Actions() -> impl IntoView {
    let store = expect_context::<Store>();
    // Everything is made once for a task and follows what it shows by itself, so that a change elsewhere neither folds a form nor
    // takes what is typed into it.
    let task = of_open(store, |task| task.card.id.clone());
    // The answer to a refused form shows it, wherever it is.
    let asked =
        store.refusal.get_untracked().is_some_and(|refusal| !is_main(&refusal.command) && ACTIONS.iter().any(|action| action.command == refusal.command));
    move || {
        task.get().map(|task| {
            let buttons = |main: bool| {
                let these = ACTIONS.into_iter().filter(|action| is_main(action.command) == main);
                these.map(|action| view! { <Offered action=action task=task.clone()/> }).collect_view()
            };
            view! {
                <div class="acts">
                    {buttons(true)}
                    <MoveTo task=task.clone()/>
                    <details class="unfold" data-part="more" open=asked>
                        <summary class="button" data-shape="square" aria-label="More actions" title="More actions"><Icon name="more"/></summary>
                        <div class="acts">{buttons(false)}</div>
                        <WhyNot main=false/>
                    </details>
                </div>
                <WhyNot main=true/>
            }
        })
    }
}

fn is_main(command: &str) -> bool {
    MAIN.contains(&command)
}

/// Why those of the actions that are refused are.
#[component]
fn WhyNot(main: bool) -> impl IntoView {
    let refused = of_open(expect_context::<Store>(), move |task| {
        let why = |action: &Action| match offer(task, action.command) {
            Offer::Refused(text) => Some((action.word, text)),
            _ => None,
        };
        ACTIONS.iter().filter(|action| is_main(action.command) == main).filter_map(why).collect::<Vec<_>>()
    });
    move || {
        let refused = refused.get().unwrap_or_default();
        refused.into_iter().map(|(word, text)| view! { <p class="quiet t-12"><b>{word}</b>": "{text}</p> }).collect_view()
    }
}

/// One action: its button, or what unfolds its form. A form that is open stays when the action is refused meanwhile: what is typed
/// into it is still somebody's, and sending it says why not.
#[component]
fn Offered(action: Action, task: TaskId) -> impl IntoView {
    let store = expect_context::<Store>();
    let Action { command, word, takes } = action;
    let offer = of_open(store, move |task| offer(task, command));
    let known = Memo::new(move |_| offer.with(|offer| offer.as_ref().is_some_and(|offer| *offer != Offer::Absent)));
    let refused = Memo::new(move |_| offer.with(|offer| matches!(offer, Some(Offer::Refused(_)))));
    let disabled = move || refused.get().then(|| view! { <button class="button" type="button" disabled=true>{word}</button> });
    move || {
        let task = task.clone();
        known.get().then(|| {
            if takes == Takes::Nothing {
                let given = move || {
                    let task = task.clone();
                    (!refused.get()).then(|| {
                        view! { <CommandForm command=command place=command task=task class="inline"><Send text=word quiet=command != "claim"/></CommandForm> }
                    })
                };
                return view! { {disabled}{given} }.into_any();
            }
            let open = store.refusal.get_untracked().is_some_and(|refusal| refusal.command == command);
            view! {
                {disabled}
                <details class="unfold" data-once="" name="act" open=open data-refused=move || refused.get().then_some("")>
                    <summary class="button">{format!("{word}…")}</summary>
                    <CommandForm command=command place=command task=task class="stack" label=word>
                        {fields(action)}
                        <div class="row"><Send text=word/></div>
                    </CommandForm>
                </details>
            }
            .into_any()
        })
    }
}

/// The words an action takes.
fn fields(action: Action) -> AnyView {
    match (action.command, action.takes) {
        (_, Takes::Closing) => view! { <Closing/> }.into_any(),
        (_, Takes::Cancelling) => view! { <Cancelling/> }.into_any(),
        ("block", _) => view! { <Blocking/> }.into_any(),
        ("release", _) => view! { <TextArea name="note" label="What is done and what is left (not required)"/> }.into_any(),
        ("hold", _) => view! { <TextArea name="note" label="Why, and until when"/> }.into_any(),
        _ => view! { <TextArea name="note" label="Why (not required)"/> }.into_any(),
    }
}

/// The words a close or a submission takes.
#[component]
fn Closing() -> impl IntoView {
    let store = expect_context::<Store>();
    let commits = of_open(store, |task| task.card.commits);
    let without = Memo::new(move |_| commits.get().is_none_or(|commits| commits == 0));
    let typed = FormState::typed("no_code", "") == "true";
    let evidence = move || if without.get() { "No commit is bound to it, so the note says why." } else { "Its commits are the evidence; a note is welcome." };
    view! {
        <p class="quiet t-12">{evidence}</p>
        <TextArea name="note" label="What was delivered" required=without/>
        <label class="tick"><input type="checkbox" name="no_code" value="true" checked=move || typed || without.get()/>" Without code"</label>
    }
    .into_any()
}

#[component]
fn Cancelling() -> impl IntoView {
    let store = expect_context::<Store>();
    let children = of_open(store, |task| task.card.children.0 < task.card.children.1);
    let too = move || {
        let open = children.get().unwrap_or_default();
        open.then(|| view! { <label class="tick"><input type="checkbox" name="with_children" value="true"/>" Its open subtasks too"</label> })
    };
    view! {
        <TextArea name="note" label="Why" required=true/>
        {too}
    }
    .into_any()
}

#[component]
fn Blocking() -> impl IntoView {
    view! {
        <TextField name="on" label="Waits for these tasks" placeholder="tk-4f2a9c"/>
        <TextField name="reason" label="Or for something outside the board"/>
    }
    .into_any()
}

/// The id of what unfolds to move the open card.
pub const MOVE: &str = "move";

/// What a column is to the open card.
#[derive(Clone, PartialEq)]
enum Way {
    /// It lies there.
    Here,
    /// Why it can't go there.
    Refused(String),
    /// It goes there once these words are said.
    Ask(Ask),
    Now,
}

fn way(task: &TaskView, column: Column, me: &Actor) -> Way {
    let card = &task.card;
    if card.column == column {
        return Way::Here;
    }
    if !card.moves.contains(&column) {
        return Way::Refused(moves::reason(card, &task.allowed, column).unwrap_or_else(|| "not from here".to_owned()));
    }
    match moves::plan(card, column, me) {
        Ok(Move::Ask(ask)) => Way::Ask(ask),
        Ok(Move::Now(_)) => Way::Now,
        Err(problem) => Way::Refused(problem.title),
    }
}

/// The twin of dragging: one form a column.
#[component]
fn MoveTo(task: TaskId) -> impl IntoView {
    let store = expect_context::<Store>();
    let asked = store.refusal.get_untracked().filter(|refusal| refusal.command == "move").and_then(|refusal| refusal.fields.get("to").cloned());
    let rows =
        crate::order::COLUMNS.map(|column| view! { <Row task=task.clone() column=column asked=asked.as_deref() == Some(column.as_str())/> }).collect_view();
    view! {
        <details class="unfold" data-once="" id=MOVE name="act" open=asked.is_some()>
            <summary class="button">"Move to…"</summary>
            <ul class="moves">{rows}</ul>
        </details>
    }
    .into_any()
}

/// One column: the button that moves there, or, where words are needed first, what unfolds their form. Either bears the column's name.
#[component]
fn Row(task: TaskId, column: Column, asked: bool) -> impl IntoView {
    let store = expect_context::<Store>();
    let me = store.me.with_untracked(|me| me.actor.clone());
    let way = of_open(store, move |task| way(task, column, &me));
    let (name, to) = (column.words(), column.as_str());
    move || {
        let task = task.clone();
        way.get().and_then(|way| match way {
            Way::Here => None,
            Way::Refused(reason) => {
                Some(view! { <li><button class="button" type="button" disabled=true>{name}</button><span class="quiet t-12">{reason}</span></li> }.into_any())
            }
            Way::Ask(ask) => Some(
                view! {
                    <li>
                        <details class="unfold" name="move" open=asked>
                            <summary class="button">{format!("{name}…")}</summary>
                            <AskForm task=task ask=ask done=Callback::new(|_| ())/>
                        </details>
                    </li>
                }
                .into_any(),
            ),
            Way::Now => Some(
                view! {
                    <li>
                        <CommandForm command="move" place=format!("move-{to}") task=task class="inline" only=("to", to.to_owned())>
                            <input type="hidden" name="to" value=to/>
                            <Send text=name quiet=true/>
                        </CommandForm>
                    </li>
                }
                .into_any(),
            ),
        })
    }
}

/// The words a move needs first.
#[component]
pub fn AskForm(task: TaskId, ask: Ask, done: Callback<Vec<contracts::Receipt>>) -> impl IntoView {
    let to = ask.to().as_str();
    let without_code = matches!(ask, Ask::CloseWithoutCode | Ask::SubmitWithoutCode);
    view! {
        <CommandForm command="move" place=format!("ask-{to}") task=task class="stack" label=ask.title() only=("to", to.to_owned()) done=done>
            <input type="hidden" name="to" value=to/>
            {without_code.then(|| view! { <input type="hidden" name="no_code" value="true"/> })}
            <TextArea name="note" label=ask.question() required=ask != Ask::Reopen id=format!("ask-note-{to}")/>
            <div class="row"><Send text=ask.button()/></div>
        </CommandForm>
    }
    .into_any()
}
