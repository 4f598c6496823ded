//! `gen --watch` and `check --watch` follow the saves of editors.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod sequence;
mod watching;

use std::fs;
use std::time::Duration;

use crate::common::{Fleet, loose};
use watching::Watching;

const MANIFEST: &str = "agents/a/capabilities.yaml";

/// A manifest with a capability of this name.
fn offering(name: &str) -> String {
    loose("a").replace("ping", name)
}

/// Saves as most programs do that care about crashes: the new content replaces the file at once.
fn replace(fleet: &Fleet, path: &str, text: &str) {
    fleet.write(&format!("{path}.new"), text);
    fs::rename(fleet.path(&format!("{path}.new")), fleet.path(path)).unwrap();
}

fn pause() {
    std::thread::sleep(Duration::from_millis(30));
}

#[test]
fn every_way_to_save_a_manifest_is_noticed() {
    type Save = fn(&Fleet, &str);
    let saves: [(&str, Save); 6] = [
        ("in-place", |fleet, text| fleet.write(MANIFEST, text)),
        ("replaced", |fleet, text| replace(fleet, MANIFEST, text)),
        ("with-backup", |fleet, text| {
            fs::rename(fleet.path(MANIFEST), fleet.path(&format!("{MANIFEST}~"))).unwrap();
            pause();
            fleet.write(MANIFEST, text);
            fs::remove_file(fleet.path(&format!("{MANIFEST}~"))).unwrap();
        }),
        ("deleted", |fleet, text| {
            fs::remove_file(fleet.path(MANIFEST)).unwrap();
            pause();
            fleet.write(MANIFEST, text);
        }),
        ("truncated", |fleet, text| {
            fleet.write(MANIFEST, "");
            pause();
            fleet.write(MANIFEST, text);
        }),
        ("in-parts", |fleet, text| {
            fleet.write(MANIFEST, text.split_at(text.len() / 2).0);
            pause();
            fleet.write(MANIFEST, text);
        }),
    ];
    let fleet = Fleet::new(&["a"]);
    let watching = Watching::start(&fleet, "gen --peer a --watch");
    assert!(fleet.read("generated/a.ts").contains("ping"));
    for (name, save) in saves {
        save(&fleet, &offering(name));
        // On a busy machine, the state in the middle of a save may be reported as well. It never is the last one.
        let lines = watching.until("2 files written, 2 unchanged");
        assert!(lines.last().unwrap().starts_with(&format!("✓ {MANIFEST} ")), "{name}: {lines:?}");
        assert!(fleet.read("generated/a.ts").contains(name), "{name}: {lines:?}");
    }
}

#[test]
fn a_change_has_one_line_and_errors_are_reported_until_they_are_fixed() {
    let fleet = Fleet::new(&["a", "b"]);
    let generate = Watching::start(&fleet, "gen --all --watch");
    let check = Watching::start(&fleet, "check --watch");
    replace(&fleet, MANIFEST, &offering("one"));
    assert_eq!(generate.next(), format!("✓ {MANIFEST} changed: 2 files written, 4 unchanged"));
    assert_eq!(check.next(), format!("✓ {MANIFEST} changed: checked 2 contracts: 0 errors, 0 warnings"));

    replace(&fleet, MANIFEST, &offering("two").replace("version: 1", "version: 9"));
    let expected = fleet.run("check");
    for (watching, result) in [(&generate, "1 error, 0 warnings"), (&check, "checked 2 contracts: 1 error, 0 warnings")]
    {
        let lines = watching.until(" changed");
        let (last, findings) = lines.split_last().unwrap();
        assert_eq!(*last, format!("{MANIFEST} changed: {result}"));
        let printed = findings.join("\n");
        assert!(printed.starts_with("error[E0") && expected.stderr.starts_with(printed.trim_end()), "{printed}");
    }
    assert!(!fleet.read("generated/a.ts").contains("two"));

    replace(&fleet, MANIFEST, &offering("three"));
    assert_eq!(generate.next(), format!("✓ {MANIFEST} changed, errors fixed: 2 files written, 4 unchanged"));
    let line = format!("✓ {MANIFEST} changed, errors fixed: checked 2 contracts: 0 errors, 0 warnings");
    assert_eq!(check.next(), line);

    replace(&fleet, MANIFEST, &offering("four"));
    assert_eq!(generate.next(), format!("✓ {MANIFEST} changed: 2 files written, 4 unchanged"));
}

