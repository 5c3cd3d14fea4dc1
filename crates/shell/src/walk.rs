//! The walk: from the tree of a script to its runs, in the order in which they happen.
//!
//! The walk takes every branch. It goes through a loop once for each literal value, and through a function whenever it is called.
//! Variables, functions and the current folder are in a [`Scope`]. A subshell gets a copy of the scope, so its changes are lost.
//!
//! [`expand`] turns words into what they stand for. [`unwrap`] finds what a wrapper such as `sudo` runs, [`rounds`] what a program makes
//! of a list, [`git`] what git runs. [`builtin`] has what commands of the shell change, [`output`] what a command prints, [`written`] the
//! files that the line itself writes and then runs, [`narrow`] what a test leaves of a list.

mod builtin;
mod embedded;
mod expand;
mod git;
mod narrow;
mod output;
mod rounds;
mod unwrap;
mod written;

use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

use crate::analysis::{Analysis, Problem};
use crate::budget::{Budget, SPENT};
use crate::effect::effects;
use crate::grammar::syntax::{self, Assignment, Command, Compound, Form, List, Part, Pipeline, Value};
use crate::grammar::{Stop, parse};
use crate::run::{Redirect, RedirectKind, Run};
use crate::scope::{Function, LONGEST_VALUE, Scope};
use crate::surroundings::Surroundings;
use crate::trial;
use crate::word::Word;
use builtin::changes;
use expand::plain;
use written::Written;

/// More programs than a person's command line has.
const MOST_RUNS: usize = 2000;
/// Strings of code within strings of code, functions that call functions.
const DEEPEST: usize = 12;
/// The function that bash calls for a command that it does not find.
const NOT_FOUND: &str = "command_not_found_handle";
/// Redirections around a command.
const MOST_FILES: usize = 64;
/// Values of a loop that are looked at.
const MOST_ROUNDS: usize = 64;

/// Analyses a command line.
pub fn analyse(command: &str, around: &Surroundings) -> Rc<Analysis> {
    analyse_within(command, around, &Budget::new(None))
}

/// Analyses a command line with what is left of a budget.
pub(crate) fn analyse_within(command: &str, around: &Surroundings, budget: &Rc<Budget>) -> Rc<Analysis> {
    let mut walk = Walk::new(Rc::clone(budget));
    // About one run in so many bytes; growing step by step would copy them all again and again.
    walk.runs.reserve((command.len() / 40).min(256));
    walk.script(command, &Scope::new(around, Rc::clone(budget)));
    Rc::new(walk.done(around))
}

struct Walk {
    runs: Vec<Run>,
    watched: Vec<usize>,
    multiplies: Option<usize>,
    problem: Option<Problem>,
    /// Files that the line has written so far: they outlast the shell that wrote them.
    written: Written,
    /// Aliases of git that the line has set.
    git_aliases: Vec<(String, String)>,
    /// Variables that an expansion has set: `${x:=value}`.
    defaults: Vec<(String, Word)>,
    budget: Rc<Budget>,
}

impl Walk {
    pub(crate) fn new(budget: Rc<Budget>) -> Self {
        Self {
            runs: Vec::new(),
            watched: Vec::new(),
            multiplies: None,
            problem: None,
            written: Written::default(),
            git_aliases: Vec::new(),
            defaults: Vec::new(),
            budget,
        }
    }

    pub(crate) fn done(mut self, around: &Surroundings) -> Analysis {
        let is_posix = !around.is_gnu || trial::is_posix(&self.runs);
        self.runs.iter_mut().for_each(|run| run.changes_nothing = trial::changes_nothing(run, is_posix));
        let effects = effects(&self.runs, around.host, &self.budget);
        if self.budget.is_spent() {
            self.too_large(SPENT);
        }
        Analysis {
            effects,
            runs: self.runs,
            watched: self.watched,
            multiplies: self.multiplies,
            problem: self.problem,
            steps: self.budget.steps(),
        }
    }

    pub(crate) fn bound(&mut self, what: &'static str) {
        self.problem.get_or_insert(Problem::Bound(what));
    }

