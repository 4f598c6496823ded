//! The cores of the registry and of DCI are pure: equal inputs lead to equal answers, on every machine and at every
//! time.

use crate::architecture::repository::{files, text};
use crate::architecture::{code, linked};

/// The folders of `protocols/registry/src` that are not part of the core: logs, and programs around a registry.
const BESIDE: [&str; 2] = ["log/", "live/"];

/// Words of code that reads or writes anything but its arguments, or that waits.
const IMPURE: [&str; 19] = [
    "std::fs",
    "std::io",
    "std::net",
    "std::os",
    "std::env",
    "std::process",
    "std::thread",
    "thread_local!",
    "SystemTime",
    "SystemClock",
    "Instant",
    "now_utc",
    "now_v7",
    "new_v4",
    "getrandom",
    "rand::",
    "tokio",
    "async ",
    // A list could contain one of the modules above.
    "std::{",
];

#[test]
fn the_core_of_the_registry_is_pure() {
    let modules = ["kernel.rs", "fold.rs", "state/mod.rs", "event/check.rs", "registry/resolve.rs"];
    assert_pure("protocols/registry/src/", &BESIDE, &modules);
}

#[test]
fn the_core_of_dci_is_pure() {
    let modules = [
        "inputs/alias.rs",
        "inputs/contract/reader.rs",
        "inputs/frontmatter.rs",
        "inputs/reliability.rs",
        "inputs/skill.rs",
        "choose/resolve.rs",
        "report/run.rs",
    ];
    assert_pure("protocols/dci/src/", &["files/"], &modules);
}

/// Checks every file in `folder` except those in the folders `beside`. `modules` must be among them.
fn assert_pure(folder: &str, beside: &[&str], modules: &[&str]) {
    let files = files();
    let core: Vec<&String> = files
        .iter()
        .filter(|path| {
            let inner = path.strip_prefix(folder).filter(|inner| inner.ends_with(".rs"));
            inner.is_some_and(|inner| !beside.iter().any(|folder| inner.starts_with(folder)))
        })
        .collect();
    for module in modules {
        assert!(core.iter().any(|path| **path == format!("{folder}{module}")), "{module} is not checked");
    }
    for path in core {
        for (line, code) in code(&text(path).unwrap()) {
            // A reader is an argument like any other.
            let code = code.replace("use std::io::{self, BufRead};", "").replace("use std::io::BufRead;", "");
            let found = IMPURE.iter().find(|word| code.contains(**word));
            assert_eq!(found, None, "{path}:{line}");
        }
    }
}

#[test]
fn the_core_of_the_registry_links_no_code_for_io() {
    let impure = [
        "async_std",
        "bytes",
        "chrono",
        "futures_core",
        "getrandom",
        "hyper",
        "libsqlite3_sys",
        "mio",
        "rand",
        "rand_core",
        "rayon",
        "rusqlite",
        "rustix",
        "rustls",
        "smol",
        "socket2",
        "tokio",
    ];
    let found = |features: &[&str]| -> Vec<String> {
        linked("capgen-registry", features).into_iter().filter(|name| impure.contains(&name.as_str())).collect()
    };
    assert_eq!(found(&[]), [""; 0]);
    let with_features = found(&["--all-features"]);
    for name in ["getrandom", "rusqlite"] {
        assert!(with_features.iter().any(|found| found == name), "the names of crates are read: {with_features:?}");
    }
}
