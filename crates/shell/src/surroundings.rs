//! What is known of a command before it runs.

/// Where and as whom a command runs, as far as it is known before it does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The current folder, absolute.
    pub cwd: String,
    pub home: Option<String>,
    pub temporary: Option<String>,
}
