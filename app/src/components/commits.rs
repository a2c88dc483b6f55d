//! What was committed for the open card: each commit with its files and their lines.

use crate::components::panel::of_open;
use crate::components::time::Ago;
use crate::store::Store;
use crate::words;
use contracts::view::CommitView;
use leptos::prelude::*;

/// The commits bound to the open card, newest first.
#[component]
pub fn Commits() -> impl IntoView {
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
    let short: String = commit.sha.chars().take(10).collect();
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
            <p><b dir="auto">{commit.subject.clone()}</b></p>
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

fn file((path, added, deleted): &(String, Option<u32>, Option<u32>)) -> impl IntoView + use<> {
    let lines = match (added, deleted) {
        (None, None) => "binary".to_owned(),
        (added, deleted) => words::lines(added.unwrap_or(0), deleted.unwrap_or(0)),
    };
    view! { <li><code dir="ltr">{path.clone()}</code><span class="quiet">{lines}</span></li> }
}
