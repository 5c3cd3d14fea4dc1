//! Whether phases and steps are numbered as they follow each other.

use super::super::outline::{Document, RawPhase, RawStep};
use super::super::read::Problems;
use super::word;

/// The numbers so far.
#[derive(Default)]
pub(super) struct Numbers {
    phase: Option<u32>,
    /// The last step of the phase.
    minor: Option<u32>,
    /// The last step that counts through all phases.
    whole: Option<u32>,
}

impl Numbers {
    pub(super) fn phase(&mut self, raw: &RawPhase, document: &Document<'_>, problems: &mut Problems) {
        let number = raw.number;
        let mut error = |text: String| problems.error(document.path, raw.at.1, text);
        match (self.phase, document.phase) {
            (_, Some(own)) if own != number => {
                error(format!("phase {number} is in the file of phase {own}: move it, or number it {own}"));
            }
            (Some(last), _) if number == last => {
                error(format!("phase {number} is there twice: give this one the next number"));
            }
            (Some(last), _) if number < last => {
                error(format!(
                    "phase {number} follows phase {last}: phases go up; move it, or number it anew"
                ));
            }
            // Files are counted by their names.
            (Some(last), None) if number > last.saturating_add(1) => {
                let text = format!("phase {number} follows phase {last}: {}", missing(last, number, ""));
                problems.warning(document.path, raw.at.1, text);
            }
            (None, None) if number > 1 => {
                error(format!("the first phase is {number}: phases start at 1, or at 0 for spikes"));
            }
            _ => {}
        }
        self.phase = Some(number);
        self.minor = None;
    }

    pub(super) fn step(
        &mut self,
        raw: &RawStep,
        phase: &RawPhase,
        document: &Document<'_>,
        problems: &mut Problems,
    ) {
        let (word, id, line) = (word(raw), raw.id, raw.at.1);
        let (number, last, prefix) = match id.minor {
            Some(minor) => {
                if id.major != phase.number {
                    let (own, other) = (phase.number, id.major);
                    let text = format!(
                        "{word} {id} is in phase {own}: number it {own}.N, or put a heading of phase {other} above it"
                    );
                    problems.error(document.path, line, text);
                    return;
                }
                (minor, self.minor.replace(minor), format!("{}.", id.major))
            }
            None => (id.major, self.whole.replace(id.major), String::new()),
        };
        match last {
            None if number != 1 => {
                let place =
                    if id.minor.is_some() { format!(" of phase {}", phase.number) } else { String::new() };
                problems.error(
                    document.path,
                    line,
                    format!("the first {word}{place} is {id}: number it {prefix}1"),
                );
            }
            Some(last) if number < last => {
                problems.error(
                    document.path,
                    line,
                    format!("{word} {id} follows {prefix}{last}: numbers go up; move it, or number it anew"),
                );
            }
            Some(last) if number > last.saturating_add(1) => {
                let text = format!("{word} {id} follows {prefix}{last}: {}", missing(last, number, &prefix));
                problems.warning(document.path, line, text);
            }
            _ => {}
        }
    }
}

/// `2 is missing`, `2 to 4 are missing`.
fn missing(last: u32, number: u32, prefix: &str) -> String {
    let (from, to) = (last + 1, number - 1);
    if from == to {
        format!("{prefix}{from} is missing")
    } else {
        format!("{prefix}{from} to {prefix}{to} are missing")
    }
}
