//! What the commands of a script see: variables, functions, the current folder, redirections.

use std::collections::HashMap;
use std::rc::Rc;

use crate::budget::Budget;
use crate::run::Redirect;
use crate::surroundings::{Host, Surroundings};
use crate::word::Word;
use engine_text::path::{LONGEST, join};

/// A longer value of a variable is nobody's path or option.
pub(crate) const LONGEST_VALUE: usize = 4096;

/// What the commands of a script see.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    /// One word, or those of an array.
    pub(crate) variables: Rc<HashMap<String, Rc<[Word]>>>,
    /// Their bodies as they were written.
    pub(crate) functions: Rc<HashMap<String, Rc<str>>>,
    pub(crate) positional: Option<Rc<[Word]>>,
    /// `$0` of code that is given with a name.
    pub(crate) name: Option<Word>,
    pub(crate) cwd: Option<String>,
    pub(crate) home: Option<Rc<str>>,
    pub(crate) host: Host,
    pub(crate) via: Rc<Vec<String>>,
    pub(crate) remote: bool,
    /// Redirections of what the commands stand in.
    pub(crate) files: Vec<Redirect>,
    /// What feeds the commands, and the text of it if it is literal.
    pub(crate) fed_by: Vec<usize>,
    pub(crate) input: Option<Rc<str>>,
    /// Variables that a wrapper sets.
    pub(crate) env: Vec<(String, Option<Word>)>,
    /// Functions that are being called.
    pub(crate) calls: Rc<Vec<String>>,
    /// In a pipe or in the background of the function that is being called.
    pub(crate) aside: bool,
    pub(crate) depth: usize,
    pub(crate) budget: Rc<Budget>,
}

impl Scope {
    pub(crate) fn new(around: &Surroundings, budget: Rc<Budget>) -> Self {
        let known = [("HOME", &around.home), ("TMPDIR", &around.temporary)];
        let variables = known
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), Rc::from([Word::known(value.as_deref()?)]))))
            .collect();
        Self {
            variables: Rc::new(variables),
            functions: Rc::default(),
            positional: None,
            name: None,
            cwd: Some(around.cwd.clone()),
            home: around.home.as_deref().map(Rc::from),
            host: around.host,
            via: Rc::default(),
            remote: false,
            files: Vec::new(),
            fed_by: Vec::new(),
            input: None,
            env: Vec::new(),
            calls: Rc::default(),
            aside: false,
            depth: 0,
            budget,
        }
    }

    pub(crate) fn variable(&self, name: &str) -> Variable {
        if name == "PWD" {
            return self.cwd.as_deref().map_or(Variable::Unknown, |cwd| Variable::Known(Word::known(cwd)));
        }
        match self.list(name) {
            Some([first, ..]) if !first.unknown => Variable::Known(first.clone()),
            Some(_) => Variable::Unknown,
            None => Variable::Unset,
        }
    }

    /// The words of an array.
    pub(crate) fn list(&self, name: &str) -> Option<&[Word]> {
        self.variables.get(name).map(|words| &**words)
    }

    pub(crate) fn set(&mut self, name: &str, value: Word) {
        let is_short = value.text.len() <= LONGEST_VALUE;
        self.set_list(name, Rc::from([if is_short { value } else { Word::unknown() }]));
    }

    pub(crate) fn set_list(&mut self, name: &str, words: Rc<[Word]>) {
        // Shared with another scope, all of them are copied.
        if Rc::strong_count(&self.variables) > 1 {
            self.budget.spend(self.variables.len() / 8);
        }
        Rc::make_mut(&mut self.variables).insert(name.to_owned(), words);
    }

    /// Notes a change of a variable that later programs see, because it is exported already. `*` stands for any.
    pub(crate) fn steer(&mut self, name: &str, value: Option<&Word>) {
        if name == "*" || self.host.exports(name) {
            self.env.push((name.to_owned(), value.cloned()));
        }
    }

    /// The scope of code that is run inside.
    pub(crate) fn within(&self, wrapper: &str) -> Self {
        let mut inner = self.clone();
        Rc::make_mut(&mut inner.via).push(wrapper.to_owned());
        inner.depth += 1;
        inner
    }

    /// What a copy of it costs.
    pub(crate) fn cost(&self) -> usize {
        1 + (self.files.len() + self.fed_by.len() / 8 + self.env.len() + self.via.len()) / 2
    }

    pub(crate) fn define(&mut self, name: &str, body: &str) {
        if Rc::strong_count(&self.functions) > 1 {
            self.budget.spend(self.functions.len() / 8);
        }
        Rc::make_mut(&mut self.functions).insert(name.to_owned(), Rc::from(body));
    }

    /// Where a path leads from here.
    pub(crate) fn at(&self, path: &str) -> Option<String> {
        match &self.cwd {
            Some(cwd) if cwd.len() + path.len() > LONGEST => None,
            Some(cwd) => Some(join(cwd, path)),
            None => path.starts_with('/').then(|| join("/", path)),
        }
    }
}

/// What is known of a variable.
pub(crate) enum Variable {
    Known(Word),
    /// It is set, or may be, to something that only the shell knows.
    Unknown,
    /// Nothing of it is seen here.
    Unset,
}
