//! placeholder
use std::io;
use crate::project::Project;
pub fn write(_: &Project, _: &str, _: &str) -> io::Result<()> { Ok(()) }
