//! The report formats conform to their public definitions: JUnit XML to the schema of Jenkins, SARIF to that of OASIS,
//! and GitHub annotations to the grammar of workflow commands. Node runs the validators of schemas.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use capgen_testkit::{node, npm};
use serde_json::{Value, json};

use crate::common::{Fleet, REVIEWER, loose};

/// Names and values that would break out of a format that does not escape them.
const HOSTILE: [&str; 5] = [
    "]]> </failure></testcase> <!-- & ' \" \u{1b}[31m \u{202e} \u{0} \u{fffe} \u{2028}",
    "::error file=x,line=1::y %0A%25 \r\n::warning::z",
    "a,b:c=d%2C",
    "x\u{85}y\u{7f}\u{ffff}\u{10ffff}😀",
    "\\u{0}",
];

/// A string as YAML, which allows fewer characters than JSON.
fn quoted(value: &str) -> String {
    let text = serde_json::to_string(value).unwrap();
    let is_allowed =
        |c: &char| matches!(c, ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    text.chars().map(|c| if is_allowed(&c) { c.to_string() } else { format!("\\u{:04x}", u32::from(c)) }).collect()
}

/// The outputs of `capgen` in a format, for many kinds of findings.
fn outputs(format: &str) -> Vec<String> {
    let mut outputs = Vec::new();
    let mut run = |fleet: &Fleet, command: &str| {
        let run = fleet.run(&format!("{command} --format {format}"));
        assert!(run.status < 2 && (format == "github" || !run.stdout.is_empty()), "{run:?}");
        outputs.push(run.stdout);
    };
    let whole = examples();
    run(&whole, "diff --root evolution/after --against evolution/before");
    run(&whole, "diff --root evolution/after --against evolution/before --assume capgen-peer");
    run(&whole, "diff --root evolution/after --against evolution/after");
    for value in HOSTILE {
        let text = quoted(value);
        let schema = format!("{{ enum: [{text}, x], description: {text} }}");
        let old = loose("a").replace("name: ping }", &format!("name: ping, inputSchema: {schema} }}"));
        let fleet = Fleet::new(&[]);
        fleet.write("old.yaml", &old);
        fleet.write("new,100%.yaml", &old.replace(&format!("[{text}, x]"), "[y]"));
        run(&fleet, "diff --capabilities new,100%.yaml --against old.yaml");
    }
    // Findings about manifests.
    let fleet = Fleet::new(&["pr-reviewer"]);
    for (index, value) in HOSTILE.iter().enumerate() {
        let text = quoted(value);
        let wrong = REVIEWER.replace("severity: { enum", &format!("{text}: {{ nullable: true }}, severity: {{ enum"));
        fleet.write(&format!("agents/a{index}/capabilities.yaml"), &wrong);
    }
    fleet.write("agents/b/capabilities.yaml", &loose("b").replace("name: ping", "name: ping, timeoutMS: 3"));
    run(&fleet, "check");
    run(&fleet, "gen --all --check");
    run(&fleet, "lock --check");
    outputs
}

/// The fleets of `examples/`, in a temporary folder.
fn examples() -> Fleet {
    let fleet = Fleet::new(&[]);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/evolution");
    let mut open = vec![(source, "evolution".to_owned())];
    while let Some((folder, name)) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let name = format!("{name}/{}", entry.file_name().to_str().unwrap());
            match entry.file_type().unwrap().is_dir() {
                true => open.push((entry.path(), name)),
                false => fleet.write(&name, &std::fs::read_to_string(entry.path()).unwrap()),
            }
        }
    }
    fleet
}

/// The JSON Schema of SARIF, from the source of a package.
fn sarif_schema() -> String {
    let manifest = scripts().join("sarif/Cargo.toml");
    let cargo = std::env::var_os("CARGO").unwrap();
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked", "--manifest-path"])
        .arg(manifest)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|package| package["name"] == "serde-sarif").unwrap();
    let folder = Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap();
    std::fs::read_to_string(folder.join("src/schema.json")).unwrap()
}

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/node")
}

/// The errors that the validators report about each document.
fn errors(junit: &[String], sarif: &[String]) -> Option<Value> {
    if !npm::is_installed() {
        return None;
    }
    npm::install(&scripts()).unwrap();
    let job = json!({"junit": junit, "sarif": sarif, "sarifSchema": sarif_schema()});
    Some(node::run_script(&scripts(), "reports.mjs", &job).unwrap())
}

#[test]
fn junit_and_sarif_conform_to_their_public_schemas() {
    let (junit, sarif) = (outputs("junit"), outputs("sarif"));
    let results = sarif.iter().map(|text| serde_json::from_str::<Value>(text).unwrap());
    let results: Vec<usize> = results.map(|log| log["runs"][0]["results"].as_array().unwrap().len()).collect();
    assert!(results.iter().sum::<usize>() > 60, "{results:?}");
    assert!(junit.iter().map(|text| text.matches("<failure").count()).sum::<usize>() > 20);
    let Some(found) = errors(&junit, &sarif) else { return };
    for (name, documents) in [("junit", &junit), ("sarif", &sarif)] {
        assert_eq!(found[name].as_array().unwrap().len(), documents.len());
        for (document, errors) in documents.iter().zip(found[name].as_array().unwrap()) {
            assert_eq!(*errors, json!([]), "{document:?}");
        }
    }
}

