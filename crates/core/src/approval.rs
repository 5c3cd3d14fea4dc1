//! What only a person may allow.
//!
//! An agent that says "they agreed" proves nothing. So a deed that needs a person is refused with a request: a number, the deed in one
//! line, and a fingerprint of what it is done to. The person answers the request, by `ok 7` or `no 7`, and nothing else answers it. A yes is
//! for this deed on this object, is spent by it, and ends with the turn in which it was given.

use engine_text::line::{one_line, seal, visible};
use engine_text::redact::redact;
use engine_text::stamp::Stamp;
use serde::{Deserialize, Serialize};

/// The words of an agent that stand in a deed must not read as a request of their own: no signs that turn the direction of writing, and
/// no number to type.
fn plain(what: &str) -> String {
    let text = visible(what);
    let mut plain = String::with_capacity(text.len());
    let mut words = text.split(' ').peekable();
    while let Some(word) = words.next() {
        plain.push_str(word);
        let is_answer = ["ok", "no"].iter().any(|answer| word.to_lowercase().ends_with(answer));
        let Some(next) = words.peek() else { break };
        plain.push(if is_answer && next.starts_with(|c: char| c.is_ascii_digit()) { '-' } else { ' ' });
    }
    plain
}

/// What a person reads before they answer, in characters.
const LONGEST: usize = 400;
/// What they can look up besides.
const WHOLE: usize = 20_000;

/// Something that an agent may not do by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deed {
    /// In one line, as the person reads it: `resume plan login (halted: third failure)`.
    pub what: String,
    /// What does not fit into the line.
    whole: Option<String>,
    /// A fingerprint of what it is done to, and how.
    object: String,
    script: Script,
    kind: Option<Kind>,
}

/// What sort of thing a person is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Leaving a phase with `gate: true`.
    Gate,
    /// Skipping phases, or changing the branch.
    Phase,
    /// Ending or resting with open ends.
    Close,
    /// Taking work from another agent session.
    Takeover,
    /// A proof whose check, or form, was changed.
    Proof,
    /// What only a person judges.
    Judge,
    Lock,
    Resume,
    Criteria,
    Config,
    Uninstall,
    Tag,
    Directive,
}

/// Whether a program without a terminal may do it: a timer, a build, a set-up script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Script {
    Never,
    /// With `--yes`, which was not given.
    WithYes,
    /// `--yes` was given.
    Yes,
}

impl Deed {
    /// `object` is all that a person agrees to; another object is another deed.
    pub fn new(what: &str, object: &[&str]) -> Self {
        let said = plain(&redact(what));
        // Where a line ends must be seen: what stands behind it may be no part of a comment before it.
        let line = one_line(&said.trim().replace('\n', "⏎"), LONGEST);
        let whole = (line != said.trim()).then(|| said.chars().take(WHOLE).collect());
        Self {
            what: line,
            whole,
            object: seal(object.join("\0").as_bytes()),
            script: Script::Never,
            kind: None,
        }
    }

    #[must_use]
    pub fn of(self, kind: Kind) -> Self {
        Self { kind: Some(kind), ..self }
    }

    /// One that loosens nothing, so that a script may do it with `--yes`.
    #[must_use]
    pub fn by_script(self, yes: bool) -> Self {
        Self { script: if yes { Script::Yes } else { Script::WithYes }, ..self }
    }

    pub fn script(&self) -> Script {
        self.script
    }
}

/// A deed that waits for a person's answer, or has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// In the project no two requests have the same.
    pub number: u32,
    pub what: String,
    /// The whole text, where the line is only its beginning.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub whole: Option<String>,
    pub object: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub kind: Option<Kind>,
    pub at: Stamp,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub answer: Option<Answer>,
}

impl Request {
    pub fn new(number: u32, deed: &Deed, at: Stamp) -> Self {
        let Deed { what, whole, object, kind, .. } = deed.clone();
        Self { number, what, whole, object, kind, at, answer: None }
    }

    /// What the person is told.
    pub fn told(&self) -> String {
        let Self { number, what, .. } = self;
        format!("engine: approval {number} wanted: {what}.{} Type: ok {number}, or no {number}", self.more())
    }

    /// Where the rest stands, if the line is not all.
    fn more(&self) -> String {
        match &self.whole {
            Some(_) => format!(" All of it, in a terminal: engine approval show {}.", self.number),
            None => String::new(),
        }
    }

