//! The activity as its page shows it: asked for by an address, drawn on the server, in whole parts that a browser puts in the place of
//! those it has. So the page is whole without scripts, and the browser's half holds none of its drawing.

#[cfg(feature = "ssr")]
mod asked;
#[cfg(feature = "ssr")]
mod audit;
#[cfg(feature = "ssr")]
mod chart;
#[cfg(feature = "ssr")]
mod filter;
#[cfg(feature = "ssr")]
mod fold;
#[cfg(feature = "ssr")]
mod tallies;
#[cfg(feature = "ssr")]
mod timeline;

#[cfg(feature = "ssr")]
pub use asked::Asked;
#[cfg(feature = "ssr")]
pub use fold::{Fold, folded};

use crate::words::encoded;
use contracts::{Moment, Problem};
use serde::{Deserialize, Serialize};

/// The path of the page.
pub const PATH: &str = "/activity";

/// Which happenings an address can name, by its parameters.
pub const NAMES: [&str; 10] = ["kind", "actor", "task", "milestone", "since", "until", "text", "older", "audit", "verify"];

/// The parts of the page that move with the log, as safe HTML.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drawn {
    /// Events that were asked for.
    pub total: i64,
    /// How much of what is shown.
    pub scope: String,
    /// The events.
    pub timeline: String,
    /// Who did how much.
    pub actors: String,
    /// How they lie over time.
    pub histogram: String,
    /// Who is behind them and whether the log holds; empty unless it was asked for.
    pub audit: String,
}

/// What the page begins with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Opening {
    /// What can be asked for, and what is. Never sent beside the page, and so are the parts: the browser keeps what the server wrote
    /// there until it reads them again.
    #[serde(skip)]
    pub filter: String,
    /// The parts; empty when what was asked for is refused.
    #[serde(skip)]
    pub drawn: Drawn,
    /// Events that were asked for.
    pub total: i64,
    /// How much of what is shown.
    pub scope: String,
    /// What is wrong with what was asked for.
    pub problem: Option<Problem>,
    /// The parameters of the address, without the page of it.
    pub query: String,
    /// The same with the audit, or without it.
    pub audit: String,
    /// Whether the audit is shown.
    pub audited: bool,
    /// Whether this is a page further back, which does not move.
    pub older: bool,
}

/// The same parameters with another time.
pub fn with_times(query: &str, since: Moment, until: Moment) -> String {
    let kept = query.trim_start_matches('?').split('&').filter(|pair| !pair.is_empty() && !pair.starts_with("since=") && !pair.starts_with("until="));
    let times = [format!("since={}", encoded(&since.to_string())), format!("until={}", encoded(&until.to_string()))];
    format!("?{}", kept.map(str::to_owned).chain(times).collect::<Vec<_>>().join("&"))
}

/// Begin and end, milliseconds, of the step of a histogram that lies at a fraction of its picture's width, whose plot begins at the
/// fraction `left`.
pub fn at_fraction(fraction: f64, from_ms: i64, step_s: i64, steps: i64, left: f64) -> (i64, i64) {
    let place = (fraction - left) / (1.0 - left) * steps as f64;
    let step = (place.floor() as i64).clamp(0, (steps - 1).max(0));
    (from_ms + step * step_s * 1_000, from_ms + (step + 1) * step_s * 1_000)
}

#[cfg(feature = "ssr")]
pub use drawing::{Drawing, draw, open};

/// What an address asks for, read and drawn; only a server can.
///
/// # Errors
/// What the board refuses.
#[cfg(feature = "ssr")]
pub async fn opening(
    port: &crate::Port,
    params: Vec<(&'static str, String)>,
    snapshot: &contracts::view::Snapshot,
    base: &str,
    markup: &crate::markup::Markup,
) -> Result<Opening, Problem> {
    let asked = Asked::of(|name| params.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone()));
    open(port, &asked, snapshot, base, markup).await
}

