//! The checks that are known: programs with their subcommands, and runners of tasks.
//!
//! A line of [`COMMANDS`] is a program, the words behind it and the options that must be given. `|` parts spellings of one word; the first
//! is the name. Options may stand between the words. To add a check, add a line.

/// Programs that check something. A line that begins with another one stands before it.
pub(super) const COMMANDS: &[&str] = &[
    // Rust.
    "cargo test|t",
    "cargo nextest run|r",
    "cargo build|b",
    "cargo check|c",
    "cargo clippy",
    "cargo fmt --check",
    "cargo deny check",
    "cargo audit",
    "cargo hack test|t",
    "cargo hack check|c",
    "cargo hack build|b",
    "cargo hack clippy",
    "cargo miri test|t",
    "cargo miri nextest run",
    "cargo careful test",
    "cargo llvm-cov",
    "cargo tarpaulin",
    "cargo insta test",
    "cargo semver-checks",
    "cargo udeps",
    "cargo machete",
    "cargo msrv verify",
    "rustfmt --check",
    "trunk check",
    "typos",
    // JavaScript.
    "jest",
    "vitest",
    "mocha",
    "ava",
    "jasmine",
    "tap",
    "karma start --single-run",
    "playwright test",
    "cypress run",
    "wdio run",
    "node --test",
    "tsx --test",
    "bun test",
    "deno test",
    "deno check",
    "deno lint",
    "deno fmt --check",
    "tsc",
    "vue-tsc",
    "tsd",
    "svelte-check",
    "astro check",
    "eslint",
    "prettier --check|-c|--list-different|-l",
    "biome check",
    "biome ci",
    "biome lint",
    "oxlint",
    "stylelint",
    "xo",
    "standard",
    "knip",
    "next build",
    "next lint",
    "vite build",
    "ng test",
    "ng lint",
    "ng build",
    // Python.
    "pytest",
    "unittest",
    "nose2",
    "nosetests",
    "behave",
    "robot",
    "tox",
    "nox",
    "hatch test",
    "manage.py test",
    "manage.py check",
    "setup.py test",
    "ruff check",
    "ruff format --check",
    "black --check",
    "isort --check|--check-only|-c",
    "flake8",
    "pylint",
    "mypy",
    "dmypy run",
    "pyright",
    "basedpyright",
    "ty check",
    "bandit",
    "pyflakes",
    "lint-imports",
    "codespell",
    "pre-commit run",
    "prek run",
    // Go.
    "go test",
    "go build",
    "go vet",
    "gotestsum",
    "ginkgo",
    "golangci-lint run",
    "staticcheck",
    "revive",
    "govulncheck",
    // Builds of many languages.
    "ctest",
    "cmake --build",
    "ninja",
    "meson test",
    "meson compile",
    "bazel test",
    "bazel build",
    "bazel coverage",
    "buck2 test",
    "buck2 build",
    "pants test",
    "pants lint",
    "pants check",
    // .NET, Swift, Dart.
    "dotnet test",
    "dotnet build",
    "dotnet format --verify-no-changes",
    "swift test",
    "swift build",
    "xcodebuild test",
    "xcodebuild build",
    "swiftlint",
    "dart test",
    "dart analyze",
    "flutter test",
    "flutter analyze",
    "flutter build",
    // Functional languages.
    "mix test",
    "mix compile",
    "mix credo",
    "mix dialyzer",
    "mix format --check-formatted",
    "rebar3 eunit",
    "rebar3 ct",
    "rebar3 dialyzer",
    "rebar3 compile",
    "stack test",
    "stack build",
    "cabal test",
    "cabal build",
    "hlint",
    "lein test",
    // Other compiled languages.
    "zig build test",
    "zig build",
    "zig test",
    "nim check",
    "nimble test",
    "crystal spec",
    "crystal build",
    "ameba",
    "forge test",
    "forge build",
    // Ruby, PHP, Lua, Perl.
    "rspec",
    "cucumber",
    "rubocop",
    "standardrb",
    "brakeman",
    "phpunit",
    "pest",
    "artisan test",
    "phpstan analyse|analyze",
    "psalm",
    "phpcs",
    "pint --test",
    "busted",
    "luacheck",
    "stylua --check",
    "prove",
    // Shell, prose, configuration.
    "shellcheck",
    "shfmt -d",
    "bats",
    "hadolint",
    "actionlint",
    "yamllint",
    "ansible-lint",
    "terraform validate",
    "terraform fmt -check",
    "tofu validate",
    "tflint",
    "helm lint",
    "kubeconform",
    "markdownlint",
    "markdownlint-cli2",
    "vale",
    "cspell",
    "sqlfluff lint",
    "buf lint",
    "buf build",
    "taplo lint|check",
    "taplo fmt --check",
    "nix flake check",
];

