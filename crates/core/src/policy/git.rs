//! Pack git: operations that throw work or history away.

mod discard;
mod moved;

pub use discard::{Asked, Unsaved, unsaved};
pub use moved::{AskedBranch, new_branches};

use super::facts::{CallFacts, Places};
use super::{Built, Level};
use engine_shell::{Options, Run, Word};
use engine_text::path::{LONGEST, join};

pub(super) const RULES: &[Built] = &[
    Built {
        id: "git.reset-hard",
        since: "0.1.0",
        verdict: Level::Block,
        about: "git reset --hard or --merge, git read-tree --reset -u, git checkout-index -f -a",
        reason: "uncommitted work in the tree would be lost",
        instead: "git stash keeps it aside; git reset --soft or --mixed moves the branch and keeps the files",
        matches: |facts| git(facts, resets_files),
    },
    Built {
        id: "git.force-push",
        since: "0.1.0",
        verdict: Level::Block,
        about: "git push -f, --force, +refspec, --mirror",
        reason: "commits of others on the remote branch would be overwritten",
        instead: "git push after git pull --rebase",
        matches: |facts| git(facts, is_forced_push),
    },
    Built {
        id: "git.force-with-lease",
        since: "0.1.0",
        verdict: Level::Ask,
        about: "git push --force-with-lease",
        reason: "the remote branch would be rewritten",
        instead: "a new commit, pushed plainly",
        matches: |facts| {
            git(facts, |git| {
                let options = git.push_options();
                let lease = options
                    .given
                    .iter()
                    .any(|given| given.name.starts_with("--force-w") || given.name.starts_with("--force-i"));
                git.is("push") && lease && !is_forced_push(git)
            })
        },
    },
    Built {
        id: "git.delete-remote",
        since: "0.1.0",
        verdict: Level::Ask,
        about: "git push --delete, :branch, --prune",
        reason: "a branch or tag of the remote would be deleted",
        instead: "leaving it to the person who merges",
        matches: |facts| {
            git(facts, |git| {
                let options = git.push_options();
                // What is unknown behind the colon is a branch all the same.
                let mut refspecs = options.operands.iter().skip(1).map(|word| word.text.as_str());
                let empties = refspecs.any(|refspec| refspec.len() > 1 && refspec.starts_with(':'));
                git.is("push")
                    && (empties
                        || (options.has(&["-d"])
                            || options.has_long("--delete", 2)
                            || options.has(&["--prune"])))
            })
        },
    },
    Built {
        id: "git.clean",
        since: "0.1.0",
        verdict: Level::Block,
        about: "git clean -f",
        reason: "untracked files would be deleted for good",
        instead: "git clean -n lists them; git stash -u keeps them aside",
        matches: |facts| {
            git(facts, |git| {
                let options = git.options(&["-e", "--exclude"]);
                let forced = options.has(&["-f"]) || options.has_long("--force", 1) || git.needs_no_force();
                git.is("clean") && forced
            })
        },
    },
    Built {
        id: "git.discard-all",
        since: "0.1.0",
        verdict: Level::Block,
        about: "git checkout . , git restore . , git checkout -f, git switch -f",
        reason: "all uncommitted changes of the tree would be lost",
        instead: "git stash keeps them aside",
        matches: |facts| git(facts, |git| discards_all(git, &facts.places)),
    },
    Built {
        id: "git.discard-paths",
        since: "0.2.0",
        verdict: Level::Ask,
        about: "git checkout -- PATH, git restore PATH, where PATH has changes that are not committed",
        reason: "changes that are not committed would be lost, or git could not say whether there are any",
        instead: "git diff PATH shows them; git stash push PATH keeps them aside",
        matches: |facts| {
            let is_lost = |(run, unsaved): &&(usize, Unsaved)| {
                *unsaved != Unsaved::Nothing && facts.runs().any(|(index, _)| index == *run)
            };
            facts.unsaved.iter().find(is_lost).map(|(run, _)| *run)
        },
    },
    Built {
        id: "git.stash-drop",
        since: "0.1.0",
        verdict: Level::Block,
        about: "git stash drop, git stash clear",
        reason: "work that was kept aside would be lost",
        instead: "git stash list and git stash show; git stash pop brings it back",
        matches: |facts| {
            git(facts, |git| {
                let first = git.args().first().and_then(|word| word.literal());
                git.is("stash") && matches!(first, Some("drop" | "clear"))
            })
        },
    },
    Built {
        id: "git.branch-delete",
        since: "0.1.0",
        verdict: Level::Block,
        about: "git branch -D",
        reason: "a branch that is not merged would be deleted",
        instead: "git branch -d, which refuses to lose commits",
        matches: |facts| {
            git(facts, |git| {
                let options = git.options(BRANCH_VALUES);
                let deletes = options.has(&["-d"]) || options.has_long("--delete", 1);
                let forced = options.has(&["-f"]) || options.has_long("--force", 3);
                git.is("branch") && (options.has(&["-D"]) || (deletes && forced))
            })
        },
    },
    Built {
        id: "git.branch-force",
        since: "0.2.0",
        verdict: Level::Ask,
        about: "git branch -f, -M, -C, git checkout -B, git switch -C of a branch that exists",
        reason: "a branch that exists would point elsewhere, and its commits have no name then",
        instead: "a new branch name",
        matches: |facts| {
            let moves = |run| Git::of(run).is_some_and(|git| moved::moved(&git).is_some());
            let mut runs = facts.runs().filter(|(index, _)| !facts.new_branches.contains(index));
            runs.find(|(_, run)| moves(run)).map(|(index, _)| index)
        },
    },
    Built {
        id: "git.lose-history",
        since: "0.1.0",
        verdict: Level::Block,
        about: "git reflog expire, git gc --prune=now, git prune, git update-ref -d",
        reason: "commits that nothing refers to any more could not be brought back",
        instead: "leaving them; git removes them after weeks by itself",
        matches: |facts| git(facts, loses_history),
    },
    Built {
        id: "git.rewrite-history",
        since: "0.1.0",
        verdict: Level::Ask,
        about: "git filter-branch, git filter-repo",
        reason: "every commit of the branch would be written anew",
        instead: "a new commit on top",
        matches: |facts| git(facts, |git| git.is("filter-branch") || git.is("filter-repo")),
    },
    Built {
        id: "git.worktree-force",
        since: "0.1.0",
        verdict: Level::Block,
        about: "git worktree remove --force",
        reason: "uncommitted work of that worktree would be lost",
        instead: "git worktree remove without force, which refuses while there is any",
        matches: |facts| {
            git(facts, |git| {
                let options = git.plain();
                let removes = options.operands.first().is_some_and(|word| word.text == "remove");
                git.is("worktree") && removes && (options.has(&["-f"]) || options.has_long("--force", 1))
            })
        },
    },
    Built {
        id: "git.submodule-deinit",
        since: "0.2.0",
        verdict: Level::Ask,
        about: "git submodule deinit -f",
        reason: "the files of the submodule would be deleted, with changes that are not committed",
        instead: "git submodule deinit without force, which refuses while there are any",
        matches: |facts| {
            git(facts, |git| {
                let options = git.plain();
                let ends = options.operands.first().is_some_and(|word| word.text == "deinit");
                git.is("submodule") && ends && (options.has(&["-f"]) || options.has_long("--force", 1))
            })
        },
    },
    Built {
        id: "git.no-verify",
        since: "0.1.0",
        verdict: Level::Ask,
        about: "git commit --no-verify, git push --no-verify, another core.hooksPath",
        reason: "the repository's checks would be skipped",
        instead: "mending what the hook names",
        matches: |facts| {
            git(facts, |git| {
                let acts = git.is("commit") || git.is("push");
                let valued: &[&str] = if git.is("push") { PUSH_VALUES } else { COMMIT_VALUES };
                let options = git.options(valued);
                let skips = options.has_long("--no-verify", 6) || (git.is("commit") && options.has(&["-n"]));
                (acts && (skips || git.sets_hooks_path())) || git.configures_hooks_path()
            })
        },
    },
    Built {
        id: "git.protected-branch",
        since: "0.1.0",
        verdict: Level::Off,
        about: "git commit, merge, revert or cherry-pick on a branch of policy.branches",
        reason: "this branch takes changes by review only",
        instead: "git switch -c NAME, then the commit",
        matches: |facts| {
            let on_it = facts.on_protected_branch;
            let cwd = facts.places.cwd.clone();
            let switches = git(facts, |git| {
                (git.is("switch") || git.is("checkout")) && git.plain().has(&["-c", "-C", "-b", "-B"])
            })
            .is_some();
            git(facts, move |git| {
                let acts = ["commit", "merge", "revert", "cherry-pick"].iter().any(|name| git.is(name));
                let ends = git.plain().has(&["--abort", "--dry-run", "--quit", "--continue", "--skip"]);
                // In another repository, or behind a switch to a new branch, nobody knows the branch.
                let elsewhere = git.run.args.iter().any(|arg| arg.text == "-C")
                    || git.run.cwd.as_deref() != Some(cwd.as_str());
                on_it && acts && !ends && !elsewhere && !switches
            })
        },
    },
];

