//! What the reader does to many tasks at once, with the way back.

use super::Store;
use crate::browser;
use crate::bulk::Bulk;
use contracts::command::Command;
use contracts::view::TaskCard;
use contracts::{Problem, TaskId, limits};
use leptos::prelude::*;
use leptos::task::spawn_local;

/// The way back from an act.
#[derive(Clone, Debug, PartialEq)]
pub struct Undo {
    /// What was done.
    pub words: String,
    /// What it was, and how the tasks were before; none where there is no way back.
    pub back: Option<(Bulk, Vec<TaskCard>)>,
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
        let back = !bulk.inverse(&before, &before)?.is_empty();
        let count = commands.len();
        self.give_many(commands).await?;
        let words = bulk.words(count);
        self.say(words.clone());
        self.undo.set(Some(Undo { words, back: back.then_some((bulk, before)) }));
        Ok(())
    }

    /// Takes the last act back.
    pub fn take_back(self) {
        let Some((bulk, before)) = self.undo.get_untracked().and_then(|undo| undo.back) else { return };
        self.undo.set(None);
        spawn_local(async move {
            let words = match self.undone(bulk, before).await {
                Ok(lost) if lost.is_empty() => return self.say("Taken back."),
                Ok(lost) => format!("Taken back, but for {lost}."),
                Err(problem) => format!("Not taken back: {}", problem.title),
            };
            self.say(words.clone());
            self.undo.set(Some(Undo { words, back: None }));
        });
    }

    /// Takes an act back, and says what did not come back.
    async fn undone(self, bulk: Bulk, before: Vec<TaskCard>) -> Result<String, Problem> {
        let ids: Vec<TaskId> = before.iter().map(|card| card.id.clone()).collect();
        let lost = bulk.lost(&before, &self.me.with_untracked(|me| me.actor.clone()))?;
        self.give_many(bulk.inverse(&before, &self.known(&ids))?).await?;
        Ok(lost)
    }

    async fn give_many(self, commands: Vec<Command>) -> Result<(), Problem> {
        if commands.len() > limits::COMMANDS_IN_BATCH_MAX {
            let text = format!("{} tasks are too many for one act; the limit is {}", commands.len(), limits::COMMANDS_IN_BATCH_MAX);
            return Err(Problem::bad_request("", text));
        }
        let key = browser::key();
        self.give(crate::moves::requests(commands, &key)).await.map(drop)
    }
}
