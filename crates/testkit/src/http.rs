//! As much HTTP/1.1 as the client speaks: requests with a length or in chunks, connections kept
//! alive, answers in one piece.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Read, Write};

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct HttpRequest {
    pub(crate) method: String,
    /// Without the query.
    pub(crate) path: String,
    /// Lower-case names.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    pub(crate) content_type: &'static str,
    pub(crate) body: Vec<u8>,
    /// An event stream ends with its connection, as the real server's may.
    pub(crate) closes: bool,
}

impl HttpRequest {
    /// The next request on a connection; `None` when the client has closed it.
    pub(crate) fn read(from: &mut impl BufRead) -> io::Result<Option<Self>> {
        let Some(first) = read_line(from)? else { return Ok(None) };
        let mut words = first.split(' ');
        let (Some(method), Some(target)) = (words.next(), words.next()) else {
            return Err(malformed("request line"));
        };
        let path = target.split('?').next().unwrap_or(target);
        let mut headers = BTreeMap::new();
        loop {
            let line = read_line(from)?.ok_or_else(|| malformed("end of headers"))?;
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(':').ok_or_else(|| malformed("header"))?;
            headers.insert(name.trim().to_lowercase(), value.trim().to_owned());
        }
        let chunked =
            headers.get("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked"));
        let body = if chunked {
            read_chunks(from)?
        } else {
            let length = headers.get("content-length").map_or(Ok(0), |length| length.parse());
            read_exactly(from, length.map_err(|_| malformed("content-length"))?)?
        };
        Ok(Some(Self { method: method.to_owned(), path: path.to_owned(), headers, body }))
    }

    pub(crate) fn keeps_alive(&self) -> bool {
        !self.headers.get("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"))
    }
}

fn malformed(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("malformed {what}"))
}

fn read_line(from: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    if from.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    Ok(Some(line.trim_end_matches(['\r', '\n']).to_owned()))
}

fn read_exactly(from: &mut impl BufRead, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn read_chunks(from: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = read_line(from)?.ok_or_else(|| malformed("chunk"))?;
        let size = line.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(size, 16).map_err(|_| malformed("chunk size"))?;
        if size == 0 {
            // Trailers may follow, up to an empty line.
            while read_line(from)?.is_some_and(|line| !line.is_empty()) {}
            return Ok(body);
        }
        from.take(size as u64).read_to_end(&mut body)?;
        read_line(from)?;
    }
}

impl HttpResponse {
    pub(crate) fn json(status: u16, value: &serde_json::Value) -> Self {
        Self { status, content_type: "application/json", body: value.to_string().into_bytes(), closes: false }
    }

    pub(crate) fn event_stream(events: String) -> Self {
        Self { status: 200, content_type: "text/event-stream", body: events.into_bytes(), closes: true }
    }

    pub(crate) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let id = crate::stream::fresh_id("req");
        let ends = if self.closes {
            "cache-control: no-cache\r\nconnection: close".to_owned()
        } else {
            format!("content-length: {}", self.body.len())
        };
        let Self { status, content_type, .. } = self;
        let head = format!(
            "HTTP/1.1 {status} Scripted\r\ncontent-type: {content_type}\r\nrequest-id: {id}\r\n{ends}\r\n\r\n"
        );
        let bytes = [head.as_bytes(), &self.body].concat();
        to.write_all(&bytes)?;
        to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(mut wire: &[u8]) -> io::Result<Vec<HttpRequest>> {
        let mut requests = Vec::new();
        while let Some(request) = HttpRequest::read(&mut wire)? {
            requests.push(request);
        }
        Ok(requests)
    }

    #[test]
    fn one_connection_carries_several_requests() {
        let wire = b"POST /v1/messages?beta=true HTTP/1.1\r\nContent-Length: 4\r\nX-App: cli\r\n\r\nbodyHEAD / HTTP/1.1\r\nConnection: close\r\n\r\n";
        let requests = read_all(wire).unwrap();
        assert_eq!(requests.len(), 2);
        assert_eq!((requests[0].method.as_str(), requests[0].path.as_str()), ("POST", "/v1/messages"));
        assert_eq!(requests[0].headers["x-app"], "cli");
        assert_eq!(requests[0].body, b"body");
        assert!(requests[0].keeps_alive());
        assert_eq!((requests[1].method.as_str(), requests[1].body.len()), ("HEAD", 0));
        assert!(!requests[1].keeps_alive());
    }

    #[test]
    fn chunks_are_joined() {
        let wire = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;name=x\r\nabc\r\nA\r\n0123456789\r\n0\r\nTrailer: y\r\n\r\nGET /next HTTP/1.1\r\n\r\n";
        let requests = read_all(wire).unwrap();
        assert_eq!(requests[0].body, b"abc0123456789");
        assert_eq!(requests[1].path, "/next");
    }

    #[test]
    fn a_broken_request_is_an_error() {
        for wire in [
            "POST\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nshort",
            "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
            "POST / HTTP/1.1\r\nno colon\r\n\r\n",
            "POST / HTTP/1.1\r\nA: b\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        ] {
            assert!(read_all(wire.as_bytes()).is_err(), "{wire:?}");
        }
    }

    #[test]
    fn a_stream_closes_and_an_answer_has_a_length() {
        let written = |response: HttpResponse| {
            let mut bytes = Vec::new();
            response.write(&mut bytes).unwrap();
            String::from_utf8(bytes).unwrap()
        };
        let answer = written(HttpResponse::json(404, &serde_json::json!({})));
        assert!(answer.starts_with("HTTP/1.1 404 ") && answer.ends_with("content-length: 2\r\n\r\n{}"));
        let stream = written(HttpResponse::event_stream("event: x\n\n".to_owned()));
        assert!(stream.ends_with("connection: close\r\n\r\nevent: x\n\n"));
    }
}
