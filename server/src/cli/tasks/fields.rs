//! The fields of a task as flags, shared by `add` and `edit`.

use contracts::command::Priority;
use contracts::standing::Complexity;
use contracts::text::{CriterionText, FilePattern, Slug};
use contracts::{Code, Label, Markdown, MilestoneId, Problem, TaskId, limits};
use std::io::Read;
use std::path::{Path, PathBuf};

/// What `add` and `edit` have in common.
#[derive(Debug, Default, clap::Args)]
pub struct FieldArgs {
    /// Say what is wanted, in markdown
    #[arg(long, value_name = "TEXT", value_parser = Markdown::parse)]
    pub spec: Option<Markdown>,
    /// Read the spec from a file, - for stdin
    #[arg(long, value_name = "F", conflicts_with = "spec")]
    pub spec_file: Option<PathBuf>,
    /// Give the type: task, feature, bug, chore, docs, test, refactor, research, decision, incident
    #[arg(long = "type", value_name = "T", value_parser = Slug::parse)]
    pub kind: Option<Slug>,
    /// Give the priority: 0 urgent, 1 high, 2 normal, 3 someday; a number or its word
    #[arg(long, short = 'p', value_name = "0..3", value_parser = priority)]
    pub priority: Option<Priority>,
    /// Give a label; may be given several times
    #[arg(long, value_name = "L", value_parser = Label::parse, value_delimiter = ',')]
    pub label: Vec<Label>,
    /// Name a path, a tree (src/) or a glob it will touch; may be given several times
    #[arg(long, value_name = "PATTERN", value_parser = FilePattern::parse)]
    pub files: Vec<FilePattern>,
    /// Name the area of the product
    #[arg(long, value_name = "AREA", value_parser = Slug::parse)]
    pub vertical: Option<Slug>,
    /// Give the size: XS, S, M, L, XL
    #[arg(long, value_name = "SIZE", value_parser = Complexity::parse)]
    pub complexity: Option<Complexity>,
    /// Put it into this milestone
    #[arg(long, value_name = "M", value_parser = crate::cli::words::milestone)]
    pub milestone: Option<MilestoneId>,
    /// Make it a part of this task
    #[arg(long, value_name = "ID", value_parser = crate::cli::words::task)]
    pub parent: Option<TaskId>,
    /// Add an item to the checklist; may be given several times
    #[arg(long, value_name = "TEXT", value_parser = CriterionText::parse)]
    pub criteria: Vec<CriterionText>,
    /// Give the day (its end, in the project's zone) or the instant it is due
    #[arg(long, value_name = "DATE")]
    pub due: Option<String>,
    /// Say whether it needs a review
    #[arg(long, value_name = "yes|no", value_parser = yes_or_no, num_args = 0..=1, default_missing_value = "yes", require_equals = true)]
    pub review: Option<bool>,
}

impl FieldArgs {
    /// The spec, from its flag or file.
    pub fn spec(&self) -> Result<Option<Markdown>, Problem> {
        match &self.spec_file {
            Some(path) => {
                let text = read_text(path, limits::SPEC_BYTES_MAX, "--spec-file")?;
                Markdown::parse(&text).map(Some).map_err(|fault| Problem::bad_request("--spec-file", fault))
            }
            None => Ok(self.spec.clone()),
        }
    }
}

/// A whole number in range, or its word.
pub fn priority(raw: &str) -> Result<Priority, String> {
    let number = match raw.to_ascii_lowercase().as_str() {
        "urgent" => "0",
        "high" => "1",
        "normal" => "2",
        "someday" => "3",
        _ => raw.strip_prefix(['P', 'p']).unwrap_or(raw),
    };
    number.parse().map_err(|_| format!("priority is 0 urgent, 1 high, 2 normal or 3 someday, not {raw:?}")).and_then(Priority::parse)
}

/// `yes` or `no`.
pub fn yes_or_no(raw: &str) -> Result<bool, String> {
    match raw {
        "yes" | "true" => Ok(true),
        "no" | "false" => Ok(false),
        _ => Err(format!("{raw:?} is not one of yes, no")),
    }
}

/// A file or stdin as text, refused when it is over the limit.
pub fn read_text(path: &Path, bytes_max: usize, flag: &str) -> Result<String, Problem> {
    let mut bytes = Vec::new();
    let most = u64::try_from(bytes_max).unwrap_or(u64::MAX).saturating_add(1);
    let read = if path.as_os_str() == "-" {
        std::io::stdin().lock().take(most).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes))
    };
    read.map_err(|fault| Problem::bad_request(flag, format!("can't be read: {fault}")))?;
    if bytes.len() > bytes_max {
        return Err(Problem::new(Code::TooLarge, format!("{flag}: the text has more than {bytes_max} bytes, which is the limit")));
    }
    String::from_utf8(bytes).map_err(|_| Problem::bad_request(flag, "is not UTF-8 text"))
}