/// `-t` of `git checkout` takes no value; glued to it stands `direct` or `inherit`.
const CHECKOUT_VALUES: &[&str] = &[
    "-b",
    "-B",
    "--orphan",
    "--conflict",
    "--pathspec-from-file",
    "-U",
    "--unified",
    "--inter-hunk-context",
];
const RESTORE_VALUES: &[&str] = &["-s", "--source", "--conflict", "--pathspec-from-file"];
const BRANCH_VALUES: &[&str] = &[
    "-u",
    "--set-upstream-to",
    "--contains",
    "--no-contains",
    "--merged",
    "--sort",
    "--format",
    "--points-at",
];
const PUSH_VALUES: &[&str] = &["-o", "--push-option", "--receive-pack", "--exec", "--repo"];
const COMMIT_VALUES: &[&str] = &[
    "-u?",
    "-S?",
    "-m",
    "--message",
    "-F",
    "--file",
    "-C",
    "--reuse-message",
    "-c",
    "--reedit-message",
    "--author",
    "--date",
    "-t",
    "--template",
    "--fixup",
    "--squash",
    "--cleanup",
    "--trailer",
];

/// A call of git: its own options taken off.
struct Git<'r> {
    command: &'r str,
    run: &'r Run,
    /// Settings for this call: `-c name=value`, the names in small letters.
    settings: Vec<(String, String)>,
    /// Where it works; nothing if unknown.
    cwd: Option<String>,
    /// Where the arguments of the command begin.
    from: usize,
}

