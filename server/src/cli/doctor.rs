//! `callboard doctor`: whether everything is wired, one line each, with the command that mends it.

mod board;
mod files;
mod wiring;

use super::out::{Out, Row, Tone};
use super::{Exit, Globals};
use crate::boot::{self, BootOptions};
use crate::init;
use contracts::Problem;
use serde_json::json;

/// One thing that was looked at.
struct Finding {
    what: String,
    good: bool,
    said: String,
    mend: String,
}

impl Finding {
    fn good(what: impl Into<String>, said: impl Into<String>) -> Finding {
        Finding { what: what.into(), good: true, said: said.into(), mend: String::new() }
    }

    fn bad(what: impl Into<String>, said: impl Into<String>, mend: impl Into<String>) -> Finding {
        Finding { what: what.into(), good: false, said: said.into(), mend: mend.into() }
    }
}

/// Looks at everything.
pub async fn run(globals: &Globals, out: &mut Out) -> Result<Exit, Problem> {
    let place = boot::find_place(globals.project.as_deref())?;
    if !place.project {
        return Err(boot::not_initialized());
    }
    let directory = place.directory();
    let repository = place.repository();
    let binary = init::settings::binary().unwrap_or_default();
    let mut findings = vec![wiring::program(&binary), files::ignore_rules(&directory)];
    match &repository {
        Some(repository) => {
            findings.push(files::own_rules(repository, &directory));
            findings.extend(wiring::hooks(repository, &place.root, &binary));
        }
        None => findings.push(Finding::good("git", "this is no repository, so there are no hooks")),
    }
    findings.extend(wiring::clients(&place.root, &directory, repository.as_ref(), &binary));
    findings.push(files::modes(&directory));
    let configuration = files::configuration(&directory);
    let readable = configuration.good;
    findings.push(configuration);
    if !readable {
        return print(&findings, out); // the board does not open before that is mended
    }
    match boot::boot(BootOptions { project: globals.project.clone(), ..BootOptions::default() }).await {
        Ok(boot) => findings.extend(board::look(&boot, repository.as_ref()).await),
        Err(problem) => findings.push(board::closed(&problem)),
    }
    print(&findings, out)
}

fn print(findings: &[Finding], out: &mut Out) -> Result<Exit, Problem> {
    let well = findings.iter().all(|finding| finding.good);
    if out.manner.json {
        let rows: Vec<_> =
            findings.iter().map(|finding| json!({"what": finding.what, "good": finding.good, "said": finding.said, "mend": finding.mend})).collect();
        out.document(&json!({"well": well, "findings": rows}))?;
    } else {
        for finding in findings {
            let (tone, word) = if finding.good { (Tone::Good, "well") } else { (Tone::Warn, "fault") };
            let row = Row::new().add(tone, format!("{word:<6}")).plain(format!("{:<18} {}", finding.what, super::text::flat(&finding.said)));
            out.row(if finding.mend.is_empty() { row } else { row.strong(format!("  mend: {}", finding.mend)) });
        }
    }
    Ok(if well { Exit::Done } else { Exit::Fault })
}
