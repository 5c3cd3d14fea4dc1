//! The table of wrappers: programs that run other programs. To add a wrapper, add a row to [`TABLE`].
//!
//! A row is plain data. It says where the command stands among the wrapper's words, and what the wrapper changes for it. The walk reads
//! the rows ([`crate::walk`]), and so does what judges exit statuses ([`crate::status`]). Programs whose words follow rules of their own
//! are rows too: [`Runs::Special`] names the function that reads them.

use crate::option::Options;
use crate::word::Word;

/// One row: programs that run others in the same way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wrapper {
    pub(crate) names: &'static [&'static str],
    /// The subcommand that must be given.
    pub(crate) subcommand: Subcommand,
    /// Options that take a value.
    pub(crate) valued: &'static [&'static str],
    /// Options whose value is a line of shell, which is run in place of the operands. The first of them may also stand behind the
    /// operands that are skipped.
    pub(crate) code: &'static [&'static str],
    /// Options with which nothing is run.
    pub(crate) idle: &'static [&'static str],
    /// Options that name the folder of the command.
    pub(crate) folder: &'static [&'static str],
    /// How many operands stand before the command.
    pub(crate) skip: usize,
    /// Words that end the command; what follows is the wrapper's.
    pub(crate) until: &'static [&'static str],
    /// The command stands behind `--` only.
    pub(crate) separated: bool,
    pub(crate) runs: Runs,
    /// The command runs on another machine, or sees other files.
    pub(crate) remote: bool,
    pub(crate) environment: Environment,
    /// The exit status is that of the command.
    pub(crate) passes_status: bool,
}

/// A word without which the program runs nothing of its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subcommand {
    None,
    /// The first argument is one of these: `npm exec`.
    First(&'static [&'static str]),
    /// It stands behind any options: `uv --offline run`.
    Anywhere(&'static str),
}

impl Subcommand {
    /// The arguments behind it; nothing if it is not given.
    pub(crate) fn behind(self, args: &[Word]) -> Option<&[Word]> {
        let at = match self {
            Self::None => return Some(args),
            Self::First(names) => args.first().filter(|arg| names.contains(&arg.text.as_str())).map(|_| 0)?,
            Self::Anywhere(name) => args.iter().position(|arg| arg.text == name)?,
        };
        Some(&args[at + 1..])
    }
}

/// What the operands are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Runs {
    /// A program and its arguments.
    Command,
    /// Words that are joined to a line of shell.
    Joined,
    /// Nothing: only an option can hold code.
    Options,
    /// A function of its own reads them.
    Special(Special),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Special {
    Shell,
    Env,
    OtherUser,
    Eval,
    Source,
    Trap,
    /// `command` and `builtin`: in this shell, but no function.
    Builtin,
    /// The input is code.
    Input,
    Nix,
    Make,
    Xargs,
    Parallel,
    Find,
    Fd,
    Git,
    Container,
}

/// Whether the command sees the variables around the wrapper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Environment {
    Kept,
    Dropped,
    /// Dropped unless one of these is given, without a value.
    DroppedWithout(&'static [&'static str]),
    /// Dropped if one of these is given.
    DroppedWith(&'static [&'static str]),
}

impl Environment {
    pub(crate) fn is_dropped(self, options: &Options<'_>) -> bool {
        match self {
            Self::Kept => false,
            Self::Dropped => true,
            Self::DroppedWithout(names) => options.all(names).all(|given| given.value.is_some()),
            Self::DroppedWith(names) => options.has(names),
        }
    }
}

/// The row of a program.
pub(crate) fn of(program: &str) -> Option<&'static Wrapper> {
    let first = usize::from(*program.as_bytes().first()?);
    if LENGTHS[first] & length_bit(program) == 0 {
        return None;
    }
    TABLE.iter().find(|row| row.names.contains(&program))
}

/// For each first byte the lengths of the names in the table, as bits: most programs wrap nothing, and this says so without a look at
/// two hundred names.
static LENGTHS: [u32; 256] = {
    let mut lengths = [0; 256];
    let mut row = 0;
    while row < TABLE.len() {
        let names = TABLE[row].names;
        let mut at = 0;
        while at < names.len() {
            lengths[names[at].as_bytes()[0] as usize] |= length_bit(names[at]);
            at += 1;
        }
        row += 1;
    }
    lengths
};

/// Names of 31 bytes and more share a bit.
const fn length_bit(name: &str) -> u32 {
    1 << if name.len() < 31 { name.len() } else { 31 }
}

