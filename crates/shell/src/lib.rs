//! What a bash command line does: which programs it runs with which arguments, which files it reads, writes and deletes, and whose
//! exit status it has. Programs are found through wrappers, substitutions and code in strings.
//!
//! The parser is our own. A word is either known or unknown: what only the running shell can know is never guessed. The analysis has
//! a budget of steps and time. If it is spent, the result says so.
//!
//! The modules build on each other in this order:
//!
//! 1. `budget`: what an analysis may cost; `word`, `calls`, `run`, `surroundings`, `option`: plain types; `container`: calls of programs for containers.
//! 2. `grammar`: text to a syntax tree; `code`: code of other languages.
//! 3. `git_command`: the commands of git; `trial`: runs that change nothing; `effect`: what a run does to files; `analysis`: the result.
//! 4. `wrapper`: the table of programs that run other programs; `scope`: variables, functions and the current folder.
//! 5. `walk`: from the tree to runs.
//! 6. `analyser`: remembers the last analysis.
//! 7. `status`: what an exit status says of the commands in a line.

mod analyser;
mod analysis;
mod budget;
mod calls;
mod code;
mod container;
mod effect;
mod git_command;
mod grammar;
mod option;
mod run;
mod scope;
mod status;
mod surroundings;
mod trial;
mod walk;
mod word;
mod wrapper;

pub use analyser::Analyser;
pub use analysis::{Analysis, Problem};
pub use budget::MOST_STEPS;
pub use calls::Calls;
pub use container::{Container, Verb};
pub use effect::{CURL_VALUES, Effect};
pub use option::{Given, Options};
pub use run::{Redirect, RedirectKind, Run};
pub use status::{Says, Status, statuses};
pub use surroundings::{ExtraWrapper, Host, Runner, Surroundings, Writer};
pub use walk::analyse;
pub use word::Word;
