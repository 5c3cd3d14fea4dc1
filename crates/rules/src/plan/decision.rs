//! Where a decision goes that others must know: a log entry of the work at hand, a directive of the folder that it holds for.

use engine_core::work::{BoundWork, file_of, name};

/// The reminder, with commands that take a decision as they are.
pub(super) fn reminder(work: Option<&BoundWork>) -> String {
    let directive = "engine directives add AGENTS DIR --text 'the decision, and why'";
    match work {
        Some(work) => {
            let log = format!("{}/{}/{}", name::FOLDER, work.name, file_of(&work.skill, "LOG"));
            format!(
                "engine: write down now what was decided and others must know. For this work: engine log {log}, with a line ## Decision: … and the reason on stdin. For a folder DIR: {directive}"
            )
        }
        None => format!(
            "engine: write down now what was decided and others must know, for the folder DIR that it is about: {directive}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_is_named_where_there_is_one() {
        let work =
            BoundWork { name: "2026_02_07_AUTH".into(), skill: "build".into(), ..BoundWork::default() };
        assert_eq!(
            reminder(Some(&work)),
            "engine: write down now what was decided and others must know. For this work: engine log sessions/2026_02_07_AUTH/BUILD_LOG.md, with a line ## Decision: … and the reason on stdin. For a folder DIR: engine directives add AGENTS DIR --text 'the decision, and why'"
        );
        assert_eq!(
            reminder(None),
            "engine: write down now what was decided and others must know, for the folder DIR that it is about: engine directives add AGENTS DIR --text 'the decision, and why'"
        );
    }
}
