//! `make bench`: the promises of speed and size, measured on the real binary beside their floors and, where they are installed, beside
//! the nearest other tools.
//!
//! Invariant: what is measured is the product from outside: its command line, its HTTP, its sockets, its tools over stdio. A board for a
//! measurement is made through the product too. `BENCH_ONLY=name` runs the groups whose name contains it, `BENCH_QUICK=1` fewer rounds;
//! only a whole, unhurried run is written into BENCHMARKS.md.

#![allow(clippy::disallowed_methods, reason = "a benchmark starts the product, git and other tools as a person's shell would, and asks what day it is")]
#![allow(clippy::print_stdout, reason = "the table is what this program is for")]

mod boards;
mod cli;
mod floors;
mod machine;
mod mcp;
mod peers;
mod process;
mod server;
mod sockets;
mod stats;
mod table;
mod wire;

use process::Bench;
use std::error::Error;
use std::process::ExitCode;
use table::Row;

/// What went wrong, in words: a measurement that fails says so in its row.
pub type Fault = Box<dyn Error + Send + Sync>;
/// An answer, or what went wrong.
pub type Outcome<T> = Result<T, Fault>;

/// What belongs together, under the name `BENCH_ONLY` knows.
struct Group {
    name: &'static str,
    measure: fn(&Bench) -> Outcome<Vec<Row>>,
}

const GROUPS: &[Group] = &[
    Group { name: "read", measure: cli::read },
    Group { name: "create", measure: server::create },
    Group { name: "plan", measure: cli::plan },
    Group { name: "claim", measure: server::claim },
    Group { name: "next", measure: mcp::next },
    Group { name: "mcp", measure: mcp::start },
    Group { name: "schema", measure: mcp::schemas },
    Group { name: "start", measure: server::start },
    Group { name: "page", measure: server::page },
    Group { name: "visit", measure: server::visit },
    Group { name: "change", measure: sockets::change },
    Group { name: "fanout", measure: sockets::fanout },
    Group { name: "memory", measure: sockets::memory },
    Group { name: "idle", measure: sockets::idle },
    Group { name: "rebuild", measure: cli::rebuild },
];

fn main() -> ExitCode {
    let bench = match Bench::of_process() {
        Ok(bench) => bench,
        Err(fault) => {
            eprintln!("bench: {fault}");
            return ExitCode::FAILURE;
        }
    };
    let wanted = |group: &&Group| bench.only.as_ref().is_none_or(|only| group.name.contains(only.as_str()));
    let mut rows = Vec::new();
    for group in GROUPS.iter().filter(wanted) {
        eprintln!("{} …", group.name);
        match (group.measure)(&bench) {
            Ok(measured) => rows.extend(measured),
            Err(fault) => rows.push(Row::failed(group.name, &fault)),
        }
    }
    println!("{}", table::text(&rows));
    if bench.only.is_none()
        && !bench.quick
        && let Err(fault) = table::write(&bench.root.join("BENCHMARKS.md"), &rows, &machine::describe(&bench.work))
    {
        eprintln!("bench: BENCHMARKS.md: {fault}");
        return ExitCode::FAILURE;
    }
    let missed = rows.iter().filter(|row| row.holds == Some(false)).count();
    eprintln!("{} rows, {missed} miss their target", rows.len());
    ExitCode::SUCCESS
}
