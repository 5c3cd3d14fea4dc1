//! What the output of a check says of its outcome, read one-sidedly.
//!
//! A summary of failure means that the check failed, and "0 tests" means that nothing was checked. No output ever means that a check
//! passed: whoever prints can print anything, and a part of an output can leave out the failures.
//!
//! Only lines of the exact form in which a runner prints its summary count:
//!
//! ```text
//! ========================= 1 failed, 1 passed in 0.06s ==========================
//! ```
//!
//! The part that is seen of an output may show no tests although others ran (`go test ./... | tail -3`). A caller that has only a part
//! should not conclude anything from [`Said::NoTests`].

use std::borrow::Cow;

mod form;

use form::fits;

pub use crate::journal::Said;

/// The end of an output that is read.
const MOST_BYTES: usize = 64 * 1024;
const MOST_LINES: usize = 200;
/// No summary is longer, in bytes.
const MOST_OF_LINE: usize = 400;

/// What an output says of its check; nothing if no runner's summary of failure or of no tests is in it.
pub fn said(output: &str) -> Option<Said> {
    let from = output.len().saturating_sub(MOST_BYTES);
    let from = (from..=output.len()).find(|at| output.is_char_boundary(*at))?;
    let mut lines: Vec<Cow<'_, str>> = output[from..].lines().rev().take(MOST_LINES).map(plain).collect();
    lines.reverse();
    let mut none = None;
    let mut ran = false;
    let mut cargo = Cargo::default();
    for line in lines.iter().map(|line| line.trim_end()).filter(|line| line.len() <= MOST_OF_LINE) {
        match sense(line) {
            Some(Sense::Failed) => return Some(Said::Failed(line.trim().to_owned())),
            Some(Sense::None) => none = none.or(Some(line)),
            Some(Sense::Ran) => ran = true,
            None => {}
        }
        cargo.see(line);
    }
    let none = none.or(cargo.none.filter(|_| !cargo.ran)).or_else(|| of_inner_make(&lines));
    none.filter(|_| !ran).map(|line| Said::NoTests(line.trim().to_owned()))
}

/// Why a check that says so checked nothing.
pub(super) fn idle(said: &Said) -> Option<&'static str> {
    let Said::NoTests(line) = said else { return None };
    let is_make = IDLE_MAKE.iter().any(|form| fits(form, line));
    Some(if is_make { "nothing was done" } else { "it ran no tests" })
}

/// A target for which there was nothing to do, in whatever marks it is quoted.
const IDLE_MAKE: &[&str] = &["{w}: {*} is up to date.", "{w}: Nothing to be done for {*}."];

/// A line that says that the command was not run at all: its folder, its target or its script is missing.
fn is_not_run(line: &str) -> bool {
    let is_folder = line.contains("cd: ") && line.to_ascii_lowercase().contains("no such file or directory");
    let is_missing =
        ["*** No rule to make target '", "npm error Missing script: ", "npm ERR! Missing script: "]
            .iter()
            .any(|form| line.contains(form));
    let begins = ["ERROR: file or directory not found: ", "error: no such command: "];
    is_folder || is_missing || begins.iter().any(|form| line.starts_with(form))
}

/// What one line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sense {
    Failed,
    /// No tests, unless another line says that some ran.
    None,
    /// Some tests ran. Whether they passed is not said.
    Ran,
}

fn sense(line: &str) -> Option<Sense> {
    if let Some(sense) = of_pytest(line) {
        return Some(sense);
    }
    let any = |forms: &[&str]| forms.iter().any(|form| fits(form, line));
    if is_not_run(line) {
        return Some(Sense::None);
    }
    if any(FAILED) && !is_excused(line) {
        return Some(Sense::Failed);
    }
    if any(NONE) {
        return Some(Sense::None);
    }
    any(RAN).then_some(Sense::Ran)
}

/// A test that may fail, in the Test Anything Protocol.
fn is_excused(line: &str) -> bool {
    let upper = line.to_ascii_uppercase();
    line.trim_start().starts_with("not ok ") && (upper.contains("# TODO") || upper.contains("# SKIP"))
}

/// `1 failed, 3 passed in 0.12s`, with or without a border.
fn of_pytest(line: &str) -> Option<Sense> {
    const COUNTED: &[&str] = &[
        "failed",
        "passed",
        "skipped",
        "deselected",
        "xfailed",
        "xpassed",
        "warning",
        "warnings",
        "error",
        "errors",
        "rerun",
        "subtests passed",
        "subtests failed",
    ];
    let (counts, time) = line.trim_matches(['=', ' ']).rsplit_once(" in ")?;
    if !fits("{d}.{d}s", time) && !fits("{d}.{d}s ({*})", time) {
        return None;
    }
    if counts == "no tests ran" {
        return Some(Sense::None);
    }
    let (mut failed, mut ran) = (false, false);
    for part in counts.split(", ") {
        let (number, what) = part.split_once(' ')?;
        if !fits("{d}", number) || !COUNTED.contains(&what) {
            return None;
        }
        match what {
            "failed" | "error" | "errors" | "subtests failed" if fits("{n}", number) => failed = true,
            "deselected" | "warning" | "warnings" => {}
            _ => ran = true,
        }
    }
    Some(match (failed, ran) {
        (true, _) => Sense::Failed,
        (false, true) => Sense::Ran,
        (false, false) => Sense::None,
    })
}

