//! The one place that prints: data to stdout, talk to stderr, colour only where a person looks.

use std::io::{self, ErrorKind, Write};
use std::path::Path;

use anstyle::{AnsiColor, Style};
use engine_core::file_link::Protocol;
use engine_text::decode::to_base64;
use engine_text::undecoded::shown;
use serde::Serialize;

/// What a word means, which decides its colour. The word itself always says it too.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Tone {
    Good,
    Bad,
    Careful,
    Quiet,
    Strong,
}

/// The printer of one command.
pub(crate) struct Ui {
    json: bool,
}

impl Ui {
    pub(crate) fn new(json: bool) -> Self {
        Self { json }
    }

    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// A line of data.
    pub(crate) fn line(&self, text: impl AsRef<str>) {
        self.text(&format!("{}\n", text.as_ref()));
    }

    /// Text of data as it is.
    pub(crate) fn text(&self, text: &str) {
        let mut out = anstream::stdout().lock();
        self.written(out.write_all(shown(text).as_bytes()).and_then(|()| out.flush()));
    }

    /// What another program printed, as it is. That its reader has gone changes nothing for whoever waits for its exit status.
    pub(crate) fn passed_on(&self, bytes: &[u8]) {
        let mut out = std::io::stdout().lock();
        match out.write_all(bytes).and_then(|()| out.flush()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
            written => self.written(written),
        }
    }

    /// A line with its colours, for a reader that is no terminal and shows them all the same.
    pub(crate) fn coloured_line(&self, text: &str) {
        let mut out = std::io::stdout().lock();
        self.written(writeln!(out, "{}", shown(text)).and_then(|()| out.flush()));
    }

    /// Ends the program where data was lost. When its reader has gone (`| head`), there is nothing left to do.
    fn written(&self, written: io::Result<()>) {
        match written {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
            Err(error) => {
                self.talk(format!("{} stdout was not written: {error}", toned(Tone::Bad, "engine:")));
                std::process::exit(1);
            }
        }
    }

    /// A line for the person beside the data.
    pub(crate) fn talk(&self, text: impl AsRef<str>) {
        let _ = writeln!(anstream::stderr().lock(), "{}", shown(text.as_ref()));
    }

    /// The same for several.
    pub(crate) fn talk_all(&self, lines: &[String]) {
        for line in lines {
            self.talk(line);
        }
    }

    /// Hands a text to the clipboard of the terminal, by OSC 52. A terminal that does not know it ignores it.
    pub(crate) fn clipboard(&self, text: &str) {
        let _ = write!(io::stderr().lock(), "\x1b]52;c;{}\x07", to_base64(text));
    }

    /// One JSON object on one line.
    pub(crate) fn object(&self, value: &impl Serialize) {
        self.line(serde_json::to_string(value).unwrap_or_default());
    }
}

/// A text that leads to a file or folder, where a person looks at stdout.
pub(crate) fn linked(text: &str, path: &Path, protocol: Protocol) -> String {
    linked_at(text, path, None, protocol)
}

/// The same to a line of it.
pub(crate) fn linked_at(text: &str, path: &Path, line: Option<u64>, protocol: Protocol) -> String {
    let is_shown = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
    if is_shown && path.is_absolute() {
        protocol.linked_at(text, &path.to_string_lossy(), line)
    } else {
        text.to_owned()
    }
}

/// A word in the colour of its meaning; the printer takes the colour out where it does not belong.
pub(crate) fn toned(tone: Tone, text: &str) -> String {
    let style = match tone {
        Tone::Good => AnsiColor::Green.on_default(),
        Tone::Bad => AnsiColor::Red.on_default().bold(),
        Tone::Careful => AnsiColor::Yellow.on_default(),
        Tone::Quiet => Style::new().dimmed(),
        Tone::Strong => Style::new().bold(),
    };
    format!("{style}{text}{style:#}")
}
