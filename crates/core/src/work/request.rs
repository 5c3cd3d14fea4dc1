//! Requests: work that one session asks of another, as a file `SKILL_REQUEST_TOPIC.md` with `#needs-<noun>` in its Tags line. The
//! skill whose request template has that tag answers them.

use crate::tag;
use engine_text::markdown::Lines;

/// How many open ones are listed.
pub const SHOWN: usize = 5;

/// What asks for work.
const ASKS: &str = "#needs-*";
/// The most urgent first; the last is meant where none is given.
const PRIORITIES: [&str; 3] = ["#P0", "#P1", "#P2"];

/// Whether a file is a request by its name.
pub fn is_request(name: &str) -> bool {
    let is_named = |end: &str| name.strip_suffix(end).is_some_and(|stem| stem.contains("_REQUEST_"));
    is_named(".md") && !name.starts_with("_REQUEST_")
}

/// The tags by which a template asks for work.
pub fn tags(template: &str) -> Vec<String> {
    let found = tag::find(ASKS, template).into_iter().filter(|found| found.of_file);
    found.map(|found| found.tag.to_owned()).collect()
}

/// An open request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub tag: String,
    /// 0 before 1 before 2.
    pub priority: usize,
    /// The heading, without `Request:`.
    pub topic: String,
}

/// What a file asks for, if that is one of these tags and still open.
pub fn read(text: &str, wanted: &[String]) -> Option<Request> {
    let of_file: Vec<&str> =
        tag::bare(text).iter().filter(|found| found.of_file).map(|found| found.tag).collect();
    let tag = of_file.iter().find(|tag| wanted.iter().any(|wanted| wanted == *tag))?;
    let priority = PRIORITIES.iter().position(|priority| of_file.contains(priority));
    let lines = Lines::new(text);
    let title = (0..lines.all.len()).find_map(|index| lines.heading(index)).map_or("", |(_, title)| title);
    Some(Request {
        tag: (*tag).to_owned(),
        priority: priority.unwrap_or(PRIORITIES.len() - 1),
        topic: title.strip_prefix("Request:").unwrap_or(title).trim().to_owned(),
    })
}

/// A part of the answer to a request file that is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unanswered {
    /// There is no such file.
    Gone { request: String },
    /// No section `## Response`.
    Section { request: String },
    /// Its Tags line still asks for work.
    Tag { request: String, tag: String },
    /// The session that answers has no such file.
    Response { request: String, file: String },
}

impl Unanswered {
    /// `path`: the work session that answers.
    pub fn text(&self, path: &str) -> String {
        match self {
            Self::Gone { request } => format!("there is no {request}"),
            Self::Section { request } => format!("{request} has no section ## Response"),
            Self::Tag { request, tag } => format!("{request} still has {tag} in its Tags line"),
            Self::Response { request, file } => format!("{request} has no response file {path}/{file}"),
        }
    }

    /// What puts it there.
    pub fn fix(&self, path: &str) -> String {
        match self {
            Self::Gone { .. } => {
                format!(
                    "a person changes what it was asked for: engine session update {path} requestFiles '[…]'"
                )
            }
            Self::Section { request } => format!("add a section ## Response to {request}"),
            Self::Tag { request, tag } => {
                format!("engine tag swap {request} '{tag}' '{}'", tag.replacen("#needs-", "#done-", 1))
            }
            Self::Response { file, .. } => format!("engine log --overwrite {path}/{file}"),
        }
    }
}

/// What a request file lacks of an answer. `text`: of the file, if it is there; `has`: whether the session that answers has a file.
pub fn unanswered(request: &str, text: Option<&str>, has: impl Fn(&str) -> bool) -> Vec<Unanswered> {
    let request = request.to_owned();
    let Some(text) = text else { return vec![Unanswered::Gone { request }] };
    let mut lacks = Vec::new();
    let lines = Lines::new(text);
    let is_response =
        |index| lines.heading(index).is_some_and(|(level, title)| level == 2 && title == "Response");
    if !(0..lines.all.len()).any(is_response) {
        lacks.push(Unanswered::Section { request: request.clone() });
    }
    for tag in tags(text) {
        lacks.push(Unanswered::Tag { request: request.clone(), tag });
    }
    let name = request.rsplit('/').next().unwrap_or_default();
    let file = is_request(name).then(|| name.replacen("_REQUEST_", "_RESPONSE_", 1));
    if let Some(file) = file.filter(|file| !has(file)) {
        lacks.push(Unanswered::Response { request, file });
    }
    lacks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_of_an_answer_is_asked_for() {
        let shown = |request: &str, text: Option<&str>, has: bool| -> Vec<String> {
            unanswered(request, text, |_| has).iter().map(|lack| lack.text("sessions/S")).collect()
        };
        let file = "sessions/A/FIX_REQUEST_KEYS.md";
        let open = "# Request: keys\n**Tags**: #needs-fix #P1\n\n```\n## Response\n```\n";
        assert_eq!(
            shown(file, Some(open), false),
            [
                format!("{file} has no section ## Response"),
                format!("{file} still has #needs-fix in its Tags line"),
                format!("{file} has no response file sessions/S/FIX_RESPONSE_KEYS.md"),
            ]
        );
        let done =
            "# Request: keys\n**Tags**: #done-fix\n\n`#needs-fix` was asked for.\n\n## Response\nDone.\n";
        assert_eq!(shown(file, Some(done), true), Vec::<String>::new());
        assert_eq!(shown("a.md", Some(done), false), Vec::<String>::new(), "no name tells of a response");
        assert_eq!(shown("a.md", None, true), ["there is no a.md"]);
    }

    #[test]
    fn names_of_requests() {
        for (name, expected) in [
            ("IMPLEMENT_REQUEST_AUTH.md", true),
            ("IMPLEMENT_RESPONSE_AUTH.md", false),
            ("_REQUEST_AUTH.md", false),
            ("REQUEST.md", false),
            ("FIX_REQUEST_A.txt", false),
        ] {
            assert_eq!(is_request(name), expected, "{name}");
        }
    }

    #[test]
    fn tags_count_in_the_tags_line_only() {
        assert_eq!(
            tags("# Request: T\n**Tags**: #needs-fix #P1 `#needs-x`\n\n#needs-research\n"),
            ["#needs-fix"]
        );
        let wanted = ["#needs-fix".to_owned()];
        let shown = |text: &str| {
            read(text, &wanted).map(|one| format!("{} P{} {}", one.tag, one.priority, one.topic))
        };
        assert_eq!(
            shown("# Request: keys: new\n**Tags**: #P0 #needs-fix\n").as_deref(),
            Some("#needs-fix P0 keys: new")
        );
        assert_eq!(shown("**Tags**: #needs-fix\n").as_deref(), Some("#needs-fix P2 "));
        for text in [
            "# R\n**Tags**: #done-fix\n\n#needs-fix\n",
            "# R\n**Tags**: `#needs-fix`\n",
            "# R\n**Tags**: #needs-fix-later\n",
        ] {
            assert_eq!(shown(text), None, "{text}");
        }
    }
}
