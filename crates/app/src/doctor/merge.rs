//! Whether git merges the task file as it was asked to. Nothing is said where nobody asked.

use engine_core::config::Config;
use engine_store::merge_driver::{NAME, attribute, configured, program_of};
use engine_store::own_program::is_executable;
use engine_store::project::Project;
use engine_store::task_file;

use super::{Health, Report};

const CHECK: &str = "merge";
const REMEDY: &str = "Run: engine init --with merge";

pub(super) fn check(project: &Project, config: &Config, report: &mut Report) {
    let file = task_file::name_in_checkout(project, config);
    let is_named = attribute(project.tree(), &file).as_deref() == Some(NAME);
    let (health, detail) = match (is_named, configured(project.tree())) {
        (false, None) => return,
        (true, None) => (
            Health::Note,
            format!("{file} has merge={NAME}, and this clone has no driver: git merges it as text. {REMEDY}"),
        ),
        (is_named, Some(driver)) => match program_of(&driver) {
            None if is_named => (Health::Note, format!("merge.{NAME}.driver is not engine's: {driver}")),
            None => return,
            Some(program) if !is_executable(&program) => (
                Health::Broken,
                format!(
                    "merge.{NAME}.driver runs {}, which is gone: git merges {file} as text. {REMEDY}",
                    program.display()
                ),
            ),
            Some(_) if !is_named => (
                Health::Note,
                format!("merge.{NAME}.driver is set, and no .gitattributes gives {file} to it. {REMEDY}"),
            ),
            Some(_) => (Health::Ok, format!("git merges {file} by its tasks")),
        },
    };
    report.add(health, CHECK, detail);
}
