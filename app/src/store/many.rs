//! What the reader does to many tasks at once, with the way back; and the looks that are kept.

use super::Store;
use crate::browser;
use crate::bulk::Bulk;
use contracts::command::{Command, CommandRequest};
use contracts::view::TaskCard;
use contracts::{Problem, TaskId, limits};
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::json;

/// The way back from an act.
#[derive(Clone, Debug, PartialEq)]
pub struct Undo {
    /// What was done.
    pub words: String,
    /// The commands that take it back; none where there is no way back.
    pub back: Vec<Command>,
}

impl Store {
    /// The cards of these tasks that are known here.
    fn known(self, ids: &[TaskId]) -> Vec<TaskCard> {
        ids.iter().filter_map(|id| self.card(id)).map(|card| card.card.get_untracked()).collect()
    }

    /// Does one thing to many tasks: all or none, and a toast with the way back.
    ///
    /// # Errors
    /// What refuses it; nothing was done then.
    pub async fn do_to(self, ids: Vec<TaskId>, bulk: Bulk) -> Result<(), Problem> {
        let before = self.known(&ids);
        let commands = bulk.commands(&before)?;
        if commands.is_empty() {
            self.say("Nothing to change: all are so already.");
            return Ok(());
        }
        let back = bulk.inverse(&before)?;
        let count = commands.len();
        self.give_many(commands).await?;
        let words = bulk.words(count);
        self.say(words.clone());
        self.undo.set(Some(Undo { words, back }));
        Ok(())
    }

    /// Takes the last act back.
    pub fn take_back(self) {
        let Some(undo) = self.undo.get_untracked() else { return };
        self.undo.set(None);
        spawn_local(async move {
            match self.give_many(undo.back).await {
                Ok(()) => self.say("Taken back."),
                Err(problem) => {
                    self.say(format!("Not taken back: {}", problem.title));
                    self.undo.set(Some(Undo { words: format!("Not taken back: {}", problem.title), back: Vec::new() }));
                }
            }
        });
    }

    async fn give_many(self, commands: Vec<Command>) -> Result<(), Problem> {
        if commands.len() > limits::COMMANDS_IN_BATCH_MAX {
            let text = format!("{} tasks are too many for one act; the limit is {}", commands.len(), limits::COMMANDS_IN_BATCH_MAX);
            return Err(Problem::bad_request("", text));
        }
        let key = browser::key();
        self.give(crate::moves::requests(commands, &key)).await.map(drop)
    }

    /// Keeps a look under a name for everybody in the project, or forgets it.
    pub fn keep_view(self, name: &str, query: Option<String>) {
        let mut views = self.views.get_untracked();
        views.retain(|(own, _)| own != name);
        views.extend(query.map(|query| (name.to_owned(), query)));
        let value: Vec<_> = views.iter().map(|(name, query)| json!({"name": name, "query": query})).collect();
        spawn_local(async move {
            let answer = match Command::parse("configure", json!({"key": "views", "value": value})) {
                Ok(command) => self.give(vec![CommandRequest::of(command)]).await.map(drop),
                Err(problem) => Err(problem),
            };
            match answer {
                Ok(()) => {
                    self.view_problem.set(None);
                    self.views.set(views);
                }
                Err(problem) => self.view_problem.set(Some(problem)),
            }
        });
    }
}
