//! Agents that are started so that nobody judges what they do: this client with its hooks switched off, and others with every
//! question answered in advance.
//!
//! Examples: `claude --bare -p x`, `ENGINE_OFF=1 claude -p x`, `codex exec --yolo x`. Not `claude -p x`, whose hooks judge it.

use engine_core::dialect::Dialect;
use engine_shell::{Options, Run, Word};

use crate::launch;
use crate::wiring::Settings;

/// Options of the client with which its hooks do not run. A new worktree has the settings of the project only if they are committed.
const SILENT: &[&str] = &["--bare", "--safe-mode", "--restricted", "-w", "--worktree"];

/// Variables with which its hooks do not run, or are others than those of the person. A star stands for any rest.
const VARIABLES: &[&str] =
    &["ENGINE_*", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE", "HOME", "PATH", "*"];

/// Another agent, and what answers its questions in advance.
struct Agent {
    names: &'static [&'static str],
    /// Options that do it, as they are written or begin.
    options: &'static [&'static str],
    /// An option and its value that do.
    value: Option<(&'static str, &'static str)>,
    /// First words with which it asks nothing anyway; the empty one is a start without any.
    always: &'static [&'static str],
}

const AGENT: Agent = Agent { names: &[], options: &[], value: None, always: &[] };

const OTHERS: &[Agent] = &[
    Agent { names: &["codex"], options: &["--dangerously-*", "--yolo", "--full-auto"], ..AGENT },
    Agent {
        names: &["gemini", "gemini-cli", "qwen", "qwen-code"],
        options: &["--yolo", "-y"],
        value: Some(("--approval-mode", "yolo")),
        ..AGENT
    },
    Agent { names: &["opencode", "opencode-ai"], always: &["", "run"], ..AGENT },
    Agent { names: &["cursor-agent"], options: &["-f", "--force", "--yolo"], ..AGENT },
    Agent { names: &["amp"], options: &["--dangerously-allow-all"], ..AGENT },
    Agent { names: &["aider", "aider-chat"], options: &["--yes-always", "--yes"], ..AGENT },
    Agent { names: &["copilot"], options: &["--allow-all-tools", "--allow-all", "--yolo"], ..AGENT },
];

/// The file whose settings a start of the client takes over, if the words name one.
pub(crate) fn settings_file<'r>(dialect: &Dialect, run: &'r Run) -> Option<&'r str> {
    let args = dialect.arguments(run)?;
    let at = args.iter().position(|arg| arg.text == "--settings" || arg.text.starts_with("--settings="))?;
    let value = match args[at].text.strip_prefix("--settings=") {
        Some(value) => value,
        None => args.get(at + 1)?.literal()?,
    };
    (!value.trim_start().starts_with('{')).then_some(value)
}

/// Whether a run starts an agent that nobody judges. `settings`: the text of the file that it takes over.
pub(crate) fn is_unguarded(dialect: &Dialect, run: &Run, settings: Option<&str>) -> bool {
    match dialect.arguments(run) {
        Some(args) => dialect.starts_agent(run) && (is_silent(args, settings) || is_steered(run)),
        None => is_other(run),
    }
}

fn is_silent(args: &[Word], settings: Option<&str>) -> bool {
    // A prompt may begin with a dash; an option holds no blank, but for inline settings.
    let is_text = |arg: &Word| arg.text.contains(char::is_whitespace) && !arg.text.contains('{');
    let words: Vec<Word> =
        args.iter().map(|arg| if is_text(arg) { Word::default() } else { arg.clone() }).collect();
    let options = Options::read(&words, launch::ONE, false);
    let inline = options.value(&["--settings"]).filter(|value| value.trim_start().starts_with('{'));
    let switches_off = |text: &str| match Settings::read(text) {
        Some(settings) => settings.disables_hooks() || !settings.steering().is_empty(),
        None => text.contains("disableAllHooks"),
    };
    let leaves_out = |sources: &str| {
        let named: Vec<&str> = sources.split(',').map(str::trim).collect();
        ["user", "project", "local"].iter().any(|source| !named.contains(source))
    };
    options.has(SILENT)
        || inline.or(settings).is_some_and(switches_off)
        || options.value(&["--setting-sources"]).is_some_and(leaves_out)
}

fn is_steered(run: &Run) -> bool {
    let is = |name: &str| {
        VARIABLES.iter().any(|pattern| match pattern.strip_suffix('*').filter(|start| !start.is_empty()) {
            Some(start) => name.starts_with(start),
            None => name == *pattern,
        })
    };
    run.env.iter().any(|(name, _)| is(name))
}

