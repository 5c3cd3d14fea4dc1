//! The form of a line: literal text with places in braces.
//!
//! | place | stands for |
//! | --- | --- |
//! | `{n}` | a number that is not 0 |
//! | `{d}` | a number |
//! | `{w}` | a word: some characters, none of them blank |
//! | `{ }` | blanks, or none |
//! | `{s}` | an `s`, or none |
//! | `{*}` | any text, also none |

/// Whether a whole line has a form. Every `{*}` takes as little as it can, so the time is that of the line and the form multiplied.
pub(super) fn fits(form: &str, line: &str) -> bool {
    let (mut form_left, mut line_left) = (form, line);
    // Where to go on if what is behind the last `{*}` does not fit there.
    let mut retry: Option<(&str, &str)> = None;
    loop {
        if let Some(behind) = form_left.strip_prefix("{*}") {
            if behind.is_empty() {
                return true;
            }
            form_left = behind;
            retry = Some((behind, line_left));
            continue;
        }
        if form_left.is_empty() && line_left.is_empty() {
            return true;
        }
        if let Some((form_next, line_next)) = step(form_left, line_left) {
            (form_left, line_left) = (form_next, line_next);
            continue;
        }
        let Some((behind, from)) = retry else { return false };
        let mut chars = from.chars();
        if chars.next().is_none() {
            return false;
        }
        retry = Some((behind, chars.as_str()));
        (form_left, line_left) = (behind, chars.as_str());
    }
}

/// Passes one place or one character of both.
fn step<'t>(form: &'t str, line: &'t str) -> Option<(&'t str, &'t str)> {
    let place = |name: &str| form.strip_prefix(name);
    let passed = |behind: &'t str, what: fn(char) -> bool| {
        let rest = line.trim_start_matches(what);
        (behind, &line[..line.len() - rest.len()], rest)
    };
    if let Some(behind) = place("{ }") {
        let (behind, _, rest) = passed(behind, |c| c == ' ');
        return Some((behind, rest));
    }
    if let Some(behind) = place("{s}") {
        return Some((behind, line.strip_prefix('s').unwrap_or(line)));
    }
    let (behind, taken, rest) = if let Some(behind) = place("{d}") {
        passed(behind, |c| c.is_ascii_digit())
    } else if let Some(behind) = place("{n}") {
        let (behind, digits, rest) = passed(behind, |c| c.is_ascii_digit());
        (behind, digits.trim_start_matches('0'), rest)
    } else if let Some(behind) = place("{w}") {
        // A word ends where the text behind it begins, so that `{w}(` finds its bracket.
        let end = behind.chars().next().filter(|c| *c != '{');
        let rest = line.trim_start_matches(|c: char| !c.is_whitespace() && Some(c) != end);
        (behind, &line[..line.len() - rest.len()], rest)
    } else {
        let c = form.chars().next()?;
        let rest = line.strip_prefix(c)?;
        return Some((&form[c.len_utf8()..], rest));
    };
    (!taken.is_empty()).then_some((behind, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_fits_a_whole_line() {
        for (form, line, expected) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("a", "ba", false),
            ("", "", true),
            ("{n} failed", "1 failed", true),
            ("{n} failed", "007 failed", true),
            ("{n} failed", "0 failed", false),
            ("{n} failed", "00 failed", false),
            ("{n} failed", " failed", false),
            ("{d} failed", "0 failed", true),
            ("{*}{n} failed", "10 passed, 10 failed", true),
            ("{*}{n} failed", "10 passed, 0 failed", false),
            ("{*}{n} fail{*}", "0 failed, 1 failure", true),
            ("a{*}b{*}c", "a b b c", true),
            ("a{*}b{*}c", "a c b", false),
            ("{*}", "", true),
            ("{*}x", "", false),
            ("{ }x", "   x", true),
            ("{ }x", "x", true),
            ("{w}({d},{d}): e", "src/a.ts(1,7): e", true),
            ("{n} error{s}.", "1 error.", true),
            ("{n} error{s}.", "2 errors.", true),
            ("{n} error{s}.", "2 errorss.", false),
            ("{w}: e", ": e", false),
            ("{w} x", "é x", true),
            ("{*}é", "日本é", true),
        ] {
            assert_eq!(fits(form, line), expected, "{form:?} {line:?}");
        }
    }
}
