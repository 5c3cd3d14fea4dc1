//! Signals to the engine's processes. A hook that is killed or stopped answers nothing, and the client goes on without it.
//!
//! One signal hits a hook by chance; a loop in the background hits every one. A person may have another program of this name, so the
//! rule asks.
//!
//! Example: `pkill -9 -x engine`, `killall engine` and `kill $(pgrep -f 'engine hook')` are asked about.

use engine_core::verdict::Finding;
use engine_shell::{Analysis, Options, Run, Word};
use engine_text::line::one_line;

/// The name of a hook's process, and its whole command line.
const NAME: &str = "engine";
const LINE: &str = "engine hook";

/// A run that sends a signal to processes of the engine.
pub(super) fn sent(analysis: &Analysis) -> Option<Finding> {
    let here = |run: &&Run| !run.remote;
    let mut runs = analysis.runs.iter().filter(here);
    let run = runs.find(|run| run.is(&["pkill", "killall", "skill"]) && names_us(run) && !only_asks(run));
    let run = run.or_else(|| {
        let looks_up = |run: &Run| run.is(&["pgrep", "pidof", "grep", "egrep", "rg"]) && names_us(run);
        let is_looked_up = analysis.runs.iter().any(looks_up);
        // The numbers come from the look-up, by a substitution or by xargs.
        let takes_numbers =
            |run: &Run| run.args.iter().any(|arg| arg.unknown) || run.via.iter().any(|via| via == "xargs");
        let kills = |run: &&Run| run.is(&["kill"]) && takes_numbers(run) && !only_asks(run);
        analysis.runs.iter().filter(here).find(kills).filter(|_| is_looked_up)
    })?;
    Some(
        Finding::ask(format!(
            "`{}` would stop processes of engine. A hook that is stopped judges nothing, and the client goes on without it. A process \
             with another name is stopped by its number.",
            one_line(&run.shown(), 200)
        ))
        .because("the signal goes to processes named engine"),
    )
}

/// Signal 0 only looks whether a process is there. With `-l`, `kill` and `killall` list signals; for `pkill` these letters mean other
/// things, and it kills all the same.
fn only_asks(run: &Run) -> bool {
    let lists = |text: &str| run.is(&["kill", "killall"]) && matches!(text, "-l" | "-L" | "--list");
    run.args.iter().any(|arg| arg.text == "-0" || lists(&arg.text))
        || run
            .args
            .windows(2)
            .any(|pair| matches!(pair[0].text.as_str(), "-s" | "--signal") && pair[1].text == "0")
}

fn names_us(run: &Run) -> bool {
    let valued = [
        "-s", "--signal", "-u", "-U", "-g", "-G", "-P", "-t", "-d", "-F", "-e", "--regexp", "-A", "-B", "-C",
        "-m",
    ];
    // `-9` and `-STOP` are signals, not options.
    let is_signal = |text: &str| {
        let name = text.strip_prefix('-').unwrap_or_default();
        name.len() > 1 && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    };
    let args: Vec<Word> = run.args.iter().filter(|arg| !is_signal(&arg.text)).cloned().collect();
    let options = Options::read(&args, &valued, false);
    let is_exact = options.has(&["-x", "--exact"])
        || run.is(&["pidof", "skill"])
        || (run.is(&["killall"]) && !options.has(&["-r", "--regexp"]));
    let whole_line = options.has(&["-f", "--full"]) || run.is(&["grep", "egrep", "rg"]);
    let text = if whole_line { LINE } else { NAME };
    let pattern = options.value(&["-e", "--regexp"]);
    let operands = options.operands.iter().filter_map(|word| word.literal());
    operands.chain(pattern).any(|pattern| fits(pattern, text, is_exact))
}

/// Whether a pattern of these programs, which is a part of a name, fits a text. Of regular expressions it reads what people write:
/// anchors, `.`, `.*`, `[e]ngine` and alternatives.
fn fits(pattern: &str, text: &str, is_exact: bool) -> bool {
    let name = pattern.rsplit('/').next().unwrap_or(pattern);
    if is_exact {
        return name == text || pattern == text;
    }
    let plain = |part: &str| part.chars().filter(|c| !"()[]\\\"".contains(*c)).collect::<String>();
    pattern.split('|').map(plain).any(|part| {
        let (from_start, to_end) = (part.starts_with('^'), part.ends_with('$'));
        let part = part.trim_start_matches('^').trim_end_matches('$');
        let lead = if from_start { "" } else { "*" };
        let tail = if to_end { "" } else { "*" };
        let glob = format!("{lead}{}{tail}", part.replace(".*", "*").replace('.', "?"));
        !part.is_empty() && engine_text::glob::matches(&glob, text)
    })
}

#[cfg(test)]
mod tests {
    use engine_shell::{Surroundings, analyse};

    use super::*;

    #[test]
    fn signals_to_the_engine_are_asked_about_and_others_are_not() {
        let sent = |command: &str| sent(&analyse(command, &Surroundings::default())).is_some();
        for command in [
            "pkill engine",
            "pkill -9 -x engine",
            "while :; do pkill -9 -x engine; done &",
            "sudo pkill -STOP engine",
            "pkill -f 'engine hook'",
            "pkill -f hook$",
            "pkill '^eng.*'",
            "pkill 'node|engine'",
            "pkill -9 engine -L",
            "killall engine",
            "killall -9 -q engine",
            "kill -9 $(pgrep engine)",
            "kill `pidof engine`",
            "pgrep -f 'engine hook' | xargs kill -9",
            "ps aux | grep '[e]ngine hook' | awk '{print $2}' | xargs kill",
            "watch -n0.1 pkill engine",
        ] {
            assert!(sent(command), "{command}");
        }
        for command in [
            "pkill -f 'node server.js'",
            "pkill -f search-engine-dev",
            "killall node",
            "killall my-engine",
            "pkill -0 engine",
            "killall -l",
            "pkill -x gin",
            "pgrep engine",
            "kill 1234",
            "kill -9 $PID",
            "kill %1",
            "grep -rn 'engine hook' src",
            "ps aux | grep engine",
            "kill -0 $(pgrep engine)",
            "echo 'pkill engine'",
            "ssh host pkill engine",
        ] {
            assert!(!sent(command), "{command}");
        }
    }
}
