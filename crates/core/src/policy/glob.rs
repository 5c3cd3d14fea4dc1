//! Path patterns: `*` within a folder, `**` over folders, `?`, and nothing else.

pub fn matches(pattern: &str, path: &str) -> bool {
    let pattern: Vec<&str> = pattern.split('/').collect();
    let path: Vec<&str> = path.split('/').collect();
    parts(&pattern, &path)
}

/// Whether a shell would expand the pattern to this path: a star does not stand for a leading dot.
pub fn expands_to(pattern: &str, path: &str) -> bool {
    let hidden = |(pattern, name): (&str, &str)| name.starts_with('.') && !pattern.starts_with('.');
    matches(pattern, path) && !pattern.split('/').zip(path.split('/')).any(hidden)
}

/// Row by row, so that many `**` cost no more than few.
fn parts(pattern: &[&str], path: &[&str]) -> bool {
    let mut reached = vec![false; path.len() + 1];
    reached[0] = true;
    for piece in pattern {
        if *piece == "**" {
            // Anything from the first place on.
            let first = reached.iter().position(|place| *place).unwrap_or(reached.len());
            reached[first..].fill(true);
            continue;
        }
        for at in (0..path.len()).rev() {
            reached[at + 1] = reached[at] && part(piece.as_bytes(), path[at].as_bytes());
        }
        reached[0] = false;
    }
    reached[path.len()]
}

fn part(pattern: &[u8], name: &[u8]) -> bool {
    // The classical walk with one place to fall back to: linear but for the last star.
    let (mut at, mut on) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while on < name.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, on));
                at += 1;
            }
            Some(b'?') => {
                at += 1;
                on += 1;
            }
            Some(byte) if *byte == name[on] => {
                at += 1;
                on += 1;
            }
            _ => match star {
                Some((place, from)) => {
                    at = place + 1;
                    on = from + 1;
                    star = Some((place, from + 1));
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_no_dot_in_a_shell() {
        assert!(!expands_to("/a/*", "/a/.git"));
        assert!(expands_to("/a/.*", "/a/.git"));
        assert!(expands_to("/a/*", "/a/b"));
    }

    #[test]
    fn patterns() {
        let cases = [
            ("/a/*.rs", "/a/b.rs", true),
            ("/a/*.rs", "/a/b/c.rs", false),
            ("/a/**/*.rs", "/a/b/c.rs", true),
            ("/a/**/*.rs", "/a/c.rs", true),
            ("/a/**", "/a/b/c", true),
            ("/a/**", "/b", false),
            ("/a/?b*c", "/a/xbyyc", true),
            ("/a/*a*b", "/a/xaxab", true),
            ("/a", "/a", true),
            ("/a", "/ab", false),
        ];
        for (pattern, path, expected) in cases {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
    }
}
