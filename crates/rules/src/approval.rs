//! Requests for a person's approval: tells the person of them, takes `ok 7` and `no 7`, and lets answers end with their turn.
//!
//! What an answer is worth is decided when it is used, because the event does not say who sent it.

use crate::{Judge, Mode, Rule, always, looks_at};
use engine_core::approval::{APPROVE, By, REFUSE, Request, reading};
use engine_core::change::Change;
use engine_core::event::{Actor, Event, EventName, Kind, Stop, Tool, ToolCall, ToolResult};
use engine_core::session::kept_words;
use engine_core::verdict::{Broken, Finding, UserLine};
use engine_core::view::{Approvals, Project, Session, Skills, Transcript};

looks_at!(Approvals + Project + Session + Skills + Transcript);

pub(crate) const RULE: Rule = Rule {
    id: "approval",
    about: "Tells you what the agent may do only with your word, and takes your answer: ok 7, or no 7.",
    events: &[
        EventName::SessionStart,
        EventName::Prompt,
        EventName::PreTool,
        EventName::PostTool,
        EventName::PostToolFailure,
        EventName::Stop,
    ],
    default: Mode::On,
    fixed: true,
    wanted: always,
    judge: Judge::Live(|event, view| judge(event, view)),
};

fn judge(event: &Event<'_>, view: &(impl View + ?Sized)) -> Result<Finding, Broken> {
    // The path of every call: only the tool that asks is of interest here.
    if matches!(&event.kind, Kind::PreTool(call) if !matches!(call.tool, Tool::Ask)) {
        return Ok(Finding::default());
    }
    let mut finding = match &event.kind {
        Kind::Prompt { .. } => at_prompt(event, view),
        Kind::PreTool(call) => at_question(event, call, view),
        // Nobody but the session's client uses up what the person is to be shown.
        _ if has_news(view) && is_foreign(view) => return Ok(Finding::default()),
        Kind::Stop(stop) if event.actor == Actor::Main => at_end(event, stop, view),
        Kind::PostTool { call, result, .. } if matches!(call.tool, Tool::Ask) => {
            at_dialog(event, call, result, view)
        }
        _ => Finding::default(),
    };
    if !view.lost().is_empty() {
        let lost = view.lost().join("\n");
        let context = finding.context.take().map_or_else(|| lost.clone(), |said| format!("{said}\n{lost}"));
        finding.context = Some(context);
        finding.lines.extend(view.lost().iter().map(|text| UserLine { text: text.clone(), cause: None }));
        finding.changes.push(Change::LossTold);
    }
    // Told once, by the first event that can show it, unless that answers it.
    let answered = finding.changes.iter().find_map(|change| match change {
        Change::Answered { number, .. } => Some(*number),
        _ => None,
    });
    let is_news = |request: &&Request| {
        request.answer.is_none()
            && Some(request.number) != answered
            && !view.session().told.contains(&cause(request))
    };
    let news = view.approvals().iter().filter(is_news);
    finding.lines.extend(news.map(|request| UserLine::once(cause(request), request.told())));
    Ok(finding)
}

/// Whether there is anything to show or to end.
fn has_news(view: &(impl View + ?Sized)) -> bool {
    !(view.approvals().is_empty() && view.spent().is_empty() && view.lost().is_empty())
}

/// Something else than the session's client sends this event, which still runs.
pub(crate) fn is_foreign(view: &(impl Session + ?Sized)) -> bool {
    view.session().client.is_some_and(|client| view.sender() != Some(client) && view.runs(client))
}

fn cause(request: &Request) -> String {
    format!("approval {} {}", request.number, request.at.0)
}

fn at_prompt(event: &Event<'_>, view: &(impl View + ?Sized)) -> Finding {
    let Some(text) = event.real_prompt() else { return Finding::default() };
    match reading(text) {
        Some((number, yes)) => at_answer(event, text, number, yes, view),
        None => at_other_words(text, view),
    }
}

