//! Reads single files out of a Python wheel, which is a ZIP archive.
//!
//! Only what a wheel needs: stored and deflated files, found through the list at the archive's end. Nothing is unpacked to
//! disk, so no name in the archive can lead anywhere. A checksum is not compared: what is taken from a wheel has a known
//! SHA-256, and the caller compares that.

use std::ops::Range;

use miniz_oxide::inflate;

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum WheelError {
    #[error("it is not a wheel: no list of files is at its end")]
    NotAWheel,
    #[error("the wheel is damaged: {0}")]
    Damaged(&'static str),
    #[error("the wheel holds {0} in a way that is not supported")]
    Unsupported(String),
    #[error("{name} in the wheel has {size} bytes, more than the {most} that are read")]
    TooLarge { name: String, size: u64, most: usize },
}

/// The bytes of a wheel with its list of files.
pub struct Wheel<'b> {
    bytes: &'b [u8],
    files: Vec<Entry>,
}

struct Entry {
    name: String,
    method: u16,
    packed: u32,
    size: u32,
    header: u32,
}

const END: u32 = 0x0605_4b50;
const LISTED: u32 = 0x0201_4b50;
const LOCAL: u32 = 0x0403_4b50;
/// The record at the end without the comment that may follow it.
const END_SIZE: usize = 22;
const LISTED_SIZE: usize = 46;
const LOCAL_SIZE: usize = 30;

impl<'b> Wheel<'b> {
    pub fn open(bytes: &'b [u8]) -> Result<Self, WheelError> {
        let end = end_of(bytes).ok_or(WheelError::NotAWheel)?;
        let damaged = WheelError::Damaged("its list of files is cut off");
        let read = || {
            let many = u16_at(bytes, end + 10)?;
            let mut at = usize::try_from(u32_at(bytes, end + 16)?).ok()?;
            let mut files = Vec::with_capacity(usize::from(many));
            for _ in 0..many {
                if u32_at(bytes, at)? != LISTED {
                    return None;
                }
                let lengths = [u16_at(bytes, at + 28)?, u16_at(bytes, at + 30)?, u16_at(bytes, at + 32)?]
                    .map(usize::from);
                let name = bytes.get(at + LISTED_SIZE..at + LISTED_SIZE + lengths[0])?;
                files.push(Entry {
                    name: String::from_utf8_lossy(name).into_owned(),
                    method: u16_at(bytes, at + 10)?,
                    packed: u32_at(bytes, at + 20)?,
                    size: u32_at(bytes, at + 24)?,
                    header: u32_at(bytes, at + 42)?,
                });
                at += LISTED_SIZE + lengths.iter().sum::<usize>();
            }
            Some(files)
        };
        Ok(Self { bytes, files: read().ok_or(damaged)? })
    }

    /// The names of all files.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|entry| entry.name.as_str())
    }

    /// The content of a file, or `None` if the wheel has no file of that name. At most `most` bytes are read.
    pub fn read(&self, name: &str, most: usize) -> Result<Option<Vec<u8>>, WheelError> {
        let Some(entry) = self.files.iter().find(|entry| entry.name == name) else { return Ok(None) };
        let size = usize::try_from(entry.size).unwrap_or(usize::MAX);
        if size > most {
            return Err(WheelError::TooLarge { name: name.to_owned(), size: u64::from(entry.size), most });
        }
        let packed = self.packed(entry).ok_or(WheelError::Damaged("a file in it is cut off"))?;
        let content = match entry.method {
            0 => packed.to_vec(),
            8 => inflate::decompress_to_vec_with_limit(packed, size)
                .map_err(|_| WheelError::Damaged("a file in it cannot be unpacked"))?,
            _ => return Err(WheelError::Unsupported(name.to_owned())),
        };
        if content.len() != size {
            return Err(WheelError::Damaged("a file in it has another size than its list says"));
        }
        Ok(Some(content))
    }

    /// The bytes of a file as they are in the archive.
    fn packed(&self, entry: &Entry) -> Option<&'b [u8]> {
        let header = usize::try_from(entry.header).ok()?;
        if u32_at(self.bytes, header)? != LOCAL {
            return None;
        }
        let names = [u16_at(self.bytes, header + 26)?, u16_at(self.bytes, header + 28)?];
        let start = header + LOCAL_SIZE + names.into_iter().map(usize::from).sum::<usize>();
        let packed: Range<usize> = start..start.checked_add(usize::try_from(entry.packed).ok()?)?;
        self.bytes.get(packed)
    }
}

