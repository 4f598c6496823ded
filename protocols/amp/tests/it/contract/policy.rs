use capgen_amp::message::Did;
use capgen_amp::negotiate::Mode;
use capgen_amp::policy::Policy;
use proptest::option::of;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::{REVIEW, naive};

const ALICE: &str = "did:web:example.com:agent:alice";
const BOB: &str = "did:web:example.com:agent:bob";
const TRANSLATE: &str = "org.agentries.translate";

fn policy(json: &Json) -> Policy {
    Policy::from_json(&json.to_string()).unwrap()
}

fn errors(text: &str) -> Vec<String> {
    Policy::from_json(text).unwrap_err()
}

fn allows(policy: &Policy, caller: &str, name: &str, version: Option<&str>) -> bool {
    let caller: Did = caller.parse().unwrap();
    policy.allows(&caller, &name.parse().unwrap(), version.map(|version| version.parse().unwrap()).as_ref())
}

#[test]
fn a_policy_without_rules_allows_everything_in_mode_range() {
    for text in ["{}", r#"{"rules": []}"#, r#"{"default": "allow"}"#] {
        let policy = Policy::from_json(text).unwrap();
        // A stated default decides that everything is allowed, and no statement decides nothing.
        assert_eq!(
            (policy == Policy::default(), policy.decides()),
            match text.contains("default") {
                true => (false, true),
                false => (true, false),
            }
        );
        assert_eq!((policy.mode(), policy.adapters().len(), policy.aliases().iter().len()), (Mode::Range, 0, 0));
        assert!(allows(&policy, ALICE, REVIEW, None));
    }
    assert!(!allows(&policy(&json!({"default": "deny"})), ALICE, REVIEW, None));
}

#[test]
fn the_first_rule_that_matches_decides() {
    let policy = policy(&json!({
        "default": "deny",
        "rules": [
            {"caller": ALICE, "capability": REVIEW, "version": "<2.0.0", "effect": "deny"},
            {"caller": ALICE, "capability": REVIEW, "effect": "allow"},
            {"caller": BOB, "capability": "*", "version": "*", "effect": "allow"},
            {"caller": "*", "capability": TRANSLATE, "effect": "allow"},
        ],
    }));
    for (caller, name, version, is_allowed) in [
        (ALICE, REVIEW, Some("1.9.0"), false),
        (ALICE, REVIEW, Some("2.0.0"), true),
        (ALICE, TRANSLATE, Some("1.0.0"), true),
        (ALICE, "org.agentries.other", None, false),
        (BOB, REVIEW, Some("1.9.0"), true),
        (BOB, "org.agentries.other", None, true),
        ("did:web:carol", TRANSLATE, None, true),
        ("did:web:carol", REVIEW, Some("2.0.0"), false),
    ] {
        assert_eq!(allows(&policy, caller, name, version), is_allowed, "{caller} {name} {version:?}");
    }
}

/// Decision 19.
#[test]
fn a_rule_with_a_range_does_not_apply_without_a_version() {
    for (default, effect, without) in [("allow", "deny", true), ("deny", "allow", false)] {
        let policy = policy(&json!({"default": default, "rules": [{"version": ">=0.0.0-0", "effect": effect}]}));
        assert_eq!(allows(&policy, ALICE, REVIEW, None), without);
        assert_eq!(allows(&policy, ALICE, REVIEW, Some("1.0.0")), !without);
    }
}

/// Decision 4.
#[test]
fn callers_are_compared_without_fragments() {
    for rule in [ALICE.to_owned(), format!("{ALICE}#key-1")] {
        let policy = policy(&json!({"default": "deny", "rules": [{"caller": rule, "effect": "allow"}]}));
        for (caller, is_allowed) in [
            (ALICE.to_owned(), true),
            (format!("{ALICE}#key-1"), true),
            (format!("{ALICE}#key-2#key-1"), true),
            (format!("{ALICE}x"), false),
            (BOB.to_owned(), false),
        ] {
            assert_eq!(allows(&policy, &caller, REVIEW, None), is_allowed, "{rule} {caller}");
        }
    }
}

#[test]
fn all_keys_are_read() {
    let policy = policy(&json!({
        "default": "allow",
        "mode": "bridge",
        "aliases": {"review": REVIEW, "": TRANSLATE},
        "adapters": [
            {"capability": REVIEW, "from": "1.0.0", "to": "2.0.0"},
            {"capability": REVIEW, "from": "0.9.0", "to": "2.0.0", "unchecked": true},
        ],
    }));
    assert_eq!(policy.mode(), Mode::Bridge);
    assert_eq!(policy.aliases().resolve("review").unwrap().as_str(), REVIEW);
    assert_eq!(policy.aliases().resolve("").unwrap().as_str(), TRANSLATE);
    let adapters: Vec<_> = policy.adapters().iter().map(|rule| (rule.from.to_string(), rule.unchecked)).collect();
    assert_eq!(adapters, [("1.0.0".to_owned(), false), ("0.9.0".to_owned(), true)]);
    for mode in Mode::ALL {
        let text = json!({"mode": mode.name()}).to_string();
        assert_eq!(Policy::from_json(&text).unwrap().mode(), mode);
    }
}