/// What a row says unless it says otherwise: all words behind the options are a command.
const ROW: Wrapper = Wrapper {
    names: &[],
    subcommand: Subcommand::None,
    valued: &[],
    code: &[],
    idle: &[],
    folder: &[],
    skip: 0,
    until: &[],
    separated: false,
    runs: Runs::Command,
    remote: false,
    environment: Environment::Kept,
    passes_status: false,
};

/// The same, for a wrapper that ends with the status of its command.
const PASSING: Wrapper = Wrapper { passes_status: true, ..ROW };

/// Every wrapper, with those that resemble each other together.
pub(crate) const TABLE: &[Wrapper] = &[
    // Shells and what belongs to them.
    Wrapper {
        names: &["sh", "bash", "zsh", "dash", "ksh", "ash", "mksh", "rbash", "fish"],
        valued: &["-o", "-O", "--rcfile", "--init-file"],
        runs: Runs::Special(Special::Shell),
        ..ROW
    },
    Wrapper { names: &["eval"], runs: Runs::Special(Special::Eval), ..ROW },
    Wrapper { names: &["source", "."], runs: Runs::Special(Special::Source), ..ROW },
    Wrapper { names: &["trap"], runs: Runs::Special(Special::Trap), ..ROW },
    Wrapper { names: &["builtin"], runs: Runs::Special(Special::Builtin), ..ROW },
    Wrapper { names: &["command"], idle: &["-v", "-V"], runs: Runs::Special(Special::Builtin), ..PASSING },
    Wrapper { names: &["exec"], valued: &["-a"], environment: Environment::DroppedWith(&["-c"]), ..PASSING },
    Wrapper { names: &["time"], valued: &["-f", "-o", "--format", "--output"], ..PASSING },
    // As somebody else.
    Wrapper {
        names: &["sudo"],
        valued: &[
            "-u", "-g", "-p", "-C", "-D", "-h", "-r", "-t", "-T", "-U", "-R", "--user", "--group",
            "--prompt", "--host", "--chdir",
        ],
        folder: &["-D", "--chdir"],
        environment: Environment::DroppedWithout(&["-E", "--preserve-env"]),
        ..PASSING
    },
    Wrapper { names: &["doas"], valued: &["-u", "-C", "-a"], environment: Environment::Dropped, ..PASSING },
    Wrapper { names: &["pkexec"], valued: &["--user"], environment: Environment::Dropped, ..ROW },
    Wrapper {
        names: &["su", "runuser"],
        valued: &["-c", "--command", "-s", "--shell", "-g", "--group", "-G", "-u", "--user", "-w"],
        code: &["-c", "--command"],
        environment: Environment::DroppedWithout(&["-m", "-p", "--preserve-environment"]),
        runs: Runs::Special(Special::OtherUser),
        ..ROW
    },
    Wrapper { names: &["chpst"], valued: &["-u", "-U", "-e", "-n"], ..ROW },
    Wrapper { names: &["fakeroot"], ..ROW },
    // In other surroundings.
    Wrapper {
        names: &["env"],
        valued: &[
            "-u",
            "--unset",
            "--uns",
            "--unse",
            "-C",
            "--chdir",
            "-S",
            "--split-string",
            "-a",
            "--argv0",
            "-P",
        ],
        runs: Runs::Special(Special::Env),
        ..PASSING
    },
    Wrapper { names: &["nice"], valued: &["-n", "--adjustment"], ..PASSING },
    Wrapper { names: &["ionice"], valued: &["-c", "-n", "-p", "--class", "--classdata"], ..PASSING },
    Wrapper { names: &["taskset", "chrt"], skip: 1, ..PASSING },
    Wrapper { names: &["prlimit"], valued: &["-p", "--pid"], ..PASSING },
    Wrapper { names: &["setarch", "linux32", "linux64"], ..PASSING },
    // Commands of the shell that call a line of shell for what they find.
    Wrapper {
        names: &["mapfile", "readarray", "compgen"],
        valued: &["-C", "-c", "-d", "-n", "-O", "-s", "-u", "-A", "-F", "-G", "-P", "-S", "-W", "-X"],
        code: &["-C", "-F"],
        runs: Runs::Options,
        ..ROW
    },
    Wrapper { names: &["nohup", "chronic", "unbuffer"], ..PASSING },
    Wrapper { names: &["setsid", "rlwrap", "dbus-run-session"], ..ROW },
    Wrapper { names: &["stdbuf"], valued: &["-i", "-o", "-e", "--input", "--output", "--error"], ..PASSING },
    Wrapper { names: &["caffeinate"], valued: &["-t", "-w"], ..PASSING },
    Wrapper { names: &["xvfb-run"], valued: &["-s", "-n", "-e", "-f", "--server-args"], ..PASSING },
    Wrapper {
        names: &["systemd-run"],
        valued: &["-p", "--property", "--unit", "-E", "--setenv", "--description"],
        environment: Environment::DroppedWithout(&["--scope"]),
        ..ROW
    },
    Wrapper {
        names: &["unshare"],
        valued: &[
            "-w",
            "--wd",
            "-R",
            "--root",
            "-S",
            "--setuid",
            "-G",
            "--setgid",
            "--propagation",
            "--map-user",
            "--map-group",
        ],
        folder: &["-w", "--wd"],
        ..PASSING
    },
    Wrapper {
        names: &["nsenter"],
        valued: &["-t", "--target", "-S", "--setuid", "-G", "--setgid"],
        ..PASSING
    },
    Wrapper {
        names: &["setpriv"],
        valued: &[
            "--reuid",
            "--regid",
            "--ruid",
            "--rgid",
            "--groups",
            "--inh-caps",
            "--ambient-caps",
            "--bounding-set",
            "--securebits",
            "--pdeathsig",
            "--selinux-label",
            "--apparmor-profile",
        ],
        environment: Environment::DroppedWith(&["--reset-env"]),
        ..PASSING
    },
    Wrapper { names: &["strace"], valued: &["-o", "-e", "-p", "-s", "-u"], ..PASSING },
    Wrapper { names: &["ltrace"], valued: &["-o", "-e", "-p", "-s", "-u"], ..ROW },
    // With a limit, in turn, again and again.
    Wrapper { names: &["timeout"], valued: &["-k", "-s", "--kill-after", "--signal"], skip: 1, ..PASSING },
    Wrapper {
        names: &["flock"],
        valued: &["-w", "-E", "--timeout", "--wait", "-c", "--command"],
        code: &["-c", "--command"],
        skip: 1,
        ..ROW
    },
    Wrapper { names: &["watch"], valued: &["-n", "--interval", "-q"], runs: Runs::Joined, ..ROW },
    Wrapper {
        names: &["script"],
        valued: &["-c", "--command"],
        code: &["-c", "--command"],
        runs: Runs::Options,
        ..ROW
    },
    Wrapper {
        names: &["watchexec"],
        valued: &[
            "-e",
            "--exts",
            "-w",
            "--watch",
            "-W",
            "-f",
            "--filter",
            "-i",
            "--ignore",
            "-s",
            "--signal",
            "-d",
            "--debounce",
            "-E",
            "--env",
            "-o",
            "--on-busy-update",
            "--stop-signal",
            "--stop-timeout",
            "--shell",
            "--workdir",
            "--delay-run",
            "--poll",
            "-j",
            "--filter-prog",
        ],
        folder: &["--workdir"],
        runs: Runs::Joined,
        ..ROW
    },
    Wrapper { names: &["entr"], valued: &["-s"], code: &["-s"], ..ROW },
    Wrapper {
        names: &["at", "batch", "crontab"],
        valued: &["-f", "-q", "-t", "-u"],
        idle: &["-l", "-r", "-d", "-c", "-e"],
        runs: Runs::Special(Special::Input),
        ..ROW
    },
    Wrapper {
        names: &["make", "gmake"],
        valued: &["-f", "--file", "--makefile", "-C", "--directory", "-I", "-j?", "-o", "-W"],
        idle: &["-n", "--dry-run", "--just-print", "--recon", "-q", "--question"],
        folder: &["-C", "--directory"],
        runs: Runs::Special(Special::Make),
        ..ROW
    },
    // In a terminal of its own.
    Wrapper {
        names: &["tmux", "tmate"],
        subcommand: Subcommand::First(&[
            "new-session",
            "new",
            "new-window",
            "neww",
            "split-window",
            "splitw",
            "respawn-pane",
            "respawnp",
            "respawn-window",
            "respawnw",
            "run-shell",
            "run",
            "display-popup",
            "popup",
        ]),
        valued: &["-c", "-e", "-f", "-F", "-l", "-n", "-s", "-t", "-x", "-y"],
        folder: &["-c"],
        until: &[";"],
        runs: Runs::Joined,
        ..ROW
    },
    Wrapper {
        names: &["screen"],
        valued: &["-S", "-c", "-e", "-h", "-p", "-s", "-t", "-T"],
        idle: &["-X", "-Q", "-r", "-x"],
        ..ROW
    },
    // Once for each of many.
    Wrapper {
        names: &["xargs"],
        valued: &[
            "-I",
            "-n",
            "-P",
            "-L",
            "-d",
            "-s",
            "-E",
            "-a",
            "--max-args",
            "--max-procs",
            "--max-lines",
            "--delimiter",
            "--arg-file",
            "-J",
            "-i?",
        ],
        runs: Runs::Special(Special::Xargs),
        ..ROW
    },
    Wrapper {
        names: &["parallel"],
        valued: &[
            "-j",
            "--jobs",
            "-P",
            "--max-procs",
            "-a",
            "--arg-file",
            "-C",
            "--colsep",
            "-n",
            "--max-args",
            "-N",
            "-L",
            "--max-lines",
            "-I",
            "-d",
            "--delimiter",
            "-S",
            "--sshlogin",
            "--results",
            "--joblog",
            "--delay",
            "--timeout",
            "--retries",
            "--tmpdir",
            "--tagstring",
            "--workdir",
            "--wd",
            "--env",
            "--halt",
            "--memfree",
            "--load",
            "--nice",
            "--block",
            "--recstart",
            "--recend",
            "--rpl",
            "--shellquote",
        ],
        runs: Runs::Special(Special::Parallel),
        ..ROW
    },
    Wrapper { names: &["find", "gfind"], runs: Runs::Special(Special::Find), ..ROW },
    Wrapper { names: &["fd", "fdfind"], runs: Runs::Special(Special::Fd), ..ROW },
    // Elsewhere.
    Wrapper { names: &["chroot"], skip: 1, remote: true, ..ROW },
    Wrapper {
        names: &["ssh"],
        valued: &[
            "-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-m", "-O", "-o", "-p", "-Q",
            "-R", "-S", "-W", "-w",
        ],
        skip: 1,
        runs: Runs::Joined,
        remote: true,
        ..ROW
    },
    Wrapper {
        names: &["docker", "podman", "nerdctl", "docker-compose", "podman-compose", "kubectl", "oc"],
        runs: Runs::Special(Special::Container),
        remote: true,
        ..ROW
    },
    // Many programs in one.
    Wrapper { names: &["busybox", "toybox"], ..ROW },
    Wrapper {
        names: &["git"],
        valued: &["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"],
        runs: Runs::Special(Special::Git),
        ..ROW
    },
    // Programs of a project or a package.
    Wrapper {
        names: &["uv", "poetry", "pipenv", "pdm", "hatch", "rye", "pixi"],
        subcommand: Subcommand::Anywhere("run"),
        valued: &["--with", "--python", "-p", "--extra", "--group", "--env-file", "--project", "--directory"],
        ..PASSING
    },
    Wrapper {
        names: &["uvx"],
        valued: &["--from", "--with", "--with-editable", "-p", "--python", "--index-url", "--env-file"],
        ..ROW
    },
    Wrapper {
        names: &["pipx"],
        subcommand: Subcommand::First(&["run"]),
        valued: &["--spec", "--python", "--pip-args", "--index-url"],
        ..ROW
    },
    Wrapper {
        names: &["mise", "rtx"],
        subcommand: Subcommand::First(&["exec", "x"]),
        valued: &["-c", "--command", "-C", "--cd", "-j", "--jobs", "-E", "--env"],
        code: &["-c", "--command"],
        folder: &["-C", "--cd"],
        separated: true,
        ..PASSING
    },
    Wrapper { names: &["direnv"], subcommand: Subcommand::First(&["exec"]), skip: 1, ..PASSING },
    Wrapper {
        names: &["devbox"],
        subcommand: Subcommand::First(&["run"]),
        valued: &["-c", "--config", "-e", "--env", "--env-file", "--environment"],
        runs: Runs::Joined,
        ..PASSING
    },
    Wrapper { names: &["nix"], runs: Runs::Special(Special::Nix), ..ROW },
    Wrapper {
        names: &["nix-shell"],
        valued: &["--run", "--command", "-I", "-A", "-E", "--attr", "--expr"],
        code: &["--run", "--command"],
        runs: Runs::Options,
        ..ROW
    },
    Wrapper { names: &["npx", "pnpx", "bunx"], ..PACKAGE },
    Wrapper {
        names: &["npm", "pnpm", "yarn", "bun"],
        subcommand: Subcommand::First(&["exec", "x", "dlx"]),
        ..PACKAGE
    },
];