/// Where the record at the end begins. A comment of up to 64 KB may follow it.
fn end_of(bytes: &[u8]) -> Option<usize> {
    let last = bytes.len().checked_sub(END_SIZE)?;
    let first = last.saturating_sub(usize::from(u16::MAX));
    (first..=last).rev().find(|&at| {
        u32_at(bytes, at) == Some(END)
            && u16_at(bytes, at + 20).map(usize::from) == Some(bytes.len() - at - END_SIZE)
    })
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An archive of one file `name` whose bytes are `packed` by `method`.
    fn archive(name: &str, method: u16, packed: &[u8], size: usize) -> Vec<u8> {
        let length = u16::try_from(name.len()).unwrap().to_le_bytes();
        let sizes = [packed.len(), size].map(|size| u32::try_from(size).unwrap().to_le_bytes()).concat();
        let mut bytes = Vec::new();
        bytes.extend(LOCAL.to_le_bytes());
        bytes.extend([20, 0, 0, 0]);
        bytes.extend(method.to_le_bytes());
        bytes.extend([0; 8]);
        bytes.extend(&sizes);
        bytes.extend(length);
        bytes.extend([0, 0]);
        bytes.extend(name.as_bytes());
        bytes.extend(packed);
        let list = u32::try_from(bytes.len()).unwrap();
        bytes.extend(LISTED.to_le_bytes());
        bytes.extend([20, 0, 20, 0, 0, 0]);
        bytes.extend(method.to_le_bytes());
        bytes.extend([0; 8]);
        bytes.extend(&sizes);
        bytes.extend(length);
        bytes.extend([0; 16]);
        bytes.extend(name.as_bytes());
        let listed = u32::try_from(bytes.len()).unwrap() - list;
        bytes.extend(END.to_le_bytes());
        bytes.extend([0, 0, 0, 0, 1, 0, 1, 0]);
        bytes.extend(listed.to_le_bytes());
        bytes.extend(list.to_le_bytes());
        bytes.extend([0, 0]);
        bytes
    }

    fn read(bytes: &[u8], name: &str, most: usize) -> Result<Option<String>, WheelError> {
        let content = Wheel::open(bytes)?.read(name, most)?;
        Ok(content.map(|content| String::from_utf8_lossy(&content).into_owned()))
    }

    #[test]
    fn a_file_is_read() {
        let deflated = miniz_oxide::deflate::compress_to_vec(b"of the data", 6);
        assert_eq!(
            read(&archive("a/NOTICE", 0, b"of the data", 11), "a/NOTICE", 99),
            Ok(Some("of the data".to_owned()))
        );
        assert_eq!(
            read(&archive("a/NOTICE", 8, &deflated, 11), "a/NOTICE", 99),
            Ok(Some("of the data".to_owned()))
        );
        assert_eq!(read(&archive("a/NOTICE", 0, b"", 0), "a/LICENSE", 99), Ok(None));
        let bytes = archive("a/NOTICE", 0, b"", 0);
        assert_eq!(Wheel::open(&bytes).unwrap().names().collect::<Vec<_>>(), ["a/NOTICE"]);
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        let deflated = miniz_oxide::deflate::compress_to_vec(b"of the data", 6);
        let cases = [
            (read(b"", "a", 99), "it is not a wheel: no list of files is at its end"),
            (read(&[7; 4000], "a", 99), "it is not a wheel: no list of files is at its end"),
            (
                read(&archive("a", 8, &deflated, 12), "a", 99),
                "the wheel is damaged: a file in it has another size than its list says",
            ),
            (
                read(&archive("a", 8, &deflated, 5), "a", 99),
                "the wheel is damaged: a file in it cannot be unpacked",
            ),
            (
                read(&archive("a", 8, b"\xff\xff", 5), "a", 99),
                "the wheel is damaged: a file in it cannot be unpacked",
            ),
            (read(&archive("a", 12, b"x", 1), "a", 99), "the wheel holds a in a way that is not supported"),
            (
                read(&archive("a", 0, b"of the data", 11), "a", 10),
                "a in the wheel has 11 bytes, more than the 10 that are read",
            ),
        ];
        for (result, expected) in cases {
            assert_eq!(result.unwrap_err().to_string(), expected);
        }
    }

    /// Every cut and every changed byte gives a result: no panic, no read outside the archive.
    #[test]
    fn a_damaged_archive_never_panics() {
        let good = archive("a/b", 8, &miniz_oxide::deflate::compress_to_vec(b"of the data", 6), 11);
        for cut in 0..good.len() {
            let _ = read(&good[..cut], "a/b", 99);
        }
        for place in 0..good.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut bytes = good.clone();
                bytes[place] = value;
                let _ = read(&bytes, "a/b", 99);
            }
        }
    }
}
