//! What this build calls itself.

/// The version; with the commit, where a release was built from a repository of git. See `build.rs`.
pub(crate) const VERSION: &str = env!("ENGINE_VERSION");
/// The same behind the name.
pub(crate) const NAME_AND_VERSION: &str = concat!("engine ", env!("ENGINE_VERSION"));