fn is_other(run: &Run) -> bool {
    let Some(program) = run.program.as_deref() else { return false };
    let name = program.split('@').next().unwrap_or_default();
    let Some(agent) = OTHERS.iter().find(|agent| agent.names.contains(&name)) else { return false };
    let is_option = |text: &str| {
        agent.options.iter().any(|option| match option.strip_suffix('*') {
            Some(start) => text.starts_with(start),
            None => text == *option,
        })
    };
    let texts: Vec<&str> = run.args.iter().map(|arg| arg.text.as_str()).collect();
    let by_value = agent.value.is_some_and(|(option, value)| {
        texts.windows(2).any(|pair| pair == [option, value])
            || texts.contains(&format!("{option}={value}").as_str())
    });
    let looks = texts.iter().any(|text| matches!(*text, "--help" | "-h" | "--version" | "-v"));
    let first = texts.first().copied().unwrap_or_default();
    !looks && (by_value || texts.iter().any(|text| is_option(text)) || agent.always.contains(&first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::DIALECT;
    use engine_core::host::surroundings;
    use engine_shell::analyse;

    fn is_asked(command: &str, settings: Option<&str>) -> bool {
        let analysis = analyse(command, &surroundings("/p", None, None, &DIALECT));
        analysis.runs.iter().any(|run| is_unguarded(&DIALECT, run, settings))
    }

    #[test]
    fn agents_that_nobody_judges() {
        for (command, expected) in [
            ("claude -p --settings '{\"disableAllHooks\":true}' x", true),
            ("claude --settings='{\"disableAllHooks\": true}' -p x", true),
            ("claude --settings '{\"env\":{\"ENGINE_OFF\":\"1\"}}' -p x", true),
            ("claude --settings '{\"disableAllHooks\": \"yes\"' -p x", true),
            ("claude --bare -p x", true),
            ("claude -p --safe-mode x", true),
            ("claude -p x --restricted", true),
            ("claude --setting-sources local -p x", true),
            ("claude --setting-sources=user -p x", true),
            ("ENGINE_OFF=1 claude -p x", true),
            ("export ENGINE_OFF=1; claude -p x", true),
            ("env CLAUDE_CONFIG_DIR=/tmp/c timeout 9 claude -p x", true),
            ("CLAUDE_CODE_SIMPLE=1 claude -p x", true),
            ("env -i claude -p x", true),
            ("HOME=/tmp claude -p x", true),
            ("HOME=/tmp; claude -p x", true),
            ("export HOME=/tmp; claude -p x", true),
            ("CLAUDE_CODE_SAFE_MODE=1 claude -p x", true),
            ("claude -w f -p x", true),
            ("claude --worktree=f -p x", true),
            ("node node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs --bare -p x", true),
            ("npx @anthropic-ai/claude-code --bare -p x", true),
            ("/usr/local/bin/claude --bare -p x", true),
            ("bash -c 'claude --bare -p x'", true),
            ("codex exec --dangerously-bypass-approvals-and-sandbox x", true),
            ("npx @openai/codex@latest exec --full-auto x", true),
            ("codex --yolo", true),
            ("gemini --yolo -p x", true),
            ("npx @google/gemini-cli -y -p x", true),
            ("npx @google/gemini-cli -p x", false),
            ("gemini --approval-mode=yolo -p x", true),
            ("gemini --approval-mode yolo -p x", true),
            ("opencode run x", true),
            ("opencode", true),
            ("cursor-agent -f x", true),
            ("amp --dangerously-allow-all -x y", true),
            ("aider --yes-always --message x", true),
            ("copilot -p x --allow-all-tools", true),
            ("claude -p x", false),
            ("claude -p 'use --bare here'", false),
            ("claude -p '--bare is an option'", false),
            ("claude --settings '{\"model\":\"opus\"}' -p x", false),
            ("claude --setting-sources user,project,local -p x", false),
            ("claude --model opus -p x", false),
            ("claude --bare --help", false),
            ("claude mcp list", false),
            ("FOO=1 claude -p x", false),
            ("echo claude --bare", false),
            ("grep -r 'claude --bare' docs", false),
            ("codex exec x", false),
            ("codex --version", false),
            ("gemini -p x", false),
            ("opencode --version", false),
            ("opencode auth list", false),
            ("cursor-agent x", false),
            ("aider --message x", false),
            ("ENGINE_OFF=1 make", false),
        ] {
            assert_eq!(is_asked(command, None), expected, "{command}");
        }
    }

    #[test]
    fn a_settings_file_counts_by_its_text() {
        for (settings, expected) in [
            (Some("{\"disableAllHooks\": true}"), true),
            (Some("{\"disableAllHooks\": false}"), false),
            (Some("{\"model\": \"opus\"}"), false),
            (None, false),
        ] {
            assert_eq!(is_asked("claude --settings s.json -p x", settings), expected, "{settings:?}");
        }
        let analysis = analyse("claude --settings s.json -p x", &surroundings("/p", None, None, &DIALECT));
        assert_eq!(settings_file(&DIALECT, &analysis.runs[0]), Some("s.json"));
        let analysis = analyse("claude --settings '{}' -p x", &surroundings("/p", None, None, &DIALECT));
        assert_eq!(settings_file(&DIALECT, &analysis.runs[0]), None);
    }
}
