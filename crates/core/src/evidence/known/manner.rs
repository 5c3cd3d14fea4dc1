//! How the options of a program are read: which of them narrow what is looked at, which widen it, and which do neither.
//!
//! A row names options in one text each, with blanks between. `-k=` takes a value, glued on or as the next word; `-j#` takes the next word
//! if that is a number; all others are flags. An option that no row names may do anything.

use engine_shell::Word;

/// One row: programs that read their options in the same way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    programs: &'static [&'static str],
    /// Output, order and parallelism: the same is looked at.
    plain: &'static str,
    narrows: &'static str,
    /// More is looked at, or more strictly.
    widens: &'static str,
    /// Parts of the whole that are named together: `--lib --bins`.
    parts: &'static str,
    /// Takes a value, and may do anything.
    either: &'static str,
    /// Nothing is looked at, or it never ends.
    idle: &'static str,
    /// The value is the folder to work in.
    folder: &'static str,
    /// The value is a file in the folder to work in.
    file: &'static str,
    /// The value names tasks.
    tasks: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sense {
    Plain,
    Narrows,
    Widens,
    Part,
    Either,
    Idle,
    Folder,
    File,
    Tasks,
}

/// One or more words of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Item {
    Option {
        name: String,
        value: Option<Word>,
        /// Nothing if no row names it.
        sense: Option<Sense>,
    },
    Operand {
        word: Word,
        /// Its place among the arguments.
        at: usize,
    },
}

/// For the arguments of a script, of which nothing is known.
pub(super) const SCRIPT: &str = "a script";

/// The words of a command. `stop`: the first operand ends the options, as with a wrapper.
pub(super) fn read(program: &str, args: &[Word], stop: bool) -> Vec<Item> {
    let row = TABLE.iter().find(|row| row.programs.contains(&program)).unwrap_or(&COMMON);
    let mut items = Vec::new();
    let mut at = 0;
    while let Some(word) = args.get(at) {
        let text = word.text.as_str();
        at += 1;
        let known = row.sense(text).is_some();
        let is_toolchain = program == "cargo" && text.starts_with('+');
        let is_option = text.len() > 1 && (text.starts_with('-') || is_toolchain) && !word.unknown;
        if text == "--" {
            continue;
        }
        if !is_option && !known {
            items.push(Item::Operand { word: word.clone(), at: at - 1 });
            if stop {
                break;
            }
            continue;
        }
        let (name, glued) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let option = |name: &str, value: Option<Word>, sense: Option<Sense>| Item::Option {
            name: name.to_owned(),
            value,
            sense,
        };
        let of_word = |value: &str| Word { text: value.to_owned(), ..word.clone() };
        if let Some((sense, takes)) = row.sense(name) {
            let value = match glued {
                Some(value) => Some(of_word(value)),
                None => take(takes, args, &mut at),
            };
            items.push(option(name, value, Some(sense)));
        } else if let Some(letters) = row.cluster(name).filter(|_| glued.is_none()) {
            for (letter, sense, takes, rest) in letters {
                let value = match rest {
                    Some(rest) => Some(of_word(&rest)),
                    None => take(takes, args, &mut at),
                };
                items.push(option(&letter, value, Some(sense)));
            }
        } else {
            items.push(option(name, glued.map(of_word), None));
        }
    }
    items
}

/// Whether an option takes the next word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    Nothing,
    Value,
    Number,
}

fn take(takes: Takes, args: &[Word], at: &mut usize) -> Option<Word> {
    let is_number =
        |word: &&Word| word.text == "auto" || word.text.chars().all(|c| c.is_ascii_digit() || c == '%');
    let next = match takes {
        Takes::Nothing => None,
        Takes::Value => args.get(*at),
        Takes::Number => args.get(*at).filter(is_number),
    };
    *at += usize::from(next.is_some());
    next.cloned()
}

/// A letter of a cluster, with what is glued to it.
type Letter = (String, Sense, Takes, Option<String>);

