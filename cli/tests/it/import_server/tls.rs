//! The certificates that `https://` trusts.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::Output;
use std::sync::Arc;

use capgen_call::{Context, Handlers};
use capgen_mcp::{HttpOptions, HttpService, McpServer};
use capgen_net::{Admission, ServerTls};
use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;

use crate::common::Fleet;

/// An agent behind a proxy with TLS for `localhost`.
struct Agent {
    _agent: HttpService,
    proxy: HttpService,
    certificate: String,
    /// Dropped last.
    _runtime: Runtime,
}

impl Agent {
    fn new() -> Self {
        let signed = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let certificate = signed.cert.pem();
        let tls = ServerTls::from_pem(certificate.as_bytes(), signed.signing_key.serialize_pem().as_bytes()).unwrap();
        let tls = Arc::new(tls);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (agent, proxy) = runtime.block_on(async {
            let handlers = Handlers::new("notes").with_loose("add", async |_: Context, payload: Value| Ok(payload));
            let agent = McpServer::new(handlers).unwrap().listen(0, HttpOptions::default()).await.unwrap();
            let address = agent.address();
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let proxy = capgen_net::listen(listener, Admission::new(8), move |stream, _, _| {
                let tls = Arc::clone(&tls);
                async move {
                    let Ok(mut stream) = tls.accept(stream).await else { return };
                    let mut agent = TcpStream::connect(address).await.unwrap();
                    let _ = tokio::io::copy_bidirectional(&mut stream, &mut agent).await;
                }
            });
            (agent, proxy.unwrap())
        });
        Self { _agent: agent, proxy, certificate, _runtime: runtime }
    }

    /// Imports the agent with a file of certificates of the system, and more options.
    fn import(&self, fleet: &Fleet, roots: &str, options: &str) -> (Output, String) {
        let port = self.proxy.address().port();
        let mut command = fleet.command(&format!("import mcp {options} --http https://localhost:{port}/mcp"));
        let output = command.env("SSL_CERT_FILE", fleet.path(roots)).env_remove("SSL_CERT_DIR").output().unwrap();
        let stderr = String::from_utf8(output.stderr.clone()).unwrap();
        (output, stderr)
    }
}

#[test]
fn https_trusts_the_certificates_of_the_system_unless_there_are_others() {
    let (agent, other) = (Agent::new(), Agent::new());
    let fleet = Fleet::new(&[]);
    fleet.write("roots.pem", &agent.certificate);
    fleet.write("other.pem", &other.certificate);
    let (imported, stderr) = agent.import(&fleet, "roots.pem", "");
    assert!(imported.status.success(), "{stderr}");
    assert!(String::from_utf8(imported.stdout).unwrap().contains("  - name: add\n"));
    // Those of `--ca` replace them.
    assert!(agent.import(&fleet, "other.pem", "--ca roots.pem").0.status.success());
    for (roots, options) in [("roots.pem", "--ca other.pem"), ("other.pem", "")] {
        let (failed, stderr) = agent.import(&fleet, roots, options);
        assert_eq!(failed.status.code(), Some(1));
        assert!(stderr.contains("E0941") && stderr.contains("invalid peer certificate"), "{stderr}");
        assert!(stderr.contains("pass certificates with `--ca`"), "{stderr}");
    }
}

#[test]
fn a_system_without_certificates_is_reported() {
    let agent = Agent::new();
    let fleet = Fleet::new(&[]);
    fleet.write("empty.pem", "");
    fleet.write("roots.pem", &agent.certificate);
    for roots in ["empty.pem", "missing.pem"] {
        let (failed, stderr) = agent.import(&fleet, roots, "");
        assert_eq!(failed.status.code(), Some(1));
        let message = "the operating system has no certificates of authorities to trust";
        assert!(stderr.contains("E0941") && stderr.contains(message), "{stderr}");
        assert!(agent.import(&fleet, roots, "--ca roots.pem").0.status.success());
    }
}