/// Cargo runs one binary of tests after the other, and the last of them (documentation) often has none. So where its output begins
/// must be seen too.
#[derive(Default)]
struct Cargo<'l> {
    begun: bool,
    ran: bool,
    none: Option<&'l str>,
}

impl<'l> Cargo<'l> {
    fn see(&mut self, line: &'l str) {
        self.begun |= fits("{ }Finished `{*}` profile {*}", line);
        self.ran |= fits("running {n} test{*}", line);
        if self.begun && line == "running 0 tests" {
            self.none = self.none.or(Some(line));
        }
    }
}

/// A make inside of another that found nothing to do. What else was done shows as output that is not make's.
fn of_inner_make<'l>(lines: &'l [Cow<'_, str>]) -> Option<&'l str> {
    const OWN: &[&str] = &["make[{d}]: {*}", "gmake[{d}]: {*}", "make {*}", "gmake {*}"];
    let any = |forms: &[&str], line: &str| forms.iter().any(|form| fits(form, line));
    let mut lines = lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty());
    let is_all_own = lines.clone().all(|line| any(OWN, line));
    lines.find(|line| is_all_own && any(IDLE_MAKE, line))
}

/// Summaries of failure, by the runner. [`form`] explains the forms.
const FAILED: &[&str] = &[
    // pytest
    "!{*}! Interrupted: {n} error{s} during collection !{*}",
    "_{*}_ ERROR collecting {*} _{*}",
    // unittest
    "FAILED (failures={n}{*})",
    "FAILED (errors={n}{*})",
    "FAILED (unexpected successes={n}{*})",
    "***Test Failed*** {n} failure{s}.",
    // cargo test, nextest, clippy, fmt
    "test result: FAILED. {d} passed; {d} failed;{*}",
    "error: test failed, to rerun pass {*}",
    "error: could not compile `{*}",
    "error: test run failed",
    "{ }Summary [{*}] {*} run: {*}{n} failed{*}",
    "{ }Summary [{*}] {*} run: {*}{n} timed out{*}",
    "Diff in {w}:{d}:",
    // jest, vitest
    "Tests:{ }{n} failed, {*}{d} total",
    "Test Suites: {n} failed, {*}{d} total",
    "{ }Test Files  {n} failed{*}({d})",
    "{ }Tests  {n} failed{*}({d})",
    // mocha, playwright, bun
    "  {n} failing",
    "  {n} failed",
    " {n} fail",
    // node --test, the Test Anything Protocol
    "# fail {n}",
    "ℹ fail {n}",
    "{ }not ok {d}{*}",
    // deno
    "FAILED | {d} passed{*} | {n} failed{*}",
    // go
    "{ }--- FAIL: {w} ({*}s)",
    "FAIL\t{w}\t{*}s",
    "FAIL\t{w} [{w} failed]",
    "DONE {d} tests, {*}{n} failure{s} in {*}s",
    "{n} issues:",
    // rspec, minitest, rubocop
    "{d} example{s}, {n} failure{s}",
    "{d} example{s}, {n} failure{s}, {*}",
    "{d} example{s}, {d} failure{s}, {n} error{s} occurred outside of examples",
    "{d} runs, {d} assertions, {n} failures, {*}",
    "{d} runs, {d} assertions, {d} failures, {n} errors, {*}",
    "{d} file{s} inspected, {n} offense{s} detected{*}",
    // phpunit
    "FAILURES!",
    "ERRORS!",
    "Tests: {d}, Assertions: {d}, {*}Failures: {n}{*}",
    "Tests: {d}, Assertions: {d}, {*}Errors: {n}{*}",
    // maven, gradle
    "BUILD FAILURE",
    "[{*}] BUILD FAILURE",
    "Tests run: {d}, Failures: {n}, {*}",
    "Tests run: {d}, Failures: {d}, Errors: {n}{*}",
    "[{*}] Tests run: {d}, Failures: {n}, {*}",
    "[{*}] Tests run: {d}, Failures: {d}, Errors: {n}{*}",
    "BUILD FAILED in {*}",
    "FAILURE: Build failed with an exception.",
    "{d} test{s} completed, {n} failed{*}",
    // dotnet
    "Failed!{ }- Failed:{ }{n}, Passed:{*}",
    "Build FAILED.",
    "Test Run Failed.",
    // make, ninja, ctest, meson, bazel
    "make: *** {*}",
    "make[{d}]: *** {*}",
    "gmake: *** {*}",
    "gmake[{d}]: *** {*}",
    "ninja: build stopped: {*}",
    "ninja: error: {*}",
    "{d}% tests passed, {n} tests failed out of {d}",
    "Fail:{ }{n}",
    "//{*} FAILED in {*}",
    "Executed {d} out of {d} test{*}{n} fail{*}",
    "{w} Build did NOT complete successfully",
    // npm, pnpm, yarn
    "npm ERR! Test failed{*}",
    "npm ERR! code ELIFECYCLE",
    "npm ERR! Lifecycle script {*} failed{*}",
    "npm error code ELIFECYCLE",
    "npm error Lifecycle script {*} failed{*}",
    "{ }ELIFECYCLE {*} failed{*}",
    "error Command failed with exit code {n}.",
    // ruff, mypy, pyright, tsc, eslint
    "Found {n} error{s}.",
    "Found {n} error{s} ({d} fixed, {n} remaining).",
    "Found {n} error{s} in {d} file{s}{*}",
    "Found {n} error{s} in {w}:{d}",
    "{n} error{s}, {d} warning{s}, {d} information{s}",
    "error TS{d}: {*}",
    "{w}({d},{d}): error TS{d}: {*}",
    "{w}:{d}:{d} - error TS{d}: {*}",
    "✖ {d} problem{s} ({n} error{s}, {d} warning{s})",
    // bats, mix
    "{d} test{s}, {n} failure{s}",
    "{d} test{s}, {n} failure{s}, {*}",
    "{d} doctest{s}, {d} test{s}, {n} failure{s}",
    "{d} doctest{s}, {d} test{s}, {n} failure{s}, {*}",
    // swift, xcodebuild, flutter
    "\t Executed {d} test{s}, with {*}{n} failure{s} ({*}",
    "✘ Test run with {d} test{s} failed after {*}",
    "** TEST FAILED **",
    "{*} -{n}: Some tests failed.",
    // tox, nox, pre-commit
    "{ }evaluation failed :( ({*})",
    "{ }{w}: FAIL code {n}{*}",
    "nox > Session {*} failed.",
    "{*}...Failed",
];

