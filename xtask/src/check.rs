//! `cargo xtask test`: what CI runs. Every check is made, also after one that failed; the end lists what failed and what
//! was skipped.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::cargo::{cargo, root};
use crate::fuzz;
use crate::needs::{self, Marked, Need};

/// For all fuzz targets together; a longer run is `cargo xtask fuzz`.
const FUZZ_SECONDS: u64 = 60;

#[derive(Args)]
pub(crate) struct TestArgs {
    /// Leave out the tests that start the real client
    #[arg(long)]
    quick: bool,
}

pub(crate) fn run(args: &TestArgs) -> Result<ExitCode> {
    let started = Instant::now();
    let is_ci = is_ci(env::var_os("CI").as_deref());
    let mut report = Report::default();
    report.cargo("format", &["fmt", "--all", "--", "--check"]);
    report.cargo("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]);
    for need in Need::ALL {
        if args.quick && need == Need::Client {
            report.unmet.push((need, "--quick leaves it out".to_owned()));
        } else {
            report.provide(need, is_ci);
        }
    }
    let marked = needs::marked(&root())?;
    let left_out = report.left_out(&marked);
    // Integration tests start an example of engine-cli; `cargo test` of one package would not build it.
    let is_built = report.cargo("build", &["build", "--workspace", "--examples", "--bins"]);
    if is_built {
        let has_nextest = has_nextest();
        for (name, words) in test_steps(has_nextest, marked.len(), &left_out) {
            report.cargo(name, &words.iter().map(String::as_str).collect::<Vec<_>>());
        }
    } else {
        report.not_run("tests", "the build failed");
    }
    if let Some(missing) = fuzz::missing().filter(|_| is_ci) {
        report.skip("fuzz", missing);
    } else if is_ci {
        report.step("fuzz", &format!("all targets, {FUZZ_SECONDS} s"), || fuzz::together(FUZZ_SECONDS));
    }
    println!("{}; {} s", report.summary(&left_out), started.elapsed().as_secs());
    Ok(if report.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// CI systems set it to `true` or `1`.
fn is_ci(variable: Option<&OsStr>) -> bool {
    variable.is_some_and(|value| !["", "0", "false"].iter().any(|no| value == *no))
}

fn has_nextest() -> bool {
    let mut probe: Command = cargo();
    probe.args(["nextest", "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
    probe.status().is_ok_and(|status| status.success())
}

/// The calls of cargo that run the tests: the marked ones too, but not those that are left out.
fn test_steps(has_nextest: bool, marked: usize, left_out: &[&Marked]) -> [(&'static str, Vec<String>); 2] {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    // Where no marked test runs, none needs to be named.
    let runs_marked = left_out.len() < marked;
    let mut tests;
    if has_nextest {
        // The output of a failed test is printed when it fails, and again at the end, where one looks for it.
        tests =
            words(&["nextest", "run", "--workspace", "--no-fail-fast", "--failure-output=immediate-final"]);
        if runs_marked {
            tests.extend(words(&["--run-ignored", "all"]));
            if !left_out.is_empty() {
                tests.extend(["--filterset".to_owned(), all_but(left_out)]);
            }
        }
    } else {
        tests = words(&["test", "--workspace", "--no-fail-fast", "--tests"]);
        if runs_marked {
            tests.extend(words(&["--", "--include-ignored", "--exact"]));
            for test in left_out {
                tests.extend(words(&["--skip", &test.path]));
            }
        }
    }
    [("tests", tests), ("doc tests", words(&["test", "--workspace", "--no-fail-fast", "--doc"]))]
}

/// As nextest wants it.
fn all_but(tests: &[&Marked]) -> String {
    let mut programs: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for test in tests {
        programs.entry(&test.binary).or_default().push(&test.path);
    }
    let of_one = |(binary, paths): (&&str, &Vec<&str>)| {
        format!("(binary(={binary}) & test(/^({})$/))", paths.join("|"))
    };
    format!("not ({})", programs.iter().map(of_one).collect::<Vec<_>>().join(" | "))
}

#[derive(Default)]
struct Report {
    /// With the reason.
    failed: Vec<(&'static str, String)>,
    skipped: Vec<(&'static str, String)>,
    /// What is not there, and why.
    unmet: Vec<(Need, String)>,
}

impl Report {
    fn cargo(&mut self, name: &'static str, words: &[&str]) -> bool {
        let line = shortened(&format!("cargo {}", words.join(" ")));
        self.step(name, &line, || {
            let status = cargo().args(words).status().context("cannot run cargo")?;
            if !status.success() {
                bail!("{line}: {status}");
            }
            Ok(())
        })
    }

    fn step(&mut self, name: &'static str, doing: &str, work: impl FnOnce() -> Result<()>) -> bool {
        println!("==> {name}: {doing}");
        let (outcome, took) = timed(work);
        match outcome {
            Ok(()) => {
                println!("    {name}: ok, {took}");
                true
            }
            Err(error) => {
                println!("    {name}: FAILED, {took}: {error:#}");
                self.failed.push((name, format!("{error:#}")));
                false
            }
        }
    }

    fn not_run(&mut self, name: &'static str, why: &str) {
        println!("==> {name}: not run, {why}");
        self.failed.push((name, format!("not run: {why}")));
    }

    /// A step that nobody must be able to run.
    fn skip(&mut self, name: &'static str, why: &str) {
        println!("==> {name}: skipped, {why}");
        self.skipped.push((name, why.to_owned()));
    }

    /// What is missing makes CI fail: a check that never runs there would look green for ever.
    fn provide(&mut self, need: Need, is_ci: bool) {
        let name = need.name();
        println!("==> {name}: {}", need.doing());
        let (outcome, took) = timed(|| need.provide());
        let why = match outcome {
            Ok(()) => return println!("    {name}: ok, {took}"),
            Err(error) => format!("{error:#}"),
        };
        let outcome = if is_ci { "FAILED" } else { "missing, its tests are skipped" };
        println!("    {name}: {outcome}, {took}: {why}");
        self.miss(need, why, is_ci);
    }

    fn miss(&mut self, need: Need, why: String, is_ci: bool) {
        if is_ci {
            self.failed.push((need.name(), format!("its tests must run in CI: {why}")));
        }
        self.unmet.push((need, why));
    }

    fn left_out<'t>(&self, marked: &'t [Marked]) -> Vec<&'t Marked> {
        marked.iter().filter(|test| self.unmet.iter().any(|(need, _)| *need == test.need)).collect()
    }

    fn summary(&self, left_out: &[&Marked]) -> String {
        let mut out = String::from("==> summary\n");
        for (need, why) in &self.unmet {
            let of_it: Vec<_> = left_out.iter().filter(|test| test.need == *need).collect();
            for test in &of_it {
                out.push_str(&format!("    skipped: {test}\n"));
            }
            out.push_str(&format!("    {} tests skipped, {}: {why}\n", of_it.len(), need.name()));
        }
        for (name, why) in &self.skipped {
            out.push_str(&format!("    skipped: {name}: {why}\n"));
        }
        for (name, why) in &self.failed {
            out.push_str(&format!("    FAILED: {name}: {why}\n"));
        }
        let skipped = match left_out.len() {
            0 => "no test skipped".to_owned(),
            number => format!("{number} tests SKIPPED"),
        };
        let verdict = match self.failed.len() {
            0 => "passed".to_owned(),
            number => format!("FAILED ({number})"),
        };
        out.push_str(&format!("{verdict}; {skipped}"));
        out
    }
}

/// The names of all tests that are left out are listed at the end.
fn shortened(line: &str) -> String {
    match line.char_indices().nth(160) {
        Some((end, _)) => format!("{} …", &line[..end]),
        None => line.to_owned(),
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, String) {
    let started = Instant::now();
    let done = work();
    (done, format!("{:.1} s", started.elapsed().as_secs_f64()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(need: Need, path: &str) -> Marked {
        Marked { need, binary: "cli".to_owned(), path: path.to_owned() }
    }

    fn lines(has_nextest: bool, marked: usize, left_out: &[&Marked]) -> [String; 2] {
        test_steps(has_nextest, marked, left_out).map(|(_, words)| words.join(" "))
    }

    #[test]
    fn marked_tests_run_unless_they_are_left_out() {
        let (a, b) = (test(Need::Client, "m::a"), test(Need::Client, "m::b"));
        let other = Marked { binary: "real_client".to_owned(), ..test(Need::Client, "a") };
        let nextest = "nextest run --workspace --no-fail-fast --failure-output=immediate-final";
        let plain = "test --workspace --no-fail-fast --tests";
        let doc_tests = "test --workspace --no-fail-fast --doc";
        let cases: [(&[&Marked], &str, &str); 3] = [
            (&[], " --run-ignored all", " -- --include-ignored --exact"),
            (
                &[&a, &other, &b],
                " --run-ignored all --filterset not ((binary(=cli) & test(/^(m::a|m::b)$/)) | (binary(=real_client) & test(/^(a)$/)))",
                " -- --include-ignored --exact --skip m::a --skip a --skip m::b",
            ),
            (&[&a, &b, &other, &a], "", ""),
        ];
        for (left_out, with_nextest, without) in cases {
            assert_eq!(lines(true, 4, left_out), [format!("{nextest}{with_nextest}"), doc_tests.to_owned()]);
            assert_eq!(lines(false, 4, left_out), [format!("{plain}{without}"), doc_tests.to_owned()]);
        }
    }

    #[test]
    fn what_is_missing_is_named_counted_and_fails_in_ci() {
        let marked = [test(Need::Client, "a"), test(Need::Namespaces, "b"), test(Need::Client, "c")];
        for is_ci in [false, true] {
            let mut report = Report::default();
            report.miss(Need::Client, "npm is not on PATH".to_owned(), is_ci);
            let left_out = report.left_out(&marked);
            assert_eq!(left_out, [&marked[0], &marked[2]]);
            let summary = report.summary(&left_out);
            let skipped = "==> summary\n    skipped: cli a\n    skipped: cli c\n    2 tests skipped, client: npm is not on PATH\n";
            let end = if is_ci {
                "    FAILED: client: its tests must run in CI: npm is not on PATH\nFAILED (1); 2 tests SKIPPED"
            } else {
                "passed; 2 tests SKIPPED"
            };
            assert_eq!(summary, format!("{skipped}{end}"));
            assert_eq!(report.failed.is_empty(), !is_ci);
        }
    }

    #[test]
    fn a_failed_step_is_kept_and_the_next_one_runs() {
        let mut report = Report::default();
        assert!(!report.step("lints", "x", || bail!("exit status: 101")));
        assert!(report.step("tests", "y", || Ok(())));
        report.not_run("more", "the build failed");
        report.skip("fuzz", "there is no cargo-fuzz");
        assert_eq!(
            report.summary(&[]),
            "==> summary\n    skipped: fuzz: there is no cargo-fuzz\n    FAILED: lints: exit status: 101\n    FAILED: more: not run: the build failed\nFAILED (2); no test skipped"
        );
    }

    #[test]
    fn ci_is_told_by_its_variable() {
        let cases = [
            (None, false),
            (Some(""), false),
            (Some("false"), false),
            (Some("true"), true),
            (Some("1"), true),
        ];
        for (value, expected) in cases {
            assert_eq!(is_ci(value.map(OsStr::new)), expected, "{value:?}");
        }
    }
}
