//! Ideas that several crates need, each of which has one home.

use crate::architecture::repository::{files, text};
use crate::architecture::{LIBRARIES, code, dependencies, layer, members, name};

/// The lines of code of the crates that users link and of the program, without their tests, which contain `word`: `path:line`.
fn uses(word: &str) -> Vec<String> {
    let mut found = Vec::new();
    for path in files() {
        let in_program = LIBRARIES.iter().chain(&["cli"]).any(|krate| path.starts_with(&format!("{krate}/src/")));
        let is_test = path.ends_with("/tests.rs") || path.contains("/tests/");
        if !in_program || is_test || !path.ends_with(".rs") {
            continue;
        }
        let source = text(&path).unwrap();
        found.extend(
            code(&source).iter().filter(|(_, code)| code.contains(word)).map(|(line, _)| format!("{path}:{line}")),
        );
    }
    found
}

/// The generator of code, which escapes texts for the notations of the languages that it writes.
const CODE_GENERATOR: &str = "codegen/src/";

/// Checks that only `home` and the paths that start with `others` contain `word`, and that `home` does.
fn only(home: &str, word: &str, others: &[&str]) {
    let (at_home, elsewhere): (Vec<_>, Vec<_>) = uses(word).into_iter().partition(|place| place.starts_with(home));
    let elsewhere: Vec<_> =
        elsewhere.iter().filter(|place| !others.iter().any(|path| place.starts_with(path))).collect();
    assert!(elsewhere.is_empty(), "only {home} should contain `{word}`: {elsewhere:?}");
    assert!(!at_home.is_empty(), "{home} contains no `{word}`");
}

#[test]
fn the_clock_of_the_system_is_read_in_one_place() {
    only("contract/time/src/clock.rs", "SystemTime::now()", &[]);
    assert_eq!(uses("SystemTime::now()").len(), 1);
}

#[test]
fn times_are_read_and_written_in_one_place() {
    // Every such text has the minutes after a colon.
    only("contract/time/src/timestamp.rs", "minute:02}", &[]);
    for package in members().iter().filter(|package| layer(package["manifest_path"].as_str().unwrap()).is_some()) {
        let all = dependencies(package, &["normal", "build"]);
        let calendar = all.iter().map(name).find(|used| ["chrono", "jiff", "time"].contains(used));
        assert_eq!(calendar, None, "{} should use capgen-time", name(package));
    }
}

#[test]
fn pauses_between_attempts_are_computed_in_one_place() {
    only("contract/time/src/backoff.rs", "1 << doublings", &[]);
    for word in ["pause * 2", "delay * 2", "backoff * 2", ".mul_f64("] {
        assert_eq!(uses(word), Vec::<String>::new(), "use `Backoff` of capgen-time instead of `{word}`");
    }
}

#[test]
fn untrusted_text_is_escaped_in_one_place() {
    only("contract/diagnostic/src", "escape_unicode()", &[CODE_GENERATOR]);
    let others: Vec<_> =
        uses("escape_default()").into_iter().filter(|place| !place.starts_with(CODE_GENERATOR)).collect();
    assert_eq!(others, Vec::<String>::new(), "use `visible` of capgen-diagnostic");
    // As in JSON and JavaScript.
    only("contract/diagnostic/src/visible.rs", "\\u{unit:04x}", &[CODE_GENERATOR]);
}

#[test]
fn texts_are_shortened_in_one_place() {
    let others = [
        CODE_GENERATOR,
        // Around the part of a line that a label marks.
        "contract/diagnostic/src/render/excerpt.rs",
        // As elements of HTML after the start.
        "contract/site/src/prose.rs",
        "contract/site/src/schema/words.rs",
        // Records of the audit are limited in bytes, not in code points.
        "runtime/audit/src/store/cut.rs",
    ];
    only("contract/diagnostic/src/cut.rs", "'…'", &others);
    let elsewhere = uses("\"…\"").into_iter().find(|place| !others.iter().any(|path| place.starts_with(path)));
    assert_eq!(elsewhere, None, "use `cut_short` of capgen-diagnostic");
}

#[test]
fn hashes_are_computed_in_one_place() {
    let others = [
        CODE_GENERATOR,
        // HMAC-SHA-256.
        "protocols/amp/src/mac.rs",
        "protocols/amp/src/provider/cursor.rs",
        "runtime/call/src/envelope/keys.rs",
        // The algorithms that AMP names.
        "protocols/amp/src/bundle/",
        "protocols/amp/src/descriptor/schema_ref.rs",
    ];
    only("contract/schema/src/hash.rs", "Sha256", &others);
}

#[test]
fn canonical_json_is_written_in_one_place() {
    // The order of names, in which paths are sorted, too.
    let others = [CODE_GENERATOR, "contract/schema/src/pointer.rs"];
    only("contract/schema/src/canonical_text.rs", "encode_utf16().cmp(", &others);
    // The two rules for numbers.
    only("protocols/registry/src/canonical.rs", "ryu_js", &[]);
}

#[test]
fn ranges_of_versions_have_one_parser() {
    only("contract/descriptor/src/version.rs", "\">=\"", &[]);
    assert_eq!(uses("VersionReq"), Vec::<String>::new());
}