/// As on the server: the page is always loaded whole, so that a browser never asks.
///
/// # Errors
/// Always.
#[cfg(not(feature = "ssr"))]
pub async fn opening(
    _: &crate::Port,
    _: Vec<(&'static str, String)>,
    _: &contracts::view::Snapshot,
    _: &str,
    _: &crate::markup::Markup,
) -> Result<Opening, Problem> {
    Err(crate::port::unreachable())
}

#[cfg(feature = "ssr")]
mod drawing {
    use super::{Asked, Drawn, Opening, audit, chart, filter, tallies, timeline};
    use crate::markup::Markup;
    use crate::port::Port;
    use crate::words;
    use contracts::view::{ActivityView, Snapshot, TimelineQuery};
    use contracts::{Offsets, Problem};

    /// What every part is drawn with.
    pub struct Drawing<'a> {
        /// What every in-app path starts with.
        pub base: &'a str,
        /// Writes icons.
        pub markup: &'a Markup,
        /// What was asked for.
        pub asked: &'a Asked,
        /// The board around it, of the same moment or one just before.
        pub snapshot: &'a Snapshot,
    }

    impl Drawing<'_> {
        /// The project's wall clock.
        pub fn offset(&self) -> Offsets {
            self.snapshot.project.clock()
        }
    }

    /// Draws the parts that move.
    pub fn draw(view: &ActivityView, query: &TimelineQuery, with: &Drawing) -> Drawn {
        Drawn {
            total: view.total,
            scope: scope(view),
            timeline: timeline::draw(view, with),
            actors: tallies::draw(view, with),
            histogram: chart::draw(view, &query.of, with),
            audit: if with.asked.is("audit") { audit::draw(view, with) } else { String::new() },
        }
    }

    /// Reads what an address asks for, and draws it.
    ///
    /// # Errors
    /// What the board refuses; what the address says wrongly is told on the page.
    pub async fn open(port: &Port, asked: &Asked, snapshot: &Snapshot, base: &str, markup: &Markup) -> Result<Opening, Problem> {
        let with = Drawing { base, markup, asked, snapshot };
        let (drawn, problem) = match asked.query(snapshot.now, with.offset().at(snapshot.now)) {
            Ok(query) => match port.0.timeline(query.clone()).await {
                Ok(view) => (draw(&view, &query, &with), None),
                Err(problem) if problem.code == contracts::Code::BadRequest => (Drawn::default(), Some(problem)),
                Err(problem) => return Err(problem),
            },
            Err(problem) => (Drawn::default(), Some(problem)),
        };
        let here = asked.with("older", "").with("verify", "");
        Ok(Opening {
            filter: filter::draw(&with),
            total: drawn.total,
            scope: drawn.scope.clone(),
            drawn,
            problem,
            query: here.address(),
            audit: here.with("audit", if asked.is("audit") { "" } else { "true" }).address(),
            audited: asked.is("audit"),
            older: !asked.get("older").is_empty(),
        })
    }

    fn scope(view: &ActivityView) -> String {
        let all = words::count(view.ever, "event", "events");
        if view.total == view.ever { all } else { format!("{} of {all}", words::grouped(view.total)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_takes_the_place_of_the_one_before_and_the_rest_stays() {
        let (since, until) = (Moment(0), Moment(3_600_000));
        let times = "since=1970-01-01T00%3A00%3A00.000Z&until=1970-01-01T01%3A00%3A00.000Z";
        assert_eq!(with_times("", since, until), format!("?{times}"));
        assert_eq!(with_times("?kind=task.%2A&since=24h&audit=true", since, until), format!("?kind=task.%2A&audit=true&{times}"));
    }

    #[test]
    fn a_place_in_the_picture_is_a_step_of_time() {
        let hours = |fraction| at_fraction(fraction, 0, 3_600, 10, 0.5);
        assert_eq!(hours(0.5), (0, 3_600_000));
        assert_eq!(hours(0.99), (9 * 3_600_000, 10 * 3_600_000));
        assert_eq!((hours(0.1), hours(1.5)), (hours(0.5), hours(0.99)), "beside the plot is its end");
    }
}
