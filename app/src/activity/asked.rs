//! What an address of the activity asks for. Times are instants, wall clock times of the project, or lengths back from now.

use super::NAMES;
use crate::times;
use crate::words::encoded;
use contracts::view::{ActivityQuery, TimelineQuery};
use contracts::{Actor, Hint, MilestoneId, Moment, Problem, TaskId, limits};

/// The parameters of an address, as they were written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked(Vec<(&'static str, String)>);

impl Asked {
    /// Reads them; empty ones ask for nothing.
    pub fn of(param: impl Fn(&str) -> Option<String>) -> Asked {
        let read = |name: &'static str| param(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty()).map(|value| (name, value));
        Asked(NAMES.into_iter().filter_map(read).collect())
    }

    /// One of them; empty when it is not there.
    pub fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value)
    }

    /// Whether a switch is on.
    pub fn is(&self, name: &str) -> bool {
        self.get(name) == "true"
    }

    /// The same with another value of one of them; an empty one takes it out.
    #[must_use]
    pub fn with(&self, name: &'static str, value: &str) -> Asked {
        let mut pairs: Vec<_> = self.0.iter().filter(|(known, _)| *known != name).cloned().collect();
        if !value.is_empty() {
            pairs.push((name, value.to_owned()));
        }
        pairs.sort_by_key(|(name, _)| NAMES.iter().position(|known| known == name));
        Asked(pairs)
    }

    /// The same from one time to another.
    #[must_use]
    pub fn between(&self, since: Moment, until: Moment) -> Asked {
        self.with("older", "").with("since", &since.to_string()).with("until", &until.to_string())
    }

    /// As parameters of an address, with `?` before them; empty when nothing is asked for.
    pub fn address(&self) -> String {
        let pairs: Vec<String> = self.0.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
        if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
    }

    /// What the board is asked.
    ///
    /// # Errors
    /// `bad_request` naming the first parameter that can't be read, and how it is written.
    pub fn query(&self, now: Moment, offset_minutes: i32) -> Result<TimelineQuery, Problem> {
        let wrong = |name: &str, said: String, how: &str| Problem::bad_request(name, said).hint(Hint::text(how));
        let kind = Some(self.get("kind")).filter(|kind| !kind.is_empty());
        let legal = |kind: &str| kind.chars().all(|character| character.is_ascii_lowercase() || "._,*".contains(character));
        if let Some(kind) = kind.filter(|kind| !legal(kind)) {
            return Err(wrong("kind", format!("{kind:?} is no kind of event"), "write one like task.closed, a family like task.*, or several with commas"));
        }
        let actor = part(self.get("actor"), |raw| Actor::parse(raw).map_err(|fault| wrong("actor", fault, "write one like dev:ana or agent:ana/w1")))?;
        let task = part(self.get("task"), |raw| TaskId::parse(raw).map_err(|fault| wrong("task", fault, "write its id, like tk-4f2a9c")))?;
        let milestone = part(self.get("milestone"), |raw| MilestoneId::parse(raw).map_err(|fault| wrong("milestone", fault, "write its id, like ms-4f2a9c")))?;
        let time = |name: &str| {
            part(self.get(name), |raw| {
                let how = "write 2026-11-29T08:00, today, or a length back from now like 24h or 7d";
                moment(raw, now, offset_minutes).ok_or_else(|| wrong(name, format!("{raw:?} is no time"), how))
            })
        };
        let (since, until) = (time("since")?, time("until")?);
        if let (Some(since), Some(until)) = (since, until)
            && until <= since
        {
            return Err(wrong("until", "ends before it begins".to_owned(), "choose a later end, or an earlier start"));
        }
        if self.get("text").chars().count() > limits::QUERY_CHARS_MAX {
            return Err(wrong("text", format!("has more than {} characters", limits::QUERY_CHARS_MAX), "look for fewer words"));
        }
        Ok(TimelineQuery {
            of: ActivityQuery {
                kind: kind.map(str::to_owned),
                actor,
                task,
                milestone,
                since,
                until,
                text: self.get("text").to_owned(),
                cursor: Some(self.get("older").to_owned()).filter(|older| !older.is_empty()),
                limit: Some(limits::ACTIVITY_ROWS),
            },
            verify: self.is("verify"),
        })
    }
}