impl<'r> Git<'r> {
    fn of(run: &'r Run) -> Option<Self> {
        if let Some(command) = run.program.as_deref()?.strip_prefix("git-") {
            // `git-filter-repo`, `/usr/lib/git-core/git-reset`.
            return Some(Self { command, run, settings: Vec::new(), cwd: run.cwd.clone(), from: 0 });
        }
        if !run.is(&["git", "hub"]) {
            return None;
        }
        let valued = [
            "-C",
            "-c",
            "--git-dir",
            "--work-tree",
            "--namespace",
            "--exec-path",
            "--super-prefix",
            "--config-env",
            "--attr-source",
        ];
        let options = Options::read(&run.args, &valued, true);
        let at = options.first_operand?;
        let command = run.args.get(at)?.literal()?;
        let settings = options.all(&["-c", "--config-env"]).filter_map(|given| {
            let (name, value) = given.value.as_deref()?.split_once('=')?;
            Some((name.to_ascii_lowercase(), value.to_ascii_lowercase()))
        });
        let cwd = options.all(&["-C"]).fold(run.cwd.clone(), |cwd, given| {
            let folder = given.word().filter(|folder| !folder.unknown)?.text;
            Some(join(&cwd?, &folder)).filter(|folder| folder.len() <= LONGEST)
        });
        Some(Self { command, run, settings: settings.collect(), cwd, from: at + 1 })
    }

    fn is(&self, name: &str) -> bool {
        self.command == name
    }

