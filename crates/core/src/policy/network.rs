//! Pack network: code that only a decoder knows, and shells that listen to another machine.

use super::code::version_cut;
use super::facts::CallFacts;
use super::{Built, Level};
use engine_shell::{Options, RedirectKind, Run, Word};

pub(super) const NETWORK: &[Built] = &[
    Built {
        id: "network.decoded-code",
        since: "0.1.0",
        verdict: Level::Ask,
        about: "running what base64 -d or another decoder makes of a text",
        reason: "nobody has read what would be run",
        instead: "decoding it to a file, reading it, then running it",
        matches: runs_decoded,
    },
    Built {
        id: "network.reverse-shell",
        since: "0.1.0",
        verdict: Level::Block,
        about: "a shell that takes its commands from another machine",
        reason: "whoever is at the other end could run anything here",
        instead: "ssh, set up by the person",
        matches: opens_shell,
    },
];

const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "rbash", "mksh"];
const INTERPRETERS: &[&str] =
    &["python", "python2", "python3", "node", "nodejs", "perl", "ruby", "php", "deno", "bun", "pwsh"];
/// What brings a text from elsewhere: running that is another rule's.
const LOADERS: &[&str] = &["curl", "wget", "fetch", "http", "https"];

fn runs_decoded(facts: &CallFacts) -> Option<usize> {
    let decoded = |indices: &[usize]| {
        let runs = || indices.iter().filter_map(|index| facts.analysis.runs.get(*index));
        runs().any(decodes) && !runs().any(|run| run.is(LOADERS))
    };
    // What the line itself fixes is known and judged by what it does.
    let unknown = |word: &Word| word.unknown && decoded(&word.from);
    let found = facts.runs().find(|(_, run)| {
        if run.is(&["eval", "source", "."]) {
            return run.args.iter().any(unknown);
        }
        let Some(code) = Code::of(run) else { return false };
        match code {
            Code::Word(word) => unknown(word),
            Code::Input => run.input.is_none() && decoded(&run.fed_by),
        }
    });
    found.map(|(index, _)| index)
}

/// Where a shell or an interpreter takes its code from.
enum Code<'r> {
    /// A text, or the name of a file that may be a pipe.
    Word(&'r Word),
    Input,
}

impl<'r> Code<'r> {
    fn of(run: &'r Run) -> Option<Self> {
        let program = version_cut(run.program.as_deref()?);
        let is_shell = SHELLS.contains(&program);
        if !is_shell && !INTERPRETERS.contains(&program) {
            return None;
        }
        let (code, valued): (&[&str], &[&str]) = if is_shell {
            (&[], &["-o", "-O", "--rcfile", "--init-file"])
        } else {
            (&["-c", "-e", "-E", "-r"], &["-c", "-e", "-E", "-r", "-m", "-W", "-X"])
        };
        let options = Options::read(&run.args, valued, true);
        let idle = if is_shell { ["-n", "--help", "--version"] } else { ["-m", "--help", "--version"] };
        if options.has(&idle) {
            return None;
        }
        if let Some(given) = options.all(code).next() {
            return given.word.map(Self::Word);
        }
        let first = options.operands.first().copied();
        // Behind `-c` of a shell the first operand is its code.
        match first {
            Some(word) if is_shell && options.has(&["-c"]) => Some(Self::Word(word)),
            Some(word) if !matches!(word.text.as_str(), "-" | "/dev/stdin") && !options.has(&["-s"]) => {
                Some(Self::Word(word))
            }
            _ => Some(Self::Input),
        }
    }
}

fn decodes(run: &Run) -> bool {
    let Some(program) = run.program.as_deref() else { return false };
    let has = |names: &[&str]| {
        let options = Options::read(&run.args, &["-w", "-i", "-o", "-b"], false);
        options.has(names)
    };
    match program {
        "base64" | "base32" | "basenc" | "gbase64" => has(&["-d", "-D", "--decode"]),
        "xxd" => run.args.iter().any(|arg| arg.text.starts_with("-r")),
        "openssl" => run.args.iter().any(|arg| arg.text == "-d"),
        "gzip" | "bzip2" | "xz" | "zstd" | "lz4" => has(&["-d", "--decompress", "--uncompress"]),
        "gunzip" | "zcat" | "bunzip2" | "bzcat" | "unxz" | "xzcat" | "zstdcat" | "uudecode" | "rev" => true,
        // `tr -d '\r'` only leaves something out.
        "tr" => !has(&["-d", "--delete", "-s", "--squeeze-repeats"]),
        _ => false,
    }
}

/// Programs that are one end of a connection.
const CONNECTORS: &[&str] = &["nc", "ncat", "netcat", "nc.traditional", "nc.openbsd", "telnet"];