/// What begins like a check and only prints, or takes something away.
pub(super) const IDLE: &[&str] =
    &["cargo llvm-cov report", "cargo llvm-cov clean", "cargo llvm-cov show-env", "cargo tarpaulin clean"];

/// A program that runs what a project calls a task.
#[derive(Debug, Clone, Copy)]
pub(super) struct Runner {
    pub(super) programs: &'static [&'static str],
    /// The words behind which the tasks stand; nothing: they follow at once.
    pub(super) behind: &'static [&'static str],
    /// What follows a task is handed to it, and no other task.
    pub(super) hands_on: bool,
    /// Tasks besides those that a word tells.
    pub(super) phases: &'static [&'static str],
    /// What parts the words of a task's name besides `:`, `-` and `_`.
    pub(super) joins: Joins,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joins {
    Usual,
    /// `testDebugUnitTest`, `core/test`.
    Capitals,
}

const RUNNER: Runner =
    Runner { programs: &[], behind: &[], hands_on: false, phases: &[], joins: Joins::Usual };

/// The same, for a runner that hands words on.
const HANDING: Runner = Runner { hands_on: true, ..RUNNER };

pub(super) const RUNNERS: &[Runner] = &[
    Runner {
        programs: &[
            "make", "gmake", "rake", "invoke", "inv", "ant", "grunt", "gulp", "scons", "nx", "turbo", "moon",
            "lerna",
        ],
        ..RUNNER
    },
    Runner { programs: &["gradle", "sbt"], joins: Joins::Capitals, ..RUNNER },
    Runner { programs: &["mvn"], phases: &["test", "verify", "package", "install", "compile"], ..RUNNER },
    Runner { programs: &["just", "task", "composer", "rails", "poe"], ..HANDING },
    Runner { programs: &["cargo"], behind: &["xtask"], ..HANDING },
    Runner { programs: &["cargo"], behind: &["make"], ..HANDING },
    Runner { programs: &["deno"], behind: &["task"], ..HANDING },
    Runner {
        programs: &["mise", "hatch", "pdm", "pixi", "rye", "pipenv", "melos", "devbox"],
        behind: &["run"],
        ..HANDING
    },
];

/// Programs that run the scripts of a `package.json`.
pub(super) const PACKAGERS: &[&str] = &["npm", "pnpm", "yarn", "bun"];

/// Programs that run another program, with the word behind which that stands; nothing: it follows at once.
pub(super) const PREFIXES: &[(&str, &str)] = &[
    ("uv", "run"),
    ("uvx", ""),
    ("pipx", "run"),
    ("poetry", "run"),
    ("pipenv", "run"),
    ("pdm", "run"),
    ("hatch", "run"),
    ("rye", "run"),
    ("pixi", "run"),
    ("npx", ""),
    ("pnpx", ""),
    ("bunx", ""),
    ("corepack", ""),
    ("npm", "exec"),
    ("npm", "x"),
    ("pnpm", "exec"),
    ("pnpm", "dlx"),
    ("yarn", "exec"),
    ("yarn", "dlx"),
    ("bun", "x"),
    ("bundle", "exec"),
    ("composer", "exec"),
    ("mise", "exec"),
    ("mise", "x"),
    ("c8", ""),
    ("nyc", ""),
    ("cross-env", ""),
    ("coverage", "run"),
    ("python", ""),
    ("php", ""),
];

/// Programs that run a script of the project.
pub(super) const INTERPRETERS: &[&str] =
    &["bash", "sh", "zsh", "dash", "node", "ruby", "perl", "elixir", "tsx", "ts-node", "Rscript"];

/// Programs that run a command in a container of a compose file.
pub(super) const CONTAINERS: &[&str] = &["docker", "podman", "docker-compose", "podman-compose"];

/// The first words of the table, without folders: the programs that a recorder has to wrap.
pub fn programs() -> impl Iterator<Item = &'static str> {
    let of_commands = COMMANDS.iter().filter_map(|line| line.split(' ').next());
    let of_runners = RUNNERS.iter().flat_map(|runner| runner.programs.iter().copied());
    let of_prefixes = PREFIXES.iter().map(|(program, _)| *program);
    let all: std::collections::BTreeSet<&str> = of_commands
        .chain(of_runners)
        .chain(of_prefixes)
        .chain(PACKAGERS.iter().chain(CONTAINERS).copied())
        .chain(["python3"])
        // Files of a project, and modules that only python runs.
        .filter(|name| !name.contains('.') && !matches!(*name, "unittest" | "artisan"))
        .collect();
    all.into_iter()
}
