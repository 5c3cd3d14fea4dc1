//! Walks through a script in the order in which it runs, and notes every program.
//!
//! Branches are all taken, loops once for each literal value, functions when they are called. Variables, the current folder and
//! functions live in a [`Scope`]; what a subshell or a string of code changes stays in it.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use brush_parser::ast::{
    self, AndOr, AssignmentName, AssignmentValue, Command, CommandPrefixOrSuffixItem, CompoundCommand,
    CompoundList, IoFileRedirectKind, IoFileRedirectTarget, IoRedirect, Pipeline, SimpleCommand,
};

use super::effect::effects;
use super::expand::Variable;
use super::parser::{self, Unread};
use super::scan;
use super::{Analysis, Problem, Redirect, RedirectKind, Run, Surroundings, Word, join};

/// More programs than a person's command line has.
const MOST_RUNS: usize = 2000;
/// Strings of code within strings of code, functions that call functions.
const DEEPEST: usize = 12;
/// Commands, words and letters of expansions, all together.
const MOST_STEPS: usize = 20_000;
/// Redirections around a command.
const MOST_FILES: usize = 64;
/// A longer value of a variable is nobody's path or option.
const LONGEST_VALUE: usize = 4096;
/// Values of a loop that are looked at.
const MOST_ROUNDS: usize = 16;

/// What the commands of a script see.
#[derive(Debug, Clone)]
pub(super) struct Scope {
    /// Nothing as a value: it is set, to what nobody knows.
    variables: Rc<HashMap<String, Option<String>>>,
    functions: Rc<HashMap<String, Rc<ast::FunctionBody>>>,
    pub(super) positional: Option<Vec<Word>>,
    pub(super) cwd: Option<String>,
    pub(super) home: Option<String>,
    pub(super) via: Rc<Vec<String>>,
    pub(super) remote: bool,
    /// Redirections of what the commands stand in.
    pub(super) files: Vec<Redirect>,
    /// What feeds the commands, and the text of it if it is literal.
    pub(super) fed_by: Vec<usize>,
    pub(super) input: Option<String>,
    /// Variables that a wrapper sets.
    pub(super) env: Vec<(String, Option<Word>)>,
    /// Functions that are being called.
    calls: Rc<Vec<String>>,
    depth: usize,
}

impl Scope {
    pub(super) fn new(around: &Surroundings) -> Self {
        let mut variables = HashMap::new();
        if let Some(home) = &around.home {
            variables.insert("HOME".to_owned(), Some(home.clone()));
        }
        if let Some(temporary) = &around.temporary {
            variables.insert("TMPDIR".to_owned(), Some(temporary.clone()));
        }
        Self {
            variables: Rc::new(variables),
            functions: Rc::default(),
            positional: None,
            cwd: Some(around.cwd.clone()),
            home: around.home.clone(),
            via: Rc::default(),
            remote: false,
            files: Vec::new(),
            fed_by: Vec::new(),
            input: None,
            env: Vec::new(),
            calls: Rc::default(),
            depth: 0,
        }
    }

    pub(super) fn variable(&self, name: &str) -> Variable {
        match (name, self.variables.get(name)) {
            ("PWD", _) => self.cwd.clone().map_or(Variable::Unknown, Variable::Known),
            (_, Some(Some(value))) => Variable::Known(value.clone()),
            (_, Some(None)) => Variable::Unknown,
            (_, None) => Variable::Unset,
        }
    }

    fn set(&mut self, name: &str, value: Option<String>) {
        let value = value.filter(|value| value.len() <= LONGEST_VALUE);
        Rc::make_mut(&mut self.variables).insert(name.to_owned(), value);
    }

    /// Notes a change of a variable that later programs see: those of the client and the engine are exported already.
    fn steer(&mut self, name: &str, value: Option<&Word>) {
        if name == "CLAUDECODE" || name.starts_with("CLAUDE_") || name.starts_with("ENGINE_") {
            self.env.push((name.to_owned(), value.cloned()));
        }
    }

    /// The scope of code that is run inside.
    pub(super) fn within(&self, wrapper: &str) -> Self {
        let mut inner = self.clone();
        Rc::make_mut(&mut inner.via).push(wrapper.to_owned());
        inner.depth += 1;
        inner
    }

    /// Where a path leads from here.
    pub(super) fn at(&self, path: &str) -> Option<String> {
        match &self.cwd {
            Some(cwd) if cwd.len() + path.len() > LONGEST_VALUE => None,
            Some(cwd) => Some(join(cwd, path)),
            None => path.starts_with('/').then(|| join("/", path)),
        }
    }
}

