use super::*;

fn failed(line: &str) -> Option<Said> {
    Some(Said::Failed(line.to_owned()))
}

fn none(line: &str) -> Option<Said> {
    Some(Said::NoTests(line.to_owned()))
}

/// Outputs of real runs.
#[test]
fn what_runners_really_print() {
    macro_rules! cases {
        ($($name:literal: $expected:expr,)*) => {
            [$(($name, include_str!(concat!("fixtures/", $name, ".txt")), $expected)),*]
        };
    }
    let cases = cases! {
        "pytest_fail": failed("========================= 1 failed, 1 passed in 0.06s =========================="),
        "pytest_q": failed("1 failed, 1 passed in 0.05s"),
        "pytest_coll": failed("_______________________ ERROR collecting py/test_imp.py ________________________"),
        "pytest_none": none("1 deselected in 0.01s"),
        "pytest_empty": none("============================ no tests ran in 0.02s ============================="),
        "pytest_ok": None,
        "unittest_fail": failed("FAILED (failures=1)"),
        "unittest_none": none("Ran 0 tests in 0.000s"),
        "ruff": failed("Found 1 error."),
        "mypy": failed("Found 1 error in 1 file (checked 1 source file)"),
        "make_sub": failed("make[1]: *** [Makefile:2: test] Error 1"),
        "node_fail": failed("not ok 1 - x"),
        "node_none": None,
        "jest_fail": failed("Test Suites: 1 failed, 1 total"),
        "jest_none": none("No tests found, exiting with code 1"),
        "vitest_fail": failed("Test Files  1 failed (1)"),
        "vitest_none": none("No test files found, exiting with code 1"),
        "mocha_fail": failed("1 failing"),
        "mocha_none": none("0 passing (1ms)"),
        "tsc": failed("t.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'."),
        "eslint": failed("✖ 2 problems (1 error, 1 warning)"),
        "cargo_fail": failed(
            "test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.13s"
        ),
        "cargo_zero": none("running 0 tests"),
        "cargo_ok": None,
        "nextest": failed("Summary [   0.248s] 2 tests run: 1 passed, 1 failed, 0 skipped"),
        "nextest_zero": none("Summary [   0.004s] 0 tests run: 0 passed, 2 skipped"),
        "cargo_compile": failed("error: could not compile `c` (lib) due to 1 previous error"),
        "clippy": failed("error: could not compile `c` (lib) due to 1 previous error"),
        "fmt": failed("Diff in /p/src/lib.rs:1:"),
    };
    for (name, output, expected) in cases {
        assert_eq!(said(output), expected, "{name}");
    }
}

#[test]
fn a_summary_of_failure() {
    for line in [
        "= 2 errors in 0.10s =",
        "===== 1 failed, 2 passed, 1 skipped, 3 warnings in 61.20s (0:01:01) =====",
        "1 passed, 1 error in 0.05s",
        "FAILED (errors=1, skipped=2)",
        "error: test failed, to rerun pass `--lib`",
        "     Summary [   0.100s] 3/9 tests run: 2 passed, 1 failed, 0 skipped",
        "Tests:       1 failed, 2 passed, 3 total",
        "Tests:       1 failed, 3 total",
        "      Tests  1 failed | 2 passed (3)",
        "  12 failing",
        "  1 failed",
        " 1 fail",
        "# fail 1",
        "ℹ fail 3",
        "not ok 2 - adds",
        "    not ok 1 inner",
        "FAILED | 2 passed | 1 failed (12ms)",
        "--- FAIL: TestAdd (0.00s)",
        "    --- FAIL: TestAdd/one (0.00s)",
        "FAIL\texample.com/p\t0.012s",
        "FAIL\texample.com/p [build failed]",
        "3 examples, 1 failure",
        "1 example, 1 failure, 1 pending",
        "0 examples, 0 failures, 1 error occurred outside of examples",
        "1 runs, 1 assertions, 1 failures, 0 errors, 0 skips",
        "1 runs, 0 assertions, 0 failures, 1 errors, 0 skips",
        "5 files inspected, 2 offenses detected, 1 offense autocorrectable",
        "FAILURES!",
        "Tests: 3, Assertions: 3, Failures: 1.",
        "[INFO] BUILD FAILURE",
        "Tests run: 3, Failures: 1, Errors: 0, Skipped: 0",
        "[ERROR] Tests run: 3, Failures: 0, Errors: 2, Skipped: 0",
        "BUILD FAILED in 3s",
        "FAILURE: Build failed with an exception.",
        "12 tests completed, 1 failed",
        "Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3, Duration: 12 ms",
        "make: *** [x] Error 1",
        "npm ERR! Test failed.  See above for more details.",
        "npm error Lifecycle script `test` failed with error:",
        " ELIFECYCLE  Test failed. See above for more details.",
        "error Command failed with exit code 1.",
        "ninja: build stopped: subcommand failed.",
        "//pkg:lib_test                    FAILED in 0.1s",
        "ERROR: Build did NOT complete successfully",
        "50% tests passed, 1 tests failed out of 2",
        "Found 3 errors.",
        "Found 3 errors (2 fixed, 1 remaining).",
        "Found 2 errors in 1 file (checked 3 source files)",
        "1 error, 0 warnings, 0 informations",
        "error TS18003: No inputs were found.",
        "src/a.ts:1:7 - error TS2322: Type 'string' is not assignable to type 'number'.",
        "4 tests, 1 failure",
        "2 doctests, 3 tests, 1 failure",
        "\t Executed 3 tests, with 1 failure (0 unexpected) in 0.01 (0.02) seconds",
        "** TEST FAILED **",
        "00:02 +1 -1: Some tests failed.",
        "  evaluation failed :( (0.10 seconds)",
        "  py: FAIL code 1 (0.10=setup[0.05]+cmd[0.05] seconds)",
        "nox > Session tests failed.",
        "ruff.....................................................................Failed",
        "\u{1b}[31mTests:       1 failed\u{1b}[39m, 3 total",
    ] {
        let shown = plain(line).trim().to_owned();
        assert_eq!(said(line), failed(&shown), "{line:?}");
        assert_eq!(said(&format!("$ run\n{line}\r\nmore\n")), failed(&shown), "{line:?}");
    }
}

