//! The build that users get. How it is linked decides what a hook costs more than any code does,
//! so `install` and `bench` must not each have their own idea of it.
//!
//! Where the linker can do it, the functions of the hook come first in the binary ([`order`]).

use std::env;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::cargo;

mod order;

pub(crate) use order::key;

/// Static and not relocated at start: no dynamic loader, no relocations.
const STATIC_FLAGS: [&str; 4] = ["-C", "target-feature=+crt-static", "-C", "relocation-model=static"];
/// Between flags in `CARGO_ENCODED_RUSTFLAGS`.
const SEPARATOR: &str = "\x1f";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Musl,
    StaticGlibc,
    /// What cargo does by itself, where static linking is not to be had.
    Plain,
}

/// How the shipped binary is linked on this machine.
#[derive(Debug, Clone)]
pub(crate) struct Linkage {
    pub(crate) kind: Kind,
    target: String,
}

impl Linkage {
    pub(crate) fn of_host() -> Result<Self> {
        let host = host()?;
        let Some(musl) = musl_of(&host) else { return Ok(Self { kind: Kind::Plain, target: host }) };
        if is_installed(&musl)? {
            return Ok(Self { kind: Kind::Musl, target: musl });
        }
        Ok(Self { kind: Kind::StaticGlibc, target: musl.replace("-musl", "-gnu") })
    }

    /// `cargo build --release` with this linkage, short of what to build.
    pub(crate) fn cargo_build(&self) -> Command {
        self.cargo("build")
    }

    fn cargo(&self, subcommand: &str) -> Command {
        let mut command = cargo::cargo();
        command.args([subcommand, "--release"]);
        if self.kind != Kind::Plain {
            // Also keeps the flags away from procedural macros, which cannot be static.
            command.args(["--target", &self.target]);
        }
        if self.kind == Kind::StaticGlibc {
            command.env("CARGO_ENCODED_RUSTFLAGS", extended(&callers_flags(), &STATIC_FLAGS));
        }
        command
    }
}

impl fmt::Display for Linkage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = match self.kind {
            Kind::Musl => "static musl",
            Kind::StaticGlibc => "static glibc, non-PIE",
            Kind::Plain => "plain release",
        };
        write!(f, "{how} ({})", self.target)
    }
}

/// Builds the shipped binary; its path in the target folder.
pub(crate) fn build() -> Result<PathBuf> {
    let linkage = Linkage::of_host()?;
    if linkage.kind == Kind::Plain {
        return linked(&linkage, &[]);
    }
    let folder = cargo::target_dir()?;
    let (map, order) = (folder.join("engine.map"), folder.join("engine.order"));
    let first = linked(
        &linkage,
        &["link-arg=-Wl,--no-demangle".to_owned(), format!("link-arg=-Wl,-Map={}", map.display())],
    )?;
    if !order::write(&map, &order)? {
        return Ok(first);
    }
    let ordering = format!("link-arg=-Wl,--symbol-ordering-file={}", order.display());
    linked(&linkage, &[ordering, "link-arg=-Wl,--no-warn-symbol-ordering".to_owned()])
}

/// The same with its symbols, in the linker's own order.
pub(crate) fn build_with_symbols() -> Result<PathBuf> {
    linked(&Linkage::of_host()?, &["strip=none".to_owned()])
}

/// Builds the binary with options of the code generator that change nothing but the last step.
fn linked(linkage: &Linkage, options: &[String]) -> Result<PathBuf> {
    let mut build = linkage.cargo("rustc");
    build.args(["-p", "engine-cli", "--bin", "engine", cargo::MESSAGES, "--"]);
    build.args(options.iter().flat_map(|option| ["-C", option]));
    cargo::made(&mut build).with_context(|| format!("engine, {linkage}"))
}

fn host() -> Result<String> {
    let version = rustc(&["-vV"])?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc -vV names no host")?.to_owned())
}

fn musl_of(host: &str) -> Option<String> {
    let machine = host.split('-').next()?;
    let known = host.contains("-linux-") && matches!(machine, "x86_64" | "aarch64");
    known.then(|| format!("{machine}-unknown-linux-musl"))
}

fn is_installed(target: &str) -> Result<bool> {
    let folder = rustc(&["--print", "target-libdir", "--target", target])?;
    Ok(Path::new(folder.trim()).is_dir())
}

/// What rustc prints.
pub(crate) fn rustc(args: &[&str]) -> Result<String> {
    let program = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(program).args(args).output().context("cannot run rustc")?;
    if !output.status.success() {
        bail!("rustc {} failed: {}", args.join(" "), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The flags that the caller asked for, one per element. Cargo lets the encoded ones win.
fn callers_flags() -> Vec<String> {
    if let Ok(encoded) = env::var("CARGO_ENCODED_RUSTFLAGS") {
        return encoded.split(SEPARATOR).filter(|flag| !flag.is_empty()).map(str::to_owned).collect();
    }
    env::var("RUSTFLAGS").unwrap_or_default().split_whitespace().map(str::to_owned).collect()
}

fn extended(callers: &[String], ours: &[&str]) -> String {
    let all: Vec<&str> = callers.iter().map(String::as_str).chain(ours.iter().copied()).collect();
    all.join(SEPARATOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_callers_flags_come_first_and_stay() {
        let flags = extended(&["-C".into(), "target-cpu=native".into()], &STATIC_FLAGS);
        assert!(
            flags.starts_with("-C\x1ftarget-cpu=native\x1f-C\x1ftarget-feature=+crt-static"),
            "{flags:?}"
        );
        assert!(!extended(&[], &STATIC_FLAGS).starts_with('\x1f'));
    }

    #[test]
    fn only_linux_is_linked_statically() {
        let cases = [
            ("x86_64-unknown-linux-gnu", Some("x86_64-unknown-linux-musl")),
            ("aarch64-unknown-linux-gnu", Some("aarch64-unknown-linux-musl")),
            ("aarch64-apple-darwin", None),
            ("x86_64-pc-windows-msvc", None),
            ("riscv64gc-unknown-linux-gnu", None),
        ];
        for (host, expected) in cases {
            assert_eq!(musl_of(host).as_deref(), expected, "{host}");
        }
    }
}
