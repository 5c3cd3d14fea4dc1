use super::*;

fn shown(files: &[(&str, &str)]) -> Vec<String> {
    let files: Vec<(String, String)> =
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    let line = |one: Proposal| {
        let known = if one.known { "" } else { " (new)" };
        format!("{}{known} <- {}", one.command, one.from)
    };
    propose(&files).into_iter().map(line).collect()
}

/// The files of a project, and what is proposed.
type Row<'r> = (&'r [(&'r str, &'r str)], &'r [&'r str]);

#[test]
fn each_file_says_what_it_has() {
    let rows: &[Row<'_>] = &[
        (
            &[(
                "package.json",
                r#"{"scripts": {"build": "vite build", "lint": "eslint .", "test": "jest", "pretest": "x", "dev": "vite",
                "smoke": "playwright test smoke", "test:watch": "jest --watch", "start": "jest", "latest": "echo"}}"#,
            )],
            &[
                "npm test <- package.json: scripts.test",
                "npm run lint <- package.json: scripts.lint",
                "npm run smoke (new) <- package.json: scripts.smoke",
                "npm run build <- package.json: scripts.build",
            ],
        ),
        (
            &[("package.json", r#"{"scripts": {"test": "x", "ci": "y"}}"#), ("pnpm-lock.yaml", "")],
            &["pnpm test <- package.json: scripts.test", "pnpm run ci <- package.json: scripts.ci"],
        ),
        (&[("package.json", "{ broken")], &[]),
        (
            &[(
                "Makefile",
                "all: test\ntest: lint\n\tpytest\nlint:\n\truff check\nsmoke:\n\t@pytest -m smoke\nclean:\n\trm -rf x\n%.o: %.c\n\tcc\n",
            )],
            &[
                "make test <- Makefile: test",
                "make lint <- Makefile: lint",
                "make smoke (new) <- Makefile: smoke",
            ],
        ),
        (
            &[(
                "justfile",
                "ci: test\n    cargo clippy\ntest:\n    cargo test\n_hidden:\n    cargo test\nall:\n    cargo nextest run\n",
            )],
            &["just test <- justfile: test", "just ci <- justfile: ci", "just all (new) <- justfile: all"],
        ),
        (
            &[(
                "Taskfile.yml",
                "tasks:\n  test: go test ./...\n  gen: go generate\n  full:\n    cmds: [go vet ./...]\n",
            )],
            &["task test <- Taskfile.yml: tasks.test", "task full (new) <- Taskfile.yml: tasks.full"],
        ),
        (&[("tox.ini", "[tox]"), ("noxfile.py", "import nox")], &["tox <- tox.ini", "nox <- noxfile.py"]),
        (
            &[("pyproject.toml", "[tool.pytest.ini_options]\n"), ("uv.lock", "")],
            &["uv run pytest <- pyproject.toml"],
        ),
        (
            &[("pyproject.toml", "[project]\ndependencies = [\"pytest>=8\"]\n"), ("pytest.ini", "")],
            &["pytest <- pyproject.toml"],
        ),
        (
            &[(
                "pyproject.toml",
                "[tool.poe.tasks]\ntest = \"x\"\nfull = \"pytest -x\"\nrun = \"app\"\n[tool.pdm.scripts]\nlint = \"ruff check\"\n[tool.hatch.envs.default.scripts]\ncheck = \"mypy\"\n[tool.hatch.envs.x.scripts]\ntest = \"y\"\n",
            )],
            &[
                "poe test <- pyproject.toml: tool.poe.tasks.test",
                "hatch run x:test <- pyproject.toml: tool.hatch.envs.x.scripts.test",
                "poe full (new) <- pyproject.toml: tool.poe.tasks.full",
                "pdm run lint <- pyproject.toml: tool.pdm.scripts.lint",
                "hatch run check <- pyproject.toml: tool.hatch.envs.default.scripts.check",
            ],
        ),
        (&[("Cargo.toml", "[workspace]\nmembers = []\n")], &["cargo test --workspace <- Cargo.toml"]),
        (
            &[
                ("Cargo.toml", "[package]\n"),
                (
                    ".cargo/config.toml",
                    "[alias]\nxtask = \"run -p xtask --\"\nlint = \"clippy --all-targets\"\n",
                ),
            ],
            &["cargo test <- Cargo.toml", "cargo lint (new) <- .cargo/config.toml: alias.lint"],
        ),
        (&[("build.gradle.kts", ""), ("gradlew", "")], &["./gradlew test <- build.gradle.kts"]),
        (&[("pom.xml", "")], &["mvn test <- pom.xml"]),
        (&[("go.mod", "module x"), ("mix.exs", "")], &["go test ./... <- go.mod", "mix test <- mix.exs"]),
        (
            &[("composer.json", r#"{"scripts": {"test": ["@lint", "phpunit"], "lint": "phpcs"}}"#)],
            &["composer test <- composer.json: scripts.test", "composer lint <- composer.json: scripts.lint"],
        ),
        (
            &[
                ("Gemfile", "gem 'rspec'"),
                ("Rakefile", "RSpec::Core::RakeTask.new(:spec)\ntask :lint do\ntask default: :spec\n"),
            ],
            &["bundle exec rspec <- Gemfile", "rake spec <- Rakefile: spec", "rake lint <- Rakefile: lint"],
        ),
        (
            &[
                ("scripts/test.sh", ""),
                ("scripts/runtests.sh", ""),
                ("scripts/setup-test.sh", ""),
                ("scripts/deploy.sh", ""),
                ("src/test.sh", ""),
                ("check.sh", ""),
                ("bin/ci", ""),
            ],
            &[
                "./scripts/test.sh <- scripts/test.sh",
                "./scripts/runtests.sh (new) <- scripts/runtests.sh",
                "./check.sh <- check.sh",
                "./bin/ci <- bin/ci",
            ],
        ),
        (&[("README.md", "make test"), ("LICENSE", "")], &[]),
    ];
    for (files, expected) in rows {
        assert_eq!(shown(files), *expected, "{files:?}");
    }
}

#[test]
fn ci_files_say_what_is_run() {
    let workflow = "on: push\njobs:\n  a:\n    steps:\n      - uses: actions/checkout@v4\n      - run: cargo test --locked\n      - run: |\n          echo hi\n          ./dev/runtests.sh fast && npm ci\n          cargo test -p ${{ matrix.crate }}\n      - run: pytest\n        working-directory: web\n      - run: cd web && npm test\n";
    let gitlab = "test:\n  stage: test\n  script:\n    - bundle install\n    - bundle exec rspec\n";
    let circle = "jobs:\n  a:\n    steps:\n      - checkout\n      - run: make lint\n      - run:\n          name: tests\n          command: go test ./...\n";
    let anchored = "x: &a\n  run: make test\njobs:\n  b: *a\n";
    let rows: &[Row<'_>] = &[
        (
            &[(".github/workflows/ci.yml", workflow)],
            &[
                "cargo test --locked <- .github/workflows/ci.yml: run",
                "./dev/runtests.sh fast (new) <- .github/workflows/ci.yml: run",
            ],
        ),
        (
            &[
                ("Cargo.toml", "[package]"),
                (".github/workflows/ci.yml", "jobs:\n  a:\n    steps:\n      - run: cargo test --locked\n"),
            ],
            &["cargo test <- Cargo.toml"],
        ),
        (&[(".gitlab-ci.yml", gitlab)], &["bundle exec rspec <- .gitlab-ci.yml: script"]),
        (
            &[(".circleci/config.yml", circle)],
            &["go test ./... <- .circleci/config.yml: command", "make lint <- .circleci/config.yml: run"],
        ),
        (&[(".github/workflows/x.yml", anchored)], &["make test <- .github/workflows/x.yml: run"]),
    ];
    for (files, expected) in rows {
        assert_eq!(shown(files), *expected, "{files:?}");
    }
}

#[test]
fn not_more_than_a_person_reads() {
    let scripts: Vec<String> = (0..30).map(|n| format!("\"test:{n}\": \"x\"")).collect();
    let text = format!("{{\"scripts\": {{\"build\": \"x\", {}}}}}", scripts.join(","));
    let all = shown(&[("package.json", &text)]);
    assert_eq!((all.len(), all[0].as_str()), (12, "npm run test:0 <- package.json: scripts.test:0"));
}