#[test]
fn agents_join_and_leave() {
    let fleet = Fleet::new(&["a"]);
    let watching = Watching::start(&fleet, "gen --all --watch");
    fs::create_dir(fleet.path("agents/b")).unwrap();
    replace(&fleet, "agents/b/capabilities.yaml", &loose("b"));
    assert_eq!(watching.next(), "✓ agents/b/capabilities.yaml added: 3 files written, 3 unchanged");
    assert!(fleet.path("generated/b.rs").exists());

    fs::remove_dir_all(fleet.path("agents/a")).unwrap();
    assert_eq!(watching.next(), "✓ agents/a/capabilities.yaml removed: 0 files written, 4 unchanged");

    fs::remove_dir_all(fleet.path("agents")).unwrap();
    let lines = watching.until(" removed");
    assert!(lines.first().unwrap().starts_with("error[E0"), "{lines:?}");

    fleet.write("incoming/a/capabilities.yaml", &offering("later"));
    fs::rename(fleet.path("incoming"), fleet.path("agents")).unwrap();
    assert_eq!(watching.next(), "✓ agents/a/capabilities.yaml added, errors fixed: 2 files written, 2 unchanged");

    fleet.write("incoming/x y/capabilities.yaml", &loose("x"));
    fs::rename(fleet.path("incoming/x y"), fleet.path("agents/x y")).unwrap();
    let lines = watching.until("the fleet changed: 1 error");
    assert!(lines.first().unwrap().contains("not a valid agent id"), "{lines:?}");
    fs::remove_dir_all(fleet.path("agents/x y")).unwrap();
    assert_eq!(watching.next(), "✓ the fleet changed, errors fixed: 0 files written, 4 unchanged");
}

#[test]
fn the_file_of_the_fleet_and_its_lock_are_watched() {
    let fleet = Fleet::new(&["a"]);
    let check = Watching::start(&fleet, "check --watch");
    for (path, invalid, valid) in [("fleet.yaml", "agent: {}\n", "agents: []\n"), ("capgen.lock", "{", "")] {
        replace(&fleet, path, invalid);
        let lines = check.until(&format!("{path} added: checked "));
        assert!(lines.first().unwrap().starts_with("error[E0"), "{lines:?}");
        // Another error in the same file: the fleet still has no known agents.
        replace(&fleet, path, &format!("{invalid}{invalid}"));
        check.until(&format!("{path} changed: checked "));
        if valid.is_empty() {
            fs::remove_file(fleet.path(path)).unwrap();
            fleet.run("lock").ended(0);
        } else {
            replace(&fleet, path, valid);
        }
        check.until("errors fixed: checked 1 contract: 0 errors");
    }
}

#[test]
fn files_that_a_run_writes_next_to_manifests_are_no_changes() {
    let fleet = Fleet::new(&["a", "b"]);
    let watching = Watching::start(&fleet, "gen --all --watch --out agents/a");
    for name in ["one", "two", "three"] {
        replace(&fleet, MANIFEST, &offering(name));
        assert_eq!(watching.next(), format!("✓ {MANIFEST} changed: 2 files written, 4 unchanged"));
    }
}

#[test]
fn many_saves_in_a_row_have_few_lines() {
    let fleet = Fleet::new(&["a"]);
    let watching = Watching::start(&fleet, "gen --all --watch");
    for version in 0..100 {
        fleet.write(MANIFEST, &offering(&format!("version-{version}")));
    }
    let mut lines = Vec::new();
    while !fleet.read("generated/a.ts").contains("version-99") {
        lines.push(watching.next());
    }
    assert!(lines.len() < 50, "{lines:?}");
}

#[test]
fn a_file_that_never_stays_the_same_is_reported_while_it_changes() {
    let fleet = Fleet::new(&["a"]);
    let watching = Watching::start(&fleet, "gen --all --watch");
    let line = (0..2000).find_map(|version| {
        replace(&fleet, MANIFEST, &offering(&format!("version-{version}")));
        std::thread::sleep(Duration::from_millis(8));
        watching.printed()
    });
    assert!(line.unwrap().starts_with(&format!("✓ {MANIFEST} changed")));
}

#[cfg(unix)]
#[test]
fn links_to_manifests_and_to_folders_are_followed() {
    use std::os::unix::fs::symlink;
    let fleet = Fleet::new(&["b"]);
    fleet.write("elsewhere/a.yaml", &offering("one"));
    fleet.write("elsewhere/c/capabilities.yaml", &loose("c"));
    fs::create_dir(fleet.path("agents/a")).unwrap();
    symlink("../../elsewhere/a.yaml", fleet.path(MANIFEST)).unwrap();
    symlink("../elsewhere/c", fleet.path("agents/c")).unwrap();
    let watching = Watching::start(&fleet, "gen --all --watch");
    replace(&fleet, "elsewhere/a.yaml", &offering("two"));
    assert_eq!(watching.next(), format!("✓ {MANIFEST} changed: 2 files written, 6 unchanged"));
    replace(&fleet, "elsewhere/c/capabilities.yaml", &loose("c").replace("ping", "two"));
    assert_eq!(watching.next(), "✓ agents/c/capabilities.yaml changed: 2 files written, 6 unchanged");
    // A link with another target.
    fleet.write("elsewhere/other.yaml", &offering("three"));
    symlink("../../elsewhere/other.yaml", fleet.path("link")).unwrap();
    fs::rename(fleet.path("link"), fleet.path(MANIFEST)).unwrap();
    assert_eq!(watching.next(), format!("✓ {MANIFEST} changed: 2 files written, 6 unchanged"));
    // A link without a target counts as no manifest, until the target exists again.
    fs::remove_file(fleet.path("elsewhere/other.yaml")).unwrap();
    watching.until(&format!("{MANIFEST} removed"));
    replace(&fleet, "elsewhere/other.yaml", &offering("four"));
    assert!(watching.until(&format!("{MANIFEST} added")).last().unwrap().ends_with("2 files written, 6 unchanged"));
}

