//! `capgen amp serve`, `query` and `invoke`: two processes over `amp://` and over HTTP.
#![cfg(feature = "amp-net")]

use std::io::{BufRead, BufReader, Read};
use std::process::Child;

use serde_json::{Value as Json, json};

use crate::amp::Folder;
use crate::amp::answer::{BOB_SEED, REVIEW, Served, bob};
use crate::amp::messages::{ALICE, BOB, alice_key};
use crate::common::Run;

/// A provider in a process of its own.
pub(super) struct Server {
    pub(super) served: Served,
    child: Child,
    /// The URLs at which it listens: `amp://` and `http://`.
    pub(super) urls: Vec<String>,
}

impl Server {
    pub(super) fn new(options: &str) -> Self {
        Self::of(Served::new(), options)
    }

    pub(super) fn of(served: Served, options: &str) -> Self {
        let arguments = format!(
            "amp serve --bundle bundle --me {BOB} --secret-file bob.hex --key {} --listen amp://127.0.0.1:0 --listen http://127.0.0.1:0 {options}",
            alice_key()
        );
        let seed: Vec<_> = (0..32).map(|byte| format!("{byte:02x}")).collect();
        served.0.write_secret("alice.hex", &seed.concat());
        let mut child = served.0.0.command(&arguments).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
        let urls = (0..2).map(|_| output.next().unwrap().unwrap()).collect();
        Self { served, child, urls }
    }

    /// Runs a command of Alice against one of the URLs.
    fn ask(&self, command: &str, url: &str, arguments: &[&str]) -> Run {
        let key = format!("{BOB}={}", bob().public());
        let fixed = [command, url, "--to", BOB, "--me", ALICE, "--secret-file", "alice.hex", "--key", &key];
        self.served.0.run(fixed.iter().chain(arguments))
    }

    fn invoke(&self, url: &str, params: &Json, arguments: &[&str]) -> Run {
        self.served.0.write("params.json", params.to_string());
        self.ask("invoke", url, &[&["params.json"], arguments].concat())
    }

    /// Ends the server with SIGKILL, and returns the folder.
    pub(super) fn kill(mut self) -> Served {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        std::mem::replace(&mut self.served, Served::empty())
    }

