//! `callboard workflow`: written processes: begin one, check it, look at it, see which task it would carry.

use super::desk::Desk;
use super::out::{Out, Row, Tone};
use super::text::count;
use super::{Exit, Globals};
use crate::workflows::{self, WorkflowFile};
use crate::{boot, cli};
use clap::{Args, Subcommand};
use contracts::{Code, Hint, Problem, TaskId};
use serde_json::json;
use std::path::{Path, PathBuf};
use workflow::document::is_slug;
use workflow::routing::{Explained, Subject, route};
use workflow::templates::{TEMPLATES, renamed, template};
use workflow::{Finding, Version, outline};

/// Arguments of `workflow`.
#[derive(Debug, Args)]
pub struct WorkflowArgs {
    #[command(subcommand)]
    command: WorkflowCommand,
}

#[derive(Debug, Subcommand)]
enum WorkflowCommand {
    /// Say everything that is wrong with workflows, each with its line and what would be right
    Check {
        /// Check these; all of the project without any
        #[arg(value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Carry one of them to its end with the canned reports in FILE, and compare what comes of it
        #[arg(long, value_name = "FILE")]
        play: Option<PathBuf>,
    },
    /// List the project's workflows and those that can be begun from
    List,
    /// Show a workflow as an outline: steps, who does them, gates
    Show {
        /// A workflow of the project or one that comes with the program, or a file
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Print what may be written, as a JSON Schema
    Schema,
    /// Say which workflow would carry a task, and why
    Explain {
        /// A task's id, or the title of one that is not there yet
        #[arg(value_name = "TASK")]
        task: String,
        /// Its type, when it is not there yet
        #[arg(long = "type", value_name = "T", default_value = "")]
        kind: String,
        /// Its labels, when it is not there yet
        #[arg(long = "label", value_name = "L")]
        labels: Vec<String>,
    },
    /// Begin a workflow in .callboard/workflows
    New {
        /// Its name: lower case, digits and dashes
        #[arg(value_name = "NAME")]
        name: String,
        /// Begin from this one: bugfix, feature, research, release, refactor, publish or blank
        #[arg(long, value_name = "T", default_value = "blank")]
        from: String,
    },
}

impl WorkflowArgs {
    /// Whether the board is opened: only to look at a task of it.
    pub fn needs_board(&self) -> bool {
        matches!(&self.command, WorkflowCommand::Explain { task, .. } if cli::words::task(task).is_ok())
    }
}

/// What needs no board.
pub fn run(globals: &Globals, out: &mut Out, args: WorkflowArgs) -> Result<Exit, Problem> {
    match args.command {
        WorkflowCommand::Check { files, play: None } => check(globals, out, files),
        WorkflowCommand::Check { files, play: Some(script) } => play(globals, out, files, &script),
        WorkflowCommand::List => list(globals, out),
        WorkflowCommand::Show { name } => show(globals, out, &name),
        WorkflowCommand::Schema => {
            out.raw(&format!("{:#}\n", workflow::document::schema()));
            Ok(Exit::Done)
        }
        WorkflowCommand::Explain { task, kind, labels } => {
            let subject = Subject { title: task, kind, labels, ..Subject::default() };
            explain(out, &subject, &of_project(globals)?)
        }
        WorkflowCommand::New { name, from } => new(globals, out, &name, &from),
    }
}

/// What looks at a task.
pub async fn on_board(desk: &mut Desk, args: WorkflowArgs) -> Result<Exit, Problem> {
    let WorkflowCommand::Explain { task, .. } = args.command else { return Ok(Exit::Done) };
    let id: TaskId = cli::words::task(&task).map_err(|text| Problem::bad_request("TASK", text))?;
    let view = desk.board.task(id).await?;
    let milestone = view.card.milestone.iter().map(ToString::to_string).collect();
    let subject = Subject {
        title: view.card.title.clone(),
        spec: view.spec.clone(),
        kind: view.card.kind.clone(),
        vertical: view.card.vertical.clone(),
        labels: view.card.labels.clone(),
        milestone,
        source: None,
    };
    let paths = workflows::files(&desk.boot.root)?;
    explain(&mut desk.out, &subject, &workflows::check(&paths, &[])?)
}

fn root(globals: &Globals) -> Result<PathBuf, Problem> {
    boot::find_place(globals.project.as_deref()).map(|place| place.directory())
}

/// The project's workflows.
fn of_project(globals: &Globals) -> Result<Vec<WorkflowFile>, Problem> {
    workflows::check(&workflows::files(&root(globals)?)?, &[])
}

fn check(globals: &Globals, out: &mut Out, files: Vec<PathBuf>) -> Result<Exit, Problem> {
    let (paths, others) = if files.is_empty() { (workflows::files(&root(globals)?)?, Vec::new()) } else { (files, known_beside(globals)) };
    let checked = workflows::check(&paths, &others)?;
    let exit = if checked.iter().all(WorkflowFile::is_sound) { Exit::Done } else { Exit::Fault };
    if out.manner.json {
        let files: Vec<_> = checked.iter().map(document).collect();
        out.document(&json!({"ok": exit == Exit::Done, "files": files}))?;
        return Ok(exit);
    }
    if checked.is_empty() {
        out.notice("there is no workflow yet: callboard workflow new NAME --from bugfix");
    }
    for file in &checked {
        out.gap();
        told(out, file);
    }
    Ok(exit)
}

fn play(globals: &Globals, out: &mut Out, files: Vec<PathBuf>, script: &Path) -> Result<Exit, Problem> {
    let script = workflow::play::script(&workflows::read(script)?).map_err(|fault| Problem::bad_request("--play", fault))?;
    let checked = if files.is_empty() { of_project(globals).unwrap_or_default() } else { workflows::check(&files, &known_beside(globals))? };
    let own = checked.into_iter().find(|file| file.checked.as_ref().is_ok_and(|checked| checked.document.slug() == script.play));
    let shipped = || template(&script.play).map(shipped);
    let Some(file) = own.or_else(shipped) else {
        let hint = Hint::text("play: NAME says which; callboard workflow list shows their names");
        return Err(Problem::new(Code::NotFound, format!("there is no workflow {:?} to play", script.play)).hint(hint));
    };
    let checked = file.checked.as_ref().ok().filter(|_| file.is_sound()).ok_or_else(|| workflow::finding::problem(&file.name, file.findings()))?;
    let version = Version::of(&checked.source.value).map_err(|fault| Problem::bad_request("FILE", fault))?.0;
    let plan = workflow::plan::Plan::compile(&checked.document, version.as_str()).map_err(|fault| Problem::new(Code::DefinitionInvalid, fault))?;
    let played = workflow::play::play(&plan, &script);
    let exit = if played.faults.is_empty() { Exit::Done } else { Exit::Fault };
    if out.manner.json {
        out.document(&played)?;
        return Ok(exit);
    }
    for turn in &played.turns {
        out.row(Row::new().dim(turn.as_str()));
    }
    for (decision, branch) in &played.branches {
        out.row(Row::new().plain(format!("{decision} {} ", out.arrow())).strong(branch.as_str()));
    }
    let tone = if exit == Exit::Done { Tone::Good } else { Tone::Bad };
    out.row(Row::new().add(tone, played.outcome.as_str()).plain(format!("  {}", played.reason)));
    for fault in &played.faults {
        out.row(Row::new().add(Tone::Bad, fault.as_str()));
    }
    Ok(exit)
}

/// A workflow that comes with the program, as if it were a file.
fn shipped(template: workflow::templates::Template) -> WorkflowFile {
    WorkflowFile { name: "comes with the program".to_owned(), checked: workflow::check(template.text, &workflow::Around::default()) }
}

/// The files of the project around, if there is one: what a file that is checked alone may invoke.
fn known_beside(globals: &Globals) -> Vec<PathBuf> {
    root(globals).and_then(|root| workflows::files(&root)).unwrap_or_default()
}

fn document(file: &WorkflowFile) -> serde_json::Value {
    let counts = file.checked.as_ref().ok().map(workflow::Checked::counts);
    let lines = file.checked.as_ref().ok().map(|checked| outline::outline(&checked.document));
    json!({"file": file.name, "ok": file.is_sound(), "counts": counts, "findings": file.findings(), "outline": lines})
}

fn told(out: &mut Out, file: &WorkflowFile) {
    let tone = if file.is_sound() { Tone::Good } else { Tone::Bad };
    let word = if file.is_sound() { "sound" } else { "refused" };
    out.row(Row::new().strong(file.name.clone()).add(tone, format!(" {word}")));
    if let Ok(checked) = &file.checked {
        let counts = checked.counts();
        let many = |number: usize, noun: &str| count(i64::try_from(number).unwrap_or(i64::MAX), noun);
        let parts = [many(counts.steps, "step"), many(counts.gates, "gate"), many(counts.decisions, "decision"), many(counts.parallel, "group") + " of lanes"];
        out.row(Row::new().dim(format!("  {}: {}", counts.workflow, parts.join(", "))));
    }
    for Finding { line, column, code, text, hint, .. } in file.findings() {
        let tone = if code.is_warning() { Tone::Warn } else { Tone::Bad };
        out.row(Row::new().plain(format!("  {line}:{column} ")).add(tone, code.as_str()).plain(format!(" {text}")));
        if !hint.is_empty() {
            out.row(Row::new().dim(format!("      {hint}")));
        }
    }
}

fn list(globals: &Globals, out: &mut Out) -> Result<Exit, Problem> {
    let files = of_project(globals)?;
    if out.manner.json {
        let own: Vec<_> = files.iter().map(document).collect();
        let shipped: Vec<_> = TEMPLATES.iter().map(|template| json!({"name": template.slug, "about": template.about})).collect();
        out.document(&json!({"workflows": own, "templates": shipped}))?;
        return Ok(Exit::Done);
    }
    for file in &files {
        let (name, about) = match &file.checked {
            Ok(checked) => (checked.document.slug().to_owned(), checked.document.description.clone().unwrap_or_default()),
            Err(_) => (String::new(), String::new()),
        };
        let row = Row::new().strong(name).plain(format!("  {about}")).dim(format!("  {}", file.name));
        out.row(if file.is_sound() { row } else { row.add(Tone::Bad, "  refused: callboard workflow check") });
    }
    out.gap();
    out.row(Row::new().dim("To begin from (callboard workflow new NAME --from ONE):"));
    for template in TEMPLATES {
        out.row(Row::new().plain("  ").strong(template.slug).plain(format!("  {}", template.about)));
    }
    Ok(Exit::Done)
}

fn show(globals: &Globals, out: &mut Out, name: &str) -> Result<Exit, Problem> {
    let file = if name.contains(['/', '.']) {
        workflows::check(&[PathBuf::from(name)], &known_beside(globals))?.into_iter().next()
    } else {
        let own = of_project(globals).unwrap_or_default();
        own.into_iter().find(|file| file.checked.as_ref().is_ok_and(|checked| checked.document.slug() == name))
    };
    let shipped = || template(name).map(shipped);
    let Some(file) = file.or_else(shipped) else {
        let hint = Hint::text("callboard workflow list shows their names");
        return Err(Problem::new(Code::NotFound, format!("there is no workflow {name}")).hint(hint));
    };
    let checked = file.checked.as_ref().map_err(|findings| workflow::finding::problem(&file.name, findings))?;
    let version = Version::of(&checked.source.value).map_err(|fault| Problem::bad_request("NAME", fault))?.0;
    if out.manner.json {
        let mut whole = document(&file);
        whole["version"] = version.as_str().into();
        whole["doc"] = checked.source.value.clone();
        out.document(&whole)?;
        return Ok(Exit::Done);
    }
    let written = &checked.document;
    out.row(Row::new().strong(written.name.clone().unwrap_or_else(|| written.slug().to_owned())).dim(format!("  {}@{version}  {}", written.slug(), file.name)));
    if let Some(about) = &written.description {
        out.block(0, about);
    }
    out.gap();
    out.block(0, &outline::text(written));
    if !written.agents.is_empty() {
        out.gap();
        for (label, about) in &written.agents {
            out.row(Row::new().strong(label.as_str()).dim(format!("  {about}")));
        }
    }
    if !file.is_sound() {
        out.notice("it can't be used as it is: callboard workflow check");
    }
    Ok(Exit::Done)
}

fn explain(out: &mut Out, subject: &Subject, files: &[WorkflowFile]) -> Result<Exit, Problem> {
    let explained = route(subject, &workflows::sound(files), None, None);
    if out.manner.json {
        out.document(&explained)?;
        return Ok(Exit::Done);
    }
    let Explained { chosen, reason, text, margin, corpus, .. } = &explained;
    let why = match reason {
        workflow::routing::Reason::Explicit => "it was named",
        workflow::routing::Reason::Facets => "its rules fit, and those of no other as closely",
        workflow::routing::Reason::Text => "its examples read like the task",
        workflow::routing::Reason::Default => "it is the default of those whose rules fit",
        workflow::routing::Reason::Project => "it is the project's default",
        workflow::routing::Reason::Unrouted => "nothing decided, and nothing is guessed",
    };
    match chosen {
        Some(slug) => out.row(Row::new().strong(slug.as_str()).plain(format!("  {why}"))),
        None => out.row(Row::new().add(Tone::Warn, "no workflow").plain(format!("  {why}"))),
    }
    for score in text.iter().filter(|score| score.score > 0.0) {
        out.row(
            Row::new()
                .plain("  ")
                .strong(score.workflow.as_str())
                .plain(format!("  {:.6}  coverage {:.6}  ", score.score, score.coverage))
                .dim(&score.document),
        );
        let terms: Vec<String> = score.terms.iter().map(|(word, weight)| format!("{word} {weight:.6}")).collect();
        out.row(Row::new().dim(format!("      {}", terms.join(", "))));
    }
    if !text.is_empty() {
        let (coverage, lead) = explained.thresholds;
        out.row(Row::new().dim(format!(
            "  lead {margin:.6} over {}; wanted: coverage {coverage:.2}, lead {lead:.2}",
            count(i64::try_from(*corpus).unwrap_or(i64::MAX), "example")
        )));
    }
    for other in &explained.rejected {
        out.row(Row::new().plain("  not ").strong(other.workflow.as_str()).dim(format!("  {}", other.why)));
    }
    Ok(Exit::Done)
}

fn new(globals: &Globals, out: &mut Out, name: &str, from: &str) -> Result<Exit, Problem> {
    if !is_slug(name) {
        return Err(Problem::bad_request("NAME", format!("{name:?} is no name: lower case letters, digits and dashes, at most 63")));
    }
    let Some(template) = template(from) else {
        let names: Vec<&str> = TEMPLATES.iter().map(|template| template.slug).collect();
        return Err(Problem::bad_request("--from", format!("there is no template {from}")).hint(Hint::text(format!("one of {}", names.join(", ")))));
    };
    let place = boot::find_place(globals.project.as_deref())?;
    if !place.project {
        return Err(Problem::new(Code::NotInitialized, "there is no project here").hint(Hint::text("callboard init makes one")));
    }
    let path = workflows::begin(&place.directory(), name, &renamed(&template, name))?;
    if out.manner.json {
        out.document(&json!({"file": workflows::shown(&path), "from": template.slug}))?;
    } else {
        out.row(Row::new().strong(workflows::shown(&path)).plain(format!("  {}", template.about)));
        out.notice("edit it, then: callboard workflow check");
    }
    Ok(Exit::Done)
}
