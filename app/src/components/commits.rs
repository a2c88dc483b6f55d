//! What was committed for the open card: each commit with its files and their lines, and the change of one.

use crate::Base;
use crate::components::icon::Icon;
use crate::components::panel::of_open;
use crate::components::tabs::Unread;
use crate::components::time::Ago;
use crate::store::Store;
use crate::tabs::Shown;
use crate::words;
use contracts::view::CommitView;
use leptos::prelude::*;

/// The commits bound to the open card, or the change of one.
#[component]
pub fn Commits() -> impl IntoView {
    let store = expect_context::<Store>();
    let one = Memo::new(move |_| store.spot.with(|spot| !spot.commit.is_empty()));
    move || if one.get() { view! { <Change/> }.into_any() } else { view! { <List/> }.into_any() }
}

/// The commits bound to the open card, newest first.
#[component]
fn List() -> impl IntoView {
    let store = expect_context::<Store>();
    let commits = of_open(store, |task| (task.card.branch.clone(), task.commits_detail.iter().rev().cloned().collect::<Vec<_>>()));
    move || {
        commits.get().map(|(branch, commits)| {
            let list = match commits.len() {
                0 => nothing(branch).into_any(),
                _ => view! { <ol class="commits">{commits.into_iter().map(one).collect_view()}</ol> }.into_any(),
            };
            view! {
                <section class="stack" data-part="commits" aria-labelledby="commits-h">
                    <h2 id="commits-h" class="only-read">"Commits"</h2>
                    {list}
                </section>
            }
        })
    }
}

/// Which nothing it is: how a commit comes to belong here.
fn nothing(branch: Option<String>) -> impl IntoView {
    let on_branch = branch.map(|branch| view! { " or is made on "<code>{branch}</code> });
    view! { <p class="quiet">"No commit is bound to it yet. One counts when its message ends with a "<code>"Task:"</code>" line"{on_branch}"."</p> }
}

fn one(commit: CommitView) -> impl IntoView {
    let store = expect_context::<Store>();
    let short: String = commit.sha.chars().take(10).collect();
    let href = address(store, &commit.sha, false);
    let n = i64::try_from(commit.files.len()).unwrap_or(i64::MAX).saturating_add(commit.files_dropped.into());
    let dropped = (commit.files_dropped > 0)
        .then(|| view! { <li class="quiet">{format!("and {} more", words::count(commit.files_dropped.into(), "file", "files"))}</li> });
    let files = commit.files.iter().map(file).collect_view();
    let inside = (n > 0).then(|| {
        view! {
            <details>
                <summary class="t-12">{words::count(n, "file", "files")}</summary>
                <ul class="numstat">{files}{dropped}</ul>
            </details>
        }
    });
    view! {
        <li data-void=(!commit.counts).then_some("")>
            <p><a href=href title="Show the change"><b dir="auto">{commit.subject.clone()}</b></a></p>
            <p class="quiet t-12">
                <code class="id" title=commit.sha.clone()>{short}</code>
                {commit.author.clone().map(|author| view! { " · "<bdi>{author}</bdi> })}
                " · "<Ago at=commit.at/>
                " · "{words::lines(commit.added, commit.deleted)}
                {(!commit.counts).then_some(" · no evidence: a merge, empty, or replaced by a later commit")}
            </p>
            {inside}
        </li>
    }
}

/// The address of a commit's change.
fn address(store: Store, sha: &str, split: bool) -> String {
    let id = store.open_id.get_untracked().map(|id| id.to_string()).unwrap_or_default();
    let list = Base::here().tab(&id, &store.query_now(), "commits");
    format!("{list}&commit={sha}{}", if split { "&view=split" } else { "" })
}

/// One commit with its change, in one column or two.
#[component]
fn Change() -> impl IntoView {
    let store = expect_context::<Store>();
    let back = Base::here().tab(&store.open_id.get_untracked().map(|id| id.to_string()).unwrap_or_default(), &store.query_now(), "commits");
    let commit = Memo::new(move |_| store.shown.with(|shown| if let Shown::Commit(commit) = shown { Some(commit.clone()) } else { None }));
    let waiting = move || store.shown.with(|shown| *shown == Shown::Nothing);
    let split = Memo::new(move |_| store.spot.with(|spot| spot.split));
    view! {
        <section class="stack" data-part="commit" aria-labelledby="commit-h">
            <p class="row"><a class="button" data-kind="quiet" href=back><Icon name="up" size="sm"/>"All commits"</a></p>
            <Unread/>
            {move || waiting().then(|| view! { <p class="quiet" aria-busy="true">"Reading…"</p> })}
            {move || commit.get().map(|detail| {
                let commit = detail.commit.clone();
                let body = match (detail.in_clone, detail.fetch.clone()) {
                    (true, _) => view! { <div class="diff" data-view=move || if split.get() { "split" } else { "unified" } inner_html=detail.html.clone()></div> }.into_any(),
                    (false, fetch) => view! { <NotHere fetch=fetch/> }.into_any(),
                };
                let choice = detail.in_clone.then(|| [(false, "One column"), (true, "Side by side")].map(|(two, words)| {
                    let current = move || (split.get() == two).then_some("true");
                    view! { <a class="button" href=address(store, &commit.sha, two) aria-current=current rel="nofollow">{words}</a> }
                }));
                view! {
                    <h2 id="commit-h" dir="auto">{detail.commit.subject.clone()}</h2>
                    <div class="row wrap">
                        <p class="quiet t-12">
                            <code class="id">{detail.commit.sha.clone()}</code>
                            {detail.commit.author.clone().map(|author| view! { " · "<bdi>{author}</bdi> })}
                            " · "<Ago at=detail.commit.at/>" · "{words::lines(detail.commit.added, detail.commit.deleted)}
                        </p>
                        {choice.map(|choice| view! { <nav class="segmented push" aria-label="How the change is shown">{choice.collect_view()}</nav> })}
                    </div>
                    {body}
                }
            })}
        </section>
    }
    .into_any()
}

/// The commit is known by name alone.
#[component]
fn NotHere(fetch: Option<String>) -> impl IntoView {
    view! {
        <div class="empty" data-part="strip">
            <p>"This commit is not in this clone, so its change can't be shown."</p>
            {match fetch {
                Some(line) => view! { <p>"This brings it here: "<code>{line}</code></p> }.into_any(),
                None => view! { <p class="quiet">"Its repository has no remote to fetch it from."</p> }.into_any(),
            }}
        </div>
    }
    .into_any()
}

fn file((path, added, deleted): &(String, Option<u32>, Option<u32>)) -> impl IntoView + use<> {
    let lines = match (added, deleted) {
        (None, None) => "binary".to_owned(),
        (added, deleted) => words::lines(added.unwrap_or(0), deleted.unwrap_or(0)),
    };
    view! { <li><code dir="ltr">{path.clone()}</code><span class="quiet">{lines}</span></li> }
}
