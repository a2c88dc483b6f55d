//! What tests of the whole product share: a running page server, a real MCP client, a live line, and the log as it stands in the files.

pub mod hints;
pub mod line;
pub mod log;
pub mod server;
pub mod session;

use std::process::Command;

/// How often a test that repeats itself does so: more with `SLOW=1`.
pub fn rounds(usual: usize, slow: usize) -> usize {
    if std::env::var_os("SLOW").is_some_and(|value| value == "1") { slow } else { usual }
}

/// Asks a process to end, as a terminal does.
#[allow(clippy::disallowed_methods, reason = "these tests are about processes")]
pub fn terminate(pid: u32) {
    assert!(Command::new("kill").args(["-TERM", &pid.to_string()]).status().unwrap().success());
}

/// Numbers that look random and are the same in every run.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(2).wrapping_add(1))
    }

    /// Below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}
