//! `capgen gen --history`: servers that know the older contracts of their callers.

use std::path::Path;

use capgen_testkit::node;

use crate::common::Fleet;

/// The start of every contract of `trips`.
const START: &str = "\
version: 1
agent: agent://trips
transports: [{ kind: memory, topics: { requests: trips } }]
capabilities:
";

/// A contract of `trips`, with this version and these bounds of payloads.
fn contract(version: &str, input: &str, output: &str) -> String {
    let capability = |name: &str, input: &str, keys: &str| {
        format!(
            "  - {{ name: {name}, version: {version}, inputSchema: {{ type: string{input} }}, \
             outputSchema: {{ type: integer{output} }}{keys} }}\n"
        )
    };
    [
        START,
        &capability("book", input, ", skew: refuse"),
        &capability("hold", input, ""),
        &capability("read", "", ", skew: refuse, sideEffects: pure"),
    ]
    .concat()
}

/// The revisions of the contract: callers with the first can read all responses of the last.
fn revisions() -> [String; 3] {
    [
        contract("1.0.0", "", ""),
        contract("1.1.0", "", ", maximum: 5"),
        contract("2.0.0", ", maxLength: 100", ", maximum: 9"),
    ]
}

/// A fleet with the last revision, and the others in files.
fn with_files() -> Fleet {
    let fleet = Fleet::new(&[]);
    let [first, second, last] = revisions();
    fleet.write("old/v1.yaml", &first);
    fleet.write("old/v2.yaml", &second);
    fleet.write("agents/trips/capabilities.yaml", &last);
    fleet
}

/// An older contract, and the current one with two versions of a capability, of which only the lower one fits.
fn several_versions() -> [String; 2] {
    let entry = |version: &str, output: &str| {
        format!("  - {{ name: book, version: {version}, outputSchema: {{ type: integer{output} }} }}\n")
    };
    let old = [START, &entry("9.0.0", ", maximum: 5")].concat();
    let now = [START, &entry("2.0.0", ", maximum: 9"), &entry("1.1.0", ", maximum: 4")].concat();
    [old, now]
}

/// The text of a file from the table of verdicts on.
fn table(text: &str) -> &str {
    text.split_once("const call_verdicts").map_or("", |(_, table)| table)
}

fn command(text: &str) -> &str {
    text.lines().find_map(|line| line.strip_prefix("// Regenerate: ")).unwrap()
}

#[test]
fn files_of_older_contracts_become_a_table_of_verdicts() {
    let fleet = with_files();
    fleet.run("--peer trips --calls --history old/v2.yaml old/v1.yaml").ended(0);
    let text = fleet.read("generated/trips.ts");
    let line = "capgen --peer trips --lang typescript --calls --history ../old/v2.yaml ../old/v1.yaml --out . # in ";
    assert!(command(&text).starts_with(line), "{}", command(&text));
    // Each capability has both rows, sorted by hash.
    let table = table(&text);
    assert_eq!(table.matches("request: ").count(), 6, "{table}");
    assert_eq!(table.matches("code: \"E0713\"").count(), 3, "{table}");
    assert_eq!(table.matches("response: \"fits\"").count(), 3, "{table}");
    let is_hash = |word: &&str| word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let rows = table.split(|c: char| !c.is_ascii_alphanumeric()).filter(is_hash).collect::<Vec<_>>();
    assert!(rows.chunks(2).all(|pair| pair.len() == 2 && pair[0] < pair[1]), "{rows:?}");
    // The command in the file, and the order of files, give the same.
    fleet.run("--peer trips --calls --history old/v2.yaml old/v1.yaml --check").ended(0);
    fleet.run("--peer trips --calls --history old/v1.yaml old/v2.yaml --out again").ended(0);
    assert_eq!(self::table(&fleet.read("again/trips.ts")), table);
    let stale = fleet.run("--peer trips --calls --check").ended(1);
    assert!(stale.stderr.contains("generated/trips.ts"), "{stale:?}");
}

#[test]
fn without_the_option_and_in_rust_nothing_is_added() {
    let fleet = with_files();
    fleet.run("--peer trips --calls").ended(0);
    let (rust, plain) = (fleet.read("generated/trips.rs"), fleet.read("generated/trips.ts"));
    assert!(!plain.contains("erdict"), "{plain}");
    fleet.run("--peer trips --calls --history old/v1.yaml").ended(0);
    assert_eq!(fleet.read("generated/trips.rs"), rust);
    // An older contract that is the current one has no row.
    fleet.run("--peer trips --calls --history agents/trips/capabilities.yaml").ended(0);
    let lines = |text: &str| text.lines().filter(|line| !line.contains("Regenerate")).collect::<Vec<_>>().join("\n");
    assert_eq!(lines(&fleet.read("generated/trips.ts")), lines(&plain));
}

