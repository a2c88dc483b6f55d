//! A narration as a page hears it: what was told so far, and how it stands. Pure; the line brings the news.

use contracts::Moment;
use contracts::report::{NarrationNews, Telling};

/// What was told of the narration that is under way, or just ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// How it stands; none before anything was told.
    pub state: Option<Telling>,
    /// The text so far.
    pub text: String,
    /// Which pass of how many.
    pub pass: Option<(u32, u32)>,
    /// Tokens written.
    pub tokens: Option<i64>,
    /// Millionths of a dollar spent.
    pub cost_micros: Option<i64>,
    /// When it began.
    pub began: Option<Moment>,
    /// Why it failed, and what to do.
    pub problem: Option<String>,
}

impl Told {
    /// Takes the next news. A narration that begins forgets the one before.
    pub fn hear(&mut self, news: &NarrationNews) {
        match news.state {
            Telling::Started => *self = Told { began: Some(news.at), ..Told::default() },
            Telling::Pass => {
                self.pass = news.i.zip(news.n);
                // The last of several passes writes everything anew; the ones before it go on where the one before ended.
                let joins = self.pass.is_some_and(|(i, n)| i == n && n > 1);
                if joins {
                    self.text.clear();
                } else if !self.text.is_empty() {
                    self.text.push_str("\n\n");
                }
            }
            Telling::Delta => self.text.push_str(news.text.as_deref().unwrap_or_default()),
            Telling::Failed => self.problem = Some(news.text.clone().unwrap_or_default()),
            Telling::Done => {}
        }
        self.state = Some(news.state);
        self.tokens = news.tokens.or(self.tokens);
        self.cost_micros = news.cost_micros.or(self.cost_micros);
    }

    /// Whether somebody is writing.
    pub fn is_under_way(&self) -> bool {
        matches!(self.state, Some(Telling::Started | Telling::Pass | Telling::Delta))
    }

    /// Pass, time, tokens and money, as far as they are known.
    pub fn facts(&self, now: Moment) -> Vec<String> {
        let pass = self.pass.filter(|(_, n)| *n > 1).map(|(i, n)| format!("pass {i} of {n}"));
        let time = self.began.filter(|_| self.is_under_way()).map(|began| match now.seconds_since(began).max(0) {
            seconds if seconds < 60 => format!("{seconds} s"),
            seconds => format!("{} min {} s", seconds / 60, seconds % 60),
        });
        let tokens = self.tokens.map(|tokens| crate::words::count(tokens, "token", "tokens"));
        let cost = self.cost_micros.map(|micros| format!("${}.{:04}", micros / 1_000_000, micros % 1_000_000 / 100));
        [pass, time, tokens, cost].into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn news(state: Telling, text: &str, pass: Option<(u32, u32)>) -> NarrationNews {
        let text = (!text.is_empty()).then(|| text.to_owned());
        NarrationNews { label: "all".to_owned(), state, text, i: pass.map(|of| of.0), n: pass.map(|of| of.1), tokens: None, cost_micros: None, at: Moment(0) }
    }

    #[test]
    fn parts_follow_each_other_and_the_pass_that_joins_them_begins_anew() {
        let mut told = Told::default();
        for item in [
            news(Telling::Started, "", None),
            news(Telling::Pass, "", Some((1, 3))),
            news(Telling::Delta, "One", None),
            news(Telling::Delta, ".", None),
            news(Telling::Pass, "", Some((2, 3))),
            news(Telling::Delta, "Two.", None),
        ] {
            told.hear(&item);
        }
        assert_eq!(told.text, "One.\n\nTwo.");
        assert!(told.is_under_way());
        told.hear(&news(Telling::Pass, "", Some((3, 3))));
        told.hear(&news(Telling::Delta, "Both.", None));
        assert_eq!((told.text.as_str(), told.facts(Moment(75_000))), ("Both.", vec!["pass 3 of 3".to_owned(), "1 min 15 s".to_owned()]));
        told.hear(&news(Telling::Done, "", None));
        assert!(!told.is_under_way());
        told.hear(&news(Telling::Started, "", None));
        assert_eq!(told.text, "");
    }

    #[test]
    fn a_failure_says_why_and_keeps_the_text() {
        let mut told = Told::default();
        told.hear(&news(Telling::Started, "", None));
        told.hear(&news(Telling::Delta, "It began", None));
        told.hear(&NarrationNews { tokens: Some(1_840), cost_micros: Some(12_500), ..news(Telling::Failed, "it was cancelled", None) });
        assert_eq!((told.problem.as_deref(), told.text.as_str()), (Some("it was cancelled"), "It began"));
        assert_eq!(told.facts(Moment(9)), ["1,840\u{a0}tokens", "$0.0125"]);
    }
}
