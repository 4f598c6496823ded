//! Ideas that several crates need, each of which has one home.

use crate::architecture::repository::{files, text};
use crate::architecture::{LIBRARIES, code, dependencies, layer, members, name};

/// The lines of code of the crates that users link and of the program, without their tests, which contain `word`:
/// `path:line`.
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
fn lists_of_values_are_shortened_in_one_place() {
    only("contract/schema/src/message_text.rs", "\",...", &[]);
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
        // Around the part of a text that changed.
        "contract/evolve/src/text_change.rs",
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

/// The helpers for tests.
const KIT: &str = "tests/testkit/src/";

/// The lines of code of all packages, with their tests, which contain one of the words after `text` changed them:
/// `path:line`. This file, which lists the words, is left out.
fn uses_anywhere(words: &[&str], text_of: impl Fn(&str) -> String) -> Vec<String> {
    let is_source = |path: &String| path.ends_with(".rs") && !path.ends_with("architecture/homes.rs");
    let mut found = Vec::new();
    for path in files().into_iter().filter(is_source) {
        let source = text(&path).unwrap();
        let lines = source.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
        let lines = lines.map(|(at, line)| (at + 1, text_of(line)));
        let named = lines.filter(|(_, line)| words.iter().any(|word| line.contains(word)));
        found.extend(named.map(|(line, _)| format!("{path}:{line}")));
    }
    found
}

/// Checks that only the helpers for tests and the paths that start with `others` have such lines, and that the helpers
/// do.
fn only_in_the_kit(words: &[&str], others: &[&str], text_of: impl Fn(&str) -> String) {
    let (in_kit, elsewhere): (Vec<_>, Vec<_>) =
        uses_anywhere(words, text_of).into_iter().partition(|place| place.starts_with(KIT));
    let elsewhere: Vec<_> =
        elsewhere.iter().filter(|place| !others.iter().any(|path| place.starts_with(path))).collect();
    assert!(elsewhere.is_empty(), "use capgen-testkit instead of {words:?}: {elsewhere:?}");
    assert!(!in_kit.is_empty(), "{KIT} contains none of {words:?}");
}

#[test]
fn random_numbers_of_tests_have_one_generator() {
    // The multipliers of SplitMix64, xorshift64*, PCG and usual linear congruential generators, and the crates.
    let words = [
        "9e3779b97f4a7c15",
        "bf58476d1ce4e5b9",
        "94d049bb133111eb",
        "2545f4914f6cdd1d",
        "2685821657736338717",
        "6364136223846793005",
        "5851f42d4c957f2d",
        "1442695040888963407",
        "2862933555777941757",
        "3202034522624059733",
        "1103515245",
        "1664525",
        "^=self.0<<13",
        "^=self.0>>12",
        "^=state<<13",
        "userand::",
        "fastrand::",
    ];
    let plain = |line: &str| line.replace(['_', ' '], "").to_lowercase();
    // `capgen example --seed` prints these samples, so they are a part of the product.
    let product = "contract/schema/src/containment/examples/valid.rs";
    only_in_the_kit(&words, &[product], plain);
}

#[test]
fn brokers_are_started_in_one_place() {
    only_in_the_kit(&["\"nats-server"], &[], str::to_owned);
}

#[test]
fn node_is_started_in_one_place() {
    only_in_the_kit(&["&str = \"node\"", "new(\"node\")", "(\"node\", ", "\"npm.cmd\""], &[], str::to_owned);
}

#[test]
fn ranges_of_versions_have_one_parser() {
    only("contract/descriptor/src/version.rs", "\">=\"", &[]);
    assert_eq!(uses("VersionReq"), Vec::<String>::new());
}

#[test]
fn the_tokens_of_json_have_one_reader() {
    let home = "contract/schema/src/cursor.rs";
    // Whitespace.
    only(home, r"b' ' | b'\n' | b'\r' | b'\t'", &[]);
    assert_eq!(uses(r"b' ' | b'\t' | b'\n'"), Vec::<String>::new(), "use `JsonCursor::is_space`");
    // Escapes. The derive macro builds without `capgen-schema`.
    only(home, "decode_utf16", &["contract/descriptor/src/schema_text.rs"]);
    // Strings, eight bytes at a time.
    only(home, "0x8080_8080_8080_8080", &[]);
    // The exponents of numbers.
    only(home, "eat(b'E')", &[]);
}

#[test]
fn the_places_of_subschemas_are_listed_once() {
    let home = "contract/schema/src/subschemas.rs";
    only(home, r#""dependencies" | "dependentSchemas" | "patternProperties""#, &[]);
    only(home, r#""allOf" | "anyOf" | "oneOf" | "prefixItems""#, &[]);
    for list in [r#""properties" | "patternProperties""#, r#""properties" | "definitions", Json::Object"#] {
        assert_eq!(uses(list), Vec::<String>::new(), "use `Subschemas` of capgen-schema");
    }
}

#[test]
fn the_path_of_the_runtime_in_generated_code_has_one_home() {
    let others = [
        // An example of the option.
        "contract/manifest/src/options.rs",
        // The derive has a key for it.
        "macros/src/",
        // The code that this generator has written for the crates below `capgen`.
        "runtime/call/src/envelope/generated/",
        "protocols/registry/src/event/generated/",
    ];
    only("contract/manifest/src/runtime_path.rs", "::capgen", &others);
    only("contract/manifest/src/rust_keyword.rs", "\"unsized\"", &[]);
}

#[test]
fn triggers_of_append_only_tables_are_written_in_one_place() {
    only("runtime/sqlite/src/append_only.rs", "RAISE(ABORT", &[]);
}

#[test]
fn streams_of_jetstream_are_described_in_one_place() {
    only("runtime/nats/src/jetstream/stream.rs", "ContextBuilder", &[]);
    only("runtime/nats/src/jetstream/stream.rs", "DiscardPolicy::New", &[]);
}
