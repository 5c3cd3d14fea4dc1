//! What a command changes of the engine's files and the client's settings that its words alone do not tell: what a folder holds that is
//! copied over the project, what `git stash` takes away, what a patch in a file changes, what a file with two names is.

use std::path::{Path, PathBuf};

use engine_core::verdict::Finding;
use engine_shell::{Analysis, Effect, Given, Options, Run, Word};
use engine_text::line::one_line;
use engine_text::path::join;

use super::{View, is_own, is_settings_name, sessions};

/// A longer patch is not read.
const LONGEST_PATCH: usize = 1024 * 1024;

/// The first run that takes or overwrites what is protected.
pub(super) fn by_command(analysis: &Analysis, view: &(impl View + ?Sized)) -> Option<Finding> {
    analysis.runs.iter().filter(|run| !run.remote).find_map(|run| {
        let shown = || one_line(&run.shown(), 200);
        if let Some(path) = copied_over(run, view) {
            return Some(denied(
                &format!("`{}` would overwrite {}", shown(), path.display()),
                "a folder that is copied holds a file of that name",
            ));
        }
        if let Some(path) = mounted_over(run, view) {
            return Some(denied(
                &format!("`{}` would hide {}", shown(), path.display()),
                "what is mounted over a folder hides what is in it",
            ));
        }
        if let Some(path) = stashed(run, view) {
            return Some(denied(
                &format!(
                    "`{}` would take {} away, which has changes that are not committed",
                    shown(),
                    path.display()
                ),
                "git stash takes changed files away",
            ));
        }
        let path = patched(run, analysis, view)?;
        Some(denied(&format!("`{}` would change {}", shown(), path.display()), "the patch names the file"))
    })
}

fn denied(what: &str, because: &str) -> Finding {
    Finding::deny(format!(
        "{what}. It belongs to engine or wires it into the client. Leave it out: name the other files or folders that are meant.",
    ))
    .because(because)
}

/// What is protected, as single files and folders.
fn protected(view: &(impl View + ?Sized)) -> impl Iterator<Item = PathBuf> {
    let folders = view
        .own_folders()
        .iter()
        .flat_map(|own| ["config.toml", "policy.toml", "state", "journal"].map(|file| own.join(file)));
    folders.chain(view.settings_files().iter().cloned())
}

/// `cp -r /tmp/x/. .`, `rsync -a /tmp/x/ .`: what the source holds comes to lie over the project.
fn copied_over(run: &Run, view: &(impl View + ?Sized)) -> Option<PathBuf> {
    let is_rsync = run.is(&["rsync"]);
    if !is_rsync && !run.is(&["cp", "gcp", "mv", "gmv", "ditto"]) {
        return None;
    }
    let cwd = run.cwd.as_deref()?;
    let valued: &[&str] = if is_rsync {
        &["-e", "--rsh", "--include", "--filter", "-f", "--files-from", "--exclude"]
    } else {
        &["-t", "--target-directory", "-S", "--suffix"]
    };
    let options = Options::read(&run.args, valued, false);
    if is_rsync && options.has(&["-n", "--dry-run"]) {
        return None;
    }
    let folder = options.all(&["-t", "--target-directory"]).next_back().and_then(Given::word);
    let (sources, target): (&[&Word], String) = match (folder, options.operands.split_last()) {
        (Some(folder), _) => (&options.operands, join(cwd, folder.literal()?)),
        (None, Some((last, sources))) => (sources, join(cwd, last.literal()?)),
        (None, None) => return None,
    };
    let target = view.resolve("/", &target);
    let left_out: Vec<&str> =
        options.all(&["--exclude"]).filter_map(|given| given.value.as_deref()).collect();
    let is_left_out = |below: &Path| {
        let name = |part: std::path::Component<'_>| part.as_os_str().to_string_lossy().into_owned();
        below.components().any(|part| left_out.iter().any(|pattern| pattern.trim_matches('/') == name(part)))
    };
    sources.iter().filter_map(|source| source.literal()).find_map(|source| {
        let name = source.rsplit('/').next().unwrap_or_default();
        let whole = Path::new(&join(cwd, source)).to_owned();
        // The contents alone, or a folder of the same name below the target; into a folder that is not there yet, the contents.
        let is_contents =
            matches!(name, "" | "." | "..") || source == "." || options.has(&["-T", "--no-target-directory"]);
        let places = [Some(target.clone()), (!is_contents).then(|| target.join(name))];
        protected(view).find(|own| {
            places.iter().flatten().any(|place| {
                let Ok(below) = own.strip_prefix(place) else { return false };
                // Without its slash, rsync makes a folder in the target; cp does if the target is there.
                let is_inside = *place != target || is_contents || !view.exists(&target);
                is_inside
                    && !is_left_out(below)
                    && view.exists(&whole.join(below))
                    && whole.join(below) != *own
            })
        })
    })
}