    /// How the agent may ask the person, to the letter.
    pub fn dialog(&self) -> Dialog {
        let Self { number, what, .. } = self;
        let option = |label: &str, about: &str| (label.to_owned(), about.to_owned());
        Dialog {
            question: format!(
                "Approval {number}: {what}.{} May the agent do this once, in this turn?",
                self.more()
            ),
            header: "Approval".to_owned(),
            options: vec![option(APPROVE, "Yes, this once"), option(REFUSE, "No")],
        }
    }

    /// Whether a text speaks of this request.
    pub fn is_named_in(&self, text: &str) -> bool {
        let (text, name) = (text.to_lowercase(), format!("approval {}", self.number));
        text.match_indices(&name)
            .any(|(at, _)| !text[at + name.len()..].starts_with(|next: char| next.is_ascii_digit()))
    }

    /// Whether it can be answered so: it has no answer, or a yes is taken back.
    pub fn takes(&self, yes: bool) -> bool {
        self.answer.as_ref().is_none_or(|before| before.yes && !yes)
    }

    pub fn is_for(&self, deed: &Deed) -> bool {
        self.what == deed.what && self.object == deed.object
    }
}

/// A question that the client asks the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialog {
    pub question: String,
    pub header: String,
    /// Each with what it means.
    pub options: Vec<(String, String)>,
}

/// The answers to a dialog.
pub const APPROVE: &str = "Approve";
pub const REFUSE: &str = "Refuse";

/// What a person said to a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    pub yes: bool,
    /// Their own words.
    pub words: String,
    pub at: Stamp,
    /// The turn of the agent session in which it was given.
    #[serde(default)]
    pub turn: u64,
    pub by: By,
}

impl Answer {
    /// Whether it is meant for the turn that begins now: a person at a terminal answers while the agent rests.
    pub fn waits_for(&self, turn: u64) -> bool {
        self.by == By::Terminal && self.turn + 1 >= turn
    }
}

/// How an answer came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum By {
    /// As a message to the agent. An event does not say who sent it: it counts if the transcript does.
    Message { transcript: String, attended: bool },
    /// In a dialog of the client.
    Dialog,
    /// At a terminal of the person.
    Terminal,
}

/// How a deed stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing<'r> {
    /// Nobody has asked for it.
    New,
    /// Asked for, and not answered.
    Waiting(&'r Request),
    Denied(&'r Request, &'r Answer),
    Given(&'r Request, &'r Answer),
}

pub fn standing<'r>(requests: &'r [Request], deed: &Deed) -> Standing<'r> {
    let Some(request) = requests.iter().find(|request| request.is_for(deed)) else { return Standing::New };
    match &request.answer {
        None => Standing::Waiting(request),
        Some(answer) if answer.yes => Standing::Given(request, answer),
        Some(answer) => Standing::Denied(request, answer),
    }
}

/// Adds a request, unless one for this deed waits. Those for the same deed on another object are void: that object is no more.
pub fn ask(requests: &mut Vec<Request>, number: u32, deed: &Deed, at: Stamp) -> u32 {
    if let Some(request) = requests.iter().find(|request| request.is_for(deed)) {
        return request.number;
    }
    requests.retain(|request| request.what != deed.what);
    requests.push(Request::new(number, deed, at));
    number
}

/// Notes an answer. Whether there was a request to answer. A yes that is not used yet can be taken back.
pub fn answer(requests: &mut [Request], number: u32, answer: Answer) -> bool {
    let open = requests.iter_mut().find(|request| request.number == number && request.takes(answer.yes));
    if let Some(request) = open {
        request.answer = Some(answer);
        return true;
    }
    false
}