#[test]
fn the_source_of_an_import_is_watched() {
    let fleet = Fleet::new(&["a"]);
    let tools = |name: &str| {
        format!(
            r#"{{"server": {{"name": "files"}}, "tools": [{{"name": "{name}", "inputSchema": {{"type": "object"}}}}]}}"#
        )
    };
    // The name of the file is not a name for the agent.
    fleet.write("+.json", &tools("read"));
    let watching = Watching::start(&fleet, "gen --mcp +.json --lang ts --watch");
    replace(&fleet, "+.json", &tools("write"));
    assert_eq!(watching.next(), "✓ +.json changed: 1 file written, 2 unchanged");
    assert!(fleet.read("generated/files.ts").contains("write"));
    replace(&fleet, "+.json", &tools("").replace('}', ""));
    let lines = watching.until("+.json changed: 1 error");
    assert!(lines.first().unwrap().starts_with("error[E0"), "{lines:?}");
    // Manifests have no effect on the import.
    replace(&fleet, MANIFEST, &offering("one"));
    replace(&fleet, "+.json", "[]");
    let line = watching.next();
    assert!(line.starts_with("+.json changed: ") && line.contains("pass `--agent <ID>`"), "{line}");
    fs::remove_file(fleet.path("+.json")).unwrap();
    watching.until("+.json removed: 1 error");
    replace(&fleet, "+.json", &tools("write"));
    assert_eq!(watching.next(), "✓ +.json added, errors fixed: 0 files written, 3 unchanged");

    let run = fleet.run_with("gen --mcp - --watch", tools("x")).ended(2);
    assert!(run.stderr.contains("cannot be read again"), "{run:?}");
}

#[test]
fn a_watching_check_has_no_other_format() {
    let run = Fleet::new(&["a"]).run("check --watch --format json").ended(2);
    assert!(run.stderr.contains("cannot be used with"), "{run:?}");
}

#[test]
fn the_findings_that_a_fleet_accepts_are_a_part_of_the_result() {
    let fleet = Fleet::new(&["a"]);
    let capability = |schema: &str| loose("a").replace("name: ping", &format!("name: ping, outputSchema: {schema}"));
    fleet.write("v1.yaml", &capability("{ type: string }"));
    fleet.write(MANIFEST, &capability("{ type: [string, 'null'] }"));
    fleet.write("fleet.yaml", "version: 1\nagents: []\ncalls: { accepted: reviewed.yaml }\n");
    fleet.write("reviewed.yaml", "[]\n");
    let watching = Watching::start(&fleet, "gen --peer a --lang ts --calls --history v1.yaml --watch");
    let table = fleet.read("generated/a.ts");
    let (_, rest) = table.split_once("fingerprint: \"").unwrap();
    let (fingerprint, _) = rest.split_once('"').unwrap();
    let entry = format!("- {{ fingerprint: \"{fingerprint}\", reason: reviewed, expires: 2099-01-31 }}\n");
    replace(&fleet, "reviewed.yaml", &entry);
    let lines = watching.until("1 file written");
    assert!(lines.last().unwrap().starts_with("✓ reviewed.yaml changed"), "{lines:?}");
    assert!(fleet.read("generated/a.ts").contains("acceptedUntil: \"2099-01-31\""));
}

#[test]
fn the_outputs_of_fleet_yaml_are_watched_with_it() {
    let fleet = Fleet::new(&["a", "b"]);
    let output = |outputs: &str| format!("version: 1\nagents: []\ngenerate:\n  outputs:\n{outputs}");
    let one = "    - { peers: [a], lang: [ts], out: web }\n";
    fleet.write("fleet.yaml", &output(one));
    let watching = Watching::start(&fleet, "gen --watch");
    assert!(fleet.read("web/a.ts").contains("ping"));
    fleet.write(MANIFEST, &offering("pong"));
    watching.until("agents/a/capabilities.yaml changed");
    assert!(fleet.read("web/a.ts").contains("pong"));
    // An output with an error, and one that is added.
    fleet.write("fleet.yaml", &output(&one.replace("lang: [ts]", "lang: [tx]")));
    watching.until("changed: 1 error");
    fleet.write("fleet.yaml", &output(&format!("{one}    - {{ peers: all, lang: [rust], out: server }}\n")));
    watching.until("errors fixed");
    assert!(fleet.read("server/b.rs").contains("ping") && fleet.read("server/a.rs").contains("pong"));
    fleet.write("agents/b/capabilities.yaml", &loose("b").replace("ping", "other"));
    watching.until("agents/b/capabilities.yaml changed");
    assert!(fleet.read("server/b.rs").contains("other"));
}
