//! Pack files, and what is piped into a shell.

use super::facts::{CallFacts, everything_in, is_in_repository};
use super::{Built, Level};
use engine_shell::{Effect, Options, Run, Word};
use engine_text::path::join;

pub(super) const FILES: &[Built] = &[
    Built {
        id: "files.delete-root",
        since: "0.1.0",
        verdict: Level::Block,
        about: "a recursive delete of /, a system folder, the home folder, the project, what holds it, or .git",
        reason: "everything in it would be lost",
        instead: "naming the files or the folder below it that are meant",
        matches: |facts| {
            deleted(facts, |path, pattern| facts.places.is_vital(path, pattern)).or_else(|| emptied(facts))
        },
    },
    Built {
        id: "files.delete-outside",
        since: "0.1.0",
        verdict: Level::Ask,
        about: "a recursive delete outside the project and the temporary folders",
        reason: "it lies outside the project",
        instead: "leaving it to the person",
        matches: |facts| {
            let places = &facts.places;
            // Of what is found by its name, or whose beginning is unknown, nobody knows where it lies.
            let is_placed = |path: &str| path.starts_with('/') && !path.contains("/**/");
            let is_outside =
                |path: &str| is_placed(path) && !places.is_inside(path) && !places.is_temporary(path);
            // The home of somebody else, or a place above one that nobody knows.
            let leads_out = |path: &str| {
                path.strip_prefix("…/").is_some_and(|tail| tail.starts_with('~') || tail.starts_with("../"))
            };
            deleted(facts, |path, _| is_outside(path) || leads_out(path))
        },
    },
    Built {
        id: "files.repository",
        since: "0.2.0",
        verdict: Level::Block,
        about: "moving or overwriting .git or what is in it",
        reason: "git would find its repository no more, or find it broken",
        instead: "the command of git that changes it",
        matches: |facts| effect(facts, |effect| breaks_repository(facts, effect)),
    },
    Built {
        id: "files.device",
        since: "0.1.0",
        verdict: Level::Block,
        about: "mkfs, dd or another write to a disk",
        reason: "what is on the disk would be lost",
        instead: "a file as the target",
        matches: writes_device,
    },
    Built {
        id: "files.protected",
        since: "0.1.0",
        verdict: Level::Block,
        about: "changing or deleting a file of policy.protected",
        reason: "the project protects this file",
        instead: "asking the person to change it",
        matches: |facts| effect(facts, |effect| facts.is_protected(effect)),
    },
    Built {
        id: "files.chmod-root",
        since: "0.1.0",
        verdict: Level::Block,
        about: "chmod -R, chown -R on /, a system folder, the home folder or the project",
        reason: "owners or modes of everything below would change",
        instead: "naming the files that are meant",
        matches: |facts| {
            effect(facts, |effect| match effect {
                Effect::Attributes { path, recursive: true, pattern, .. } => {
                    facts.places.is_vital(path, *pattern)
                }
                // Every file or every folder that find finds; in the project that mends modes.
                Effect::Attributes { path, pattern: true, .. } => {
                    let folder =
                        path.strip_suffix("/**/*").map(|folder| if folder.is_empty() { "/" } else { folder });
                    folder.is_some_and(|folder| {
                        facts.places.is_vital(folder, false) && !facts.places.is_inside(folder)
                    })
                }
                _ => false,
            })
        },
    },
];

pub(super) const NETWORK: &[Built] = &[Built {
    id: "network.pipe-to-shell",
    since: "0.1.0",
    verdict: Level::Ask,
    about: "running what curl or wget brings, unread",
    reason: "nobody has read what would be run",
    instead: "downloading it to a file, reading it, then running it",
    matches: runs_download,
}];

pub(super) fn effect(facts: &CallFacts, holds: impl Fn(&Effect) -> bool) -> Option<usize> {
    facts.effects.iter().find(|effect| holds(effect)).map(Effect::run)
}