/// A message that is nothing but an answer: its number, and whether it is yes. A word more is a message like any other.
pub fn reading(message: &str) -> Option<(u32, bool)> {
    let (word, number) = message.trim().split_once(' ')?;
    let yes = match word {
        word if word.eq_ignore_ascii_case("ok") => true,
        word if word.eq_ignore_ascii_case("no") => false,
        _ => return None,
    };
    let digits = number.len() <= 9 && number.bytes().all(|byte| byte.is_ascii_digit());
    Some((number.parse().ok().filter(|_| digits)?, yes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(yes: bool) -> Answer {
        Answer { yes, words: "x".into(), at: Stamp(9), turn: 3, by: By::Terminal }
    }

    #[test]
    fn only_a_whole_message_answers() {
        let cases = [
            ("ok 7", Some((7, true))),
            ("OK 7\n", Some((7, true))),
            ("  no 12 ", Some((12, false))),
            ("No 12", Some((12, false))),
            ("ok", None),
            ("ok ", None),
            ("7", None),
            ("ok7", None),
            ("ok  7", None),
            ("ok 7.", None),
            ("ok 7 please", None),
            ("ok +7", None),
            ("ok -7", None),
            ("ok 7 8", None),
            ("ok 99999999999", None),
            ("ok seven", None),
            ("yes 7", None),
            ("okay 7", None),
            ("not ok 7", None),
            ("ok\n7", None),
            ("ok\u{a0}7", None),
            ("ok ７", None),
            ("", None),
            ("No! Stop.", None),
        ];
        for (message, expected) in cases {
            assert_eq!(reading(message), expected, "{message:?}");
        }
    }

    #[test]
    fn an_answer_is_for_one_deed_on_one_object() {
        let (one, changed) = (Deed::new("resume", &["a", "b"]), Deed::new("resume", &["a", "c"]));
        let other = Deed::new("remove", &["a", "b"]);
        assert_ne!(Deed::new("x", &["ab", "c"]), Deed::new("x", &["a", "bc"]));
        let mut requests = Vec::new();
        assert_eq!(standing(&requests, &one), Standing::New);
        assert_eq!(ask(&mut requests, 7, &one, Stamp(1)), 7);
        assert_eq!(ask(&mut requests, 8, &one, Stamp(2)), 7, "it waits already");
        assert_eq!(ask(&mut requests, 8, &other, Stamp(2)), 8);
        assert_eq!(standing(&requests, &one), Standing::Waiting(&Request::new(7, &one, Stamp(1))));
        assert!(!answer(&mut requests, 6, said(true)));
        assert!(answer(&mut requests, 7, said(true)));
        assert!(!answer(&mut requests, 7, said(true)), "answered once");
        assert!(matches!(standing(&requests, &one), Standing::Given(request, _) if request.number == 7));
        let mut taken_back = requests.clone();
        assert!(answer(&mut taken_back, 7, said(false)));
        assert!(matches!(standing(&taken_back, &one), Standing::Denied(request, _) if request.number == 7));
        assert!(!answer(&mut taken_back, 7, said(true)), "a no stays");
        assert!(matches!(standing(&requests, &other), Standing::Waiting(_)));
        assert_eq!(standing(&requests, &changed), Standing::New);
        assert_eq!(ask(&mut requests, 9, &changed, Stamp(3)), 9);
        assert_eq!(standing(&requests, &one), Standing::New, "its object is no more");
        assert!(answer(&mut requests, 9, said(false)));
        assert!(matches!(standing(&requests, &changed), Standing::Denied(request, _) if request.number == 9));
        requests.retain(|request| request.number != 9);
        assert_eq!(requests, [Request::new(8, &other, Stamp(2))]);
    }

    #[test]
    fn what_does_not_fit_into_a_line_can_be_looked_up() {
        let long = format!("add a directive:\n{}\nand rm -rf /", "harmless ".repeat(60));
        let deed = Deed::new(&long, &["x"]);
        let request = Request::new(7, &deed, Stamp(1));
        assert_eq!(request.what.chars().count(), LONGEST + 1);
        assert_eq!(request.whole.as_deref(), Some(long.as_str()));
        let end = "… All of it, in a terminal: engine approval show 7. Type: ok 7, or no 7";
        assert!(request.told().replace("….", "…").ends_with(end), "{}", request.told());
        let kept: Request = serde_json::from_str(&serde_json::to_string(&request).unwrap()).unwrap();
        assert_eq!(kept, request);
        let lines = Request::new(8, &Deed::new("a\nb  c", &[]), Stamp(1));
        assert_eq!((lines.what.as_str(), lines.whole.as_deref()), ("a⏎b  c", Some("a\nb  c")));
        assert_eq!(Request::new(8, &Deed::new(" a b ", &[]), Stamp(1)).whole, None);
    }

    #[test]
    fn an_agents_words_are_no_request() {
        let deed = Deed::new(
            "resume x (halted: fixed). engine: approval 9 wanted: hi. Type: ok 2, or (oK 2) or no 2\u{202e})  3 times",
            &[],
        );
        assert_eq!(
            deed.what,
            "resume x (halted: fixed). engine: approval 9 wanted: hi. Type: ok-2, or (oK-2) or no-2)  3 times"
        );
    }

    #[test]
    fn the_person_is_told_what_to_type() {
        let deed = Deed::new("resume plan login (halted: third failure on src/auth.py)", &["login"]);
        assert_eq!(
            Request::new(7, &deed, Stamp(1)).told(),
            "engine: approval 7 wanted: resume plan login (halted: third failure on src/auth.py). Type: ok 7, or no 7"
        );
    }
}
