//! Where `engine init` puts its hook entries: what was asked for, and what stands already.
//!
//! Without a word it is the person's own file for this project. Where something else starts the engine already (their user settings, the
//! plugin, an entry of an earlier release), nothing is wired a second time.

use std::path::Path;

use engine_claude::entry::Form;
use engine_claude::install::Scope;
use engine_claude::reach::{self, Wiring};
use engine_core::config::{Config, Layer, Value};
use engine_core::policy;
use engine_store::config_file;
use engine_store::project::{FOLDER, Project};
use engine_store::read::read_string;
use engine_store::worktree::main_checkout;

use crate::error::CommandError;

/// What a committed entry does, and what it does not.
const TEAM: [&str; 2] = [
    "a colleague without engine sees nothing of it, and their sessions are not guarded",
    "the committed entry does not reach a client that is started in a subfolder; whoever wants that runs engine init beside it, and the committed entry then stands back",
];

/// Who starts the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wired {
    /// The entries that init writes.
    Here,
    /// Something that stands already, in words.
    Elsewhere(String),
}

pub(super) struct Choice {
    pub(super) scope: Scope,
    pub(super) wired: Wired,
    pub(super) notes: Vec<String>,
}

/// The scope to use, and whether entries are to be written there.
pub(super) fn choose(project: &Project, asked: Option<Scope>) -> Result<Choice, CommandError> {
    if asked == Some(Scope::Project) {
        let notes = TEAM.map(str::to_owned).to_vec();
        return Ok(Choice { scope: Scope::Project, wired: Wired::Here, notes });
    }
    let root = project.root();
    let of_main = main_checkout(root)
        .and_then(|_| Project::open(None, root))
        .filter(|found| found.root() != root && !root.join(FOLDER).exists());
    if let Some(main) = of_main {
        let main = main.root().display();
        return Err(CommandError::refused(format!("this worktree uses the .engine/ of {main}"))
            .hint(format!("local hooks there reach all worktrees: cd {main} && engine init"))
            .hint("an entry that is committed on this branch: engine init --team"));
    }
    let scope = asked.unwrap_or(Scope::Local);
    let elsewhere = |text: String, notes: &[&str]| Choice {
        scope,
        wired: Wired::Elsewhere(text),
        notes: notes.iter().map(|&note| note.to_owned()).collect(),
    };
    if let Some(plugin) = reach::plugin(root) {
        return Ok(elsewhere(format!("by the plugin {}", plugin.name), &[]));
    }
    let own = engine_claude::install::settings_file(root, scope);
    let gone = reach::wirings(root).into_iter().filter(|wiring| Some(&wiring.path) != own.as_ref());
    let gone = gone.filter_map(|wiring| Some(dead(root, &wiring, wiring.gone()?))).collect();
    let here = Choice { scope, wired: Wired::Here, notes: gone };
    if asked.is_some() {
        return Ok(here);
    }
    let is_other = |wiring: &Wiring| {
        wiring.form == Form::Direct && wiring.gone().is_none() && Some(&wiring.path) != own.as_ref()
    };
    let Some(other) = reach::wirings(root).into_iter().find(is_other) else { return Ok(here) };
    let file = other.path.strip_prefix(root).unwrap_or(&other.path).display();
    let text = format!("in {file} ({} scope)", other.scope.as_str());
    Ok(match other.scope {
        Scope::Project => elsewhere(
            text,
            &[
                "this committed entry is of an earlier form: whoever has no engine sees errors at every call, and it does not reach a client that is started in a subfolder",
                "for a team: engine init --team writes it anew, silent without engine. For you alone: engine uninstall, then engine init",
            ],
        ),
        Scope::Local | Scope::User => elsewhere(text, &[]),
    })
}

/// What there is to say of an entry that starts nothing.
fn dead(root: &Path, wiring: &Wiring, program: &str) -> String {
    let file = wiring.path.strip_prefix(root).unwrap_or(&wiring.path).display();
    format!(
        "{file} starts {program}, which is not on this machine: its hooks fail at each event. To write it anew: {}",
        wiring.mended_by()
    )
}

/// Whether a tool call is blocked where the entries of a scope fail. What is committed follows the project's configuration only.
pub(super) fn is_closed(project: &Project, config: &Config, scope: Scope) -> bool {
    if scope != Scope::Project {
        return config.choice(&policy::FAIL) == "closed";
    }
    let closed = Value::Text("closed".to_owned());
    let text = read_string(&project.config_file()).unwrap_or_default();
    let in_force = config.last(policy::FAIL.name).filter(|last| last.layer == Layer::Project);
    config_file::entries(&text).get(policy::FAIL.name) == Some(&closed)
        || in_force.is_some_and(|last| last.value == closed)
}