#[test]
fn no_tests() {
    for (output, expected) in [
        ("no tests ran in 0.01s", none("no tests ran in 0.01s")),
        ("2 deselected, 1 warning in 0.01s", none("2 deselected, 1 warning in 0.01s")),
        ("Ran 0 tests in 0.000s\n\nNO TESTS RAN", none("Ran 0 tests in 0.000s")),
        ("No tests found", none("No tests found")),
        ("  0 passing (1ms)", none("0 passing (1ms)")),
        ("# tests 0\n# pass 0\n# fail 0", none("# tests 0")),
        ("1..0", none("1..0")),
        ("?   \texample.com/p\t[no test files]", none("?   \texample.com/p\t[no test files]")),
        ("?   \ta\t[no test files]\nok  \tb\t0.1s", None),
        ("?   \ta\t[no test files]\nok  \tb\t(cached)", None),
        ("ok  \tp\t0.1s [no tests to run]", none("ok  \tp\t0.1s [no tests to run]")),
        ("testing: warning: no tests to run\nPASS", none("testing: warning: no tests to run")),
        ("0 examples, 0 failures", none("0 examples, 0 failures")),
        ("No tests executed!", none("No tests executed!")),
        ("No tests were found!!!", none("No tests were found!!!")),
        (
            "\t Executed 0 tests, with 0 failures (0 unexpected) in 0.0 (0.0) seconds",
            none("Executed 0 tests, with 0 failures (0 unexpected) in 0.0 (0.0) seconds"),
        ),
        // One package has none, the other has some.
        ("No tests found, exiting with code 0\nTests:       3 passed, 3 total", None),
        ("Ran 0 tests in 0.0s\nRan 3 tests in 0.1s", None),
        // Of cargo the beginning must be seen.
        (
            "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out",
            None,
        ),
        ("    Finished `test` profile [x] target(s) in 1s\nrunning 3 tests\nrunning 0 tests", None),
        (
            "    Finished `test` profile [x] target(s) in 1s\nrunning 0 tests\nrunning 0 tests",
            none("running 0 tests"),
        ),
        // A target that is there.
        ("make: 'test' is up to date.", none("make: 'test' is up to date.")),
        ("x\ngmake: Nothing to be done for `test'.\nx", none("gmake: Nothing to be done for `test'.")),
        ("make: ‘test’ is up to date.", none("make: ‘test’ is up to date.")),
        ("make: Nothing to be done for 'deps'.\n3 passed in 0.1s", None),
        (
            "make -C sub test\nmake[1]: Entering directory '/p/sub'\nmake[1]: 'test' is up to date.\n",
            none("make[1]: 'test' is up to date."),
        ),
        ("make[1]: Nothing to be done for 'deps'.\nall of my tests are fine", None),
        // A failure counts for more.
        (
            "no tests ran in 0.01s\nmake: *** [Makefile:2: test] Error 5",
            failed("make: *** [Makefile:2: test] Error 5"),
        ),
    ] {
        assert_eq!(said(output), expected, "{output:?}");
    }
}