/// Short words that look like an answer: the person is told what answers.
fn at_other_words(text: &str, view: &(impl View + ?Sized)) -> Finding {
    let text = text.trim();
    let begins = |word: &str| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    let mut finding = Finding::default();
    if text.len() > 14 || !["ok", "no", "yes"].into_iter().any(begins) {
        return finding;
    }
    let waiting = view.approvals().iter().find(|request| request.answer.is_none());
    finding.lines.extend(waiting.map(|Request { number, .. }| UserLine {
        text: format!(
            "engine: this answers no request. The whole message answers: ok {number}, or no {number}"
        ),
        cause: None,
    }));
    finding
}

fn at_answer(event: &Event<'_>, text: &str, number: u32, yes: bool, view: &(impl View + ?Sized)) -> Finding {
    let Some(request) = view.approvals().iter().find(|request| request.number == number) else {
        return told(format!("engine: no approval {number} is wanted in this session."));
    };
    if let Some(answer) = request.answer.as_ref().filter(|_| !request.takes(yes)) {
        let before = &answer.words;
        return told(format!(
            "engine: approval {number} has its answer: {before}. A new one takes a new request."
        ));
    }
    if let Some(why) = view.forged() {
        return told(format!(
            "engine: this answer to approval {number} does not count: {why}. In a terminal: engine approval grant {number}"
        ));
    }
    let words = kept_words(text.trim());
    let by = By::Message {
        transcript: event.transcript.as_deref().unwrap_or_default().to_owned(),
        attended: view.variable(view.dialect().attended_variable).is_some_and(|value| value == "1"),
    };
    answered(request, yes, &words, by)
}

/// A line for the model and for the person.
fn told(text: String) -> Finding {
    let mut finding = Finding::note(text.clone());
    finding.lines.push(UserLine { text, cause: None });
    finding
}

fn answered(request: &Request, yes: bool, words: &str, by: By) -> Finding {
    let Request { number, what, .. } = request;
    let number = *number;
    let said = if yes {
        format!(
            "engine: {words} answers approval {number}: {what}. Run the same command again; it counts once, and until this turn ends."
        )
    } else {
        format!(
            "engine: the person refuses approval {number}: {what}. Do not do it and do not ask for it again."
        )
    };
    let because = match by {
        By::Dialog => "the person chose it in the dialog of the request",
        _ => "the whole message answers a request",
    };
    let mut finding = Finding::note(said).because(because);
    finding.changes.push(Change::Answered { number, yes, words: words.to_owned(), by });
    finding
}

/// The agent asks the person. What speaks of a request must be its dialog to the letter: an option that says another thing than it does
/// would get an answer to it.
fn at_question(event: &Event<'_>, call: &ToolCall<'_>, view: &(impl View + ?Sized)) -> Finding {
    let waiting = || view.approvals().iter().filter(|request| request.answer.is_none());
    let asked = waiting().find(|request| view.asks(&call.input, request, false));
    let Some(request) = asked.or_else(|| waiting().find(|request| request.is_named_in(&call.input))) else {
        return Finding::default();
    };
    let number = request.number;
    if let Some(why) = no_dialog(event, view) {
        return Finding::deny(format!(
            "a dialog cannot answer approval {number} here: {why}. The person types ok {number} or no {number}."
        ));
    }
    if asked.is_some() {
        return Finding::default();
    }
    let question = view.question(request);
    Finding::deny(format!("approval {number} is asked for with exactly this input: {question}"))
}

/// Why a dialog cannot carry a person's word here.
fn no_dialog(event: &Event<'_>, view: &(impl View + ?Sized)) -> Option<String> {
    if event.actor != Actor::Main {
        return Some("a subagent asks".to_owned());
    }
    if view.variable(view.dialect().attended_variable).as_deref() != Some("1") {
        return Some("nobody attends the session".to_owned());
    }
    view.forged().or_else(|| view.other_answerer())
}

