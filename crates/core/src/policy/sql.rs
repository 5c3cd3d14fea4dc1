//! Statements of SQL that destroy, found by their first words. Comments and quoted texts are skipped, whatever the dialect: `--`, `#` at
//! the start of a line, `/* */`, `'…'`, `"…"`, `` `…` ``, `$tag$…$tag$`.
//!
//! It is no parser. Nothing is known of a statement but its keywords outside of parentheses, and of a `WHERE` whether every row fits it
//! by its letters alone: `WHERE 1=1`, `WHERE true`, `WHERE id = 1 OR 'a' = 'a'`.

/// More of a text is not looked at: no person writes that in a command, and a dump is not judged.
const LONGEST: usize = 64 * 1024;

/// Whether one of the statements destroys.
pub(super) fn destroys(text: &str) -> bool {
    let text = &text[..text.floor_char_boundary(LONGEST)];
    statements(text).iter().any(|words| is_destructive(words))
}

fn is_destructive(words: &[String]) -> bool {
    let word = |at: usize| words.get(at).map(String::as_str).unwrap_or_default();
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    match word(0) {
        "DROP" => {
            let is_temporary = matches!(word(1), "TEMP" | "TEMPORARY")
                || (word(1) == "TABLE"
                    && words.iter().any(|word| matches!(word.as_str(), "PG_TEMP" | "TEMP")));
            !(is_temporary && has("IF") && has("EXISTS"))
        }
        "TRUNCATE" => true,
        "DELETE" | "UPDATE" => match words.iter().position(|word| word == "WHERE") {
            Some(at) => fits_every_row(&words[at + 1..], 0),
            None => true,
        },
        "ALTER" => {
            // What a column must hold is a rule about data, and no data.
            let keeps = [
                "DEFAULT",
                "NOT",
                "IDENTITY",
                "EXPRESSION",
                "CONSTRAINT",
                "INDEX",
                "KEY",
                "FOREIGN",
                "CHECK",
            ];
            let mut behind = words.windows(2).filter(|pair| pair[0] == "DROP");
            behind.any(|pair| !keeps.contains(&pair[1].as_str()))
        }
        // `WITH x AS (…) DELETE FROM t`
        "WITH" => {
            let verb = words
                .iter()
                .position(|word| matches!(word.as_str(), "DELETE" | "UPDATE" | "SELECT" | "INSERT"));
            verb.is_some_and(|at| matches!(word(at), "DELETE" | "UPDATE") && is_destructive(&words[at..]))
        }
        _ => false,
    }
}

/// Parentheses of a condition that are looked into.
const DEEPEST: usize = 16;

/// Whether a condition holds whatever a row has in it.
fn fits_every_row(condition: &[String], depth: usize) -> bool {
    if depth > DEEPEST {
        return false;
    }
    // What limits or reports the rows stands behind it.
    let ends = |word: &str| matches!(word, "LIMIT" | "RETURNING" | "ORDER");
    let end = condition.iter().position(|word| ends(word)).unwrap_or(condition.len());
    let parts = |words: &[String], joint: &str| -> Vec<Vec<String>> {
        let mut inside = 0_usize;
        let is_joint = |word: &String| {
            match word.as_str() {
                "(" => inside += 1,
                ")" => inside = inside.saturating_sub(1),
                _ => {}
            }
            inside == 0 && word == joint
        };
        words.split(is_joint).map(<[String]>::to_vec).collect()
    };
    let holds = |part: Vec<String>| match part.as_slice() {
        [first, inner @ .., last] if first == "(" && last == ")" => fits_every_row(inner, depth + 1),
        part => always_holds(part),
    };
    let mut either = parts(&condition[..end], "OR").into_iter();
    either.any(|all| parts(&all, "AND").into_iter().all(holds))
}

