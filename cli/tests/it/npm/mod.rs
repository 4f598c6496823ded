//! The packages for npm: their files, their installation, the launcher and the Node API.
#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod agents;
mod bundlers;
mod installed;
mod launcher;
#[path = "../../../../tools/xtask/src/npm.rs"]
#[allow(dead_code, reason = "the file is also a part of another crate")]
mod packages;
mod project;

use std::path::{Path, PathBuf};

use packages::{PLATFORMS, Platform};
use serde_json::{Value, json};

/// The platform that the tests run on.
fn platform() -> Platform {
    let system = match (std::env::consts::OS, cfg!(target_env = "musl")) {
        ("macos", _) => "apple-darwin",
        (_, true) => "unknown-linux-musl",
        (_, false) => "unknown-linux-gnu",
    };
    Platform::of(&format!("{}-{system}", std::env::consts::ARCH)).unwrap()
}

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Writes the packages with this program into a folder; the result is their folders.
fn assemble(out: &Path, program: &Path) -> [PathBuf; 2] {
    packages::assemble(&root(), out, &platform(), program).unwrap()
}

#[test]
fn there_is_a_package_for_each_platform() {
    let out = tempfile::TempDir::new().unwrap();
    let program = out.path().join("program");
    std::fs::write(&program, "").unwrap();
    let manifest = |folder: &Path| -> Value {
        serde_json::from_slice(&std::fs::read(folder.join("package.json")).unwrap()).unwrap()
    };
    let version = env!("CARGO_PKG_VERSION");
    let mut names = Vec::new();
    for platform in PLATFORMS {
        let [cli, folder] = packages::assemble(&root(), out.path(), &platform, &program).unwrap();
        let (cli, package) = (manifest(&cli), manifest(&folder));
        let name = format!("@capgen/cli-{}", platform.name());
        assert_eq!(
            (&package["name"], &package["version"], &cli["version"]),
            (&json!(name), &json!(version), &json!(version))
        );
        assert_eq!(cli["optionalDependencies"][&name], version, "{name}");
        let values =
            |key: &str| package[key].as_array().map(|values| values.iter().map(|v| v.as_str().unwrap()).collect());
        let name_of = |system: Vec<&str>, cpu: Vec<&str>| format!("@capgen/cli-{}-{}", system.join(","), cpu.join(","));
        assert!(name.starts_with(&name_of(values("os").unwrap(), values("cpu").unwrap())), "{package}");
        // Without this field, npm would install both packages on Linux.
        let libc: Option<Vec<&str>> = values("libc");
        assert_eq!(libc.is_some(), name.contains("linux"), "{package}");
        assert_eq!(libc.is_some_and(|libc| libc == ["musl"]), name.ends_with("-musl"), "{package}");
        let readme = std::fs::read_to_string(folder.join("README.md")).unwrap();
        assert!(!readme.contains('{') && !package.to_string().contains("{platform}"), "{package}");
        let expected = if name.contains("win32") { "bin/capgen.exe" } else { "bin/capgen" };
        assert!(folder.join(expected).is_file());
        names.push(name);
    }
    // These have no program, so each platform has the same.
    for (folder, name) in [("nats", "@capgen/nats"), ("otel", "@capgen/otel"), ("unplugin", "@capgen/unplugin")] {
        let package = manifest(&out.path().join(folder));
        assert_eq!((&package["name"], &package["version"]), (&json!(name), &json!(version)));
    }
    let listed = manifest(&out.path().join("cli"))["optionalDependencies"].as_object().unwrap().len();
    assert_eq!(listed, names.len());
}
