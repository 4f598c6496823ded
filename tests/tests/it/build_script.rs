//! A crate whose build script calls `verify`, built by cargo.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const CONTRACT: &str = "version: 1
agent: agent://orders
transports: [{ kind: memory, topics: { requests: orders } }]
capabilities: [{ name: place-order, inputSchema: { type: object, properties: { sku: { type: string } } } }]
";

const BUILD: &str = r#"fn main() -> Result<(), capgen_codegen::BuildError> {
    capgen_codegen::Build::new().peer("orders").root("../../the fleet").out_dir("src/contracts").verify()
}
"#;

/// A workspace with one crate and a fleet next to it, in a new folder.
fn workspace(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&root);
    let capgen = capgen_tests::folder().parent().unwrap().to_owned();
    let build = format!("[build-dependencies]\ncapgen-codegen = {{ path = {:?} }}\n", capgen.join("codegen"));
    for (path, text) in [
        ("Cargo.toml", "[workspace]\nmembers = [\"crates/caller\"]\nresolver = \"3\"\n[profile.dev]\ndebug = 0\n"),
        (
            "crates/caller/Cargo.toml",
            &format!("[package]\nname = \"caller\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n{build}"),
        ),
        ("crates/caller/build.rs", BUILD),
        ("crates/caller/src/lib.rs", ""),
        ("the fleet/agents/orders/capabilities.yaml", CONTRACT),
    ] {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), text).unwrap();
    }
    fs::copy(capgen.join("Cargo.lock"), root.join("Cargo.lock")).unwrap();
    root
}

fn shell(folder: &Path, line: &str) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(folder).env_remove("CAPGEN_UPDATE");
    command
        .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("target"))
        .env("CARGO_NET_OFFLINE", "true");
    command.output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[cfg(unix)]
#[test]
fn the_printed_command_makes_the_build_pass_and_packaged_crates_stay_as_they_are() {
    let root = workspace("verify");
    let caller = root.join("crates/caller");
    let file = caller.join("src/contracts/orders.rs");
    for problem in ["is missing", "is out of date"] {
        let failed = shell(&root, "cargo build");
        let text = stderr(&failed);
        assert!(!failed.status.success() && text.contains(&format!("`src/contracts/orders.rs` {problem}")), "{text}");
        let fix = text.split("help: run `").nth(1).unwrap().split('`').next().unwrap();
        let updated = shell(&caller, fix);
        assert!(updated.status.success(), "{fix}: {}", stderr(&updated));
        assert!(stderr(&updated).contains("updated `src/contracts/orders.rs`"), "{}", stderr(&updated));
        assert!(shell(&root, "cargo build").status.success());
        fs::write(root.join("the fleet/agents/orders/capabilities.yaml"), CONTRACT.replace("sku", "article")).unwrap();
    }
    fs::write(root.join("the fleet/agents/orders/capabilities.yaml"), "version: 2\n").unwrap();
    let invalid = stderr(&shell(&root, "cargo build"));
    assert!(invalid.contains("--> ../../the fleet/agents/orders/capabilities.yaml:1:"), "{invalid}");
    fs::write(caller.join("Cargo.toml.orig"), "").unwrap();
    let before = fs::read_to_string(&file).unwrap();
    let packaged = shell(&root, "CAPGEN_UPDATE=1 cargo build");
    assert!(
        packaged.status.success() && stderr(&packaged).contains("CAPGEN_UPDATE is ignored"),
        "{}",
        stderr(&packaged)
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
    let line = before.lines().find_map(|line| line.strip_prefix("// Regenerate: ")).unwrap();
    let expected =
        "capgen --peer orders --root '../../../../the fleet' --lang rust --out . # in the folder of this file";
    assert_eq!(line, expected);
}
