//! Settings from the environment.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::ffi::OsString;
use std::process::Command;

use capgen_call::{
    Assume, CapabilityContract, Client, ClientBuilder, Handlers, Manifest, MemoryBroker, PeerTable, Server,
    ServerBuilder, Settings, Skew, Status, TransportSettings,
};
use capgen_schema::Schema;
use serde_json::json;

/// The settings of an environment with these variables only.
fn settings(variables: &[(&str, &str)]) -> Settings {
    let value = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into());
    Settings::from_variables(value).unwrap()
}

#[test]
fn variables_that_are_not_set_give_no_setting() {
    assert_eq!(settings(&[]), Settings::default());
    let all = settings(&[("CAPGEN_SKEW", "refuse"), ("CAPGEN_ASSUME", "capgen-peer")]);
    assert_eq!((all.skew, all.assume), (Some(Skew::Refuse), Some(Assume::CapgenPeer)));
}

#[test]
fn all_invalid_variables_are_reported_without_their_values() {
    let error = Settings::from_variables(|_| Some(OsString::from("s3cret"))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the environment variable `CAPGEN_SKEW` has an unknown value: set it to one of `serve`, `refuse`, `strict`, or \
         remove it; the environment variable `CAPGEN_ASSUME` has an unknown value: set it to one of `any-peer`, \
         `capgen-peer`, or remove it"
    );
    assert!(!format!("{error:?}").contains("s3cret"));
    let empty = Settings::from_variables(|name| (name == "CAPGEN_SKEW").then(OsString::new)).unwrap_err();
    assert_eq!(
        empty.all().iter().map(|one| (one.variable, one.problem)).collect::<Vec<_>>(),
        [("CAPGEN_SKEW", "is empty")]
    );
    // Names are compared as they are written.
    assert!(Settings::from_variables(|name| (name == "CAPGEN_SKEW").then(|| "Strict".into())).is_err());
}

/// Set in the process that a test starts: the setting that it must find.
const EXPECTED: &str = "CAPGEN_TEST_EXPECTED_SKEW";

#[test]
fn the_variables_are_those_of_the_process() {
    if let Ok(expected) = std::env::var(EXPECTED) {
        let found = Settings::from_env().map(|settings| settings.skew.map_or("none", Skew::name));
        assert_eq!(found.unwrap_or("invalid"), expected);
        return;
    }
    for (value, expected) in [(None, "none"), (Some("strict"), "strict"), (Some("x"), "invalid")] {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "settings::the_variables_are_those_of_the_process"]).env(EXPECTED, expected);
        child.env_remove("CAPGEN_SKEW").env_remove("CAPGEN_ASSUME").envs(value.map(|value| ("CAPGEN_SKEW", value)));
        let output = child.output().unwrap();
        assert!(output.status.success(), "{expected}: {output:?}");
    }
}

fn contract(version: &str, input: &str) -> CapabilityContract {
    let input = Some(Schema::parse_text(input).unwrap());
    CapabilityContract { version: Some(version.parse().unwrap()), input, ..CapabilityContract::new("search") }
}

/// Whether a provider serves a valid request of a caller whose other requests it may refuse.
async fn is_served(
    server: impl FnOnce(ServerBuilder) -> ServerBuilder,
    client: impl FnOnce(ClientBuilder) -> ClientBuilder,
) -> bool {
    let broker = MemoryBroker::new();
    let provider = contract("2.0.0", r#"{"type": "string", "minLength": 1}"#);
    let handlers = Handlers::new("index").with_json(&provider, async |_, payload| Ok(payload));
    let built = Server::builder(handlers).listen(broker.connect(), "index.requests");
    let _server = server(built).start().await.unwrap();
    let manifest = Manifest::new(
        "index".parse().unwrap(),
        vec![TransportSettings::memory("index.requests")],
        vec![contract("1.0.0", r#"{"type": "string"}"#)],
    );
    let peers = PeerTable::new().with_manifest(&manifest);
    let built = Client::builder("desk").transport(broker.connect()).peers(peers).try_other_instances(false);
    let client = client(built).build().await.unwrap();
    let result = client.call_json("index", "search", &json!("a")).await;
    result.status == Status::Ok
}

#[tokio::test]
async fn a_builder_wins_over_the_environment_and_the_environment_over_the_default() {
    let strict = settings(&[("CAPGEN_SKEW", "strict")]);
    assert!(is_served(|server| server, |client| client).await);
    assert!(!is_served(|server| server.settings(&strict), |client| client).await);
    assert!(is_served(|server| server.skew(Skew::Serve).settings(&strict), |client| client).await);
    assert!(is_served(|server| server.settings(&strict).skew(Skew::Serve), |client| client).await);
    // A client asks for its policy in each call.
    assert!(!is_served(|server| server, |client| client.settings(&strict)).await);
    assert!(is_served(|server| server, |client| client.skew(Skew::Serve).settings(&strict)).await);
}

#[tokio::test]
async fn the_strictest_of_the_setting_and_the_policy_of_the_caller_applies() {
    let (serve, strict) = (settings(&[("CAPGEN_SKEW", "serve")]), settings(&[("CAPGEN_SKEW", "strict")]));
    assert!(!is_served(|server| server.settings(&serve), |client| client.skew(Skew::Strict)).await);
    assert!(!is_served(|server| server.settings(&strict), |client| client.skew(Skew::Serve)).await);
    assert!(!is_served(|server| server.settings(&strict), |client| client.skew(Skew::Refuse)).await);
}