/// The person has answered a dialog. Only the two words of a request's own count; anything else leaves it open.
fn at_dialog(
    event: &Event<'_>,
    call: &ToolCall<'_>,
    result: &ToolResult<'_>,
    view: &(impl View + ?Sized),
) -> Finding {
    let mut waiting = view.approvals().iter().filter(|request| request.answer.is_none());
    let Some(request) = waiting.find(|request| view.asks(&call.input, request, true)) else {
        return Finding::default();
    };
    let [question] = result.questions.as_slice() else { return Finding::default() };
    let words = question.answer.as_deref().unwrap_or_default();
    let yes = match words {
        APPROVE => true,
        REFUSE => false,
        _ => return Finding::default(),
    };
    if let Some(why) = no_dialog(event, view) {
        return told(format!("engine: this answer to approval {} does not count: {why}.", request.number));
    }
    answered(request, yes, words, By::Dialog)
}

fn at_end(event: &Event<'_>, stop: &Stop<'_>, view: &(impl View + ?Sized)) -> Finding {
    let mut finding = Finding::default();
    let spent = view.spent();
    finding.lines.extend(spent.iter().map(|text| UserLine { text: text.clone(), cause: None }));
    let over: Vec<&Request> = view
        .approvals()
        .iter()
        .filter(|request| !stop.background_running && is_over(request, event, view))
        .collect();
    let unused =
        over.iter().filter_map(|request| Some((request, request.answer.as_ref().filter(|said| said.yes)?)));
    finding.lines.extend(unused.map(|(Request { number, what, .. }, answer)| UserLine {
        text: format!("engine: approval {number} was given ({}) and not used: {what}", answer.words),
        cause: None,
    }));
    let numbers: Vec<u32> = over.iter().map(|request| request.number).collect();
    if !(spent.is_empty() && numbers.is_empty()) {
        finding.changes.push(Change::ApprovalsEnded { numbers });
    }
    finding
}

