//! Whether a call would change something, before it runs.

use std::rc::Rc;

use super::ledger::{self, Line};
use super::{EditScope, changes_tree, git_words, is_aside, known};
use crate::journal::Entry;
use engine_shell::{Analysis, Effect, Run};
use engine_text::path::join;

/// How far a change reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Touch {
    Nothing,
    /// What git keeps, not the files.
    Repository,
    Files,
}

/// Commands that rewrite files which they do not name, or bring new ones.
const REWRITERS: &[&str] = &[
    "cargo fmt",
    "cargo fix",
    "cargo add",
    "cargo remove",
    "cargo update",
    "cargo new",
    "cargo init",
    "cargo generate-lockfile",
    "cargo insta accept",
    "cargo insta review",
    "rustfmt",
    "npm install",
    "npm i",
    "npm ci",
    "npm uninstall",
    "npm update",
    "npm init",
    "yarn add",
    "yarn install",
    "yarn remove",
    "pnpm add",
    "pnpm install",
    "pnpm remove",
    "bun add",
    "bun install",
    "black",
    "python -m black",
    "python3 -m black",
    "isort",
    "ruff format",
    "pip install",
    "pip3 install",
    "python -m pip install",
    "python3 -m pip install",
    "uv pip install",
    "uv remove",
    "uv lock",
    "uv add",
    "uv sync",
    "poetry add",
    "poetry install",
    "poetry remove",
    "poetry update",
    "go get",
    "go mod tidy",
    "go fmt",
    "go generate",
    "gofmt -w",
    "sd",
    "terraform apply",
];

/// Commands that look, and with an option rewrite what they find.
const FIXERS: &[(&str, &str)] = &[
    ("cargo clippy", "--fix"),
    ("cargo insta test", "--accept"),
    ("eslint", "--fix"),
    ("npx eslint", "--fix"),
    ("prettier", "--write"),
    ("npx prettier", "--write"),
    ("prettier", "-w"),
    ("npx prettier", "-w"),
    ("ruff check", "--fix"),
    ("npm run lint", "--fix"),
];

/// Verbs of git that change what it keeps.
const KEEPERS: &[&str] = &[
    "add",
    "commit",
    "push",
    "tag",
    "branch",
    "fetch",
    "worktree",
    "remote",
    "notes",
    "reset",
    "restore",
    "checkout",
    "switch",
    "update-ref",
];

/// Options with which git only lists branches and tags.
const LISTING: &[&str] =
    &["-l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"];

pub fn of_file(path: &str, cwd: &str, scope: &EditScope<'_>) -> Touch {
    if free_folder(path, cwd, scope).is_some() { Touch::Nothing } else { Touch::Files }
}

/// The folder in which changes are free that a path is in, or the file itself.
pub fn free_folder(path: &str, cwd: &str, scope: &EditScope<'_>) -> Option<String> {
    let path = join(cwd, path);
    let inside = path.strip_prefix(scope.root).and_then(|below| below.strip_prefix('/'));
    // A project may lie in a temporary folder itself.
    let Some(below) = inside else { return passing(&path, scope) };
    let top = below.split('/').next().unwrap_or_default();
    if is_aside(top) {
        return Some(join(scope.root, top));
    }
    scope.free.contains(&path.as_str()).then_some(path)
}

/// The folder outside of the project that a path is in which is no work of anybody's: a device, a temporary file, or what the client keeps
/// for the agent, such as the page of its plan mode.
fn passing(path: &str, scope: &EditScope<'_>) -> Option<String> {
    let is_below = |folder: &String| {
        path.strip_prefix(folder.trim_end_matches('/')).is_some_and(|below| below.starts_with('/'))
    };
    let client = scope.dialect.home.trim_start_matches("~/");
    let fixed = ["/dev", "/tmp", "/var/tmp", "/proc"].into_iter().chain(scope.temporary).map(str::to_owned);
    let of_client = |folder: &&str| Some(format!("{}/{client}/{folder}", scope.home?));
    fixed.chain(scope.dialect.kept.iter().filter_map(of_client)).find(is_below)
}

pub fn of_command(analysis: &Analysis, scope: &EditScope<'_>) -> Touch {
    let writes =
        |effect: &Effect| effect.changes_content() && of_file(effect.path(), "/", scope) == Touch::Files;
    // Another agent session is held by no plan of this one.
    let changes = |run: &Run| rewrites(run) || scope.dialect.starts_agent(run);
    if analysis.effects.iter().any(writes) || analysis.runs.iter().any(changes) {
        return Touch::Files;
    }
    if analysis.runs.iter().any(keeps) { Touch::Repository } else { Touch::Nothing }
}

/// Whether an entry of the journal is a call that has changed a file, or what git keeps.
pub fn is_by(entry: &Entry, scope: &EditScope<'_>, analysis: &dyn Fn(&str, &str) -> Rc<Analysis>) -> bool {
    if entry.event == scope.dialect.pre_tool {
        return false;
    }
    let is_edit = |line: &Line| matches!(line, Line::Edit { .. });
    let commits = |command: &String| {
        let cwd = entry.cwd.as_deref().unwrap_or(scope.root);
        of_command(&analysis(command, cwd), scope) == Touch::Repository
    };
    ledger::read_one(entry, scope).iter().any(is_edit) || entry.command.as_ref().is_some_and(commits)
}

