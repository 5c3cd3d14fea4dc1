use super::*;

/// The pieces of a command in a project with these files, as `file: text`.
fn shown(command: &str, files: &[(&str, &str)]) -> Vec<String> {
    let analysis = analyse(command, &surroundings("/p", None, None, &crate::dialect::TEST));
    let check = analysis.runs.iter().find_map(|run| check_of(run, &[])).expect("a check");
    let read = |path: &str| files.iter().find(|(file, _)| *file == path).map(|(_, text)| (*text).to_owned());
    pieces(&check, "/p", &read)
        .into_iter()
        .map(|piece| format!("{}: {}", piece.file, piece.text.trim_end()))
        .collect()
}

const PACKAGE: &str = r#"{"name": "x", "version": "1", "dependencies": {"jest": "1"},
    "scripts": {"test": "npm run lint && jest", "pretest": "tsc", "lint": "eslint .", "build": "vite build", "all": "run-s 'lint*'",
                "lint:css": "stylelint ."},
    "jest": {"bail": true}}"#;

const MAKEFILE: &str = "include common.mk\nPYTHON := python3\nOTHER ?= 1\n\n# tests\ntest: lint gen ; @echo go\n\t@$(PYTHON) -m pytest \\\n\t  -q\n\
                        lint:\n\truff check\ngen: a.txt\nclean:\n\trm -rf build\n.PHONY: test\n";

const JUSTFILE: &str = "set shell := ['bash']\nx := '1'\n# all\n@test name='': (build 'a') lint\n    cargo test {{name}}\n\nbuild how:\n    cargo build\nlint:\n    cargo clippy\ndeploy:\n    ./deploy.sh\n";

const TASKFILE: &str = "version: '3'\nvars: {A: 1}\ntasks:\n  test:\n    deps: [build]\n    cmds:\n      - go test ./...\n      - task: lint\n  build: go build ./...\n  lint:\n    cmds: [golangci-lint run]\n  other: rm -rf x\n";

const PYPROJECT: &str = "[project]\nname = 'x'\n\n[tool.pytest.ini_options]\n# why\naddopts = '-q'\nmarkers = [\n    'slow',\n]\n[tool.ruff]\nselect = ['E']\n[tool.ruff.lint]\nx = 1\n[tool.rufflike]\ny = 1\n";

