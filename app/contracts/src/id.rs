//! Ids and names. Each is checked where it enters; a bad one is refused, never repaired.

use crate::limits;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use std::fmt;

fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $digits:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transparent, inline))]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Checks the form; the error names it.
            pub fn parse(raw: &str) -> Result<Self, String> {
                match raw.strip_prefix($prefix) {
                    Some(digits) if is_hex(digits, $digits) => Ok(Self(raw.to_owned())),
                    _ => Err(format!("{raw:?} is not of the form {}{}", $prefix, "0".repeat($digits))),
                }
            }

            /// Makes an id from random bits; the lowest are used.
            pub fn from_bits(bits: u128) -> Self {
                let digits = format!("{bits:032x}");
                Self(format!("{}{}", $prefix, &digits[32 - $digits..]))
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let raw = String::deserialize(deserializer)?;
                Self::parse(&raw).map_err(D::Error::custom)
            }
        }
    };
}

id_type!(
    /// A task: `tk-` and 6 hexadecimal digits.
    TaskId, "tk-", 6
);
id_type!(
    /// A milestone: `ms-` and 6 hexadecimal digits.
    MilestoneId, "ms-", 6
);
id_type!(
    /// An outside blocker of a task: `bl-` and 8 hexadecimal digits.
    BlockerId, "bl-", 8
);
id_type!(
    /// A question only a person settles: `qu-` and 8 hexadecimal digits.
    QuestionId, "qu-", 8
);
id_type!(
    /// An event: the first 32 hexadecimal digits of the SHA-256 of its canonical JSON.
    EventId, "", 32
);
id_type!(
    /// A writer of log files: 8 hexadecimal digits.
    Writer, "", 8
);

impl EventId {
    /// What the first event of a writer has for its predecessor.
    pub fn none() -> EventId {
        EventId::from_bits(0)
    }
}

/// Who says they act: `dev:<name>`, `agent:<dev>/<name>` or `system:<part>`. A declared label, not a proof.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transparent, inline))]
#[serde(transparent)]
pub struct Actor(String);

/// The three kinds of actor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ActorKind {
    /// A person.
    Dev,
    /// An agent, which always names the person who answers for it.
    Agent,
    /// A part of Callboard itself.
    System,
}

impl Actor {
    /// Checks the form; the error names the three that are legal.
    pub fn parse(raw: &str) -> Result<Actor, String> {
        let good = match raw.split_once(':') {
            Some(("dev" | "system", name)) => is_actor_part(name),
            Some(("agent", rest)) => matches!(rest.split_once('/'), Some((dev, name)) if is_actor_part(dev) && is_actor_part(name)),
            _ => false,
        };
        if good {
            Ok(Actor(raw.to_owned()))
        } else {
            Err(format!("{raw:?} is not an actor: dev:<name>, agent:<dev>/<name> or system:<part>, each part [a-z0-9][a-z0-9._-]{{0,39}}"))
        }
    }

    /// The person of a derived name (see [`derived_name`]).
    pub fn dev_named(raw: &str) -> Actor {
        Actor(format!("dev:{}", derived_name(raw)))
    }

    /// An agent of `dev` (a name part) by a derived name.
    pub fn agent_named(dev: &str, name: &str) -> Actor {
        Actor(format!("agent:{}/{}", derived_name(dev), derived_name(name)))
    }

    /// A part of Callboard.
    pub fn system(part: &str) -> Actor {
        Actor(format!("system:{}", derived_name(part)))
    }

    /// The whole label.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Which of the three it is.
    pub fn kind(&self) -> ActorKind {
        match self.0.as_bytes().first() {
            Some(b'd') => ActorKind::Dev,
            Some(b'a') => ActorKind::Agent,
            _ => ActorKind::System,
        }
    }

    /// Whether it is a person.
    pub fn is_dev(&self) -> bool {
        self.kind() == ActorKind::Dev
    }

    /// Whether it is an agent.
    pub fn is_agent(&self) -> bool {
        self.kind() == ActorKind::Agent
    }

    /// The person's name: of the person itself, or of the one who answers for an agent; `None` for the system.
    pub fn dev(&self) -> Option<&str> {
        let (kind, rest) = self.0.split_once(':')?;
        match kind {
            "dev" => Some(rest),
            "agent" => rest.split_once('/').map(|(dev, _)| dev),
            _ => None,
        }
    }

    /// The last part: `ana`, `api-1`, `demo`.
    pub fn name(&self) -> &str {
        let rest = self.0.split_once(':').map_or(self.0.as_str(), |(_, rest)| rest);
        rest.split_once('/').map_or(rest, |(_, name)| name)
    }