impl Manner {
    fn sense(&self, name: &str) -> Option<(Sense, Takes)> {
        self.own_sense(name).or_else(|| COMMON.own_sense(name))
    }

    fn own_sense(&self, name: &str) -> Option<(Sense, Takes)> {
        let lists = [
            (self.idle, Sense::Idle),
            (self.plain, Sense::Plain),
            (self.narrows, Sense::Narrows),
            (self.widens, Sense::Widens),
            (self.parts, Sense::Part),
            (self.either, Sense::Either),
            (self.folder, Sense::Folder),
            (self.file, Sense::File),
            (self.tasks, Sense::Tasks),
        ];
        lists.into_iter().find_map(|(list, sense)| {
            list.split_whitespace().find_map(|option| {
                let takes = match option.as_bytes().last() {
                    Some(b'=') => Takes::Value,
                    Some(b'#') => Takes::Number,
                    _ => Takes::Nothing,
                };
                (option.trim_end_matches(['=', '#']) == name).then_some((sense, takes))
            })
        })
    }

    /// `-xvs` as its letters, if all are known; the first that takes a value takes the rest.
    fn cluster(&self, text: &str) -> Option<Vec<Letter>> {
        let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
        let mut found = Vec::new();
        for (at, letter) in letters.char_indices() {
            let name = format!("-{letter}");
            let (sense, takes) = self.sense(&name)?;
            let rest = &letters[at + letter.len_utf8()..];
            let is_number = rest.chars().all(|c| c.is_ascii_digit());
            let takes_rest = takes == Takes::Value || (takes == Takes::Number && is_number);
            if takes_rest {
                found.push((name, sense, takes, Some(rest.to_owned()).filter(|rest| !rest.is_empty())));
                return Some(found);
            }
            found.push((name, sense, Takes::Nothing, None));
        }
        Some(found)
    }
}

const ROW: Manner = Manner {
    programs: &[],
    plain: "",
    narrows: "",
    widens: "",
    parts: "",
    either: "",
    idle: "",
    folder: "",
    file: "",
    tasks: "",
};

/// What is so in nearly every program; a program's own row goes before.
const COMMON: Manner = Manner {
    plain: "-q -v -vv -vvv --quiet --verbose --silent --color --colors --no-color --no-colors --colour --ci --offline --locked --frozen --release \
            --progress --no-progress --no-fail-fast --fail-fast --failfast --keep-going --bail --timings --no-cache --jobs# --fix --format= \
            --reporter= --output-format= --cache --stats --show-source --pretty --no-install",
    widens: "--strict --max-warnings= --deny-warnings --warnings-as-errors --Werror -Werror",
    idle: "-h --help --version -V --no-run --list --listTests --list-tests --list-all --collect-only --co --dry-run --just-print \
           --show-only -list --print-config --showConfig --init --watch --watchAll --continuous",
    ..ROW
};

