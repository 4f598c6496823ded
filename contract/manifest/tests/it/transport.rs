//! `TransportSettings::check` applies the same rules as loading a file.

use capgen_manifest::{Source, TransportSettings, load};

const SETTINGS: [&str; 34] = [
    r#"memory {"topics": {"requests": "r"}}"#,
    r#"memory {"topics": {"requests": "r", "responses": "s"}}"#,
    r#"memory {"topics": {"requests": ""}}"#,
    r#"memory {"topics": {"requests": 1}}"#,
    r#"memory {"topics": {"requests": "r", "responses": ""}}"#,
    r#"memory {"topics": {"requests": "r", "responses": null}}"#,
    r#"memory {"topics": {"responses": "s"}}"#,
    r#"memory {"topics": {"requests": "r", "events": "e"}}"#,
    r#"memory {"topics": ["r"]}"#,
    r#"memory {"queues": {"requests": "r"}}"#,
    r#"memory {"topics": {"requests": "r"}, "url": "u"}"#,
    r#"memory {}"#,
    r#"mqtt {"topics": {"requests": "r"}, "url": "mqtt://a"}"#,
    r#"mqtt {"topics": {"requests": "r"}, "url": ""}"#,
    r#"mqtt {"topics": {"requests": "r"}, "url": true}"#,
    r#"kafka {"topics": {"requests": "r"}, "brokers": ["a", "b"]}"#,
    r#"kafka {"topics": {"requests": "r"}, "brokers": ["a"], "ssl": false, "sasl": {"password": "p", "x": [1]}}"#,
    r#"kafka {"topics": {"requests": "r"}, "brokers": ["a"], "ssl": "no"}"#,
    r#"kafka {"topics": {"requests": "r"}, "brokers": ["a"], "sasl": "plain"}"#,
    r#"kafka {"topics": {"requests": "r"}, "brokers": []}"#,
    r#"kafka {"topics": {"requests": "r"}, "brokers": ["a", ""]}"#,
    r#"kafka {"topics": {"requests": "r"}, "brokers": ["a", 1]}"#,
    r#"kafka {"topics": {"requests": "r"}, "brokers": "a"}"#,
    r#"kafka {"topics": {"requests": "r"}}"#,
    r#"nats {"subjects": {"requests": "r"}, "servers": ["a"]}"#,
    r#"nats {"topics": {"requests": "r"}, "servers": ["a"]}"#,
    r#"sqs {"queues": {"requests": "r"}, "region": "eu"}"#,
    r#"sqs {"queues": {"requests": "r"}, "region": ""}"#,
    r#"sqs {"queues": {"requests": "r"}}"#,
    r#"amqp {"queues": {"requests": "r"}, "url": "amqp://a"}"#,
    r#"amqp {"queues": {"requests": "r"}, "url": ["amqp://a"]}"#,
    r#"amqp {"queues": {"requests": "r"}}"#,
    r#"smtp {"queues": {"requests": "r"}, "url": "a"}"#,
    r#"Memory {"topics": {"requests": "r"}}"#,
];

#[test]
fn transport_settings_are_valid_if_and_only_if_a_file_with_them_loads() {
    for line in SETTINGS {
        let (kind, settings) = line.split_once(' ').unwrap();
        let transport = TransportSettings { kind: kind.to_owned(), settings: settings.parse().unwrap() };
        let written = settings.replacen('{', &format!("{{kind: {kind}, "), 1).replace(", }", "}");
        let text = format!("version: 1\nagent: agent://a\ntransports: [{written}]\ncapabilities: [{{name: x}}]\n");
        let loaded = load(&Source::new("capabilities.yaml", text));
        assert_eq!(transport.check().is_ok(), loaded.is_ok(), "{line}: {:?}", transport.check());
    }
}

#[test]
fn errors_quote_no_values() {
    for settings in [
        r#"{"topics": {"requests": "r"}, "url": ["s3cret"]}"#,
        r#"{"topics": {"requests": "r"}, "amqp://user:s3cret@host": 1}"#,
        r#"{"kind": "s3cret", "topics": {"requests": "r"}}"#,
        r#""s3cret""#,
    ] {
        let transport = TransportSettings { kind: "mqtt".to_owned(), settings: settings.parse().unwrap() };
        let message = transport.check().unwrap_err();
        assert!(!message.contains("s3cret"), "{message}");
    }
}
