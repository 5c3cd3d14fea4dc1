//! What of a text is not in its lines: the mark at its start, how its lines end, whether its last one does.

use engine_text::BYTE_ORDER_MARK;

use super::taken;

#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    has_mark: bool,
    /// Nothing: no line says.
    crlf: Option<bool>,
    pub(super) is_mixed: bool,
    /// Nothing: there is no line.
    is_ended: Option<bool>,
}

impl Form {
    pub(super) fn of(text: &str) -> (Self, &str) {
        let bare = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let (all, returns) = (bare.matches('\n').count(), bare.matches("\r\n").count());
        let form = Self {
            has_mark: bare.len() < text.len(),
            crlf: (all > 0).then_some(returns == all),
            is_mixed: returns > 0 && returns < all,
            is_ended: (!bare.is_empty()).then(|| bare.ends_with('\n')),
        };
        (form, bare)
    }

    /// The text with every line ended, and all of them alike unless some version mixes them.
    pub(super) fn plain(self, bare: &str, is_mixed: bool) -> String {
        let mut text = if is_mixed { bare.to_owned() } else { bare.replace("\r\n", "\n") };
        if self.is_ended == Some(false) {
            text.push('\n');
        }
        text
    }

    pub(super) fn merged(base: Self, ours: Self, theirs: Self) -> Self {
        Self {
            has_mark: taken(Some(base.has_mark), ours.has_mark, theirs.has_mark).unwrap_or(ours.has_mark),
            crlf: taken(Some(base.crlf), ours.crlf, theirs.crlf).unwrap_or(ours.crlf.or(theirs.crlf)),
            is_mixed: false,
            is_ended: taken(Some(base.is_ended), ours.is_ended, theirs.is_ended).unwrap_or(Some(true)),
        }
    }

    pub(super) fn applied(self, text: &str, is_mixed: bool) -> String {
        let mut text = text.to_owned();
        if self.is_ended == Some(false) && text.ends_with('\n') {
            text.pop();
        }
        if self.crlf == Some(true) && !is_mixed {
            text = text.replace('\n', "\r\n");
        }
        if self.has_mark { format!("{BYTE_ORDER_MARK}{text}") } else { text }
    }
}
