//! What a sound document comes to when it is run: its steps as blocks, each with its path, its place in its list, and its filters read.

use crate::condition::{self, Condition};
use crate::document::{Branch, Course, Document, End, Gate, OnMax, Part, Step};
use contracts::limits;
use serde_json::Value;
use std::collections::BTreeMap;

/// A block's place among the blocks of a plan.
pub type BlockIndex = usize;

/// A workflow as it is run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Its name.
    pub slug: String,
    /// Its version.
    pub version: String,
    /// The document.
    pub document: Document,
    /// All blocks.
    pub blocks: Vec<Block>,
    /// The outermost list.
    pub steps: Vec<BlockIndex>,
    /// Steps of a cancelled run.
    pub on_cancel: Vec<BlockIndex>,
    by_id: BTreeMap<String, BlockIndex>,
}

/// A step as it is run.
#[derive(Clone, Debug)]
pub struct Block {
    /// Its name among the steps.
    pub id: String,
    /// What was written.
    pub step: Step,
    /// What kind it is.
    pub kind: BlockKind,
    /// Skipped unless this holds.
    pub when: Option<Condition>,
    /// The block it stands in.
    pub parent: Option<BlockIndex>,
    /// `4.1`.
    pub number: String,
}

/// What kind a block is.
#[derive(Clone, Debug)]
pub enum BlockKind {
    /// Work of an agent or a person.
    Work,
    /// Nothing to do: it waits at its gate.
    Checkpoint,
    /// Steps in order.
    Container(Vec<BlockIndex>),
    /// Branches.
    Decision(Vec<Arm>),
    /// Lanes.
    Lanes(Vec<BlockIndex>),
    /// Passes.
    Loop {
        /// The steps of a pass.
        body: Vec<BlockIndex>,
        /// What ends it.
        test: LoopTest,
        /// Most passes.
        max: u32,
        /// What happens when they run out.
        on_max: OnMax,
    },
    /// A wait.
    Wait,
    /// Fields of the task.
    Set,
    /// Closes the task.
    Close,
    /// Ends the run.
    End(End),
}

/// What ends a loop.
#[derive(Clone, Debug)]
pub enum LoopTest {
    /// The end of a list: the list, or the name of one.
    Over(Value),
    /// Asked before each pass.
    While(Condition),
    /// Asked after each pass.
    Until(Condition),
}

/// A branch as it is run.
#[derive(Clone, Debug)]
pub struct Arm {
    /// Its name.
    pub id: String,
    /// `None` is the default.
    pub when: Option<Condition>,
    /// Its steps.
    pub body: Vec<BlockIndex>,
    /// Where the run goes on.
    pub exit: Option<Exit>,
}

/// Where a run goes on behind a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exit {
    /// At a step, gone back to so often at most.
    Goto {
        /// Which.
        id: String,
        /// How often, if it leads back.
        max: u32,
    },
    /// Nowhere: the run ends.
    End(End),
}

impl Plan {
    /// Compiles a document that was checked and found sound.
    ///
    /// # Errors
    /// What the check would have refused, in words: a filter that can't be read, a step without an id or a kind.
    pub fn compile(document: &Document, version: &str) -> Result<Plan, String> {
        let mut plan = Plan {
            slug: document.slug().to_owned(),
            version: version.to_owned(),
            document: document.clone(),
            blocks: Vec::new(),
            steps: Vec::new(),
            on_cancel: Vec::new(),
            by_id: BTreeMap::new(),
        };
        plan.steps = plan.list(&document.steps, None, "")?;
        plan.on_cancel = plan.list(&document.on_cancel, None, "c")?;
        Ok(plan)
    }

    /// A block.
    pub fn block(&self, index: BlockIndex) -> &Block {
        &self.blocks[index]
    }

    /// The block of a step.
    pub fn named(&self, id: &str) -> Option<BlockIndex> {
        self.by_id.get(id).copied()
    }

    /// The block that an instance's path leads to: `build/repair`, `sweep[3]/repair`.
    pub fn at(&self, path: &str) -> Option<BlockIndex> {
        let last = path.rsplit('/').next()?;
        self.named(last.split('[').next()?)
    }

    /// The lists inside a block, each with what is written between its path and theirs.
    pub fn bodies(&self, index: BlockIndex) -> Vec<&[BlockIndex]> {
        match &self.block(index).kind {
            BlockKind::Container(body) | BlockKind::Lanes(body) | BlockKind::Loop { body, .. } => vec![body],
            BlockKind::Decision(arms) => arms.iter().map(|arm| arm.body.as_slice()).collect(),
            _ => Vec::new(),
        }
    }

