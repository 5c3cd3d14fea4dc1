//! Options and operands of a command's arguments, as getopt reads them.

use super::Word;

/// Arguments taken apart. Clustered letters are single options; a value may be glued on or follow.
#[derive(Debug, Default)]
pub struct Options<'r> {
    /// `-f`, `--force`, with their values.
    pub given: Vec<(String, Option<&'r Word>, Option<String>)>,
    pub operands: Vec<&'r Word>,
    /// Where the first operand stands among the arguments.
    pub first_operand: Option<usize>,
    /// Where `--` stands among the operands.
    pub separator: Option<usize>,
}

impl<'r> Options<'r> {
    /// `valued`: options that take the next word. `stop`: the first operand ends the options, as with wrappers.
    pub fn read(args: &'r [Word], valued: &[&str], stop: bool) -> Self {
        let mut options = Self::default();
        let mut index = 0;
        while let Some(arg) = args.get(index) {
            let text = arg.text.as_str();
            let is_option = text.len() > 1 && text.starts_with('-') && options.separator.is_none();
            if !is_option || arg.unknown && !text.starts_with("--") {
                options.first_operand.get_or_insert(index);
                if stop {
                    options.operands.extend(&args[index..]);
                    return options;
                }
                options.operands.push(arg);
                index += 1;
                continue;
            }
            index += 1;
            if text == "--" {
                options.separator = Some(options.operands.len());
                if stop {
                    options.first_operand.get_or_insert(index);
                    options.operands.extend(&args[index.min(args.len())..]);
                    return options;
                }
                continue;
            }
            let mut take = |options: &mut Self, name: String| {
                let value = args.get(index);
                index += usize::from(value.is_some());
                options.given.push((name, value, value.map(|word| word.text.clone())));
            };
            if text.starts_with("--") {
                match text.split_once('=') {
                    Some((name, value)) => {
                        options.given.push((name.to_owned(), None, Some(value.to_owned())));
                    }
                    None if valued.contains(&text) => take(&mut options, text.to_owned()),
                    None => options.given.push((text.to_owned(), None, None)),
                }
                continue;
            }
            let letters: Vec<(usize, char)> = text.char_indices().skip(1).collect();
            for (at, letter) in letters {
                let name = format!("-{letter}");
                if valued.contains(&name.as_str()) {
                    let rest = &text[at + letter.len_utf8()..];
                    if rest.is_empty() {
                        take(&mut options, name);
                    } else {
                        options.given.push((name, None, Some(rest.to_owned())));
                    }
                    break;
                }
                options.given.push((name, None, None));
            }
        }
        options
    }

    pub fn has(&self, names: &[&str]) -> bool {
        self.given.iter().any(|(given, ..)| names.contains(&given.as_str()))
    }

    /// A long option, or the beginning of it where no other option begins so.
    pub fn has_long(&self, name: &str, least: usize) -> bool {
        let is_it =
            |given: &str| given.len() >= least + 2 && given.starts_with("--") && name.starts_with(given);
        self.given.iter().any(|(given, ..)| is_it(given))
    }

    pub fn value(&self, names: &[&str]) -> Option<&str> {
        let found = self.given.iter().rev().find(|(given, ..)| names.contains(&given.as_str()))?;
        found.2.as_deref()
    }
}
