//! Kinds of tasks as data: the workflow, guardrails and steps that the intent router begins with, and the form of its answer.

/// A kind of task.
#[derive(Debug, Clone, Copy)]
pub struct Preset {
    pub name: &'static str,
    /// TOML.
    pub text: &'static str,
}

macro_rules! presets {
    ($($name:literal),*) => {
        [$(Preset { name: $name, text: include_str!(concat!("../../../../plugin/workflows/", $name, ".toml")) }),*]
    };
}

pub const PRESETS: [Preset; 5] = presets!["debug", "feature", "question", "simple", "tdd"];

/// An example of what `engine plan new` reads.
pub const FORM: &str = include_str!("../../../../plugin/workflows/form.yaml");
