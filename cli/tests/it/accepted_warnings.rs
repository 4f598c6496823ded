//! Warnings that the author of a manifest accepts with a reason.

use crate::common::{Fleet, Run};

/// A manifest with two capabilities, each with a warning (W0103 and W0113), and entries of `accepted`.
fn fleet(accepted: &str) -> Fleet {
    let fleet = Fleet::new(&[]);
    let empty = "{ type: string, minLength: 3, maxLength: 2 }";
    let text = format!(
        "version: 1\nagent: agent://shop\ntransports: [{{ kind: memory, topics: {{ requests: shop }} }}]\n\
         capabilities:\n  - name: ping\n    inputSchema: {{ type: object, properties: {{ a: {empty}, b: {empty} }} }}\n  \
         - name: pong\n    inputSchema: {{ anyOf: [{{ type: string }}, {{}}] }}\n{accepted}"
    );
    fleet.write("agents/shop/capabilities.yaml", &text);
    fleet
}

/// The codes of the findings, with their pointers.
fn found(run: &Run) -> Vec<String> {
    let member = |line: &str, key: &str| {
        let finding: serde_json::Value = serde_json::from_str(line).unwrap();
        finding[key].as_str().unwrap_or_default().to_owned()
    };
    run.stdout.lines().map(|line| format!("{} {}", member(line, "code"), member(line, "pointer"))).collect()
}

const A: &str = "W0103 /capabilities/0/inputSchema/properties/a/minLength";
const B: &str = "W0103 /capabilities/0/inputSchema/properties/b/minLength";
const UNION: &str = "W0113 /capabilities/1/inputSchema/anyOf/1";

#[test]
fn accepted_warnings_are_not_reported() {
    for (accepted, left) in [
        ("", vec![A, B, UNION]),
        ("accepted: []", vec![A, B, UNION]),
        ("accepted: [{ code: W0103, reason: r }]", vec![UNION]),
        ("accepted: [{ code: W0103, capability: ping, reason: r }, { code: W0113, reason: r }]", vec![]),
        ("accepted: [{ code: W0103, capability: ping, at: /inputSchema/properties/a, reason: r }]", vec![B, UNION]),
        ("accepted: [{ code: W0103, at: /capabilities/0/inputSchema/properties/b, reason: r }]", vec![A, UNION]),
        ("accepted: [{ code: W0113, capability: pong, at: /inputSchema/anyOf/1, reason: r }]", vec![A, B]),
        // Names that begin in the same way are other places.
        ("accepted: [{ code: W0113, capability: pong, at: /input, reason: r }]", vec![A, B, UNION, "W0205 "]),
        ("accepted: [{ code: W0103, capability: pong, reason: r }]", vec![A, B, UNION, "W0205 "]),
    ] {
        let fleet = fleet(accepted);
        for arguments in ["check --format json", "check agents/shop/capabilities.yaml --format json"] {
            let run = fleet.run(arguments).ended(0);
            assert_eq!(found(&run), left, "{accepted}");
        }
        fleet.run("check --strict").ended(i32::from(!left.is_empty()));
        // They change nothing else.
        fleet.run("gen --all").ended(0);
        fleet.run("lock").ended(0);
    }
}

#[test]
fn an_accepted_warning_that_ended_is_reported_at_its_entry() {
    let run = fleet("accepted:\n  - code: W0104\n    reason: no longer\n").run("check").ended(0);
    assert!(run.stderr.contains("warning[W0205]: the accepted warning W0104 does not occur any more"), "{run:?}");
    assert!(run.stderr.contains("capabilities.yaml:10:11"), "{run:?}");
}

#[test]
fn invalid_entries_are_all_reported() {
    let accepted = "accepted:\n  - { code: E0103, reason: r }\n  - { code: W0103 }\n  - { code: W0103, reason: r, capability: pin }\n  \
                    - { code: W0103, reason: r, at: inputSchema }\n  - { code: W0103, reason: '', x: 1 }\n  - 1\n";
    let run = fleet(accepted).run("check --format json").ended(1);
    let errors: Vec<_> = found(&run).into_iter().filter(|finding| finding.starts_with('E')).collect();
    let expected = [
        "E0228 /accepted/0/code",
        "E0202 /accepted/1",
        "E0228 /accepted/2/capability",
        "E0228 /accepted/3/at",
        "E0214 /accepted/4/reason",
        "E0201 /accepted/4/x",
        "E0203 /accepted/5",
    ];
    assert_eq!(errors, expected);
}

#[test]
fn accepted_warnings_change_neither_hashes_nor_locks() {
    let texts = ["", "accepted: [{ code: W0103, reason: r }]"].map(|accepted| {
        let fleet = fleet(accepted);
        fleet.run("lock").ended(0);
        std::fs::read_to_string(fleet.path("capgen.lock")).unwrap()
    });
    assert_eq!(texts[0], texts[1]);
}
