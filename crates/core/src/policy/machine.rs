//! Pack machine: what stops or breaks the whole machine.

use super::code::text_of;
use super::facts::CallFacts;
use super::files::effect;
use super::git::configures_code;
use super::mount::mounts_machine;
use super::{Built, Level, startup};
use engine_shell::{Effect, Options, RedirectKind, Run, Word};
use engine_text::glob;

pub(super) const MACHINE: &[Built] = &[
    Built {
        id: "machine.fork-bomb",
        since: "0.1.0",
        verdict: Level::Block,
        about: "a function or a program that starts itself again and again",
        reason: "it would start programs until the machine stands still",
        instead: "a loop with a fixed number of rounds",
        matches: |facts| facts.analysis.multiplies.or_else(|| run(facts, forks_forever)),
    },
    Built {
        id: "machine.kill-all",
        since: "0.1.0",
        verdict: Level::Block,
        about: "ending every process",
        reason: "every process of the person would end, this one too",
        instead: "kill with the id of the process that is meant",
        matches: |facts| run(facts, kills_all),
    },
    Built {
        id: "machine.power",
        since: "0.1.0",
        verdict: Level::Ask,
        about: "shutting down or restarting the machine",
        reason: "everything that runs on the machine would end",
        instead: "leaving it to the person",
        matches: |facts| {
            let triggers = |effect: &Effect| matches!(effect, Effect::Write { path, .. } if path == "/proc/sysrq-trigger");
            run(facts, stops_machine).or_else(|| effect(facts, triggers))
        },
    },
    Built {
        id: "machine.system-file",
        since: "0.1.0",
        verdict: Level::Block,
        about: "changing or deleting users, sudo rules, mounts, host names or what the machine starts from",
        reason: "nobody could log in, or the machine would not start",
        instead: "the program for it (useradd, visudo), run by the person",
        matches: |facts| {
            // The loss of a whole folder is the pack files'.
            let is_vital = |effect: &Effect| matches!(effect, Effect::Delete { path, recursive: true, pattern, .. } if facts.places.is_vital(path, *pattern));
            effect(facts, |effect| changes_system(effect) && !is_vital(effect))
        },
    },
    Built {
        id: "machine.crontab",
        since: "0.1.0",
        verdict: Level::Ask,
        about: "deleting or replacing the person's crontab",
        reason: "the jobs that are in it now would be lost",
        instead: "crontab -l to a file, and the person's word on the change",
        matches: |facts| run(facts, replaces_crontab),
    },
    Built {
        id: "machine.startup",
        since: "0.2.0",
        verdict: Level::Ask,
        about: "writing what the person's shell, login, ssh or git runs later: ~/.bashrc, ~/.ssh/authorized_keys, a global alias",
        reason: "the person's machine would run or obey it later, where nothing judges it",
        instead: "showing the person the line to add, or a file of the project",
        matches: |facts| startup::written(facts).or_else(|| configures_code(facts)),
    },
    Built {
        id: "machine.mount",
        since: "0.2.0",
        verdict: Level::Ask,
        about: "a container that may change the whole machine or the home folder: docker run -v /:/host",
        reason: "what runs in the container could change every file there, and is not judged",
        instead: "the folder that it needs, or :ro behind it",
        matches: |facts| run(facts, |run| mounts_machine(facts, run)),
    },
];

fn run(facts: &CallFacts, holds: impl Fn(&Run) -> bool) -> Option<usize> {
    facts.runs().find(|(_, run)| holds(run)).map(|(index, _)| index)
}

/// `:(){:|:&};:`, which another shell takes and bash does not: a function that pipes into itself, by its letters.
pub(super) fn defines_bomb(text: &str) -> bool {
    let code: String = text.chars().filter(|c| !c.is_whitespace()).take(4096).collect();
    code.match_indices("(){").take(8).any(|(at, mark)| {
        let name = code[..at].rsplit([';', '&', '|', '\'', '"']).next().unwrap_or_default();
        !name.is_empty() && code[at + mark.len()..].starts_with(&format!("{name}|{name}"))
    })
}

