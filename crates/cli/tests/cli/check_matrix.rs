//! Command lines of real projects in the shapes that agents give them, run by a real shell with the recorder: what the engine says they
//! came to is what they really came to, or unknown.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::stage::{SESSION, Stage, run};

const PLAN: &str = r#"task_type: debug
workflow: verify-first
skills_to_invoke: []
guardrails: {plan_mode: false, answer_only: false, require_skill: null, verify_before_complete: false, require_acceptance_test: false, quote_errors_exactly: false, fix_within_design: false}
enriched_context: ""
todo_items: ["Mend it"]
acceptance_criteria: [{text: it works, proof: make test}]
warnings: []
original_fragment: mend it
"#;

/// Lines whose program the recorder wraps.
const RECORDED: [&str; 31] = [
    "pytest -q",
    "python3 -m pytest -x",
    "uv run pytest",
    "poetry run pytest -q tests",
    "tox -e py312",
    "nox -s tests",
    "ruff check .",
    "mypy src",
    "npm test",
    "npm run test:unit",
    "npm run lint -- --max-warnings 0",
    "pnpm -r test",
    "pnpm vitest run",
    "yarn workspace web test",
    "npx jest --ci",
    "npx nx test web",
    "npx turbo run test",
    "node --test",
    "cargo test --workspace",
    "cargo nextest run",
    "cargo clippy --all-targets -- -D warnings",
    "cargo xtask test",
    "go test ./...",
    "golangci-lint run",
    "make test",
    "make -j4 lint test",
    "just ci",
    "mvn -pl core verify",
    "gradle :app:test",
    "bundle exec rspec",
    "composer test",
];
/// Lines of which only the status of the line and the output speak.
const PAST: [&str; 9] = [
    "./gradlew :app:test",
    "./mvnw -q test",
    "./scripts/test.sh",
    "bin/rails test",
    "python3.12 -m pytest",
    "py.test -q",
    "timeout 60 pytest -q",
    "env FOO=1 cargo test",
    "vendor/bin/phpunit",
];

/// What agents make of a line, and where it runs.
const SHAPES: [(&str, &str, &str); 7] = [
    ("alone", "LINE", ""),
    ("cd", "cd sub && LINE", "sub"),
    ("pipe", "LINE 2>&1 | tail -3", ""),
    ("or", "LINE || true", ""),
    ("semicolon", "LINE; echo done", ""),
    ("background", "LINE", ""),
    ("subagent", "LINE 2>&1 | tail -3", ""),
];

/// A stand-in for every program: it ends as the file beside it says, and prints what a runner prints of a failure.
const STAND_IN: &str = "#!/bin/sh\nread -r status < \"$MATRIX/status\"\n[ \"$status\" = 0 ] && echo fine || echo '=== 1 failed, 3 passed in 0.12s ==='\nexit \"$status\"\n";

struct Matrix {
    stage: Stage,
    /// The folder with the stand-ins.
    bin: PathBuf,
    calls: usize,
}

impl Matrix {
    fn new() -> Self {
        let mut stage = Stage::new();
        let bin = stage.root().parent().unwrap().join("bin");
        let env = stage.root().parent().unwrap().join("env.sh");
        stage.set("CLAUDECODE", "1");
        stage.set("CLAUDE_CODE_SESSION_ID", SESSION);
        stage.set("CLAUDE_ENV_FILE", env.to_str().unwrap());
        stage.hook(&stage.event("SessionStart"));
        assert_eq!(run(stage.command(&["plan", "new"]), Some(PLAN.as_bytes())).code, Some(0));
        stage.ok(&["plan", "lock"]);
        fs::create_dir_all(&bin).unwrap();
        Self { stage, bin, calls: 0 }
    }

