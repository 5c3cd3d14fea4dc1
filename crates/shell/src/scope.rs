//! What the commands of a script see: variables, functions, the current folder, redirections.

use std::collections::HashMap;
use std::rc::Rc;

use crate::budget::Budget;
use crate::run::Redirect;
use crate::surroundings::{ExtraWrapper, Host, Surroundings};
use crate::word::Word;
use engine_text::path::{LONGEST, join};

/// A longer value of a variable is nobody's path or option.
pub(crate) const LONGEST_VALUE: usize = 4096;

/// What a name is defined to run.
#[derive(Debug, Clone)]
pub(crate) struct Function {
    /// As it was written.
    pub(crate) body: Rc<str>,
    /// Shells that are started see it too.
    pub(crate) exported: bool,
    /// An alias, or defined in a branch: the program of this name may be what runs.
    pub(crate) unsure: bool,
}

/// What the commands of a script see.
#[derive(Debug, Clone)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own about where a command stands")]
pub(crate) struct Scope {
    /// One word, or those of an array.
    pub(crate) variables: Rc<HashMap<String, Rc<[Word]>>>,
    /// Functions, and aliases as what they stand for.
    pub(crate) functions: Rc<HashMap<String, Function>>,
    /// The next command is run by a program or by `command`: neither a function nor an alias is looked up for it.
    pub(crate) direct: bool,
    /// What is defined here may not be defined when the line runs: it is in a branch.
    pub(crate) conditional: bool,
    pub(crate) positional: Option<Rc<[Word]>>,
    /// `$0` of code that is given with a name.
    pub(crate) name: Option<Word>,
    pub(crate) cwd: Option<String>,
    pub(crate) home: Option<Rc<str>>,
    pub(crate) root: Option<Rc<str>>,
    pub(crate) host: Host,
    pub(crate) wrappers: Rc<[ExtraWrapper]>,
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
            direct: false,
            conditional: false,
            wrappers: Rc::clone(&around.wrappers),
            positional: None,
            name: None,
            cwd: Some(around.cwd.clone()),
            home: around.home.as_deref().map(Rc::from),
            root: around.root.as_deref().map(Rc::from),
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

    /// The scope of what another program runs: of the functions it sees those that are exported.
    pub(crate) fn within(&self, wrapper: &str) -> Self {
        let mut inner = self.inside(wrapper);
        inner.direct = true;
        if !inner.functions.is_empty() {
            self.budget.spend(inner.functions.len() / 8);
            let exported = self.functions.iter().filter(|(_, function)| function.exported);
            inner.functions = Rc::new(exported.map(|(name, body)| (name.clone(), body.clone())).collect());
        }
        inner
    }

    /// The scope of what the shell itself runs: `eval`, `trap`.
    pub(crate) fn inside(&self, wrapper: &str) -> Self {
        let mut inner = self.clone();
        Rc::make_mut(&mut inner.via).push(wrapper.to_owned());
        inner.depth += 1;
        inner
    }

    /// Takes over what code has changed that ran in this shell. `before`: how many variables were set for it.
    pub(crate) fn adopt(&mut self, inner: Self, before: usize) {
        self.variables = inner.variables;
        self.functions = inner.functions;
        self.cwd = inner.cwd;
        self.env.extend(inner.env.into_iter().skip(before));
    }

    /// The characters at which this line has the shell split words, if it has set them.
    pub(crate) fn separators(&self) -> Option<String> {
        match self.list("IFS")? {
            [word] if !word.unknown && !word.text.chars().all(char::is_whitespace) => Some(word.text.clone()),
            _ => None,
        }
    }

    /// What a copy of it costs.
    pub(crate) fn cost(&self) -> usize {
        1 + (self.files.len() + self.fed_by.len() / 8 + self.env.len() + self.via.len()) / 2
    }

    pub(crate) fn define(&mut self, name: &str, function: Function) {
        self.functions_mut().insert(name.to_owned(), function);
    }

    pub(crate) fn functions_mut(&mut self) -> &mut HashMap<String, Function> {
        if Rc::strong_count(&self.functions) > 1 {
            self.budget.spend(self.functions.len() / 8);
        }
        Rc::make_mut(&mut self.functions)
    }

    /// Forgets a variable: its default counts then.
    pub(crate) fn unset(&mut self, name: &str) {
        if self.variables.contains_key(name) {
            if Rc::strong_count(&self.variables) > 1 {
                self.budget.spend(self.variables.len() / 8);
            }
            Rc::make_mut(&mut self.variables).remove(name);
        }
    }

    /// The top of the repository that the current folder is in, as far as that is known: the project's.
    pub(crate) fn top(&self) -> Option<&str> {
        let cwd = self.cwd.as_deref()?;
        let root = self.root.as_deref()?;
        let below = cwd.strip_prefix(root)?;
        (below.is_empty() || below.starts_with('/')).then_some(root)
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
