//! The reports of how invocations end, for audits and metrics.

use capgen_amp::Code;
use capgen_amp::message::MessageType;
use capgen_amp::provider::{HandlerOutcome, Input, Output, Ticket};
use serde_json::json;

use crate::support::{Fixture, NOW, catalogue, invocation, key, success};

fn fixture(policy: &str) -> Fixture {
    let mut fixture = Fixture::new(catalogue(&["org.agentries.code-review:1.0.0"]), policy);
    fixture.state.report_ends();
    fixture
}

/// The reports and the tickets of answers, in their order.
fn texts(outputs: &[Output]) -> Vec<String> {
    let text = |output: &Output| match output {
        Output::Ended { answers, end, .. } => format!("ended with {:?} for {answers}", end.code),
        Output::Refused(refused) => format!("refused with {:?}, {:?}", refused.code, refused.denied),
        Output::Send { ticket, .. } => format!("sent to {}", ticket.0),
        Output::Stop(_) => "stopped".to_owned(),
        other => panic!("{other:?}"),
    };
    outputs.iter().map(text).collect()
}

#[test]
fn the_end_of_an_invocation_is_reported_once_before_its_answers() {
    for (outcome, code) in [
        (success(&json!({"issues": 1})), None),
        (success(&json!({"issues": "many"})), Some(Code::InternalError)),
        (HandlerOutcome::Panic, Some(Code::InternalError)),
        (HandlerOutcome::Missing, Some(Code::Unavailable)),
    ] {
        let mut fixture = fixture("{}");
        let message = fixture.message("alice", MessageType::CapInvoke, invocation());
        let bytes = message.sign(&key("alice"));
        let [Output::Start(start)] = &fixture.send_bytes(&bytes, Ticket(1), NOW)[..] else { panic!("a start") };
        // A duplicate, which waits.
        assert!(fixture.send_bytes(&bytes, Ticket(2), NOW).is_empty());
        let mut outputs = fixture.finish(start, outcome, NOW);
        outputs.retain(|output| !matches!(output, Output::InvalidResult { .. }));
        let expected = [format!("ended with {code:?} for 2"), "sent to 1".to_owned(), "sent to 2".to_owned()];
        assert_eq!(texts(&outputs), expected);
        // One that comes later gets the same answer, and nothing ends again.
        assert_eq!(texts(&fixture.send_bytes(&bytes, Ticket(3), NOW)), ["sent to 3"]);
    }
}

#[test]
fn invocations_that_are_stopped_end_too() {
    let mut fixture = fixture("{}");
    let first = fixture.start(invocation());
    let expected = ["stopped", "ended with Some(Timeout) for 1", "sent to 0"];
    assert_eq!(texts(&fixture.tick(first.deadline)), expected);
    let second = fixture.start(invocation());
    let outputs = fixture.provider.step(&mut fixture.state, Input::NotStored { invocation: second.invocation }, NOW);
    assert_eq!(texts(&outputs.unwrap()), ["refused with Unavailable, None", "sent to 0"]);
}

#[test]
fn refusals_of_invocations_are_reported_and_those_of_queries_are_not() {
    let mut open = fixture("{}");
    let mut send = |kind, body| {
        let message = open.message("alice", kind, body);
        texts(&open.send(&message, "alice", NOW))
    };
    let unknown = json!({"id": "org.agentries.unknown:1.0.0", "params": {}});
    assert_eq!(send(MessageType::CapInvoke, unknown), ["refused with CapabilityNotFound, None", "sent to 0"]);
    let query = json!({"filter": {"capability": "org.agentries.unknown"}});
    assert_eq!(send(MessageType::CapQuery, query), ["sent to 0"]);
    let mut closed = fixture(r#"{"default": "deny"}"#);
    let message = closed.message("alice", MessageType::CapInvoke, invocation());
    let expected = [r#"refused with Unauthorized, Some("the policy denies it")"#, "sent to 0"];
    assert_eq!(texts(&closed.send(&message, "alice", NOW)), expected);
}
