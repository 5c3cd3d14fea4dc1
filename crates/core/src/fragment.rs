//! Fragments: texts for CLAUDE.md that teach the model our vocabulary. Made from the tables, so they cannot disagree with
//! what the hook does.

use crate::shortcut::{COMMANDS, DIRECTIVES};

/// Modes, vocabulary and the difference between `x` and `r`.
pub fn execute_rule() -> String {
    let mut text = String::from(
        "# Session modes\n\n\
         | mode | asked for by | what happens |\n| --- | --- | --- |\n\
         | STATUS (default) | `s`, \"next?\", an unclear start | the tasks are listed, nothing is started |\n\
         | EXECUTE | `x`, #execute | one task is carried to its end, then a stop |\n\
         | EXECUTE+COMMIT | `xc`, #execute --commit | the same, then handoff and commit |\n\
         | RESUME | `r`, #resume | the task in progress goes on; without one, nothing |\n\n\
         STATUS is `engine status`; the tasks are in session.md and are changed with `engine task`.\n\n\
         ## Vocabulary\n\n\
         Typed alone, engine expands these. Inside a sentence (\"then hc\") they mean the same.\n\n",
    );
    for command in COMMANDS {
        text.push_str(&format!("- `{}` {}: {}\n", command.key, command.expansion, command.about));
    }
    for directive in DIRECTIVES {
        text.push_str(&format!("- `{}: …`: {}\n", directive.keys[0], directive.about));
    }
    text.push_str(
        "\n## x and r\n\n\
         | tasks | `x` | `r` |\n| --- | --- | --- |\n\
         | one is in progress | resumes it | resumes it |\n\
         | none in progress, some pending | starts the first | \"Nothing in progress\" |\n\
         | none | \"No pending tasks\" | \"Nothing in progress\" |\n",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_small() {
        assert!(execute_rule().len() <= 2048, "{} bytes", execute_rule().len());
    }
}