#[test]
fn the_history_of_git_gives_the_same_table_as_files() {
    let fleet = with_files();
    fleet.init();
    for revision in revisions() {
        fleet.write("agents/trips/capabilities.yaml", &revision);
        fleet.commit();
    }
    fleet.run("--peer trips --calls --history git").ended(0);
    let text = fleet.read("generated/trips.ts");
    assert!(command(&text).contains(" --calls --history git --out . #"), "{}", command(&text));
    fleet.run("--peer trips --calls --history old/v1.yaml old/v2.yaml --out files").ended(0);
    assert_eq!(table(&text), table(&fleet.read("files/trips.ts")));
    // The revision that is being edited counts before and after it is committed.
    fleet.run("--peer trips --calls --history git --check").ended(0);
    fleet.write("agents/trips/capabilities.yaml", &revisions()[1]);
    fleet.run("--peer trips --calls --history git").ended(0);
    let edited = fleet.read("generated/trips.ts");
    fleet.commit();
    fleet.run("--peer trips --calls --history git --check").ended(0);
    assert_ne!(table(&edited), table(&text));
}

#[test]
fn a_history_that_cannot_be_used_is_refused() {
    let fleet = with_files();
    fleet.write("agents/other/capabilities.yaml", &revisions()[2].replace("agent://trips", "agent://other"));
    for (arguments, expected) in [
        ("--peer trips --history old/v1.yaml", "`--history` needs `--calls`"),
        ("--peer trips --calls --history git old/v1.yaml", "`--history` has either `git` or files"),
        (
            "--peer other --calls --history old/v1.yaml",
            "`old/v1.yaml` is a contract of `agent://trips`, which is not selected",
        ),
    ] {
        let run = fleet.run(arguments).ended(2);
        assert!(run.stderr.contains(expected), "{arguments}: {run:?}");
    }
    fleet.run("--peer trips --calls --history missing.yaml").ended(1);
    let run = fleet.run("--peer trips --calls --history git").ended(1);
    assert!(run.stderr.contains("pass the old version as a file: `--history <file>`"), "{run:?}");
    assert_eq!(fleet.names("generated"), Vec::<String>::new());
    // The fleet can have the option.
    fleet.write("fleet.yaml", "version: 1\ngenerate: { calls: true }\nagents: []\n");
    fleet.run("--all --history old/v1.yaml").ended(0);
    assert!(table(&fleet.read("generated/trips.ts")).contains("fits"));
    assert!(!fleet.read("generated/other.ts").contains("history"));
}

#[test]
fn each_version_of_a_capability_has_its_own_rows() {
    let fleet = with_files();
    let [old, now] = several_versions();
    fleet.write("old/v1.yaml", &old);
    fleet.write("agents/trips/capabilities.yaml", &now);
    fleet.run("--peer trips --calls --history old/v1.yaml").ended(0);
    let text = fleet.read("generated/trips.ts");
    let (higher, lower) = table(&text).split_once("bookV1:").unwrap();
    assert!(higher.contains("E0713") && lower.contains("response: \"fits\""), "{text}");
    assert!(text.contains("versionRefusal, candidatesOf, verdictsOf(call_verdicts))"), "{text}");
}

/// Entries that accept every finding of a generated table until the end of January 2027.
fn accepted(text: &str) -> String {
    let fingerprints = text.split("fingerprint: \"").skip(1).filter_map(|rest| rest.split('"').next());
    let entry = |one| format!("- {{ fingerprint: \"{one}\", reason: reviewed, expires: 2027-01-31 }}\n");
    fingerprints.map(entry).collect()
}

#[test]
fn accepted_findings_have_their_last_day_in_the_table() {
    let fleet = with_files();
    let base = "--peer trips --calls --history old/v2.yaml old/v1.yaml";
    fleet.run(base).ended(0);
    let plain = fleet.read("generated/trips.ts");
    assert!(!plain.contains("acceptedUntil"), "{plain}");
    fleet.write("reviewed/accepted.yaml", &accepted(&plain));
    // The option.
    fleet.run(&format!("{base} --accepted reviewed/accepted.yaml")).ended(0);
    let text = fleet.read("generated/trips.ts");
    assert_eq!(table(&text).matches("acceptedUntil: \"2027-01-31\"").count(), table(&plain).matches("code: ").count());
    assert!(command(&text).contains(" ../old/v1.yaml --accepted ../reviewed/accepted.yaml --out . #"), "{text}");
    let stale = fleet.run(&format!("{base} --check")).ended(1);
    assert!(stale.stderr.contains("generated/trips.ts"), "{stale:?}");
    // The settings of the fleet, also if the manifest is selected by its path.
    fleet.write("fleet.yaml", "version: 1\nagents: []\ncalls: { accepted: reviewed/accepted.yaml }\n");
    for selection in ["--peer trips", "--capabilities agents/trips/capabilities.yaml"] {
        let arguments = format!("{selection} --calls --history old/v2.yaml old/v1.yaml");
        fleet.run(&arguments).ended(0);
        let of_fleet = fleet.read("generated/trips.ts");
        assert_eq!(table(&of_fleet), table(&text));
        assert!(command(&of_fleet).contains(" ../old/v1.yaml --out . #"), "{of_fleet}");
    }
    // An entry that is for another agent accepts nothing.
    fleet.write("reviewed/accepted.yaml", &accepted(&plain).replace(" }", ", agent: other }"));
    fleet.run(base).ended(0);
    assert_eq!(table(&fleet.read("generated/trips.ts")), table(&plain));
    // Options without a table have no meaning, and errors in the file are reported.
    fleet.run("--peer trips --calls --accepted reviewed/accepted.yaml").ended(2);
    fleet.write("reviewed/accepted.yaml", "- {}\n");
    let run = fleet.run(base).ended(1);
    assert!(run.stderr.contains("E0791"), "{run:?}");
}

