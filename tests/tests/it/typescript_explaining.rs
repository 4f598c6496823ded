//! The cost of listing violations in generated JavaScript: it depends on the violations that are asked for, and on the
//! number of different objects.

use std::path::Path;

use capgen_codegen::{Language, generate};
use capgen_testkit::node::{command, printed};
use capgen_tests::contract::{Draft, contract};
use capgen_tests::node;

/// Runs a script that imports `m`, the validators of these requests, and returns its output as lines.
fn output(name: &str, requests: &[(&str, &str)], script: &str) -> Option<Vec<String>> {
    node::require_or_skip().unwrap()?;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let drafts: Vec<Draft> = requests.iter().map(|(name, schema)| Draft::request(name, schema)).collect();
    let agent = contract("agent", &drafts).unwrap();
    for (name, text) in generate(&agent, &[Language::JavaScriptModule]) {
        std::fs::write(folder.join(name), text).unwrap();
    }
    std::fs::write(folder.join("script.mjs"), format!("import * as m from \"./agent.mjs\";\n{script}")).unwrap();
    Some(printed(command().arg(folder.join("script.mjs"))).lines().map(str::to_owned).collect())
}

/// A list of objects with several properties, and a tree.
const REQUESTS: [(&str, &str); 2] = [
    (
        "rows",
        r#"{"type": "array", "items": {"type": "object", "required": ["id", "email"], "properties": {
            "id": {"type": "integer", "minimum": 0}, "email": {"type": "string", "format": "email"}}}}"#,
    ),
    (
        "tree",
        r##"{"definitions": {"Node": {"type": "object", "required": ["v"], "properties": {
            "l": {"$ref": "#/definitions/Node"}, "r": {"$ref": "#/definitions/Node"}, "v": {"type": "integer"}}}},
            "$ref": "#/definitions/Node"}"##,
    ),
];

#[test]
fn values_after_the_last_listed_violation_are_not_explained() {
    let script = r#"
let reads = 0;
const row = () => ({ get id() { reads++; return -1; }, email: "a@example.com" });
const rows = Array.from({ length: 10000 }, row);
const { violations, truncated } = m.parseRowsRequest(rows, { limit: 3 });
console.log(violations.map(({ path }) => path).join(), truncated);
// Once for each row to measure its depth, and a few times for the rows that are explained.
console.log(reads < 10100 || reads);
console.log(m.parseRowsRequest(rows).violations.length);
console.log(m.parseRowsRequest(rows, { limit: Infinity, maxBytes: Infinity }).violations.length);
console.log(m.parseRowsRequest(rows, { limit: NaN, maxBytes: NaN }).violations.length);
console.log(m.parseRowsRequest(rows, { limit: 0 }).violations.length);
"#;
    let Some(output) = output("explained-until-the-limit", &REQUESTS, script) else { return };
    assert_eq!(output, ["/0/id,/1/id,/2/id true", "true", "100", "10000", "1", "1"]);
}

#[test]
fn an_object_at_many_places_is_explained_once_for_each_listed_violation() {
    let script = r#"
let reads = 0;
const tree = (v) => {
  let node = { get v() { reads++; return v; } };
  for (let level = 0; level < 14; level++) node = { v: level, l: node, r: node };
  return { v: "x", l: node };
};
const [valid, invalid] = [1, "y"].map((v) => {
  reads = 0;
  const { violations } = m.parseTreeRequest(tree(v));
  // The verdict of a valid object, and the depth, are found at each place.
  return [violations.length, reads < (v === 1 ? 2 ** 15 + 10 : 2 ** 14 + 1000) || reads, violations.at(-1).path];
});
console.log(valid.join());
console.log(invalid.join());
"#;
    let Some(output) = output("explained-once", &REQUESTS, script) else { return };
    let last = format!("{}/r/r/l/l/l/r/r/v", "/l".repeat(8));
    assert_eq!(output, ["1,true,/v".to_owned(), format!("100,true,{last}")]);
}

#[test]
fn a_hole_in_an_array_is_explained() {
    let script =
        r#"console.log(m.parseRowsRequest([,]).violations.map(({ path, message }) => path + " " + message).join());"#;
    let Some(output) = output("explained-hole", &REQUESTS, script) else { return };
    assert_eq!(output, ["/0 expected object, got undefined"]);
}