/// Options of programs by which they run a line of shell beside their work.
pub(crate) struct Hook {
    pub(crate) programs: &'static [&'static str],
    pub(crate) options: &'static [&'static str],
    /// All options with a value.
    pub(crate) valued: &'static [&'static str],
    /// What stands before the line in the value.
    pub(crate) key: &'static str,
}

const SSH_VALUED: &[&str] = &[
    "-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-m", "-O", "-o", "-p", "-P", "-Q",
    "-R", "-S", "-W", "-w",
];
const TAR_VALUED: &[&str] = &[
    "-f",
    "--file",
    "-C",
    "--directory",
    "-I",
    "--use-compress-program",
    "-F",
    "--info-script",
    "--new-volume-script",
    "--to-command",
    "--checkpoint-action",
    "--rsh-command",
    "-T",
    "-X",
    "--exclude",
];

pub(crate) const HOOKS: &[Hook] = &[
    Hook { programs: &["ssh", "scp", "sftp"], options: &["-o"], valued: SSH_VALUED, key: "ProxyCommand" },
    Hook { programs: &["ssh", "scp", "sftp"], options: &["-o"], valued: SSH_VALUED, key: "LocalCommand" },
    Hook {
        programs: &["ssh", "scp", "sftp"],
        options: &["-o"],
        valued: SSH_VALUED,
        key: "KnownHostsCommand",
    },
    Hook {
        programs: &["tar", "gtar", "bsdtar"],
        options: &["--checkpoint-action"],
        valued: TAR_VALUED,
        key: "exec=",
    },
    Hook {
        programs: &["tar", "gtar", "bsdtar"],
        options: &[
            "--to-command",
            "-I",
            "--use-compress-program",
            "-F",
            "--info-script",
            "--new-volume-script",
            "--rsh-command",
        ],
        valued: TAR_VALUED,
        key: "",
    },
    Hook {
        programs: &["rsync"],
        options: &["-e", "--rsh"],
        valued: &["-e", "--rsh", "-f", "--filter", "--exclude", "--include", "-B", "-T", "-M"],
        key: "",
    },
    Hook { programs: &["man"], options: &["-P", "--pager"], valued: &["-P", "--pager", "-M", "-S"], key: "" },
    Hook {
        programs: &["sort"],
        options: &["--compress-program"],
        valued: &["--compress-program", "-k", "-t", "-o", "-S", "-T"],
        key: "",
    },
];