/// Whether an answer ends with this turn. A person may type it while the turn before is ending: then the agent has not seen it yet.
fn is_over(request: &Request, event: &Event<'_>, view: &(impl View + ?Sized)) -> bool {
    let Some(answer) = &request.answer else { return false };
    let session = view.session();
    if answer.turn < session.turn {
        return true;
    }
    let ends_another = event.prompt_id.as_deref().zip(session.prompt_id.as_deref());
    if ends_another.is_some_and(|(ended, begun)| ended != begun) {
        return false;
    }
    match &answer.by {
        By::Message { transcript, .. } => view.has_message(transcript, &answer.words, request.at),
        By::Dialog | By::Terminal => true,
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::path::Path;

    use engine_core::approval::{Answer, Deed};
    use engine_core::client::{ClientProcess, ContextUse, Snapshot};
    use engine_core::config::Config;
    use engine_core::dialect::Dialect;
    use engine_core::dialogue::Question;
    use engine_core::session::SessionState;
    use engine_core::skill::Known;
    use engine_text::stamp::Stamp;

    use super::*;

    static DIALECT: Dialect = Dialect { attended_variable: "ATTENDED", ..Dialect::NONE };

    /// An agent session, who sends its events, and whether somebody attends it.
    #[derive(Default)]
    struct Scene {
        state: SessionState,
        forged: Option<&'static str>,
        attended: Option<&'static str>,
        answerer: Option<&'static str>,
        sender: Option<ClientProcess>,
        is_gone: bool,
        /// The agent has not seen the last message.
        unread: bool,
        config: Config,
    }

    impl Project for Scene {
        fn config(&self) -> &Config {
            &self.config
        }

        fn root(&self) -> &Path {
            Path::new("/p")
        }

        fn variable(&self, name: &str) -> Option<String> {
            self.attended.filter(|_| name == "ATTENDED").map(str::to_owned)
        }
    }

    impl Session for Scene {
        fn session(&self) -> &SessionState {
            &self.state
        }

        fn wiring(&self) -> Vec<(String, Snapshot)> {
            Vec::new()
        }

        fn sender(&self) -> Option<ClientProcess> {
            self.sender
        }

        fn runs(&self, _: ClientProcess) -> bool {
            !self.is_gone
        }
    }

    impl Transcript for Scene {
        fn context_use(&self, _: &str) -> Option<ContextUse> {
            None
        }

        fn last_words(&self, _: &str) -> Option<String> {
            None
        }

        fn has_message(&self, transcript: &str, message: &str, since: Stamp) -> bool {
            assert_eq!((transcript, message, since), ("/t.jsonl", "ok 7", Stamp(1)));
            !self.unread
        }
    }

    impl Skills for Scene {
        fn dialect(&self) -> &'static Dialect {
            &DIALECT
        }

        fn skill(&self, _: &str) -> Option<Known> {
            None
        }
    }

    impl Approvals for Scene {
        fn approvals(&self) -> &[Request] {
            &self.state.approvals
        }

        fn spent(&self) -> &[String] {
            &self.state.spent
        }

        fn lost(&self) -> &[String] {
            &self.state.lost
        }

        fn asks(&self, input: &str, request: &Request, _: bool) -> bool {
            input == request.dialog().question
        }

        fn question(&self, request: &Request) -> String {
            request.dialog().question
        }

        fn other_answerer(&self) -> Option<String> {
            self.answerer.map(str::to_owned)
        }

        fn forged(&self) -> Option<String> {
            self.forged.map(str::to_owned)
        }
    }

    /// Request 7 waits and was told of; request 8 has a no.
    fn scene() -> Scene {
        let wall = Request::new(7, &Deed::new("paint the wall", &[]), Stamp(1));
        let answer = Answer { yes: false, words: "no 8".into(), at: Stamp(2), turn: 0, by: By::Terminal };
        let door = Request::new(8, &Deed::new("paint the door", &[]), Stamp(1));
        let mut scene = Scene::default();
        scene.state.approvals = vec![wall, Request { answer: Some(answer), ..door }];
        scene.state.told.insert("approval 7 1".to_owned());
        scene
    }

    fn event(kind: Kind<'_>) -> Event<'_> {
        Event {
            name: Cow::Borrowed(""),
            session: Cow::Borrowed("s1"),
            actor: Actor::Main,
            cwd: Cow::Borrowed("/p"),
            transcript: Some(Cow::Borrowed("/t.jsonl")),
            prompt_id: None,
            permission_mode: None,
            kind,
        }
    }

    fn typed(scene: &Scene, text: &str) -> Finding {
        judge(&event(Kind::Prompt { text: Cow::Borrowed(text), by_person: true }), scene).unwrap()
    }

    fn stopped(scene: &Scene, stop: Stop<'_>) -> Finding {
        judge(&event(Kind::Stop(stop)), scene).unwrap()
    }

    fn line(text: &str) -> UserLine {
        UserLine { text: text.to_owned(), cause: None }
    }

    #[test]
    fn a_whole_message_answers_a_request() {
        let answered = |words: &str, yes, attended| Change::Answered {
            number: 7,
            yes,
            words: words.to_owned(),
            by: By::Message { transcript: "/t.jsonl".to_owned(), attended },
        };
        let yes = "engine: ok 7 answers approval 7: paint the wall. Run the same command again; it counts once, and until this turn ends.";
        let no = "engine: the person refuses approval 7: paint the wall. Do not do it and do not ask for it again.";
        let cases = [
            ("ok 7", None, yes.to_owned(), answered("ok 7", true, false)),
            (" OK 7\n", Some("1"), yes.replace("ok 7", "OK 7"), answered("OK 7", true, true)),
            ("ok 7", Some("0"), yes.to_owned(), answered("ok 7", true, false)),
            ("no 7", None, no.to_owned(), answered("no 7", false, false)),
        ];
        for (text, attended, context, change) in cases {
            let finding = typed(&Scene { attended, ..scene() }, text);
            assert_eq!(finding.context, Some(context), "{text}");
            assert_eq!(finding.changes, [change], "{text}");
            assert_eq!(finding.lines, [], "the person knows what they typed");
            assert_eq!(finding.decision, None);
        }
    }

    #[test]
    fn anything_else_is_a_message_like_any_other() {
        let others = ["why?", "and now? ok 7", "s", "q: ok 7", "/q ok 7", "", "okay, I am thinking about it"];
        for text in others {
            assert_eq!(typed(&scene(), text), Finding::default(), "{text:?}");
        }
        let notification = Kind::Prompt { text: Cow::Borrowed("ok 7"), by_person: false };
        assert_eq!(judge(&event(notification), &scene()).unwrap(), Finding::default());
    }

    #[test]
    fn a_yes_can_be_taken_back_and_short_words_are_told_what_answers() {
        let mut scene = scene();
        let by = || By::Message { transcript: "/t.jsonl".into(), attended: false };
        let answered = |yes, words: &str| Change::Answered { number: 7, yes, words: words.into(), by: by() };
        scene.state.apply(&answered(true, "ok 7"), Stamp(5));
        assert_eq!(typed(&scene, "no 7").changes, [answered(false, "no 7")]);
        scene.state.apply(&answered(false, "no 7"), Stamp(6));
        let said = "engine: approval 7 has its answer: no 7. A new one takes a new request.";
        assert_eq!(typed(&scene, "ok 7").context.as_deref(), Some(said));
        let near = "engine: this answers no request. The whole message answers: ok 7, or no 7";
        for words in ["ok", "ok 7.", "ok  7", "OK7", "yes", "no!"] {
            let finding = typed(&self::scene(), words);
            assert_eq!((finding.lines, finding.context), (vec![line(near)], None), "{words}");
        }
    }

    #[test]
    fn nobody_else_uses_up_what_the_person_is_to_be_shown() {
        let client = ClientProcess { pid: 5, started: 6, table: None };
        let mut scene = scene();
        scene.state.client = Some(client);
        scene.state.spent = vec!["engine: approval 3 was used".to_owned()];
        scene.state.told.clear();
        for sender in [None, Some(ClientProcess { pid: 7, started: 6, table: None })] {
            scene.sender = sender;
            assert_eq!(stopped(&scene, Stop::default()), Finding::default());
        }
        scene.sender = Some(client);
        assert_eq!(stopped(&scene, Stop::default()).lines.len(), 2);
        scene.sender = None;
        scene.is_gone = true;
        assert_eq!(stopped(&scene, Stop::default()).lines.len(), 2, "that client is gone");
    }

    #[test]
    fn an_answer_that_does_not_count_says_why() {
        let forged = Scene { forged: Some("it did not come through the client's socket"), ..scene() };
        let cases = [
            (scene(), "ok 9", "engine: no approval 9 is wanted in this session."),
            (Scene::default(), "no 7", "engine: no approval 7 is wanted in this session."),
            (scene(), "ok 8", "engine: approval 8 has its answer: no 8. A new one takes a new request."),
            (
                forged,
                "ok 7",
                "engine: this answer to approval 7 does not count: it did not come through the client's socket. In a terminal: engine approval grant 7",
            ),
        ];
        for (scene, text, expected) in cases {
            let finding = typed(&scene, text);
            assert_eq!(finding.context.as_deref(), Some(expected));
            assert_eq!(finding.lines, [line(expected)]);
            assert_eq!(finding.changes, []);
        }
    }

    #[test]
    fn a_request_is_told_once_by_whatever_event_comes_first() {
        let mut scene = scene();
        scene.state.told.clear();
        let told =
            UserLine::once("approval 7 1", "engine: approval 7 wanted: paint the wall. Type: ok 7, or no 7");
        assert_eq!(typed(&scene, "why?").lines, std::slice::from_ref(&told));
        assert_eq!(stopped(&scene, Stop::default()).lines, [told]);
        scene.state.told.insert("approval 7 1".to_owned());
        assert_eq!(typed(&scene, "why?").lines, []);
    }

    #[test]
    fn an_answer_that_the_agent_has_not_seen_outlives_the_turn_before() {
        let mut scene = scene();
        let by = By::Message { transcript: "/t.jsonl".into(), attended: false };
        let begins = |id: &str| Change::TurnStarted { prompt: "x".into(), id: Some(id.into()) };
        let yes = Change::Answered { number: 7, yes: true, words: "ok 7".into(), by };
        scene.state.prompt_id = Some("p2".into());
        for change in [begins("p2"), yes] {
            scene.state.apply(&change, Stamp(5));
        }
        let over = |scene: &Scene, prompt: Option<&'static str>| {
            let stop = Event { prompt_id: prompt.map(Cow::Borrowed), ..event(Kind::Stop(Stop::default())) };
            match judge(&stop, scene).unwrap().changes.as_slice() {
                [Change::ApprovalsEnded { numbers }] => numbers.clone(),
                changes => panic!("{changes:?}"),
            }
        };
        // The no to request 8 is of the turn before.
        assert_eq!(over(&scene, Some("p1")), [8], "an end that is told late");
        assert_eq!(over(&scene, Some("p2")), [7, 8]);
        assert_eq!(over(&scene, None), [7, 8]);
        let unused = "engine: approval 7 was given (ok 7) and not used: paint the wall";
        assert_eq!(stopped(&scene, Stop::default()).lines, [line(unused)]);
        scene.unread = true;
        assert_eq!(over(&scene, Some("p2")), [8], "it waits for the agent");
        scene.state.apply(&Change::ApprovalsEnded { numbers: vec![8] }, Stamp(6));
        let left =
            |scene: &Scene| scene.state.approvals.iter().map(|request| request.number).collect::<Vec<_>>();
        assert_eq!(left(&scene), [7]);
        scene.state.apply(&begins("p2"), Stamp(6));
        assert_eq!(left(&scene), [7], "typed in the same turn");
        scene.state.apply(&begins("p3"), Stamp(7));
        assert_eq!(left(&scene), [0; 0], "and not for ever: the turn was interrupted");
    }

    fn question(text: &str) -> ToolCall<'_> {
        let (name, id) = (Cow::Borrowed("Ask"), Cow::Borrowed("t1"));
        ToolCall { name, id, input: Cow::Borrowed(text), tool: Tool::Ask }
    }

    const DIALOG: &str = "Approval 7: paint the wall. May the agent do this once, in this turn?";

    fn attended() -> Scene {
        Scene { attended: Some("1"), ..scene() }
    }

    #[test]
    fn a_dialog_has_the_words_of_its_request() {
        let asked = |scene: &Scene, text: &str| judge(&event(Kind::PreTool(question(text))), scene).unwrap();
        let deny = |text: &str| Finding::deny(text);
        assert_eq!(asked(&attended(), DIALOG), Finding::default());
        for other in ["Which colour?", "Approval 8: paint the door?", "Approval 77: paint the roof?", ""] {
            assert_eq!(asked(&attended(), other), Finding::default(), "{other}: it waits for no such answer");
        }
        let exactly = format!("approval 7 is asked for with exactly this input: {DIALOG}");
        for other in ["APPROVAL 7?", "Is approval 7, of the wall, fine?", "paint the wall (approval 7)"] {
            assert_eq!(asked(&attended(), other), deny(&exactly), "{other}");
        }
        let typed = "The person types ok 7 or no 7.";
        let cases = [
            (scene(), "nobody attends the session"),
            (Scene { attended: Some("0"), ..scene() }, "nobody attends the session"),
            (Scene { forged: Some("it came by a pipe"), ..attended() }, "it came by a pipe"),
            (Scene { answerer: Some("a.sh can answer it"), ..attended() }, "a.sh can answer it"),
        ];
        for (scene, why) in cases {
            let refused = deny(&format!("a dialog cannot answer approval 7 here: {why}. {typed}"));
            assert_eq!(asked(&scene, DIALOG), refused);
            assert_eq!(asked(&scene, "approval 7?"), refused);
        }
        let mut of_subagent = event(Kind::PreTool(question(DIALOG)));
        of_subagent.actor = Actor::Subagent { id: Cow::Borrowed("a1"), agent_type: Cow::Borrowed("qa") };
        let refused = deny(&format!("a dialog cannot answer approval 7 here: a subagent asks. {typed}"));
        assert_eq!(judge(&of_subagent, &attended()).unwrap(), refused);
    }

    #[test]
    fn only_the_two_words_of_a_dialog_answer() {
        let answered = |scene: &Scene, text: &str, answers: &[Option<&str>]| {
            let questions = answers.iter().map(|answer| Question {
                question: text.to_owned(),
                options: Vec::new(),
                answer: answer.map(str::to_owned),
            });
            let result = ToolResult { questions: questions.collect(), ..ToolResult::default() };
            let call = question(text);
            judge(&event(Kind::PostTool { call, result, duration_ms: None }), scene).unwrap()
        };
        let change =
            |yes, words: &str| Change::Answered { number: 7, yes, words: words.to_owned(), by: By::Dialog };
        assert_eq!(answered(&attended(), DIALOG, &[Some("Approve")]).changes, [change(true, "Approve")]);
        assert_eq!(answered(&attended(), DIALOG, &[Some("Refuse")]).changes, [change(false, "Refuse")]);
        for words in [Some("approve"), Some("Approve, but later"), Some("No"), Some(""), None] {
            assert_eq!(answered(&attended(), DIALOG, &[words]), Finding::default(), "{words:?}");
        }
        let two = [Some("Approve"), Some("Approve")];
        assert_eq!(answered(&attended(), DIALOG, &two), Finding::default(), "one question, one answer");
        assert_eq!(answered(&attended(), "May I?", &[Some("Approve")]), Finding::default());
        let late = Scene { answerer: Some("a.sh can answer it"), ..attended() };
        let said = "engine: this answer to approval 7 does not count: a.sh can answer it.";
        let finding = answered(&late, DIALOG, &[Some("Approve")]);
        assert_eq!((finding.context.as_deref(), finding.lines), (Some(said), vec![line(said)]));
        assert_eq!(finding.changes, []);
    }

    #[test]
    fn a_loss_is_told_to_the_agent_and_to_the_person() {
        let mut scene = scene();
        scene.state.lost = vec!["engine: one is gone.".to_owned(), "engine: two is gone.".to_owned()];
        let finding = typed(&scene, "why?");
        assert_eq!(finding.context.as_deref(), Some("engine: one is gone.\nengine: two is gone."));
        assert_eq!(finding.lines, [line("engine: one is gone."), line("engine: two is gone.")]);
        assert_eq!(finding.changes, [Change::LossTold]);
        let with_answer = typed(&scene, "no 7").context.unwrap_or_default();
        assert!(with_answer.starts_with("engine: the person refuses approval 7: "), "{with_answer}");
        assert!(with_answer.ends_with("\nengine: one is gone.\nengine: two is gone."), "{with_answer}");
        scene.state.apply(&Change::LossTold, Stamp(5));
        assert_eq!(typed(&scene, "why?"), Finding::default());
    }

    #[test]
    fn answers_end_with_the_turn() {
        let mut scene = scene();
        assert_eq!(stopped(&scene, Stop::default()).changes, [Change::ApprovalsEnded { numbers: vec![8] }]);
        let background = || Stop { background_running: true, ..Stop::default() };
        assert_eq!(stopped(&scene, background()), Finding::default(), "the turn goes on by itself");
        let mut of_subagent = event(Kind::Stop(Stop::default()));
        of_subagent.actor = Actor::Subagent { id: Cow::Borrowed("a1"), agent_type: Cow::Borrowed("qa") };
        assert_eq!(judge(&of_subagent, &scene).unwrap(), Finding::default());
        scene.state.approvals.truncate(1);
        assert_eq!(stopped(&scene, Stop::default()), Finding::default(), "what waits goes on waiting");
        scene.state.spent = vec!["engine: approval 3 was used: paint the floor".to_owned()];
        assert_eq!(
            stopped(&scene, background()).lines,
            [line("engine: approval 3 was used: paint the floor")]
        );
        let ended = stopped(&scene, Stop::default());
        assert_eq!(ended.lines, [line("engine: approval 3 was used: paint the floor")]);
        assert_eq!(ended.changes, [Change::ApprovalsEnded { numbers: Vec::new() }]);
    }
}