    fn args(&self) -> &'r [Word] {
        &self.run.args[self.from.min(self.run.args.len())..]
    }

    fn options(&self, valued: &[&str]) -> Options<'r> {
        Options::read(self.args(), valued, false)
    }

    fn plain(&self) -> Options<'r> {
        self.options(&[])
    }

    fn push_options(&self) -> Options<'r> {
        self.options(PUSH_VALUES)
    }

    /// The folder in which git can be asked about what the command is about; nothing if it names another repository, or only the running
    /// shell knows the folder.
    fn asked_at(&self) -> Option<String> {
        let other = ["--git-dir", "--work-tree", "--namespace"];
        let own = &self.run.args[..self.from.min(self.run.args.len())];
        let is_elsewhere = self.run.env.iter().any(|(name, _)| name.starts_with("GIT_"))
            || own.iter().any(|arg| other.iter().any(|name| arg.text.starts_with(name)));
        self.cwd.clone().filter(|_| !is_elsewhere)
    }

    fn sets_hooks_path(&self) -> bool {
        self.settings.iter().any(|(name, _)| name == "core.hookspath")
    }

    /// The name that `git config NAME VALUE` sets, in small letters, and its value.
    fn configured(&self) -> Option<(String, &'r Word)> {
        if !self.is("config") {
            return None;
        }
        let options =
            self.options(&["-f", "--file", "--type", "--default", "--comment", "--value", "--blob"]);
        let mut words = options.operands.iter().copied().peekable();
        // `git config set NAME VALUE` is the newer form.
        let of_verb = |names: &[&str], word: &Word| names.contains(&word.text.as_str());
        if words.next_if(|word| of_verb(&["get", "unset", "list", "get-all"], word)).is_some() {
            return None;
        }
        words.next_if(|word| of_verb(&["set"], word));
        let only_reads = options.given.iter().any(|given| given.name.starts_with("--get"))
            || options.has(&["--unset", "--unset-all", "-l", "--list"]);
        let (name, value) = (words.next()?, words.next()?);
        (!only_reads).then(|| (name.text.to_ascii_lowercase(), value))
    }

    /// `git config core.hooksPath DIR`: from then on the repository's hooks do not run.
    fn configures_hooks_path(&self) -> bool {
        self.configured().is_some_and(|(name, _)| name == "core.hookspath")
    }

    /// `git -c remote.origin.push=+HEAD:main push`, `-c remote.origin.mirror=true`.
    fn is_forced_by_setting(&self) -> bool {
        let forces = |name: &str, value: &str| {
            let key = name.strip_prefix("remote.").and_then(|rest| rest.rsplit('.').next());
            match key {
                Some("push") => value.starts_with('+'),
                Some("mirror") => !matches!(value, "false" | "no" | "off" | "0"),
                _ => false,
            }
        };
        self.settings.iter().any(|(name, value)| forces(name, value))
    }

    /// `git clean` needs no `-f`.
    fn needs_no_force(&self) -> bool {
        let is_off = |value: &str| matches!(value, "false" | "no" | "off" | "0" | "");
        self.settings.iter().any(|(name, value)| name == "clean.requireforce" && is_off(value))
    }

    /// A path that stands for the whole tree.
    fn is_all(&self, word: &Word, places: &Places) -> bool {
        let Some(path) = word.literal() else { return false };
        let from_top = path.strip_prefix(":/").or_else(|| path.strip_prefix(":(top)"));
        if let Some(path) = from_top {
            return matches!(path, "" | "." | "./" | "*");
        }
        let up = |path: &str| path.split('/').all(|part| matches!(part, "." | ".." | ""));
        let is_above = self.cwd.as_ref().is_some_and(|cwd| {
            let whole = join(cwd, path);
            whole == places.root || places.root.starts_with(&format!("{}/", whole.trim_end_matches('/')))
        });
        matches!(path, ":" | "*" | "./*") || up(path) || is_above
    }
}

