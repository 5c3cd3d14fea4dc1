//! A request that `curl` sends, as far as its words tell: for rules about interfaces that have no program of their own.

use super::facts::CallFacts;
use engine_shell::{CURL_VALUES, Options, Run};

/// Method, host, port and path of one address.
pub(super) struct Request<'r> {
    method: &'r str,
    pub(super) host: &'r str,
    pub(super) port: Option<&'r str>,
    /// From its first slash, without what is asked about it.
    pub(super) path: &'r str,
}

impl Request<'_> {
    pub(super) fn is(&self, method: &str) -> bool {
        self.method.eq_ignore_ascii_case(method)
    }

    /// The first run that sends such a request.
    pub(super) fn find(facts: &CallFacts, holds: impl Fn(&Request) -> bool) -> Option<usize> {
        facts.runs_anywhere().find(|(_, run)| sends(run, &holds)).map(|(index, _)| index)
    }
}

fn sends(run: &Run, holds: &dyn Fn(&Request) -> bool) -> bool {
    if !run.is(&["curl"]) {
        return false;
    }
    let options = Options::read(&run.args, CURL_VALUES, false);
    let has_body = options.given.iter().any(|given| {
        let name = given.name.as_str();
        matches!(name, "-d" | "-F" | "--form" | "--json") || name.starts_with("--data")
    });
    let method = options.value(&["-X", "--request"]).unwrap_or(if has_body { "POST" } else { "GET" });
    let named = options.all(&["--url"]).filter_map(|given| given.value.as_deref());
    let mut addresses = options.operands.iter().map(|word| word.text.as_str()).chain(named);
    addresses.any(|address| holds(&request(method, address)))
}

fn request<'r>(method: &'r str, address: &'r str) -> Request<'r> {
    let bare = address.split_once("://").map_or(address, |(_, rest)| rest);
    let (place, path) = bare.find('/').map_or((bare, ""), |at| bare.split_at(at));
    let place = place.rsplit_once('@').map_or(place, |(_, place)| place);
    let (host, port) = place.rsplit_once(':').map_or((place, None), |(host, port)| (host, Some(port)));
    let path = path.split(['?', '#']).next().unwrap_or_default();
    Request { method, host, port, path }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_host_a_port_and_a_path() {
        for (address, expected) in [
            ("http://localhost:9200/a/b?c=/d", ("localhost", Some("9200"), "/a/b")),
            ("localhost:9200", ("localhost", Some("9200"), "")),
            ("https://u:p@api.x.org/a#b", ("api.x.org", None, "/a")),
            ("x.org", ("x.org", None, "")),
            ("", ("", None, "")),
        ] {
            let Request { host, port, path, .. } = request("GET", address);
            assert_eq!((host, port, path), expected, "{address}");
        }
    }
}