    fn stand_in(&self, path: &Path) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, STAND_IN).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Runs a line as the client does, with the events before and after it.
    fn call(&mut self, line: &str, is_background: bool, is_subagent: bool) {
        self.calls += 1;
        let id = format!("toolu_{:04}", self.calls);
        let mut fields =
            json!({"tool_use_id": id, "tool_input": {"command": line}, "cwd": self.stage.root()});
        if is_subagent {
            fields["agent_id"] = json!("a1");
            fields["agent_type"] = json!("Explore");
        }
        self.stage.hook(&self.stage.event_with("PreToolUse", &fields)).assert_silent();
        if is_background {
            fields["tool_input"]["run_in_background"] = json!(true);
            fields["tool_response"] =
                json!({"stdout": "", "stderr": "", "interrupted": false, "backgroundTaskId": "b1"});
            self.stage.hook(&self.stage.event_with("PostToolUse", &fields));
            self.shell(line);
            return;
        }
        let (status, output) = self.shell(line);
        // The client sends the folder in which a line ended, if it ended well.
        if status == 0 && line.starts_with("cd sub") {
            fields["cwd"] = json!(self.stage.root().join("sub"));
        }
        let event = if status == 0 {
            fields["tool_response"] = json!({"stdout": output, "stderr": "", "interrupted": false});
            "PostToolUse"
        } else {
            fields["error"] = json!(format!("Exit code {status}\n{output}"));
            "PostToolUseFailure"
        };
        self.stage.hook(&self.stage.event_with(event, &fields));
    }

    fn shell(&self, line: &str) -> (i32, String) {
        let mut shell = Command::new("bash");
        let env = self.bin.with_file_name("env.sh");
        // The client gives a shell its lines as one text.
        let quoted = line.replace('\'', "'\\''");
        shell.arg("-c").arg(format!(". '{}' && eval '{quoted}' && pwd -P >| /dev/null", env.display()));
        shell.current_dir(self.stage.root()).env("MATRIX", &self.bin).stdin(Stdio::null());
        shell.env("PATH", format!("{}:{}", self.bin.display(), std::env::var("PATH").unwrap()));
        let done = shell.output().unwrap();
        (done.status.code().unwrap(), String::from_utf8_lossy(&done.stdout).into_owned())
    }

    fn status(&self, status: i32) {
        fs::write(self.bin.join("status"), format!("{status}\n")).unwrap();
    }

    /// Every check of the ledger: where it ran, and what it came to.
    fn ledger(&self) -> Vec<(String, String)> {
        let out = self.stage.ok(&["evidence", "--json"]);
        let ledger: Value = serde_json::from_str(&out).unwrap();
        let lines = ledger["ledger"].as_array().unwrap().iter().filter(|line| line["is"] == "check");
        let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
        lines.map(|line| (text(&line["folder"]), text(&line["outcome"]))).collect()
    }
}

#[test]
fn what_a_line_came_to_is_what_it_really_came_to() {
    let mut matrix = Matrix::new();
    for line in RECORDED.iter().chain(&PAST) {
        let words: Vec<&str> = line.split(' ').collect();
        let program = *words.iter().find(|word| !["timeout", "60", "env", "FOO=1"].contains(word)).unwrap();
        if program.contains('/') {
            matrix.stand_in(&matrix.stage.root().join(program));
            matrix.stand_in(&matrix.stage.root().join("sub").join(program));
        } else {
            matrix.stand_in(&matrix.bin.join(program));
        }
    }
    fs::create_dir_all(matrix.stage.root().join("sub")).unwrap();
    let mut expected: Vec<(String, String)> = Vec::new();
    let mut told: Vec<String> = Vec::new();
    for (line, is_recorded) in
        RECORDED.iter().map(|line| (*line, true)).chain(PAST.iter().map(|line| (*line, false)))
    {
        for status in [0, 1] {
            matrix.status(status);
            for (shape, form, folder) in SHAPES {
                let typed = form.replace("LINE", line);
                matrix.call(&typed, shape == "background", shape == "subagent");
                let is_clear = matches!(shape, "alone" | "cd");
                let outcome = match (status, shape) {
                    // A line that goes on in the background is noted when it starts; its failure comes with the next event.
                    (_, "background") => "unknown",
                    (0, _) if is_clear || is_recorded => "passed",
                    (0, _) => "unknown",
                    _ => "failed",
                };
                expected.push((folder.to_owned(), outcome.to_owned()));
                told.push(format!("{typed} ({shape}, {status})"));
                if shape == "background" {
                    matrix.call("ls", false, false);
                    if is_recorded && status != 0 {
                        expected.push((folder.to_owned(), "failed".to_owned()));
                        told.push(format!("{typed} (ended in the background, {status})"));
                    }
                }
            }
        }
    }
    let ledger = matrix.ledger();
    let wrong: Vec<String> = told
        .iter()
        .zip(expected.iter().zip(&ledger))
        .filter(|(_, (expected, found))| expected != found)
        .map(|(line, (expected, found))| format!("{line}: {expected:?}, told {found:?}"))
        .collect();
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(ledger.len(), expected.len());
    // Each in every shape, as it passes and as it fails, and a line after each that goes on in the background.
    assert_eq!(matrix.calls, (RECORDED.len() + PAST.len()) * 2 * (SHAPES.len() + 1));
}

