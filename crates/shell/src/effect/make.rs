//! Programs that make folders, pipes, devices and sockets. What is made takes the place of a file that is to be read there.

use super::{Effects, Word};

/// Addresses of socat that make the path behind them.
const ADDRESSES: &[&str] = &[
    "unix-listen",
    "unix-l",
    "unix-recv",
    "unix-recvfrom",
    "unix-bind",
    "pipe",
    "fifo",
    "create",
    "creat",
    "open",
    "gopen",
];

impl Effects<'_> {
    pub(super) fn make(&mut self, program: &str) {
        let options = self.options(match program {
            "touch" => &["-d", "--date", "-t", "-r", "--reference"],
            _ => &["-m", "--mode", "--context"],
        });
        // Behind the name of a device stand its kind and its numbers.
        let names = if program == "mknod" { 1 } else { options.operands.len() };
        for word in options.operands.into_iter().take(names) {
            if program == "mkdir" { self.make_folder(word) } else { self.write(word) }
        }
    }

    pub(super) fn socat(&mut self) {
        for arg in &self.run.args {
            // Two addresses may stand in one word, one for each direction.
            for address in arg.text.split("!!") {
                let (keyword, rest) = address.split_once(':').unwrap_or((address, ""));
                let (path, options) = rest.split_once(',').unwrap_or((rest, ""));
                let part = |text: &str| Word { text: text.to_owned(), ..arg.clone() };
                if ADDRESSES.contains(&keyword.to_ascii_lowercase().as_str()) {
                    self.write(&part(path));
                }
                for option in options.split(',').chain(keyword.split(',')) {
                    if let Some(path) = option.strip_prefix("link=").or(option.strip_prefix("symlink=")) {
                        self.write(&part(path));
                    }
                }
            }
        }
    }

    /// `nc -lU PATH`: a socket of the file system.
    pub(super) fn netcat(&mut self) {
        let options = self.options(&["-p", "-s", "-w", "-i", "-X", "-x", "-q", "-e", "-c"]);
        let listens = options.has(&["-l", "--listen"]) && options.has(&["-U", "--unixsock"]);
        for word in options.operands.into_iter().filter(|_| listens) {
            self.write(word);
        }
    }
}