#[test]
fn all_errors_are_reported_at_once() {
    let text = r#"{
        "defualt": "deny",
        "rules": [
            {"caller": "alice", "capabilty": "*", "version": "1.x", "effect": "alow"},
            {"capability": "org.agentries.*", "version": null, "colour": 1},
            7
        ],
        "mode": "Strict",
        "aliases": {"review": "code-review", "a/b": 1},
        "adapters": [{"from": "1.0", "to": "2.0.0", "unchecked": false}]
    }"#;
    let expected = [
        "/defualt: unknown key; did you mean `default`?",
        "/rules/0/capabilty: unknown key; did you mean `capability`?",
        "/rules/0/caller: a DID begins with `did:`",
        "/rules/0/version: a range is a version, such as `1.2.0`, or comparators, such as `>=1.2.0 <2.0.0`: neither a version nor a comparator such as `>=1.2.0`",
        "/rules/0/effect: expected `allow` or `deny`",
        "/rules/1/colour: unknown key; the keys here are `caller`, `capability`, `version`, `effect`",
        "/rules/1/capability: the segments of a name consist of words of lower-case letters and digits, separated by single hyphens",
        "/rules/1/version: expected a text string",
        "/rules/1/effect: missing",
        "/rules/2: expected a map",
        "/default: missing; it is required if there are rules",
        "/mode: expected `strict` or `range` or `bridge`",
        "/aliases/a~1b: expected a text string",
        "/aliases/review: a name has at least three segments, as `org.agentries.code-review` has",
        "/adapters/0/capability: missing",
        "/adapters/0/from: a version is a full semantic version, such as `2.1.0`",
        "/adapters/0/unchecked: expected `true`, or no such key",
    ];
    assert_eq!(errors(text), expected);
}

#[test]
fn a_policy_has_one_meaning() {
    assert_eq!(errors(r#"{"default": "allow", "default": "deny"}"#).len(), 1);
    assert_eq!(errors(r#"{"rules": [{"effect": "allow", "effect": "deny"}], "default": "deny"}"#).len(), 1);
    assert_eq!(errors(r#"{"default": "allow", "Default": "deny"}"#).len(), 1);
    for text in
        ["", "[]", "null", "{", "{} {}", "{'default': 'deny'}", "// {}\n{}", "\u{feff}{}", "{\"default\": \"deny\",}"]
    {
        assert_eq!(errors(text).len(), 1, "{text}");
    }
}

#[test]
fn hostile_policies_are_rejected() {
    let deep = |depth: usize| format!("{}{}", r#"{"rules":"#.repeat(depth), "}".repeat(depth));
    for text in [deep(10), deep(100_000), "[".repeat(1_000_000), format!("{{\"{}\": 1}}", "a".repeat(1_000_000))] {
        let errors = errors(&text);
        assert!(errors.iter().all(|error| error.len() < 2000), "{errors:?}");
    }
    let rules = vec![json!({}); 500];
    assert_eq!(errors(&json!({"default": "deny", "rules": rules}).to_string()).len(), 101);
    let hidden = errors("{\"\\u202e\\u001b[31m\": 1}");
    assert!(hidden.iter().all(|error| !error.contains(['\u{202e}', '\u{1b}'])), "{hidden:?}");
}

prop_compose! {
    fn rules()(
        caller in of(prop::sample::select(vec![ALICE, BOB, "*"])),
        capability in of(prop::sample::select(vec![REVIEW, TRANSLATE, "*"])),
        version in of(prop_oneof![naive::ranges(), Just("*".to_owned())]),
        effect in prop::sample::select(vec!["allow", "deny"]),
    ) -> Json {
        let keys = [("caller", caller.map(str::to_owned)), ("capability", capability.map(str::to_owned)), ("version", version)];
        let mut rule = json!({"effect": effect});
        for (key, value) in keys {
            if let Some(value) = value {
                rule[key] = value.into();
            }
        }
        rule
    }
}

proptest! {
    #[test]
    fn decisions_agree_with_a_naive_model(
        rules in prop::collection::vec(rules(), 0..5),
        default in prop::sample::select(vec!["allow", "deny"]),
        caller in prop::sample::select(vec![ALICE, BOB]),
        name in prop::sample::select(vec![REVIEW, TRANSLATE]),
        version in of(naive::versions()),
    ) {
        let matches = |rule: &&Json| {
            let text = |key: &str| rule.get(key).and_then(Json::as_str).unwrap_or("*").to_owned();
            let is = |key: &str, value: &str| text(key) == "*" || text(key) == value;
            let has_version = text("version") == "*" || version.as_ref().is_some_and(|version| naive::is_in(version, &text("version")));
            is("caller", caller) && is("capability", name) && has_version
        };
        let effect = rules.iter().find(matches).map_or(default, |rule| rule["effect"].as_str().unwrap());
        let policy = policy(&json!({"default": default, "rules": rules}));
        prop_assert_eq!(allows(&policy, caller, name, version.as_deref()), effect == "allow");
    }
}
