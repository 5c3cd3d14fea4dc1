//! The client's command line, as far as starting it again needs it.

use std::ffi::{OsStr, OsString};

/// Options that name the conversation to go on with. A new start begins a new one.
const OF_A_CONVERSATION: &[&str] =
    &["-c", "--continue", "-r", "--resume", "--fork-session", "--session-id", "--from-pr", "--teleport"];

/// Options with one value.
pub(crate) const ONE: &[&str] = &[
    "--agent",
    "--agents",
    "--append-system-prompt",
    "--append-system-prompt-file",
    "--autocompact",
    "--debug-file",
    "--effort",
    "--environment",
    "--fallback-model",
    "--input-format",
    "--json-schema",
    "--max-budget-usd",
    "--max-turns",
    "--model",
    "-n",
    "--name",
    "--output-format",
    "--permission-mode",
    "--permission-prompt-tool",
    "--permission-prompts",
    "--plugin-dir",
    "--plugin-url",
    "--remote-control-session-name-prefix",
    "--session-id",
    "--setting-sources",
    "--settings",
    "--system-prompt",
    "--system-prompt-file",
    "--system-prompt-snapshot",
];

/// Options that take every word up to the next option.
const MANY: &[&str] = &[
    "--add-dir",
    "--allowedTools",
    "--allowed-tools",
    "--betas",
    "--disallowedTools",
    "--disallowed-tools",
    "--file",
    "--mcp-config",
    "--tools",
];

/// Options without a value.
const NONE: &[&str] = &[
    "--allow-dangerously-skip-permissions",
    "--ax-screen-reader",
    "--bare",
    "--bg",
    "--background",
    "--brief",
    "--chrome",
    "-c",
    "--continue",
    "--dangerously-skip-permissions",
    "--desktop",
    "--disable-slash-commands",
    "--exclude-dynamic-system-prompt-sections",
    "--fork-session",
    "--forward-subagent-text",
    "--ide",
    "--include-hook-events",
    "--include-partial-messages",
    "--no-chrome",
    "--no-session-persistence",
    "-p",
    "--print",
    "--replay-user-messages",
    "--restricted",
    "--safe-mode",
    "--strict-mcp-config",
    "--tmux",
    "--verbose",
];

/// How many words behind an option can be its own.
fn values(option: &str) -> usize {
    if option.contains('=') || NONE.contains(&option) {
        0
    } else if MANY.contains(&option) {
        usize::MAX
    } else {
        // Options with a value that may be left out take the next word too, if it is no option; and so may one that is
        // not known here: to keep a word too much is better than to lose a value.
        1
    }
}

/// The arguments for a start that begins with `prompt` instead of what the first one began with.
pub fn restarted(args: &[OsString], prompt: &str) -> Vec<OsString> {
    // In front, where no option can take it for a value, and never an option itself.
    let blank = if prompt.starts_with('-') { " " } else { "" };
    let mut all = vec![OsString::from(format!("{blank}{prompt}"))];
    let is_option = |word: &OsStr| word.to_str().is_some_and(|word| word.len() > 1 && word.starts_with('-'));
    let mut rest = args.iter().peekable();
    while let Some(word) = rest.next() {
        let Some(option) = word.to_str().filter(|_| is_option(word)) else { continue };
        if option == "--" {
            break;
        }
        let name = option.split('=').next().unwrap_or(option);
        let kept = !OF_A_CONVERSATION.contains(&name);
        all.extend(kept.then(|| word.clone()));
        // A value that must be there may look like an option.
        let mut left = values(option);
        let mut must = ONE.contains(&option);
        while left > 0
            && let Some(value) = rest.next_if(|next| must || !is_option(next))
        {
            all.extend(kept.then(|| value.clone()));
            left -= 1;
            must = false;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_stay_and_the_conversation_goes() {
        let cases: &[(&[&str], &[&str])] = &[
            (&[], &[]),
            (&["fix it"], &[]),
            (&["--model", "opus", "fix it"], &["--model", "opus"]),
            (&["fix it", "--model=opus", "--verbose"], &["--model=opus", "--verbose"]),
            (&["-c"], &[]),
            (&["--continue", "fix it", "-p"], &["-p"]),
            (&["-r", "0f3a", "--model", "opus"], &["--model", "opus"]),
            (&["--resume", "--model", "opus"], &["--model", "opus"]),
            (&["--resume=0f3a", "--fork-session", "go"], &[]),
            (&["--session-id", "0f3a", "-p", "go"], &["-p"]),
            (
                &["--allowedTools", "Read", "Bash(ls:*)", "-p", "go"],
                &["--allowedTools", "Read", "Bash(ls:*)", "-p"],
            ),
            (&["--append-system-prompt", "- be brief", "go"], &["--append-system-prompt", "- be brief"]),
            (&["--debug", "hooks", "go"], &["--debug", "hooks"]),
            (
                &["--of-tomorrow", "x", "--dangerously-skip-permissions", "go"],
                &["--of-tomorrow", "x", "--dangerously-skip-permissions"],
            ),
            (&["--verbose", "--", "--model", "go"], &["--verbose"]),
        ];
        for (args, expected) in cases {
            let args: Vec<OsString> = args.iter().map(OsString::from).collect();
            let all = restarted(&args, "go on");
            let (prompt, kept) = all.split_first().unwrap();
            assert_eq!(
                (prompt.to_str(), kept),
                (Some("go on"), expected.iter().map(OsString::from).collect::<Vec<_>>().as_slice()),
                "{args:?}"
            );
        }
        assert_eq!(restarted(&[], "--- now"), [" --- now"]);
    }
}
