//! What a command works with: the caller's board, who acts, and the two streams.

use super::out::{Out, Row};
use super::text::count;
use super::when::When;
use super::{Globals, who};
use crate::boot::{self, Boot, BootOptions};
use contracts::view::{InboxQuery, Page};
use contracts::{Actor, Board, Caller, Command, CommandRequest, Problem, Receipt, Standing, Surface, TaskId};
use serde::Serialize;
use serde_json::Value;
use std::rc::Rc;
use std::sync::Arc;

/// An opened board as one caller sees it.
pub struct Desk {
    /// The caller's board.
    pub board: Arc<dyn Board>,
    /// Who acts.
    pub actor: Actor,
    /// Where to say it.
    pub out: Out,
    /// The process behind it.
    pub boot: Boot,
    when: Option<Rc<When>>,
}

impl Desk {
    /// Opens the board for whoever this command acts as. An agent's command renews what it holds first.
    pub async fn open(globals: &Globals, out: Out) -> Result<Desk, Problem> {
        let boot = boot::boot(BootOptions { project: globals.project.clone(), ..BootOptions::default() }).await?;
        let actor = who::acts(globals.actor.as_deref(), who::variable().as_deref(), &boot.identity.dev)?;
        for sentence in &boot.repaired {
            out.notice(sentence);
        }
        let caller = Caller { actor: actor.clone(), principal: boot.identity.principal.clone(), surface: Surface::Cli, session: None, client: None };
        let desk = Desk { board: boot.port.for_caller(caller), actor, out, boot, when: None };
        if desk.actor.is_agent() {
            // Nothing held, or a board that only reads: neither may stand in the command's way.
            let _ = desk.board.execute(CommandRequest::of(Command::Renew(contracts::command::Renew::default()))).await;
        }
        Ok(desk)
    }

    /// Lets the first command of a new day write what the day before was, where the project wants it.
    pub async fn begin_the_day(&self) {
        let caller = Caller { actor: self.actor.clone(), principal: self.boot.identity.principal.clone(), surface: Surface::Cli, session: None, client: None };
        if let Some(label) = crate::reports::at_first_command(&self.boot.port, &caller).await {
            self.out.notice(&format!("yesterday is in .callboard/reports/{label}.md"));
        }
    }

    /// How to write points in time: the project's zone, relative on a terminal.
    pub async fn when(&mut self) -> Result<Rc<When>, Problem> {
        if let Some(when) = &self.when {
            return Ok(when.clone());
        }
        let when = Rc::new(When::new(&self.board.project().await?.zone, crate::boot::now(), self.out.manner.terminal));
        self.when = Some(when.clone());
        Ok(when)
    }

    /// A list that comes bare, as one document: with its length and the position of the log it was read at.
    pub async fn list<T: Serialize>(&mut self, read: impl AsyncFnOnce(&dyn Board) -> Result<Vec<T>, Problem>) -> Result<Vec<T>, Problem> {
        // The position is read first: what changes in between is not claimed to be in the list.
        let seq = self.boot.port.head().await?.seq;
        let items = read(self.board.as_ref()).await?;
        if self.out.manner.json {
            let total = i64::try_from(items.len()).unwrap_or(i64::MAX);
            self.out.document(&Page { items: items.iter().collect(), total, next: None, seq })?;
        }
        Ok(items)
    }

    /// One write.
    pub async fn execute(&self, command: Command) -> Result<Receipt, Problem> {
        self.board.execute(CommandRequest::of(command)).await
    }

    /// One write about a task, and the line `tk-4f2a9c → done` with what follows from it.
    pub async fn write(&mut self, command: Command) -> Result<(), Problem> {
        let receipt = self.execute(command).await?;
        let row = self.outcome(&receipt);
        self.say(&receipt, row).await
    }

    /// `tk-4f2a9c → done`.
    pub fn outcome(&self, receipt: &Receipt) -> Row {
        let row = Row::new().strong(receipt.subject.clone());
        match receipt.standing {
            Some(standing) => row.dim(format!(" {} ", self.out.arrow())).add(super::marks::tone(standing), standing.words()),
            None => row,
        }
    }

    /// A receipt: as a document, or one line, what it freed and whom it told, and what to know.
    pub async fn say(&mut self, receipt: &Receipt, row: Row) -> Result<(), Problem> {
        if self.out.manner.json {
            return self.out.document(receipt);
        }
        let row = if receipt.repeated { row.dim(" (done before, with the same key)") } else { row };
        self.out.row(row);
        for (key, words) in [("freed", "freed"), ("told", "told")] {
            let names = texts(receipt.data.get(key));
            if !names.is_empty() {
                self.out.row(format!("  {words} {}", names.join(" ")));
            }
        }
        for warning in &receipt.warnings {
            self.out.notice(&format!("note: {}", super::text::flat(&warning.text)));
        }
        self.deliver().await
    }

    /// What an agent has not read yet rides on its writes; nobody else's inbox is touched.
    async fn deliver(&mut self) -> Result<(), Problem> {
        if !self.actor.is_agent() {
            return Ok(());
        }
        let page = self.board.inbox(InboxQuery { deliver: true, ..InboxQuery::default() }).await?;
        if page.items.is_empty() {
            return Ok(());
        }
        let when = self.when().await?;
        self.out.gap();
        self.out.row(Row::new().strong(format!("For you: {}", count(page.total, "message"))));
        super::inbox::rows(&mut self.out, &when, &page.items);
        let more = page.total - i64::try_from(page.items.len()).unwrap_or(page.total);
        if more > 0 {
            self.out.row(Row::new().dim(format!("+{more} more: callboard inbox")));
        }
        Ok(())
    }
}

/// The texts of a list in a receipt's data.
pub fn texts(value: Option<&Value>) -> Vec<String> {
    let list = value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// A line about one task: mark, id, priority, standing, title.
pub fn task_row(out: &Out, id: &TaskId, standing: Option<Standing>, title: &str) -> Row {
    let mark = standing.map_or(" ", |standing| super::marks::mark(standing, out.manner.ascii));
    let row = Row::new().plain(format!("{mark} ")).strong(id.as_str());
    match standing {
        Some(standing) => row.add(super::marks::tone(standing), format!(" {} ", standing.words())).plain(title),
        None => row.plain(format!(" {title}")),
    }
}
