//! Values that an entry of a chain hands to those after it.
//!
//! A skill declares their names (`returns: [plan]`), and `engine chain return plan=plans/foo` gives one while the entry is the current
//! one. It becomes the argument of every later entry that was typed without one, so that no skill has to guess what the one before it
//! made. What a person typed stays, and so do the exits: they work on the session, not on a value.

use serde::{Deserialize, Serialize};

use super::{Link, Stored};

/// The value that names a plan: a folder below `plans/`.
pub const PLAN: &str = "plan";

/// A value that an entry returned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Returned {
    pub name: String,
    pub value: String,
}

impl Stored {
    /// The names of the values that the current entry declares.
    pub fn returns(&self) -> &[String] {
        self.began.as_ref().map(|began| began.ending.returns.as_slice()).unwrap_or_default()
    }

    /// Keeps a value of the current entry, and makes it the argument of the entries that have none. One of the same name takes the place
    /// of the earlier one.
    pub fn hand_on(&mut self, name: &str, value: &str) {
        let returned = Returned { name: name.to_owned(), value: value.to_owned() };
        match self.returned.iter_mut().find(|earlier| earlier.name == name) {
            Some(earlier) => *earlier = returned,
            None => self.returned.push(returned),
        }
        let values: Vec<&str> = self.returned.iter().map(|returned| returned.value.as_str()).collect();
        let argument = values.join(" ");
        let kept = self.failure.iter_mut().flat_map(|failure| failure.left.iter_mut());
        for link in self.left.iter_mut().chain(kept).filter(|link| takes_value(link)) {
            link.entry.args.clone_from(&argument);
            link.given = true;
        }
    }

    /// The values that the current entry declares and did not return, if an entry after it has no argument for want of them. `args`:
    /// what the next one is called with.
    pub fn unreturned(&self, args: &str) -> Vec<&str> {
        let mut links = self.left.iter();
        let is_next_without = links.next().is_some_and(takes_value) && args.is_empty();
        if !is_next_without && !links.any(takes_value) {
            return Vec::new();
        }
        let is_there = |name: &str| self.returned.iter().any(|returned| returned.name == name);
        self.returns().iter().map(String::as_str).filter(|name| !is_there(name)).collect()
    }
}

/// Whether a value is the argument of an entry: nobody typed one.
fn takes_value(link: &Link) -> bool {
    (link.given || link.entry.args.is_empty()) && !link.exit && !link.tail
}

#[cfg(test)]
mod tests {
    use super::super::{Began, Ending, Entry, Outcome, written};
    use super::*;

    fn chain() -> Stored {
        let link = |text: &str| Link::from(Entry::parse(text).unwrap());
        let ending = Ending { returns: vec!["plan".into(), "report".into()], ..Ending::default() };
        Stored {
            current: Entry::parse("/design x"),
            began: Some(Began::new(&ending, "x", None)),
            left: vec![
                link("/plan-adhoc"),
                link("/test plans/typed"),
                link("/orchestrate"),
                Link { tail: true, ..link("/lint") },
                Link { exit: true, ..link("/commit") },
            ],
            ..Stored::default()
        }
    }

    fn left(chain: &Stored) -> String {
        chain.entries().iter().map(written).collect::<Vec<_>>().join(" → ")
    }

    #[test]
    fn a_value_is_the_argument_of_entries_without_one() {
        let mut chain = chain();
        assert_eq!(chain.unreturned(""), ["plan", "report"]);
        chain.hand_on("plan", "plans/foo");
        assert_eq!(
            left(&chain),
            "/plan-adhoc plans/foo → /test plans/typed → /orchestrate plans/foo → /lint → /commit"
        );
        assert_eq!(chain.unreturned(""), ["report"]);
        // A later word replaces it, and a second value stands behind it.
        chain.hand_on("plan", "plans/bar");
        chain.hand_on("report", "r.md");
        assert_eq!(
            left(&chain),
            "/plan-adhoc plans/bar r.md → /test plans/typed → /orchestrate plans/bar r.md → /lint → /commit"
        );
        assert_eq!(chain.unreturned(""), Vec::<&str>::new());
        chain.returned.clear();
        chain.left.remove(2);
        assert_eq!(chain.unreturned("").len(), 2);
        assert_eq!(chain.unreturned("plans/x"), Vec::<&str>::new(), "nothing is left that would take it");
    }

    #[test]
    fn the_call_of_an_entry_may_name_another_argument_but_not_none() {
        for (args, expected) in [("", "plans/foo"), ("plans/other", "plans/other")] {
            let mut chain = chain();
            chain.hand_on("plan", "plans/foo");
            chain.advance(Some(args), 1, None, Outcome::Done);
            assert_eq!(chain.current.map(|entry| entry.args), Some(expected.to_owned()));
        }
    }
}
