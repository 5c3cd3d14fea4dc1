//! Pack person: ways on which the words of a program arrive as the person's own. `tmux send-keys -t 0 'ok 7' Enter` is one.

use super::code::text_of;
use super::facts::CallFacts;
use super::{Built, Level};
use crate::dialect::Dialect;
use engine_shell::{Options, Run, Word};

pub(super) const PERSON: &[Built] = &[
    Built {
        id: "person.keys",
        since: "0.1.0",
        verdict: Level::Ask,
        about: "typing into a terminal or a window: tmux send-keys, screen -X stuff, xdotool type",
        reason: "what is typed there reads as the person's own words",
        instead: "running the command itself; tmux new-session -d 'COMMAND' runs it in a terminal of its own",
        matches: |facts| run(facts, types),
    },
    Built {
        id: "person.socket",
        since: "0.1.0",
        verdict: Level::Ask,
        about: "the socket and the token by which a program sends messages into the client's session",
        reason: "a message that is sent there starts a turn as the person's does",
        instead: "saying it in the answer",
        matches: uses_socket,
    },
    Built {
        id: "person.resume",
        since: "0.1.0",
        verdict: Level::Ask,
        about: "going on with an earlier session of the client: --resume, --continue",
        reason: "a prompt in that session reads as the person's own words",
        instead: "a new session, without the option that takes up another",
        matches: |facts| run(facts, |run| resumes(run, facts.dialect)),
    },
];

fn run(facts: &CallFacts, holds: impl Fn(&Run) -> bool) -> Option<usize> {
    facts.runs().find(|(_, run)| holds(run)).map(|(index, _)| index)
}

/// Programs that type if they are given certain words.
struct Typist {
    names: &'static [&'static str],
    /// Options that take the next word.
    valued: &'static [&'static str],
    /// One of these comes before the command; without any, the command is enough.
    before: &'static [&'static str],
    /// Commands that type; without any, the program always does.
    commands: &'static [&'static str],
}

const TYPISTS: &[Typist] = &[
    Typist {
        names: &["xdotool"],
        valued: &["--name", "--class", "--classname", "--role", "--pid", "--screen", "--desktop", "--limit"],
        before: &[],
        commands: &["type", "key", "keydown"],
    },
    Typist { names: &["ydotool"], valued: &[], before: &[], commands: &["type", "key"] },
    Typist { names: &["wtype", "dotool", "dotoolc"], valued: &[], before: &[], commands: &[] },
    Typist {
        names: &["zellij"],
        valued: &["-s", "--session", "-l", "--layout"],
        before: &["action", "ac"],
        commands: &["write-chars", "write"],
    },
    Typist {
        names: &["kitty", "kitten"],
        valued: &["--to", "--password", "-m", "--match"],
        before: &["@"],
        commands: &["send-text", "send-key"],
    },
    Typist {
        names: &["wezterm"],
        valued: &["--pane-id", "--config-file", "--class"],
        before: &["cli"],
        commands: &["send-text"],
    },
];

impl Typist {
    fn types(&self, args: &[Word]) -> bool {
        let options = Options::read(args, self.valued, false);
        let has = |words: &[&str]| options.operands.iter().any(|word| words.contains(&word.text.as_str()));
        let is_help = options.has(&["--help", "--version"]);
        !is_help
            && (self.before.is_empty() || has(self.before))
            && (self.commands.is_empty() || has(self.commands))
    }
}

/// Phrases of scripts for macOS that type.
const SCRIPTED: &[&str] = &["keystroke", "key code", "do script", "write text"];

fn types(run: &Run) -> bool {
    let args = run.args.as_slice();
    match run.program.as_deref() {
        Some("tmux" | "tmate" | "byobu") => tmux_types(run),
        Some("screen") => screen_types(args),
        // Their input goes to the terminal of a session.
        Some("dtach" | "abduco") => args.iter().any(|arg| arg.text == "-p"),
        Some("osascript") => {
            let mut texts = args.iter().map(|arg| arg.text.as_str()).chain(run.input.as_deref());
            texts.any(|text| SCRIPTED.iter().any(|phrase| text.contains(phrase)))
        }
        Some("cliclick") => args.iter().any(|arg| arg.text.starts_with("t:") || arg.text.starts_with("kp:")),
        Some(program) => {
            let typist = TYPISTS.iter().find(|typist| typist.names.contains(&program));
            typist.is_some_and(|typist| typist.types(args))
        }
        None => false,
    }
}