/// Summaries of a run without tests.
const NONE: &[&str] = &[
    "NO TESTS RAN{*}",
    "Ran 0 tests in {*}s",
    "error: no tests to run",
    "{ }Summary [{*}] 0 tests run: {*}",
    "No tests found, exiting with code {d}",
    "No tests found",
    "No test files found, exiting with code {d}",
    "  0 passing ({*})",
    "# tests 0",
    "ℹ tests 0",
    "1..0",
    "1..0 # {*}",
    "error: No test modules found",
    "ok | 0 passed | 0 failed{*}",
    "testing: warning: no tests to run",
    "ok{ }\t{w}\t{*}[no tests to run]",
    "?{ }\t{w}\t[no test files]",
    "0 examples, 0 failures",
    "0 runs, 0 assertions, 0 failures, 0 errors, 0 skips",
    "No tests executed!",
    "No tests to run.",
    "[{*}] No tests to run.",
    "No test is available in {*}",
    "No tests were found!!!",
    "There are no tests to run",
    "0 tests, 0 failures",
    "\t Executed 0 tests, with 0 failures {*}",
    "No tests ran.",
    "No tests were found.",
    // make, whatever marks quote the target
    "make: {*} is up to date.",
    "gmake: {*} is up to date.",
    "make: Nothing to be done for {*}.",
    "gmake: Nothing to be done for {*}.",
];

/// Summaries of a run in which tests ran.
const RAN: &[&str] = &[
    "test result: ok. {n} passed;{*}",
    "{ }Summary [{*}] {n} test{s} run: {*}",
    "Tests:{ }{*}{n} passed, {*}",
    "{ }Tests  {*}{n} passed{*}({d})",
    "  {n} passing ({*})",
    " {n} pass",
    "# pass {n}",
    "ℹ pass {n}",
    "{ }ok {n}{*}",
    "ok | {n} passed{*}",
    "ok{ }\t{w}\t{*}s",
    "ok{ }\t{w}\t(cached)",
    "Ran {n} test{s} in {*}s",
    "{n} example{s}, 0 failures{*}",
    "{n} runs, {*}",
    "OK ({n} test{*}",
    "Tests run: {n}, {*}",
    "[{*}] Tests run: {n}, {*}",
    "Passed!{ }- Failed:{ }0, Passed:{ }{n},{*}",
    "100% tests passed, {*}",
    "{n} test{s}, 0 failures{*}",
    "{n} doctest{s}, {d} test{s}, 0 failures{*}",
    "\t Executed {n} test{s}, with 0 failures {*}",
];

/// A line without the sequences that colour a terminal.
fn plain(line: &str) -> Cow<'_, str> {
    if !line.contains('\u{1b}') {
        return Cow::Borrowed(line);
    }
    let mut text = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            text.push(c);
            continue;
        }
        match chars.next() {
            // Parameters, then a letter.
            Some('[') => while chars.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
            // A text, up to a bell or the sequence that ends it.
            Some(']') => {
                let end = chars.by_ref().find(|c| matches!(c, '\u{7}' | '\u{1b}'));
                chars.next_if(|_| end == Some('\u{1b}'));
            }
            // A character set has one more letter.
            Some('(' | ')') => drop(chars.next()),
            _ => {}
        }
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests;
