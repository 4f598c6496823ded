//! `capgen amp bundle`.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use capgen_amp::cbor::{Limits, Map, Value, decode, encode};
use capgen_amp::message::SigningKey;

use super::Folder;
use crate::common::{REVIEWER, Run};

/// The first test vector of RFC 8032, section 7.1.
const SEED: &str = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
const PUBLIC: &str = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
/// The second one.
const OTHER_SEED: &str = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb";

const SIGNER: &str = "did:web:publisher.example";
const CREATED: &str = "1700000000000";

/// A capability with a schema on both sides, and one without schemas.
fn manifest() -> String {
    format!(
        "{REVIEWER}    version: 2.1.0\n    supportedVersions: ['>=2.0.0 <3.0.0']\n  - {{ name: ping, version: 1.0.0 }}\n"
    )
}

/// A folder with a manifest and a key.
fn sources() -> Folder {
    let folder = Folder::new();
    folder.write("capabilities.yaml", manifest());
    folder.write_secret("key", &format!("{SEED}\n"));
    folder
}

fn create(folder: &Folder, arguments: &str) -> Run {
    let fixed =
        format!("bundle create --namespace org.example --out bundle --me {SIGNER} --secret-file key --now {CREATED}");
    folder.run(fixed.split(' ').chain(arguments.split_whitespace()))
}

