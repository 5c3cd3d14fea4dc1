//! Text formats, without knowledge of the product: what a line, a glob, a Markdown heading, a YAML tree or a JSON field is.
//!
//! Nothing here touches a file, the clock or the environment, and nothing here knows a rule, a session or a client.

pub mod brace;
pub mod decode;
pub mod diff;
pub mod field;
pub mod glob;
pub mod line;
pub mod markdown;
pub mod path;
pub mod redact;
pub mod schema;
pub mod stamp;
pub mod undecoded;
pub mod yaml;

/// Some editors write it at the start of a file. Readers skip it.
pub const BYTE_ORDER_MARK: char = '\u{feff}';

/// A fault in a text, and the line it is in, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub line: usize,
    pub text: String,
}