/// Whether a run changes files that it does not name.
pub fn rewrites(run: &Run) -> bool {
    let only_looks =
        run.args.iter().any(|arg| matches!(arg.text.as_str(), "--check" | "--dry-run" | "--diff"));
    let has = |option: &str| run.args.iter().any(|arg| arg.text == option);
    let fixes = FIXERS.iter().any(|(words, option)| has(option) && known::begins_with(run, words));
    let rewrites = !only_looks && REWRITERS.iter().any(|words| known::begins_with(run, words));
    !run.remote && (changes_tree(run) || fixes || rewrites)
}

fn keeps(run: &Run) -> bool {
    let Some((verb, words)) = git_words(run).filter(|_| !run.remote) else { return false };
    let operand = words.iter().find(|word| !word.starts_with('-'));
    let is_listed = match verb {
        "branch" | "tag" => operand.is_none() || words.iter().any(|word| LISTING.contains(word)),
        "worktree" | "remote" | "notes" => matches!(operand, None | Some(&"list" | &"show" | &"get-url")),
        _ => false,
    };
    KEEPERS.contains(&verb) && !is_listed && !words.contains(&"--dry-run")
}

#[cfg(test)]
mod tests {
    use engine_shell::analyse;

    use super::*;
    use crate::dialect::{Dialect, TEST};
    use crate::host::surroundings;

    #[test]
    fn commands() {
        let cases = [
            ("ls -la; cat x; git status; git log; rg foo", Touch::Nothing),
            ("cargo test 2>&1 | tail > /tmp/out", Touch::Nothing),
            ("cargo test > /dev/null", Touch::Nothing),
            ("mkdir -p target/x && cargo test 2>&1 | tee target/x/out.txt > $TMPDIR/out", Touch::Nothing),
            ("engine plan lock", Touch::Nothing),
            ("engine log sessions/X/DO_LOG.md", Touch::Nothing),
            ("echo x > src/a.rs", Touch::Files),
            ("sed -i s/a/b/ x", Touch::Files),
            ("rm -rf build", Touch::Files),
            ("echo x >> ~/.bashrc", Touch::Files),
            ("git checkout -- .", Touch::Files),
            ("git stash", Touch::Files),
            ("git stash list", Touch::Nothing),
            ("git commit -m x", Touch::Repository),
            ("git push", Touch::Repository),
            ("git branch", Touch::Nothing),
            ("git branch -D x", Touch::Repository),
            ("git branch --contains HEAD; git branch -r --merged main; git tag -l 'v*'", Touch::Nothing),
            ("git remote get-url origin; git remote -v; git worktree list", Touch::Nothing),
            ("git push --dry-run", Touch::Nothing),
            ("git -C sub commit -m x", Touch::Repository),
            ("git -c user.name=x commit -m x", Touch::Repository),
            ("git -C sub stash", Touch::Files),
            ("rg -l a | xargs sed -i s/a/b/", Touch::Files),
            ("git tag", Touch::Nothing),
            ("cargo fmt", Touch::Files),
            ("cargo fmt --check", Touch::Nothing),
            ("npm install left-pad", Touch::Files),
            ("npx eslint . --fix", Touch::Files),
            ("npx eslint .; npx prettier --check .; cargo clippy; ruff check .", Touch::Nothing),
            ("cargo clippy --fix --allow-dirty", Touch::Files),
            ("cargo insta accept", Touch::Files),
            ("python3 -m pip install x", Touch::Files),
            ("git checkout -b new", Touch::Repository),
            ("git reset HEAD~1", Touch::Repository),
            ("npx prettier --write .", Touch::Files),
            ("timeout 5 bash -c 'echo x > y'", Touch::Files),
            ("agent -p 'write y'", Touch::Files),
            ("nohup node /x/agent -p 'write y' &", Touch::Files),
            ("agent --version; agent mcp list; which agent", Touch::Nothing),
        ];
        let dialect = Dialect { programs: &["agent"], subcommands: &["mcp"], ..TEST };
        let scope = EditScope {
            root: "/p",
            home: Some("/h"),
            temporary: Some("/t/"),
            free: &[],
            checks: &[],
            dialect: &dialect,
        };
        for (command, expected) in cases {
            let around = surroundings("/p", Some("/h".into()), Some("/t/".into()), scope.dialect);
            assert_eq!(of_command(&analyse(command, &around), &scope), expected, "{command}");
        }
    }

    #[test]
    fn files() {
        let scope = EditScope {
            root: "/p",
            home: Some("/h"),
            temporary: Some("/t"),
            free: &["/p/plans/x/PLAN.md"],
            checks: &[],
            dialect: &crate::dialect::TEST,
        };
        let cases = [
            ("src/a.rs", Touch::Files),
            ("/etc/hosts", Touch::Files),
            ("sessions/X/PLAN.md", Touch::Nothing),
            ("/p/plans/x/PLAN.md", Touch::Nothing),
            ("/p/plans/y/PLAN.md", Touch::Files),
            ("/tmp/claude/scratchpad/x.md", Touch::Nothing),
            ("/t/x.md", Touch::Nothing),
            ("/tx.md", Touch::Files),
            ("/h/.claude/plans/brave-fox.md", Touch::Nothing),
            ("/h/.claude/settings.json", Touch::Files),
            ("/h/.bashrc", Touch::Files),
            ("target/out.txt", Touch::Nothing),
        ];
        for (path, expected) in cases {
            assert_eq!(of_file(path, "/p", &scope), expected, "{path}");
        }
    }
}
