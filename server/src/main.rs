//! The binary.

fn main() -> std::process::ExitCode {
    callboard::run()
}
