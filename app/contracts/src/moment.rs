//! Points in time: [`Moment`] (a wall-clock instant in milliseconds) and [`Stamp`] (the log's hybrid logical clock).
//!
//! Both are written as RFC 3339 in UTC with three decimals, so text order is time order. There is no date library here
//! because this crate is shipped to browsers; zones are the server's business.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::fmt;

/// A wall-clock instant: milliseconds since 1970-01-01T00:00:00Z. On the wire: `2026-11-29T11:37:08.123Z`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(pub i64);

/// 9999-12-31T23:59:59.999Z.
const LAST: Moment = Moment(253_402_300_799_999);

impl Moment {
    /// Reads RFC 3339 with any offset and any number of decimals (cut to milliseconds), of the years 0000 to 9999 in UTC.
    pub fn parse(raw: &str) -> Option<Moment> {
        let bytes = raw.as_bytes();
        if !raw.is_ascii()
            || bytes.len() < 20
            || bytes[4] != b'-'
            || bytes[7] != b'-'
            || !matches!(bytes[10], b'T' | b't' | b' ')
            || bytes[13] != b':'
            || bytes[16] != b':'
        {
            return None;
        }
        let number = |from: usize, to: usize| -> Option<i64> {
            let part = &raw[from..to];
            part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok()).flatten()
        };
        let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
        let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
        if !(1..=12).contains(&month) || day < 1 || day > days_in_month(year, month) || hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let mut rest = &raw[19..];
        let mut millis = 0;
        if let Some(fraction) = rest.strip_prefix('.') {
            let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
            if digits == 0 {
                return None;
            }
            let kept: String = fraction[..digits].chars().chain("000".chars()).take(3).collect();
            millis = kept.parse().ok()?;
            rest = &fraction[digits..];
        }
        let offset_minutes = match rest.as_bytes() {
            b"Z" | b"z" => 0,
            [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] if [h1, h2, m1, m2].iter().all(|byte| byte.is_ascii_digit()) => {
                let two = |tens: &u8, ones: &u8| i64::from(tens - b'0') * 10 + i64::from(ones - b'0');
                let (hours, minutes) = (two(h1, h2), two(m1, m2));
                if hours > 23 || minutes > 59 {
                    return None;
                }
                if *sign == b'+' { hours * 60 + minutes } else { -(hours * 60 + minutes) }
            }
            _ => return None,
        };
        let days = days_from_civil(year, month, day);
        let moment = Moment((((days * 24 + hour) * 60 + minute - offset_minutes) * 60 + second) * 1000 + millis);
        // An offset can lead out of the years that four digits write, and then text order would be time order no more.
        (0..=9999).contains(&moment.civil().0).then_some(moment)
    }

    /// This instant moved by `seconds`.
    pub fn plus_seconds(self, seconds: i64) -> Moment {
        Moment(self.0.saturating_add(seconds.saturating_mul(1000)))
    }

    /// Whole seconds from `earlier` to this instant; negative when it lies after.
    pub fn seconds_since(self, earlier: Moment) -> i64 {
        self.0.saturating_sub(earlier.0).div_euclid(1000)
    }

    /// Year, month, day, hour, minute, second, millisecond in UTC.
    pub fn civil(self) -> (i64, i64, i64, i64, i64, i64, i64) {
        let (days, ms) = (self.0.div_euclid(86_400_000), self.0.rem_euclid(86_400_000));
        let (year, month, day) = civil_from_days(days);
        (year, month, day, ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60, ms % 1000)
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day, hour, minute, second, ms) = self.civil();
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z")
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = String::deserialize(deserializer)?;
        Moment::parse(&raw).ok_or_else(|| D::Error::custom("an instant is written as RFC 3339: 2026-11-29T11:37:08Z"))
    }
}

/// A position of the log's hybrid logical clock: a millisecond and a counter 0..=9999. Written `2026-11-29T11:37:08.123Z#0004`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stamp {
    /// The wall-clock part.
    pub moment: Moment,
    /// Tells events of one millisecond apart.
    pub counter: u16,
}

impl Stamp {
    /// Largest counter; the next stamp after it moves the millisecond on.
    pub const COUNTER_MAX: u16 = 9_999;

    /// Reads exactly the form `Display` writes: anything else is refused, because ids are hashes over this text.
    pub fn parse(raw: &str) -> Option<Stamp> {
        let (moment, counter) = raw.split_once('#')?;
        let stamp = Stamp { moment: Moment::parse(moment)?, counter: counter.parse().ok()? };
        (stamp.to_string() == raw && stamp.counter <= Self::COUNTER_MAX).then_some(stamp)
    }

    /// The smallest stamp after this one; the last one there is has none, because what lies behind it could not be read back.
    pub fn next(self) -> Stamp {
        match (self.counter < Self::COUNTER_MAX, self.moment < LAST) {
            (true, _) => Stamp { counter: self.counter + 1, ..self },
            (false, true) => Stamp { moment: Moment(self.moment.0 + 1), counter: 0 },
            (false, false) => self,
        }
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{:04}", self.moment, self.counter)
    }
}

impl Serialize for Stamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Stamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = String::deserialize(deserializer)?;
        Stamp::parse(&raw).ok_or_else(|| D::Error::custom("not a stamp of the log's clock"))
    }
}

/// Days in a month of the proleptic Gregorian calendar.
pub fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 to a civil date (the era arithmetic of the Gregorian calendar's 400-year cycle).
pub fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The civil date of a number of days after 1970-01-01.
pub fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day_of_year - (153 * shifted + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_is_read_and_written_alike() {
        for text in ["1970-01-01T00:00:00.000Z", "2024-02-29T23:59:59.999Z", "2026-11-29T11:37:08.123Z", "9999-12-31T00:00:00.000Z"] {
            assert_eq!(Moment::parse(text).map(|moment| moment.to_string()).as_deref(), Some(text));
        }
        assert_eq!(Moment::parse("2026-11-29T12:37:08+01:00"), Moment::parse("2026-11-29T11:37:08Z"));
        for bad in ["2026-11-29T11:37:08+99:99", "2026-11-29T11:37:08-24:00", "9999-12-31T23:59:59-00:01", "0000-01-01T00:00:00+00:01"] {
            assert_eq!(Moment::parse(bad), None, "{bad}");
        }
        for bad in ["2026-02-30T00:00:00Z", "2026-11-29", "2026-11-29T11:37:08", "2026-11-29T11:37:08.Z", "yesterday", "２026-11-29T11:37:08Z"] {
            assert_eq!(Moment::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_answer_to_the_last_stamp_reads_back() {
        let last = Stamp::parse("9999-12-31T23:59:59.999Z#9999").unwrap();
        assert_eq!(Stamp::parse(&last.next().to_string()), Some(last));
    }

    #[test]
    fn a_stamp_has_one_spelling_and_a_successor() {
        let stamp = Stamp::parse("2026-11-29T11:37:08.123Z#9999").unwrap();
        assert_eq!(stamp.next().to_string(), "2026-11-29T11:37:08.124Z#0000");
        for bad in ["2026-11-29T11:37:08.123Z#4", "2026-11-29T11:37:08Z#0004", "2026-11-29T11:37:08.123Z#00004", "2026-11-29T12:37:08.123+01:00#0004"] {
            assert_eq!(Stamp::parse(bad), None, "{bad}");
        }
    }
}
