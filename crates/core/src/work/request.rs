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

#[cfg(test)]
mod tests {
    use super::*;

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
