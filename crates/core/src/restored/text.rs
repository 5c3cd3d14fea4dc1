//! The parts of the text, and how they are made to fit.

use super::quote::cut;

/// Of the whole text, in bytes.
pub const MOST: usize = 4096;

/// Less room than this says nothing.
const LEAST: usize = 24;
/// Room for `; 123456 more`.
const REST: usize = 16;

/// One line of the text, or several that belong together.
#[derive(Debug)]
pub(super) struct Part {
    title: String,
    items: Vec<String>,
    between: &'static str,
    /// What is left out last has the lowest.
    rank: u8,
    /// Its own limit, in bytes.
    most: usize,
}

impl Part {
    /// `Title: one; two`. What does not fit is counted.
    pub(super) fn list(title: impl Into<String>, rank: u8, most: usize, items: Vec<String>) -> Self {
        let items = items.into_iter().filter(|item| !item.is_empty()).collect();
        Self { title: format!("{}: ", title.into()), items, between: "; ", rank, most }
    }

    pub(super) fn one(title: impl Into<String>, rank: u8, most: usize, text: String) -> Self {
        Self::list(title, rank, most, vec![text])
    }

    /// Lines as they are. Whole lines are left out from the end.
    pub(super) fn lines(rank: u8, most: usize, text: &str) -> Self {
        let items = text.lines().map(str::to_owned).collect();
        Self { title: String::new(), items, between: "\n", rank, most }
    }

    fn fitted(&self, room: usize) -> Option<String> {
        let room = room.min(self.most);
        let (first, others) = self.items.split_first()?;
        if room < self.title.len() + LEAST {
            return None;
        }
        let rest = |left: usize| if left == 0 { 0 } else { REST };
        let mut text = format!("{}{}", self.title, cut(first, room - self.title.len() - rest(others.len())));
        for (index, item) in others.iter().enumerate() {
            let left = others.len() - index - 1;
            if text.len() + self.between.len() + item.len() + rest(left) > room {
                if self.between != "\n" {
                    text.push_str(&format!("; {} more", left + 1));
                }
                break;
            }
            text.push_str(self.between);
            text.push_str(item);
        }
        Some(text)
    }
}

#[derive(Debug)]
pub(super) struct Text {
    pub(super) head: String,
    pub(super) parts: Vec<Part>,
    pub(super) foot: String,
}

impl Text {
    /// Head and foot are always there and short; the parts fill the room between them by rank and stand in their own order.
    pub(super) fn render(&self) -> String {
        let (head, foot) = (cut(&self.head, MOST / 8), cut(&self.foot, MOST / 8));
        let mut room = MOST - head.len() - foot.len() - 1;
        let mut order: Vec<usize> = (0..self.parts.len()).collect();
        order.sort_by_key(|index| self.parts[*index].rank);
        let mut told: Vec<Option<String>> = vec![None; self.parts.len()];
        for index in order {
            let Some(text) = self.parts[index].fitted(room.saturating_sub(1)) else { continue };
            room -= text.len() + 1;
            told[index] = Some(text);
        }
        let lines = [head].into_iter().chain(told.into_iter().flatten()).chain([foot]);
        lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(count: usize, length: usize) -> Vec<String> {
        (0..count).map(|number| format!("{number}{}", "ä".repeat(length))).collect()
    }

    #[test]
    fn what_ranks_high_is_kept_and_the_order_stays() {
        let parts = vec![
            Part::list("Low", 9, 3000, items(40, 100)),
            Part::list("High", 0, 3000, items(40, 100)),
            Part::one("Middle", 5, 500, "m".repeat(900)),
            Part::list("None", 0, 100, vec![String::new()]),
        ];
        let text = Text { head: "head".into(), parts, foot: "foot".into() }.render();
        let titles: Vec<&str> = text.lines().map(|line| line.split(':').next().unwrap()).collect();
        assert_eq!(titles, ["head", "Low", "High", "Middle", "foot"]);
        let lengths: Vec<usize> = text.lines().map(str::len).collect();
        assert!(lengths[2] > 2700 && lengths[3] > 450 && lengths[1] < 900, "{lengths:?}");
        assert!(text.contains(" more\nHigh"), "{text}");
    }

    #[test]
    fn nothing_makes_it_longer_than_it_may_be() {
        for count in [0, 1, 3, 12, 60] {
            for length in [0, 1, 30, 400, 9000] {
                let part =
                    |rank| Part::list("Title", rank, 700 * usize::from(rank + 1), items(count, length));
                let lines = Part::lines(1, 2000, &items(count, length).join("\n"));
                let parts = (0..9).map(part).chain([lines]).collect();
                let (head, foot) = ("h".repeat(length), "f".repeat(length));
                let text = Text { head, parts, foot }.render();
                assert!(text.len() <= MOST, "{count} {length}: {}", text.len());
            }
        }
    }
}
