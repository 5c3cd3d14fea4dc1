//! The binary. Everything is in the library, so that tests can start the same program with other rules.

use std::process::ExitCode;

fn main() -> ExitCode {
    engine_cli::main_with(engine_rules::RULES)
}