    /// Ends the server with SIGTERM, and returns its comments.
    #[cfg(unix)]
    fn end(mut self) -> String {
        let pid = self.child.id().to_string();
        assert!(std::process::Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        let status = self.child.wait().unwrap();
        let mut comments = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut comments).unwrap();
        assert_eq!(status.code(), Some(0), "{comments}");
        comments
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_query_returns_the_descriptors_of_all_pages() {
    let server = Server::new("");
    for url in &server.urls {
        let run = server.ask("query", url, &["--capability", REVIEW, "--limit", "2"]).ended(0);
        let expected = format!("{REVIEW}:2.1.0\n{REVIEW}:2.0.0\n{REVIEW}:1.9.0\n");
        assert_eq!((run.stdout, run.stderr), (expected, String::new()));
        let options = ["--type", "code-review", "--version", ">=2.0.0", "--order", "oldest-first", "--json"];
        let document = server.ask("query", url, &options).ended(0).json();
        let ids: Vec<_> = document["capabilities"].as_array().unwrap().iter().map(|found| &found["version"]).collect();
        assert_eq!(ids, ["2.0.0", "2.1.0"]);
        let run = server.ask("query", url, &["--capability", "org.agentries.other"]).ended(1);
        assert!(run.stdout.is_empty() && run.stderr.starts_with("4002 CAPABILITY_NOT_FOUND: "), "{run:?}");
    }
}

#[test]
fn an_invocation_returns_its_result() {
    let server = Server::new("--echo");
    let params = json!({"code": "fn main() {}", "numbers": [1, 2.5, -3, 0.1, 1e300, 18446744073709551615_u64]});
    for url in &server.urls {
        let id = format!("{REVIEW}:2.1.0");
        let targets: [&[&str]; 4] = [
            &["--id", &id],
            &["--capability", REVIEW, "--version", "2.0.0"],
            &["--type", "code-review", "--preferred", "2.2.0", "--acceptable", "2.1.0,2.0.0"],
            &["--capability", REVIEW, "--range", ">=2.0.0 <3.0.0"],
        ];
        for target in targets {
            assert_eq!(server.invoke(url, &params, target).ended(0).json(), params);
        }
        let document = server.invoke(url, &params, &["--id", &id, "--json"]).ended(0).json();
        assert_eq!(document, json!({"result": params}));
    }
}

#[test]
fn errors_have_their_codes() {
    let server = Server::new("--echo");
    let id = format!("{REVIEW}:2.1.0");
    for url in &server.urls {
        let cases: [(Json, &[&str], u64); 4] = [
            (json!({}), &["--id", &id], 4004),
            (json!({"code": ""}), &["--capability", REVIEW, "--range", ">=3.0.0"], 4003),
            (json!({"code": ""}), &["--id", "org.agentries.other:1.0.0"], 4002),
            (json!({"code": "", "lines": 10}), &["--id", &id], 5001),
        ];
        for (params, target, code) in cases {
            let run = server.invoke(url, &params, &[target, &["--json"]].concat()).ended(1);
            assert_eq!(run.json()["error"]["code"], json!(code), "{run:?}");
            let run = server.invoke(url, &params, target).ended(1);
            assert!(run.stdout.is_empty() && run.stderr.starts_with(&code.to_string()), "{run:?}");
        }
    }
}

#[test]
fn the_violations_of_an_invocation_are_shown() {
    let server = Server::new("--echo");
    let id = format!("{REVIEW}:2.1.0");
    let params = json!({"code": 7, "lines": "many"});
    for url in &server.urls {
        let run = server.invoke(url, &params, &["--id", &id]).ended(1);
        let expected = concat!(
            "4004 SCHEMA_VIOLATION: `params` violates the input schema\n",
            "  /code: expected string, got integer (type)\n",
            "  /lines: expected integer, got string (type)\n",
        );
        assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", expected));
        let error = server.invoke(url, &params, &["--id", &id, "--json"]).ended(1).json()["error"].clone();
        let paths: Vec<_> = error["details"]["violations"].as_array().unwrap().iter().map(|it| &it["path"]).collect();
        assert_eq!(paths, ["/code", "/lines"], "{error}");
        // An error without details has no such key.
        let error = server.invoke(url, &params, &["--id", "a.b.c:1.0.0", "--json"]).ended(1).json()["error"].clone();
        assert_eq!(error.as_object().unwrap().keys().collect::<Vec<_>>(), ["code", "message"]);
    }
}

#[test]
fn a_result_is_printed_as_it_is() {
    let server = Server::new("--echo");
    let params = json!({"code": "x", "$ref": "#/a", "b": {"$hex": "00"}});
    let run = server.invoke(&server.urls[0], &params, &["--id", &format!("{REVIEW}:2.1.0")]).ended(0);
    assert_eq!(run.json(), params);
}

#[test]
fn a_requester_without_a_known_key_is_rejected() {
    let server = Server::new("--echo");
    server.served.0.write_secret("alice.hex", BOB_SEED);
    for url in &server.urls {
        let run = server.ask("query", url, &["--capability", REVIEW, "--timeout", "5000"]).ended(1);
        assert!(run.stderr.contains("1002"), "{run:?}");
    }
}

#[test]
fn an_answer_of_another_agent_is_ignored() {
    let server = Server::new("");
    let other = format!("{BOB}={}", capgen_amp::message::SigningKey::from_seed(&[9; 32]).public());
    for url in &server.urls {
        let fixed = [
            "query",
            url,
            "--to",
            BOB,
            "--me",
            ALICE,
            "--secret-file",
            "alice.hex",
            "--timeout",
            "500",
            "--key",
            &other,
        ];
        let run = server.served.0.run(fixed.iter().chain(&["--capability", REVIEW])).ended(1);
        assert!(run.stdout.is_empty() && run.stderr.contains("ignored an answer: 1002 INVALID_SIGNATURE: "), "{run:?}");
    }
}

#[test]
fn a_bundle_that_cannot_be_used_is_5002() {
    let served = Served::new();
    std::fs::remove_dir_all(served.0.path("bundle/artifacts")).unwrap();
    let server = Server::of(served, "");
    let run = server.ask("query", &server.urls[0], &["--capability", REVIEW]).ended(1);
    assert!(run.stderr.starts_with("5002 UNAVAILABLE: "), "{run:?}");
}

#[test]
#[cfg(unix)]
fn a_signal_ends_the_server_gracefully() {
    let server = Server::new("--echo");
    let url = server.urls[0].clone();
    server.ask("query", &url, &["--capability", REVIEW]).ended(0);
    assert_eq!(server.end(), "waiting for running invocations\n");
}

#[test]
fn a_provider_that_cannot_be_reached_is_an_error() {
    let folder = Folder::new();
    folder.write_secret("alice.hex", BOB_SEED);
    for url in ["amp://127.0.0.1:1", "http://127.0.0.1:1"] {
        let arguments =
            ["query", url, "--to", BOB, "--me", ALICE, "--secret-file", "alice.hex", "--capability", REVIEW];
        let run = folder.run(arguments).ended(1);
        assert!(run.stdout.is_empty() && run.stderr.starts_with("not connected: "), "{run:?}");
    }
}

#[test]
fn params_that_are_not_json_are_not_sent() {
    let folder = Folder::new();
    folder.write_secret("alice.hex", BOB_SEED);
    for (params, reason) in [("{", "error[E0501]"), ("12345678901234567890123", "error[E0676]")] {
        folder.write("params.json", params);
        let arguments = ["invoke", "amp://127.0.0.1:1", "--to", BOB, "--me", ALICE, "--secret-file", "alice.hex"];
        let run = folder.run(arguments.iter().chain(&["--id", "a.b.c:1.0.0", "params.json"])).ended(1);
        assert!(run.stdout.is_empty() && run.stderr.contains(reason), "{params}: {run:?}");
    }
}

#[test]
fn incorrect_usage_exits_with_2() {
    let folder = Folder::new();
    folder.write_secret("bob.hex", BOB_SEED);
    let requester = ["--to", BOB, "--me", ALICE, "--secret-file", "bob.hex"];
    let invoke = |options: &[&'static str]| [&["invoke", "amp://127.0.0.1:1", "params.json"], options].concat();
    let cases: Vec<Vec<&str>> = vec![
        vec!["query", "amp://127.0.0.1:1"],
        vec!["query", "ftp://127.0.0.1:1", "--capability", REVIEW],
        vec!["query", "amp://127.0.0.1", "--capability", REVIEW],
        vec!["query", "amps://127.0.0.1:1", "--capability", REVIEW],
        vec!["query", "amp://127.0.0.1:1", "--capability", "review"],
        vec!["query", "amp://127.0.0.1:1", "--capability", REVIEW, "--limit", "0"],
        vec!["query", "amp://127.0.0.1:1", "--capability", REVIEW, "--version", "^1"],
        invoke(&[]),
        invoke(&["--id", "a.b.c"]),
        invoke(&["--id", "a.b.c:1.0.0", "--range", "1.0.0"]),
        invoke(&["--type", "x", "--version", "1.0.0", "--preferred", "1.0.0"]),
    ];
    for arguments in cases {
        let run = folder.run(arguments.iter().chain(&requester)).ended(2);
        assert!(run.stdout.is_empty() && !run.stderr.is_empty(), "{run:?}");
    }
    let serve = ["serve", "--bundle", "b", "--me", BOB, "--secret-file", "bob.hex"];
    for listen in [&[][..], &["--listen", "127.0.0.1:0"], &["--listen", "amps://127.0.0.1:0"]] {
        folder.run(serve.iter().chain(listen)).ended(2);
    }
    folder.run(serve.iter().chain(&["--listen", "amp://nowhere.invalid:0"])).ended(1);
}

/// A provider that answers every query with a page that has the same cursor.
fn endless_provider() -> String {
    use std::io::Write;

    use capgen_amp::cbor::{Limits, Map, Value};
    use capgen_amp::message::{MessageId, MessageType, Recipients, decode_message};

    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let reference: Map = [("uri", Value::from("x")), ("hash_alg", "sha-256".into()), ("hash", vec![0_u8; 32].into())]
        .into_iter()
        .collect();
    let descriptor: Map = [
        ("id", Value::from(format!("{REVIEW}:1.0.0"))),
        ("name", REVIEW.into()),
        ("version", "1.0.0".into()),
        ("input_schema", reference.clone().into()),
        ("output_schema", reference.into()),
    ]
    .into_iter()
    .collect();
    let body: Map = [("capabilities", Value::from(vec![Value::from(descriptor)])), ("cursor", "again".into())]
        .into_iter()
        .collect();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.unwrap());
            let mut length = 0;
            loop {
                let mut line = String::new();
                stream.read_line(&mut line).unwrap();
                if line.trim().is_empty() {
                    break;
                }
                if let Some((_, value)) = line.to_ascii_lowercase().split_once("content-length:") {
                    length = value.trim().parse().unwrap();
                }
            }
            let mut request = vec![0; length];
            stream.read_exact(&mut request).unwrap();
            let mut message = decode_message(&request, &Limits::default()).unwrap().into_unchecked();
            message.reply_to = Some(message.id);
            message.id = MessageId::new(message.ts, [7; 8]);
            message.kind = MessageType::CapDeclare;
            message.to = Recipients::One(std::mem::replace(&mut message.from, BOB.parse().unwrap()));
            message.body = body.clone().into();
            let answer = message.sign(&bob());
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: application/cbor\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
                answer.len()
            );
            stream.get_mut().write_all(&[head.as_bytes(), &answer].concat()).unwrap();
        }
    });
    url
}

