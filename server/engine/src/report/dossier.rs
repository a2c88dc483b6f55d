//! The file of a report: a stamp, the facts, and below them a narration. Text to parts and parts to text; reading it is for others.
//!
//! Invariants: what a person wrote is known as theirs. Facts that do not match the stamp's hash were changed by hand, and so was a
//! narration without a marker, with one that says so, or with one whose hash is another text's.

use contracts::Moment;
use contracts::report::{Narration, NarrationState, ReportKind, ReportStamp};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Where the narration begins. No line of the facts is this: what comes from outside is quoted there.
const HEADING: &str = "## Narration";
const STAMP: &str = "<!-- callboard:report ";
const MARKER: &str = "<!-- callboard:narration ";
const END: &str = " -->";
/// The only form there is so far.
const VERSION: &str = "1";

/// A file of a report, in its parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dossier {
    /// What the facts were made of; none when a person wrote the file, or another program did.
    pub stamp: Option<ReportStamp>,
    /// The facts.
    pub facts: String,
    /// Whether the facts are as they were made.
    pub is_as_made: bool,
    /// What stands below them.
    pub narration: Narration,
}

/// SHA-256 of a text, in hexadecimal digits.
pub fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().fold(String::with_capacity(64), |mut hash, byte| {
        let _ = write!(hash, "{byte:02x}"); // a text takes everything
        hash
    })
}

/// Takes a file apart. Every text is one: what has no stamp is a person's facts.
pub fn read(text: &str) -> Dossier {
    let text = text.replace("\r\n", "\n");
    let (head, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let values = marker(head, STAMP);
    let stamp = values.as_ref().and_then(stamp);
    let body = if stamp.is_some() { rest } else { text.as_str() };
    let (facts, below) = halves(body);
    let facts = facts.trim().to_owned();
    let is_as_made = values.as_ref().and_then(|values| values.get("facts")).is_some_and(|hash| *hash == sha256(&facts));
    Dossier { is_as_made: is_as_made && stamp.is_some(), stamp, facts, narration: narration(below) }
}

/// Puts a file together.
pub fn write(stamp: &ReportStamp, facts: &str, narration: &Narration) -> String {
    let facts = facts.trim();
    let ReportStamp { kind, label, zone, from, to, as_of, events, sum, generated } = stamp;
    let (kind, hash, prose) = (kind.as_str(), sha256(facts), narration.text.trim());
    let (from, to, as_of, generated) = (short(*from), short(*to), short(*as_of), short(*generated));
    let mut text = format!(
        "{STAMP}v={VERSION} kind={kind} label={label} zone={zone} from={from} to={to} as_of={as_of} events={events} sum={sum} facts={hash} \
         generated={generated}{END}\n{facts}\n\n{HEADING}\n"
    );
    let by = if narration.by.is_empty() { "none" } else { word(&narration.by) };
    let model = if narration.model.is_empty() { String::new() } else { format!(" model={}", narration.model.split_whitespace().collect::<Vec<_>>().join("-")) };
    let made_for = narration.events.map(|events| format!(" events={events}")).unwrap_or_default();
    let state = narration.state.as_str();
    text.push_str(&format!("{MARKER}by={by}{model} state={state}{made_for} sha256={}{END}\n", sha256(prose)));
    if !prose.is_empty() {
        text.push_str(&format!("\n{prose}\n"));
    }
    text
}

/// Facts, and what is below the heading of the narration.
fn halves(body: &str) -> (&str, Option<&str>) {
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        if line.trim_end() == HEADING {
            return (&body[..at], Some(&body[at + line.len()..]));
        }
        at += line.len();
    }
    (body, None)
}

/// The values of a marker line of ours.
fn marker(line: &str, begin: &str) -> Option<BTreeMap<String, String>> {
    let inner = line.trim().strip_prefix(begin)?.strip_suffix(END)?;
    Some(inner.split_whitespace().filter_map(|pair| pair.split_once('=')).map(|(key, value)| (key.to_owned(), value.to_owned())).collect())
}

