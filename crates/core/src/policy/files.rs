//! Packs files, secrets and network.

use super::scene::Scene;
use super::{Built, Verdict};
use crate::shell::{Effect, Options, Run};

pub(super) const FILES: &[Built] = &[
    Built {
        id: "files.delete-root",
        verdict: Verdict::Block,
        about: "a recursive delete of /, a system folder, the home folder, the project, what holds it, or .git",
        reason: "everything in it would be lost",
        instead: "naming the files or the folder below it that are meant",
        matches: |scene| deleted(scene, |path, pattern| scene.places.is_vital(path, pattern)),
    },
    Built {
        id: "files.delete-outside",
        verdict: Verdict::Ask,
        about: "a recursive delete outside the project and the temporary folders",
        reason: "it lies outside the project",
        instead: "leaving it to the person",
        matches: |scene| {
            let places = &scene.places;
            deleted(scene, |path, _| !places.is_inside(path) && !places.is_temporary(path))
        },
    },
    Built {
        id: "files.device",
        verdict: Verdict::Block,
        about: "mkfs, dd or another write to a disk",
        reason: "what is on the disk would be lost",
        instead: "a file as the target",
        matches: writes_device,
    },
    Built {
        id: "files.protected",
        verdict: Verdict::Block,
        about: "changing or deleting a file of policy.protected",
        reason: "the project protects this file",
        instead: "asking the person to change it",
        matches: |scene| {
            let listed =
                |path: &str| scene.protected.iter().any(|pattern| super::glob::matches(pattern, path));
            effect(scene, |effect| effect.changes() && listed(effect.path()))
        },
    },
    Built {
        id: "files.chmod-root",
        verdict: Verdict::Block,
        about: "chmod -R, chown -R on /, a system folder, the home folder or the project",
        reason: "owners or modes of everything below would change",
        instead: "naming the files that are meant",
        matches: |scene| {
            effect(
                scene,
                |effect| matches!(effect, Effect::Attributes { path, pattern, .. } if scene.places.is_vital(path, *pattern)),
            )
        },
    },
];

pub(super) const SECRETS: &[Built] = &[
    Built {
        id: "secrets.read-keys",
        verdict: Verdict::Ask,
        about: "reading a private key or a credential file",
        reason: "its content would reach the model and the transcript",
        instead: "the program that uses the key, without showing it",
        matches: |scene| {
            effect(scene, |effect| matches!(effect, Effect::Read { path, .. } if is_key(scene, path)))
        },
    },
    Built {
        id: "secrets.read-env-file",
        verdict: Verdict::Ask,
        about: "reading .env or .env.*",
        reason: "its content would reach the model and the transcript",
        instead: "the names alone: .env.example, or asking the person",
        matches: |scene| {
            effect(scene, |effect| matches!(effect, Effect::Read { path, .. } if is_env_file(path)))
        },
    },
    Built {
        id: "secrets.print-env",
        verdict: Verdict::Ask,
        about: "printing the whole environment",
        reason: "keys in it would reach the model and the transcript",
        instead: "printenv NAME",
        matches: |scene| {
            let run = scene.runs().find(|(_, run)| prints_environment(run)).map(|(index, _)| index);
            run.or_else(|| {
                effect(scene, |effect| {
                    matches!(effect, Effect::Read { path, .. } if path.starts_with("/proc/") && path.ends_with("/environ"))
                })
            })
        },
    },
];

pub(super) const NETWORK: &[Built] = &[Built {
    id: "network.pipe-to-shell",
    verdict: Verdict::Ask,
    about: "running what curl or wget brings, unread",
    reason: "nobody has read what would be run",
    instead: "downloading it to a file, reading it, then running it",
    matches: runs_download,
}];

fn effect(scene: &Scene, holds: impl Fn(&Effect) -> bool) -> Option<usize> {
    scene.effects.iter().find(|effect| holds(effect)).map(Effect::run)
}

fn deleted(scene: &Scene, holds: impl Fn(&str, bool) -> bool) -> Option<usize> {
    let is_move = |effect: &Effect| scene.analysis.runs[effect.run()].is(&["mv", "gmv"]);
    effect(scene, |effect| match effect {
        Effect::Delete { path, recursive: true, pattern, .. } => !is_move(effect) && holds(path, *pattern),
        Effect::Delete { path, pattern, .. } => {
            scene.analysis.runs[effect.run()].is(&["shred"]) && holds(path, *pattern)
        }
        _ => false,
    })
}

