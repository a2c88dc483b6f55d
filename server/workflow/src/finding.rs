//! What is wrong with a written workflow, where, and the edit that mends it. All findings of a file are told at once.

use contracts::{Code as ProblemCode, FieldError, Hint, Problem};
use serde::Serialize;
use std::fmt;

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $word:literal;)+) => {
        /// What kind of finding it is. `E_` refuses the save, `W_` does not.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        pub enum Code { $($(#[$doc])* #[serde(rename = $word)] $variant),+ }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Code] = &[$(Code::$variant),+];

            /// The word.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$variant => $word),+ }
            }
        }
    };
}

codes! {
    /// The text is not YAML of the kind that is taken: it does not parse, has an alias, a tag, a merge key, a second document.
    Yaml = "E_YAML";
    /// The same key twice in one map.
    KeyDup = "E_KEY_DUP";
    /// A value of the wrong form.
    Shape = "E_SHAPE";
    /// A key the language does not have.
    Key = "E_KEY";
    /// A key that is legal and that this version does not carry out yet.
    NotYet = "E_NOT_YET";
    /// Two steps of one name.
    IdDup = "E_ID_DUP";
    /// None or two of the keys that say what kind of step it is.
    Kind = "E_KIND";
    /// A name that names nothing.
    Ref = "E_REF";
    /// A way that leads into a lane, branch or loop, or out of a lane.
    GotoScope = "E_GOTO_SCOPE";
    /// A way back without an end.
    BackNoMax = "E_BACK_NO_MAX";
    /// A decision that may match nothing.
    DecisionNoDefault = "E_DECISION_NO_DEFAULT";
    /// A branch that is never taken.
    DecisionDead = "E_DECISION_DEAD";
    /// A comparison that does not fit the type of what is compared.
    Type = "E_TYPE";
    /// A filter that can't be read.
    Filter = "E_FILTER";
    /// A step no way leads to.
    Unreachable = "E_UNREACHABLE";
    /// A workflow that invokes itself.
    InvokeCycle = "E_INVOKE_CYCLE";
    /// Two lanes of one name.
    LaneDup = "E_LANE_DUP";
    /// A key no gate has, or not this one.
    GateKey = "E_GATE_KEY";
    /// A gate nobody can open.
    GateImpossible = "E_GATE_IMPOSSIBLE";
    /// Two rules that each call themselves the default.
    DefaultDup = "E_DEFAULT_DUP";
    /// Over a limit.
    Limit = "E_LIMIT";
    /// Waits for children, and nothing makes any.
    VacuousChildren = "W_VACUOUS_CHILDREN";
    /// The task is closed and no gate stands before it.
    NoGateOnClose = "W_NO_GATE_ON_CLOSE";
    /// Nothing closes the task.
    NoClose = "W_NO_CLOSE";
    /// A label that `agents` does not explain.
    AgentUndeclared = "W_AGENT_UNDECLARED";
    /// Work without a word on what to do.
    NoInstructions = "W_NO_INSTRUCTIONS";
}

impl Code {
    /// Whether it only warns.
    pub fn is_warning(self) -> bool {
        self.as_str().starts_with("W_")
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Line in the text, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// JSON pointer into the document: `/steps/3/gate`.
    pub pointer: String,
    /// What kind.
    pub code: Code,
    /// What is wrong.
    pub text: String,
    /// What would be right.
    pub hint: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{} {} {}", self.line, self.column, self.code, self.text)?;
        if self.hint.is_empty() { Ok(()) } else { write!(f, " ({})", self.hint) }
    }
}

/// Findings a refusal lists.
const SHOWN: usize = 20;

/// The errors among the findings as a refusal, for a save or a start. `name` is the file or workflow they are about.
pub fn problem(name: &str, findings: &[Finding]) -> Problem {
    let errors: Vec<&Finding> = findings.iter().filter(|finding| !finding.code.is_warning()).collect();
    let many = if errors.len() == 1 { "1 error".to_owned() } else { format!("{} errors", errors.len()) };
    let told = |finding: &&Finding| FieldError {
        path: format!("{}:{}", finding.line, finding.column),
        text: format!("{} {}{}", finding.code, finding.text, if finding.hint.is_empty() { String::new() } else { format!(": {}", finding.hint) }),
    };
    let detail = if errors.len() > SHOWN { format!("{} more are left out here", errors.len() - SHOWN) } else { String::new() };
    Problem::new(ProblemCode::DefinitionInvalid, format!("{name} has {many}"))
        .detail(detail)
        .errors(errors.iter().take(SHOWN).map(told).collect())
        .hint(Hint::text("callboard workflow check lists every finding with its line; callboard workflow schema says what may be written"))
}
