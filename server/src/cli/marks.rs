//! One shape and one tone for each standing: never a colour alone.

use super::out::Tone;
use contracts::Standing;

/// The shape.
pub fn mark(standing: Standing, ascii: bool) -> &'static str {
    let (shape, plain) = match standing {
        Standing::Done => ("✓", "x"),
        Standing::Cancelled => ("✗", "-"),
        Standing::NeedsYou => ("▲", "!"),
        Standing::InReview => ("◆", "?"),
        Standing::Working => ("●", "*"),
        Standing::Waiting => ("◔", "~"),
        Standing::Blocked => ("□", "#"),
        Standing::Held => ("■", "="),
        Standing::Changes => ("↺", "<"),
        Standing::Stalled => ("◌", "%"),
        Standing::Assigned => ("◐", ">"),
        Standing::Ready => ("○", "o"),
    };
    if ascii { plain } else { shape }
}

/// How it stands out.
pub fn tone(standing: Standing) -> Tone {
    match standing {
        Standing::Done => Tone::Good,
        Standing::Cancelled | Standing::Blocked | Standing::Held => Tone::Dim,
        Standing::NeedsYou | Standing::InReview | Standing::Changes | Standing::Stalled => Tone::Warn,
        Standing::Working | Standing::Waiting => Tone::Live,
        Standing::Assigned | Standing::Ready => Tone::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use unicode_width::UnicodeWidthStr;

    #[test]
    fn every_standing_has_a_shape_of_its_own_one_column_wide() {
        for ascii in [false, true] {
            let marks: BTreeSet<&str> = Standing::ALL.iter().map(|standing| mark(*standing, ascii)).collect();
            assert_eq!(marks.len(), Standing::ALL.len());
            assert!(marks.iter().all(|mark| mark.width() == 1 && (!ascii || mark.is_ascii())));
        }
    }
}