/// Every row.
const TABLE: &[Manner] = &[
    Manner {
        programs: &["cargo"],
        plain: "-j# --color= --message-format= -Z= --target-dir= --profile= --future-incompat-report --nocapture --no-capture \
                --show-output --test-threads= --report-time --keep-going --no-deps --status-level= --final-status-level= \
                --failure-output= --success-output= --retries= --unit-graph --check --allow-dirty --allow-staged --html --open \
                --lcov --output-path= --cargo-quiet --cargo-verbose -r --hide-inclusion-graph",
        narrows: "-p= --package= --exclude= --skip= --ignored --exact -E= --filter-expr= --partition= --run-ignored=",
        widens: "--workspace --all --all-features --all-targets --include-ignored -D= --deny= --feature-powerset --each-feature",
        parts: "--lib --bins --bin= --tests --test= --examples --example= --benches --bench= --doc",
        either: "--no-tests= --features= -F= --config= --target= -A= --allow= -W= --warn= --ignore-rust-version --no-default-features",
        folder: "-C=",
        file: "--manifest-path=",
        ..ROW
    },
    Manner {
        programs: &["pytest"],
        plain: "-s -x -l -n= --numprocesses= --tb= --durations= --durations-min= --maxfail= --exitfirst --showlocals --no-header --no-summary \
                --cov --cov-report= --no-cov --junitxml= --junit-xml= --ff --failed-first --nf --new-first --capture= --log-level= \
                --log-cli-level= --log-cli --dist= --cache-clear --timeout= --disable-warnings --disable-pytest-warnings --color= -r= -ra \
                -rA -rf -rs -rx -rP --full-trace --show-capture= --basetemp= --no-cov-on-fail --reruns= --strict-config --html= --verbosity=",
        narrows: "-k= -m= --ignore= --ignore-glob= --deselect= --lf --last-failed --sw --stepwise --testmon --picked",
        widens: "-W= --strict-markers --cov-fail-under= --doctest-modules",
        either: "-c= -o= --override-ini= -p= --rootdir= --confcutdir= --import-mode= --pyargs",
        idle: "--fixtures --markers --setup-plan --setup-only --cache-show --collectonly",
        ..ROW
    },
    Manner {
        programs: &["unittest"],
        plain: "discover -b --buffer -f --locals --catch -c",
        narrows: "-k= -s= --start-directory= -p= --pattern= -t= --top-level-directory=",
        ..ROW
    },
    Manner {
        programs: &["manage.py", "setup.py"],
        plain: "--noinput --no-input --keepdb --parallel# --traceback --verbosity= -v# --timing --settings-quiet",
        narrows: "-k= --tag= --exclude-tag= -p= --pattern=",
        widens: "--deploy --fail-level=",
        either: "--settings= --pythonpath=",
        ..ROW
    },
    Manner {
        programs: &["tox", "nox"],
        plain: "-p# -o --parallel# -r --recreate --reuse-existing-virtualenvs -R --skip-missing-interpreters run run-parallel",
        narrows: "-e= -s= --session= --sessions= -k= --keywords= -t= --tags= -m= -f=",
        either: "-c= --conf= -x= --override= -P=",
        idle: "-l -a --listenvs --listenvs-all --notest list config --sdistonly",
        file: "--noxfile=",
        folder: "--root=",
        ..ROW
    },
    Manner {
        programs: &["jest", "vitest", "mocha", "ava", "playwright", "cypress", "jasmine", SCRIPT],
        plain: "-s -i -b --runInBand --maxWorkers= --reporter= --reporters= --coverage --coverage.enabled --no-coverage --forceExit --detectOpenHandles \
                --colors -w# --workers= --parallel --run run --clearCache --logHeapUsage --exit --tb= --nocapture --no-watch --headless \
                --trace= --retries= --testTimeout= --timeout= -j# --jobs= --recursive -x --silent --json --outputFile= --no-file-parallelism",
        narrows: "-t= --testNamePattern= --test-name-pattern= --testPathPattern= --testPathPatterns= --testPathIgnorePatterns= -g= --grep= \
                  -f= --fgrep= --filter= -k= -m= --only= --spec= --group= --tag= --tags= --suite= --testsuite= --shard= --changed \
                  --changedSince= --onlyChanged --onlyFailures --last-failed --lf --project= --selectProjects= --exclude= --dir= \
                  --tests= -run= --skip= -p= --package= --scope= --match=",
        either: "-c= --config= --env= --environment= --passWithNoTests --pass-with-no-tests -u --update --updateSnapshot --update-snapshots",
        idle: "list --ui --listTests watch",
        folder: "--rootDir= --root=",
        ..ROW
    },
    Manner {
        programs: &["node"],
        plain: "--test-reporter= --test-reporter-destination= --no-warnings --enable-source-maps --experimental-test-coverage --test-concurrency=",
        narrows: "--test-name-pattern= --test-skip-pattern= --test-only --test-shard=",
        either: "-r= --require= --import= --loader= --experimental-loader= --env-file=",
        ..ROW
    },
    Manner {
        programs: &["tsc", "vue-tsc"],
        plain: "--noEmit --skipLibCheck --extendedDiagnostics --incremental --preserveWatchOutput --outDir=",
        widens: "-b --build --strict",
        either: "-p= --project= --noCheck",
        idle: "-w -v --all",
        ..ROW
    },
    Manner {
        programs: &["eslint", "prettier", "stylelint", "biome", "oxlint", "xo"],
        plain: "-f= --cache-location= --cache-strategy= --no-error-on-unmatched-pattern --write --log-level= --loglevel= -u --fix-dry-run",
        narrows: "--ext= --ignore-pattern= --ignore-path= --staged --changed --since= --only= --skip= --diagnostic-level=",
        widens: "--max-warnings= --report-unused-disable-directives --error-on-warnings",
        either: "--rule= --no-ignore -c= --config= --config-path= --resolve-plugins-relative-to= -o= --no-eslintrc --quiet",
        idle: "--env-info",
        ..ROW
    },
    Manner {
        programs: &[
            "ruff",
            "black",
            "isort",
            "flake8",
            "pylint",
            "mypy",
            "pyright",
            "basedpyright",
            "ty",
            "bandit",
        ],
        plain: "--diff --output-format= -j# --show-fixes --unsafe-fixes --statistics --no-error-summary --pretty --show-error-codes \
                --show-column-numbers --install-types --non-interactive --incremental --no-incremental --cache-dir= --check -r",
        narrows: "--select= --ignore= --extend-ignore= --exclude= --extend-exclude= --include= --disable= --enable= --per-file-ignores= \
                  --exit-zero -m= -p= --package= --module= --skip= --skip-glob= --level=",
        widens: "--strict --extend-select= --warn-unused-ignores --warnings --preview",
        either: "--config= --config-file= -c= --rcfile= --line-length= -l= --target-version= --profile= --python-version= --settings-path=",
        idle: "--show-settings --show-files --verifytypes",
        ..ROW
    },
    Manner {
        programs: &["go", "gotestsum", "ginkgo"],
        plain: "-race -cover -count= -p= -parallel= -cpu= -timeout= -coverprofile= -covermode= -json -failfast -shuffle= -trimpath -x -o= \
                -benchtime= -benchmem --format= --junitfile= -ldflags= --rerun-fails",
        narrows: "-run= -skip= -short -bench= --focus= --label-filter=",
        widens: "./... ... all -coverpkg=",
        either: "-tags= -mod= -vet= -exec= -args",
        idle: "-n -c",
        folder: "-C=",
        ..ROW
    },
    Manner {
        programs: &["golangci-lint", "staticcheck", "revive", "govulncheck"],
        plain: "--timeout= --out-format= --concurrency= -j# --allow-parallel-runners --max-issues-per-linter= --max-same-issues= -f=",
        narrows: "--new --new-from-rev= --new-from-merge-base= -n -D= --disable= --enable-only= --fast --exclude= --skip-dirs= -checks=",
        widens: "./... ... -E= --enable= --enable-all",
        either: "-c= --config= --no-config --issues-exit-code= --build-tags=",
        ..ROW
    },
    Manner {
        programs: &["make", "gmake"],
        plain: "-s -k -B -w -j# -O --output-sync -l# --load-average --no-print-directory --always-make -S --trace -R -r",
        either: "-o= -W=",
        // A file of the command's choice says what is done: such a check is the person's to name.
        idle: "-n -p -q -t --question --touch --recon --print-data-base -f= --file= --makefile= -I= --include-dir= -E= --eval=",
        folder: "-C= --directory=",
        ..ROW
    },
    Manner {
        programs: &["just"],
        plain: "--no-dotenv --yes --highlight --no-highlight --unstable",
        either: "--set= --dotenv-path= --dotenv-filename= --shell= -i --ignore",
        idle: "-n -l --show -s --summary --evaluate --choose --fmt --dump -e --edit --variables --groups",
        folder: "-d= --working-directory=",
        file: "-f= --justfile=",
        ..ROW
    },
    Manner {
        programs: &["task"],
        plain: "-p --parallel -s -f --force -y --yes -o= --output= -C# --concurrency#",
        idle: "-n --dry -l -a --summary --status -w -j --json",
        folder: "-d= --dir=",
        file: "-t= --taskfile=",
        ..ROW
    },
    Manner {
        programs: &["gradle"],
        plain: "--continue --stacktrace --full-stacktrace --info --debug --warn --scan --no-scan --no-daemon --daemon --parallel --no-parallel \
                --build-cache --no-build-cache --rerun-tasks --rerun --console= -i -s -S -d -w --max-workers= --warning-mode= \
                --configuration-cache --no-configuration-cache --profile -g= --gradle-user-home= --refresh-dependencies",
        narrows: "-x= --exclude-task= --tests= -a --no-rebuild",
        either: "-b= --build-file= -c= --settings-file= -I= --init-script= --include-build=",
        idle: "-m -t tasks",
        folder: "-p= --project-dir=",
        ..ROW
    },
    Manner {
        programs: &["mvn"],
        plain: "-B -e -X -U -o -ntp -nsu -V -T= --threads= --batch-mode --errors --no-transfer-progress -fae -ff -s= --settings= \
                --update-snapshots --show-version -Dstyle.color",
        narrows: "-pl= --projects= -rf= --resume-from= -Dtest -Dit.test -DskipTests -DskipITs -Dmaven.test.skip -N --non-recursive -Dgroups \
                  -DexcludedGroups",
        widens: "-am --also-make -amd --also-make-dependents",
        either: "-P= --activate-profiles= -fn --fail-never -gs= -D=",
        file: "-f= --file=",
        ..ROW
    },
    Manner {
        programs: &["npm"],
        plain: "-s -d --loglevel= --foreground-scripts",
        narrows: "-w= --workspace=",
        either: "--ignore-scripts --if-present --script-shell=",
        folder: "--prefix= -C=",
        ..ROW
    },
    Manner {
        programs: &["pnpm"],
        plain: "-s --stream --parallel --aggregate-output --workspace-concurrency= --loglevel= --sort --no-sort",
        narrows: "-F= --filter= --filter-prod=",
        folder: "-C= --dir=",
        ..ROW
    },
    Manner {
        programs: &["yarn"],
        plain: "-s -p -i -j= -t --parallel --interlaced --topological --non-interactive",
        narrows: "--include= --exclude= --since",
        folder: "--cwd=",
        ..ROW
    },
    Manner {
        programs: &["bun", "deno"],
        plain: "--timeout= --coverage --rerun-each= --preload= -A --allow-all --allow-read --allow-net --allow-env --allow-run --allow-write \
                --parallel --bun --reload",
        narrows: "-t= --test-name-pattern= --filter= --only --ignore=",
        either: "-c= --config= --env-file= -e= --import-map= --no-check",
        folder: "--cwd=",
        ..ROW
    },
    Manner {
        programs: &["nx", "turbo", "lerna", "moon"],
        plain: "--parallel# --skip-nx-cache --skipNxCache --force --concurrency= --output-logs= --output-style= --outputStyle= \
                --nxBail --log-order= --stream --no-daemon --ui= --log= --continue --tui --no-tui run run-many --all",
        narrows: "-F= --filter= --affected affected --scope= --ignore= --since= --exclude= -p= --projects= --base= --head= --files= \
                  --uncommitted --untracked --testFile= --query=",
        either: "-c= --configuration= --env-mode=",
        idle: "--dry --graph watch ls list show",
        folder: "--cwd=",
        tasks: "-t= --target= --targets=",
        ..ROW
    },
    Manner {
        programs: &["composer"],
        plain: "-n --no-interaction --ansi --no-ansi --timeout= run run-script",
        either: "--no-dev --dev",
        idle: "-l",
        folder: "-d= --working-dir=",
        ..ROW
    },
    Manner {
        programs: &["rails"],
        plain: "-b -d -f --backtrace --defer-output -s= --seed= -c",
        narrows: "-n= --name= --exclude=",
        either: "-e= --environment=",
        ..ROW
    },
    Manner {
        programs: &["rake"],
        plain: "-t --trace -m --multitask --backtrace",
        either: "-f= --rakefile= -r= -I= -R=",
        idle: "-n -T -D -P -W --tasks --prereqs --where",
        ..ROW
    },
    Manner {
        programs: &["rspec", "cucumber", "minitest"],
        plain: "-f= --order= --seed= -c -b --backtrace -p --profile --no-profile -w --warnings --out= -o= --force-color",
        narrows: "-e= --example= -t= --tag= -E= --example-matches= -P= --pattern= --exclude-pattern= --only-failures -n --next-failure",
        either: "-r= --require= -I= -O= --options=",
        ..ROW
    },
    Manner {
        programs: &["phpunit", "pest", "artisan", "phpstan", "psalm"],
        plain: "--testdox --stop-on-failure --stop-on-error --parallel -p --processes= --coverage --coverage-text --coverage-html= --compact \
                --memory-limit= --no-interaction --log-junit= --order-by= --ansi --no-ansi --error-format= --threads= --profile",
        narrows: "--filter= --testsuite= --group= --exclude-group= --dirty --retry --todos --bail",
        widens: "--fail-on-warning --fail-on-risky -l= --level= --min=",
        either: "-c= --configuration= --bootstrap= -d= --no-configuration --env=",
        idle: "--list-suites --list-groups --generate-baseline",
        ..ROW
    },
    Manner {
        programs: &["ctest"],
        plain: "-V -VV --output-on-failure -j# --parallel# --timeout= --rerun-failed-output --progress --stop-on-failure --schedule-random",
        narrows: "-R= --tests-regex= -E= --exclude-regex= -L= --label-regex= -LE= -I= --rerun-failed",
        either: "-C= --build-config= -S= --preset= -D=",
        idle: "-N",
        folder: "--test-dir=",
        ..ROW
    },
    Manner {
        programs: &["cmake", "ninja"],
        plain: "-j# --parallel# --config= --clean-first -k=",
        narrows: "--target=",
        either: "--build= --preset= -f=",
        idle: "-n -t= clean install",
        folder: "-C=",
        ..ROW
    },
    Manner {
        programs: &["meson"],
        plain: "-j# --num-processes= --print-errorlogs -t= --timeout-multiplier= --logbase= --repeat=",
        narrows: "--suite= --no-suite=",
        either: "--wrapper= --wrap= --setup= --test-args=",
        folder: "-C=",
        ..ROW
    },
    Manner {
        programs: &["bazel", "bazelisk", "buck2", "pants"],
        plain: "--test_output= --keep_going -k --jobs= --verbose_failures --noshow_progress --cache_test_results= -j= //... :: --local_cpu_resources=",
        narrows: "--test_filter= --test_tag_filters= --build_tag_filters= --changed-since=",
        ..ROW
    },
    Manner {
        programs: &["dotnet"],
        plain: "-c= --configuration= --no-restore --nologo -v= --verbosity= -l= --logger= --collect= --results-directory= --blame -m",
        narrows: "--filter= -f= --framework=",
        either: "--no-build -p= -s= --settings= -r= --runtime= --test-adapter-path=",
        idle: "-t",
        ..ROW
    },
    Manner {
        programs: &["swift", "xcodebuild"],
        plain: "--parallel -c= --configuration= -configuration= -derivedDataPath= -quiet -parallel-testing-enabled= -resultBundlePath= -j= \
                --num-workers= --enable-code-coverage",
        narrows: "--filter= --skip= --target= --product= -only-testing -skip-testing",
        either: "-scheme= -project= -workspace= -destination= -sdk= -testPlan= -target= -arch=",
        idle: "-showsdks -showBuildSettings list",
        folder: "--package-path= -C=",
        ..ROW
    },
    Manner {
        programs: &["mix", "rebar3"],
        plain: "--trace --cover --max-failures= --seed= --slowest= --max-cases= --color --force",
        narrows: "--only= --exclude= --include= --stale --failed --partitions= --suite= --case= --module= --dir=",
        widens: "--strict --warnings-as-errors",
        ..ROW
    },
    Manner {
        programs: &["dart", "flutter"],
        plain: "-r= --reporter= -j= --concurrency= --coverage --no-pub --chain-stack-traces --machine",
        narrows: "-n= --name= -N= --plain-name= -t= --tags= -x= --exclude-tags= -p= --platform= --total-shards= --shard-index=",
        widens: "--fatal-infos --fatal-warnings",
        ..ROW
    },
    Manner {
        programs: &["stack", "cabal", "sbt", "zig", "lein", "nim", "crystal"],
        plain: "-j# --fast --no-run-benchmarks --test-show-details= --summary= -Doptimize --error-trace --no-colors --batch -batch",
        narrows: "--ta= --test-arguments= --test-options= --test-filter= -Dtest-filter",
        either: "--stack-yaml= --flag= -D=",
        file: "--build-file=",
        ..ROW
    },
    Manner {
        programs: &["pre-commit", "prek"],
        plain: "--show-diff-on-failure",
        narrows: "--files= --from-ref= --to-ref= -s= -o= --hook-stage=",
        widens: "-a --all-files",
        either: "-c= --config=",
        ..ROW
    },
    Manner {
        programs: &["terraform", "tofu", "helm"],
        plain: "-json -recursive -no-color",
        widens: "--with-subcharts",
        either: "-f= --values= --set= -var= -var-file=",
        folder: "-chdir=",
        ..ROW
    },
    // Programs that stand in front of others.
    Manner { programs: &["python"], plain: "-m -u -B -b -s -S -I", widens: "-W=", either: "-X= -c=", ..ROW },
    Manner {
        programs: &["coverage"],
        plain: "-m -a --append -p --parallel-mode --branch --source= --omit= --include= --rcfile= --context= --data-file= --timid",
        ..ROW
    },
    Manner {
        programs: &["uv", "uvx", "poetry", "pipenv", "pdm", "hatch", "rye", "pixi", "pipx"],
        plain: "--with= --extra= --group= --env-file= --all-extras --all-groups --no-sync --frozen --isolated --dev --no-dev --exact --active \
                --no-interaction -n --index= --from= --spec= -s -m --module --project= --with-editable= --with-requirements=",
        either: "--python= -p= -e= --env= --environment= --package=",
        folder: "--directory= -C= --manifest-path=",
        ..ROW
    },
    Manner {
        programs: &["npx", "pnpx", "bunx", "corepack"],
        plain: "-y --yes --no -p= --package= --prefer-offline --ignore-existing --bun",
        either: "-c= --call=",
        narrows: "-w= --workspace=",
        folder: "--prefix=",
        ..ROW
    },
    Manner {
        programs: &["c8", "nyc"],
        plain: "--all --check-coverage -r= --exclude= --include= -x= -n= --reporter= --src= --clean --branches= --lines= --functions= -o=",
        ..ROW
    },
    Manner {
        programs: &["docker", "docker-compose", "podman", "podman-compose"],
        plain: "--rm -T -i -t -it -ti --no-deps --no-TTY --interactive --tty --quiet-pull --build --remove-orphans --name= -p= \
                --project-name= --ansi= --use-aliases --service-ports --progress= --index=",
        either: "-e= --env= -u= --user= -w= --workdir= -v= --volume= --entrypoint= --env-file= --profile= -l= --label= --privileged",
        idle: "-d --detach",
        folder: "--project-directory=",
        file: "-f= --file=",
        ..ROW
    },
    Manner {
        programs: &[
            "bash", "sh", "zsh", "dash", "ruby", "php", "perl", "elixir", "tsx", "ts-node", "Rscript",
        ],
        plain: "-e -x -u -o= -l -w -Itest -Ilib",
        either: "-c= -r= -I= -d= --require=",
        idle: "-n",
        ..ROW
    },
];
