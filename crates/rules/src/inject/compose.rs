//! Several files within one budget: those that are small are whole, the others share what is left in equal parts. What is cut says so
//! at its place, with the path that has the rest.

use engine_text::line::{cut_at_line, units};

/// A longer line of a file that is not whole is cut, so that it does not take the place of all others.
const LONGEST_LINE: usize = 1000;
/// With less of its text than that a file is only named.
const LEAST: usize = 80;

/// A text that is told when a session starts.
pub(super) struct ContextFile {
    /// Where the whole is: a path, or the command that prints it.
    pub(super) path: String,
    pub(super) title: String,
    pub(super) text: String,
}

pub(super) struct Composed {
    pub(super) text: String,
    /// Which files, and which of them are not whole.
    pub(super) files: String,
    /// Of those that are not whole, how much came in; for the person.
    pub(super) cut: Option<String>,
}

/// One section per file, in their order.
pub(super) fn compose(files: &[ContextFile], budget: usize) -> Composed {
    let all: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let head = format!("Files loaded at session start: {}", all.join(", "));
    let whole: usize = files.iter().map(|file| units(&section(file, &file.text))).sum();
    if units(&head) + whole <= budget {
        let sections: String = files.iter().map(|file| section(file, &file.text)).collect();
        return Composed { text: head + &sections, files: all.join(", "), cut: None };
    }
    let head = "Files loaded at session start, not all of them whole:";
    let named = named(files, budget.saturating_sub(units(head)));
    let (shown, unnamed) = files.split_at(named);
    let foot = if unnamed.is_empty() { String::new() } else { more_files(unnamed.len()) };
    let frames: usize = shown.iter().map(|file| units(&section(file, ""))).sum();
    let left = budget.saturating_sub(units(head) + units(&foot) + frames);
    let shares = shares(&shown.iter().map(|file| units(&file.text)).collect::<Vec<_>>(), left);
    let mut text = head.to_owned();
    let mut cut = Vec::new();
    for (file, share) in shown.iter().zip(shares) {
        let (part, left_out) = fitted(file, share);
        if left_out > 0 {
            let (left_out, of) = (thousands(left_out), thousands(units(&file.text)));
            cut.push(format!("{} ({left_out} of {of} characters left out)", file.path));
        }
        text.push_str(&section(file, &part));
    }
    text.push_str(&foot);
    cut.extend((!unnamed.is_empty()).then(|| format!("{} more files", unnamed.len())));
    let cut = cut.join(", ");
    Composed { text, files: format!("{}; not whole: {cut}", all.join(", ")), cut: Some(cut) }
}

fn section(file: &ContextFile, text: &str) -> String {
    format!("\n\n## {}\n\n{text}", file.title)
}

fn more_files(count: usize) -> String {
    format!("\n\n… {count} more files: engine config get inject.files")
}

/// What stands where something is left out.
fn mark(left_out: usize, path: &str) -> String {
    format!("… {} characters more: {path}", thousands(left_out))
}

/// How many files can at least be named.
fn named(files: &[ContextFile], budget: usize) -> usize {
    let mut left = budget;
    for (index, file) in files.iter().enumerate() {
        let size = units(&section(file, &mark(usize::MAX >> 20, &file.path)));
        let foot = if index + 1 == files.len() { 0 } else { units(&more_files(files.len())) };
        if size + foot > left {
            return index;
        }
        left -= size;
    }
    files.len()
}

/// How much each gets: what is smaller than an equal share is whole, and the others share the rest.
fn shares(sizes: &[usize], budget: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&at| sizes[at]);
    let mut shares = vec![0; sizes.len()];
    let mut left = budget;
    for (done, at) in order.into_iter().enumerate() {
        shares[at] = sizes[at].min(left / (sizes.len() - done));
        left -= shares[at];
    }
    shares
}

/// The text of a file within its share, and how much of it is left out: whole, or with its long lines cut, or its beginning.
fn fitted(file: &ContextFile, share: usize) -> (String, usize) {
    let all = units(&file.text);
    if all <= share {
        return (file.text.clone(), 0);
    }
    let (text, left_out) = shortened(file, LONGEST_LINE);
    if units(&text) <= share {
        return (text, left_out);
    }
    // No mark is longer than that of the whole.
    let room = share.saturating_sub(units(&mark(all, &file.path)) + 1);
    if room < LEAST {
        return (mark(all, &file.path), all);
    }
    // Whole lines, and the beginning of the next where much room is left.
    let lines = cut_at_line(&file.text, room);
    let rest = &file.text[lines.len()..];
    let left = room - units(lines);
    let next = rest.trim_start_matches('\n');
    let part = if left > LEAST && !lines.is_empty() && next.len() < rest.len() {
        let gap = rest.len() - next.len();
        let more = cut_at_line(next.lines().next().unwrap_or_default(), left.saturating_sub(gap + 1));
        &file.text[..lines.len() + gap + more.len()]
    } else {
        lines
    };
    let left_out = units(&file.text[part.len()..]);
    let end = if file.text[part.len()..].starts_with('\n') { "\n" } else { " " };
    (format!("{}{end}{}", part.trim_end(), mark(left_out, &file.path)), left_out)
}

