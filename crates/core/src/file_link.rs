//! Links to files, by the protocol that the person's terminal and editor know.
//!
//! ```text
//! vscode://file/home/me/my%20app/a.rs:42
//! idea://open?file=/home/me/a.rs&line=42
//! ```

use crate::config::{Choice, Config};

/// By which protocol files are linked.
pub const PROTOCOL: Choice = Choice {
    name: "links.protocol",
    default: "file",
    of: &["file", "vscode", "vscode-insiders", "cursor", "idea", "none"],
    about: "The protocol of links to files, in the status line, on your terminal, and in what the agent writes to you: file, vscode, vscode-insiders, cursor, idea, none.",
};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Protocol {
    #[default]
    File,
    /// An editor that takes `SCHEME://file/PATH:LINE`.
    Editor(&'static str),
    Idea,
    /// Paths stay paths.
    None,
}

impl Protocol {
    /// The one that is configured.
    pub fn of(config: &Config) -> Self {
        match config.choice(&PROTOCOL) {
            "vscode" => Self::Editor("vscode"),
            "vscode-insiders" => Self::Editor("vscode-insiders"),
            "cursor" => Self::Editor("cursor"),
            "idea" => Self::Idea,
            "none" => Self::None,
            _ => Self::File,
        }
    }

    /// The link to a file or folder, an absolute path; where a protocol knows lines, to one of them.
    pub fn url(self, path: &str, line: Option<u64>) -> Option<String> {
        let path = encoded(path);
        let numbered = |mark: &str| line.map(|line| format!("{mark}{line}")).unwrap_or_default();
        match self {
            Self::File => Some(format!("file://{path}")),
            Self::Editor(scheme) => Some(format!("{scheme}://file{path}{}", numbered(":"))),
            Self::Idea => Some(format!("idea://open?file={path}{}", numbered("&line="))),
            Self::None => None,
        }
    }

    /// A text that leads to a file. OSC 8: terminals that know it make the text a link, others show the text.
    pub fn linked(self, text: &str, path: &str) -> String {
        self.linked_at(text, path, None)
    }

    /// The same to a line of it.
    pub fn linked_at(self, text: &str, path: &str, line: Option<u64>) -> String {
        match self.url(path, line) {
            Some(url) => format!("\x1b]8;;{url}\x1b\\{text}\x1b]8;;\x1b\\"),
            None => text.to_owned(),
        }
    }

    /// What a model is told of it; nothing of the usual one.
    pub fn told(self) -> Option<String> {
        let form = match self {
            Self::File => return None,
            Self::Editor(scheme) => format!("{scheme} ({scheme}://file/ABSOLUTE/PATH:LINE)"),
            Self::Idea => "idea (idea://open?file=/ABSOLUTE/PATH&line=LINE)".to_owned(),
            Self::None => "none (a file is named by its path)".to_owned(),
        };
        Some(format!("Terminal link protocol: {form}"))
    }
}

/// A path with everything percent-encoded that means something else in a link.
fn encoded(path: &str) -> String {
    let mut url = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            url.push(char::from(byte));
        } else {
            url.push_str(&format!("%{byte:02X}"));
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Assignment, Layer, Value};

    fn protocol(word: &str) -> Protocol {
        let value = Value::Text(word.to_owned());
        let set = Assignment { name: PROTOCOL.name.to_owned(), value, layer: Layer::User, line: 1 };
        Protocol::of(&Config::new(vec![set], Vec::new()))
    }

    #[test]
    fn each_protocol_has_its_form() {
        let path = "/home/me/my app/ä:1&b?.rs";
        let file = "/home/me/my%20app/%C3%A4%3A1%26b%3F.rs";
        let cases = [
            ("file", Some(format!("file://{file}")), Some(format!("file://{file}"))),
            ("vscode", Some(format!("vscode://file{file}")), Some(format!("vscode://file{file}:42"))),
            (
                "vscode-insiders",
                Some(format!("vscode-insiders://file{file}")),
                Some(format!("vscode-insiders://file{file}:42")),
            ),
            ("cursor", Some(format!("cursor://file{file}")), Some(format!("cursor://file{file}:42"))),
            (
                "idea",
                Some(format!("idea://open?file={file}")),
                Some(format!("idea://open?file={file}&line=42")),
            ),
            ("none", None, None),
        ];
        assert_eq!(cases.each_ref().map(|(word, ..)| *word).as_slice(), PROTOCOL.of);
        for (word, plain, numbered) in cases {
            let protocol = protocol(word);
            assert_eq!((protocol.url(path, None), protocol.url(path, Some(42))), (plain, numbered), "{word}");
        }
        assert_eq!(Protocol::of(&Config::default()), Protocol::File);
        assert_eq!(Protocol::None.linked("x", "/x"), "x");
        let at = Protocol::Editor("vscode").linked_at("x:7", "/x", Some(7));
        assert_eq!(at, "\x1b]8;;vscode://file/x:7\x1b\\x:7\x1b]8;;\x1b\\");
    }

    #[test]
    fn a_model_is_told_what_is_not_usual() {
        let told: Vec<String> = PROTOCOL.of.iter().filter_map(|word| protocol(word).told()).collect();
        insta::assert_snapshot!(told.join("\n"), @r"
        Terminal link protocol: vscode (vscode://file/ABSOLUTE/PATH:LINE)
        Terminal link protocol: vscode-insiders (vscode-insiders://file/ABSOLUTE/PATH:LINE)
        Terminal link protocol: cursor (cursor://file/ABSOLUTE/PATH:LINE)
        Terminal link protocol: idea (idea://open?file=/ABSOLUTE/PATH&line=LINE)
        Terminal link protocol: none (a file is named by its path)
        ");
    }
}