    /// What people read: the label without its kind (`ana`, `ana/api-1`, `demo`).
    pub fn short(&self) -> &str {
        self.0.split_once(':').map_or(self.0.as_str(), |(_, rest)| rest)
    }

    /// Whether both answer to the same person.
    pub fn same_dev(&self, other: &Actor) -> bool {
        self.dev().is_some() && self.dev() == other.dev()
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Actor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = String::deserialize(deserializer)?;
        Actor::parse(&raw).map_err(D::Error::custom)
    }
}

fn is_actor_part(part: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    (1..=limits::ACTOR_PART_CHARS_MAX).contains(&part.len())
        && plain(part.as_bytes()[0])
        && part.bytes().all(|byte| plain(byte) || matches!(byte, b'.' | b'_' | b'-'))
}

/// A name made from outside text (an operating system user, the local part of an e-mail): lower case, every run of other
/// characters becomes `-`, trimmed, cut to 40, empty becomes `unknown`.
pub fn derived_name(raw: &str) -> String {
    let mut name = String::new();
    for character in raw.to_lowercase().chars() {
        if character.is_ascii_lowercase() || character.is_ascii_digit() || (matches!(character, '.' | '_') && !name.is_empty()) {
            name.push(character);
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
        if name.len() == limits::ACTOR_PART_CHARS_MAX {
            break;
        }
    }
    let name = name.trim_end_matches('-');
    if name.is_empty() { "unknown".to_owned() } else { name.to_owned() }
}

/// An idempotency key: 1..=80 visible ASCII characters, an actor's own, kept for seven days.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transparent, inline))]
#[serde(transparent)]
pub struct Key(String);

impl Key {
    /// Checks length and characters.
    pub fn parse(raw: &str) -> Result<Key, String> {
        if (1..=limits::KEY_CHARS_MAX).contains(&raw.len()) && raw.bytes().all(|byte| byte.is_ascii_graphic()) {
            Ok(Key(raw.to_owned()))
        } else {
            Err(format!("a key has 1 to {} visible ASCII characters", limits::KEY_CHARS_MAX))
        }
    }

    /// The key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = String::deserialize(deserializer)?;
        Key::parse(&raw).map_err(D::Error::custom)
    }
}

/// A commit's name in full: 40 or 64 lower-case hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct CommitSha(String);

impl CommitSha {
    /// Checks length and digits.
    pub fn parse(raw: &str) -> Result<CommitSha, String> {
        let hex = raw.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if hex && matches!(raw.len(), 40 | 64) {
            Ok(CommitSha(raw.to_owned()))
        } else {
            Err("a commit is named by all of its 40 or 64 hexadecimal digits".to_owned())
        }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CommitSha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for CommitSha {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = String::deserialize(deserializer)?;
        CommitSha::parse(&raw).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_one_form() {
        assert!(TaskId::parse("tk-4f2a9c").is_ok());
        for bad in ["tk-4F2A9C", "tk-4f2a9", "tk-4f2a9cc", "ms-4f2a9c", "4f2a9c", "tk-4f2a9g", ""] {
            assert!(TaskId::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(TaskId::from_bits(0x4f2a9c).as_str(), "tk-4f2a9c");
        assert_eq!(EventId::none().as_str(), "0".repeat(32));
    }

    #[test]
    fn actors_say_what_they_are_and_who_answers() {
        let agent = Actor::parse("agent:ana/api-1").unwrap();
        assert_eq!((agent.kind(), agent.dev(), agent.name(), agent.short()), (ActorKind::Agent, Some("ana"), "api-1", "ana/api-1"));
        assert!(agent.same_dev(&Actor::parse("dev:ana").unwrap()));
        for bad in ["ana", "dev:", "dev:Ana", "agent:ana", "agent:/x", "agent:a/b/c", "robot:x", "dev:-x", "dev:a b"] {
            assert!(Actor::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_derived_name_is_always_legal() {
        for (raw, name) in [("Ana María", "ana-mar-a"), ("", "unknown"), ("///", "unknown"), ("a__b", "a__b"), (".x", "x"), ("日本", "unknown")] {
            assert_eq!(derived_name(raw), name);
        }
        for raw in ["x".repeat(80), "é".repeat(80), format!("a{}", "-".repeat(80))] {
            assert!(Actor::parse(&format!("dev:{}", derived_name(&raw))).is_ok());
        }
    }
}