#[test]
fn the_table_assumes_the_programs_of_the_fleet() {
    let fleet = with_files();
    // Types that capgen generated do not have properties that their schema does not declare.
    let entry = |input: &str| format!("{START}  - {{ name: book, inputSchema: {{ type: object{input} }} }}\n");
    fleet.write("old/v1.yaml", &entry(", properties: { a: { type: string } }"));
    fleet
        .write("agents/trips/capabilities.yaml", &entry(", properties: { a: { type: string }, b: { type: integer } }"));
    let base = "--peer trips --calls --history old/v1.yaml";
    fleet.run(base).ended(0);
    let any = fleet.read("generated/trips.ts");
    assert!(table(&any).contains("request: {"), "{any}");
    fleet.run(&format!("{base} --assume capgen-peer")).ended(0);
    let given = fleet.read("generated/trips.ts");
    assert!(table(&given).contains("request: \"fits\""), "{given}");
    assert!(command(&given).contains(" ../old/v1.yaml --assume capgen-peer --out . #"), "{given}");
    fleet.write("fleet.yaml", "version: 1\nagents: []\ncalls: { assume: capgen-peer }\n");
    fleet.run(base).ended(0);
    let of_fleet = fleet.read("generated/trips.ts");
    assert_eq!(table(&of_fleet), table(&given));
    assert!(command(&of_fleet).contains(" ../old/v1.yaml --out . #"), "{of_fleet}");
    fleet.run(&format!("{base} --assume any-peer")).ended(0);
    let back = fleet.read("generated/trips.ts");
    assert_eq!(table(&back), table(&any));
    assert!(command(&back).contains(" --assume any-peer --out . #"), "{back}");
}

#[test]
fn generated_servers_decide_by_the_table() {
    if !node::is_installed() {
        return;
    }
    let fleet = with_files();
    fleet.run("--peer trips --calls --history old/v1.yaml old/v2.yaml --lang mjs --out server").ended(0);
    for revision in ["v1", "v2"] {
        fleet.run(&format!("--capabilities old/{revision}.yaml --calls --lang mjs --out {revision}")).ended(0);
    }
    fleet.write("old/v3.yaml", &contract("1.2.0", "", ", minimum: 0"));
    fleet.run("--capabilities old/v3.yaml --calls --lang mjs --out v3").ended(0);
    let text = fleet.read("server/trips.mjs").replace("response: \"fits\"", "response: \"undecided\"");
    let text = text.replace("side: \"response\"", "verdict: \"undecided\", side: \"response\"");
    fleet.write("undecided/trips.mjs", &text);
    fleet.write("undecided/_capgen.mjs", &fleet.read("server/_capgen.mjs"));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/node/call_verdicts.mjs");
    let [old, now] = several_versions();
    fleet.write("old/v4.yaml", &old);
    fleet.write("now.yaml", &now);
    fleet.run("--capabilities old/v4.yaml --calls --lang mjs --out v4").ended(0);
    fleet.run("--capabilities now.yaml --calls --history old/v4.yaml --lang mjs --out several").ended(0);
    fleet.write("reviewed.yaml", &accepted(&fleet.read("server/trips.mjs")));
    let options = "--calls --history old/v1.yaml old/v2.yaml --accepted reviewed.yaml --lang mjs --out accepted";
    fleet.run(&format!("--peer trips {options}")).ended(0);
    let modules = ["server", "undecided", "v1", "v2", "v3", "several", "v4", "accepted"];
    let modules = modules.map(|folder| fleet.path(&format!("{folder}/trips.mjs")));
    assert_eq!(node::printed(node::command().arg(script).args(modules)).trim(), "tests passed");
}