    /// Whatever else is the matter, a part that nobody has seen is worse.
    pub(crate) fn too_large(&mut self, what: &'static str) {
        if !matches!(self.problem, Some(Problem::TooLarge(_))) {
            self.problem = Some(Problem::TooLarge(what));
        }
    }

    /// Code that is run with the scope as it is; what it changes is lost, as in a subshell.
    pub(crate) fn script(&mut self, code: &str, scope: &Scope) {
        let mut scope = scope.clone();
        self.script_in(code, &mut scope);
    }

    /// Code whose changes count, as with `eval` and `source`.
    pub(crate) fn script_in(&mut self, code: &str, scope: &mut Scope) {
        if scope.depth > DEEPEST {
            return self.too_large("it holds code within code, too deep");
        }
        if !self.goes_on(scope.cost()) {
            return;
        }
        scope.direct = false;
        // Line ends of another system.
        let code =
            if code.contains('\r') { Cow::Owned(code.replace("\r\n", "\n")) } else { Cow::Borrowed(code) };
        let budget = Rc::clone(&self.budget);
        match parse(&code, &budget) {
            Ok(list) => self.list(&list, scope),
            Err(Stop::TooLarge(what)) => self.too_large(what),
            Err(Stop::Syntax(why)) => {
                self.problem.get_or_insert(Problem::Syntax(why));
            }
        }
    }

    /// The runs of a substitution.
    pub(crate) fn inner(&mut self, code: &str, scope: &Scope) -> Range<usize> {
        let from = self.runs.len();
        let mut inner = scope.clone();
        inner.depth += 1;
        inner.files.clear();
        self.script(code, &inner);
        from..self.runs.len()
    }

    /// Whether the runs are one run of this program.
    pub(crate) fn runs_program(&self, runs: Range<usize>, program: &str) -> bool {
        matches!(self.runs.get(runs), Some([run]) if run.is(&[program]))
    }

