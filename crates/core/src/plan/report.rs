//! What an agent's report says, by the lines between its first two `---`. Only what a gate asks for is read; whether it is so, the gate
//! looks up itself.

/// The report of a step, or of a review.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    pub status: Option<String>,
    /// Warnings that its author saw; nothing for `none`.
    pub quality: Option<String>,
    /// Why nothing was changed.
    pub no_change: Option<String>,
    /// How many findings a review has, by their weight.
    pub critical: Option<u32>,
    pub major: Option<u32>,
}

/// Ways to say that there is nothing.
const NONE: [&str; 10] =
    ["none", "no", "nothing", "no warnings", "no warning", "ok", "clean", "n/a", "0", "-"];

fn says_none(text: &str) -> bool {
    let text = text.trim_end_matches('.').to_lowercase();
    NONE.contains(&text.as_str())
}

impl Report {
    pub fn parse(text: &str) -> Self {
        let mut report = Self::default();
        let text = text.trim_start_matches('\u{feff}');
        let mut lines = text.lines().skip_while(|line| line.trim().is_empty());
        if lines.next().map(str::trim_end) != Some("---") {
            return report;
        }
        for line in lines.take_while(|line| line.trim_end() != "---") {
            let Some((key, value)) = line.split_once(':') else { continue };
            let value = value.trim().trim_matches('`');
            let said = (!value.is_empty()).then(|| value.to_owned());
            match key.trim().to_lowercase().as_str() {
                // What is there twice counts by the worse of the two.
                "status" if report.status.as_deref().is_none_or(|status| status == "done") => {
                    report.status = said.map(|status| status.to_lowercase());
                }
                "quality" => report.quality = said.filter(|said| !says_none(said)),
                "no change" | "no-change" => {
                    report.no_change = said.filter(|said| !says_none(said));
                }
                "critical" => report.critical = report.critical.max(value.parse().ok()),
                "major" => report.major = report.major.max(value.parse().ok()),
                _ => {}
            }
        }
        report
    }

    pub fn is_done(&self) -> bool {
        self.status.as_deref() == Some("done")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_report_says() {
        let said = |text: &str| Some(text.to_owned());
        let cases = [
            (
                "---\nStatus: done\nCheck: `make test`, 0\nQuality: none\n---\nText",
                Report { status: said("done"), ..Report::default() },
            ),
            (
                "\n---\r\nstatus: Error\r\nQuality: unused variable x\r\nNo change: it is there already\r\n---\r\n",
                Report {
                    status: said("error"),
                    quality: said("unused variable x"),
                    no_change: said("it is there already"),
                    ..Report::default()
                },
            ),
            (
                "---\nCritical: 1\nMajor: 2\nMinor: 0\n---\n",
                Report { critical: Some(1), major: Some(2), ..Report::default() },
            ),
            ("---\nCritical: none\n---\n", Report::default()),
            (
                "---\nCritical: 3\nCritical: 0\nStatus: error\nStatus: done\n---\n",
                Report { status: said("error"), critical: Some(3), ..Report::default() },
            ),
            ("Status: done\n", Report::default()),
            ("---\nnothing\n---\nStatus: done\n", Report::default()),
            ("", Report::default()),
        ];
        for (text, expected) in cases {
            assert_eq!(Report::parse(text), expected, "{text:?}");
        }
    }
}