/// A comparison of something with itself, or a value that is true.
fn always_holds(part: &[String]) -> bool {
    let number = |word: &str| word.parse::<u64>().ok();
    match part {
        [value] => value == "TRUE" || number(value).is_some_and(|number| number != 0),
        [left, sign, right] if sign == ">" || sign == "<" => {
            let (low, high) = if sign == "<" { (left, right) } else { (right, left) };
            number(low).zip(number(high)).is_some_and(|(low, high)| low < high)
        }
        part => {
            let Some(at) = part.iter().position(|word| word == "=") else { return false };
            let (left, right) = (&part[..at], &part[at + 1..]);
            // SQLite writes it twice.
            let right = right.strip_prefix(&["=".to_owned()]).unwrap_or(right);
            // Two places for values may get two values.
            !left.is_empty() && left == right && left != ["?"]
        }
    }
}

/// The words of each statement outside of parentheses, in capital letters; quoted text stands behind its quote. Behind `WHERE` the signs
/// and what is in parentheses too.
fn statements(text: &str) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    let mut current: Vec<String> = Vec::new();
    let mut depth = 0_usize;
    let mut in_condition = false;
    let mut rest = text;
    let mut starts_line = true;
    while let Some(first) = rest.chars().next() {
        // A command of the program itself, `\d` and `.tables`, ends with its line.
        let is_own = current.is_empty() && starts_line && (first == '\\' || first == '.');
        let skipped = if is_own || rest.starts_with("--") || (first == '#' && starts_line) {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if matches!(first, '\'' | '"' | '`') {
            let length = 1 + rest[1..].find(first).map_or(rest.len() - 1, |end| end + 1);
            current.push(rest[..length].to_owned());
            length
        } else if let Some(mark) = dollar_mark(rest) {
            current.push(String::new());
            mark.len() + rest[mark.len()..].find(mark).map_or(rest.len() - mark.len(), |end| end + mark.len())
        } else if is_part(first) {
            let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
            if depth == 0 || in_condition {
                let word = rest[..end].to_uppercase();
                in_condition |= word == "WHERE";
                current.push(word);
            }
            end
        } else {
            if in_condition && !first.is_whitespace() && first != ';' {
                current.push(first.to_string());
            }
            match first {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                ';' => {
                    depth = 0;
                    in_condition = false;
                    all.push(std::mem::take(&mut current));
                }
                _ => {}
            }
            first.len_utf8()
        };
        let blank = rest[..skipped].chars().all(char::is_whitespace);
        starts_line = rest[..skipped].ends_with('\n') || (starts_line && blank) || first == ';';
        rest = &rest[skipped..];
    }
    all.push(current);
    all
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// `$$` or `$tag$` at the start.
fn dollar_mark(text: &str) -> Option<&str> {
    let behind = text.strip_prefix('$')?;
    let end = behind.find(|c: char| !is_part(c))?;
    (behind[end..].starts_with('$') && !behind.starts_with(|c: char| c.is_ascii_digit()))
        .then(|| &text[..end + 2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_destroy_are_found_by_their_first_words() {
        for (text, expected) in [
            ("DROP TABLE users", true),
            ("drop database prod;", true),
            ("DROP TABLE IF EXISTS users", true),
            ("DROP TEMPORARY TABLE IF EXISTS t", false),
            ("DROP TABLE IF EXISTS pg_temp.t", false),
            ("DROP TABLE pg_temp.t", true),
            ("TRUNCATE users", true),
            ("DELETE FROM users", true),
            ("DELETE FROM users WHERE id = 1", false),
            ("DELETE FROM a USING (SELECT 1 WHERE true) x", true),
            ("DELETE FROM \"where\"", true),
            ("DELETE FROM t -- WHERE id = 1", true),
            ("DELETE FROM t /* WHERE */", true),
            ("UPDATE t SET a = 1", true),
            ("UPDATE t SET a = 'WHERE'", true),
            ("UPDATE t SET a = 1 WHERE b = 2", false),
            ("DELETE FROM t WHERE 1=1", true),
            ("DELETE FROM t WHERE 1 = 1;", true),
            ("DELETE FROM t WHERE 1==1", true),
            ("DELETE FROM t WHERE true", true),
            ("DELETE FROM t WHERE 1", true),
            ("DELETE FROM t WHERE 'a'='a'", true),
            ("DELETE FROM t WHERE (1=1)", true),
            ("DELETE FROM t WHERE ((true)) LIMIT 10", true),
            ("DELETE FROM t WHERE 1=1 RETURNING id", true),
            ("DELETE FROM t WHERE id = id", true),
            ("DELETE FROM t WHERE t.id = t.id", true),
            ("DELETE FROM t WHERE id = 1 OR 1=1", true),
            ("DELETE FROM t WHERE 1=1 AND true", true),
            ("DELETE FROM t WHERE 2 > 1", true),
            ("UPDATE t SET x=1 WHERE 1=1", true),
            ("UPDATE t SET x = (SELECT 1 WHERE true) WHERE id = 2", false),
            ("WITH a AS (SELECT 1) DELETE FROM t WHERE true", true),
            ("DELETE FROM t WHERE 1=0", false),
            ("DELETE FROM t WHERE 0", false),
            ("DELETE FROM t WHERE false", false),
            ("DELETE FROM t WHERE 'a'='b'", false),
            ("DELETE FROM t WHERE 1=1 AND id = 3", false),
            ("DELETE FROM t WHERE id = 1", false),
            ("DELETE FROM t WHERE (id = 1)", false),
            ("DELETE FROM t WHERE id = :id", false),
            ("DELETE FROM t WHERE id = @id", false),
            ("DELETE FROM t WHERE id = $1", false),
            ("DELETE FROM t WHERE ? = ?", false),
            ("DELETE FROM t WHERE id = ?", false),
            ("DELETE FROM t WHERE active", false),
            ("DELETE FROM t WHERE x BETWEEN 0 AND 1", false),
            ("DELETE FROM t WHERE id IN (1)", false),
            ("DELETE FROM t WHERE NOT 1=1", false),
            ("DELETE FROM t WHERE a.id = b.id", false),
            ("DELETE FROM t WHERE a = b = a", false),
            ("DELETE FROM t WHERE EXISTS (SELECT 1 WHERE 1=1)", false),
            ("DELETE FROM t WHERE (a) = (b)", false),
            ("SELECT * FROM t WHERE 1=1; SELECT 2", false),
            ("SELECT * FROM t FOR UPDATE", false),
            ("INSERT INTO t VALUES (1) ON CONFLICT DO UPDATE SET a = 1", false),
            ("ALTER TABLE t DROP COLUMN c", true),
            ("ALTER TABLE t ALTER c DROP DEFAULT", false),
            ("ALTER TABLE t ALTER c DROP NOT NULL", false),
            ("ALTER TABLE t ADD COLUMN c int", false),
            ("SELECT 'DROP TABLE x'", false),
            ("SELECT 1; DROP TABLE x", true),
            ("SELECT 'a;DROP TABLE x'", false),
            ("-- DROP TABLE x\nSELECT 1", false),
            ("/* ; DROP TABLE x */ SELECT 1", false),
            ("SELECT $$; DROP TABLE x; $$", false),
            ("SELECT $a$; DROP TABLE x; $b$ $a$", false),
            ("SELECT $1; DROP TABLE x", true),
            ("SELECT 'unclosed; DROP TABLE x", false),
            ("WITH a AS (SELECT 1) DELETE FROM t", true),
            ("WITH a AS (SELECT 1) DELETE FROM t WHERE b", false),
            ("WITH a AS (DELETE FROM t WHERE b RETURNING *) SELECT * FROM a", false),
            ("\\d users\nDROP TABLE x", true),
            ("\\echo DROP TABLE x", false),
            (".tables\n.schema users", false),
            (".mode csv\ndelete from t;", true),
            ("EXPLAIN DELETE FROM t", false),
            ("CREATE TABLE drop_me (id int)", false),
            ("", false),
            ("é'", false),
        ] {
            assert_eq!(destroys(text), expected, "{text}");
        }
    }

    #[test]
    fn a_long_text_is_read_once() {
        let text = "SELECT '".repeat(20_000);
        assert!(!destroys(&text));
        assert!(!destroys(&"(".repeat(200_000)));
        assert!(!destroys(&format!("DELETE FROM t WHERE {}", "(".repeat(60_000))));
        assert!(!destroys(&format!("DELETE FROM t WHERE {}1=1", "a OR (".repeat(10_000))));
    }
}
