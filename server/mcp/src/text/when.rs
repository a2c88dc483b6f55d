//! Points in time, as text. In UTC and said so: an agent has no zone of its own.

use contracts::Moment;

/// `14:20 UTC` on the day of `now`, else with its date.
pub(crate) fn clock(at: Moment, now: Option<Moment>) -> String {
    let (year, month, day, hour, minute, ..) = at.civil();
    let today = now.is_some_and(|now| (now.civil().0, now.civil().1, now.civil().2) == (year, month, day));
    if today { format!("{hour:02}:{minute:02} UTC") } else { format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02} UTC") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn today_needs_no_date() {
        let at = Moment::parse("2026-11-29T14:20:00Z").unwrap();
        assert_eq!(clock(at, Some(at.plus_seconds(-3_600))), "14:20 UTC");
        assert_eq!(clock(at, Some(at.plus_seconds(-86_400))), "2026-11-29 14:20 UTC");
    }
}
