//! The fields of the open card: each is its value, and where the reader may change it, a press unfolds its form.

use crate::components::avatar::Avatar;
use crate::components::form::{CommandForm, Send, TextArea, TextField};
use crate::components::icon::Icon;
use crate::components::inplace::{EditForm, Values};
use crate::components::panel::of_open;
use crate::components::spec::Prose;
use crate::store::Store;
use crate::{browser, times};
use contracts::TaskId;
use contracts::view::TaskView;
use leptos::prelude::*;

/// The id of what unfolds to say whom it is for, and of what unfolds to change the priority.
pub const ASSIGN: &str = "assign";
/// As [`ASSIGN`].
pub const PRIORITY: &str = "priority";

/// Assignee, priority and the rest.
#[component]
pub fn Facts() -> impl IntoView {
    let store = expect_context::<Store>();
    // Forms are made once for a task, so that a change beside them leaves what is typed alone.
    let ground = of_open(store, |task| {
        let may = |command: &str| super::actions::refusal(task, command).is_none();
        (task.card.id.clone(), may("edit"), may("assign"))
    });
    move || {
        ground.get().map(|(task, edits, assigns)| {
            view! {
                <section>
                    <h2 class="only-read">"Facts"</h2>
                    <dl class="facts">
                        <Closing/>
                        <dt>"Assignee"</dt><dd><Assignee task=task.clone() may=assigns/></dd>
                        <dt>"Priority"</dt><dd><Priority task=task.clone() may=edits/></dd>
                        <Type task=task.clone() may=edits/>
                        <Labels task=task.clone() may=edits/>
                        <Milestone task=task.clone() may=edits/>
                        <Due task=task.clone() may=edits/>
                        <Fixed/>
                    </dl>
                </section>
            }
        })
    }
}

/// What stands in for nothing: an invitation where it can be changed.
fn nothing(text: &'static str) -> AnyView {
    view! { <span class="quiet">{text}</span> }.into_any()
}

/// What unfolds a form: the value itself.
fn press(label: &'static str, value: AnyView) -> AnyView {
    view! { <summary><span class="only-read">{format!("Change {label}: ")}</span>{value}<Icon name="edit" size="sm"/></summary> }.into_any()
}

#[component]
fn Closing() -> impl IntoView {
    let store = expect_context::<Store>();
    let note = of_open(store, |task| (task.closing_html.clone(), task.closing_note.clone()));
    move || note.get().filter(|(_, text)| !text.is_empty()).map(|(html, text)| view! { <dt>"Closed with"</dt><dd><Prose html=html text=text/></dd> })
}

#[component]
fn Assignee(task: TaskId, may: bool) -> impl IntoView {
    let store = expect_context::<Store>();
    let assignee = of_open(store, |task| task.card.assignee.clone());
    let value = move || match assignee.get().flatten() {
        Some(actor) => view! { <Avatar actor=actor.clone()/><bdi>{actor.short().to_owned()}</bdi> }.into_any(),
        None => nothing("nobody"),
    };
    if !may {
        return view! { {value} }.into_any();
    }
    let me = store.me.with_untracked(|me| me.actor.to_string());
    let refused = store.refusal.get_untracked().is_some_and(|refusal| refusal.command == "assign");
    view! {
        <details class="unfold inplace" data-once="" id=ASSIGN open=refused>
            {press("whom it is for", view! { {value} }.into_any())}
            <CommandForm command="assign" place=ASSIGN task=task class="stack" label="Assign">
                <TextField name="to" label="For whom" placeholder="dev:ana or agent:ana/w1" list="known-actors" required=true/>
                <KnownActors/>
                <div class="row wrap">
                    <Send text="Assign"/>
                    <button class="button" name="to" value=me formnovalidate="">"Me"</button>
                    <button class="button" name="to" value="" formnovalidate="">"Nobody"</button>
                </div>
            </CommandForm>
        </details>
    }
    .into_any()
}

/// Everybody known, for a field that names one.
#[component]
fn KnownActors() -> impl IntoView {
    let store = expect_context::<Store>();
    let known = move || {
        let me = store.me.with(|me| me.actor.clone());
        let mut actors: Vec<_> = store.actors.with(|rows| rows.iter().map(|row| row.actor.clone()).collect());
        actors.push(me);
        actors.sort();
        actors.dedup();
        actors.into_iter().filter(|actor| actor.is_dev() || actor.is_agent()).map(|actor| view! { <option value=actor.to_string()></option> }).collect_view()
    };
    view! { <datalist id="known-actors">{known}</datalist> }.into_any()
}

