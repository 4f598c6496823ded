//! Getting keys over HTTPS.

use capgen_identity::{FetchJwks as _, HttpsJwks};
use capgen_net::{ClientTls, ServerTls};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// Asks a server that sends an answer. Returns the set, and the head of the request.
async fn get(answer: &'static str) -> (Result<Vec<u8>, String>, String) {
    let certificate = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let pem = certificate.cert.pem();
    let tls = ServerTls::from_pem(pem.as_bytes(), certificate.signing_key.serialize_pem().as_bytes()).unwrap();
    let listener = TcpListener::bind(("localhost", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut stream = tls.accept(stream).await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        stream.write_all(answer.as_bytes()).await.unwrap();
        let _ = stream.shutdown().await;
        String::from_utf8(head).unwrap()
    });
    let client = ClientTls::from_pem(pem.as_bytes()).unwrap();
    let jwks = HttpsJwks::with_tls(&format!("https://localhost:{port}/keys?set=1"), client).unwrap();
    let got = jwks.fetch().await.map_err(|error| error.to_string());
    (got, server.await.unwrap())
}

#[tokio::test]
async fn a_set_is_read_over_https() {
    let (got, head) = get("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").await;
    assert_eq!(got.unwrap(), b"{}");
    assert!(head.starts_with("GET /keys?set=1 HTTP/1.1\r\nhost: localhost:"), "{head}");
}

#[tokio::test]
async fn redirects_errors_and_large_bodies_are_refused() {
    for (answer, expected) in [
        ("HTTP/1.1 302 Found\r\nlocation: http://localhost/\r\ncontent-length: 0\r\n\r\n", "the status 302"),
        ("HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n", "the status 503"),
        ("HTTP/1.1 200 OK\r\ncontent-length: 1048577\r\n\r\n", "larger than 1 MiB"),
    ] {
        let (got, _) = get(answer).await;
        assert!(got.as_ref().is_err_and(|error| error.contains(expected)), "{got:?}");
    }
}

#[test]
fn urls_of_other_forms_are_rejected() {
    let certificate = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let tls = || ClientTls::from_pem(certificate.cert.pem().as_bytes()).unwrap();
    for url in [
        "",
        "/keys",
        "login.example.com",
        "http://login.example.com/",
        "https://a:b@login.example.com/",
        "https://a/#b",
    ] {
        assert!(HttpsJwks::with_tls(url, tls()).is_err(), "{url}");
    }
    assert!(HttpsJwks::with_tls("https://[::1]:8443/keys", tls()).is_ok());
}