/// Commands of tmux that type or fill what is pasted, each with the length from which a beginning means no other command, and
/// their short names.
const TMUX: &[(&str, usize)] =
    &[("send-keys", 6), ("paste-buffer", 2), ("load-buffer", 3), ("set-buffer", 5)];
const TMUX_SHORT: &[&str] = &["send", "pasteb", "loadb", "setb"];
/// Commands of tmux whose words are commands of tmux.
const TMUX_NESTED: &[&str] = &[
    "if-shell",
    "if",
    "run-shell",
    "run",
    "bind-key",
    "bind",
    "set-hook",
    "confirm-before",
    "confirm",
    "command-prompt",
    "display-menu",
    "menu",
];

fn tmux_types(run: &Run) -> bool {
    let options = Options::read(&run.args, &["-L", "-S", "-T", "-c", "-f"], true);
    // In control mode its input is commands.
    let controlled = || {
        let mut lines = run.input.as_deref().unwrap_or_default().lines();
        options.has(&["-C"]) && lines.any(|line| line.split_whitespace().next().is_some_and(is_tmux_typing))
    };
    // A word that ends in `;` ends a command.
    let mut commands = options.operands.split_inclusive(|word| word.text.ends_with(';'));
    commands.any(is_typing_command) || controlled()
}

fn is_typing_command(words: &[&Word]) -> bool {
    let Some((command, rest)) = words.split_first() else { return false };
    let name = command.text.trim_end_matches(';');
    if TMUX_NESTED.contains(&name) {
        let starts = |word: &&Word| {
            let mut commands = word.text.split([';', '{', '\n']);
            commands.any(|code| code.split_whitespace().next().is_some_and(is_tmux_typing))
        };
        return rest.iter().any(starts);
    }
    // With `-I`, what a program prints goes into the pane.
    let feeds = matches!(name, "pipe-pane" | "pipep")
        && rest.iter().any(|word| word.text.starts_with('-') && word.text.contains('I'));
    feeds || is_tmux_typing(name)
}

fn is_tmux_typing(name: &str) -> bool {
    let begins = |(command, least): &(&str, usize)| name.len() >= *least && command.starts_with(name);
    TMUX_SHORT.contains(&name) || TMUX.iter().any(begins)
}

/// `screen -S x -X stuff TEXT`: a command for a running session, which stands behind all options.
fn screen_types(args: &[Word]) -> bool {
    let options = Options::read(args, &["-S", "-c", "-e", "-h", "-p", "-s", "-t", "-T"], false);
    let typing = ["stuff", "paste", "process"];
    // Behind `-r` and `-x` the name of the session may stand first.
    let mut first = options.operands.iter().take(2).map(|word| word.text.as_str());
    let evaluated = |word: &&Word| typing.iter().any(|command| word.text.contains(command));
    options.has(&["-X"])
        && first
            .any(|word| typing.contains(&word) || (word == "eval" && options.operands.iter().any(evaluated)))
}

/// Where the socket or its token is used: expanded in the shell, or named in code that can look it up. A text that only names it,
/// such as the pattern of a search, is left alone.
fn uses_socket(facts: &CallFacts) -> Option<usize> {
    let variables = facts.dialect.message_variables;
    let named = |text: &str| variables.iter().any(|variable| text.contains(variable));
    if facts.analysis.watched.is_empty() && !named(&facts.text) {
        return None;
    }
    let runs = &facts.analysis.runs;
    let expanded = facts.analysis.watched.first().and_then(|next| {
        // A substitution in its words runs before it.
        let has_it = |run: &Run| run.args.iter().any(|arg| arg.unknown && named(&arg.text));
        let behind = runs.iter().skip(*next).position(has_it);
        behind.map(|behind| next + behind).or_else(|| Some((*next).min(runs.len().checked_sub(1)?)))
    });
    expanded.or_else(|| run(facts, |run| looks_up(run, &named)))
}