/// A runner that may be on this machine: a project in which its check passes, what makes it fail, and the line.
struct Runner {
    program: &'static str,
    line: &'static str,
    files: &'static [(&'static str, &'static str)],
    broken: (&'static str, &'static str),
}

const RUNNERS: [Runner; 8] = [
    Runner {
        program: "cargo",
        line: "cargo test --offline",
        files: &[
            ("Cargo.toml", "[package]\nname = \"x\"\nedition = \"2024\"\n"),
            ("src/lib.rs", "#[test]\nfn t() {}\n"),
        ],
        broken: ("src/lib.rs", "#[test]\nfn t() { panic!() }\n"),
    },
    Runner {
        program: "make",
        line: "make test",
        files: &[("Makefile", "test:\n\t@grep -q good a.txt\n"), ("a.txt", "good\n")],
        broken: ("a.txt", "bad\n"),
    },
    Runner {
        program: "npm",
        line: "npm test",
        files: &[("package.json", "{\"scripts\":{\"test\":\"grep -q good a.txt\"}}\n"), ("a.txt", "good\n")],
        broken: ("a.txt", "bad\n"),
    },
    Runner {
        program: "pytest",
        line: "pytest -q",
        files: &[("test_a.py", "def test_a():\n    assert True\n")],
        broken: ("test_a.py", "def test_a():\n    assert 1 == 'two'\n"),
    },
    Runner {
        program: "python3",
        line: "python3 -m unittest",
        files: &[(
            "test_a.py",
            "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        pass\n",
        )],
        broken: (
            "test_a.py",
            "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.fail()\n",
        ),
    },
    Runner {
        program: "go",
        line: "go test ./...",
        files: &[
            ("go.mod", "module x\n\ngo 1.20\n"),
            ("x_test.go", "package x\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n"),
        ],
        broken: ("x_test.go", "package x\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { t.Fail() }\n"),
    },
    Runner {
        program: "just",
        line: "just test",
        files: &[("justfile", "test:\n    grep -q good a.txt\n"), ("a.txt", "good\n")],
        broken: ("a.txt", "bad\n"),
    },
    Runner {
        program: "tox",
        line: "tox -q",
        files: &[
            (
                "tox.ini",
                "[tox]\nenvlist = x\n[testenv]\nskip_install = true\nallowlist_externals = grep\ncommands = grep -q good a.txt\n",
            ),
            ("a.txt", "good\n"),
        ],
        broken: ("a.txt", "bad\n"),
    },
];

/// Runners as they are, where this machine has them: what the engine says is what they came to.
#[test]
fn real_runners_are_told_as_they_end() {
    let is_there = |program: &str| {
        let path = std::env::var("PATH").unwrap();
        path.split(':').any(|folder| Path::new(folder).join(program).is_file())
    };
    let mut tried = 0;
    for runner in RUNNERS.iter().filter(|runner| is_there(runner.program)) {
        let mut matrix = Matrix::new();
        for (name, text) in runner.files {
            matrix.stage.write(name, text);
        }
        let shapes = ["LINE", "LINE 2>&1 | tail -2", "LINE || true", "LINE; echo done", "(LINE)"];
        let mut expected = Vec::new();
        for outcome in ["passed", "failed"] {
            for shape in shapes {
                matrix.call(&shape.replace("LINE", runner.line), false, false);
                expected.push((String::new(), outcome.to_owned()));
            }
            matrix.stage.write(runner.broken.0, runner.broken.1);
        }
        assert_eq!(matrix.ledger(), expected, "{}", runner.line);
        tried += 1;
    }
    assert!(tried > 0, "cargo runs this test");
}