fn writes_device(scene: &Scene) -> Option<usize> {
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
    let written = effect(scene, |effect| {
        let by_dd = scene.analysis.runs[effect.run()].is(&["dd"]);
        let harmless = ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd", "/dev/shm"];
        let other_device =
            |path: &str| path.starts_with("/dev/") && !harmless.iter().any(|known| path.starts_with(known));
        matches!(effect, Effect::Write { path, .. } if is_disk(path) || (by_dd && other_device(path)))
    });
    written.or_else(|| {
        let formats = |run: &Run| {
            let program = run.program.as_deref().unwrap_or_default();
            let named = run.args.iter().filter_map(|arg| arg.literal()).any(is_disk);
            let looks = Options::read(&run.args, &[], false)
                .has(&["-l", "--list", "-n", "--no-act", "-p", "--print"]);
            program.starts_with("mkfs")
                || (matches!(program, "wipefs" | "fdisk" | "parted" | "sgdisk" | "sfdisk" | "blkdiscard")
                    && named
                    && !looks)
        };
        scene.runs().find(|(_, run)| formats(run)).map(|(index, _)| index)
    })
}

fn is_key(scene: &Scene, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let in_home = scene.places.below_home(path).is_some_and(|path| {
        (path.starts_with(".ssh/id_") && path.rsplit('.').next() != Some("pub"))
            || path.starts_with(".gnupg/")
            || matches!(
                path,
                ".aws/credentials"
                    | ".netrc"
                    | ".pgpass"
                    | ".npmrc"
                    | ".pypirc"
                    | ".docker/config.json"
                    | ".kube/config"
                    | ".config/gh/hosts.yml"
                    | ".git-credentials"
            )
    });
    let by_end =
        [".pem", ".key", ".p12", ".pfx"].iter().any(|end| name.len() > end.len() && name.ends_with(end));
    in_home || by_end || path == "/etc/shadow"
}

fn is_env_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let sample = [".example", ".sample", ".template", ".dist"].iter().any(|end| name.ends_with(end));
    name == ".env" || (name.starts_with(".env.") && !sample)
}

fn prints_environment(run: &Run) -> bool {
    let bare = |flags: &[&str]| run.args.iter().all(|arg| flags.contains(&arg.text.as_str()));
    match run.program.as_deref() {
        Some("printenv") => bare(&["-0", "--null"]),
        Some("env") => {
            let options =
                Options::read(&run.args, &["-u", "--unset", "-C", "--chdir", "-S", "--split-string"], true);
            let clean = options.has(&["-i", "--ignore-environment", "-"])
                || options.has(&["-S", "--split-string", "--help", "--version"]);
            !clean && options.operands.iter().all(|word| word.text.contains('='))
        }
        Some("export") => bare(&["-p"]),
        Some("declare" | "typeset") => !run.args.is_empty() && bare(&["-x", "-p", "-px", "-xp"]),
        Some("set") => run.args.is_empty(),
        Some("compgen") => {
            run.args.iter().any(|arg| matches!(arg.text.as_str(), "-v" | "-e")) && run.args.len() == 1
        }
        _ => false,
    }
}

const LOADERS: &[&str] = &["curl", "wget", "fetch"];
const INTERPRETERS: &[&str] = &[
    "sh", "bash", "zsh", "dash", "ksh", "ash", "python", "python2", "python3", "node", "perl", "ruby", "php",
    "deno", "bun",
];

fn runs_download(scene: &Scene) -> Option<usize> {
    let loads = |runs: &[usize]| {
        runs.iter().any(|index| scene.analysis.runs.get(*index).is_some_and(|run| run.is(LOADERS)))
    };
    let found = scene.runs().find(|(_, run)| {
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
            let given = options.given.iter().find(|(name, ..)| code_flags.contains(&name.as_str()));
            let code = match given {
                Some((_, Some(word), _)) => Some(*word),
                Some(_) | None => options.operands.first().copied(),
            };
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
