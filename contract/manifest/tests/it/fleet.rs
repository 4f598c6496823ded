//! Finding the fleet's root, its agents and their manifests.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::short;
use capgen_manifest::{Assume, Fleet, FleetCalls, Skew, codes, find_root, read_source, shown};
use capgen_testkit::folder::Folder;

/// A new folder with the given files. Removes an existing one first.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fleet").join(name);
    drop(fs::remove_dir_all(&root));
    fs::create_dir_all(&root).unwrap();
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

/// The findings in short form, with the root's path replaced by `ROOT`.
fn short_findings(root: &Path, findings: &[capgen_manifest::Diagnostic]) -> String {
    short(findings).replace(&shown(root), "ROOT")
}

/// The path of a peer's manifest, relative to the root, or the findings.
fn peer(root: &Path, id: &str) -> Result<String, String> {
    let fleet = Fleet::open(root).map_err(|findings| short_findings(root, &findings))?;
    let path = fleet.peer(id).map_err(|findings| short_findings(root, &findings))?;
    Ok(shown(path.strip_prefix(root).unwrap()))
}

/// The agents of a fleet with their paths relative to the root, one per line.
fn peers(root: &Path) -> String {
    let line = |(id, path): (_, PathBuf)| format!("{id} {}\n", shown(path.strip_prefix(root).unwrap()));
    Fleet::open(root).unwrap().peers().unwrap().into_iter().map(line).collect()
}

#[test]
fn peers_are_found_in_the_folder_agents() {
    let root = folder(
        "agents",
        &[
            ("agents/a/capabilities.yaml", ""),
            ("agents/b/capabilities.yml", ""),
            ("agents/c/capabilities.json", ""),
            ("agents/d/capabilities.yaml", ""),
            ("agents/d/capabilities.json", ""),
            ("agents/only-calls/agent.yaml", ""),
            ("agents/README.md", ""),
        ],
    );
    for (id, path) in [
        ("a", "agents/a/capabilities.yaml"),
        ("agent://a", "agents/a/capabilities.yaml"),
        ("b", "agents/b/capabilities.yml"),
        ("c", "agents/c/capabilities.json"),
        ("d", "agents/d/capabilities.yaml"),
    ] {
        assert_eq!(peer(&root, id).as_deref(), Ok(path));
    }
    assert_eq!(
        peers(&root),
        "a agents/a/capabilities.yaml\nb agents/b/capabilities.yml\nc agents/c/capabilities.json\nd agents/d/capabilities.yaml\n"
    );
}

#[test]
fn paths_in_fleet_yaml_take_precedence() {
    let fleet = "agents:\n  - { id: b, path: ./elsewhere/b }\n  - { id: a, path: agents/old }\n  - { id: c, path: c.json }\n  \
                 - { id: calls, path: agents/calls }\n";
    let root = folder(
        "listed",
        &[
            ("fleet.yaml", fleet),
            ("elsewhere/b/capabilities.yaml", ""),
            ("agents/b/capabilities.yaml", ""),
            ("agents/old/capabilities.yaml", ""),
            ("agents/calls/agent.yaml", ""),
            ("agents/unlisted/capabilities.yaml", ""),
            ("c.json", ""),
        ],
    );
    for (id, path) in [
        ("a", "agents/old/capabilities.yaml"),
        ("b", "elsewhere/b/capabilities.yaml"),
        ("c", "c.json"),
        ("unlisted", "agents/unlisted/capabilities.yaml"),
    ] {
        assert_eq!(peer(&root, id).as_deref(), Ok(path));
    }
    // Not `old`, which `fleet.yaml` lists as the path of `a`, and not `calls`, which has no manifest.
    let ids: Vec<String> =
        Fleet::open(&root).unwrap().peers().unwrap().into_iter().map(|(id, _)| id.to_string()).collect();
    assert_eq!(ids, ["a", "b", "c", "unlisted"]);
}

#[test]
fn complete_fleet_yaml_of_a_runtime_loads() {
    let fleet = "version: 1\nname: shop\ndescription: x\nruntime: { declaragent: ^1.2.0 }\nagents:\n  - id: a\n    path: ./agents/a\n    \
                 env: shared\n    deploy: { target: t }\nenvironments: { shared: { peersRef: ./rpc-peers.yaml } }\nrpc: {}\ndeploy: {}\n";
    let root = folder("whole", &[("fleet.yaml", fleet), ("agents/a/capabilities.yaml", "")]);
    assert!(peer(&root, "a").is_ok());
}

