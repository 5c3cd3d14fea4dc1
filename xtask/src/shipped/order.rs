//! The order of functions in the shipped binary: those that a hook calls come first, side by side.
//!
//! A hook runs about a thousand functions of a binary with 13 MB of code. Where the linker leaves them, almost each is on other pages,
//! and the first touch of a page costs more than the function. `hot-functions.txt` lists them, in the order in which they are called
//! first; `cargo xtask hot` writes it. A name that no longer exists is passed over, so the list may be old.
//!
//! The linker takes whole symbol names only, and these end in a hash of the compiler's. So the binary is linked twice: the map of the
//! first link tells the names.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

const HOT: &str = include_str!("../../hot-functions.txt");

/// How the map of the linker begins whose option this needs.
const LLD_MAP: &str = "VMA";

/// What stays the same of a symbol from build to build: without the compiler's hash and the optimiser's suffix.
pub(crate) fn key(symbol: &str) -> &str {
    const HASH: &str = "17h";
    const DIGITS: usize = 16;
    let name = symbol.split_once(".llvm.").map_or(symbol, |(name, _)| name);
    let Some(path) = name.strip_prefix("_ZN").and(name.strip_suffix('E')) else { return name };
    let hash = path.len().checked_sub(HASH.len() + DIGITS);
    match hash.and_then(|at| path.split_at_checked(at)) {
        Some((path, hash)) if hash.starts_with(HASH) => path,
        _ => name,
    }
}

/// Writes the file for the linker; whether there is one. Another linker's map has no names to take.
pub(super) fn write(map: &Path, order: &Path) -> Result<bool> {
    let text = fs::read(map).with_context(|| format!("cannot read {}", map.display()))?;
    let text = String::from_utf8_lossy(&text);
    if !text.trim_start().starts_with(LLD_MAP) {
        return Ok(false);
    }
    fs::write(order, ordered(&text, HOT)).with_context(|| format!("cannot write {}", order.display()))?;
    Ok(true)
}

/// The symbols of a linker's map that a list names by their keys, in the list's order.
fn ordered(map: &str, hot: &str) -> String {
    let mut symbols: HashMap<&str, Vec<&str>> = HashMap::new();
    // Address twice, size, alignment, then the name; sections and files are in the same column and hurt nobody.
    for name in map.lines().skip(1).filter_map(|line| line.split_whitespace().nth(4)) {
        symbols.entry(key(name)).or_default().push(name);
    }
    let found = hot.lines().filter_map(|key| symbols.get(key)).flatten();
    found.flat_map(|name| [name, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_the_same_in_every_build() {
        for (symbol, expected) in [
            ("_ZN10engine_app4hook5reply17h9448b56e2a273df2E", "_ZN10engine_app4hook5reply"),
            ("_ZN4core3fmt5write17h0123456789abcdefE.llvm.36439", "_ZN4core3fmt5write"),
            ("_RNvMNtCsjrHSEGnQ3l9_3std2io5Error4kind.llvm.77", "_RNvMNtCsjrHSEGnQ3l9_3std2io5Error4kind"),
            ("_ZN3a17bE", "_ZN3a17bE"),
            ("malloc", "malloc"),
            ("", ""),
        ] {
            assert_eq!(key(symbol), expected, "{symbol}");
        }
    }

    #[test]
    fn symbols_come_in_the_order_of_the_list() {
        let map = "             VMA              LMA     Size Align Out     In      Symbol\n\
                   \x20         479600           479600       1f     1                 _ZN1a1b17h0123456789abcdefE\n\
                   \x20         479700           479700       1f     1                 _ZN1a1b17hfedcba9876543210E\n\
                   \x20         479800           479800       1f     1                 malloc\n\
                   \x20         479900           479900       1f     1                 cold\n";
        let hot = "malloc\n_ZN1a1gone\n_ZN1a1b\n";
        assert_eq!(ordered(map, hot), "malloc\n_ZN1a1b17h0123456789abcdefE\n_ZN1a1b17hfedcba9876543210E\n");
    }
}
