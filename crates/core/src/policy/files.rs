//! Pack files, and what is piped into a shell.

use super::facts::CallFacts;
use super::{Built, Level};
use engine_shell::{Effect, Options, Run};

pub(super) const FILES: &[Built] = &[
    Built {
        id: "files.delete-root",
        since: "0.1.0",
        verdict: Level::Block,
        about: "a recursive delete of /, a system folder, the home folder, the project, what holds it, or .git",
        reason: "everything in it would be lost",
        instead: "naming the files or the folder below it that are meant",
        matches: |facts| deleted(facts, |path, pattern| facts.places.is_vital(path, pattern)),
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
            deleted(facts, |path, _| is_placed(path) && !places.is_inside(path) && !places.is_temporary(path))
        },
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
            effect(
                facts,
                |effect| matches!(effect, Effect::Attributes { path, recursive: true, pattern, .. } if facts.places.is_vital(path, *pattern)),
            )
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
                run.args.iter().any(|arg| arg.unknown || arg.text.starts_with("/dev/"))
            }
            Some(program) => {
                run.args.iter().filter_map(|arg| arg.literal()).any(is_disk) && changes_disk(program, run)
            }
            None => false,
        };
        facts.runs().find(|(_, run)| formats(run)).map(|(index, _)| index)
    })
}

/// Whether a program for disks changes the one that it names, by its options.
fn changes_disk(program: &str, run: &Run) -> bool {
    let options = Options::read(&run.args, &["-o", "--offset", "-t", "--types"], false);
    match program {
        "wipefs" => options.has(&["-a", "--all", "-o", "--offset"]) && !options.has(&["-n", "--no-act"]),
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
        "blkdiscard" => true,
        _ => false,
    }
}

const LOADERS: &[&str] = &["curl", "wget", "fetch"];
const INTERPRETERS: &[&str] = &[
    "sh", "bash", "zsh", "dash", "ksh", "ash", "python", "python2", "python3", "node", "perl", "ruby", "php",
    "deno", "bun",
];

fn runs_download(facts: &CallFacts) -> Option<usize> {
    let loads = |runs: &[usize]| {
        runs.iter().any(|index| facts.analysis.runs.get(*index).is_some_and(|run| run.is(LOADERS)))
    };
    let found = facts.runs().find(|(_, run)| {
        if run.is(INTERPRETERS) {
            let is_shell = run.is(&["sh", "bash", "zsh", "dash", "ksh", "ash"]);
            let code_flags: &[&str] = if is_shell { &["-c"] } else { &["-c", "-e", "-E", "-p"] };
            let values: &[&str] =
                if is_shell { &["-o", "-O"] } else { &["-c", "-e", "-E", "-p", "-m", "-W", "-X"] };
            let options = Options::read(&run.args, values, true);
            if options.has(&["-n", "-m"]) && (is_shell || options.has(&["-m"])) {
                return false;
            }
            // Only the code itself counts; the operands behind it are data.
            let given = options.all(code_flags).next();
            let code = given.and_then(|given| given.word).or_else(|| options.operands.first().copied());
            let from_stdin = given.is_none()
                && (options.operands.is_empty()
                    || options.has(&["-s"])
                    || matches!(options.operands[0].text.as_str(), "-" | "/dev/stdin"));
            code.is_some_and(|code| loads(&code.from)) || (from_stdin && loads(&run.fed_by))
        } else if run.is(&["eval", "source", "."]) {
            run.args.iter().any(|arg| loads(&arg.from))
                || (run.args.first().is_some_and(|arg| arg.text == "/dev/stdin") && loads(&run.fed_by))
        } else {
            false
        }
    });
    found.map(|(index, _)| index)
}
