//! The scripted model: a Messages API server on loopback that answers from a [`Scenario`] and keeps
//! every request. One thread per connection; it stops when dropped.

use std::collections::BTreeMap;
use std::io::{self, BufReader};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::Context;
use serde_json::{Value, json};

use crate::http::{HttpRequest, HttpResponse};
use crate::stream::Hold;
use crate::{Kind, Record, Request, Scenario};

pub struct ScriptedModel {
    address: SocketAddr,
    server: Arc<Server>,
    accepting: Option<JoinHandle<()>>,
}

struct Server {
    /// One lock for both, so that the record is in the order in which turns were used up.
    state: Mutex<(Scenario, Record)>,
    vars: BTreeMap<String, String>,
    connections: Mutex<Vec<TcpStream>>,
    stopped: AtomicBool,
}

/// A connection's thread that panicked has failed its own request only.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ScriptedModel {
    /// Starts on a free port. `vars` are filled into replies: `("PROJECT", "/tmp/x")` for `${PROJECT}`.
    pub fn start(scenario: Scenario, vars: &[(&str, &str)]) -> anyhow::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no free port on loopback")?;
        let address = listener.local_addr()?;
        let server = Arc::new(Server {
            state: Mutex::new((scenario, Record::default())),
            vars: vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            connections: Mutex::default(),
            stopped: AtomicBool::new(false),
        });
        let accepting = thread::spawn({
            let server = Arc::clone(&server);
            move || server.accept(&listener)
        });
        Ok(Self { address, server, accepting: Some(accepting) })
    }

    /// For `ANTHROPIC_BASE_URL`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What was asked so far.
    pub fn record(&self) -> Record {
        lock(&self.server.state).1.clone()
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        self.server.stopped.store(true, Ordering::SeqCst);
        // Wakes the accepting thread, which then sees that it is over.
        drop(TcpStream::connect(self.address));
        if let Some(accepting) = self.accepting.take() {
            drop(accepting.join());
        }
        for connection in lock(&self.server.connections).drain(..) {
            drop(connection.shutdown(Shutdown::Both));
        }
    }
}

impl Server {
    fn accept(self: Arc<Self>, listener: &TcpListener) {
        for connection in listener.incoming() {
            if self.stopped.load(Ordering::SeqCst) {
                return;
            }
            let Ok(connection) = connection else { continue };
            let server = Arc::clone(&self);
            // The client may go away at any time: interrupted, or killed by a test.
            thread::spawn(move || drop(server.serve(connection)));
        }
    }

    fn serve(&self, mut connection: TcpStream) -> io::Result<()> {
        // Small answers must not wait for the peer's delayed acknowledgement.
        connection.set_nodelay(true)?;
        lock(&self.connections).push(connection.try_clone()?);
        let mut reader = BufReader::new(connection.try_clone()?);
        while let Some(request) = HttpRequest::read(&mut reader)? {
            let keeps_alive = request.keeps_alive();
            let response = self.respond(request);
            response.write(&mut connection)?;
            if response.closes || !keeps_alive {
                break;
            }
        }
        // The list of connections holds a second handle, so a drop alone would not close it.
        connection.shutdown(Shutdown::Both)
    }

    /// Waits until something is so, or nobody wants the answer any more.
    fn hold(&self, is_so: &Hold) {
        let is_asked = || is_so(&lock(&self.state).1.clone());
        while !is_asked() && !self.stopped.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn respond(&self, request: HttpRequest) -> HttpResponse {
        match (request.method.as_str(), request.path.as_str()) {
            ("HEAD", _) => HttpResponse { body: Vec::new(), ..HttpResponse::json(200, &Value::Null) },
            ("GET", "/v1/models") => HttpResponse::json(200, &json!({"data": [], "has_more": false})),
            ("POST", path) if path.ends_with("/messages/count_tokens") => {
                HttpResponse::json(200, &json!({"input_tokens": request.body.len() / 4 + 1}))
            }
            ("POST", path) if path.ends_with("/messages") => self.answer(request),
            ("POST", _) => HttpResponse::json(200, &json!({})),
            _ => error(404, "not_found_error", "not found"),
        }
    }

    fn answer(&self, request: HttpRequest) -> HttpResponse {
        let Ok(body) = serde_json::from_slice::<Value>(&request.body) else {
            return error(400, "invalid_request_error", "the body is not JSON");
        };
        let mut headers = request.headers;
        headers.retain(|name, _| !matches!(name.as_str(), "authorization" | "x-api-key" | "cookie"));
        let kind = Kind::of(&body, &headers);
        let mut request = Request { kind, turn: String::new(), headers, body };
        let answer = {
            let (scenario, record) = &mut *lock(&self.state);
            let (turn, answer) = scenario.answer(&request, &self.vars);
            request.turn = turn;
            record.requests.push(request.clone());
            answer
        };
        if let Some(is_so) = &answer.condition {
            self.hold(is_so);
        }
        let model = &request.body["model"];
        match &answer.error {
            Some(error) => HttpResponse::json(error.status, &error.to_json()),
            None if request.body["stream"] == true => {
                HttpResponse::event_stream(answer.to_event_stream(model))
            }
            None => HttpResponse::json(200, &answer.to_message(model)),
        }
    }
}

fn error(status: u16, kind: &str, message: &str) -> HttpResponse {
    HttpResponse::json(status, &json!({"type": "error", "error": {"type": kind, "message": message}}))
}
