//! What can be done with the open card: every command the reader may give, and in words why not the others.

use crate::components::form::{CommandForm, FormState, Send, TextArea, TextField};
use crate::components::panel::of_open;
use crate::moves::{self, Ask, Move};
use crate::store::Store;
use contracts::standing::Column;
use contracts::view::{TaskCard, TaskView};
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

/// What the actions of a task depend on.
#[derive(Clone, PartialEq)]
struct Ground {
    task: TaskId,
    /// Action, and the refusal that is worth showing.
    actions: Vec<(Action, Option<String>)>,
    commits: u32,
    children: bool,
}

fn ground(task: &TaskView) -> Ground {
    let actions = ACTIONS
        .into_iter()
        .filter_map(|action| {
            let allowance = task.allowed.iter().find(|allowance| allowance.command == action.command)?;
            match &allowance.refused {
                None => Some((action, None)),
                Some(refused) if is_beside_the_point(refused.code) => None,
                Some(refused) => Some((action, Some(refused.text.clone()))),
            }
        })
        .collect();
    let (closed, all) = task.card.children;
    Ground { task: task.card.id.clone(), actions, commits: task.card.commits, children: closed < all }
}

/// All actions of the open card.
#[component]
pub fn Actions() -> impl IntoView {
    let store = expect_context::<Store>();
    let seen = of_open(store, ground);
    move || {
        seen.get().map(|ground| {
            let refused: Vec<_> = ground.actions.iter().filter_map(|(action, refused)| Some((action.word, refused.clone()?))).collect();
            let buttons = ground.actions.iter().map(|(action, refused)| one(*action, refused.is_some(), &ground)).collect_view();
            view! {
                <div class="acts">
                    {buttons}
                    <MoveTo/>
                </div>
                {refused.into_iter().map(|(word, text)| view! { <p class="quiet t-12"><b>{word}</b>": "{text}</p> }).collect_view()}
            }
        })
    }
}

fn one(action: Action, refused: bool, ground: &Ground) -> AnyView {
    let Action { command, word, takes } = action;
    if refused {
        return view! { <button class="button" type="button" disabled=true>{word}</button> }.into_any();
    }
    let task = ground.task.clone();
    if takes == Takes::Nothing {
        return view! {
            <CommandForm command=command place=command task=task class="inline"><Send text=word quiet=command != "claim"/></CommandForm>
        }
        .into_any();
    }
    let (commits, children) = (ground.commits, ground.children);
    let fields = move || match (command, takes) {
        (_, Takes::Closing) => view! { <Closing commits=commits/> }.into_any(),
        (_, Takes::Cancelling) => view! { <Cancelling children=children/> }.into_any(),
        ("block", _) => view! { <Blocking/> }.into_any(),
        ("release", _) => view! { <TextArea name="note" label="What is done and what is left (not required)"/> }.into_any(),
        ("hold", _) => view! { <TextArea name="note" label="Why, and until when"/> }.into_any(),
        _ => view! { <TextArea name="note" label="Why (not required)"/> }.into_any(),
    };
    let store = expect_context::<Store>();
    let open = store.refusal.get_untracked().is_some_and(|refusal| refusal.command == command);
    view! {
        <details class="unfold" data-once="" name="act" open=open>
            <summary class="button">{format!("{word}…")}</summary>
            <CommandForm command=command place=command task=task class="stack" label=word>
                {fields()}
                <div class="row"><Send text=word/></div>
            </CommandForm>
        </details>
    }
    .into_any()
}

/// The words a close or a submission takes.
#[component]
fn Closing(commits: u32) -> impl IntoView {
    let ticked = FormState::typed("no_code", if commits == 0 { "true" } else { "" }) == "true";
    let evidence = if commits == 0 { "No commit is bound to it, so the note says why." } else { "Its commits are the evidence; a note is welcome." };
    view! {
        <p class="quiet t-12">{evidence}</p>
        <TextArea name="note" label="What was delivered" required=commits == 0/>
        <label class="tick"><input type="checkbox" name="no_code" value="true" checked=ticked/>" Without code"</label>
    }
    .into_any()
}

#[component]
fn Cancelling(children: bool) -> impl IntoView {
    view! {
        <TextArea name="note" label="Why" required=true/>
        {children.then(|| view! { <label class="tick"><input type="checkbox" name="with_children" value="true"/>" Its open subtasks too"</label> })}
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

/// What "Move to…" depends on.
#[derive(Clone, PartialEq)]
struct Target {
    card: TaskCard,
    moves: Vec<(Column, Option<String>)>,
}

/// The twin of dragging: one form a column.
#[component]
fn MoveTo() -> impl IntoView {
    let store = expect_context::<Store>();
    let seen = of_open(store, |task| Target {
        card: task.card.clone(),
        moves: crate::order::COLUMNS
            .into_iter()
            .filter(|column| *column != task.card.column)
            .map(|column| {
                let may = task.card.moves.contains(&column);
                (column, (!may).then(|| moves::reason(&task.card, &task.allowed, column).unwrap_or_else(|| "not from here".to_owned())))
            })
            .collect(),
    });
    move || {
        seen.get().map(|target| {
            let asked = store.refusal.get_untracked().filter(|refusal| refusal.command == "move").and_then(|refusal| refusal.fields.get("to").cloned());
            let open = asked.is_some();
            let me = store.me.with_untracked(|me| me.actor.clone());
            let rows = target.moves.into_iter().map(|(column, refused)| row(&target.card, column, &me, refused, asked.as_deref())).collect_view();
            view! {
                <details class="unfold" data-once="" id=MOVE name="act" open=open>
                    <summary class="button">"Move to…"</summary>
                    <ul class="moves">{rows}</ul>
                </details>
            }
        })
    }
}

/// One column: the button that moves there, or, where words are needed first, what unfolds their form. Either bears the column's name.
fn row(card: &TaskCard, column: Column, me: &Actor, refused: Option<String>, asked: Option<&str>) -> AnyView {
    let (name, to, task) = (column.words(), column.as_str(), card.id.clone());
    if let Some(reason) = refused {
        return view! { <li><button class="button" type="button" disabled=true>{name}</button><span class="quiet t-12">{reason}</span></li> }.into_any();
    }
    match moves::plan(card, column, me) {
        Ok(Move::Ask(ask)) => view! {
            <li>
                <details class="unfold" name="move" open=asked == Some(to)>
                    <summary class="button">{format!("{name}…")}</summary>
                    <AskForm task=task ask=ask done=Callback::new(|_| ())/>
                </details>
            </li>
        }
        .into_any(),
        Ok(Move::Now(_)) => view! {
            <li>
                <CommandForm command="move" place=format!("move-{to}") task=task class="inline" only=("to", to.to_owned())>
                    <input type="hidden" name="to" value=to/>
                    <Send text=name quiet=true/>
                </CommandForm>
            </li>
        }
        .into_any(),
        Err(problem) => view! { <li><span class="quiet t-12">{problem.title}</span></li> }.into_any(),
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
