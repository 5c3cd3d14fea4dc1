//! What the journal of a project tells.

/// Sessions of this name are made by `engine doctor` and count for nothing.
pub const DOCTOR_SESSION: &str = "engine-doctor";
