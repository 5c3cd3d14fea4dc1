//! Fragments: texts for the client's memory file that teach the model our vocabulary. Made from the tables, so they cannot disagree with
//! what the hook does.

use crate::chain::PROTOCOL;
use crate::shortcut::{COMMANDS, PREFIXES};

/// The protocol of chains, for authors of skills.
pub fn continuation_passing() -> String {
    format!(
        "# Continuation passing

For authors of skills. A chain (`/design plans/foo, /plan-adhoc and /orchestrate`) runs skills one after the other; a skill takes part
without knowing what comes behind it. How users write chains: `docs/chains.md`.

## Front matter

```yaml
continuation:
  cooperative: true                                # may be an entry
  args: rest                                       # takes everything after its name, to the end of the prompt
  default-exit: [\"/handoff --commit\", \"/commit\"]  # follow when the skill is the last one typed
  default-exit-when: {{\"--commit\": [\"/commit\"]}}   # instead, when the flag is among the arguments
  done-when: [{{file: \"{{args}}/design.md\"}}, {{passed: cargo test}}, commit]  # what must hold before the next entry is called
  on-failure: [\"/handoff\"]                         # what is called if the skill fails
```

`Skill` must be among `allowed-tools`, if the skill lists any. A skill with `disable-model-invocation` can be typed first, and nothing else.

## What the engine does

- A prompt that is a chain, or one cooperative skill: the model is told a `[CONTINUATION-PASSING]` context with the current skill, what is left, and the exact
  call of the next entry. It is told again when the next entry was called and after a compaction; the last one counts.
- What is left is kept for the session. It moves on when the Skill tool really ran the next entry, or the user typed it; another skill moves nothing. At the end
  of a turn an entry that was not called is named once, not if the turn began with an ordinary prompt or ends with a question; the answer arms it again.
- While `done-when` of the current skill does not hold, the call of the next entry is refused with what is missing. `engine chain fail WHY` stops the chain and
  keeps the rest; `engine chain retry`, `skip` and `resume` go on.
- A new chain takes the place of the old one. The session's end ends it, a resume brings it back. `engine chain show`, `next`, `drop`.
- Exits are a default: those that the prompt forbids are left out, `--no-exit` and `chain.exits` switch them off.
- A subagent's prompt that carries a continuation, in any spelling, is denied while a chain is stored.
- A skill that does not know chains can be listed in `[chain] wrapped`: it gets no suffix, and the engine names the next entry.

## The suffix

`args: \"plans/foo [CONTINUATION: /orchestrate foo, /commit]\"`. An argument with a comma, a bracket, a quotation mark, a backslash or a line end is a JSON string:
`/orchestrate \"a, b\"`. No suffix, or an empty one, is the end. `engine chain peel` reads it.

## The last section of a skill

The first skill of a chain gets the whole typed line as its arguments, so no skill uses `$ARGUMENTS`; the context's `Current:` line has its own. The body names no
particular next skill and ends with these lines (`engine skill new` writes them, `engine skill check` looks for them):

```markdown
{PROTOCOL}```
"
    )
}

/// Modes and vocabulary: read with every session, so it says nothing that the hook says when it is needed.
pub fn execute_rule() -> String {
    let mut text = String::from(
        "# Session modes\n\n\
         STATUS (the default; `s`, \"next?\"): `engine status`; nothing is started. EXECUTE (`x`): one task to its end, then a stop. \
         RESUME (`r`): the task in progress, else nothing. `engine task` changes tasks. In a sentence (\"then hc\") these mean the same:\n\n",
    );
    for command in COMMANDS {
        text.push_str(&format!("- `{}` {}: {}\n", command.key, command.expansion, command.about));
    }
    for prefix in PREFIXES {
        text.push_str(&format!("- `{}: …`: {}\n", prefix.keys[0], prefix.about));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_small() {
        assert!(execute_rule().len() <= 1000, "{} bytes", execute_rule().len());
    }
}