    /// The list a block stands in.
    pub fn list_of(&self, index: BlockIndex) -> &[BlockIndex] {
        let outermost = || if self.on_cancel.contains(&index) { self.on_cancel.as_slice() } else { self.steps.as_slice() };
        match self.block(index).parent {
            Some(parent) => self.bodies(parent).into_iter().find(|body| body.contains(&index)).unwrap_or_default(),
            None => outermost(),
        }
    }

    fn list(&mut self, steps: &[Step], parent: Option<BlockIndex>, number: &str) -> Result<Vec<BlockIndex>, String> {
        let mut list = Vec::with_capacity(steps.len());
        for (place, step) in steps.iter().enumerate() {
            let number = if number.is_empty() { (place + 1).to_string() } else { format!("{number}.{}", place + 1) };
            list.push(self.add(step, parent, number)?);
        }
        Ok(list)
    }

    fn add(&mut self, step: &Step, parent: Option<BlockIndex>, number: String) -> Result<BlockIndex, String> {
        let id = step.id.clone().ok_or("a step has no id")?;
        let when = step.when.as_deref().map(read).transpose()?;
        let index = self.blocks.len();
        let bare = Step { steps: None, decision: None, parallel: None, repeat: None, ..step.clone() };
        self.blocks.push(Block { id: id.clone(), step: bare, kind: BlockKind::Checkpoint, when, parent, number: number.clone() });
        if self.by_id.insert(id.clone(), index).is_some() {
            return Err(format!("two steps are named {id}"));
        }
        let mut bodies = Vec::new();
        for body in step.bodies() {
            let number = match body.part {
                Part::Branch(_, branch) => format!("{number}.{branch}"),
                Part::Container | Part::Lanes | Part::Pass => number.clone(),
            };
            bodies.push(self.list(body.steps, Some(index), &number)?);
        }
        self.blocks[index].kind = kind(step, bodies)?;
        Ok(index)
    }
}

fn read(text: &str) -> Result<Condition, String> {
    condition::read(text).map_err(|fault| fault.text)
}

fn kind(step: &Step, mut bodies: Vec<Vec<BlockIndex>>) -> Result<BlockKind, String> {
    let kinds = step.kinds();
    let mut body = || if bodies.is_empty() { Vec::new() } else { bodies.remove(0) };
    Ok(match kinds.first().copied() {
        None => BlockKind::Checkpoint,
        Some("instructions") => BlockKind::Work,
        Some("steps") => BlockKind::Container(body()),
        Some("parallel") => BlockKind::Lanes(body()),
        Some("decision") => {
            let arms = step.decision.iter().flatten().map(|branch| arm(branch, body()));
            BlockKind::Decision(arms.collect::<Result<_, _>>()?)
        }
        Some("loop") => {
            let repeat = step.repeat.as_ref().ok_or("a loop without one")?;
            let test = match (&repeat.over, &repeat.go_on, &repeat.until) {
                (Some(over), _, _) => LoopTest::Over(over.clone()),
                (_, Some(test), _) => LoopTest::While(read(test)?),
                (_, _, Some(test)) => LoopTest::Until(read(test)?),
                _ => return Err("a loop says one of over, while, until".to_owned()),
            };
            BlockKind::Loop { body: body(), test, max: repeat.max.unwrap_or(1), on_max: repeat.on_max }
        }
        Some("wait") => BlockKind::Wait,
        Some("set") => BlockKind::Set,
        Some("close") => BlockKind::Close,
        Some("end") => BlockKind::End(step.end.unwrap_or(End::Completed)),
        Some(other) => return Err(format!("{other} is not carried out yet")),
    })
}

fn arm(branch: &Branch, body: Vec<BlockIndex>) -> Result<Arm, String> {
    let when = match branch.when.as_deref() {
        Some("default") | None => None,
        Some(text) => Some(read(text)?),
    };
    let goto = branch.goto.clone().map(|id| Exit::Goto { id, max: branch.max.unwrap_or(limits::WAY_BACK_DEFAULT) });
    Ok(Arm { id: branch.id.clone().unwrap_or_default(), when, body, exit: goto.or(branch.end.map(Exit::End)) })
}

impl Block {
    /// Its gate.
    pub fn gate(&self) -> Option<&Gate> {
        self.step.gate.as_ref()
    }

    /// Whether only a person does it.
    pub fn is_for_people(&self) -> bool {
        self.step.by == Some(crate::document::By::Human)
    }

    /// What happens when it fails.
    pub fn on_fail(&self) -> Course {
        self.step.on_fail.clone().unwrap_or_else(|| Course::Word("fail_run".to_owned()))
    }
}
