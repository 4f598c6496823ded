//! Tables of older contracts that build scripts write.

use std::fs;

use capgen_manifest::Assume;

use super::{Build, Fixture, Language, Mode, errors};

const OLDER: &str = "version: 1
agent: agent://shop
transports: [{ kind: memory, topics: { requests: shop.requests } }]
capabilities: [{ name: find-product, inputSchema: { type: integer } }]
";

/// A fleet whose agent has the older contract `v1.yaml`, and an empty file of accepted findings.
fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fs::write(fixture.path("package/v1.yaml"), OLDER).unwrap();
    fs::write(fixture.path("fleet.yaml"), "version: 1\nagents: []\ncalls: { accepted: accepted.yaml }\n").unwrap();
    fs::write(fixture.path("accepted.yaml"), "[]\n").unwrap();
    fixture
}

fn build() -> Build {
    without_history().history(["v1.yaml"])
}

fn without_history() -> Build {
    Build::new().peer("shop").languages([Language::TypeScript]).calls(true)
}

fn generated(fixture: &Fixture) -> String {
    fs::read_to_string(fixture.path("package/generated/shop.ts")).unwrap()
}

#[test]
fn the_table_has_older_contracts_and_accepted_findings() {
    let fixture = fixture();
    let (lines, error) = fixture.run(&build(), Mode::Write);
    assert_eq!(error, None, "{lines:?}");
    for path in ["v1.yaml", "ROOT/accepted.yaml", "ROOT/fleet.yaml"] {
        let lines = lines.iter().filter(|line| **line == format!("cargo::rerun-if-changed={path}"));
        assert_eq!(lines.count(), 1, "{path}");
    }
    let text = generated(&fixture);
    assert!(text.contains(" --calls --history ../v1.yaml --out . #"), "{text}");
    let (_, rest) = text.split_once("fingerprint: \"").unwrap();
    let (fingerprint, _) = rest.split_once('"').unwrap();
    let entry = format!("- {{ fingerprint: \"{fingerprint}\", reason: reviewed, expires: 2027-01-31 }}\n");
    fs::write(fixture.path("accepted.yaml"), entry).unwrap();
    assert!(fixture.run(&build(), Mode::Verify).1.is_some());
    fixture.write(&build());
    assert!(generated(&fixture).contains("acceptedUntil: \"2027-01-31\""));
    // Another file that accepts nothing.
    fs::write(fixture.path("package/none.yaml"), "[]\n").unwrap();
    fixture.write(&build().accepted("none.yaml"));
    let text = generated(&fixture);
    assert!(!text.contains("acceptedUntil") && text.contains(" --accepted ../none.yaml --out . #"), "{text}");
}

#[test]
fn older_contracts_without_a_table_are_an_error() {
    let fixture = fixture();
    fs::write(fixture.path("package/v1.yaml"), OLDER.replace("agent://shop", "agent://market")).unwrap();
    for (build, expected) in [
        (build().calls(false), "the build script has older contracts, but its output has no servers"),
        (without_history().accepted("missing.yaml"), "sets how older contracts are compared, but has none"),
        (without_history().assume(Assume::CapgenPeer), "sets how older contracts are compared, but has none"),
        (build(), "`ROOT/package/v1.yaml` is an older contract of `agent://market`"),
    ] {
        let (lines, error) = fixture.run(&build, Mode::Write);
        assert!(error.is_some());
        let errors = errors(&lines);
        assert!(errors.contains("[E0410]") && errors.contains(expected), "{errors}");
    }
}
