//! A text as lines with their places, and which of them stand in a code fence.

#[derive(Debug, Clone)]
pub(super) struct Lines<'a> {
    pub(super) text: &'a str,
    pub(super) all: Vec<Line<'a>>,
    /// Where a fence begins that is never closed: what comes behind it is no Markdown any more.
    pub(super) open_fence: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// Without its line end.
    pub(super) text: &'a str,
    pub(super) start: usize,
    /// Behind its line end.
    pub(super) end: usize,
    pub(super) fenced: bool,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut all = Vec::new();
        let mut start = 0;
        let mut fence: Option<Fence> = None;
        let mut opened_at = None;
        for whole in text.split_inclusive('\n') {
            let line = whole.trim_end_matches('\n').trim_end_matches('\r');
            let mark = Fence::open(line);
            let fenced = match (&fence, mark) {
                (None, None) => false,
                (None, Some(opened)) => {
                    fence = Some(opened);
                    opened_at = Some(start);
                    true
                }
                (Some(open), _) => {
                    if open.is_closed_by(line) {
                        fence = None;
                    }
                    true
                }
            };
            all.push(Line { text: line, start, end: start + whole.len(), fenced });
            start += whole.len();
        }
        Self { text, all, open_fence: opened_at.filter(|_| fence.is_some()) }
    }

    /// The line end that the text uses.
    pub(super) fn newline(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }
}

/// An open code fence: its character and how many of them.
struct Fence {
    mark: char,
    length: usize,
}

impl Fence {
    fn open(line: &str) -> Option<Self> {
        let text = line.trim_start();
        let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let length = text.chars().take_while(|c| *c == mark).count();
        // A line of ticks that ends in ticks is a code span, not a fence.
        let info = &text[length..];
        (length >= 3 && !(mark == '`' && info.contains('`'))).then_some(Self { mark, length })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let text = line.trim();
        text.chars().all(|c| c == self.mark) && text.chars().count() >= self.length
    }
}