pub(super) struct Walk {
    runs: Vec<Run>,
    problem: Option<Problem>,
    /// Everything that was looked at; a few letters can ask for a million rounds.
    steps: usize,
    /// Texts of here-documents, which the parser does not see.
    documents: Vec<String>,
}

impl Walk {
    pub(super) fn new() -> Self {
        Self { runs: Vec::new(), problem: None, steps: 0, documents: Vec::new() }
    }

    pub(super) fn done(self) -> Analysis {
        Analysis { effects: effects(&self.runs), runs: self.runs, problem: self.problem }
    }

    pub(super) fn bound(&mut self, what: &'static str) {
        self.problem.get_or_insert(Problem::Bound(what));
    }

    /// Code that is run with the scope as it is; what it changes is lost, as in a subshell.
    pub(super) fn script(&mut self, code: &str, scope: &Scope) {
        let mut scope = scope.clone();
        self.script_in(code, &mut scope);
    }

    /// Code whose changes count, as with `eval` and `source`.
    pub(super) fn script_in(&mut self, code: &str, scope: &mut Scope) {
        if scope.depth > DEEPEST {
            return self.bound("code within code, too deep");
        }
        match parser::parse(code, &mut self.documents) {
            Ok(program) => {
                for list in &program.complete_commands {
                    self.list(list, scope);
                }
            }
            Err(Unread::Bound(what)) => self.bound(what),
            Err(Unread::Syntax(why)) => {
                self.problem.get_or_insert(Problem::Syntax(why));
            }
        }
    }

    /// The runs of a substitution.
    pub(super) fn inner(&mut self, code: &str, scope: &Scope) -> Range<usize> {
        let from = self.runs.len();
        let mut inner = scope.clone();
        inner.depth += 1;
        inner.files.clear();
        self.script(code, &inner);
        from..self.runs.len()
    }

    /// Whether the runs are one run of this program.
    pub(super) fn runs_program(&self, runs: Range<usize>, program: &str) -> bool {
        matches!(self.runs.get(runs), Some([run]) if run.is(&[program]))
    }

    /// What runs print, where that is plain to see: `echo`, `printf` and `pwd` with literal words.
    pub(super) fn output_of(&self, runs: Range<usize>, scope: &Scope) -> Option<String> {
        let [run] = self.runs.get(runs)? else { return None };
        if run.files.iter().any(|file| file.kind != RedirectKind::Read) {
            return None;
        }
        printed(run, scope)
    }

    fn list(&mut self, list: &CompoundList, scope: &mut Scope) {
        for ast::CompoundListItem(and_or, separator) in &list.0 {
            match separator {
                // A list in the background changes nothing here.
                ast::SeparatorOperator::Async => self.and_or(and_or, &mut scope.clone()),
                ast::SeparatorOperator::Sequence => self.and_or(and_or, scope),
            }
        }
    }

