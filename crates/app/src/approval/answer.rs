//! Requests for approval as a person sees them at a terminal, and their answers.

use engine_core::approval::{Answer, By, Request};
use engine_store::approve::{self, Caller};
use engine_store::project::Project;
use engine_store::{clock, session_file};

use crate::error::{CommandError, Outcome};

/// A request with the agent session that made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub session: String,
    pub request: Request,
}

/// The requests of all agent sessions that are alive, by number.
pub fn list(project: &Project) -> Vec<Asked> {
    let sessions = session_file::live(&project.sessions_folder());
    let of_session = |session: String| {
        let requests = approve::requests(project, &session);
        requests.into_iter().map(move |request| Asked { session: session.clone(), request })
    };
    let mut asked: Vec<Asked> = sessions.into_iter().flat_map(of_session).collect();
    asked.sort_by_key(|asked| asked.request.number);
    asked
}

pub fn find(project: &Project, number: u32) -> Result<Asked, CommandError> {
    list(project).into_iter().find(|asked| asked.request.number == number).ok_or_else(|| {
        CommandError::refused(format!("no approval {number} is wanted here"))
            .hint("what waits: engine approval list; what was used: engine journal")
    })
}

fn must_be_person(project: &Project, caller: &Caller, number: u32) -> Outcome {
    let why = match caller {
        Caller::Person if !approve::is_below_client(project) => return Ok(()),
        Caller::Person | Caller::Agent { .. } => "runs below a coding agent",
        Caller::Program => "has no terminal",
    };
    Err(CommandError::refused(format!("approval {number} is answered by a person only: this command {why}"))
        .hint("the person runs it in a terminal of their own, outside of the agent"))
}

/// Notes the answer that a person types at a terminal. The request comes back with it.
pub fn answer(project: &Project, caller: &Caller, number: u32, yes: bool) -> Result<Asked, CommandError> {
    must_be_person(project, caller, number)?;
    let mut asked = find(project, number)?;
    let verb = if yes { "grant" } else { "deny" };
    let words = format!("engine approval {verb} {number}");
    let answer = Answer { yes, words, at: clock::now(), turn: 0, by: By::Terminal };
    if !approve::answer(project, &asked.session, number, answer.clone())? {
        let before = asked.request.answer.map(|answer| answer.words).unwrap_or_default();
        return Err(CommandError::refused(format!("approval {number} has its answer: {before}")));
    }
    asked.request.answer = Some(answer);
    Ok(asked)
}

#[cfg(test)]
mod tests {
    use engine_core::approval::Deed;

    use super::*;
    use crate::approval::require;
    use crate::stage::{AGENT, Stage, agent, refusal};

    fn asks(stage: &Stage, session: &str, what: &str) -> String {
        require(&stage.project(), &agent(session), &Deed::new(what, &[]), None).map_or_else(
            |error| error.message,
            |record| record.split(" (").next().unwrap_or_default().to_owned(),
        )
    }

    #[test]
    fn all_requests_of_the_living_are_listed_by_number() {
        let stage = Stage::new();
        for (session, what) in [("b", "one"), ("a", "two"), ("gone", "three"), ("b", "four")] {
            asks(&stage, session, what);
        }
        stage.ends("gone");
        let listed: Vec<_> = list(&stage.project())
            .into_iter()
            .map(|asked| (asked.request.number, asked.session, asked.request.what))
            .collect();
        let row = |number, session: &str, what: &str| (number, session.to_owned(), what.to_owned());
        assert_eq!(listed, [row(1, "b", "one"), row(2, "a", "two"), row(4, "b", "four")]);
        assert_eq!(
            refusal(find(&stage.project(), 3)),
            "Refused: no approval 3 is wanted here\n→ what waits: engine approval list; what was used: engine journal"
        );
    }

    #[test]
    fn an_answer_is_noted_once_and_counts() {
        let stage = Stage::new();
        let project = stage.project();
        asks(&stage, AGENT, "one");
        asks(&stage, AGENT, "two");
        let given = answer(&project, &Caller::Person, 1, true).unwrap();
        assert_eq!(given, find(&project, 1).unwrap());
        let said = given.request.answer.unwrap();
        assert_eq!((said.yes, said.words.as_str(), said.by), (true, "engine approval grant 1", By::Terminal));
        let denied = answer(&project, &Caller::Person, 2, false).unwrap().request.answer.unwrap();
        assert_eq!((denied.yes, denied.words.as_str()), (false, "engine approval deny 2"));
        assert_eq!(
            refusal(answer(&project, &Caller::Person, 2, true)),
            "Refused: approval 2 has its answer: engine approval deny 2"
        );
        assert_eq!(
            refusal(answer(&project, &Caller::Person, 9, true)),
            "Refused: no approval 9 is wanted here\n→ what waits: engine approval list; what was used: engine journal"
        );
        assert_eq!(asks(&stage, AGENT, "one"), "the person's words: engine approval grant 1 in a terminal");
        assert_eq!(asks(&stage, AGENT, "two"), "the person refused approval 2: two");
    }

    #[test]
    fn only_a_person_answers() {
        let stage = Stage::new();
        asks(&stage, AGENT, "one");
        let before = stage.files();
        for (caller, why) in [
            (agent(AGENT), "runs below a coding agent"),
            (agent(""), "runs below a coding agent"),
            (Caller::Program, "has no terminal"),
        ] {
            let refused = format!(
                "Refused: approval 1 is answered by a person only: this command {why}\n\
                 → the person runs it in a terminal of their own, outside of the agent"
            );
            assert_eq!(refusal(answer(&stage.project(), &caller, 1, true)), refused);
        }
        assert_eq!(stage.files(), before);
    }
}