    fn list(&mut self, list: &List<'_>, scope: &mut Scope) {
        for and_or in list {
            // A list in the background changes nothing here.
            let mut aside = and_or.background.then(|| Scope { aside: true, ..scope.clone() });
            let conditional = scope.conditional;
            for (index, pipeline) in and_or.pipelines().enumerate() {
                let scope = aside.as_mut().unwrap_or(scope);
                scope.conditional |= index > 0;
                let from = self.runs.len();
                self.pipeline(pipeline, scope);
                if index < and_or.rest.len() {
                    self.tested(from..self.runs.len(), scope);
                }
            }
            scope.conditional = conditional;
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline<'_>, scope: &mut Scope) {
        if let [only] = pipeline.commands.as_slice() {
            return self.command(only, scope);
        }
        let mut fed_by: Vec<usize> = scope.fed_by.clone();
        let mut input = scope.input.clone();
        for command in &pipeline.commands {
            let from = self.runs.len();
            let mut own = scope.clone();
            own.fed_by.clone_from(&fed_by);
            own.input = input.take();
            own.aside = true;
            self.command(command, &mut own);
            let ran = from..self.runs.len();
            input = self.output_of(ran.clone(), scope);
            fed_by.extend(ran);
        }
    }

    /// Runs the substitutions of a text that is no word of a command: arithmetic, patterns, indices.
    pub(crate) fn substitutions(&mut self, text: &str, scope: &Scope) {
        if text.contains("$(") || text.contains('`') {
            self.single(text, scope);
        }
    }

    /// Counts what is looked at; whether the analysis goes on.
    pub(crate) fn goes_on(&mut self, cost: usize) -> bool {
        let goes_on = self.budget.spend(cost);
        if !goes_on {
            self.too_large(SPENT);
        }
        goes_on
    }

    fn command(&mut self, command: &Command<'_>, scope: &mut Scope) {
        if !self.goes_on(scope.cost()) {
            return;
        }
        if scope.files.len() > MOST_FILES {
            return self.too_large("it has too many redirections");
        }
        if self.runs.len() > MOST_RUNS {
            return self.too_large("it has too many commands");
        }
        match &command.form {
            Form::Simple(parts) => {
                if self.goes_on(parts.len()) {
                    self.simple(parts, scope);
                }
            }
            Form::Compound(compound, redirects) => {
                let mut own = scope.clone();
                own.conditional |= !matches!(compound, Compound::Group(_) | Compound::Subshell(_));
                self.redirects(redirects, &mut own);
                self.compound(compound, &mut own);
                // A group in braces runs here; only its redirections end with it.
                if !matches!(compound, Compound::Subshell(_)) {
                    let (files, fed_by, input) = (
                        std::mem::take(&mut scope.files),
                        std::mem::take(&mut scope.fed_by),
                        scope.input.take(),
                    );
                    *scope = Scope { files, fed_by, input, conditional: scope.conditional, ..own };
                }
            }
            Form::Function { name, body } => {
                let function = Function { body: Rc::from(*body), exported: false, unsure: scope.conditional };
                scope.define(name, function);
            }
        }
    }

    fn compound(&mut self, compound: &Compound<'_>, scope: &mut Scope) {
        match compound {
            Compound::Group(list) => self.list(list, scope),
            Compound::Branches(lists) => {
                for (index, list) in lists.iter().enumerate() {
                    let from = self.runs.len();
                    self.list(list, scope);
                    // Conditions and what depends on them take turns.
                    if index % 2 == 0 {
                        self.tested(from..self.runs.len(), scope);
                    }
                }
            }
            Compound::Subshell(list) => self.list(list, &mut scope.clone()),
            Compound::For { name, values, body } => {
                let mut values: Vec<Word> = match values {
                    Some(words) => words.iter().flat_map(|word| self.fields(word, scope)).collect(),
                    None => scope.positional.as_deref().unwrap_or_default().to_vec(),
                };
                if values.is_empty() {
                    values.push(Word::unknown());
                }
                // The rest of a count is like its beginning.
                let is_number = |word: &Word| word.text.bytes().all(|byte| byte.is_ascii_digit());
                if !values.iter().skip(MOST_ROUNDS).all(is_number) {
                    self.bound("a loop with too many values");
                }
                for value in values.into_iter().take(MOST_ROUNDS) {
                    scope.set(name, value);
                    self.list(body, scope);
                }
            }
            Compound::ArithmeticFor(expressions, body) => {
                self.substitutions(expressions, scope);
                self.list(body, scope);
            }
            Compound::Case { word, arms } => {
                self.single(word, scope);
                self.tested_words(&[word], scope);
                for (patterns, list) in arms {
                    for pattern in patterns {
                        self.substitutions(pattern, scope);
                    }
                    self.list(list, scope);
                }
            }
            Compound::Coprocess(command) => self.command(command, &mut scope.clone()),
            Compound::Arithmetic(expression) => self.substitutions(expression, scope),
            // The test itself does nothing.
            Compound::Test(words) => {
                for word in words {
                    self.substitutions(word, scope);
                }
                self.tested_words(words, scope);
            }
        }
        // A redirection makes its file even if nothing is run.
        if matches!(compound, Compound::Arithmetic(_) | Compound::Test(_)) && !scope.files.is_empty() {
            self.note(Run { cwd: scope.cwd.clone(), ..Run::default() }, scope);
        }
    }

    /// Adds redirections to a scope; what is redirected may be a substitution that runs.
    fn redirects(&mut self, redirects: &[syntax::Redirect<'_>], scope: &mut Scope) {
        for redirect in redirects {
            self.redirect(redirect, scope);
        }
    }

    fn redirect(&mut self, redirect: &syntax::Redirect<'_>, scope: &mut Scope) {
        let (kind, target) = match redirect {
            syntax::Redirect::Read(target) => (RedirectKind::Read, target),
            syntax::Redirect::Write(target) | syntax::Redirect::Duplicate(target) => {
                (RedirectKind::Write, target)
            }
            syntax::Redirect::Append(target) => (RedirectKind::Append, target),
            syntax::Redirect::Descriptor => return,
            syntax::Redirect::Document(document) => {
                let Some(syntax::Document { text, expands }) = document.get() else { return };
                let text = if *expands { self.document(text, scope) } else { Word::known(text.clone()) };
                // An unknown value in it does not hide the commands around it.
                scope.input = Some(text.text.into());
                scope.fed_by = text.from;
                return;
            }
            syntax::Redirect::HereString(word) => {
                let text = self.single(word, scope);
                scope.fed_by = text.from;
                scope.input = Some(text.text.into());
                return;
            }
        };
        let target = self.target(target, scope);
        // `>&2`, `>&-`: a number or a dash names a descriptor.
        let is_descriptor = matches!(redirect, syntax::Redirect::Duplicate(_))
            && target.text.chars().all(|c| c.is_ascii_digit() || c == '-');
        if is_descriptor {
            return;
        }
        if kind == RedirectKind::Read {
            scope.input = self.text_of(&target, scope);
            scope.fed_by.clone_from(&target.from);
        }
        scope.files.push(Redirect { kind, target });
    }

    fn simple(&mut self, parts: &[Part<'_>], scope: &mut Scope) {
        let mut own = scope.clone();
        let mut assigned: Vec<(String, Rc<[Word]>)> = Vec::new();
        let mut words: Vec<Word> = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Part::Assignment(assignment) => {
                    // `declare -a name=(…)`
                    if !words.is_empty() {
                        words.push(Word {
                            text: format!("{}=(…)", assignment.name),
                            unknown: true,
                            ..Word::default()
                        });
                    }
                    assigned.push(self.assignment(assignment, scope));
                }
                Part::Word(word) => match plain(word) {
                    Some(plain) => words.push(plain),
                    None => words.extend(self.fields(word, scope)),
                },
                Part::Redirect(redirect) => self.redirect(redirect, &mut own),
            }
        }
        for (name, value) in std::mem::take(&mut self.defaults) {
            scope.set(&name, value);
        }
        if words.is_empty() {
            // A redirection alone makes or empties a file; assignments alone stay.
            if own.files.len() > scope.files.len() {
                self.note(Run { cwd: scope.cwd.clone(), ..Run::default() }, &own);
            }
            // While two scopes share the variables, a change copies all of them.
            drop(own);
            for (name, words) in assigned {
                scope.steer(&name, words.first());
                scope.set_list(&name, words);
            }
            return;
        }
        own.env.extend(assigned.into_iter().map(|(name, words)| (name, words.first().cloned())));
        self.words(words, scope, &own);
    }

    /// Variables whose value a shell runs or expands by itself: `PROMPT_COMMAND`, `BASH_ENV`, `PS4`.
    fn code_variable(&mut self, name: &str, words: &[Word], scope: &Scope) {
        let [word] = words else { return };
        match name {
            "PROMPT_COMMAND" => self.literal(word, &scope.within(name)),
            "BASH_ENV" | "ENV" | "PS0" | "PS1" | "PS2" | "PS4" => {
                if let Some(text) = self.text_of(word, scope) {
                    self.script(&text, &scope.within(name));
                }
                self.substitutions(&word.text, scope);
            }
            _ => {}
        }
    }

    fn assignment(&mut self, assignment: &Assignment<'_>, scope: &Scope) -> (String, Rc<[Word]>) {
        let Assignment { name, index, append, value } = assignment;
        let mut words = match value {
            Value::Scalar(word) => vec![self.single(word, scope)],
            Value::Array(items) => items.iter().flat_map(|item| self.fields(item, scope)).collect(),
        };
        if let Some(index) = index {
            self.substitutions(index, scope);
            words = vec![Word::unknown()];
        } else if *append {
            self.goes_on(scope.list(name).unwrap_or_default().len());
            words = match (scope.list(name).unwrap_or_default(), value) {
                (old, Value::Array(_)) => [old, &words].concat(),
                ([old], Value::Scalar(_)) if !old.unknown && !words[0].unknown => {
                    vec![Word { text: format!("{}{}", old.text, words[0].text), ..words.remove(0) }]
                }
                _ => vec![Word::unknown()],
            };
        }
        self.code_variable(name, &words, scope);
        let is_short = words.iter().map(|word| word.text.len()).sum::<usize>() <= LONGEST_VALUE;
        ((*name).to_owned(), if is_short { words.into() } else { Rc::from([Word::unknown()]) })
    }

    /// A command of expanded words. `scope` is what it changes, `own` what it runs in.
    pub(crate) fn words(&mut self, words: Vec<Word>, scope: &mut Scope, own: &Scope) {
        if self.runs.len() > MOST_RUNS {
            return self.too_large("it has too many commands");
        }
        if own.depth > DEEPEST {
            return self.too_large("it holds code within code, too deep");
        }
        let bytes: usize = words.iter().map(|word| word.text.len()).sum();
        if !self.goes_on(1 + words.len() / 4 + bytes / 64 + own.cost()) {
            return;
        }
        let mut words = words.into_iter();
        let Some(path) = words.next() else { return };
        let args: Vec<Word> = words.collect();
        let program = path.literal().map(|path| path.rsplit('/').next().unwrap_or(path).to_owned());
        let run = Run { program, path, args, env: own.env.clone(), cwd: own.cwd.clone(), ..Run::default() };
        let function = if own.direct { None } else { self.function(&run.path, own) };
        if let Some(function) = function {
            let name = run.path.text.clone();
            if !function.unsure {
                return self.call(&function.body, name, run.args, scope, own);
            }
            // Where it may be another thing, the folder stays; what it sets may be set.
            let cwd = scope.cwd.clone();
            self.call(&function.body, name, run.args.clone(), scope, own);
            scope.cwd = cwd;
        }
        // Which commands are not found, only the machine knows.
        if let Some(handler) =
            own.functions.get(NOT_FOUND).filter(|_| !own.calls.iter().any(|call| call == NOT_FOUND))
        {
            let words = std::iter::once(run.path.clone()).chain(run.args.iter().cloned()).collect();
            let body = handler.body.clone();
            self.call(&body, NOT_FOUND.to_owned(), words, &mut scope.clone(), own);
        }
        let noted = self.note(run, own);
        if own.aside && self.calls_itself(noted, own) {
            self.multiplies.get_or_insert(noted);
        }
        let is_own_name = |path: &Word| {
            matches!(path.text.as_str(), "$0" | "${0}") || own.name.as_ref().is_some_and(|name| name == path)
        };
        if own.aside && is_own_name(&self.runs[noted].path) {
            self.multiplies.get_or_insert(noted);
        }
        // Out of its place while it is looked at, which spares a copy; what it runs in its turn does not look back at it.
        let mut run = std::mem::take(&mut self.runs[noted]);
        run.calls = self.calls(&run, own).map(Rc::new);
        changes(&run, scope, &self.budget);
        self.unwrap(&run, scope, own);
        self.write(&run, own);
        self.runs[noted] = run;
    }

    /// The function or alias of a name. What calls itself runs the program of that name.
    fn function(&self, path: &Word, own: &Scope) -> Option<Function> {
        let function = own.functions.get(path.literal()?)?;
        (!own.calls.contains(&path.text)).then(|| function.clone())
    }

    /// Whether a run is a function that calls itself with the words that it was given.
    fn calls_itself(&self, run: usize, own: &Scope) -> bool {
        let run = &self.runs[run];
        let is_function = run.path.literal().is_some_and(|name| own.functions.contains_key(name));
        let is_again = own.positional.as_deref().is_some_and(|words| words == run.args.as_slice());
        is_function && !own.direct && own.calls.contains(&run.path.text) && (run.args.is_empty() || is_again)
    }

    /// Notes a run as it is in its scope; where.
    fn note(&mut self, run: Run, own: &Scope) -> usize {
        self.runs.push(Run {
            files: own.files.clone(),
            via: own.via.to_vec(),
            remote: own.remote,
            fed_by: own.fed_by.clone(),
            input: own.input.clone(),
            ..run
        });
        self.runs.len() - 1
    }

    /// A function that is called with arguments.
    fn call(&mut self, body: &str, name: String, args: Vec<Word>, scope: &mut Scope, own: &Scope) {
        let mut inner = own.clone();
        inner.aside &= !inner.calls.is_empty();
        Rc::make_mut(&mut inner.calls).push(name);
        inner.depth += 1;
        inner.positional = Some(args.into());
        let before = inner.env.len();
        self.script_in(body, &mut inner);
        scope.adopt(inner, before);
    }
}