#[test]
fn all_errors_in_fleet_yaml_are_reported_at_once() {
    let fleet = "version: 2\nagnets: []\nagents:\n  - id: agent://a\n    path: a\n  - id: ../x\n    path: /abs\n  - { id: b }\n  \
                 - { id: c, path: c }\n  - { id: c, path: C:/c }\n  - { id: d, path: '', pth: d }\n";
    let root = folder("mistakes", &[("fleet.yaml", fleet)]);
    assert_eq!(
        peer(&root, "a").unwrap_err(),
        "E0204 1:10 `version` must be the number 1
  help: write `version: 1`: this is the version of the file format
E0201 2:1 unknown key `agnets` in the fleet
  help: did you mean `agents`?
E0303 4:9 not a valid agent id
  help: write `a`, without `agent://`
E0303 6:9 not a valid agent id
  help: an id consists of letters, digits, `.`, `_` and `-`, starts with a letter or a digit, and is at most 128 bytes long
E0308 7:11 `path` must be relative
  help: write it relative to the folder of `fleet.yaml`, so that it is valid on other machines
E0202 8:7 missing key `path` in an agent
E0306 10:11 duplicate agent `c`
  10: again here
  9: first here
E0308 10:20 `path` must be relative
  help: write it relative to the folder of `fleet.yaml`, so that it is valid on other machines
E0214 11:20 `path` must not be empty
E0201 11:24 unknown key `pth` in an agent
  help: did you mean `path`?
"
    );
}

#[test]
fn unknown_peers_list_the_searched_paths_and_a_suggestion() {
    let root =
        folder("unknown", &[("agents/pr-reviewer/capabilities.yaml", ""), ("agents/shop/capabilities.yaml", "")]);
    assert_eq!(
        peer(&root, "pr_reviewr").unwrap_err(),
        "E0302 the fleet has no agent `pr_reviewr`
  tried `ROOT/agents/pr_reviewr/capabilities.yaml`
  tried `ROOT/agents/pr_reviewr/capabilities.yml`
  tried `ROOT/agents/pr_reviewr/capabilities.json`
  help: did you mean `pr-reviewer`?
"
    );
    let findings = peer(&root, "zzz").unwrap_err();
    assert!(findings.ends_with("  help: the agents with a manifest are `pr-reviewer`, `shop`\n"), "{findings}");
}

#[test]
fn listed_peers_without_a_manifest_point_to_their_line() {
    let fleet = "agents:\n  - { id: a, path: ./agents/x }\n  - { id: b, path: b.yaml }\n  - { id: c, path: calls }\n";
    let root = folder("no-manifest", &[("fleet.yaml", fleet), ("calls/agent.yaml", "")]);
    let candidates = |folder: &str| {
        ["yaml", "yml", "json"].map(|end| format!("  tried `ROOT/{folder}/capabilities.{end}`\n")).concat()
    };
    for (id, expected) in [
        (
            "a",
            "E0307 2:20 `fleet.yaml` lists the agent `a`, but its folder does not exist\n".to_owned()
                + &candidates("agents/x"),
        ),
        (
            "b",
            "E0307 3:20 `fleet.yaml` lists the agent `b`, but its file does not exist\n  tried `ROOT/b.yaml`\n"
                .to_owned(),
        ),
        (
            "c",
            "E0307 4:20 `fleet.yaml` lists the agent `c`, but its folder contains no manifest\n".to_owned()
                + &candidates("calls"),
        ),
    ] {
        assert_eq!(peer(&root, id).unwrap_err(), expected);
    }
}

#[test]
fn hostile_peer_ids_are_rejected_before_any_file_access() {
    let root = folder("hostile", &[("capabilities.yaml", ""), ("agents/a/capabilities.yaml", "")]);
    for id in [
        "",
        ".",
        "..",
        "../..",
        "a/../../x",
        "/etc",
        "a\\b",
        "agent://",
        "agent://../..",
        "é",
        "a\0",
        "a b",
        &"a".repeat(129),
    ] {
        assert!(peer(&root, id).unwrap_err().starts_with("E0303 "), "{id}");
    }
}

#[test]
fn folders_with_an_invalid_id_are_reported() {
    let root = folder("bad-folder", &[("agents/my agent/capabilities.yaml", ""), ("agents/a/capabilities.yaml", "")]);
    let findings = Fleet::open(&root).unwrap().peers().unwrap_err();
    assert!(
        short_findings(&root, &findings).starts_with("E0303 `ROOT/agents/my agent/capabilities.yaml` is a manifest")
    );
}

#[test]
fn root_is_the_nearest_folder_with_fleet_yaml_or_agents() {
    let root =
        folder("root", &[("agents/a/src/x.txt", ""), ("nested/fleet.yaml", "agents: []"), ("nested/deep/x", "")]);
    assert_eq!(find_root(&root.join("agents/a/src")).as_deref(), Some(root.as_path()));
    assert_eq!(find_root(&root.join("nested/deep")), Some(root.join("nested")));
    assert_eq!(find_root(&root), Some(root.clone()));
}