/// Whether a program gets the value of a variable whose name is in its words or its code.
fn looks_up(run: &Run, named: &dyn Fn(&str) -> bool) -> bool {
    let Some(program) = run.program.as_deref() else { return false };
    let mut words = run.args.iter().map(|arg| arg.text.as_str()).filter(|text| named(text));
    match program {
        "printenv" | "declare" | "typeset" => words.next().is_some(),
        "envsubst" => words.next().is_some() || run.input.as_deref().is_some_and(named),
        "awk" | "gawk" | "mawk" => words.any(|text| text.contains("ENVIRON")),
        // `.env.NAME` is a field of a file, `env.NAME` a variable.
        "jq" => words.any(|text| {
            let is_field =
                |at: usize| text[..at].ends_with(|c: char| c == '.' || c == '_' || c.is_alphanumeric());
            text.contains("$ENV") || text.match_indices("env").any(|(at, _)| !is_field(at))
        }),
        _ => text_of(run).is_some_and(|code| named(&code)),
    }
}

/// Programs that run a package.
const RUNNERS: &[&str] = &["npm", "npx", "pnpm", "pnpx", "yarn", "bun", "bunx"];

fn resumes(run: &Run, client: &Dialect) -> bool {
    let Some(args) = client.arguments(run) else { return false };
    // A runner of packages leaves its `--` in front.
    let by_runner = run.via.last().is_some_and(|wrapper| RUNNERS.contains(&wrapper.as_str()));
    let args = match args {
        [first, rest @ ..] if by_runner && first.text == "--" => rest,
        args => args,
    };
    let first = args.first().map(|arg| arg.text.as_str()).unwrap_or_default();
    if client.subcommands.contains(&first) {
        return false;
    }
    // A prompt may begin with a dash; an option holds no blank.
    let is_text = |arg: &Word| arg.text.contains(char::is_whitespace);
    let words: Vec<Word> =
        args.iter().map(|arg| if is_text(arg) { Word::default() } else { arg.clone() }).collect();
    let options = Options::read(&words, client.valued, false);
    client.attaching.contains(&first)
        || (options.has(client.resuming) && !options.has(&["--help", "-h", "--version", "-v"]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::TEST;
    use crate::host::surroundings;
    use crate::policy::{Places, ProjectPolicy, judge};
    use engine_shell::analyse;

    static CLIENT: Dialect = Dialect {
        message_variables: &["AGENT_SOCKET"],
        programs: &["agent", "agent-cli@*", "agent/versions/*"],
        resuming: &["-c", "--resume"],
        attaching: &["attach"],
        ..TEST
    };

    fn messages(command: &str, dialect: &'static Dialect) -> Vec<String> {
        let analysis = analyse(command, &surroundings("/p", None, None, dialect));
        let facts = CallFacts::of_command("shell", command, analysis, Places::default());
        let facts = CallFacts { dialect, ..facts };
        judge(&facts, &ProjectPolicy::default(), &|rule| rule.verdict)
            .iter()
            .map(super::super::Match::message)
            .collect()
    }

    #[test]
    fn each_rule_says_what_why_and_what_instead() {
        let cases = [
            (
                "sleep 1; tmux send-keys -t 0 'ok 7' Enter",
                "person.keys: `tmux send-keys -t 0 'ok 7' Enter` needs the user's word: what is typed there reads as the person's own words. Instead: running the command itself; tmux new-session -d 'COMMAND' runs it in a terminal of its own.",
            ),
            (
                "echo a; nc $(echo -U) $AGENT_SOCKET",
                "person.socket: `nc -U $AGENT_SOCKET` needs the user's word: a message that is sent there starts a turn as the person's does. Instead: saying it in the answer.",
            ),
            (
                "timeout 9 agent -p --resume 5f1c 'ok 7'",
                "person.resume: `agent -p --resume 5f1c 'ok 7'` needs the user's word: a prompt in that session reads as the person's own words. Instead: a new session, without the option that takes up another.",
            ),
        ];
        for (command, expected) in cases {
            assert_eq!(messages(command, &CLIENT), [expected], "{command}");
        }
    }

    #[test]
    fn a_client_is_known_by_its_names_only() {
        for (path, expected) in [
            ("agent", true),
            ("/usr/bin/agent", true),
            ("@x/agent-cli@latest", true),
            ("/opt/agent/versions/1.2", true),
            ("versions/1.2", false),
            ("agents", false),
            ("my-agent", false),
            ("agent/x", false),
            ("", false),
        ] {
            assert_eq!(CLIENT.is_program(path), expected, "{path}");
        }
        for command in ["agent -c", "nc -U $AGENT_SOCKET", "printenv AGENT_SOCKET"] {
            assert_eq!(messages(command, &Dialect::NONE), Vec::<String>::new(), "{command}");
        }
    }
}