/// A folder with a bundle.
fn created() -> Folder {
    let folder = sources();
    let run = create(&folder, "--capabilities capabilities.yaml").ended(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", "✓ wrote bundle: 2 capabilities, 3 schemas\n"));
    folder
}

fn verify(folder: &Folder, arguments: &str) -> Run {
    let fixed = format!("bundle verify --json --trust {SIGNER}={PUBLIC}");
    folder.run(fixed.split(' ').chain(arguments.split_whitespace()).chain(["bundle"]))
}

/// Checks that a bundle is rejected with 5002, and that a message contains each of these parts.
#[track_caller]
fn rejected(folder: &Folder, parts: &[&str]) {
    let run = verify(folder, "").ended(1);
    let document = run.json();
    assert_eq!((&document["ok"], &document["error"]["code"]), (&false.into(), &5002.into()), "{run:?}");
    let message = document["error"]["message"].as_str().unwrap();
    assert!(parts.iter().all(|part| message.contains(part)), "{message}");
    // The same without `--json`.
    let run = folder.run(["bundle", "verify", "--trust", &format!("{SIGNER}={PUBLIC}"), "bundle"]).ended(1);
    assert!(run.stdout.is_empty() && run.stderr.lines().all(|line| line.starts_with("5002 UNAVAILABLE: ")), "{run:?}");
    assert!(parts.iter().all(|part| run.stderr.contains(part)), "{run:?}");
}

fn artifacts(folder: &Folder) -> Vec<PathBuf> {
    let mut paths: Vec<_> =
        fs::read_dir(folder.path("bundle/artifacts")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// A change of an artifact, and the reason that is reported.
type Fault<'f> = (&'f str, &'f dyn Fn(&PathBuf));

/// Applies a fault to each artifact.
fn each_artifact((reason, fault): Fault<'_>) {
    let folder = created();
    let paths = artifacts(&folder);
    assert_eq!(paths.len(), 3);
    for path in paths {
        let bytes = fs::read(&path).unwrap();
        fault(&path);
        rejected(&folder, &[&format!("artifacts/{}: {reason}", path.file_name().unwrap().to_str().unwrap())]);
        fs::remove_file(&path).ok();
        fs::write(&path, bytes).unwrap();
        verify(&folder, "").ended(0);
    }
}

#[test]
fn a_created_bundle_is_valid() {
    let folder = created();
    let run = verify(&folder, "").ended(0);
    assert_eq!(run.stdout, "{\"ok\":true,\"error\":null}\n");
    let run = folder.run(["bundle", "verify", "--trust", &format!("{SIGNER}={PUBLIC}"), "bundle"]).ended(0);
    assert!(run.stderr.contains("signed by `did:web:publisher.example`") && run.stdout.is_empty(), "{run:?}");
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let (one, other) = (created(), created());
    let files = |folder: &Folder| -> Vec<(PathBuf, Vec<u8>)> {
        let paths = artifacts(folder).into_iter().chain([folder.path("bundle/bundle.cbor")]);
        paths.map(|path| (path.file_name().unwrap().into(), fs::read(&path).unwrap())).collect()
    };
    assert_eq!(files(&one), files(&other));
    let run = create(&one, "--capabilities capabilities.yaml").ended(0);
    assert_eq!(run.stderr, "  unchanged bundle\n");
}

#[test]
fn a_missing_artifact_is_unavailable() {
    each_artifact(("is missing", &|path| fs::remove_file(path).unwrap()));
}

#[test]
fn a_truncated_artifact_is_unavailable() {
    each_artifact(("has ", &|path| fs::write(path, &fs::read(path).unwrap()[1..]).unwrap()));
}

#[test]
fn an_altered_artifact_is_unavailable() {
    let last = |path: &PathBuf| {
        let mut bytes = fs::read(path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(path, bytes).unwrap();
    };
    each_artifact(("is altered", &last));
}

#[test]
fn an_oversized_artifact_is_unavailable() {
    let grow = |path: &PathBuf| fs::File::options().write(true).open(path).unwrap().set_len(1 << 40).unwrap();
    each_artifact(("is longer than its ", &grow));
}

#[cfg(unix)]
#[test]
fn an_artifact_that_is_linked_outside_is_unavailable() {
    let outside = tempfile::TempDir::new().unwrap();
    let link = |path: &PathBuf| {
        let target = outside.path().join("target");
        fs::rename(path, &target).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
    };
    each_artifact(("is a link", &link));
}

#[cfg(unix)]
#[test]
fn a_linked_folder_is_unavailable() {
    let folder = created();
    fs::rename(folder.path("bundle/artifacts"), folder.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink("../elsewhere", folder.path("bundle/artifacts")).unwrap();
    rejected(&folder, &["artifacts: is a link"]);
}

#[cfg(unix)]
#[test]
fn a_link_that_is_not_listed_is_ignored() {
    let folder = created();
    std::os::unix::fs::symlink("/etc/passwd", folder.path("bundle/artifacts/other.json")).unwrap();
    folder.write("bundle/README", "x");
    verify(&folder, "").ended(0);
}

#[test]
fn faults_of_several_artifacts_are_reported_at_once() {
    let folder = created();
    artifacts(&folder).iter().for_each(|path| fs::remove_file(path).unwrap());
    let message = verify(&folder, "").ended(1).json()["error"]["message"].to_string();
    assert_eq!(message.matches("is missing").count(), 3, "{message}");
}

#[test]
fn another_signer_is_unknown() {
    let folder = created();
    // Signed again, with another key, in the name of the trusted signer and in another name.
    folder.write_secret("key", OTHER_SEED);
    create(&folder, "--capabilities capabilities.yaml").ended(0);
    rejected(&folder, &["bundle.cbor: the signature is invalid"]);
    let arguments = "bundle create --namespace org.example --out bundle --me did:web:other --secret-file key --capabilities capabilities.yaml";
    folder.run(arguments.split(' ')).ended(0);
    rejected(&folder, &["bundle.cbor: the signer `did:web:other` is not trusted"]);
    // Without a list, every signer is unknown, even a DID that contains its key.
    let run = folder.run(["bundle", "verify", "--json", "bundle"]).ended(1);
    assert_eq!(run.json()["error"]["code"], 5002);
}

#[test]
fn a_truncated_or_missing_signed_file_is_unavailable() {
    let folder = created();
    let bytes = fs::read(folder.path("bundle/bundle.cbor")).unwrap();
    folder.write("bundle/bundle.cbor", &bytes[..bytes.len() / 2]);
    rejected(&folder, &["bundle.cbor: is not deterministic CBOR"]);
    fs::remove_file(folder.path("bundle/bundle.cbor")).unwrap();
    rejected(&folder, &["bundle.cbor: is missing"]);
    fs::File::create(folder.path("bundle/bundle.cbor")).unwrap().set_len((16 << 20) + 1).unwrap();
    rejected(&folder, &["bundle.cbor: is longer than 16777216 bytes"]);
}

#[test]
fn an_older_bundle_than_required_is_unavailable() {
    let folder = created();
    verify(&folder, "--min-created 1700000000000").ended(0);
    // Decision 24: at most a day ahead of the clock.
    verify(&folder, "--now 1699913600000").ended(0);
    let run = verify(&folder, "--now 1699913599999").ended(1);
    assert!(run.stdout.contains("was created at 1700000000000, more than a day after 1699913599999"), "{run:?}");
    let run = verify(&folder, "--min-created 1700000000001").ended(1);
    assert!(run.json()["error"]["message"].as_str().unwrap().contains("was created at 1700000000000"), "{run:?}");
}

/// Runs the other tests of this file again, in a network namespace without interfaces.
#[test]
fn everything_works_without_a_network() {
    let unshare = |program: &std::ffi::OsStr, arguments: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--net"]).arg(program).args(arguments).stdin(Stdio::null()).output()
    };
    let interfaces = unshare("cat".as_ref(), &["/proc/net/dev"]);
    let Some(interfaces) = interfaces.ok().filter(|output| output.status.success()) else {
        println!("skipped: `unshare --map-root-user --net` does not work here");
        return;
    };
    // Two lines of headings, and `lo`, which is down.
    assert_eq!(String::from_utf8(interfaces.stdout).unwrap().lines().count(), 3);
    let tests = std::env::current_exe().unwrap();
    let output = unshare(tests.as_os_str(), &["amp::bundle::", "--skip", "without_a_network"]).unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && text.contains("test amp::bundle::a_created_bundle_is_valid ... ok"), "{text}");
}

/// `verify_bundle.py` was written from the specification, and shares no code with capgen.
#[test]
fn an_independent_verifier_agrees() {
    if !Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success()) {
        println!("skipped: `python3` is not installed");
        return;
    }
    let folder = created();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/amp/verify_bundle.py");
    let independent = |public: &str| {
        let arguments = [script, "bundle", SIGNER, public];
        Command::new("python3").args(arguments).current_dir(folder.path(".")).output().unwrap()
    };
    let output = independent(PUBLIC);
    let ids = "org.example.ping:1.0.0\norg.example.review-pr:2.1.0\n";
    assert_eq!((String::from_utf8(output.stdout).unwrap().as_str(), output.status.code()), (ids, Some(0)));
    assert_eq!(independent("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c").status.code(), Some(1));
    // Both reject the same changes.
    let path = folder.path("bundle/bundle.cbor");
    let bytes = fs::read(&path).unwrap();
    for index in (0..bytes.len()).step_by(97) {
        let mut changed = bytes.clone();
        changed[index] ^= 4;
        fs::write(&path, changed).unwrap();
        verify(&folder, "").ended(1);
        assert_eq!(independent(PUBLIC).status.code(), Some(1), "byte {index}");
    }
}

/// Changes the signed map, and signs it again with the trusted key.
fn edit(folder: &Folder, change: impl FnOnce(&mut Map)) {
    let path = folder.path("bundle/bundle.cbor");
    let Ok(Value::Map(mut bundle)) = decode(&fs::read(&path).unwrap(), &Limits::default()) else { panic!("no map") };
    bundle.remove("sig");
    change(&mut bundle);
    let content = encode(&Value::Map(bundle.clone()));
    let signed = Value::Array(vec!["AMP-bundle-v1".into(), Value::Bytes(Vec::new()), Value::Bytes(content)]);
    bundle.insert("sig", SigningKey::from_hex(SEED).unwrap().sign(&encode(&signed)).as_slice());
    fs::write(&path, encode(&Value::Map(bundle))).unwrap();
}

#[test]
fn keys_that_differ_only_in_case_are_unavailable() {
    let folder = created();
    let first = artifacts(&folder)[0].clone();
    edit(&folder, |bundle| {
        let Some(Value::Map(mut listed)) = bundle.remove("artifacts") else { panic!("no artifacts") };
        let artifact = listed.get(first.file_name().unwrap().to_str().unwrap()).unwrap().clone();
        for name in ["a.json", "A.json"] {
            fs::copy(&first, first.with_file_name(name)).unwrap();
            listed.insert(name, artifact.clone());
        }
        bundle.insert("artifacts", listed);
    });
    rejected(&folder, &["bundle.cbor: /artifacts/a.json: differs from the key `A.json` only in case"]);
}

#[test]
fn text_in_a_bundle_cannot_control_the_terminal() {
    const HOSTILE: &str = "x\u{1b}[2J\r\n\u{202e}y";
    let folder = created();
    edit(&folder, |bundle| {
        bundle.insert("bundle_id", HOSTILE);
        bundle.insert("signer", format!("did:{HOSTILE}"));
        bundle.insert("descriptors", Value::Array(Vec::new()));
    });
    let shown = folder.run(["bundle", "show", "bundle"]).ended(0);
    let json = folder.run(["bundle", "show", "--json", "bundle"]).ended(0);
    assert_eq!(json.json()["bundle_id"], HOSTILE);
    let unknown = verify(&folder, "").ended(1);
    let human = folder.run(["bundle", "verify", "bundle"]).ended(1);
    for text in [shown.stdout, json.stdout, unknown.stdout, human.stderr] {
        assert!(!text.contains(['\u{1b}', '\r', '\u{202e}']), "{text:?}");
    }
}

#[test]
fn show_displays_a_bundle_without_trusting_it() {
    let folder = created();
    let run = folder.run(["bundle", "show", "bundle"]).ended(0);
    for line in [
        "created    2023-11-14T22:13:20.000Z (1700000000000)",
        "signer     did:web:publisher.example",
        "signature  not checked: the DID does not contain its key",
        "trust      not checked: use `capgen amp bundle verify`",
        "org.example.ping:1.0.0",
        "org.example.review-pr:2.1.0",
        "  supported  >=2.0.0 <3.0.0",
    ] {
        assert!(run.stdout.lines().any(|found| found == line), "{line}: {run:?}");
    }
    let document = folder.run(["bundle", "show", "--json", "bundle"]).ended(0).json();
    assert_eq!((&document["ok"], &document["trust"]), (&true.into(), &"unchecked".into()));
    assert_eq!(document["descriptors"][1]["id"], "org.example.review-pr:2.1.0");
    assert_eq!(document["descriptors"][1]["timeout_ms"], 60000);
    let key = document["descriptors"][1]["input_schema"]["artifact_key"].as_str().unwrap();
    assert_eq!(document["artifacts"][key]["hash"], document["descriptors"][1]["input_schema"]["hash"]);
    fs::remove_file(&artifacts(&folder)[0]).unwrap();
    let run = folder.run(["bundle", "show", "--json", "bundle"]).ended(1);
    assert_eq!(run.json()["error"]["code"], 5002);
}

#[test]
fn a_bundle_has_the_annotations_of_schemas_but_no_other_texts_of_the_manifest() {
    let folder = created();
    let all: Vec<u8> = artifacts(&folder)
        .into_iter()
        .chain([folder.path("bundle/bundle.cbor")])
        .flat_map(|path| fs::read(path).unwrap())
        .collect();
    let text = String::from_utf8_lossy(&all);
    assert!(text.contains("GitHub PR URL."));
    for private in ["Review a GitHub pull request.", "agents.pr-reviewer.requests", SEED] {
        assert!(!text.contains(private), "{private}");
    }
}

#[test]
fn several_versions_of_an_agent_are_one_bundle() {
    let folder = sources();
    folder.write(
        "old.yaml",
        manifest().replace("2.1.0", "2.0.0").replace("name: ping, version: 1.0.0", "name: pong, version: 1.0.0"),
    );
    let run = create(&folder, "--capabilities capabilities.yaml old.yaml --json").ended(0);
    let ids = [
        "org.example.ping:1.0.0",
        "org.example.pong:1.0.0",
        "org.example.review-pr:2.0.0",
        "org.example.review-pr:2.1.0",
    ];
    assert_eq!(run.json()["capabilities"], serde_json::json!(ids));
    verify(&folder, "").ended(0);
}

#[test]
fn a_replaced_bundle_keeps_other_files_and_no_old_schemas() {
    let folder = created();
    folder.write("bundle/README", "x");
    folder.write("bundle/artifacts/notes.txt", "x");
    folder.write("capabilities.yaml", manifest().replace("GitHub PR URL.", "A URL."));
    let old = artifacts(&folder);
    create(&folder, "--capabilities capabilities.yaml").ended(0);
    let new = artifacts(&folder);
    assert_eq!(new.len(), 4);
    assert_eq!(old.iter().filter(|path| !new.contains(path)).count(), 1);
    assert!(folder.path("bundle/README").exists());
    verify(&folder, "").ended(0);
}

#[test]
fn every_error_of_every_manifest_is_reported_and_nothing_is_written() {
    let folder = sources();
    let text = REVIEWER.replace("review-pr\n", "Review_PR\n");
    folder.write("capabilities.yaml", format!("{text}  - {{ name: a, version: 1.0.0+x }}\n"));
    folder.write(
        "b.yaml",
        format!(
            "{}  - {{ name: a, version: 1.0.0 }}\n",
            REVIEWER.replace("idempotent", "version: 3.0.0\n    idempotent")
        ),
    );
    folder.write_secret("key", "hunter2");
    let run = create(&folder, "--capabilities capabilities.yaml --capabilities b.yaml").ended(1);
    let errors: Vec<_> = run.stderr.lines().filter(|line| line.starts_with("error")).collect();
    assert_eq!(
        errors,
        [
            "error[E0678]: cannot use the secret file `key`: a key has 64 hexadecimal digits",
            "error[E0671]: `org.example.Review_PR` is not a name of AMP: the segments of a name consist of words of lower-case letters and digits, separated by single hyphens",
            "error[E0672]: the capability `Review_PR` has no `version`",
        ]
    );
    assert!(!run.stderr.contains("hunter2") && run.stdout.is_empty(), "{run:?}");
    assert!(!folder.path("bundle").exists());
    folder.write("capabilities.yaml", "version: 1\n");
    let run = create(&folder, "--capabilities capabilities.yaml --capabilities b.yaml").ended(1);
    assert!(run.stderr.contains("E0678") && run.stderr.contains("capabilities.yaml"), "{run:?}");
}

#[test]
fn equal_versions_in_two_files_are_shown_in_both() {
    let folder = sources();
    folder.write("b.yaml", manifest().replace("ping", "pong"));
    let run = create(&folder, "--capabilities capabilities.yaml b.yaml").ended(1);
    assert!(run.stderr.contains("error[E0674]: `org.example.review-pr:2.1.0` and"), "{run:?}");
    assert!(run.stderr.contains("b.yaml:8") && run.stderr.contains("capabilities.yaml:8"), "{run:?}");
}

#[test]
fn a_folder_that_is_not_a_bundle_is_not_changed() {
    for path in ["bundle/notes.txt", "bundle/artifacts/a.json"] {
        let folder = sources();
        fs::create_dir_all(folder.path(path).parent().unwrap()).unwrap();
        folder.write(path, "mine");
        let run = create(&folder, "--capabilities capabilities.yaml").ended(1);
        assert!(run.stderr.contains("error[E0679]: cannot write a bundle to `bundle`"), "{run:?}");
        assert!(!folder.path("bundle/bundle.cbor").exists());
    }
    let folder = sources();
    folder.write("bundle", "a file");
    create(&folder, "--capabilities capabilities.yaml").ended(1);
    assert_eq!(fs::read(folder.path("bundle")).unwrap(), b"a file");
}

#[cfg(unix)]
#[test]
fn create_follows_no_links_in_the_bundle() {
    let folder = created();
    let (artifact, outside) = (artifacts(&folder)[0].clone(), folder.path("outside"));
    fs::remove_file(&artifact).unwrap();
    fs::write(&outside, "mine").unwrap();
    std::os::unix::fs::symlink(&outside, &artifact).unwrap();
    create(&folder, "--capabilities capabilities.yaml").ended(0);
    assert_eq!(fs::read(&outside).unwrap(), b"mine");
    verify(&folder, "").ended(0);
}

#[cfg(unix)]
#[test]
fn a_secret_file_that_others_may_read_is_a_warning() {
    use std::os::unix::fs::PermissionsExt;
    let folder = sources();
    fs::set_permissions(folder.path("key"), fs::Permissions::from_mode(0o640)).unwrap();
    let run = create(&folder, "--capabilities capabilities.yaml").ended(0);
    assert!(run.stderr.contains("warning[W0678]: other users may read the secret file `key`"), "{run:?}");
    assert!(!run.stderr.contains(SEED), "{run:?}");
}

#[test]
fn the_commands_of_the_documentation_run() {
    let folder = sources();
    folder.write_secret("publisher.key", SEED);
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/amp.md")).unwrap();
    let commands = page.lines().filter_map(|line| line.trim_start().strip_prefix("capgen amp bundle "));
    let mut count = 0;
    for command in commands {
        let command = format!("bundle {}", command.replace("$HEXPUB", PUBLIC));
        folder.run(command.split(' ')).ended(0);
        count += 1;
    }
    assert_eq!(count, 3);
}

#[test]
fn wrong_arguments_are_incorrect_usage() {
    let folder = sources();
    create(&folder, "").ended(2);
    let base = format!(
        "bundle create --capabilities capabilities.yaml --out bundle --secret-file key --me {SIGNER} --namespace"
    );
    for namespace in ["org", "Org.Example", "org..a"] {
        let run = folder.run(base.split(' ').chain([namespace])).ended(2);
        assert!(run.stderr.contains("namespace"), "{run:?}");
    }
    folder.run(["bundle", "verify", "--trust", "did:web:a=00", "bundle"]).ended(2);
    folder.run(["bundle", "create", "--me", "web:a"]).ended(2);
}
