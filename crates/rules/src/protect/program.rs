//! The engine's program. Without it the client runs every call unchecked, so it is protected as the engine's files are.
//!
//! A file of the same name elsewhere (`target/debug/engine`) is free, unless it is the program itself by another name.
//!
//! Example: `rm ~/.cargo/bin/engine`, `chmod -x ~/.cargo/bin/engine` and `cargo uninstall engine-cli` are refused.

use std::path::{Path, PathBuf};

use engine_core::verdict::Finding;
use engine_shell::{Analysis, Effect, Options, Run, Word};
use engine_text::line::one_line;

use super::View;

/// What a refusal says of the program.
pub(super) fn refused(what: &str) -> Finding {
    Finding::deny(format!(
        "{what} the engine's program. Without it the client would run every call unchecked, so no agent changes it. A person does, \
         in a terminal of their own: engine uninstall takes engine out of a project, cargo xtask install puts a new version in its \
         place."
    ))
    .because("the path is the engine's program, or holds it")
}

/// Whether a file is the program, or would be found in its place: one of its name in a folder of PATH.
pub(super) fn is_program(path: &Path, view: &(impl View + ?Sized)) -> bool {
    may_be(path, view) && (view.own_programs().iter().any(|program| program == path) || hides(path, view))
}

/// A shell would start this file for `engine`.
fn hides(path: &Path, view: &(impl View + ?Sized)) -> bool {
    let is_named = path.file_name().is_some_and(|name| name == NAME);
    let Some(parent) = path.parent().filter(|_| is_named) else { return false };
    // A folder of PATH may be a link, and the path is the real one.
    let is_it = |folder: &PathBuf| folder == parent || view.resolve("/", &folder.to_string_lossy()) == parent;
    view.program_folders().iter().any(is_it)
}

/// The program that an effect changes, or takes with it.
pub(super) fn changed(
    effect: &Effect,
    path: &Path,
    analysis: &Analysis,
    view: &(impl View + ?Sized),
) -> Option<PathBuf> {
    let holds = effect.is_recursive() || effect.is_pattern();
    if !holds && !may_be(path, view) {
        return None;
    }
    // A folder that is changed with everything below may be reached by a link.
    let below = |program: &Path| effect.is_recursive() && program.starts_with(path);
    let is_met = |program: &&PathBuf| {
        program.as_path() == path || below(program) || analysis.meets(effect, &program.to_string_lossy())
    };
    let met = view.own_programs().iter().find(is_met).cloned();
    met.or_else(|| (matches!(effect, Effect::Write { .. }) && hides(path, view)).then(|| path.to_owned()))
}

/// Only a file of the program's name is looked up: that costs a search along PATH.
fn may_be(path: &Path, view: &(impl View + ?Sized)) -> bool {
    path.file_name().is_some_and(|name| name == NAME || Some(name) == view.own_program_name().as_deref())
}

const NAME: &str = "engine";

/// The packages that the program is installed from.
const PACKAGES: &[&str] = &["engine", "engine-cli"];

/// Package managers, the words that remove or replace a package, and their options with a value.
const MANAGERS: &[(&[&str], &[&str], &[&str])] = &[
    (&["cargo"], &["uninstall"], &["--root", "--bin", "-Z", "--config"]),
    (&["brew"], &["uninstall", "remove", "rm", "unlink"], &[]),
    (
        &["apt", "apt-get", "dnf", "yum", "zypper", "pacman", "apk"],
        &["remove", "purge", "autoremove", "del", "erase", "-R", "-Rs", "-Rns"],
        &[],
    ),
    (&["npm", "pnpm", "yarn", "bun"], &["uninstall", "remove", "rm", "un", "unlink"], &["--prefix", "-C"]),
];

/// Programs that change the files that they are given, and those that change the last one only.
const CHANGERS: &[&str] =
    &["rm", "mv", "chmod", "chown", "truncate", "tee", "dd", "shred", "unlink", "strip"];
const WRITERS: &[&str] = &["cp", "ln", "install"];

/// `rm "$(command -v engine)"`, `which engine | xargs rm`: where the program is, the line has looked up.
pub(super) fn looked_up(analysis: &Analysis) -> Option<Finding> {
    let finds_it = |index: &usize| {
        analysis.runs.get(*index).is_some_and(|run| {
            run.is(&["which", "command", "type", "whereis", "whence"])
                && run.args.iter().any(|arg| arg.text == NAME)
        })
    };
    let is_it = |arg: &Word| arg.unknown && arg.from.iter().any(finds_it);
    let changes_it = |run: &&Run| {
        (run.is(CHANGERS) && run.args.iter().any(is_it))
            || (run.is(WRITERS) && run.args.last().is_some_and(is_it))
    };
    let run = analysis.runs.iter().filter(|run| !run.remote).find(changes_it)?;
    Some(refused(&format!("`{}` would change", one_line(&run.shown(), 200))))
}

/// A run of a package manager that removes the program, or puts another in its place.
pub(super) fn by_package_manager(analysis: &Analysis) -> Option<Finding> {
    let here = |run: &&Run| !run.remote;
    let shown = |run: &Run| one_line(&run.shown(), 200);
    if let Some(run) = analysis.runs.iter().filter(here).find(|run| removes(run)) {
        return Some(refused(&format!("`{}` would remove", shown(run))));
    }
    let run = analysis.runs.iter().filter(here).find(|run| installs(run))?;
    Some(refused(&format!("`{}` would replace", shown(run))))
}

fn removes(run: &Run) -> bool {
    let Some((_, verbs, valued)) = MANAGERS.iter().find(|(names, ..)| run.is(names)) else { return false };
    let options = Options::read(&run.args, valued, false);
    let is_verb = run.args.iter().any(|arg| verbs.contains(&arg.text.as_str()));
    is_verb && names_package(&options)
}

/// `cargo install engine-cli`. From a folder it is known by its name alone: `cargo install --path crates/cli`.
fn installs(run: &Run) -> bool {
    if !run.is(&["cargo"]) {
        return false;
    }
    let options = Options::read(
        &run.args,
        &[
            "--root",
            "--path",
            "--git",
            "--branch",
            "--tag",
            "--rev",
            "--version",
            "--features",
            "--profile",
            "--target",
            "-F",
            "-j",
            "--bin",
            "--registry",
            "--index",
            "--target-dir",
            "--config",
            "-Z",
        ],
        false,
    );
    let verb = options.operands.iter().find(|word| !word.text.starts_with('+'));
    let is_install = verb.is_some_and(|word| word.text == "install");
    is_install
        && !options.has(&["--root", "--list"])
        && (names_package(&options) || options.value(&["--bin"]) == Some(NAME))
}

fn names_package(options: &Options<'_>) -> bool {
    let name = |text: &str| PACKAGES.contains(&text.split('@').next().unwrap_or_default());
    options.operands.iter().any(|word| name(&word.text))
}