const LEVELS: [(&str, Option<&str>); 4] = [("Urgent", Some("p0")), ("High", Some("p1")), ("Normal", None), ("Someday", Some("p3"))];

fn level(priority: u8) -> AnyView {
    let (word, icon) = LEVELS.get(usize::from(priority)).copied().unwrap_or(LEVELS[2]);
    view! { {icon.map(|icon| view! { <Icon name=icon size="sm"/> })}{word} }.into_any()
}

#[component]
fn Priority(task: TaskId, may: bool) -> impl IntoView {
    let store = expect_context::<Store>();
    let priority = of_open(store, |task| task.card.priority);
    let value = move || priority.get().map(level);
    if !may {
        return view! { {value} }.into_any();
    }
    let buttons = (0u8..4).map(move |each| {
        let chosen = move || (priority.get() == Some(each)).then_some("true");
        view! { <button class="button" data-kind="quiet" name="priority" value=each.to_string() aria-current=chosen>{level(each)}</button> }
    });
    view! {
        <details class="unfold inplace" data-once="" id=PRIORITY>
            {press("priority", view! { {value} }.into_any())}
            <CommandForm command="edit" place=PRIORITY task=task class="choose" label="Priority" only=("form", PRIORITY.to_owned())>
                <input type="hidden" name="form" value=PRIORITY/>
                {buttons.collect_view()}
            </CommandForm>
        </details>
    }
    .into_any()
}

#[component]
fn Type(task: TaskId, may: bool) -> impl IntoView {
    let store = expect_context::<Store>();
    let kind = of_open(store, |task| {
        let size = task.card.complexity.map(|size| format!(" · size {}", size.as_str())).unwrap_or_default();
        let area = task.card.vertical.as_ref().map(|area| format!(" · {area}")).unwrap_or_default();
        format!("{}{size}{area}", task.card.kind)
    });
    let value = move || kind.get();
    let now: fn(&TaskView, contracts::Offsets) -> Values = |task, _| vec![("type", task.card.kind.clone())];
    let dd = if may {
        let summary = press("type", view! { {value} }.into_any());
        view! { <EditForm place="type" task=task label="Type" now=now summary=summary><TextField name="type" label="Type" placeholder="task, feature, bug" required=true/></EditForm> }.into_any()
    } else {
        view! { {value} }.into_any()
    };
    view! { <dt>"Type"</dt><dd>{dd}</dd> }.into_any()
}

#[component]
fn Labels(task: TaskId, may: bool) -> impl IntoView {
    let store = expect_context::<Store>();
    let labels = of_open(store, |task| task.card.labels.clone());
    let value = move || match labels.get().unwrap_or_default() {
        none if none.is_empty() => nothing("none"),
        some => some.into_iter().map(|label| view! { <span class="chip">{label}</span> }).collect_view().into_any(),
    };
    if !may {
        return view! { <dt>"Labels"</dt><dd>{value}</dd> }.into_any();
    }
    let now: fn(&TaskView, contracts::Offsets) -> Values = |task, _| vec![("labels", task.card.labels.join(", "))];
    let typed = labels.get_untracked().unwrap_or_default().join(", ");
    let summary = press("labels", view! { {value} }.into_any());
    view! {
        <dt>"Labels"</dt>
        <dd><EditForm place="labels" task=task label="Labels" now=now summary=summary><TextField name="labels" label="Labels, with commas between" value=typed/></EditForm></dd>
    }
    .into_any()
}

#[component]
fn Milestone(task: TaskId, may: bool) -> impl IntoView {
    let store = expect_context::<Store>();
    let milestone = of_open(store, |task| task.milestone_detail.as_ref().map(|milestone| (milestone.title.clone(), milestone.id.clone())));
    let value = move || match milestone.get().flatten() {
        Some((title, id)) => {
            let hue = move || store.milestone_hue(&id).map(|hue| hue.to_string());
            view! { <i class="milestone" data-hue=hue></i><bdi>{title}</bdi> }.into_any()
        }
        None => nothing("none"),
    };
    if !may {
        return view! { <dt>"Milestone"</dt><dd>{value}</dd> }.into_any();
    }
    let now: fn(&TaskView, contracts::Offsets) -> Values =
        |task, _| vec![("milestone", task.card.milestone.as_ref().map(ToString::to_string).unwrap_or_default())];
    let chosen = milestone.get_untracked().flatten().map(|(_, id)| id);
    let options = move || {
        let chosen = chosen.clone();
        store
            .milestones
            .get()
            .into_iter()
            .map(move |milestone| {
                let is_chosen = chosen.as_ref() == Some(&milestone.id);
                view! { <option value=milestone.id.to_string() selected=is_chosen>{milestone.title}</option> }
            })
            .collect_view()
    };
    let summary = press("milestone", view! { {value} }.into_any());
    view! {
        <dt>"Milestone"</dt>
        <dd>
            <EditForm place="milestone" task=task label="Milestone" now=now summary=summary>
                <label class="labelled">
                    <span>"Milestone"</span>
                    <span class="field"><select name="milestone"><option value="">"none"</option>{options}</select></span>
                </label>
            </EditForm>
        </dd>
    }
    .into_any()
}