fn part<T>(raw: &str, parse: impl Fn(&str) -> Result<T, Problem>) -> Result<Option<T>, Problem> {
    if raw.is_empty() { Ok(None) } else { parse(raw).map(Some) }
}

/// A point in time as addresses and forms write it.
fn moment(raw: &str, now: Moment, offset_minutes: i32) -> Option<Moment> {
    let on_the_wall = |text: &str| Moment::parse(&format!("{text}Z")).map(|moment| moment.plus_seconds(-i64::from(offset_minutes) * 60));
    let back = |number: &str, unit_s: i64| number.parse::<u32>().ok().map(|number| now.plus_seconds(-i64::from(number) * unit_s));
    match raw {
        "today" => on_the_wall(&format!("{}T00:00:00", times::date(now, offset_minutes))),
        _ if raw.len() == 10 => on_the_wall(&format!("{raw}T00:00:00")),
        _ if raw.len() == 16 => on_the_wall(&format!("{raw}:00")),
        _ if raw.len() == 19 => on_the_wall(raw),
        _ => match (raw.strip_suffix('h'), raw.strip_suffix('d')) {
            (Some(hours), _) => back(hours, 3_600),
            (_, Some(days)) => back(days, 86_400),
            _ => Moment::parse(raw),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(pairs: &[(&str, &str)]) -> Asked {
        Asked::of(|name| pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    fn now() -> Moment {
        Moment::parse("2026-11-29T12:10:00Z").unwrap()
    }

    #[test]
    fn an_address_is_read_and_written_alike() {
        let asked = asked(&[("text", " torn page "), ("kind", "task.*,commit.bound"), ("actor", ""), ("wat", "1")]);
        assert_eq!(asked.address(), "?kind=task.%2A%2Ccommit.bound&text=torn%20page");
        assert_eq!(asked.with("kind", "").with("audit", "true").address(), "?text=torn%20page&audit=true");
        let query = asked.query(now(), 0).unwrap();
        assert_eq!((query.of.kind.as_deref(), query.of.text.as_str(), query.verify), (Some("task.*,commit.bound"), "torn page", false));
    }

    #[test]
    fn times_are_the_projects_wall_clock_or_lengths_back() {
        for (raw, instant) in [
            ("2026-11-29T08:00", "2026-11-29T07:00:00.000Z"),
            ("2026-11-29", "2026-11-28T23:00:00.000Z"),
            ("today", "2026-11-28T23:00:00.000Z"),
            ("24h", "2026-11-28T12:10:00.000Z"),
            ("7d", "2026-11-22T12:10:00.000Z"),
            ("2026-11-29T08:00:00+05:30", "2026-11-29T02:30:00.000Z"),
        ] {
            let query = asked(&[("since", raw)]).query(now(), 60).unwrap();
            assert_eq!(query.of.since.unwrap().to_string(), instant, "{raw}");
        }
    }

    #[test]
    fn what_cant_be_read_is_named_with_what_would_be_right() {
        for (name, value) in
            [("kind", "<b>"), ("actor", "bob"), ("task", "91f24c"), ("milestone", "x"), ("since", "yesterday"), ("until", "h"), ("until", "29.11.2026")]
        {
            let problem = asked(&[(name, value)]).query(now(), 0).unwrap_err();
            assert_eq!((problem.code, problem.errors[0].path.as_str()), (contracts::Code::BadRequest, name), "{value}");
            assert!(!problem.hint.text.is_empty(), "{value}");
        }
        assert!(asked(&[("since", "1h"), ("until", "2h")]).query(now(), 0).is_err());
    }
}