/// `mount --bind /tmp .`: another folder comes to lie over one that holds what is protected.
fn mounted_over(run: &Run, view: &(impl View + ?Sized)) -> Option<PathBuf> {
    if !run.is(&["mount"]) {
        return None;
    }
    let options = Options::read(&run.args, &["-t", "-o", "-O", "-L", "-U", "--types", "--options"], false);
    let [_, .., place] = options.operands.as_slice() else { return None };
    let place = view.resolve(run.cwd.as_deref()?, place.literal()?);
    protected(view).find(|own| own.starts_with(&place) && view.exists(own))
}

/// Own files with changes, which `git stash` takes away.
fn stashed(run: &Run, view: &(impl View + ?Sized)) -> Option<PathBuf> {
    if !run.is(&["git"]) || !run.args.iter().any(|arg| arg.text == "stash") {
        return None;
    }
    let valued = ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"];
    let own = Options::read(&run.args, &valued, true);
    let rest = match own.operands.split_first() {
        Some((command, _)) if command.text == "stash" => {
            own.first_operand.and_then(|at| run.args.get(at + 1..))?
        }
        _ => return None,
    };
    let options = Options::read(rest, &["-m", "--message", "--pathspec-from-file"], false);
    let verb =
        options.operands.first().filter(|_| options.separator != Some(0)).map(|word| word.text.as_str());
    if !matches!(verb, None | Some("push" | "save")) || options.has(&["-S", "--staged", "-p", "--patch"]) {
        return None;
    }
    let cwd = run.cwd.as_deref()?;
    let in_project = Path::new(cwd).starts_with(view.root());
    let paths: Vec<PathBuf> = match (verb, options.separator) {
        (_, Some(at)) => options.operands[at..].iter().filter_map(|word| word.literal()).collect::<Vec<_>>(),
        (Some("push"), None) => options.operands[1..].iter().filter_map(|word| word.literal()).collect(),
        _ => Vec::new(),
    }
    .into_iter()
    // `:!folder` leaves it out.
    .filter(|path| !path.starts_with(':'))
    .map(|path| PathBuf::from(join(cwd, path)))
    .collect();
    let left_out: Vec<String> = options
        .operands
        .iter()
        .filter_map(|word| word.text.strip_prefix(":!").or_else(|| word.text.strip_prefix(":(exclude)")))
        .map(|path| join(cwd, path))
        .collect();
    let takes_new = options.has(&["-u", "-a", "--include-untracked", "--all"]);
    let is_taken = |path: &PathBuf| {
        (paths.is_empty() || paths.iter().any(|given| path.starts_with(given) || given.starts_with(path)))
            && !left_out.iter().any(|given| path.starts_with(given))
    };
    // With everything that git ignores, what the engine keeps goes too, changed or not.
    if in_project
        && options.has(&["-a", "--all"])
        && let Some(own) = protected(view).find(|own| is_taken(own) && view.exists(own))
    {
        return Some(own);
    }
    // A folder that git does not know yet ends in a slash.
    let changed = if in_project { view.changed_files() } else { Vec::new() };
    let known = changed.into_iter().filter(|path| takes_new || !path.ends_with('/'));
    let mut whole = known.map(|path| (view.root().join(path.trim_end_matches('/')), path.ends_with('/')));
    let root = view.resolve("/", &view.root().to_string_lossy());
    whole
        .find(|(path, is_folder)| {
            // Of a link git takes the link, and goes through none.
            let real = path.strip_prefix(view.root()).map_or_else(|_| path.clone(), |below| root.join(below));
            let is_settings = || {
                view.settings_files().contains(&real)
                    || (is_settings_name(&path.to_string_lossy(), view)
                        && view.settings_files().contains(&view.resolve("/", &path.to_string_lossy())))
            };
            let holds =
                || *is_folder && protected(view).any(|own| own.starts_with(&real) && view.exists(&own));
            is_taken(path) && (is_own(&real, view) || is_settings() || holds())
        })
        .map(|(path, _)| path)
}