#[component]
fn Due(task: TaskId, may: bool) -> impl IntoView {
    let store = expect_context::<Store>();
    let offset = store.clock();
    let due = of_open(store, |task| task.card.due_at);
    let value = move || match due.get().flatten() {
        Some(at) => {
            let (text, over) = times::due(store.now.get(), at, offset);
            view! { <time datetime=times::machine(at, offset) title=times::absolute(at, offset) data-overdue=over.then_some("")>{text}</time> }.into_any()
        }
        None => nothing("none"),
    };
    if !may {
        return view! { <dt>"Due"</dt><dd>{value}</dd> }.into_any();
    }
    let now: fn(&TaskView, contracts::Offsets) -> Values =
        |task, offset| vec![("due_at", task.card.due_at.map(|due| times::date(due, offset)).unwrap_or_default())];
    let typed = due.get_untracked().flatten().map(|due| times::date(due, offset)).unwrap_or_default();
    let summary = press("due date", view! { {value} }.into_any());
    view! {
        <dt>"Due"</dt>
        <dd><EditForm place="due" task=task label="Due" now=now summary=summary><TextField name="due_at" label="Due (empty: none)" kind="date" value=typed/></EditForm></dd>
    }
    .into_any()
}

/// What is not changed here: where the work is done, and where it came from.
#[component]
fn Fixed() -> impl IntoView {
    let store = expect_context::<Store>();
    let offset = store.clock();
    let seen = of_open(store, |task| {
        let places = (task.card.branch.clone(), task.worktree.clone());
        (places, task.card.children, task.review_required, task.created_by.short().to_owned(), task.card.created_at)
    });
    move || {
        seen.get().map(|((branch, worktree), children, review, by, at)| {
            view! {
                {branch.map(|branch| view! { <dt>"Branch"</dt><dd><Copied text=branch/></dd> })}
                {worktree.map(|place| view! { <dt>"Worktree"</dt><dd><Copied text=place/></dd> })}
                {(children.1 > 0).then(|| view! { <dt>"Subtasks"</dt><dd>{format!("{} of {} closed", children.0, children.1)}</dd> })}
                {review.then(|| view! { <dt>"Review"</dt><dd>"needed before it closes"</dd> })}
                <dt>"Created"</dt><dd><span>{format!("{} by ", times::absolute(at, offset))}<bdi>{by}</bdi></span></dd>
            }
        })
    }
}

/// A name that one wants to paste elsewhere: whole, over several lines when it is long, and a press copies it.
#[component]
fn Copied(text: String) -> impl IntoView {
    let store = expect_context::<Store>();
    let shown = text.clone();
    let copy = move |_| {
        browser::copy(&text);
        store.say("Copied.");
    };
    view! { <button class="id" type="button" data-wraps="" title="Copy it" on:click=copy>{shown}</button> }.into_any()
}

/// The files it touches, to be changed.
#[component]
pub fn EditFiles() -> impl IntoView {
    let store = expect_context::<Store>();
    let ground = of_open(store, |task| super::actions::refusal(task, "edit").is_none().then(|| task.card.id.clone()));
    let now: fn(&TaskView, contracts::Offsets) -> Values = |task, _| vec![("files", task.files.join("\n"))];
    move || {
        ground.get().flatten().map(|task| {
            let typed = store.open.with_untracked(|task| task.as_ref().map(|task| task.files.join("\n")).unwrap_or_default());
            let summary = view! { <summary class="button" data-kind="quiet" aria-label="Edit the files">"Edit"</summary> }.into_any();
            view! {
                <EditForm place="files" task=task label="Files" now=now summary=summary>
                    <TextArea name="files" label="Files it will touch, one a line" value=typed rows=3/>
                </EditForm>
            }
        })
    }
}
