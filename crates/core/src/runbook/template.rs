//! The runbook that an author begins with. Nobody can prepare it before it is filled in.

/// The text of a new `runbook.md`. `tdd`: its first phase has cycles, and else steps.
pub fn template(name: &str, tdd: bool) -> String {
    let (kind, work) = if tdd { ("tdd", CYCLE) } else { ("general", STEP) };
    format!(
        "---\n\
         name: {name}\n\
         model: <a model>\n\
         check: <a command>\n\
         type: {kind}\n\
         ---\n\
         # Common context\n\
         \n\
         Goal: <the goal>\n\
         \n\
         Decisions and conventions: <what is decided>\n\
         \n\
         ### Stop conditions\n\
         \n\
         - A file or name that a step mentions is missing or different.\n\
         - The check of a step fails twice.\n\
         - <when to stop>\n\
         \n\
         # Phase 1: <name of the phase>\n\
         \n\
         <what its steps build on>\n\
         \n\
         {work}"
    )
}

const STEP: &str = "## Step 1.1: <what it does>\n\
    \n\
    Files: <its files>\n\
    \n\
    <the work>\n";

const CYCLE: &str = "## Cycle 1.1: <what it does>\n\
    \n\
    Files: <its files>\n\
    \n\
    ### RED\n\
    \n\
    <the test and its failure>\n\
    \n\
    ### GREEN\n\
    \n\
    <the least code>\n\
    \n\
    ### REFACTOR\n\
    \n\
    <what to tidy>\n";
