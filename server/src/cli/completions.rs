//! `callboard completions`: the completion script of a shell.

use super::out::Out;
use clap_complete::{Shell, generate};
use contracts::Problem;

/// Arguments of `completions`.
#[derive(Debug, clap::Args)]
pub struct CompletionsArgs {
    /// Write for this shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

/// Prints the script.
pub fn run(out: &mut Out, args: &CompletionsArgs) -> Result<(), Problem> {
    let mut script = Vec::new();
    generate(args.shell, &mut super::definition(), "callboard", &mut script);
    out.raw(&String::from_utf8_lossy(&script));
    Ok(())
}
