//! Constructs of the shell, each repeated as often as a test wants: what the analysis of a command must not take long for.
//!
//! `constructs.tsv` holds one construct per line: name, before, repeated, core, closing, after. The part `repeated` stands before the core
//! as often as `closing` stands after it. `%d` is the number of the repetition. `\n`, `\t`, `\r` and `\\` are escapes.

const TABLE: &str = include_str!("constructs.tsv");

pub struct Construct {
    pub name: &'static str,
    before: String,
    repeated: String,
    core: String,
    closing: String,
    after: String,
}

impl Construct {
    /// The command line with so many repetitions.
    pub fn line(&self, times: usize) -> String {
        let repeated: String = (0..times).map(|at| self.repeated.replace("%d", &at.to_string())).collect();
        [&self.before, &repeated, &self.core, &self.closing.repeat(times), &self.after]
            .map(String::as_str)
            .concat()
    }
}

pub fn constructs() -> impl Iterator<Item = Construct> {
    TABLE.lines().map(|line| {
        let mut columns = line.split('\t');
        let name = columns.next().unwrap_or_default();
        let mut column = || columns.next().map(unescaped).unwrap_or_default();
        Construct {
            name,
            before: column(),
            repeated: column(),
            core: column(),
            closing: column(),
            after: column(),
        }
    })
}

fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        out.push(match (c, c == '\\') {
            (_, true) => match chars.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                other => other.unwrap_or('\\'),
            },
            (c, false) => c,
        });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_construct_is_repeated_and_closed() {
        let line = |name: &str| constructs().find(|construct| construct.name == name).unwrap().line(2);
        assert_eq!(line("subshell"), "((rm a))");
        assert_eq!(line("lines"), "rm a0\nrm a1\n");
        assert_eq!(line("find execs"), "find . -exec rm a0 \\; -exec rm a1 \\; ");
        assert_eq!(line("code in code"), "bash -c \"bash -c \"rm x\"\"");
    }
}
