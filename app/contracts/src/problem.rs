//! A refusal is an answer: [`Problem`], the same code on every surface, with what is wrong and the way out.

use crate::Hint;
use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $word:literal, $status:literal, $exit:literal;)+) => {
        /// What went wrong, as clients branch on it. Each code has one HTTP status and one exit code of the CLI.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Code { $($(#[$doc])* #[serde(rename = $word)] $variant),+ }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Code] = &[$(Code::$variant),+];

            /// The word on the wire.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$variant => $word),+ }
            }

            /// The HTTP status.
            pub fn status(self) -> u16 {
                match self { $(Code::$variant => $status),+ }
            }

            /// The exit code of the CLI: 1 refused, 2 usage, 4 the world failed.
            pub fn exit(self) -> u8 {
                match self { $(Code::$variant => $exit),+ }
            }
        }
    };
}

codes! {
    /// Malformed, an unknown name, or a value out of range.
    BadRequest = "bad_request", 400, 2;
    /// Over a limit.
    TooLarge = "too_large", 413, 2;
    /// No credential, or not a valid one.
    Unauthorized = "unauthorized", 401, 1;
    /// This actor may not.
    Forbidden = "forbidden", 403, 1;
    /// Host, Origin or content type not acceptable.
    OriginRefused = "origin_refused", 403, 1;
    /// The server or the credential only reads.
    ReadOnly = "read_only", 403, 1;
    /// No such task, milestone, report or project that the caller can see.
    NotFound = "not_found", 404, 1;
    /// No project here.
    NotInitialized = "not_initialized", 404, 1;
    /// The wrong HTTP method for this address.
    MethodNotAllowed = "method_not_allowed", 405, 2;
    /// The status does not allow it at all.
    IllegalMove = "illegal_move", 409, 1;
    /// Another live or late lease.
    LeaseHeld = "lease_held", 409, 1;
    /// The caller does not hold it, or another took it.
    LeaseLost = "lease_lost", 409, 1;
    /// The fence presented is older than the current one.
    StaleFence = "stale_fence", 409, 1;
    /// Meant for another actor.
    Assigned = "assigned", 409, 1;
    /// A person's hold or an unapproved plan.
    Held = "held", 409, 1;
    /// An open dependency or blocker.
    Blocked = "blocked", 409, 1;
    /// The caller already holds its maximum.
    AtLimit = "at_limit", 409, 1;
    /// The version has moved on.
    Stale = "stale", 409, 1;
    /// The same key with other content.
    KeyReused = "key_reused", 409, 1;
    /// An edge or parent would close a loop.
    Cycle = "cycle", 422, 1;
    /// Subtasks, or tasks of a milestone, are open.
    ChildrenOpen = "children_open", 422, 1;
    /// No counting commit.
    NoEvidence = "no_evidence", 422, 1;
    /// A note is missing or too short.
    NeedsReason = "needs_reason", 422, 1;
    /// A review is required or under way, and not passed.
    NeedsReview = "needs_review", 422, 1;
    /// A run's gates or an open question stand in the way.
    GateClosed = "gate_closed", 422, 1;
    /// A workflow, or what stands beside one, is not well written.
    DefinitionInvalid = "definition_invalid", 422, 1;
    /// What was reported does not look as the step says.
    BadOutput = "bad_output", 422, 1;
    /// The question was settled or is no longer asked.
    RequestClosed = "request_closed", 409, 1;
    /// Somebody else decided it.
    AlreadyDecided = "already_decided", 409, 1;
    /// Criteria without an answer.
    CriteriaOpen = "criteria_open", 422, 1;
    /// Two versions of a report.
    ReportConflict = "report_conflict", 409, 1;
    /// That report is being narrated.
    Narrating = "narrating", 409, 1;
    /// The provider failed; the facts are kept.
    NarrationFailed = "narration_failed", 502, 4;
    /// Git refused.
    GitFailed = "git_failed", 409, 4;
    /// The server was not reached.
    Unreachable = "unreachable", 502, 4;
    /// The database stayed locked, the queue is full, or the disk is.
    Busy = "busy", 503, 4;
    /// Too many calls.
    RateLimited = "rate_limited", 429, 4;
    /// Written by a newer Callboard.
    NewerFormat = "newer_format", 409, 4;
    /// Our fault.
    Internal = "internal", 500, 4;
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One thing wrong in a request, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldError {
    /// Where: `tasks[3].after[0]`.
    pub path: String,
    /// What is wrong and what would be right.
    pub text: String,
}

/// A refusal: a code to branch on, words for people and agents, and the way out. Never holds a path, SQL or a secret.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    /// What clients branch on.
    pub code: Code,
    /// One line, plain text.
    pub title: String,
    /// More, when there is more to say.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// The way out.
    #[serde(default)]
    pub hint: Hint,
    /// Each fault of a malformed request, at most 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
    /// For `internal`: what to quote when reporting it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incident: Option<String>,
}

impl Problem {
    /// A problem with a title alone.
    pub fn new(code: Code, title: impl Into<String>) -> Problem {
        Problem { code, title: title.into(), detail: String::new(), hint: Hint::default(), errors: Vec::new(), incident: None }
    }

    /// With more to say.
    pub fn detail(mut self, detail: impl Into<String>) -> Problem {
        self.detail = detail.into();
        self
    }

    /// With a way out.
    pub fn hint(mut self, hint: Hint) -> Problem {
        self.hint = hint;
        self
    }

    /// With faults at their paths.
    pub fn errors(mut self, errors: Vec<FieldError>) -> Problem {
        self.errors = errors;
        self
    }

    /// A malformed request, with one fault.
    pub fn bad_request(path: impl Into<String>, text: impl Into<String>) -> Problem {
        let (path, text) = (path.into(), text.into());
        let title = if path.is_empty() { text.clone() } else { format!("{path}: {text}") };
        Problem::new(Code::BadRequest, title).errors(vec![FieldError { path, text }])
    }
}

impl Problem {
    /// The problem as a program gets it, in the form of `application/problem+json`; the hint comes in the words of the surface that asked.
    pub fn document(&self, hint: String) -> serde_json::Value {
        let mut document = serde_json::json!({
            "type": format!("urn:callboard:{}", self.code),
            "title": self.title,
            "status": self.code.status(),
            "detail": self.detail,
            "code": self.code,
            "hint": hint,
        });
        if !self.errors.is_empty() {
            document["errors"] = serde_json::json!(self.errors);
        }
        if let Some(incident) = &self.incident {
            document["incident"] = incident.as_str().into();
        }
        document
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.title, self.code)
    }
}

impl std::error::Error for Problem {}
