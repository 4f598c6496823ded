//! The package `@capgen/nats` for npm connects generated clients and servers.

use std::path::Path;

use capgen_testkit::brokers::NatsServer;
use capgen_testkit::node::{command, printed};
use capgen_tests::{folder, node};

use crate::node_script::write_module;
use crate::typescript_calls::shop;

/// Users with all rights, and without the right to some subscriptions.
const USERS: &str = r#"
authorization { users = [
    { user: all, password: secret },
    { user: limited, password: secret, permissions: { subscribe: { deny: ["denied", "*.control", "_OTHER.>"] } } }
] }
"#;

#[test]
fn generated_clients_and_servers_call_each_other_over_nats() {
    if node::require_or_skip().unwrap().is_none() {
        return;
    }
    let Some(broker) = NatsServer::start_with(USERS) else { return };
    let module = write_module(&shop(), &Path::new(env!("CARGO_TARGET_TMPDIR")).join("nats-package"));
    let script = folder().join("node/nats.mjs");
    let printed = printed(command().arg(script).arg(module).arg(broker.url()));
    assert_eq!(printed, "12 tests\n");
}
