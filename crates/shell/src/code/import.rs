//! Words with a syntax of their own: modules that are called for, loops, what prints.

use super::cursor::Cursor;
use super::language::Language;
use super::reader::{MOST_ITEMS, Reader};
use super::table::canonical;
use super::token::Kind;
use super::value::Value;

impl Reader<'_> {
    /// Words with a syntax of their own. Whether it was one.
    pub(super) fn keyword(&mut self, cur: &mut Cursor<'_>, name: &str) -> bool {
        match (self.language, name) {
            (Language::Python, "import") => self.import(cur, None),
            (Language::Python, "from") => {
                let module = dotted(cur);
                if cur.word() != "import" {
                    return false;
                }
                cur.at += 1;
                self.import(cur, Some(&module));
            }
            (Language::JavaScript, "import") if !matches!(cur.mark(), "(" | ".") => self.import_script(cur),
            (_, "def" | "function") => {
                let name = cur.word().to_owned();
                self.enter_function(&name);
                return false;
            }
            (Language::Ruby, "include") => {
                let module = dotted(cur);
                self.stars.push(module);
            }
            (Language::Perl, "for" | "foreach") => {
                cur.at += usize::from(matches!(cur.word(), "my" | "our"));
                let variable = cur.word().to_owned();
                cur.at += usize::from(variable.starts_with('$'));
                if cur.takes("(") {
                    let items = self.group(cur, "(");
                    let values = items.into_iter().map(|item| item.value.element()).collect();
                    let name = if variable.starts_with('$') { &variable } else { "$_" };
                    self.bind(name, Value::any(values));
                }
            }
            (Language::Awk, "print" | "printf") => self.printing = true,
            (Language::AppleScript, "do") if cur.ahead(0) == "shell" && cur.ahead(1) == "script" => {
                cur.at += 2;
                let line = self.expression(cur);
                self.line(&line, &[]);
            }
            _ => return false,
        }
        true
    }

    pub(super) fn is_shell_script(&self, cur: &Cursor<'_>) -> bool {
        self.language == Language::AppleScript && cur.ahead(1) == "shell"
    }

    /// `import a.b as c, d` and `from a import b as c, d`
    pub(super) fn import(&mut self, cur: &mut Cursor<'_>, module: Option<&str>) {
        let in_brackets = cur.takes("(");
        cur.nest += usize::from(in_brackets);
        loop {
            if cur.takes("*") {
                self.stars.extend(module.map(str::to_owned));
            }
            let name = dotted(cur);
            if name.is_empty() {
                break;
            }
            let full = match &module {
                Some(module) => format!("{module}.{name}"),
                None => name.clone(),
            };
            let full = canonical(self.language, &full).map_or(full, str::to_owned);
            self.tell(&full);
            let local = if cur.word() == "as" && cur.is_name(1) {
                cur.at += 2;
                self.tokens_text(cur, 1)
            } else {
                name
            };
            // `import a.b` names `a`.
            if local != full && (module.is_some() || !local.contains('.')) {
                self.bind(&local, Value::name(full));
            }
            if !cur.takes(",") {
                break;
            }
        }
        if in_brackets {
            cur.takes(")");
            cur.nest -= 1;
        }
    }

    pub(super) fn tokens_text(&self, cur: &Cursor<'_>, back: usize) -> String {
        cur.at
            .checked_sub(back)
            .and_then(|at| cur.tokens.get(at))
            .map_or_else(String::new, |t| t.text.to_owned())
    }

    /// `import a, {b as c} from 'd'`, `import * as a from 'd'`
    pub(super) fn import_script(&mut self, cur: &mut Cursor<'_>) {
        let mut taken: Vec<(Option<&str>, &str)> = Vec::new();
        let mut is_member = false;
        while let Some(token) = cur.peek() {
            cur.at += 1;
            match (&token.kind, token.text) {
                (Kind::Text(pieces), _) => {
                    let module = self.quoted(pieces);
                    let module = module.literal().map(module_name).unwrap_or_default();
                    let module = Value::name(canonical(self.language, module).unwrap_or(module));
                    for (member, local) in taken {
                        let value =
                            member.map_or_else(|| module.clone(), |member| self.member(&module, member));
                        self.bind(local, value);
                    }
                    return;
                }
                (Kind::Mark, "{") => is_member = true,
                (Kind::Mark, "}") => is_member = false,
                (Kind::Mark, "," | "*") | (Kind::Name, "from" | "type") => {}
                (Kind::Name, "as") => {
                    if cur.is_name(0) {
                        let local = cur.ahead(0);
                        cur.at += 1;
                        match taken.last_mut().filter(|_| is_member) {
                            Some(last) => last.1 = local,
                            None => taken.push((None, local)),
                        }
                    }
                }
                (Kind::Name, name) if taken.len() < MOST_ITEMS => {
                    taken.push((is_member.then_some(name), name));
                }
                (Kind::Newline, _) if is_member => {}
                _ => return,
            }
        }
    }
}

/// A module without what stands before its name.
pub(super) fn module_name(name: &str) -> &str {
    name.strip_prefix("node:").unwrap_or(name)
}

/// A name with points, from here on.
fn dotted(cur: &mut Cursor<'_>) -> String {
    let mut name = String::new();
    while cur.peek().is_some_and(|token| token.kind == Kind::Name) && cur.word() != "import" {
        name.push_str(cur.word());
        cur.at += 1;
        if !matches!(cur.mark(), "." | "::") || !cur.is_name(1) {
            break;
        }
        cur.at += 1;
        name.push('.');
    }
    name
}
