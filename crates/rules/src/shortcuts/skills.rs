//! `h`, `hc` and `ci` are skills; so is what follows a task that `xc` carries out.

use engine_core::chain::Standing;
use engine_core::shortcut::Command;
use engine_core::skill::{is_wrapped, standing};
use engine_core::verdict::Finding;

use super::{View, answer, instant};

/// How the skills of this project stand in a chain.
pub(crate) fn stands<V: View + ?Sized>(view: &V) -> impl Fn(&str) -> Standing {
    |name: &str| standing(view.skill(name).as_ref(), is_wrapped(view.config(), name))
}

/// What installs them.
const REMEDY: &str = "engine init --with skills";

/// The skills of a shortcut that are not installed, in words: `/handoff and /commit are not installed here`.
pub(super) fn missing(key: &str, view: &(impl View + ?Sized)) -> Option<String> {
    let needed: &[&str] = match key {
        "h" => &["handoff"],
        "ci" => &["commit"],
        _ => &["handoff", "commit"],
    };
    let missing: Vec<&str> = needed.iter().copied().filter(|name| view.skill(name).is_none()).collect();
    match missing.as_slice() {
        [] => None,
        [one] => Some(format!("/{one} is not installed here")),
        several => Some(format!("/{} are not installed here", several.join(" and /"))),
    }
}

pub(super) fn by_skill(mark: &str, command: &Command, view: &(impl View + ?Sized)) -> Finding {
    let stands = format!(
        "{mark} The user typed {}, which stands for {} ({}).",
        command.key, command.expansion, command.about
    );
    let Some(missing) = missing(command.key, view) else { return Finding::note(stands) };
    let instead = instead(command.key);
    answer(
        instant(view),
        format!("engine: {missing}: {REMEDY}"),
        format!("{stands} {missing}; the user installs it with {REMEDY}.{instead}"),
    )
}

/// What does the work of the skill without it.
fn instead(key: &str) -> &'static str {
    if key == "ci" { "" } else { " Without it, engine handoff writes the handoff; engine handoff --help." }
}

/// The end of an `xc` of which nothing but the task could be carried out; a person can ask for that.
pub(super) fn refused(command: &Command, missing: &str) -> Finding {
    let line = format!(
        "engine: {} was not carried out: {missing}: {REMEDY}; x carries out the task alone",
        command.key
    );
    Finding { stop: Some(line), ..Finding::default() }
}

/// What follows a task where the skills are missing and nobody can be asked.
pub(super) fn after_task(missing: &str) -> String {
    format!(
        "Then the user expects a handoff and a commit, but {missing} ({REMEDY}); engine handoff writes the handoff."
    )
}
