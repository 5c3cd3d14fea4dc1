//! What `curl` and `wget` bring and send.

use super::{Effects, Given, Word};

/// Options of `curl` that take a value.
pub const CURL_VALUES: &[&str] = &[
    "-o",
    "--output",
    "--output-dir",
    "-H",
    "--header",
    "-d",
    "--data",
    "--data-ascii",
    "--data-binary",
    "--data-raw",
    "--data-urlencode",
    "--json",
    "-F",
    "--form",
    "--form-string",
    "-T",
    "--upload-file",
    "-X",
    "--request",
    "-u",
    "--user",
    "-A",
    "--user-agent",
    "-e",
    "--referer",
    "-b",
    "--cookie",
    "-c",
    "--cookie-jar",
    "-m",
    "--max-time",
    "-w",
    "--write-out",
    "-x",
    "--proxy",
    "-E",
    "--cert",
    "--key",
    "--cacert",
    "-K",
    "--config",
    "--url",
    "-r",
    "--range",
    "-C",
    "--retry",
    "--retry-delay",
    "--connect-timeout",
    "--resolve",
];

const WGET_VALUES: &[&str] = &[
    "-O",
    "--output-document",
    "-P",
    "--directory-prefix",
    "-o",
    "--output-file",
    "-a",
    "-U",
    "--user-agent",
    "--header",
    "--post-data",
    "--post-file",
    "--body-file",
    "-t",
    "--tries",
    "-T",
    "--timeout",
    "-i",
    "--input-file",
    "-e",
    "--private-key",
    "--certificate",
    "--ca-certificate",
    "--user",
    "--password",
];

impl Effects<'_> {
    pub(super) fn curl(&mut self) {
        let options = self.options(CURL_VALUES);
        for given in &options.given {
            let Some(value) = given.word() else { continue };
            let file = match given.name.as_str() {
                "-d" | "--data" | "--data-ascii" | "--data-binary" | "--json" => after(&value, "@", true),
                "--data-urlencode" => after(&value, "@", false).filter(|_| !value.text.contains('=')),
                "-F" | "--form" => after(&value, "=@", false).or_else(|| after(&value, "=<", false)),
                "-T" | "--upload-file" => Some(value.clone()),
                _ => None,
            };
            if let Some(file) = file {
                self.send(&file);
            }
        }
        if let Some(folder) = options.all(&["--output-dir"]).next_back().and_then(Given::word) {
            self.enter(&folder);
        }
        self.write_values(&options, &["-o", "--output"]);
        if options.has(&["-O", "--remote-name", "--remote-name-all"]) {
            let named = options.all(&["--url"]).filter_map(Given::word);
            let addresses: Vec<Word> =
                options.operands.iter().map(|word| (*word).clone()).chain(named).collect();
            for address in &addresses {
                self.write_named(address);
            }
        }
    }

    pub(super) fn wget(&mut self) {
        let options = self.options(WGET_VALUES);
        for file in options.all(&["--post-file", "--body-file"]).filter_map(Given::word) {
            self.send(&file);
        }
        let document = ["-O", "--output-document"];
        self.write_values(&options, &document);
        if options.has(&document) {
            return;
        }
        if let Some(folder) = options.all(&["-P", "--directory-prefix"]).next_back().and_then(Given::word) {
            self.enter(&folder);
        }
        options.operands.iter().for_each(|address| self.write_named(address));
    }

    /// A file whose text is sent. The shell leaves a tilde within a word alone; whoever writes it means the home folder.
    fn send(&mut self, file: &Word) {
        let unknown = file.unknown || file.text.starts_with("~/");
        self.read(&Word { unknown, ..file.clone() });
    }

    /// A file with the name that the address ends in.
    fn write_named(&mut self, address: &Word) {
        let text = address.text.split(['?', '#']).next().unwrap_or_default();
        let path = text.split_once("://").map_or(text, |(_, path)| path);
        if let Some((_, name)) = path.rsplit_once('/').filter(|_| !address.unknown)
            && !name.is_empty()
        {
            self.write(&Word::known(name));
        }
    }
}

/// What stands behind a mark, up to a semicolon.
fn after(value: &Word, mark: &str, first: bool) -> Option<Word> {
    let at = value.text.find(mark).filter(|at| !first || *at == 0)?;
    let text = value.text[at + mark.len()..].split(';').next()?.to_owned();
    Some(Word { text, ..value.clone() })
}