/// The first run of git for which it holds.
fn git(facts: &CallFacts, holds: impl Fn(&Git<'_>) -> bool) -> Option<usize> {
    facts.runs().find(|(_, run)| Git::of(run).is_some_and(|git| holds(&git))).map(|(index, _)| index)
}

/// A setting of the person or the machine that has git run something later.
pub(super) fn configures_code(facts: &CallFacts) -> Option<usize> {
    git(facts, sets_code)
}

/// `git config --global alias.x '!…'`: git runs it for the person, in every repository.
fn sets_code(git: &Git<'_>) -> bool {
    let Some((name, value)) = git.configured() else { return false };
    let options = git.plain();
    let is_shell = value.text.starts_with('!');
    let is_switch = matches!(value.text.as_str(), "true" | "false" | "");
    let runs = match name.as_str() {
        "core.sshcommand" => !value.text.is_empty(),
        "core.fsmonitor" => !is_switch,
        name if name.starts_with("alias.") => is_shell,
        name if name.starts_with("credential.") && name.ends_with(".helper") => is_shell,
        _ => false,
    };
    runs && (options.has_long("--global", 2) || options.has_long("--system", 1))
}

fn is_forced_push(git: &Git<'_>) -> bool {
    let options = git.push_options();
    let mut refspecs = options.operands.iter().map(|word| word.text.as_str());
    let plus = refspecs.any(|refspec| refspec.len() > 1 && refspec.starts_with('+'));
    let forced = plus || options.has(&["-f", "--force"]) || options.has_long("--mirror", 1);
    ((git.is("push") || git.is("send-pack")) && forced) || (git.is("push") && git.is_forced_by_setting())
}

fn discards_all(git: &Git<'_>, places: &Places) -> bool {
    let is_all = |word: &&Word| git.is_all(word, places);
    match git.command {
        "checkout" => {
            let options = git.options(CHECKOUT_VALUES);
            let makes = options.has(&["-b", "-B", "--orphan"]);
            let forced = options.has(&["-f"]) || options.has_long("--force", 1);
            let named = options.separator.is_some_and(|at| options.operands.len() > at);
            (!makes && options.operands.iter().any(is_all)) || (forced && !named)
        }
        "restore" => {
            let options = git.options(RESTORE_VALUES);
            restores_files(&options) && options.operands.iter().any(is_all)
        }
        "switch" => {
            let options = git.options(&["-c", "-C", "--create", "--force-create", "--orphan"]);
            options.has(&["-f"]) || options.has(&["--force"]) || options.has_long("--discard-changes", 2)
        }
        _ => false,
    }
}

/// `git restore --staged` alone leaves the files as they are.
fn restores_files(options: &Options<'_>) -> bool {
    let staged = options.has(&["-S"]) || options.has_long("--staged", 2);
    let worktree = options.has(&["-W"]) || options.has_long("--worktree", 1);
    !staged || worktree
}

fn resets_files(git: &Git<'_>) -> bool {
    match git.command {
        "reset" => {
            let options = git.plain();
            // Nothing else of `git reset` begins with an h, `--help` apart.
            options.has_long("--hard", 1) || options.has_long("--merge", 2)
        }
        "read-tree" => {
            let options = git.options(&["--prefix", "--index-output", "--exclude-per-directory"]);
            options.has_long("--reset", 1) && options.has(&["-u"])
        }
        "checkout-index" => {
            let options = git.options(&["--prefix", "--stage"]);
            let all = options.has(&["-a"]) || options.has_long("--all", 1);
            // With a prefix the files are written elsewhere.
            all && (options.has(&["-f"]) || options.has_long("--force", 1)) && !options.has(&["--prefix"])
        }
        _ => false,
    }
}

fn loses_history(git: &Git<'_>) -> bool {
    let options = git.options(&["--expire", "--expire-unreachable"]);
    let first = options.operands.first().map(|word| word.text.as_str());
    let is_now = |value: &str| matches!(value, "now" | "all" | "0" | "0.seconds.ago");
    let now = |names: &[&str]| {
        options.given.iter().any(|given| {
            let name = given.name.as_str();
            let named = name.len() > 4 && names.iter().any(|long| long.starts_with(name));
            named && given.value.as_deref().is_some_and(is_now)
        })
    };
    let is_set = |name: &str| git.settings.iter().any(|(set, value)| set == name && is_now(value));
    let expires = ["gc.reflogexpire", "gc.reflogexpireunreachable"];
    match git.command {
        "reflog" => {
            let dated = now(&["--expire", "--expire-unreachable"]);
            first == Some("delete")
                || (first == Some("expire") && (dated || expires.iter().any(|name| is_set(name))))
        }
        "gc" => {
            now(&["--prune"])
                || (is_set("gc.pruneexpire") && !options.has(&["--no-prune"]))
                || expires.iter().any(|name| is_set(name))
        }
        "prune" => true,
        "update-ref" => options.has(&["-d"]),
        _ => false,
    }
}