fn stamp(values: &BTreeMap<String, String>) -> Option<ReportStamp> {
    let text = |key: &str| values.get(key).cloned();
    let at = |key: &str| values.get(key).and_then(|raw| Moment::parse(raw));
    if text("v")? != VERSION {
        return None;
    }
    Some(ReportStamp {
        kind: ReportKind::parse(&text("kind")?).ok()?,
        label: text("label")?,
        zone: text("zone")?,
        from: at("from")?,
        to: at("to")?,
        as_of: at("as_of")?,
        events: text("events")?.parse().ok()?,
        sum: text("sum")?,
        generated: at("generated")?,
    })
}

fn narration(below: Option<&str>) -> Narration {
    let below = below.unwrap_or("").trim_start_matches('\n');
    let (first, rest) = below.split_once('\n').unwrap_or((below, ""));
    let by_hand = |text: &str| match text.trim() {
        "" => Narration { by: "none".to_owned(), ..Narration::default() },
        text => Narration { by: "hand".to_owned(), state: NarrationState::Done, text: text.to_owned(), ..Narration::default() },
    };
    let Some(values) = marker(first, MARKER) else { return by_hand(below) };
    let text = rest.trim();
    let value = |key: &str| values.get(key).cloned().unwrap_or_default();
    let (by, state) = (value("by"), NarrationState::ALL.into_iter().find(|state| state.as_str() == value("state")));
    match state {
        Some(state) if value("sha256") == sha256(text) && by != "hand" => {
            Narration { by, model: value("model"), state, events: value("events").parse().ok(), text: text.to_owned(), html: String::new() }
        }
        _ => by_hand(text),
    }
}

/// An instant without the decimals that say nothing.
fn short(moment: Moment) -> String {
    moment.to_string().replace(".000Z", "Z")
}

/// A word that can stand in a marker.
fn word(raw: &str) -> &str {
    if raw.chars().any(char::is_whitespace) { "hand" } else { raw }
}

/// What becomes of a version of a file that comes from elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meeting {
    /// It takes the place of what is here.
    Store,
    /// It is what is here.
    Known,
    /// A person has to say which stands.
    Conflict,
}

/// Two versions of one report meet: `here`, and one that was `sent` by somebody who last saw the version of SHA-256 `base`.
pub fn meet(here: Option<&str>, sent: &str, base: Option<&str>) -> Meeting {
    let Some(here) = here else { return Meeting::Store };
    if here == sent {
        return Meeting::Known;
    }
    let (mine, theirs) = (read(here), read(sent));
    let is_kept = theirs.narration.text == mine.narration.text;
    if base.is_some_and(|base| base == sha256(here)) && (!mine.narration.is_by_hand() || is_kept) {
        return Meeting::Store;
    }
    let covers_more = matches!((&mine.stamp, &theirs.stamp), (Some(mine), Some(theirs)) if mine.label == theirs.label && mine.events < theirs.events);
    let loses_nothing = mine.narration.text.is_empty() || is_kept;
    if mine.is_as_made && covers_more && loses_nothing { Meeting::Store } else { Meeting::Conflict }
}

/// Facts as a page shows them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// The heading of the whole.
    pub title: String,
    /// What stands above the first section.
    pub lead: String,
    /// Sections: heading, how many entries its heading tells, text.
    pub sections: Vec<(String, i64, String)>,
}

/// Takes facts apart by their headings, whoever wrote them.
pub fn outline(facts: &str) -> Outline {
    let mut outline = Outline::default();
    for line in facts.lines() {
        if let Some(title) = line.strip_prefix("# ").filter(|_| outline.title.is_empty() && outline.sections.is_empty()) {
            outline.title = title.trim().to_owned();
        } else if let Some(heading) = line.strip_prefix("## ") {
            let counted =
                heading.trim().strip_suffix(')').and_then(|heading| heading.rsplit_once(" (")).and_then(|(title, count)| Some((title, count.parse().ok()?)));
            let (title, count) = counted.unwrap_or((heading.trim(), 0));
            outline.sections.push((title.to_owned(), count, String::new()));
        } else {
            let text = outline.sections.last_mut().map_or(&mut outline.lead, |(_, _, text)| text);
            text.push_str(line);
            text.push('\n');
        }
    }
    outline.lead = outline.lead.trim().to_owned();
    outline
}
