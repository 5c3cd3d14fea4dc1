//! What the steps of a phase mean, told with the phase: nobody reads all commands for the two that count.

use std::path::Path;

use engine_core::sigil::{REFERS, definitions};
use engine_core::standard;
use engine_core::work::Run;
use engine_store::read::read_string;

/// Of one definition, in bytes.
pub const LONGEST: usize = 400;

/// The definitions of the current phase's steps: `§CMD_LOG An entry when …`.
pub(super) fn steps(run: &Run, folder: Option<&Path>) -> Vec<String> {
    let steps = run.declared().map(|phase| phase.steps.as_slice()).unwrap_or_default();
    steps.iter().map(|step| format!("{step}{}", shown(step.trim_start_matches(REFERS), folder))).collect()
}

fn shown(name: &str, folder: Option<&Path>) -> String {
    let in_skill = folder.and_then(|folder| {
        let file = format!("{name}.md");
        [folder.join("commands").join(&file), folder.join(&file)]
            .iter()
            .find_map(|file| defined_in(&read_string(file).ok()?, name))
    });
    let standard = || standard::find("COMMANDS").and_then(|commands| defined_in(commands.text, name));
    in_skill.or_else(standard).map(|text| format!(" {}", short(&text, name))).unwrap_or_default()
}

/// The text of a definition, without the name that leads it.
fn defined_in(text: &str, name: &str) -> Option<String> {
    let found = definitions(text).into_iter().find(|definition| definition.name == name)?;
    let (_, text) = found.body.split_once(&format!("¶{name}"))?;
    Some(text.trim_start_matches('*').trim().to_owned())
}

/// As much of a text as is told with a phase.
fn short(text: &str, name: &str) -> String {
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    let more = format!(" … (engine sigil show {name})");
    let room = LONGEST - more.len();
    let end = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= room).last().unwrap_or_default();
    format!("{}{more}", text[..end].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_of_the_standard_is_told_whole() {
        let commands = standard::find("COMMANDS").unwrap().text;
        for definition in definitions(commands) {
            let text = defined_in(commands, definition.name).unwrap();
            assert!(text.len() <= LONGEST, "{}: {} bytes", definition.name, text.len());
            assert!(!text.is_empty() && !text.contains('¶'), "{}: {text}", definition.name);
        }
    }

    #[test]
    fn a_long_one_of_a_skill_is_cut() {
        let text = format!("**¶CMD_X** {}", "é".repeat(400));
        let short = short(&defined_in(&text, "CMD_X").unwrap(), "CMD_X");
        assert!(short.len() <= LONGEST && short.ends_with("é … (engine sigil show CMD_X)"), "{short}");
    }
}