fn deleted(facts: &CallFacts, holds: impl Fn(&str, bool) -> bool) -> Option<usize> {
    // What git removes or moves, it can bring back.
    let is_move = |effect: &Effect| facts.analysis.runs[effect.run()].is(&["mv", "gmv", "git", "hub"]);
    effect(facts, |effect| match effect {
        Effect::Delete { path, recursive: true, pattern, .. } => !is_move(effect) && holds(path, *pattern),
        Effect::Delete { path, pattern, .. } => {
            facts.analysis.runs[effect.run()].is(&["shred"]) && holds(path, *pattern)
        }
        _ => false,
    })
}

/// `rm -f *`, `mv * /tmp/`: every file of a folder is gone, though no folder is deleted.
fn emptied(facts: &CallFacts) -> Option<usize> {
    let places = &facts.places;
    let takes_all = |path: &str, pattern| {
        pattern
            && everything_in(path)
                .is_some_and(|folder| places.is_vital(folder, false) && !is_in_repository(folder))
    };
    // What is moved within the project is still there.
    let moves_out = |run: usize| {
        facts.effects.iter().any(|effect| {
            matches!(effect, Effect::Write { run: by, path, .. } if *by == run && path.starts_with('/') && !places.is_inside(path))
        })
    };
    effect(facts, |effect| {
        let Effect::Delete { run, path, pattern, .. } = effect else { return false };
        let by = &facts.analysis.runs[*run];
        // What find finds is narrowed by its tests.
        if !by.args.iter().any(|arg| arg.glob) {
            return false;
        }
        let is_gone = by.is(&["rm", "grm", "unlink"]) || (by.is(&["mv", "gmv"]) && moves_out(*run));
        is_gone && takes_all(path, *pattern)
    })
}

/// Files of a repository that people write by hand, and what git leaves behind when it is stopped.
const FREE_IN_REPOSITORY: &[&str] = &["info/exclude", "config", "description", "COMMIT_EDITMSG"];

fn breaks_repository(facts: &CallFacts, effect: &Effect) -> bool {
    let run = &facts.analysis.runs[effect.run()];
    let path = effect.path();
    // Git knows what it does to its own; what is deleted for good is another rule's.
    if run.is(&["git", "hub", "shred"]) || !is_in_repository(path) {
        return false;
    }
    let inside = path.rsplit_once("/.git/").map(|(_, inside)| inside);
    let is_free = inside.is_some_and(|inside| {
        FREE_IN_REPOSITORY.contains(&inside)
            || inside == "hooks"
            || inside.starts_with("hooks/")
            || inside.starts_with("lfs/")
            || inside.rsplit('.').next() == Some("lock")
    });
    let moves = run.is(&["mv", "gmv"]);
    match effect {
        Effect::Delete { recursive, .. } => !is_free && (moves || !recursive),
        // A repository may be copied to another place, where it replaces none.
        Effect::Write { .. } => {
            !is_free && (inside.is_some() || path == format!("{}/.git", facts.places.root))
        }
        _ => false,
    }
}

fn writes_device(facts: &CallFacts) -> Option<usize> {
    let is_disk = |path: &str| {
        let disks = [
            "/dev/sd",
            "/dev/nvme",
            "/dev/hd",
            "/dev/vd",
            "/dev/xvd",
            "/dev/disk",
            "/dev/mmcblk",
            "/dev/mapper/",
            "/dev/loop",
            "/dev/md",
        ];
        disks.iter().any(|disk| path.starts_with(disk))
    };
    let written = effect(facts, |effect| {
        let by_dd = facts.analysis.runs[effect.run()].is(&["dd"]);
        let harmless = ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd", "/dev/shm"];
        let other_device =
            |path: &str| path.starts_with("/dev/") && !harmless.iter().any(|known| path.starts_with(known));
        matches!(effect, Effect::Write { path, .. } if is_disk(path) || (by_dd && other_device(path)))
    });
    written.or_else(|| {
        let formats = |run: &Run| match run.program.as_deref() {
            // A plain file may get a file system; what is unknown may be a disk.
            Some(program) if program.starts_with("mkfs") || matches!(program, "mke2fs" | "mkswap") => {
                names_device(run)
            }
            Some(program) if destroys_storage(program, run) => true,
            Some(program) => {
                run.args.iter().filter_map(|arg| arg.literal()).any(is_disk) && changes_disk(program, run)
            }
            None => false,
        };
        facts.runs().find(|(_, run)| formats(run)).map(|(index, _)| index)
    })
}

