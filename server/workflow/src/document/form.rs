//! Values that may be written in more than one way: `true` or the particulars, a word or a map, a word or several.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// What was written.
#[derive(Clone, Debug, PartialEq)]
pub enum Given<T> {
    /// `true` or `false`.
    Flag(bool),
    /// A word.
    Word(String),
    /// Several words.
    Words(Vec<String>),
    /// The particulars.
    Map(T),
}

/// A value in one of several forms; the particulars are always legal, the constants say what else is.
#[derive(Clone, Debug, PartialEq)]
pub struct Form<T, const FLAG: bool, const WORD: bool, const WORDS: bool>(pub Given<T>);

/// `true`, or the particulars.
pub type Switch<T> = Form<T, true, false, false>;
/// A word, or the particulars.
pub type WordOr<T> = Form<T, false, true, false>;
/// A word, several words, or the particulars.
pub type WordsOr<T> = Form<T, false, true, true>;

impl<T: Default> Switch<T> {
    /// The particulars, with defaults where only `true` was written; `None` for `false`.
    pub fn on(&self) -> Option<Cow<'_, T>>
    where
        T: Clone,
    {
        match &self.0 {
            Given::Map(particulars) => Some(Cow::Borrowed(particulars)),
            Given::Flag(true) => Some(Cow::Owned(T::default())),
            _ => None,
        }
    }
}

fn forms(flag: bool, word: bool, words: bool) -> String {
    let mut forms = Vec::new();
    for (legal, form) in [(flag, "true"), (word, "a word"), (words, "a list of words")] {
        if legal {
            forms.push(form);
        }
    }
    format!("{} or a map", forms.join(", "))
}

struct FormVisitor<T, const FLAG: bool, const WORD: bool, const WORDS: bool>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const FLAG: bool, const WORD: bool, const WORDS: bool> Visitor<'de> for FormVisitor<T, FLAG, WORD, WORDS> {
    type Value = Form<T, FLAG, WORD, WORDS>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&forms(FLAG, WORD, WORDS))
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Self::Value, E> {
        if FLAG { Ok(Form(Given::Flag(flag))) } else { Err(E::invalid_type(Unexpected::Bool(flag), &self)) }
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<Self::Value, E> {
        if WORD { Ok(Form(Given::Word(word.to_owned()))) } else { Err(E::invalid_type(Unexpected::Str(word), &self)) }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        if !WORDS {
            return Err(A::Error::invalid_type(Unexpected::Seq, &self));
        }
        let mut words = Vec::new();
        while let Some(word) = list.next_element()? {
            words.push(word);
        }
        Ok(Form(Given::Words(words)))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(|particulars| Form(Given::Map(particulars)))
    }
}

impl<'de, T: Deserialize<'de>, const FLAG: bool, const WORD: bool, const WORDS: bool> Deserialize<'de> for Form<T, FLAG, WORD, WORDS> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FormVisitor(PhantomData))
    }
}

impl<T: JsonSchema, const FLAG: bool, const WORD: bool, const WORDS: bool> JsonSchema for Form<T, FLAG, WORD, WORDS> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("{}_form", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut any = Vec::new();
        if FLAG {
            any.push(json_schema!({"type": "boolean"}));
        }
        if WORD {
            any.push(json_schema!({"type": "string"}));
        }
        if WORDS {
            any.push(json_schema!({"type": "array", "items": {"type": "string"}}));
        }
        any.push(generator.subschema_for::<T>());
        json_schema!({"anyOf": any})
    }
}

/// A length of time: `30m`, `12h`, `3d`, `2w`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// In seconds.
    pub seconds: i64,
}

impl<'de> Deserialize<'de> for Length {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = String::deserialize(deserializer)?;
        filter::length(&raw)
            .map(|seconds| Length { seconds })
            .ok_or_else(|| D::Error::custom(format!("{raw:?} is no length of time: write 30m, 12h, 3d or 2w")))
    }
}

impl JsonSchema for Length {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Length".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "pattern": "^[0-9]{1,9}[smhdw]$"})
    }
}

/// Where a run goes on when something did not go well: a word of the place it stands in, or `goto:<id>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Course {
    /// A word.
    Word(String),
    /// To a step.
    Goto(String),
}

impl Course {
    /// The word, if it is one.
    pub fn word(&self) -> &str {
        match self {
            Course::Word(word) => word,
            Course::Goto(_) => "goto",
        }
    }
}

impl<'de> Deserialize<'de> for Course {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = String::deserialize(deserializer)?;
        Ok(match raw.strip_prefix("goto:") {
            Some(step) => Course::Goto(step.trim().to_owned()),
            None => Course::Word(raw),
        })
    }
}

impl JsonSchema for Course {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Course".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "description": "a word, or goto:<step>"})
    }
}