    fn and_or(&mut self, list: &ast::AndOrList, scope: &mut Scope) {
        self.pipeline(&list.first, scope);
        for next in &list.additional {
            let (AndOr::And(pipeline) | AndOr::Or(pipeline)) = next;
            self.pipeline(pipeline, scope);
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline, scope: &mut Scope) {
        if let [only] = pipeline.seq.as_slice() {
            return self.command(only, scope);
        }
        let mut fed_by: Vec<usize> = scope.fed_by.clone();
        let mut input = scope.input.clone();
        for command in &pipeline.seq {
            let from = self.runs.len();
            let mut own = scope.clone();
            own.fed_by.clone_from(&fed_by);
            own.input = input.take();
            self.command(command, &mut own);
            let ran = from..self.runs.len();
            input = self.output_of(ran.clone(), scope);
            fed_by.extend(ran);
        }
    }

    /// Counts what is looked at; whether there is any more patience.
    pub(super) fn goes_on(&mut self, cost: usize) -> bool {
        self.steps += cost;
        if self.steps > MOST_STEPS {
            self.bound("too much to look at");
        }
        self.steps <= MOST_STEPS
    }

    fn command(&mut self, command: &Command, scope: &mut Scope) {
        if !self.goes_on(1 + scope.files.len() / 8) || scope.files.len() > MOST_FILES {
            return self.bound("too many redirections");
        }
        if self.runs.len() > MOST_RUNS {
            return self.bound("too many commands");
        }
        match command {
            Command::Simple(simple) => self.simple(simple, scope),
            Command::Compound(compound, redirects) => {
                let mut own = scope.clone();
                self.redirects(redirects.as_ref(), &mut own);
                self.compound(compound, &mut own);
                // A group in braces runs here; only its redirections end with it.
                if !matches!(compound, CompoundCommand::Subshell(_)) {
                    let (files, fed_by, input) = (
                        std::mem::take(&mut scope.files),
                        std::mem::take(&mut scope.fed_by),
                        scope.input.take(),
                    );
                    *scope = Scope { files, fed_by, input, ..own };
                }
            }
            Command::Function(function) => {
                Rc::make_mut(&mut scope.functions)
                    .insert(function.fname.value.clone(), Rc::new(function.body.clone()));
            }
            Command::ExtendedTest(test, redirects) => {
                let mut own = scope.clone();
                self.redirects(redirects.as_ref(), &mut own);
                self.test(&test.expr, &own);
            }
        }
    }

    /// Substitutions in a test are run; the test itself does nothing.
    fn test(&mut self, test: &ast::ExtendedTestExpr, scope: &Scope) {
        match test {
            ast::ExtendedTestExpr::And(left, right) | ast::ExtendedTestExpr::Or(left, right) => {
                self.test(left, scope);
                self.test(right, scope);
            }
            ast::ExtendedTestExpr::Not(inner) | ast::ExtendedTestExpr::Parenthesized(inner) => {
                self.test(inner, scope);
            }
            ast::ExtendedTestExpr::UnaryTest(_, word) => {
                self.single(&word.value, scope);
            }
            ast::ExtendedTestExpr::BinaryTest(_, left, right) => {
                self.single(&left.value, scope);
                self.single(&right.value, scope);
            }
        }
    }

    fn compound(&mut self, compound: &CompoundCommand, scope: &mut Scope) {
        match compound {
            CompoundCommand::BraceGroup(group) => self.list(&group.list, scope),
            CompoundCommand::Subshell(group) => self.list(&group.list, &mut scope.clone()),
            CompoundCommand::IfClause(clause) => {
                self.list(&clause.condition, scope);
                self.list(&clause.then, scope);
                for other in clause.elses.iter().flatten() {
                    if let Some(condition) = &other.condition {
                        self.list(condition, scope);
                    }
                    self.list(&other.body, scope);
                }
            }
            CompoundCommand::WhileClause(ast::WhileOrUntilClauseCommand(condition, body, _))
            | CompoundCommand::UntilClause(ast::WhileOrUntilClauseCommand(condition, body, _)) => {
                self.list(condition, scope);
                self.list(&body.list, scope);
            }
            CompoundCommand::ForClause(clause) => {
                let values: Vec<Word> = match &clause.values {
                    Some(words) => words.iter().flat_map(|word| self.fields(word, scope)).collect(),
                    None => scope.positional.clone().unwrap_or_default(),
                };
                let rounds = values.iter().take(MOST_ROUNDS).map(|value| {
                    // A pattern stands for names that nobody knows yet.
                    value.literal().filter(|_| !value.glob).map(str::to_owned)
                });
                let mut rounds: Vec<Option<String>> = rounds.collect();
                if rounds.is_empty() {
                    rounds.push(None);
                }
                for value in rounds {
                    scope.set(&clause.variable_name, value);
                    self.list(&clause.body.list, scope);
                }
            }
            CompoundCommand::ArithmeticForClause(clause) => self.list(&clause.body.list, scope),
            CompoundCommand::CaseClause(clause) => {
                self.single(&clause.value.value, scope);
                for case in &clause.cases {
                    if let Some(list) = &case.cmd {
                        self.list(list, scope);
                    }
                }
            }
            CompoundCommand::Coprocess(process) => self.command(&process.body, &mut scope.clone()),
            CompoundCommand::Arithmetic(_) => {}
        }
    }

    /// Adds redirections to a scope; what is redirected may be a substitution that runs.
    fn redirects(&mut self, redirects: Option<&ast::RedirectList>, scope: &mut Scope) {
        for redirect in redirects.iter().flat_map(|list| &list.0) {
            self.redirect(redirect, scope);
        }
    }

    fn redirect(&mut self, redirect: &IoRedirect, scope: &mut Scope) {
        let add = |scope: &mut Scope, kind, target| scope.files.push(Redirect { kind, target });
        match redirect {
            IoRedirect::File(_, kind, target) => {
                let kind = match kind {
                    IoFileRedirectKind::Read => RedirectKind::Read,
                    IoFileRedirectKind::Append => RedirectKind::Append,
                    IoFileRedirectKind::Write
                    | IoFileRedirectKind::Clobber
                    | IoFileRedirectKind::ReadAndWrite
                    | IoFileRedirectKind::DuplicateOutput => RedirectKind::Write,
                    IoFileRedirectKind::DuplicateInput => return,
                };
                match target {
                    IoFileRedirectTarget::Filename(word) => {
                        let target = self.single(&word.value, scope);
                        if kind == RedirectKind::Read {
                            scope.input = None;
                            scope.fed_by.clear();
                        }
                        add(scope, kind, target);
                    }
                    IoFileRedirectTarget::ProcessSubstitution(_, inner) => {
                        let from = self.runs.len();
                        self.list(&inner.list, &mut scope.clone());
                        if kind == RedirectKind::Read {
                            scope.fed_by = (from..self.runs.len()).collect();
                            scope.input = None;
                        }
                    }
                    IoFileRedirectTarget::Duplicate(word) => {
                        // `>&file`; a number or a dash names a descriptor.
                        let target = self.single(&word.value, scope);
                        if !target.text.chars().all(|c| c.is_ascii_digit() || c == '-') {
                            add(scope, kind, target);
                        }
                    }
                    IoFileRedirectTarget::Fd(_) => {}
                }
            }
            IoRedirect::OutputAndError(word, append) => {
                let target = self.single(&word.value, scope);
                add(scope, if *append { RedirectKind::Append } else { RedirectKind::Write }, target);
            }
            IoRedirect::HereDocument(_, document) => {
                let placed = scan::document(&document.doc.value, &self.documents);
                let text = placed.unwrap_or(&document.doc.value).to_owned();
                let text =
                    if document.requires_expansion { self.document(&text, scope) } else { Word::known(text) };
                // An unknown value in it does not hide the commands around it.
                scope.input = Some(text.text);
                scope.fed_by = text.from;
            }
            IoRedirect::HereString(_, word) => {
                let text = self.single(&word.value, scope);
                scope.fed_by = text.from;
                scope.input = Some(text.text);
            }
        }
    }

    fn simple(&mut self, simple: &SimpleCommand, scope: &mut Scope) {
        let mut own = scope.clone();
        let mut assigned: Vec<(String, Option<Word>)> = Vec::new();
        for item in simple.prefix.iter().flat_map(|prefix| &prefix.0) {
            match item {
                CommandPrefixOrSuffixItem::AssignmentWord(assignment, _) => {
                    let (name, value) = self.assignment(assignment, scope);
                    assigned.push((name, value));
                }
                CommandPrefixOrSuffixItem::IoRedirect(redirect) => self.redirect(redirect, &mut own),
                _ => {}
            }
        }
        let mut words: Vec<Word> = Vec::new();
        if let Some(word) = &simple.word_or_name {
            words.extend(self.fields(word, scope));
        }
        for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
            match item {
                CommandPrefixOrSuffixItem::Word(word) => words.extend(self.fields(word, scope)),
                CommandPrefixOrSuffixItem::AssignmentWord(_, word) => {
                    words.push(self.single(&word.value, scope));
                }
                CommandPrefixOrSuffixItem::IoRedirect(redirect) => self.redirect(redirect, &mut own),
                CommandPrefixOrSuffixItem::ProcessSubstitution(_, inner) => {
                    let from = self.runs.len();
                    self.list(&inner.list, &mut scope.clone());
                    let from = (from..self.runs.len()).collect();
                    words.push(Word { text: "<(…)".to_owned(), unknown: true, glob: false, from });
                }
            }
        }
        if words.is_empty() {
            // Assignments alone stay; a redirection alone makes or empties a file.
            for (name, value) in assigned {
                scope.steer(&name, value.as_ref());
                let value = value.and_then(|word| word.literal().map(str::to_owned));
                scope.set(&name, value);
            }
            if own.files.len() > scope.files.len() {
                self.note(Run { cwd: scope.cwd.clone(), ..Run::default() }, &own);
            }
            return;
        }
        own.env.extend(assigned);
        self.words(words, scope, &own);
    }

