//! Which commands check something: test runners, builds, linters. One table, and what a project adds to it.

use crate::config::Commands;
use engine_shell::Run;

/// What a project counts besides the table.
pub const CHECKS: Commands = Commands {
    name: "evidence.checks",
    about: "Commands that count as checks besides the known test runners, builds and linters: the words they begin with.",
};

/// The words that a check begins with. Options may stand between them.
pub const KNOWN: &[&str] = &[
    "cargo test",
    "cargo t",
    "cargo nextest run",
    "cargo build",
    "cargo b",
    "cargo check",
    "cargo c",
    "cargo clippy",
    "cargo fmt --check",
    "npm test",
    "npm t",
    "npm run test",
    "npm run build",
    "npm run lint",
    "npm run check",
    "npm run typecheck",
    "pnpm test",
    "pnpm build",
    "pnpm lint",
    "pnpm run test",
    "pnpm run build",
    "pnpm run lint",
    "yarn test",
    "yarn build",
    "yarn lint",
    "yarn run test",
    "yarn run build",
    "yarn run lint",
    "bun test",
    "bun run test",
    "bun run build",
    "deno test",
    "deno check",
    "deno lint",
    "npx jest",
    "npx vitest",
    "npx tsc",
    "npx eslint",
    "npx playwright test",
    "jest",
    "vitest",
    "mocha",
    "tsc",
    "eslint",
    "pytest",
    "python -m pytest",
    "python3 -m pytest",
    "python -m unittest",
    "python3 -m unittest",
    "uv run pytest",
    "poetry run pytest",
    "tox",
    "nox",
    "ruff check",
    "mypy",
    "pyright",
    "go test",
    "go build",
    "go vet",
    "golangci-lint run",
    "make test",
    "make check",
    "make build",
    "make lint",
    "just test",
    "just check",
    "just build",
    "just lint",
    "ctest",
    "cmake --build",
    "ninja",
    "meson test",
    "bazel test",
    "bazel build",
    "mvn test",
    "mvn verify",
    "gradle test",
    "gradle build",
    "./gradlew test",
    "./gradlew build",
    "dotnet test",
    "dotnet build",
    "swift test",
    "swift build",
    "mix test",
    "rspec",
    "bundle exec rspec",
    "rake test",
    "rubocop",
    "phpunit",
    "shellcheck",
    "bats",
];

/// Options that take the next word, and say where or how to run, not what.
const VALUED: &[&str] = &[
    "-C",
    "-F",
    "-f",
    "-j",
    "-w",
    "--cwd",
    "--dir",
    "--directory",
    "--filter",
    "--manifest-path",
    "--prefix",
    "--project",
    "--workspace",
];

/// Options with which a test runner or a build only tells something, and looks at nothing.
const IDLE: &[&str] = &[
    "--help",
    "-h",
    "--version",
    "-V",
    "--no-run",
    "--list",
    "--listTests",
    "--collect-only",
    "--co",
    "--dry-run",
    "--just-print",
    "--show-only",
    "-list",
];

/// The words by which a run is a check, of the table or of what the project adds.
pub fn check_of<'c>(run: &Run, configured: &[&'c str]) -> Option<&'c str> {
    let of_table = || KNOWN.iter().copied().find(|check| begins_with(run, check) && !is_idle(run));
    let of_project = configured.iter().copied().find(|check| begins_with(run, check));
    of_project.or_else(of_table).filter(|_| !run.remote)
}

fn is_idle(run: &Run) -> bool {
    let dry = if run.is(&["make", "ninja", "just"]) { "-n" } else { "-N" };
    let is_dry = |text: &str| text == dry && run.is(&["make", "ninja", "just", "ctest"]);
    run.args.iter().any(|arg| IDLE.contains(&arg.text.as_str()) || is_dry(&arg.text))
}

/// What all runners of tests look after.
pub const TESTS: &str = "tests";

/// What a check looks after: whichever program runs them, tests are tests.
pub fn family(check: &str) -> &str {
    const RUNNERS: &[&str] = &["jest", "vitest", "mocha", "tox", "nox", "rspec", "phpunit", "bats"];
    let is_tests = check.contains("test") || check.split(' ').any(|word| RUNNERS.contains(&word));
    if is_tests || check == "cargo t" { TESTS } else { check }
}

/// Whether a run begins with these words; options that the words do not name are passed over.
pub(super) fn begins_with(run: &Run, words: &str) -> bool {
    let mut words = words.split_whitespace();
    let Some(program) = words.next() else { return false };
    let is_it = if program.contains('/') {
        run.path.literal() == Some(program)
    } else {
        run.program.as_deref() == Some(program)
    };
    let mut args = run.args.iter().map(|arg| arg.literal()).peekable();
    let is_option = |arg: &str| arg.len() > 1 && arg.starts_with(['-', '+']) && arg != "--";
    is_it
        && words.all(|word| {
            loop {
                match args.next() {
                    Some(Some(arg)) if arg == word => return true,
                    Some(Some(arg)) if is_option(arg) => {
                        if VALUED.contains(&arg) {
                            args.next_if(|value| *value != Some(word));
                        }
                    }
                    _ => return false,
                }
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::surroundings;
    use engine_shell::analyse;

    #[test]
    fn checks_are_known_by_their_first_words() {
        let cases = [
            ("cargo test", true),
            ("cargo +nightly --locked test -p x --all", true),
            ("cargo fmt --check", true),
            ("cargo fmt", false),
            ("cargo run -- test", false),
            ("cargo", false),
            ("echo cargo test", false),
            ("npm test", true),
            ("npm run -s lint", true),
            ("npm install test", false),
            ("timeout 60 pytest -q", true),
            ("python3 -m pytest", true),
            ("go vet ./...", true),
            ("make -j4 check", true),
            ("make -j check", true),
            ("make -C sub check", true),
            ("npm --prefix web test", true),
            ("pnpm --filter web test", true),
            ("cargo --manifest-path x/Cargo.toml t", true),
            ("cargo --quiet run test", false),
            ("make", false),
            ("tsc", true),
            ("npx tsc --noEmit", true),
            ("./gradlew test", true),
            ("ssh host cargo test", false),
            ("scripts/verify.sh --all", true),
            ("scripts/other.sh", false),
            ("cargo $x", false),
            ("cargo test --no-run", false),
            ("cargo test -- --list", false),
            ("pytest --collect-only", false),
            ("make -n test", false),
            ("ctest -N", false),
            ("tsc --version", false),
            ("npm test -- -n 3", true),
        ];
        for (command, expected) in cases {
            let analysis = analyse(command, &surroundings("/p", None, None, &crate::dialect::TEST));
            let found = analysis.runs.iter().any(|run| check_of(run, &["scripts/verify.sh"]).is_some());
            assert_eq!(found, expected, "{command}");
        }
    }

    #[test]
    fn tests_are_tests() {
        for (check, expected) in [
            ("cargo nextest run", "tests"),
            ("npx vitest", "tests"),
            ("python3 -m pytest", "tests"),
            ("cargo build", "cargo build"),
        ] {
            assert_eq!(family(check), expected);
        }
    }
}