#[test]
#[cfg(unix)]
fn missing_fleets_and_invalid_roots_are_reported() {
    let root = folder("none", &[("x/y", "")]);
    let findings = short(&Fleet::open(&root.join("x/y")).unwrap_err());
    assert!(findings.starts_with("E0301 the fleet root `"), "{findings}");
    let findings = short(&Fleet::find(Path::new("/proc")).unwrap_err());
    assert!(findings.starts_with("E0301 no fleet found: neither `/proc` nor a folder above it"), "{findings}");
}

#[test]
#[cfg(unix)]
fn only_regular_files_are_read() {
    let root = folder("files", &[("latin1.yaml", "")]);
    fs::write(root.join("latin1.yaml"), b"a: \xe9\n").unwrap();
    let findings = |path: &Path| short_findings(&root, &read_source(path, &shown(path)).unwrap_err());
    assert_eq!(findings(&root), "E0304 cannot read `ROOT`: it is a folder\n  help: pass the path of the file itself\n");
    assert!(findings(&root.join("missing.yaml")).starts_with("E0304 cannot read `ROOT/missing.yaml`: No such file"));
    assert!(findings(&root.join("latin1.yaml")).starts_with("E0013 "));
    assert!(findings(Path::new("/dev/zero")).starts_with("E0304 cannot read `/dev/zero`: it is not a regular file"));
}

#[test]
fn files_beyond_the_size_limit_are_rejected() {
    let root = folder("large", &[("x.yaml", "")]);
    let path = root.join("x.yaml");
    fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
    assert_eq!(read_source(&path, "x.yaml").unwrap_err()[0].code, codes::TOO_LARGE);
}

#[test]
fn paths_are_displayed_as_given() {
    for (path, expected) in [("./a/b", "a/b"), ("../a", "../a"), ("/a/b", "/a/b"), ("a//b", "a//b")] {
        assert_eq!(shown(Path::new(path)), expected);
    }
}

#[test]
fn paths_are_displayed_without_detours() {
    assert_eq!(shown(Path::new("./../fleet/crates/x/../../agents/a.yaml")), "../fleet/agents/a.yaml");
    assert_eq!(shown(Path::new("../../a.yaml")), "../../a.yaml");
}

#[cfg(unix)]
#[test]
fn a_detour_through_a_link_is_displayed() {
    let folder = Folder::with(&[("x/a.yaml", ""), ("x/deep/b.yaml", "")]);
    std::os::unix::fs::symlink(folder.path("x/deep"), folder.path("link")).unwrap();
    let path = folder.path("link/../a.yaml");
    assert_eq!(shown(&path), path.display().to_string());
}

#[test]
fn the_settings_of_calls_are_read() {
    let fleet = "agents: []\ncalls: { skew: refuse, assume: capgen-peer, accepted: ./reviews/accepted.yaml }\n";
    let root = folder("calls", &[("fleet.yaml", fleet), ("reviews/accepted.yaml", "# none yet\n")]);
    let fleet = Fleet::open(&root).unwrap();
    assert_eq!((fleet.calls().skew, fleet.calls().assume), (Some(Skew::Refuse), Some(Assume::CapgenPeer)));
    assert_eq!(fleet.accepted().unwrap().unwrap().text(), "# none yet\n");
    assert_eq!(fleet.accepted_file(), Some(root.join("reviews/accepted.yaml")));
    for text in ["agents: []\n", "agents: []\ncalls: {}\n"] {
        fs::write(root.join("fleet.yaml"), text).unwrap();
        let fleet = Fleet::open(&root).unwrap();
        assert_eq!((fleet.calls(), fleet.accepted_file()), (FleetCalls::default(), None));
        assert!(fleet.accepted().unwrap().is_none());
    }
}

#[test]
fn invalid_settings_of_calls_are_reported_with_a_remedy() {
    let root = folder("invalid-calls", &[]);
    for (calls, pointer, expected) in [
        ("serve", "/calls", "E0203 2:8 `calls` must be a mapping\n  2: a string\n"),
        ("{ skew: refused }", "/calls/skew", "E0211 2:16 unknown value of `skew`\n  help: did you mean `refuse`?\n"),
        (
            "{ assume: all }",
            "/calls/assume",
            "E0211 2:18 unknown value of `assume`\n  help: the values are `any-peer`, `capgen-peer`\n",
        ),
        ("{ skw: serve }", "/calls/skw", "E0201 2:10 unknown key `skw` in `calls`\n  help: did you mean `skew`?\n"),
        (
            "{ accepted: /a.yaml }",
            "/calls/accepted",
            "E0308 2:20 `accepted` must be relative\n  help: write it relative to the folder of `fleet.yaml`, so that it \
             is valid on other machines\n",
        ),
    ] {
        fs::write(root.join("fleet.yaml"), format!("agents: []\ncalls: {calls}\n")).unwrap();
        let findings = Fleet::open(&root).unwrap_err();
        assert_eq!(short_findings(&root, &findings), expected);
        assert_eq!(findings[0].pointer.as_deref(), Some(pointer));
    }
    fs::write(root.join("fleet.yaml"), "agents: []\ncalls: { accepted: missing.yaml }\n").unwrap();
    let findings = Fleet::open(&root).unwrap().accepted().unwrap_err();
    assert_eq!(
        short_findings(&root, &findings),
        "E0304 2:20 `fleet.yaml` names a file of accepted findings that does not exist\n  tried `ROOT/missing.yaml`\n  \
         help: create the file, which may be empty, or remove the key `accepted`\n"
    );
    assert_eq!(findings[0].pointer.as_deref(), Some("/calls/accepted"));
}