    fn assignment(&mut self, assignment: &ast::Assignment, scope: &Scope) -> (String, Option<Word>) {
        let name = match &assignment.name {
            AssignmentName::VariableName(name) => name.clone(),
            AssignmentName::ArrayElementName(name, _) => return (name.clone(), Some(unknown())),
        };
        let value = match &assignment.value {
            AssignmentValue::Scalar(word) => self.single(&word.value, scope),
            AssignmentValue::Array(items) => {
                for (_, item) in items {
                    self.fields(item, scope);
                }
                unknown()
            }
        };
        let value = if assignment.append {
            match (scope.variable(&name), value.literal()) {
                (Variable::Known(old), Some(new)) => Word::known(format!("{old}{new}")),
                _ => unknown(),
            }
        } else {
            value
        };
        (name, Some(value))
    }

    /// A command of expanded words. `scope` is what it changes, `own` what it runs in.
    pub(super) fn words(&mut self, words: Vec<Word>, scope: &mut Scope, own: &Scope) {
        if own.depth > DEEPEST || self.runs.len() > MOST_RUNS {
            return self.bound("code within code, too deep");
        }
        let mut words = words.into_iter();
        let Some(path) = words.next() else { return };
        let args: Vec<Word> = words.collect();
        let program = path.literal().map(|path| path.rsplit('/').next().unwrap_or(path).to_owned());
        let run = Run {
            program: program.clone(),
            path,
            args,
            env: own.env.clone(),
            cwd: own.cwd.clone(),
            ..Run::default()
        };
        if let Some(body) = run.path.literal().and_then(|name| scope.functions.get(name)).cloned() {
            // What calls itself does nothing new.
            let name = run.path.text.clone();
            if own.calls.contains(&name) {
                return;
            }
            return self.call(&body, name, run.args, scope, own);
        }
        self.note(run.clone(), own);
        self.changes(&run, scope);
        self.unwrap(&run, scope, own);
    }

