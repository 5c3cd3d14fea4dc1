//! The rules of the grammar, by recursive descent: each rule is a function, and nothing is read twice.

use super::lex::{Token, TokenKind, arithmetic_end, name_length};
use super::syntax::{
    AndOr, Assignment, Command, Compound, Form, Join, List, Part, Pipeline, Redirect, Value,
};
use super::{Parser, Stop};

/// Words that only close or continue something.
const CLOSING: &[&str] = &["then", "do", "done", "fi", "esac", "else", "elif", "}"];

impl<'s> Parser<'s> {
    fn expect(&mut self, text: &str) -> Result<Token<'s>, Stop> {
        let token = self.take_token()?;
        if token.text == text && token.kind != TokenKind::End {
            Ok(token)
        } else {
            Err(self.unexpected(token))
        }
    }

    /// Takes the next token if it is this one.
    fn takes(&mut self, text: &str) -> Result<bool, Stop> {
        let token = self.peek()?;
        let is_it = token.text == text && token.kind != TokenKind::End;
        if is_it {
            self.peeked = None;
        }
        Ok(is_it)
    }

    fn line_ends(&mut self) -> Result<(), Stop> {
        while self.takes("\n")? {}
        Ok(())
    }

    /// The commands of `$(…)` and `<(…)`, to behind the closing parenthesis.
    pub(super) fn substitution(&mut self) -> Result<(), Stop> {
        self.deeper()?;
        // What is looked at ahead belongs to the commands around.
        let peeked = self.peeked.take();
        self.skipping(|parser| parser.list(&[")"]))?;
        let closing = self.expect(")")?;
        self.at = closing.end;
        self.peeked = peeked;
        self.depth -= 1;
        Ok(())
    }

    /// To behind the brace that closes `${ `, a substitution that runs in the same shell.
    pub(super) fn command_group(&mut self) -> Result<(), Stop> {
        self.deeper()?;
        let peeked = self.peeked.take();
        self.groups += 1;
        self.skipping(|parser| parser.list(&["}"]))?;
        let closing = self.expect("}")?;
        self.groups -= 1;
        self.at = closing.end;
        self.peeked = peeked;
        self.depth -= 1;
        Ok(())
    }

    /// Reads without building the tree.
    fn skipping<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Stop>) -> Result<T, Stop> {
        let before = std::mem::replace(&mut self.skips, true);
        let result = read(self);
        self.skips = before;
        result
    }

    /// Commands up to one of these, which stays. Of what is skipped, only the first tells that there is one.
    pub(super) fn list(&mut self, ends: &[&str]) -> Result<List<'s>, Stop> {
        let mut list = Vec::new();
        loop {
            self.line_ends()?;
            let token = self.peek()?;
            if token.kind == TokenKind::End || ends.contains(&token.text) {
                return Ok(list);
            }
            let and_or = self.and_or()?;
            let separator = self.peek()?;
            if !self.skips || list.is_empty() {
                list.push(AndOr { background: separator.text == "&", ..and_or });
            }
            if matches!(separator.text, ";" | "&" | "\n") && separator.kind == TokenKind::Operator {
                self.peeked = None;
            } else if separator.kind != TokenKind::End && !ends.contains(&separator.text) {
                return Err(self.unexpected(separator));
            }
        }
    }

    /// The same, where there must be one at least.
    fn some_list(&mut self, ends: &[&str]) -> Result<List<'s>, Stop> {
        let list = self.list(ends)?;
        if list.is_empty() {
            let token = self.peek()?;
            return Err(self.unexpected(token));
        }
        Ok(list)
    }

    /// Without what follows it: whether it runs in the background, the separator tells.
    fn and_or(&mut self) -> Result<AndOr<'s>, Stop> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            let join = if self.takes("&&")? {
                Join::And
            } else if self.takes("||")? {
                Join::Or
            } else {
                return Ok(AndOr { first, rest, background: false });
            };
            self.line_ends()?;
            let pipeline = self.pipeline()?;
            if !self.skips {
                rest.push((join, pipeline));
            }
        }
    }

    fn pipeline(&mut self) -> Result<Pipeline<'s>, Stop> {
        let mut negated = false;
        let mut timed = false;
        loop {
            if self.takes("!")? {
                negated = true;
            } else if self.takes("time")? {
                timed = true;
                self.takes("-p")?;
            } else {
                break;
            }
        }
        let next = self.peek()?;
        let ends = next.kind == TokenKind::End || matches!(next.text, ";" | "\n" | "&" | ")");
        if (negated || timed) && ends {
            return Ok(Pipeline { negated, commands: Vec::new() });
        }
        let first = self.command()?;
        let mut commands = if self.skips { Vec::new() } else { vec![first] };
        while self.takes("|")? || self.takes("|&")? {
            self.line_ends()?;
            // bash does not take `a | ! b`; a shell that does would turn the status around.
            negated |= self.peek()?.text == "!";
            let command = self.command()?;
            if !self.skips {
                commands.push(command);
            }
        }
        Ok(Pipeline { negated, commands })
    }

    fn command(&mut self) -> Result<Command<'s>, Stop> {
        let start = self.peek()?.start;
        let form = self.form()?;
        Ok(Command { text: &self.text[start..self.end()], form })
    }

    /// Where what was read ends: before what was looked at ahead.
    fn end(&self) -> usize {
        self.peeked.map_or(self.at, |token| token.start)
    }

    fn form(&mut self) -> Result<Form<'s>, Stop> {
        let token = self.peek()?;
        match (token.kind, token.text) {
            (TokenKind::Word, "function") => self.function(),
            (TokenKind::Word, closing) if CLOSING.contains(&closing) => Err(self.unexpected(token)),
            (TokenKind::Word, _) => match self.compound()? {
                Some(compound) => Ok(Form::Compound(compound, self.redirects()?)),
                None => self.simple(),
            },
            (TokenKind::Operator, "(") => {
                let compound = self.parenthesis()?;
                Ok(Form::Compound(compound, self.redirects()?))
            }
            (TokenKind::Operator, _) => self.simple(),
            (TokenKind::End, _) => Err(self.unexpected(token)),
        }
    }

    /// `(…)` or `((…))`.
    fn parenthesis(&mut self) -> Result<Compound<'s>, Stop> {
        let open = self.expect("(")?;
        if let Some(length) = arithmetic_end(&self.text[open.start..]) {
            return Ok(Compound::Arithmetic(self.arithmetic(open.start, length)));
        }
        self.deeper()?;
        let list = self.some_list(&[")"])?;
        self.expect(")")?;
        self.depth -= 1;
        Ok(Compound::Subshell(list))
    }

    /// What stands between `((` and `))`.
    fn arithmetic(&mut self, start: usize, length: usize) -> &'s str {
        self.peeked = None;
        self.at = start + length;
        &self.text[start + 2..self.at - 2]
    }

    /// A command that begins with a word of the shell's own.
    fn compound(&mut self) -> Result<Option<Compound<'s>>, Stop> {
        let word = self.peek()?.text;
        if !matches!(word, "{" | "if" | "while" | "until" | "for" | "select" | "case" | "[[" | "coproc") {
            return Ok(None);
        }
        self.peeked = None;
        self.deeper()?;
        let compound = match word {
            "{" => {
                let list = self.some_list(&["}"])?;
                self.expect("}")?;
                Compound::Group(list)
            }
            "if" => Compound::Branches(self.branches()?),
            "while" | "until" => {
                let condition = self.some_list(&["do"])?;
                Compound::Branches(vec![condition, self.do_group()?])
            }
            "for" | "select" => self.loop_over()?,
            "case" => self.case()?,
            "[[" => Compound::Test(self.test()?),
            _ => {
                // `coproc NAME { …; }`: a name stands only before a compound command.
                let named = self.peek()?;
                let behind = self.text[named.end..].trim_start_matches([' ', '\t']);
                let is_group = behind.starts_with('(')
                    || behind.strip_prefix('{').is_some_and(|rest| rest.starts_with([' ', '\t', '\n']));
                if is_group && name_length(named.text) == named.text.len() {
                    self.peeked = None;
                }
                Compound::Coprocess(Box::new(self.command()?))
            }
        };
        self.depth -= 1;
        Ok(Some(compound))
    }

    fn branches(&mut self) -> Result<Vec<List<'s>>, Stop> {
        let mut lists = vec![self.some_list(&["then"])?];
        self.expect("then")?;
        loop {
            lists.push(self.some_list(&["elif", "else", "fi"])?);
            match self.take_token()?.text {
                "elif" => {
                    lists.push(self.some_list(&["then"])?);
                    self.expect("then")?;
                }
                "else" => {
                    lists.push(self.some_list(&["fi"])?);
                    self.expect("fi")?;
                    return Ok(lists);
                }
                "fi" => return Ok(lists),
                _ => return Err(self.unclosed("if")),
            }
        }
    }

    fn do_group(&mut self) -> Result<List<'s>, Stop> {
        self.expect("do")?;
        let list = self.some_list(&["done"])?;
        self.expect("done")?;
        Ok(list)
    }

    /// The body of a `for`, which may also stand in braces.
    fn body(&mut self) -> Result<List<'s>, Stop> {
        if !self.takes("{")? {
            return self.do_group();
        }
        let list = self.some_list(&["}"])?;
        self.expect("}")?;
        Ok(list)
    }

    /// `for` and `select`, behind that word.
    fn loop_over(&mut self) -> Result<Compound<'s>, Stop> {
        let name = self.take_token()?;
        if name.text == "(" {
            let length = arithmetic_end(&self.text[name.start..]).ok_or_else(|| self.unexpected(name))?;
            let expressions = self.arithmetic(name.start, length);
            self.takes(";")?;
            self.line_ends()?;
            return Ok(Compound::ArithmeticFor(expressions, self.body()?));
        }
        if name.kind != TokenKind::Word {
            return Err(self.unexpected(name));
        }
        self.line_ends()?;
        let mut values = None;
        if self.takes("in")? {
            let mut words = Vec::new();
            while self.peek()?.kind == TokenKind::Word {
                words.push(self.take_token()?.text);
            }
            values = Some(words);
            let end = self.take_token()?;
            if !matches!(end.text, ";" | "\n") {
                return Err(self.unexpected(end));
            }
        } else {
            self.takes(";")?;
        }
        self.line_ends()?;
        Ok(Compound::For { name: name.text, values, body: self.body()? })
    }

    /// `case`, behind that word.
    fn case(&mut self) -> Result<Compound<'s>, Stop> {
        let word = self.take_token()?;
        if word.kind != TokenKind::Word {
            return Err(self.unexpected(word));
        }
        self.line_ends()?;
        self.expect("in")?;
        let mut arms = Vec::new();
        loop {
            self.line_ends()?;
            if self.takes("esac")? {
                return Ok(Compound::Case { word: word.text, arms });
            }
            self.takes("(")?;
            let mut patterns = Vec::new();
            loop {
                let pattern = self.take_token()?;
                if pattern.kind != TokenKind::Word {
                    return Err(self.unexpected(pattern));
                }
                patterns.push(pattern.text);
                if !self.takes("|")? {
                    break;
                }
            }
            self.expect(")")?;
            let list = self.list(&[";;", ";&", ";;&", "esac"])?;
            arms.push((patterns, list));
            if !(self.takes(";;")? || self.takes(";&")? || self.takes(";;&")?) {
                self.line_ends()?;
                self.expect("esac")?;
                return Ok(Compound::Case { word: word.text, arms });
            }
        }
    }

    /// The words of a test, behind `[[`.
    fn test(&mut self) -> Result<Vec<&'s str>, Stop> {
        let mut words = Vec::new();
        loop {
            let token = self.take_token()?;
            match (token.kind, token.text) {
                (TokenKind::Word, "]]") => break,
                (TokenKind::Word, "=~") => {
                    words.push(self.expression()?);
                }
                (TokenKind::Word, word) => words.push(word),
                (TokenKind::Operator, "&&" | "||" | "(" | ")" | "<" | ">" | "\n") => {}
                _ => return Err(self.unexpected(token)),
            }
        }
        if words.is_empty() { Err(self.unclosed("[[")) } else { Ok(words) }
    }

    /// `function NAME [()] BODY`.
    fn function(&mut self) -> Result<Form<'s>, Stop> {
        self.expect("function")?;
        let name = self.take_token()?;
        if name.kind != TokenKind::Word {
            return Err(self.unexpected(name));
        }
        if self.takes("(")? {
            self.expect(")")?;
        }
        self.function_body(name.text)
    }

    fn function_body(&mut self, name: &'s str) -> Result<Form<'s>, Stop> {
        self.line_ends()?;
        let start = self.peek()?;
        if start.kind == TokenKind::Word && self.skipping(Self::compound)?.is_some() {
            self.redirects()?;
        } else if start.text == "(" {
            self.skipping(Self::parenthesis)?;
            self.redirects()?;
        } else {
            return Err(self.unexpected(start));
        }
        Ok(Form::Function { name, body: &self.text[start.start..self.end()] })
    }

    fn simple(&mut self) -> Result<Form<'s>, Stop> {
        let mut parts = Vec::new();
        let mut count = 0_usize;
        // The word that is all of it so far: perhaps the name of a function.
        let mut only: Option<&'s str> = None;
        let mut begun = false;
        loop {
            let token = self.peek()?;
            if let Some(redirect) = self.redirect()? {
                only = None;
                count += 1;
                self.keep(&mut parts, Part::Redirect(redirect));
                continue;
            }
            if token.kind != TokenKind::Word {
                if let Some(name) = only
                    && token.text == "("
                    && !name.contains(['$', '\'', '"', '`', '\\'])
                {
                    self.peeked = None;
                    self.expect(")")?;
                    return self.function_body(name);
                }
                if count == 0 || token.text == "(" {
                    return Err(self.unexpected(token));
                }
                return Ok(Form::Simple(parts));
            }
            self.peeked = None;
            match self.assignment(token)? {
                Some(assignment) if !begun || matches!(assignment.value, Value::Array(_)) => {
                    only = None;
                    self.keep(&mut parts, Part::Assignment(assignment));
                }
                _ => {
                    begun = true;
                    only = (count == 0).then_some(token.text);
                    self.keep(&mut parts, Part::Word(token.text));
                }
            }
            count += 1;
        }
    }

    fn keep(&self, parts: &mut Vec<Part<'s>>, part: Part<'s>) {
        if !self.skips {
            parts.push(part);
        }
    }

    /// `NAME=…`, `NAME[…]+=(…)`.
    fn assignment(&mut self, token: Token<'s>) -> Result<Option<Assignment<'s>>, Stop> {
        let text = token.text;
        let length = name_length(text);
        if length == 0 {
            return Ok(None);
        }
        let (name, mut rest) = text.split_at(length);
        let mut index = None;
        if let Some(behind) = rest.strip_prefix('[') {
            let Some(end) = behind.find("]=").or_else(|| behind.find("]+=")) else { return Ok(None) };
            index = Some(&behind[..end]);
            rest = &behind[end + 1..];
        }
        let append = rest.starts_with('+');
        let Some(scalar) = rest.trim_start_matches('+').strip_prefix('=') else { return Ok(None) };
        let value = if scalar.is_empty() && self.text[token.end..].starts_with('(') {
            Value::Array(self.array()?)
        } else {
            Value::Scalar(scalar)
        };
        Ok(Some(Assignment { name, index, append, value }))
    }

    fn array(&mut self) -> Result<Vec<&'s str>, Stop> {
        self.expect("(")?;
        let mut words = Vec::new();
        loop {
            let token = self.take_token()?;
            match (token.kind, token.text) {
                (TokenKind::Word, word) => words.push(word),
                (_, "\n") => {}
                (_, ")") => return Ok(words),
                _ => return Err(self.unexpected(token)),
            }
        }
    }

    fn redirects(&mut self) -> Result<Vec<Redirect<'s>>, Stop> {
        let mut all = Vec::new();
        while let Some(redirect) = self.redirect()? {
            all.push(redirect);
        }
        Ok(all)
    }

    /// A redirection, with the descriptor in front of it.
    fn redirect(&mut self) -> Result<Option<Redirect<'s>>, Stop> {
        let token = self.peek()?;
        let is_descriptor = token.kind == TokenKind::Word
            && self.text[token.end..].starts_with(['<', '>'])
            && (token.text.bytes().all(|byte| byte.is_ascii_digit())
                || (token.text.starts_with('{') && token.text.ends_with('}')));
        if is_descriptor {
            self.peeked = None;
        }
        let operator = self.peek()?;
        let is_redirect = operator.kind == TokenKind::Operator
            && (operator.text.contains(['<', '>']) && operator.text != "\n");
        if !is_redirect {
            return Ok(None);
        }
        self.peeked = None;
        let target = self.take_token()?;
        if target.kind != TokenKind::Word {
            return Err(self.unexpected(target));
        }
        let target = target.text;
        Ok(Some(match operator.text {
            "<" => Redirect::Read(target),
            ">>" | "&>>" => Redirect::Append(target),
            ">&" => Redirect::Duplicate(target),
            "<<<" => Redirect::HereString(target),
            "<<" | "<<-" => Redirect::Document(self.open_document(target, operator.text == "<<-")),
            "<&" => Redirect::Descriptor,
            _ => Redirect::Write(target),
        }))
    }
}
