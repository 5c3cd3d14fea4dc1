//! The machine that the figures are of.

use std::fmt;
use std::fs;
use std::thread;

use anyhow::Result;

use crate::shipped::{self, Linkage};

pub(super) struct Machine {
    pub(super) cpu: String,
    pub(super) cores: usize,
    pub(super) kernel: String,
    pub(super) rustc: String,
    pub(super) linkage: Linkage,
}

impl Machine {
    pub(super) fn here() -> Result<Self> {
        let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let cpu =
            cpu.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split(": ").nth(1));
        let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        Ok(Self {
            cpu: cpu.unwrap_or(std::env::consts::ARCH).to_owned(),
            cores: thread::available_parallelism().map_or(1, usize::from),
            kernel: format!("{} {}", std::env::consts::OS, kernel.trim()).trim().to_owned(),
            rustc: shipped::rustc(&["-V"])?.trim().to_owned(),
            linkage: Linkage::of_host()?,
        })
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cpu, cores, kernel, rustc, linkage } = self;
        write!(f, "{cpu}, {cores} cores, {kernel}, {rustc}, {linkage}")
    }
}
