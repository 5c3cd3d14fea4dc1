//! What the names of tasks and scripts tell: `test:unit` and `scripts/run_tests.sh` check something, `latest` and `test:watch` do not.

use super::table::Joins;

/// Words that name a check. One of them must be a whole part of the name.
const WORDS: &[&str] = &["test", "tests", "check", "checks", "verify", "lint", "build", "ci", "typecheck"];

/// The same, for tasks only: a script `spec.sh` may do anything.
const TASK_WORDS: &[&str] = &["unit", "e2e", "spec"];

/// Parts with which a name means something that goes before a check, or never ends.
const OTHERS: &[&str] = &[
    "clean", "deps", "dev", "help", "init", "install", "list", "load", "prepare", "serve", "setup", "start",
    "watch",
];

pub(super) fn is_task(name: &str, joins: Joins) -> bool {
    let is_usual = |c: char| matches!(c, ':' | '-' | '_');
    let name = match joins {
        Joins::Usual => name.to_owned(),
        Joins::Capitals => with_joints(name),
    };
    let parts: Vec<&str> = name.split(is_usual).collect();
    let has = |words: &[&str]| parts.iter().any(|part| words.contains(part));
    (has(WORDS) || has(TASK_WORDS)) && !has(OTHERS)
}

/// `core/testDebug` as `core:test:debug`.
fn with_joints(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        match c {
            '/' => out.push(':'),
            c if c.is_ascii_uppercase() => {
                out.push(':');
                out.push(c.to_ascii_lowercase());
            }
            c => out.push(c),
        }
    }
    out
}

/// The name of a script of the project that checks something, by its path from the folder it is run in.
pub(super) fn script(path: &str) -> Option<String> {
    let path = path.trim_start_matches("./");
    let is_below = !path.starts_with(['/', '~']) && path.split('/').all(|part| part != "..");
    let file = path.rsplit('/').next().unwrap_or(path);
    let parts: Vec<&str> = file.split(['-', '_', '.']).collect();
    let has = |words: &[&str]| parts.iter().any(|part| words.contains(part));
    (is_below && has(WORDS) && !has(OTHERS)).then(|| path.to_owned())
}

/// Programs that run tests and do not say so.
const TEST_RUNNERS: &[&str] = &[
    "ava",
    "bats",
    "behave",
    "busted",
    "ct",
    "ctest",
    "cucumber",
    "cypress",
    "e2e",
    "eunit",
    "ginkgo",
    "gotestsum",
    "jasmine",
    "jest",
    "karma",
    "mocha",
    "nextest",
    "nose2",
    "nosetests",
    "nox",
    "pest",
    "phpunit",
    "prove",
    "pytest",
    "robot",
    "rspec",
    "spec",
    "tap",
    "tarpaulin",
    "tox",
    "unit",
    "unittest",
    "vitest",
    "wdio",
];

/// Tasks that run tests before they do the rest.
const WITH_TESTS: &[&str] =
    &["mvn verify", "mvn package", "mvn install", "gradle build", "gradle check", "cargo llvm-cov"];

/// What all runners of tests look after.
pub const TESTS: &str = "tests";

/// What a check looks after: whichever program runs them, tests are tests.
pub(super) fn family(name: &str, leaves_out_tests: bool) -> String {
    let is_tests =
        |part: &str| part.starts_with("test") || part.ends_with("Test") || TEST_RUNNERS.contains(&part);
    let by_name = name.split(|c: char| !c.is_ascii_alphanumeric()).any(is_tests);
    let by_task = WITH_TESTS.contains(&name) && !leaves_out_tests;
    if by_name || by_task { TESTS.to_owned() } else { name.to_owned() }
}