#[test]
fn a_provider_with_endless_pages_or_another_capability_is_reported() {
    let (server, url) = (Server::new(""), endless_provider());
    let run = server.ask("query", &url, &["--capability", REVIEW, "--json"]).ended(1);
    let error = &run.json()["error"];
    assert_eq!(error["code"], json!(4001), "{run:?}");
    assert!(error["message"].as_str().unwrap().contains("cursor"), "{run:?}");
    let run = server.ask("query", &url, &["--capability", "org.example.other"]).ended(1);
    assert!(run.stderr.contains("4001") && run.stderr.contains("another capability"), "{run:?}");
}

#[test]
fn an_address_without_a_valid_port_is_incorrect_usage() {
    let served = Served::new();
    for address in [
        "amp://127.0.0.1",
        "amp://127.0.0.1:70000",
        "http://127.0.0.1:0/x",
        "amp://:0",
        "tcp://127.0.0.1:0",
        "amp://a@b:0",
    ] {
        let arguments = ["serve", "--bundle", "bundle", "--me", BOB, "--secret-file", "bob.hex", "--listen", address];
        let run = served.0.run(arguments).ended(2);
        assert!(run.stderr.contains("HOST:PORT"), "{address}: {run:?}");
    }
}

#[test]
fn a_server_ends_connections_without_a_signature_and_beyond_the_share_of_an_address() {
    let server = Server::new("--proof-timeout 500 --max-per-address 1 --max-connections 10 --max-memory 8");
    for url in &server.urls {
        let address = url.split_once("://").unwrap().1;
        let connect = || {
            let stream = std::net::TcpStream::connect(address).unwrap();
            stream.set_read_timeout(Some(std::time::Duration::from_secs(60))).unwrap();
            stream
        };
        let (mut first, mut second) = (connect(), connect());
        let mut byte = [0];
        assert!(!matches!(second.read(&mut byte), Ok(1)), "{url}: the second connection is refused");
        let ended = first.read_to_end(&mut Vec::new());
        assert!(!ended.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock), "{url}: the first stays");
    }
    let proxied = Server::new("--max-per-address 1 --proxy 127.0.0.1");
    let address = proxied.urls[0].split_once("://").unwrap().1;
    let _other = std::net::TcpStream::connect(address).unwrap();
    let run = proxied.ask("query", &proxied.urls[0], &["--type", "code-review"]);
    run.ended(0);
}

#[test]
fn limits_that_no_server_has_are_wrong_usage() {
    let served = Served::new();
    let start =
        ["serve", "--bundle", "bundle", "--me", BOB, "--secret-file", "bob.hex", "--listen", "amp://127.0.0.1:0"];
    for options in [
        &["--max-connections", "0"][..],
        &["--max-per-address", "0"],
        &["--max-memory", "99999999999"],
        &["--proxy", "127.0.0.1"],
        &["--max-per-address", "1", "--proxy", "proxy.example.com"],
    ] {
        let run = served.0.run(start.iter().chain(options)).ended(2);
        assert!(run.stderr.contains(options[options.len() - 2]), "{run:?}");
    }
}