fn names_device(run: &Run) -> bool {
    run.args.iter().any(|arg| arg.unknown || arg.text.starts_with("/dev/"))
}

/// How a program throws away what is on a device, a volume or a pool.
struct Destroyer {
    programs: &'static [&'static str],
    /// One of these is among its operands; none: any operand.
    operands: &'static [&'static str],
    /// Or one of these is given, glued values left out.
    options: &'static [&'static str],
    /// It must name a device. A plain file may be formatted.
    on_device: bool,
}

const DESTROYERS: &[Destroyer] = &[
    Destroyer {
        programs: &["cryptsetup"],
        operands: &["luksFormat", "luksErase", "erase"],
        options: &[],
        on_device: true,
    },
    Destroyer { programs: &["nvme"], operands: &["format", "sanitize"], options: &[], on_device: true },
    Destroyer {
        programs: &["mdadm"],
        operands: &[],
        options: &["--zero-superblock", "--create", "-C"],
        on_device: true,
    },
    Destroyer {
        programs: &["pvremove", "vgremove", "lvremove"],
        operands: &[],
        options: &[],
        on_device: false,
    },
    Destroyer {
        programs: &["lvm"],
        operands: &["pvremove", "vgremove", "lvremove"],
        options: &[],
        on_device: false,
    },
    Destroyer { programs: &["zpool", "zfs"], operands: &["destroy"], options: &[], on_device: false },
    Destroyer { programs: &["badblocks"], operands: &[], options: &["-w"], on_device: true },
    Destroyer {
        programs: &["hdparm"],
        operands: &[],
        options: &["--security-erase", "--security-erase-enhanced", "--trim-sector-ranges"],
        on_device: true,
    },
    Destroyer { programs: &["blkdiscard"], operands: &[], options: &[], on_device: true },
];

fn destroys_storage(program: &str, run: &Run) -> bool {
    let Some(row) = DESTROYERS.iter().find(|row| row.programs.contains(&program)) else { return false };
    let options = Options::read(&run.args, &[], false);
    let names = |word: &&engine_shell::Word| row.operands.contains(&word.text.as_str());
    let does = match (row.operands, row.options) {
        ([], []) => !options.operands.is_empty(),
        _ => options.operands.iter().any(names) || options.has(row.options),
    };
    does && (!row.on_device || names_device(run))
}

/// Whether a program for disks changes the one that it names, by its options.
fn changes_disk(program: &str, run: &Run) -> bool {
    let options = Options::read(&run.args, &["-o", "--offset", "-t", "--types"], false);
    match program {
        "wipefs" => options.has(&["-a", "--all", "-o", "--offset"]),
        "fdisk" => !options.has(&["-l", "--list"]),
        "sfdisk" => !options.has(&["-l", "--list", "-d", "--dump", "-J", "--json", "-V", "--verify", "-n"]),
        "parted" => {
            let commands: Vec<&str> =
                options.operands.iter().skip(1).map(|word| word.text.as_str()).collect();
            let looks = commands.contains(&"print") || options.has(&["-l", "--list"]);
            let changes = ["mk", "rm", "resize", "set", "name", "toggle", "rescue", "disk_"];
            !looks || commands.iter().any(|command| changes.iter().any(|start| command.starts_with(start)))
        }
        "sgdisk" => {
            let looks =
                ["-p", "--print", "-i", "--info", "-v", "--verify", "-L", "--list-types", "-b", "--backup"];
            let plain = Options::read(&run.args, &["-i", "-b"], false);
            !plain.given.iter().all(|given| looks.contains(&given.name.as_str()))
        }
        _ => false,
    }
}

