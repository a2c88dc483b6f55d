//! What a command needs loaded before it can be decided.

use crate::facts::{Facts, Needs};
use crate::words::{folded, mentioned};
use contracts::command::{Command, MilestoneTasks, SettleChoice, TaskRef};
use contracts::{Caller, TaskId};

/// Which ids a command may use of those that are minted for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IdsWanted {
    /// How many of tasks.
    pub tasks: usize,
    /// A milestone's.
    pub milestone: bool,
    /// A blocker's.
    pub blocker: bool,
    /// A question's.
    pub question: bool,
}

/// What to mint for a command.
pub fn ids_wanted(command: &Command) -> IdsWanted {
    let none = IdsWanted::default();
    match command {
        Command::Plan(plan) => IdsWanted { tasks: plan.tasks.len(), milestone: plan.milestone.is_some(), ..none },
        Command::MilestoneCreate(_) => IdsWanted { milestone: true, ..none },
        Command::Block(block) => IdsWanted { blocker: block.reason.is_some(), ..none },
        // What is kept may be a block.
        Command::Settle(settle) => IdsWanted { blocker: settle.choice == SettleChoice::Keep, ..none },
        Command::Question(_) => IdsWanted { question: true, ..none },
        _ => none,
    }
}

/// What to load, by key. Beside it storage loads the milestone of every task it loads, and the minted ids that exist already.
pub fn needs(command: &Command, caller: &Caller) -> Needs {
    let mut needs = Needs::default();
    let texts: Vec<&str> = match command {
        Command::Release(command) => vec![command.note.as_str()],
        Command::Submit(command) => vec![command.note.as_str()],
        Command::Review(command) => vec![command.note.as_str()],
        Command::Close(command) => vec![command.note.as_str()],
        Command::Comment(command) => vec![command.text.as_str()],
        Command::Message(command) => vec![command.text.as_str()],
        _ => Vec::new(),
    };
    needs.actors =
        texts.into_iter().flat_map(|text| mentioned(text, &caller.actor)).flat_map(|mention| mention.readings).filter(|actor| *actor != caller.actor).collect();
    if let Command::Message(message) = command {
        needs.actors.extend(message.to.iter().filter(|actor| **actor != caller.actor).cloned());
    }
    needs.tasks.extend(task_of(command).cloned());
    match command {
        Command::Plan(plan) => {
            let ids = |reference: &TaskRef| match reference {
                TaskRef::Id(id) => Some(id.clone()),
                TaskRef::Index(_) => None,
            };
            for task in &plan.tasks {
                needs.reach.extend(task.after.iter().filter_map(ids));
                needs.tasks.extend(task.after.iter().chain(&task.parent).filter_map(ids));
                needs.tasks.extend(task.blocks.iter().cloned());
                needs.milestones.extend(task.milestone.clone());
            }
            needs.milestone_title = plan.milestone.as_ref().map(|title| folded(title.as_str()));
        }
        Command::Edit(edit) => {
            needs.milestones.extend(edit.milestone.clone().flatten());
            if let Some(Some(parent)) = &edit.parent {
                needs.tasks.insert(parent.clone());
                needs.reach.insert(edit.task.clone());
                needs.descendants.insert(edit.task.clone());
            }
        }
        Command::Claim(_) => needs.holdings = true,
        Command::Renew(renew) => needs.holdings = renew.task.is_none(),
        Command::Cancel(cancel) if cancel.with_children => drop(needs.descendants.insert(cancel.task.clone())),
        Command::Block(block) => {
            needs.tasks.extend(block.on.iter().cloned());
            needs.reach.extend(block.on.iter().cloned());
        }
        Command::Answer(answer) => needs.question = Some(answer.question.clone()),
        Command::Unblock(unblock) => needs.blocker = unblock.blocker.clone(),
        Command::Dispatch(dispatch) => {
            needs.tasks.extend(dispatch.tasks.iter().cloned());
            needs.candidates = dispatch.tasks.is_empty();
            let prefix = dispatch.prefix.as_deref().unwrap_or(crate::carry::fleet::WORKER);
            needs.workers = caller.actor.dev().map(|dev| format!("agent:{dev}/{prefix}"));
        }
        Command::Recover(recover) => {
            needs.tasks.extend(recover.tasks.iter().cloned());
            needs.agents_tasks = recover.tasks.is_empty();
            needs.seen = true;
        }
        Command::Settle(settle) => {
            needs.conflict = Some(settle.event.clone());
            needs.holdings = true;
        }
        Command::MilestoneCreate(create) => needs.milestone_title = Some(folded(create.title.as_str())),
        Command::MilestoneEdit(edit) => drop(needs.milestones.insert(edit.milestone.clone())),
        Command::MilestoneClose(milestone) | Command::MilestoneReopen(milestone) => drop(needs.milestones.insert(milestone.milestone.clone())),
        Command::MilestoneCancel(cancel) => drop(needs.milestones.insert(cancel.milestone.clone())),
        _ => {}
    }
    needs
}

/// What a command needs beyond [`needs()`], all of it together, where only what was loaded by that can tell: a conflict that is kept gives a
/// command again, which has needs of its own; the tasks of a milestone that is cancelled with them have subtasks.
pub fn needs_beyond(command: &Command, caller: &Caller, facts: &Facts) -> Option<Needs> {
    match command {
        Command::Settle(settle) if settle.choice == SettleChoice::Keep => {
            let kept = crate::carry::project::kept(facts, settle).ok()?;
            Some(needs(command, caller).and(needs(&kept, caller)))
        }
        Command::MilestoneCancel(cancel) if cancel.tasks == Some(MilestoneTasks::Cancel) => {
            let open = &facts.milestones.get(&cancel.milestone)?.open_tasks;
            let open = || open.iter().cloned().collect();
            Some(needs(command, caller).and(Needs { tasks: open(), descendants: open(), ..Needs::default() }))
        }
        _ => None,
    }
}

/// The task a command is about.
pub(crate) fn task_of(command: &Command) -> Option<&TaskId> {
    match command {
        Command::Edit(command) => Some(&command.task),
        Command::Claim(command) => Some(&command.task),
        Command::Renew(command) => command.task.as_ref(),
        Command::Release(command) => Some(&command.task),
        Command::Submit(command) => Some(&command.task),
        Command::Review(command) => Some(&command.task),
        Command::Close(command) => Some(&command.task),
        Command::Cancel(command) => Some(&command.task),
        Command::Reopen(command) => Some(&command.task),
        Command::Hold(command) => Some(&command.task),
        Command::Unhold(command) => Some(&command.task),
        Command::Assign(command) => Some(&command.task),
        Command::Comment(command) => Some(&command.task),
        Command::Question(command) => Some(&command.task),
        Command::Message(command) => command.task.as_ref(),
        Command::Block(command) => Some(&command.task),
        Command::Unblock(command) => Some(&command.task),
        Command::Bind(command) => Some(&command.task),
        Command::Supersede(command) => Some(&command.task),
        Command::Branch(command) => Some(&command.task),
        _ => None,
    }
}
