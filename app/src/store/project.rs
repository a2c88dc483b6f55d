//! The project's settings as the page shows them, and the looks that are kept for everybody.

use super::Store;
use contracts::command::{Command, CommandRequest};
use contracts::view::ProjectView;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The looks of a setting: name and address.
fn views_of(setting: Option<&Value>) -> Vec<(String, String)> {
    let items = setting.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let text = |item: &Value, key: &str| item.get(key).and_then(Value::as_str).map(str::to_owned);
    items.iter().filter_map(|item| Some((text(item, "name")?, text(item, "query")?))).collect()
}

/// A setting that is a list of texts.
fn list_of(setting: Option<&Value>) -> Vec<String> {
    let items = setting.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

impl Store {
    /// The project and its settings are so now.
    pub(super) fn configured(&self, project: ProjectView, settings: &BTreeMap<String, Value>) {
        self.replace(&self.project, project);
        self.replace(&self.types, list_of(settings.get("types")));
        self.replace(&self.wip_max, settings.get("wip_max").and_then(Value::as_i64));
        self.replace(&self.views, views_of(settings.get("views")));
    }

    /// Keeps a look under a name for everybody in the project, or forgets it. Only that one is said, so that those others keep meanwhile stay.
    pub fn keep_view(self, name: &str, query: Option<String>) {
        let name = name.to_owned();
        spawn_local(async move {
            let answer = match Command::parse("configure", json!({"key": "views", "value": {"name": name, "query": query}})) {
                Ok(command) => self.give(vec![CommandRequest::of(command)]).await.map(drop),
                Err(problem) => Err(problem),
            };
            match answer {
                Ok(()) => {
                    self.view_problem.set(None);
                    self.views.update(|views| kept(views, name, query));
                }
                Err(problem) => self.view_problem.set(Some(problem)),
            }
        });
    }
}

/// A list of looks with one of them kept, or forgotten.
fn kept(views: &mut Vec<(String, String)>, name: String, query: Option<String>) {
    match (views.iter().position(|(own, _)| *own == name), query) {
        (Some(place), Some(query)) => views[place].1 = query,
        (Some(place), None) => drop(views.remove(place)),
        (None, Some(query)) => views.push((name, query)),
        (None, None) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::cards::tests::{Page, board};

    #[test]
    fn settings_are_what_the_last_word_says() {
        let page = Page::new("", board(100, &[]));
        let say = |settings: Value| page.store.configured(ProjectView::default(), &serde_json::from_value(settings).unwrap());
        say(json!({"types": ["task", "spike"], "wip_max": 3, "views": [{"name": "X", "query": "q=a"}]}));
        let views = || page.store.views.get_untracked().into_iter().map(|(name, query)| format!("{name} {query}")).collect::<Vec<_>>();
        assert_eq!(
            (page.store.types.get_untracked(), page.store.wip_max.get_untracked(), views()),
            (vec!["task".into(), "spike".into()], Some(3), vec!["X q=a".into()])
        );
        page.store.views.update(|views| kept(views, "Y".into(), Some("q=b".into())));
        page.store.views.update(|views| kept(views, "X".into(), Some("q=c".into())));
        assert_eq!(views(), ["X q=c", "Y q=b"]);
        page.store.views.update(|views| kept(views, "X".into(), None));
        assert_eq!(views(), ["Y q=b"]);
        say(json!({"types": ["task"]}));
        assert_eq!((page.store.wip_max.get_untracked(), views()), (None, Vec::new()));
    }
}