const LOADERS: &[&str] = &["curl", "wget", "fetch", "http", "https"];
const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh", "ash", "fish"];
/// Beside the shells, and without the number of a version: `python3.12`.
const INTERPRETERS: &[&str] =
    &["python", "pypy", "node", "nodejs", "perl", "ruby", "php", "deno", "bun", "pwsh", "powershell", "lua"];

fn is_interpreter(run: &Run) -> bool {
    let Some(program) = run.program.as_deref() else { return false };
    let name = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    SHELLS.contains(&program) || INTERPRETERS.contains(&name)
}

fn runs_download(facts: &CallFacts) -> Option<usize> {
    let is_loader = |index: &usize| facts.analysis.runs.get(*index).is_some_and(|run| run.is(LOADERS));
    let loads = |runs: &[usize]| runs.iter().any(is_loader);
    facts.runs().find(|(_, run)| run.is(LOADERS))?;
    // Files that hold what was loaded: by a redirection, an option of the loader, or `tee` behind it.
    let loaded: Vec<(usize, &str)> = facts
        .effects
        .iter()
        .filter(|effect| matches!(effect, Effect::Write { pattern: false, .. }))
        .filter(|effect| {
            let is_tee = |run: &Run| run.is(&["tee"]) && loads(&run.fed_by);
            is_loader(&effect.run()) || facts.analysis.runs.get(effect.run()).is_some_and(is_tee)
        })
        .map(|effect| (effect.run(), effect.path()))
        .collect();
    let was_brought = |index: usize, run: &Run, file: &Word| {
        let path = file.literal().zip(run.cwd.as_deref()).map(|(file, cwd)| join(cwd, file));
        path.is_some_and(|path| loaded.iter().any(|(by, known)| *by < index && *known == path))
    };
    let found = facts.runs().find(|(index, run)| {
        if is_interpreter(run) {
            let is_shell = run.is(SHELLS);
            let code_flags: &[&str] = if is_shell { &["-c"] } else { &["-c", "-e", "-E", "-p"] };
            let values: &[&str] =
                if is_shell { &["-o", "-O"] } else { &["-c", "-e", "-E", "-p", "-m", "-W", "-X"] };
            let options = Options::read(&run.args, values, true);
            if options.has(&["-n", "-m"]) && (is_shell || options.has(&["-m"])) {
                return false;
            }
            // Only the code itself counts; the operands behind it are data.
            let given = options.all(code_flags).next();
            let is_word = |word: &&Word| !matches!(word.text.as_str(), "run" | "eval");
            let operand = options.operands.iter().copied().find(is_word);
            let code = given.and_then(|given| given.word).or(operand);
            let from_stdin = given.is_none()
                && (options.operands.is_empty()
                    || options.has(&["-s"])
                    || operand.is_some_and(|word| matches!(word.text.as_str(), "-" | "/dev/stdin")));
            let is_file = given.is_none() && operand.is_some_and(|file| was_brought(*index, run, file));
            code.is_some_and(|code| loads(&code.from)) || (from_stdin && loads(&run.fed_by)) || is_file
        } else if run.is(&["eval", "source", "."]) {
            run.args.iter().any(|arg| loads(&arg.from))
                || run.args.first().is_some_and(|arg| {
                    (arg.text == "/dev/stdin" && loads(&run.fed_by)) || was_brought(*index, run, arg)
                })
        } else {
            run.path.text.contains('/') && was_brought(*index, run, &run.path)
        }
    });
    found.map(|(index, _)| index)
}
