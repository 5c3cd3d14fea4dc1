//! Coding agents, one module each: how they speak, what they honour, where their settings are.
//!
//! An adapter turns bytes into an `Event` and a `Verdict` into bytes. It decides nothing.

pub mod claude;
pub mod json_edit;
