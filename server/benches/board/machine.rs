//! What it was measured on: cores, memory, the kind of filesystem; nothing that names the machine.

use crate::process::run_text;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A sentence or two.
pub fn describe(work: &Path) -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib = memory.lines().find_map(|line| line.strip_prefix("MemTotal:")?.trim().trim_end_matches(" kB").trim().parse::<u64>().ok());
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let kernel = kernel.trim().split(['-', '+']).next().unwrap_or_default().to_owned();
    let date = run_text(Command::new("date").args(["-u", "+%Y-%m-%d"])).unwrap_or_default();
    format!(
        "`make bench`, Callboard {}, {}, {cores} cores, {} GiB of memory, {}, Linux {kernel}.",
        env!("CARGO_PKG_VERSION"),
        date.trim(),
        kib.unwrap_or_default() / (1024 * 1024),
        filesystem(work)
    )
}

/// The kind of the filesystem a directory is on.
fn filesystem(path: &Path) -> String {
    let mounts = fs::read_to_string("/proc/mounts").unwrap_or_default();
    let mount = |line: &str| {
        let mut words = line.split(' ').skip(1);
        let (at, kind) = (words.next()?.to_owned(), words.next()?.to_owned());
        path.starts_with(&at).then_some((at.len(), kind))
    };
    mounts.lines().filter_map(mount).max().map_or_else(|| "unknown filesystem".to_owned(), |(_, kind)| kind)
}