#[test]
fn scripts_count_by_what_they_run() {
    assert_eq!(
        shown(
            "npm test",
            &[
                ("package.json", PACKAGE),
                ("jest.config.js", "j"),
                (".eslintrc", "e"),
                ("vite.config.ts", "v")
            ]
        ),
        [
            ".eslintrc: e",
            "jest.config.js: j",
            "package.json: scripts.lint: eslint .\nscripts.pretest: tsc\nscripts.test: npm run lint && jest\njest: {\"bail\":true}",
        ]
    );
    assert_eq!(
        shown(
            "npm --prefix web run lint",
            &[("package.json", "{}"), ("web/package.json", PACKAGE), ("web/eslint.config.mjs", "e")]
        ),
        ["web/eslint.config.mjs: e", "web/package.json: scripts.lint: eslint .\njest: {\"bail\":true}"]
    );
    assert_eq!(shown("npm test", &[("package.json", "{ broken")]), ["package.json: { broken"]);
    assert_eq!(
        shown("npm test", &[("package.json", r#"{"scripts": {"build": "x"}}"#)]),
        Vec::<String>::new()
    );
    assert_eq!(
        shown(
            "composer test",
            &[
                ("composer.json", r#"{"scripts": {"test": ["@lint", "phpunit"], "lint": "phpcs"}}"#),
                ("phpunit.xml.dist", "<x/>")
            ]
        ),
        ["composer.json: scripts.lint: phpcs\nscripts.test: @lint; phpunit", "phpunit.xml.dist: <x/>"]
    );
    assert_eq!(
        shown("deno task test", &[("deno.json", r#"{"tasks": {"test": "deno test"}, "imports": {}}"#)]),
        ["deno.json: tasks.test: deno test"]
    );
}

#[test]
fn targets_count_with_what_they_need() {
    assert_eq!(
        shown("make test", &[("Makefile", MAKEFILE), ("pytest.ini", "[pytest]"), ("ruff.toml", "r")]),
        [
            "Makefile: include common.mk\nPYTHON := python3\nOTHER ?= 1\ntest: lint gen\n@echo go\n@$(PYTHON) -m pytest -q\nlint:\nruff check\ngen: a.txt",
            "ruff.toml: r",
        ]
    );
    assert_eq!(shown("make -C sub build", &[("Makefile", MAKEFILE)]), Vec::<String>::new());
    assert_eq!(
        shown("just test x", &[("justfile", JUSTFILE), ("clippy.toml", "c")]),
        [
            "clippy.toml: c",
            "justfile: set shell := ['bash']\nx := '1'\ntest: build 'a' lint\ncargo test {{name}}\nbuild:\ncargo build\nlint:\ncargo clippy",
        ]
    );
    assert_eq!(
        shown("task test", &[("Taskfile.yml", TASKFILE), (".golangci.yml", "g")]),
        [
            ".golangci.yml: g",
            "Taskfile.yml: vars: {A: 1}\ntest: {deps: [build], cmds: [go test ./..., {task: lint}]}\nbuild: go build ./...\nlint: {cmds: [golangci-lint run]}",
        ]
    );
}

/// The command, the files of the project, and the pieces.
type Row<'r> = (&'r str, &'r [(&'r str, &'r str)], &'r [&'r str]);

#[test]
fn configuration_counts_by_its_sections() {
    let conftest = ("conftest.py", "import x");
    let rows: &[Row<'_>] = &[
        (
            "pytest -q",
            &[("pyproject.toml", PYPROJECT), conftest, ("sub/conftest.py", "s")],
            &[
                "conftest.py: import x",
                "pyproject.toml: [tool.pytest.ini_options]\naddopts = '-q'\nmarkers = [\n    'slow',\n]",
            ],
        ),
        (
            "cd sub/deep && uv run pytest",
            &[conftest, ("sub/conftest.py", "s"), ("sub/deep/pytest.ini", "i"), ("other/conftest.py", "o")],
            &["conftest.py: import x", "sub/conftest.py: s", "sub/deep/pytest.ini: i"],
        ),
        (
            "pytest",
            &[("tox.ini", "[tox]\nx = 1\n[pytest]\ny = 2\n[testenv]\nz = 3")],
            &["tox.ini: [pytest]\ny = 2"],
        ),
        (
            "pytest",
            &[("setup.cfg", "[metadata]\nname = x\n[tool:pytest]\ny = 2")],
            &["setup.cfg: [tool:pytest]\ny = 2"],
        ),
        ("pytest", &[("pyproject.toml", "[project]\nname = 'x'")], &[]),
        ("cd /elsewhere && pytest", &[conftest], &[]),
        ("cd $X && pytest", &[conftest], &["conftest.py: import x"]),
        (
            "ruff check",
            &[("pyproject.toml", PYPROJECT)],
            &["pyproject.toml: [tool.ruff]\nselect = ['E']\n[tool.ruff.lint]\nx = 1"],
        ),
        ("tox -e py", &[("tox.ini", "[tox]"), ("noxfile.py", "n")], &["tox.ini: [tox]"]),
        ("nox", &[("noxfile.py", "n")], &["noxfile.py: n"]),
        (
            "npx vitest run",
            &[("vitest.config.ts", "v"), ("vite.config.ts", "w")],
            &["vite.config.ts: w", "vitest.config.ts: v"],
        ),
        (
            "npx mocha",
            &[(".mocharc.yml", "m"), ("package.json", PACKAGE)],
            &[".mocharc.yml: m", "package.json: jest: {\"bail\":true}"],
        ),
        ("npx tsc", &[("tsconfig.json", "t")], &["tsconfig.json: t"]),
        (
            "cargo test",
            &[
                (
                    "Cargo.toml",
                    "[package]\nname = 'x'\n[lib]\ntest = false\n[[test]]\nname = 'a'\nharness = false\n[dependencies]\nserde = '1'\n[lints]\nworkspace = true",
                ),
                (
                    ".cargo/config.toml",
                    "[alias]\nt = 'test'\n[net]\noffline = true\n[target.x86_64-unknown-linux-gnu]\nrunner = 'true'",
                ),
                (".config/nextest.toml", "n"),
            ],
            &[
                ".cargo/config.toml: [alias]\nt = 'test'\n[target.x86_64-unknown-linux-gnu]\nrunner = 'true'",
                "Cargo.toml: [package]\nname = 'x'\n[lib]\ntest = false\n[[test]]\nname = 'a'\nharness = false\n[lints]\nworkspace = true",
            ],
        ),
        ("cargo nextest run", &[(".config/nextest.toml", "n")], &[".config/nextest.toml: n"]),
        (
            "cargo xtask test",
            &[
                (".cargo/config.toml", "[alias]\nxtask = 'run -p xtask --'"),
                ("xtask/src/main.rs", "fn main() {}"),
            ],
            &[".cargo/config.toml: [alias]\nxtask = 'run -p xtask --'"],
        ),
        ("go test ./...", &[("go.mod", "module x")], &[]),
        (
            "./gradlew :app:test",
            &[("build.gradle", "b"), ("app/build.gradle.kts", "a"), ("lib/build.gradle", "l")],
            &["app/build.gradle.kts: a", "build.gradle: b"],
        ),
        (
            "mvn -pl core,api verify",
            &[("pom.xml", "p"), ("core/pom.xml", "c"), ("web/pom.xml", "w")],
            &["core/pom.xml: c", "pom.xml: p"],
        ),
        ("bundle exec rake test", &[("Rakefile", "r")], &["Rakefile: r"]),
        ("pre-commit run", &[(".pre-commit-config.yaml", "p")], &[".pre-commit-config.yaml: p"]),
        (
            "./scripts/test.sh",
            &[("scripts/test.sh", "cd sub\npytest -q\n"), ("sub/pytest.ini", "i"), ("pytest.ini", "p")],
            &["pytest.ini: p", "scripts/test.sh: cd sub\npytest -q"],
        ),
        ("cd sub && bash ci.sh", &[("sub/ci.sh", "true"), ("ci.sh", "x")], &["sub/ci.sh: true"]),
        (
            "npm run ci",
            &[("package.json", r#"{"scripts": {"ci": "npm run ci"}}"#)],
            &["package.json: scripts.ci: npm run ci"],
        ),
    ];
    for (command, files, expected) in rows {
        assert_eq!(shown(command, files), *expected, "{command}");
    }
}
