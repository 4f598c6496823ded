//! TLS with a certificate of a private authority.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::common;
use crate::common::{message, next, text};
use capgen_call::{Health, SubscribeOptions, Transport as _, TransportError};
use capgen_nats::{NatsOptions, NatsTransport};
use capgen_testkit::brokers::NatsServer;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tempfile::TempDir;

/// A folder with `ca.pem`, and with `cert.pem` and `key.pem` for the server.
fn certificates() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
    let certificate = CertificateParams::new(names).unwrap().signed_by(&key, &authority).unwrap();
    for (name, content) in
        [("ca.pem", authority.pem()), ("cert.pem", certificate.pem()), ("key.pem", key.serialize_pem())]
    {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

const TLS: &str = "tls { cert_file: \"{dir}/cert.pem\", key_file: \"{dir}/key.pem\" }";

#[tokio::test]
async fn connections_use_tls_and_check_the_certificate() {
    let Some(mut server) = NatsServer::start_in(certificates(), TLS) else { return };
    let ca = server.folder().join("ca.pem");
    let port = server.port();
    for address in [server.url(), format!("tls://localhost:{port}"), format!("localhost:{port}")] {
        let options = NatsOptions::new([address]).require_tls(true).ca_file(&ca);
        let transport = NatsTransport::connect(options).await.unwrap();
        let mut subscription = transport.subscribe("a", SubscribeOptions::default()).await.unwrap();
        transport.publish(message("a", "secret")).await.unwrap();
        assert_eq!(text(&next(&mut subscription).await), "secret");
    }
    // An authority that is not trusted, and a file that does not exist.
    let other = certificates();
    for ca in [other.path().join("ca.pem"), other.path().join("missing.pem")] {
        let refused = NatsTransport::connect(NatsOptions::new([server.url()]).ca_file(&ca)).await.map(drop);
        assert!(matches!(refused, Err(TransportError::Refused(_))), "{refused:?}");
    }
    // The connection is encrypted again after a restart.
    let options = NatsOptions::new([server.url()]).require_tls(true).ca_file(&ca);
    let transport = NatsTransport::connect(options).await.unwrap();
    server.kill();
    common::wait_for(&transport, Health::Reconnecting).await;
    server.restart();
    common::wait_for(&transport, Health::Connected).await;
}

#[tokio::test]
async fn a_connection_that_requires_tls_is_not_made_without() {
    let Some(server) = NatsServer::start() else { return };
    let refused = NatsTransport::connect(NatsOptions::new([server.url()]).require_tls(true)).await.map(drop);
    assert!(refused.is_err(), "{refused:?}");
    let address = format!("tls://127.0.0.1:{}", server.port());
    let refused = NatsTransport::connect(NatsOptions::new([address])).await.map(drop);
    assert!(refused.is_err(), "{refused:?}");
}