/// A program of a package of npm.
const PACKAGE: Wrapper =
    Wrapper { valued: &["-p", "--package", "-c", "--call"], code: &["-c", "--call"], ..ROW };

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn rows_are_sound() {
        let mut seen = HashSet::new();
        for row in TABLE {
            assert!(!row.names.is_empty());
            for name in row.names {
                assert!(seen.insert(name), "{name} has two rows");
                assert!(!name.contains(['/', ' ']), "{name} is a name without folders");
            }
            let name = row.names[0];
            let options = [row.valued, row.code, row.idle, row.folder].concat();
            assert!(options.iter().all(|option| option.starts_with('-')), "{name}");
            for option in row.code.iter().chain(row.folder) {
                assert!(row.valued.contains(option), "{option} of {name} takes a value");
            }
            if row.runs == Runs::Options {
                assert!(!row.code.is_empty(), "{name} runs something");
            }
        }
    }

    /// What no other program may cost, none of these may.
    #[test]
    fn every_program_is_among_the_constructs() {
        let names: HashSet<&str> = engine_testkit::constructs().map(|construct| construct.name).collect();
        for name in TABLE.iter().flat_map(|row| row.names) {
            assert!(names.contains(format!("wrap {name}").as_str()), "{name}");
        }
    }

    #[test]
    fn a_subcommand_is_found_where_it_may_stand() {
        let args: Vec<Word> = ["-q", "run", "t"].map(Word::known).into();
        let behind = |subcommand: Subcommand| subcommand.behind(&args).map(<[Word]>::len);
        assert_eq!(behind(Subcommand::None), Some(3));
        assert_eq!(behind(Subcommand::Anywhere("run")), Some(1));
        assert_eq!(behind(Subcommand::First(&["run"])), None);
        assert_eq!(behind(Subcommand::First(&["-q"])), Some(2));
    }
}