/// Code of other languages that forks in a loop that nothing ends.
fn forks_forever(run: &Run) -> bool {
    let Some(text) = text_of(run) else { return false };
    let code: String = text.chars().filter(|c| !c.is_whitespace()).take(4096).collect();
    let endless = [
        "while1",
        "while(1)",
        "whileTrue",
        "whiletrue",
        "while(true)",
        "for(;;)",
        "whilefork",
        "while(fork",
        "while(pcntl_fork",
        "loop{",
        "loopdo",
    ];
    code.contains("fork") && !code.contains("wait") && endless.iter().any(|start| code.contains(start))
}

fn kills_all(run: &Run) -> bool {
    match run.program.as_deref() {
        Some("kill") => {
            let words: Vec<&str> = run.args.iter().map(|arg| arg.text.as_str()).collect();
            // The first word with a dash is the signal.
            let targets = match words.as_slice() {
                ["-l" | "-L" | "--list" | "--table" | "--help" | "-0", ..] => &[],
                ["-s" | "-n" | "--signal", _, rest @ ..] => rest,
                ["--", ..] => &words[..],
                [first, rest @ ..] if first.starts_with('-') => rest,
                _ => &words[..],
            };
            targets.contains(&"-1")
        }
        Some("killall5") => !run.args.iter().any(|arg| arg.text == "--help"),
        Some("pkill") => {
            let valued = ["-u", "-U", "-G", "-g", "-P", "-s", "-t", "-F", "--euid", "--uid", "--signal"];
            // `-9` and `-KILL` are signals.
            let is_signal = |arg: &&Word| {
                let name = arg.text.strip_prefix('-').unwrap_or_default();
                name.starts_with(|c: char| c.is_ascii_digit() || c.is_ascii_uppercase()) && name.len() != 1
                    || name.starts_with(|c: char| c.is_ascii_digit())
            };
            let rest: Vec<Word> = run.args.iter().filter(|arg| !is_signal(arg)).cloned().collect();
            let options = Options::read(&rest, &valued, false);
            let pattern = options.operands.first().and_then(|word| word.literal());
            pattern.is_some_and(|pattern| matches!(pattern, "" | "." | ".*" | "^" | "^.*" | ".*$" | ".+"))
                && !run.args.iter().any(|arg| arg.text == "-0")
        }
        _ => false,
    }
}

fn stops_machine(run: &Run) -> bool {
    let Some(program) = run.program.as_deref() else { return false };
    let options = Options::read(&run.args, &["-t", "-H", "-M", "-s", "-p", "--host", "--machine"], false);
    let first = options.operands.first().map(|word| word.text.as_str()).unwrap_or_default();
    if options.has(&["--help", "--version"]) {
        return false;
    }
    match program {
        "shutdown" => !options.has(&["-c", "-k", "--show"]) && !run.args.is_empty(),
        "reboot" | "halt" | "poweroff" => !options.has(&["-w", "--wtmp-only"]),
        "init" | "telinit" => matches!(first, "0" | "6"),
        "systemctl" => matches!(first, "poweroff" | "reboot" | "halt" | "kexec" | "soft-reboot"),
        _ => false,
    }
}

/// Files of the system, and folders that count with all that is in them.
const SYSTEM_FILES: &[&str] = &[
    "/etc/passwd",
    "/etc/shadow",
    "/etc/group",
    "/etc/gshadow",
    "/etc/sudoers",
    "/etc/fstab",
    "/etc/hosts",
    "/etc/ld.so.preload",
];
const SYSTEM_FOLDERS: &[&str] = &["/etc/sudoers.d", "/etc/pam.d", "/boot"];

fn changes_system(effect: &Effect) -> bool {
    let path = effect.path();
    let is_pattern = effect.is_pattern();
    let is_file = |file: &str| path == file || (is_pattern && glob::expands_to(path, file));
    let is_in = |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    matches!(effect, Effect::Write { .. } | Effect::Delete { .. })
        && (SYSTEM_FILES.iter().any(|file| is_file(file))
            || SYSTEM_FOLDERS.iter().any(|folder| is_in(folder)))
}

fn replaces_crontab(run: &Run) -> bool {
    if !run.is(&["crontab"]) {
        return false;
    }
    let options = Options::read(&run.args, &["-u", "-c"], false);
    let is_fed = || {
        let reads = run.files.iter().any(|file| file.kind == RedirectKind::Read);
        reads || run.input.is_some() || !run.fed_by.is_empty()
    };
    let looks = options.has(&["-l", "-e", "-T", "-V", "--help", "--version"]);
    options.has(&["-r"]) || (!looks && (!options.operands.is_empty() || is_fed()))
}