#[test]
fn false_friends() {
    for output in [
        "",
        "0 failed",
        "1 passed, 0 failed",
        "3 passed in 0.12s",
        "3 passed, 1 xfailed, 1 skipped in 0.12s",
        "0 failed, 3 passed in 0.12s",
        "1 failed login attempt in 3s",
        "1 failed, then it passed in 0.1s",
        "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
        "the last line says test result: FAILED. 1 passed; 1 failed; 0 ignored",
        "FAILED",
        "This test FAILED because of 1 failed assertion.",
        "If it prints FAILURES! or BUILD FAILED in red, ask.",
        "`make: *** [x] Error 1` means that a recipe failed.",
        "make: [Makefile:2: test] Error 1 (ignored)",
        "# fail 0",
        "# fail",
        "ℹ fail 0",
        "ok 1 - not ok 2",
        "not ok 2 - later # TODO write it",
        "not ok 3 # skip no network",
        "Tests:       3 passed, 3 total",
        "Test Suites: 0 failed, 1 total",
        "      Tests  3 passed (3)",
        "  3 passing (9ms)",
        " 0 fail",
        "0 failing",
        "3 examples, 0 failures",
        "4 tests, 0 failures",
        "Tests run: 3, Failures: 0, Errors: 0, Skipped: 0",
        "[INFO] BUILD SUCCESS",
        "Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3",
        "100% tests passed, 0 tests failed out of 2",
        "Found 0 errors.",
        "Found 2 errors (2 fixed, 0 remaining).",
        "Found 3 files.",
        "Found 2 errors in the log",
        "2 tests and more, 1 failure was seen",
        "3 tests, 1 failure was expected",
        "0 errors, 2 warnings, 0 informations",
        "✖ 2 problems (0 errors, 2 warnings)",
        "5 files inspected, no offenses detected",
        "--- PASS: TestAdd (0.00s)",
        "ok  \texample.com/p\t0.012s",
        "--- FAIL: see below",
        "ruff.....................................................................Passed",
        "error[E0308]: mismatched types",
        "warning: unused variable",
        "npm warn deprecated x",
    ] {
        assert_eq!(said(output), None, "{output:?}");
    }
}

#[test]
fn only_the_end_is_read() {
    let line = "1 failed in 0.1s\n";
    let lines = |count: usize| format!("{line}{}", "x\n".repeat(count));
    assert_eq!(said(&lines(MOST_LINES - 1)), failed("1 failed in 0.1s"));
    assert_eq!(said(&lines(MOST_LINES)), None);
    let wide = |bytes: usize| format!("{line}{}\n", "é".repeat(bytes / 2));
    assert_eq!(said(&wide(MOST_BYTES - 100)), failed("1 failed in 0.1s"));
    assert_eq!(said(&wide(MOST_BYTES)), None);
    assert_eq!(said(&format!("Found 1 error in {}", "x".repeat(MOST_OF_LINE))), None);
}

#[test]
fn colours_are_left_out() {
    for (line, expected) in [
        ("\u{1b}[1;31mred\u{1b}[0m", "red"),
        ("\u{1b}]8;;https://x\u{7}link\u{1b}]8;;\u{1b}\\", "link"),
        ("a\u{1b}(Bb", "ab"),
        ("a\u{1b}", "a"),
        ("a\u{1b}[", "a"),
    ] {
        assert_eq!(plain(line), expected, "{line:?}");
    }
}

/// A target, script or folder that is missing: nothing was checked, and nothing failed.
#[test]
fn what_was_not_run() {
    for line in [
        "make: *** No rule to make target 'zzz'.  Stop.",
        "npm error Missing script: \"test\"",
        "bash: line 1: cd: nosuch: No such file or directory",
        "cd: no such file or directory: nosuch",
        "ERROR: file or directory not found: tests/nosuch.py",
        "error: no such command: `tset`",
    ] {
        assert_eq!(said(line), Some(Said::NoTests(line.to_owned())), "{line}");
    }
    assert_eq!(said("the cd: a note about files"), None);
}