/// Own files that a patch in a file names.
fn patched(run: &Run, analysis: &Analysis, view: &(impl View + ?Sized)) -> Option<PathBuf> {
    let cwd = run.cwd.as_deref()?;
    let (file, strip, folder): (String, usize, String) = if run.is(&["patch"]) {
        let options = Options::read(
            &run.args,
            &["-p", "-i", "--input", "-d", "--directory", "-o", "-r", "-B", "-F"],
            false,
        );
        let named = options.value(&["-i", "--input"]);
        let file = named.or_else(|| input(run, analysis))?.to_owned();
        if options.has(&["--dry-run"]) {
            return None;
        }
        let folder = join(cwd, options.value(&["-d", "--directory"]).unwrap_or("."));
        (file, options.value(&["-p"]).and_then(|count| count.parse().ok()).unwrap_or(1), folder)
    } else if run.is(&["git"]) {
        let at = run.args.iter().position(|arg| matches!(arg.text.as_str(), "apply" | "am"))?;
        let options =
            Options::read(&run.args[at + 1..], &["-p", "-C", "--directory", "--exclude", "--include"], false);
        if options.has(&["--check", "--stat", "--numstat", "--summary", "--cached"]) {
            return None;
        }
        let named = options.operands.first().and_then(|word| word.literal()).filter(|name| *name != "-");
        let strip = options.value(&["-p"]).and_then(|count| count.parse().ok()).unwrap_or(1);
        let in_folder = Options::read(&run.args[..at], &["-C", "-c"], false);
        let folders = in_folder.all(&["-C"]).filter_map(|given| given.value.as_deref());
        let folder = folders.fold(cwd.to_owned(), |folder, next| join(&folder, next));
        let named = named.map(|file| join(&folder, file));
        let file = named.or_else(|| Some(join(cwd, input(run, analysis)?)))?;
        (file, strip, join(&folder, options.value(&["--directory"]).unwrap_or(".")))
    } else {
        return None;
    };
    let text = view.read(&view.resolve(cwd, &file)).ok().filter(|text| text.len() <= LONGEST_PATCH)?;
    let named =
        text.lines().filter_map(|line| line.strip_prefix("+++ ").or_else(|| line.strip_prefix("--- ")));
    let paths = named.filter_map(|named| named.split('\t').next()?.splitn(strip + 1, '/').nth(strip));
    let mut real = paths.map(|path| view.resolve(&folder, path.trim_end()));
    real.find(|path| is_own(path, view) || view.settings_files().contains(path))
}

/// The file that a run reads as its input: by `<`, or as `cat` prints it.
fn input<'r>(run: &'r Run, analysis: &'r Analysis) -> Option<&'r str> {
    let is_read = |file: &&engine_shell::Redirect| file.kind == engine_shell::RedirectKind::Read;
    let printed = || {
        let before = run.fed_by.iter().filter_map(|index| analysis.runs.get(*index));
        before.filter(|run| run.is(&["cat"])).find_map(|run| run.args.first())
    };
    run.files.iter().find(is_read).map(|file| &file.target).or_else(printed)?.literal()
}

/// What is protected in a folder of the project that a command shuts: `chmod 000 .`.
pub(super) fn shut_in(
    effect: &Effect,
    run: &Run,
    path: &Path,
    view: &(impl View + ?Sized),
) -> Option<PathBuf> {
    let is_folder = matches!(effect, Effect::Attributes { recursive: false, pattern: false, .. });
    if !is_folder || !path.starts_with(view.root()) || (run.is(&["chmod"]) && !run.args.iter().any(shuts)) {
        return None;
    }
    protected(view).find(|own| own != path && own.starts_with(path) && view.exists(own))
}

pub(super) fn refused_shut(run: &str, path: &Path, own: &Path) -> Finding {
    Finding::deny(format!(
        "`{run}` would shut {}, and with it {}, which belongs to engine or wires it into the client. A mode passes that leaves the \
         owner what it takes to read it and to go into it: chmod u+rx.",
        path.display(),
        own.display()
    ))
    .because("a folder that holds a protected file would be shut")
}

/// Whether a mode takes from the owner of a folder what it takes to look into it.
fn shuts(mode: &Word) -> bool {
    let text = mode.text.as_str();
    if !text.is_empty() && text.bytes().all(|c| (b'0'..=b'7').contains(&c)) {
        let owner = text.bytes().rev().nth(2).unwrap_or(b'0') - b'0';
        return owner & 5 != 5;
    }
    text.split(',').any(|clause| {
        let Some(at) = clause.find(['-', '=', '+']) else { return false };
        let (who, rights) = clause.split_at(at);
        let is_owner = who.is_empty() || who.contains(['u', 'a']);
        let is_who = who.chars().all(|c| "ugoa".contains(c));
        let is_rights = rights[1..].chars().all(|c| "rwxXst".contains(c));
        let takes = match &rights[..1] {
            "-" => rights.contains(['r', 'x', 'X']),
            "=" => !(rights.contains('r') && rights.contains(['x', 'X'])),
            _ => false,
        };
        is_who && is_rights && is_owner && takes
    })
}

/// The protected file that a path is by another name, where a file has several.
pub(super) fn linked(path: &Path, view: &(impl View + ?Sized)) -> Option<PathBuf> {
    if !view.has_other_names(path) {
        return None;
    }
    let state = view.work().map(|work| sessions(view).join(&work.name).join("state.json"));
    let programs = view.own_programs().iter().cloned();
    let mut all = protected(view).chain(state).chain(programs);
    all.find(|own| own != path && view.is_same_file(own, path))
}

/// What a refusal says of a file with two names.
pub(super) fn refused_link(what: &str, path: &Path, own: &Path) -> Finding {
    Finding::deny(format!(
        "{what} {}, which is {} by another name (a hard link). That file belongs to engine or wires it into the client. A copy is free \
         to change: cp it, and write the copy.",
        path.display(),
        own.display()
    ))
    .because("device and inode are those of a protected file")
}