#[test]
fn the_validators_reject_documents_that_are_wrong() {
    let junit = r#"<testsuites name="a"><testsuite name="b" tests="1"><testcase name="c"/></testsuite></testsuites>"#
        .to_owned();
    let wrong = [junit.replace("testcase name", "testcase title"), junit.replace("<testcase ", "<case ")];
    let sarif = r#"{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "a"}}, "results": []}]}"#.to_owned();
    let level = r#""results": [{"message": {"text": "m"}, "level": "fatal"}]"#;
    let wrong_sarif = [sarif.replace("2.1.0", "2.0.0"), sarif.replace(r#""results": []"#, level)];
    let Some(found) = errors(&[vec![junit], wrong.to_vec()].concat(), &[vec![sarif], wrong_sarif.to_vec()].concat())
    else {
        return;
    };
    for name in ["junit", "sarif"] {
        let is_right: Vec<bool> = found[name].as_array().unwrap().iter().map(|errors| *errors == json!([])).collect();
        assert_eq!(is_right, [true, false, false], "{found}");
    }
}

/// A workflow command: its name, its properties and its message.
#[derive(Debug)]
struct Annotation {
    name: String,
    properties: BTreeMap<String, String>,
    message: String,
}

/// Reads a line by the grammar `::name key=value,key=value::message`. In a message, `%`, CR and LF are escaped as
/// `%25`, `%0D` and `%0A`; in the value of a property, `:` and `,` also are, as `%3A` and `%2C`.
fn parse(line: &str) -> Result<Annotation, String> {
    let rest = line.strip_prefix("::").ok_or("no command")?;
    let (command, message) = rest.split_once("::").ok_or("no end of the command")?;
    let (name, properties) = command.split_once(' ').unwrap_or((command, ""));
    let mut read = BTreeMap::new();
    for property in properties.split(',').filter(|property| !property.is_empty()) {
        let (key, value) = property.split_once('=').ok_or("no value")?;
        if value.contains(':') {
            return Err(format!("a colon in {value}"));
        }
        if read.insert(key.to_owned(), unescape(value, &["25", "0D", "0A", "3A", "2C"])?).is_some() {
            return Err(format!("two properties {key}"));
        }
    }
    Ok(Annotation { name: name.to_owned(), properties: read, message: unescape(message, &["25", "0D", "0A"])? })
}

fn unescape(text: &str, allowed: &[&str]) -> Result<String, String> {
    let mut parts = text.split('%');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = part.get(..2).filter(|code| allowed.contains(code)).ok_or(format!("% in {text}"))?;
        out.push(char::from(u8::from_str_radix(code, 16).map_err(|error| error.to_string())?));
        out.push_str(part.get(2..).unwrap_or_default());
    }
    let is_raw = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    if text.contains(is_raw) { Err(format!("control characters in {text:?}")) } else { Ok(out) }
}

#[test]
fn github_annotations_follow_the_grammar_of_workflow_commands() {
    let mut files = 0;
    for line in outputs("github").iter().flat_map(|text| text.lines()) {
        let annotation = parse(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert!(["error", "warning", "notice"].contains(&annotation.name.as_str()), "{line}");
        for (key, value) in &annotation.properties {
            match key.as_str() {
                "line" | "endLine" | "col" | "endColumn" => assert!(value.parse::<u32>().unwrap() > 0, "{line}"),
                "file" => files += usize::from(value.ends_with(".yaml")),
                "title" => assert!(value.len() == 5 && value.is_ascii(), "{line}"),
                _ => panic!("the property {key} does not exist: {line}"),
            }
        }
        let number = |key: &str| annotation.properties.get(key).map(|value| value.parse::<u32>().unwrap());
        assert!(number("line") <= number("endLine"), "{line}");
        let is_one_line = number("line") == number("endLine");
        // GitHub ignores columns of places with several lines.
        assert!(number("col").is_none() || is_one_line && number("col") <= number("endColumn"), "{line}");
        assert!(!annotation.message.is_empty(), "{line}");
    }
    assert!(files > 60, "{files}");
}

#[test]
fn the_parser_of_workflow_commands_rejects_other_lines() {
    for line in [
        "error::x",
        ":error::x",
        "::error file=a:b::c",
        "::error file::c",
        "::error file=a,file=b::c",
        "::error::100%",
        "::error::a%3A",
    ] {
        assert!(parse(line).is_err(), "{line}");
    }
    let read = parse("::error file=a%2Cb%3A,line=3::x%25%0Ay: z, ::").unwrap();
    assert_eq!((read.name.as_str(), read.message.as_str()), ("error", "x%\ny: z, ::"));
    assert_eq!((read.properties["file"].as_str(), read.properties["line"].as_str()), ("a,b:", "3"));
}
