//! Build scripts that generate the outputs in `fleet.yaml`.

use std::fs;

use super::{Build, Fixture, Language, Mode, errors};

/// A fleet with outputs for two packages.
fn fixture(outputs: &str) -> Fixture {
    let fixture = Fixture::new();
    let text = format!("version: 1\nagents: [{{ id: shop, path: agents/shop }}]\ngenerate:\n  outputs:\n{outputs}");
    fs::write(fixture.path("fleet.yaml"), text).unwrap();
    fixture
}

const TWO_PACKAGES: &str = "    - { peers: all, lang: [rust], out: package/src/contracts, calls: true }\n    \
                            - { capabilities: [agents/shop/capabilities.yaml], lang: [ts], out: package/web }\n    \
                            - { peers: [shop], lang: [rust], out: other/src }\n";

#[test]
fn the_outputs_of_the_package_are_generated_and_verified() {
    let fixture = fixture(TWO_PACKAGES);
    let build = Build::new().outputs();
    let (lines, error) = fixture.run(&build, Mode::Verify);
    assert!(error.is_some(), "{lines:?}");
    assert!(errors(&lines).contains("`src/contracts/shop.rs` is missing"), "{lines:?}");
    assert!(errors(&lines).contains("`web/shop.ts` is missing"), "{lines:?}");
    fixture.write(&build);
    let (lines, error) = fixture.run(&build, Mode::Verify);
    assert_eq!(error, None);
    let expected = [
        "cargo::rerun-if-changed=ROOT/fleet.yaml",
        "cargo::rerun-if-changed=ROOT/agents/shop/capabilities.yaml",
        "cargo::rerun-if-env-changed=CAPGEN_UPDATE",
        "cargo::rerun-if-changed=src/contracts/shop.rs",
        "cargo::rerun-if-changed=web/shop.ts",
    ];
    for line in expected {
        assert_eq!(lines.iter().filter(|printed| *printed == line).count(), 1, "{line} {lines:?}");
    }
    assert!(!fixture.path("other").exists());
    let rust = fs::read_to_string(fixture.path("package/src/contracts/shop.rs")).unwrap();
    assert!(rust.contains("capgen --peer shop --lang rust --calls --out ."), "{rust}");

    // One of them alone.
    fs::remove_file(fixture.path("package/web/shop.ts")).unwrap();
    assert_eq!(fixture.run(&Build::new().output("./src/contracts"), Mode::Verify).1, None);
    assert!(fixture.run(&Build::new().output("web"), Mode::Verify).1.is_some());
    let (lines, error) = fixture.run(&build, Mode::Update);
    assert_eq!(error, None);
    assert!(lines.contains(&"cargo::warning=updated `web/shop.ts`".to_owned()), "{lines:?}");
}

#[test]
fn outputs_that_a_build_script_cannot_generate_are_reported_together() {
    let fixture = fixture(
        "    - { mcp: [tools.json], lang: [rust], out: package/tools }\n    \
         - { peers: [shop], lang: [ts], out: package/web, calls: true, history: git }\n    \
         - { peers: [shop], lang: [rusty], out: package/rusty }\n",
    );
    let (lines, error) = fixture.run(&Build::new().outputs(), Mode::Verify);
    assert!(error.is_some());
    for part in
        ["does not import the tools", "does not read the history of git", "unknown language `rusty`", "fleet.yaml:5:"]
    {
        assert!(errors(&lines).contains(part), "{part}: {lines:?}");
    }
}

#[test]
fn a_package_or_a_folder_without_an_output_is_an_error() {
    let fixture = fixture("    - { peers: [shop], out: other/src }\n");
    let (lines, _) = fixture.run(&Build::new().outputs(), Mode::Verify);
    assert!(errors(&lines).contains("`fleet.yaml` has no output for a folder of this package"), "{lines:?}");
    let (lines, _) = fixture.run(&Build::new().output("generated").output("../src"), Mode::Verify);
    assert!(errors(&lines).contains("no output for the folder `generated`, relative to this package"), "{lines:?}");
    assert!(errors(&lines).contains("no output for the folder `../src`, relative to this package"), "{lines:?}");
    // A folder outside of the package has to be named.
    fixture.write(&Build::new().output("../other/src"));
    assert!(fixture.path("other/src/shop.rs").exists());
}

#[test]
fn methods_that_set_parts_of_outputs_are_refused() {
    let fixture = fixture(TWO_PACKAGES);
    let build = || Build::new().outputs();
    for (build, name) in [
        (build().peer("shop"), "peer"),
        (build().out_dir("x"), "out_dir"),
        (build().languages([Language::Rust]), "languages"),
        (build().calls(true), "calls"),
        (build().history(["v1.yaml"]), "history"),
    ] {
        let (lines, _) = fixture.run(&build, Mode::Write);
        assert!(errors(&lines).contains(&format!("the build script calls `.{name}(...)`")), "{lines:?}");
    }
    assert!(!fixture.path("package/src").exists());
    // The root is not a part of an output.
    fixture.write(&Build::new().root("..").outputs());
}
