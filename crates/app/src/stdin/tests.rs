use std::io::{PipeReader, Write, pipe};
use std::os::fd::AsFd;
use std::thread;

use super::*;

/// Longer than any machine needs.
const LONG: Duration = Duration::from_mins(10);

fn shown(read: Result<String, NoInput>) -> String {
    read.unwrap_or_else(|error| format!("refused: {error}"))
}

/// What is read of bytes that are written to the end.
fn piped_in(bytes: &[u8]) -> String {
    let (reader, mut writer) = pipe().unwrap();
    thread::scope(|scope| {
        scope.spawn(move || {
            // A reader that refuses what is too large does not take it all.
            let _ = writer.write_all(bytes);
        });
        let reader: PipeReader = reader;
        shown(read_from(reader.as_fd(), LONG))
    })
}

#[test]
fn everything_up_to_the_end_is_read() {
    assert_eq!(piped_in(b""), "");
    assert_eq!(piped_in("größe\n".as_bytes()), "größe\n");
    let large = "x".repeat(300 << 10);
    assert_eq!(piped_in(large.as_bytes()), large);
}

#[test]
fn what_is_no_text_or_too_large_is_refused() {
    assert_eq!(piped_in(b"caf\xe9"), "refused: the input is not UTF-8");
    assert_eq!(piped_in(&vec![b'x'; LIMIT]).len(), LIMIT, "as much as that is read");
    assert_eq!(piped_in(&vec![b'x'; LIMIT + 1]), "refused: the input is larger than 32 MB");
}

#[test]
fn a_writer_that_holds_it_open_is_not_waited_for() {
    let (reader, mut writer) = pipe().unwrap();
    let none = read_from(reader.as_fd(), Duration::from_millis(7));
    assert_eq!(shown(none), "refused: no input came within 7 ms");
    writer.write_all(b"an event").unwrap();
    // It is there already, so it is read however short the patience is.
    assert_eq!(shown(read_from(reader.as_fd(), Duration::ZERO)), "an event");
    drop(writer);
}

#[test]
fn a_command_that_does_without_takes_silence_for_nothing() {
    let of = |read| unless_silent(read).map_err(|error| error.to_string());
    assert_eq!(of(Ok("text".to_owned())), Ok(Some("text".to_owned())));
    assert_eq!(of(Ok(" \n".to_owned())), Ok(None));
    assert_eq!(of(Err(NoInput::Silent(FOR_AN_AGENT))), Ok(None));
    assert_eq!(of(Err(NoInput::Terminal)), Ok(None));
    assert_eq!(of(Err(NoInput::NotText)), Err("the input is not UTF-8".to_owned()));
    assert_eq!(
        of(Err(NoInput::TooLarge { head: String::new() })),
        Err("the input is larger than 32 MB".to_owned())
    );
    assert_eq!(
        of(Err(NoInput::Failed(Errno::IO))),
        Err("the input could not be read: Input/output error (os error 5)".to_owned())
    );
}
