//! Small pieces of sentences that several messages share.

/// `1 event`, `2 events`.
pub fn counted(count: impl Into<u64>, word: &str) -> String {
    let count = count.into();
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}
