//! Options and operands of a command's arguments, as getopt reads them.

use crate::word::Word;

/// Arguments taken apart. Clustered letters are single options, each once in a word; a value may be glued on or follow.
#[derive(Debug, Default)]
pub struct Options<'r> {
    pub given: Vec<Given<'r>>,
    pub operands: Vec<&'r Word>,
    /// Where the first operand stands among the arguments.
    pub first_operand: Option<usize>,
    /// Where `--` stands among the operands.
    pub separator: Option<usize>,
}

/// An option: `-f`, `--force`, with its value.
#[derive(Debug)]
pub struct Given<'r> {
    pub name: String,
    pub value: Option<String>,
    /// The next word, if that is the value.
    pub word: Option<&'r Word>,
    /// The word that the option is in.
    from: &'r Word,
}

impl Given<'_> {
    /// The value as a word of its own.
    pub fn word(&self) -> Option<Word> {
        let text = self.value.clone()?;
        let whole = self.word.unwrap_or(self.from);
        Some(Word { text, ..whole.clone() })
    }
}

impl<'r> Options<'r> {
    /// `valued`: options that take the next word; with `?` behind the letter, what is glued on only. `stop`: the first operand ends the options, as with wrappers.
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
            let glued = |name: String, value: Option<&str>| Given {
                name,
                value: value.map(str::to_owned),
                word: None,
                from: arg,
            };
            let mut take = |options: &mut Self, name: String| {
                let word = args.get(index);
                index += usize::from(word.is_some());
                options.given.push(Given {
                    name,
                    value: word.map(|word| word.text.clone()),
                    word,
                    from: arg,
                });
            };
            if text.starts_with("--") {
                match text.split_once('=') {
                    Some((name, value)) => options.given.push(glued(name.to_owned(), Some(value))),
                    None if valued.contains(&text) => take(&mut options, text.to_owned()),
                    None => options.given.push(glued(text.to_owned(), None)),
                }
                continue;
            }
            // Repeated, a letter says nothing new; a word may repeat it a million times.
            let mut seen = [false; 128];
            for (at, letter) in text.char_indices().skip(1) {
                let Some(seen) = seen.get_mut(letter as usize).filter(|seen| !**seen) else { continue };
                *seen = true;
                let name = format!("-{letter}");
                let rest = Some(&text[at + letter.len_utf8()..]).filter(|rest| !rest.is_empty());
                if valued.contains(&format!("{name}?").as_str()) {
                    options.given.push(glued(name, rest));
                    break;
                }
                if valued.contains(&name.as_str()) {
                    match rest {
                        Some(_) => options.given.push(glued(name, rest)),
                        None => take(&mut options, name),
                    }
                    break;
                }
                options.given.push(glued(name, None));
            }
        }
        options
    }

    pub fn has(&self, names: &[&str]) -> bool {
        self.all(names).next().is_some()
    }

    /// Every time that one of these is given.
    pub fn all(&self, names: &[&str]) -> impl DoubleEndedIterator<Item = &Given<'r>> {
        self.given.iter().filter(move |given| names.contains(&given.name.as_str()))
    }

    /// A long option, or the beginning of it where no other option begins so.
    pub fn has_long(&self, name: &str, least: usize) -> bool {
        let is_it =
            |given: &str| given.len() >= least + 2 && given.starts_with("--") && name.starts_with(given);
        self.given.iter().any(|given| is_it(&given.name))
    }

    pub fn value(&self, names: &[&str]) -> Option<&str> {
        self.all(names).next_back()?.value.as_deref()
    }
}