/// The first two public keys of RFC 8032, section 7.1.
const PUBLIC: [&str; 2] =
    ["11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", "PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw"];

#[test]
fn keys_and_grants_are_read() {
    let [first, second] = PUBLIC;
    let fleet = format!(
        "agents: []\nkeys:\n  - {{ agent: a, keyId: k1, ed25519: {first}, notAfter: 2027-01-31 }}\n  \
         - {{ agent: a, keyId: k2, ed25519: {second}, notAfter: \"2027-01-31T12:00:00Z\" }}\n  \
         - {{ agent: b, keyId: k1, ed25519: {second} }}\n\
         grants:\n  a: {{ roles: [booker], scopes: [trips:write] }}\n  b: {{}}\n"
    );
    let root = folder("keys", &[("fleet.yaml", &fleet)]);
    let fleet = Fleet::open(&root).unwrap();
    let keys: Vec<_> = fleet
        .keys()
        .iter()
        .map(|key| (key.agent.as_str(), key.key_id.as_str(), key.ed25519.as_str(), key.not_after))
        .collect();
    // The end of the day, and noon.
    assert_eq!(
        keys,
        [
            ("a", "k1", first, Some(1_801_439_999_999)),
            ("a", "k2", second, Some(1_801_396_800_000)),
            ("b", "k1", second, None),
        ]
    );
    let grants: Vec<_> =
        fleet.grants().unwrap().iter().map(|(id, grant)| (id.as_str(), &grant.roles, &grant.scopes)).collect();
    assert_eq!(grants, [("a", &vec!["booker".to_owned()], &vec!["trips:write".to_owned()]), ("b", &vec![], &vec![])]);
}

#[test]
fn invalid_keys_and_grants_are_reported_without_their_values() {
    let root = folder("invalid-keys", &[]);
    let [key, _] = PUBLIC;
    let unused_bits = key.replace("URo", "URp");
    for (text, expected) in [
        ("keys: {}".to_owned(), "E0203"),
        ("keys: [{ agent: a, keyId: k }]".to_owned(), "E0202"),
        (format!("keys: [{{ agent: a, keyId: k, ed25519: {key}, d: x }}]"), "E0201"),
        (format!("keys: [{{ agent: agent://a, keyId: k, ed25519: {key} }}]"), "E0303"),
        (format!("keys: [{{ agent: a, keyId: \"\", ed25519: {key} }}]"), "E0214"),
        (format!("keys: [{{ agent: a, keyId: {}, ed25519: {key} }}]", "x".repeat(129)), "E0309"),
        (format!("keys: [{{ agent: a, keyId: k, ed25519: {}= }}]", key), "E0309"),
        (format!("keys: [{{ agent: a, keyId: k, ed25519: {unused_bits} }}]"), "E0309"),
        (format!("keys: [{{ agent: a, keyId: k, ed25519: {key}, notAfter: 2027-02-30 }}]"), "E0309"),
        (
            format!("keys: [{{ agent: a, keyId: k, ed25519: {key} }}, {{ agent: a, keyId: k, ed25519: {key} }}]"),
            "E0310",
        ),
        ("grants: [a]".to_owned(), "E0203"),
        ("grants: { ../a: {} }".to_owned(), "E0303"),
        ("grants: { a: { role: [x] } }".to_owned(), "E0201"),
        ("grants: { a: { roles: [\"\"] } }".to_owned(), "E0214"),
    ] {
        fs::write(root.join("fleet.yaml"), format!("agents: []\n{text}\n")).unwrap();
        let findings = Fleet::open(&root).unwrap_err();
        assert_eq!(findings.len(), 1, "{text}: {findings:?}");
        let shown = short_findings(&root, &findings);
        assert!(shown.starts_with(expected), "{text}: {shown}");
        let rendered = capgen_diagnostic::render::human(&findings, false);
        assert!(!rendered.contains(&key[..20]), "{rendered}");
    }
}