    /// Notes a run as it is in its scope.
    fn note(&mut self, run: Run, own: &Scope) {
        self.runs.push(Run {
            files: own.files.clone(),
            via: own.via.to_vec(),
            remote: own.remote,
            fed_by: own.fed_by.clone(),
            input: own.input.clone(),
            ..run
        });
    }

    /// A function that is called with arguments.
    fn call(
        &mut self,
        body: &ast::FunctionBody,
        name: String,
        args: Vec<Word>,
        scope: &mut Scope,
        own: &Scope,
    ) {
        let mut inner = own.clone();
        Rc::make_mut(&mut inner.calls).push(name);
        inner.depth += 1;
        inner.positional = Some(args);
        let ast::FunctionBody(compound, redirects) = body;
        self.redirects(redirects.as_ref(), &mut inner);
        self.compound(compound, &mut inner);
        scope.variables = inner.variables;
        scope.cwd = inner.cwd;
    }

    /// What built-in commands change for those behind them.
    fn changes(&mut self, run: &Run, scope: &mut Scope) {
        match run.program.as_deref() {
            Some("cd" | "pushd") => {
                let target = run.args.iter().find(|arg| !arg.text.starts_with('-') || arg.text == "-");
                scope.cwd = match target {
                    None => scope.home.clone(),
                    Some(word) => word
                        .literal()
                        .filter(|text| *text != "-" && !word.glob)
                        .and_then(|text| scope.at(text)),
                };
            }
            Some("popd") => scope.cwd = None,
            Some("export" | "declare" | "typeset" | "local" | "readonly") => {
                for arg in &run.args {
                    if let Some((name, value)) = arg.text.split_once('=') {
                        scope.steer(name, Some(arg));
                        let value = (!arg.unknown).then(|| value.to_owned());
                        scope.set(name, value);
                    }
                }
            }
            Some("read" | "mapfile" | "readarray" | "getopts" | "unset") => {
                for arg in run.args.iter().filter(|arg| !arg.text.starts_with('-')) {
                    scope.steer(&arg.text, None);
                    scope.set(&arg.text, None);
                }
            }
            _ => {}
        }
    }
}

fn unknown() -> Word {
    Word { text: "…".to_owned(), unknown: true, ..Word::default() }
}

/// What a run prints, if its words tell.
fn printed(run: &Run, scope: &Scope) -> Option<String> {
    let words: Option<Vec<&str>> = run.args.iter().map(|arg| arg.literal().filter(|_| !arg.glob)).collect();
    let words = words?;
    match run.program.as_deref()? {
        "pwd" => scope.cwd.clone(),
        "echo" => {
            let from =
                words.iter().take_while(|word| matches!(**word, "-n" | "-e" | "-E" | "-ne" | "-en")).count();
            Some(words[from..].join(" "))
        }
        "printf" => match words.as_slice() {
            [format] if !format.contains('%') => Some(format.replace("\\n", "\n").replace("\\t", "\t")),
            ["%s" | "%s\\n" | "%s ", rest @ ..] => Some(rest.join("\n")),
            _ => None,
        },
        "cat" if words.is_empty() || words == ["-"] => run.input.clone(),
        _ => None,
    }
}