fn opens_shell(facts: &CallFacts) -> Option<usize> {
    let runs = &facts.analysis.runs;
    let is_connection = |text: &str| text.starts_with("/dev/tcp/") || text.starts_with("/dev/udp/");
    let connects = |run: &Run| run.files.iter().any(|file| is_connection(&file.target.text));
    let is_open = || runs.iter().any(|run| run.is(&["exec"]) && run.args.is_empty() && connects(run));
    let of = |indices: &[usize], holds: &dyn Fn(&Run) -> bool| {
        indices.iter().filter_map(|index| runs.get(*index)).any(holds)
    };
    // A script that is piped into a shell, whose output is sent on, is none: something must lead back.
    let answers = |run: &Run| {
        let is_fifo = |run: &Run| run.is(&["mkfifo", "mknod"]);
        of(&run.fed_by, &|run| listens(run) && asks_for_terminal(run))
            || runs.iter().any(is_fifo)
            || run.files.iter().any(|file| file.kind != RedirectKind::Read)
    };
    let starts_shell = |index: usize, by: &Run| {
        let program = by.program.as_deref().unwrap_or_default();
        let mut inner =
            runs.iter().skip(index + 1).take_while(|run| run.via.iter().any(|via| via == program));
        inner.any(|run| listens(run) || (run.is(SHELLS) && is_interactive(run)))
    };
    let found = facts.runs().find(|(index, run)| {
        if listens(run) {
            return connects(run)
                || of(&run.fed_by, &connects)
                || of(&run.fed_by, &is_connector)
                || (is_open() && is_interactive(run));
        }
        (is_connector(run) && (runs_shell(run) || of(&run.fed_by, &listens) && answers(run)))
            || by_code(run, || starts_shell(*index, run))
    });
    found.map(|(index, _)| index)
}

/// A shell that takes its commands from its input.
fn listens(run: &Run) -> bool {
    let is_shell = run.program.as_deref().is_some_and(|program| SHELLS.contains(&program));
    is_shell && run.input.is_none() && (matches!(Code::of(run), Some(Code::Input)) || is_interactive(run))
}

fn is_interactive(run: &Run) -> bool {
    asks_for_terminal(run) || run.args.is_empty()
}

/// `sh -i`.
fn asks_for_terminal(run: &Run) -> bool {
    Options::read(&run.args, &["-o", "-O"], true).has(&["-i"])
}

fn is_connector(run: &Run) -> bool {
    let is_tls = || run.is(&["openssl"]) && run.args.first().is_some_and(|arg| arg.text == "s_client");
    run.is(CONNECTORS) || is_tls()
}

fn names_shell(text: &str) -> bool {
    let program = text.split([' ', ',', '\'', '"']).find(|part| !part.is_empty()).unwrap_or_default();
    let name = program.rsplit('/').next().unwrap_or(program);
    SHELLS.contains(&name)
        || matches!(name, "cmd" | "cmd.exe" | "powershell" | "powershell.exe" | "pwsh" | "login")
}

/// `nc -e /bin/sh`.
fn runs_shell(run: &Run) -> bool {
    let running = ["-e", "-c", "--exec", "--sh-exec"];
    let options =
        Options::read(&run.args, &["-e", "-c", "--exec", "--sh-exec", "-p", "-s", "-w", "-i", "-q"], false);
    options.all(&running).filter_map(|given| given.value.as_deref()).any(names_shell)
}

/// Languages, how names of functions begin that connect, and those of functions that run something.
const BY_CODE: &[(&[&str], &[&str], &[&str])] = &[
    (&["python", "python2", "python3", "pypy", "pypy3"], &["socket."], &["os.dup2", "pty.spawn"]),
    (&["perl"], &["Socket", "IO.Socket", "socket"], &["exec", "system"]),
    (&["ruby"], &["TCPSocket", "Socket.tcp"], &["exec", "system", "spawn", "IO.popen"]),
    (
        &["php"],
        &["fsockopen", "socket_create", "stream_socket_client"],
        &["exec", "popen", "proc_open", "system", "passthru", "shell_exec"],
    ),
    (&["node", "nodejs", "bun", "deno"], &["net."], &[]),
    (&["lua", "luajit"], &["socket."], &["io.popen", "os.execute"]),
];

/// Whether the code of a run makes a shell of a connection. `starts_shell`: it runs a shell that is given no script.
fn by_code(run: &Run, starts_shell: impl Fn() -> bool) -> bool {
    let Some(program) = run.program.as_deref() else { return false };
    match program {
        "socat" => {
            let address = |arg: &&Word, kinds: &[&str]| {
                let kind = arg.text.split(':').next().unwrap_or_default().to_uppercase();
                kinds.contains(&kind.as_str())
            };
            let runs = |arg: &&Word| {
                let command = arg.text.split_once(':').map(|(_, command)| command).unwrap_or_default();
                address(arg, &["EXEC", "SYSTEM", "SHELL"])
                    && names_shell(command.trim_start_matches(['\'', '"']))
            };
            run.args.iter().any(|arg| runs(&arg))
        }
        "awk" | "gawk" | "mawk" => run.args.iter().any(|arg| {
            arg.text.contains("/inet/tcp/") && arg.text.contains("getline") && arg.text.contains("|&")
        }),
        _ => {
            let name = version_cut(program);
            let Some((_, connects, runs)) = BY_CODE.iter().find(|(names, _, _)| names.contains(&name)) else {
                return false;
            };
            let Some(calls) = &run.calls else { return false };
            let begins = |name: &String| connects.iter().any(|start| name.starts_with(start));
            let runs_something = || calls.names.iter().any(|name| runs.contains(&name.as_str()));
            calls.names.iter().any(begins) && (runs_something() || starts_shell())
        }
    }
}
