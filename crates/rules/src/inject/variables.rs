//! Variables of FRAMEWORK.md, which tells where things are: `${PROJECT}` and a few others stand for folders. What is not in the table stays
//! as it is, so no variable of the process comes into a context.

use std::path::Path;

use super::View;

/// What a variable stands for.
pub(super) fn value(name: &str, view: &(impl View + ?Sized)) -> Option<String> {
    let of = |path: &Path| Some(path.to_string_lossy().into_owned());
    let root = view.root();
    match name {
        "PROJECT" => of(root),
        "ENGINE" => of(&root.join(".engine")),
        "CONTEXT" => of(&root.join(".engine/context")),
        "SESSIONS" => of(&root.join(engine_core::work::name::FOLDER)),
        "USER" => of(view.own_directives()?.parent()?),
        "HOME" => view.variable("HOME").filter(|home| !home.is_empty()),
        _ => None,
    }
}

/// The text with `${NAME}` in the place of which its value comes.
pub(super) fn expand(text: &str, value: &dyn Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let known = from[2..].split_once('}').and_then(|(name, behind)| Some((value(name)?, behind)));
        match known {
            Some((value, behind)) => {
                out.push_str(&value);
                rest = behind;
            }
            None => {
                out.push_str("${");
                rest = &from[2..];
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_names_are_expanded_and_others_stay() {
        let value = |name: &str| (name == "PROJECT").then(|| "/p/${PROJECT}".to_owned());
        let cases = [
            ("", ""),
            ("in ${PROJECT}/src, ${PROJECT}", "in /p/${PROJECT}/src, /p/${PROJECT}"),
            ("${SECRET} $PROJECT ${project} ${", "${SECRET} $PROJECT ${project} ${"),
            ("${a ${PROJECT}", "${a /p/${PROJECT}"),
            ("${PROJECT", "${PROJECT"),
            ("ä${PROJECT}ö", "ä/p/${PROJECT}ö"),
        ];
        for (text, expected) in cases {
            assert_eq!(expand(text, &value), expected, "{text}");
        }
    }
}