/// The text with each long line cut at its place, and how much is left out.
fn shortened(file: &ContextFile, longest: usize) -> (String, usize) {
    let mut left_out = 0;
    let mut shorten = |line: &str| {
        let part = cut_at_line(line, longest);
        let rest = units(&line[part.len()..]);
        if rest == 0 {
            return line.to_owned();
        }
        left_out += rest;
        format!("{part} {}", mark(rest, &file.path))
    };
    let lines: Vec<String> = file.text.lines().map(&mut shorten).collect();
    (lines.join("\n"), left_out)
}

/// `12,345`
fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn file(name: &str, text: &str) -> ContextFile {
        ContextFile { path: format!(".engine/context/{name}"), title: name.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn within_the_budget_every_file_is_whole() {
        let told = compose(&[file("AXIOMS.md", "one\ntwo"), file("CORE.md", "me")], 500);
        insta::assert_snapshot!(told.text, @r"
        Files loaded at session start: .engine/context/AXIOMS.md, .engine/context/CORE.md

        ## AXIOMS.md

        one
        two

        ## CORE.md

        me
        ");
        assert_eq!(told.cut, None);
    }

    #[test]
    fn the_small_ones_are_whole_and_the_large_ones_share_the_rest() {
        let long = "a line of twenty ch.\n".repeat(60);
        let longer = "another line of some more.\n".repeat(60);
        let told = compose(
            &[file("AXIOMS.md", long.trim()), file("CORE.md", "me"), file("Z.md", longer.trim())],
            700,
        );
        assert!(units(&told.text) <= 700);
        insta::assert_snapshot!(told.text, @"
    Files loaded at session start, not all of them whole:

    ## AXIOMS.md

    a line of twenty ch.
    a line of twenty ch.
    a line of twenty ch.
    a line of twenty ch.
    a line of twenty ch.
    a line of twenty ch.
    a line of twenty ch.
    a line of twenty ch.
    a line of twenty ch.
    a line of twenty ch.
    a line of twenty ch.
    a line of twenty ch.
    … 1,008 characters more: .engine/context/AXIOMS.md

    ## CORE.md

    me

    ## Z.md

    another line of some more.
    another line of some more.
    another line of some more.
    another line of some more.
    another line of some more.
    another line of some more.
    another line of some more.
    another line of some more.
    another line of some more.
    … 1,377 characters more: .engine/context/Z.md
    ");
        insta::assert_snapshot!(told.cut.unwrap(), @".engine/context/AXIOMS.md (1,008 of 1,259 characters left out), .engine/context/Z.md (1,377 of 1,619 characters left out)");
    }

    #[test]
    fn a_long_line_is_cut_at_its_place() {
        let text = format!("first\n{}\nlast", "word ".repeat(400));
        let told = compose(&[file("AXIOMS.md", &text), file("CORE.md", "me")], 1500);
        let shown = told.text.replace(&"word ".repeat(20), "<20 words>");
        insta::assert_snapshot!(shown, @"
    Files loaded at session start, not all of them whole:

    ## AXIOMS.md

    first
    <20 words><20 words><20 words><20 words><20 words><20 words><20 words><20 words><20 words><20 words> … 1,000 characters more: .engine/context/AXIOMS.md
    last

    ## CORE.md

    me
    ");
    }

    #[test]
    fn files_without_end_are_counted() {
        let files: Vec<ContextFile> =
            (0..200).map(|at| file(&format!("F{at}.md"), &"x\n".repeat(5000))).collect();
        let told = compose(&files, 500);
        insta::assert_snapshot!(told.text, @"
    Files loaded at session start, not all of them whole:

    ## F0.md

    … 10,000 characters more: .engine/context/F0.md

    ## F1.md

    … 10,000 characters more: .engine/context/F1.md

    ## F2.md

    … 10,000 characters more: .engine/context/F2.md

    ## F3.md

    … 10,000 characters more: .engine/context/F3.md

    ## F4.md

    … 10,000 characters more: .engine/context/F4.md

    … 195 more files: engine config get inject.files
    ");
        assert!(units(&told.text) <= 500);
    }

    #[test]
    fn an_equal_share_or_less() {
        let cases: [(&[usize], usize, &[usize]); 5] = [
            (&[10, 10], 30, &[10, 10]),
            (&[100, 10, 100], 110, &[50, 10, 50]),
            (&[100, 100], 50, &[25, 25]),
            (&[5, 60, 1000], 205, &[5, 60, 140]),
            (&[], 10, &[]),
        ];
        for (sizes, budget, expected) in cases {
            assert_eq!(shares(sizes, budget), expected, "{sizes:?} in {budget}");
        }
    }

    proptest! {
        #[test]
        fn never_over_the_budget(texts in prop::collection::vec("(?s).{1,400}", 1..9), budget in 500usize..2000) {
            let files: Vec<_> = texts.iter().enumerate().map(|(n, text)| file(&format!("F{n}.md"), text)).collect();
            prop_assert!(units(&compose(&files, budget).text) <= budget);
        }
    }
}
