//! The modules of some crates depend on each other in one direction, also if a re-export in `lib.rs` hides the module.

use std::collections::BTreeMap;

use crate::architecture::code;
use crate::architecture::repository::{files, text};

/// Modules from the lowest layer up. A module may use only modules of lower layers.
type Layers = [&'static [&'static str]];

#[test]
fn modules_of_payload_depend_on_each_other_in_one_direction() {
    assert_one_direction(
        "runtime/payload/src/",
        &[
            &["options", "invalid_payload", "unsupported_schema"],
            &["wire"],
            &["payload", "never"],
            &["declared_capability"],
            &["capability"],
            &["derive"],
            // Macros expand in the crates of users.
            &["macros"],
        ],
    );
}

#[test]
fn modules_of_dci_depend_on_each_other_in_one_direction() {
    assert_one_direction(
        "protocols/dci/src/",
        &[&["codes", "score", "warning"], &["inputs"], &["choose"], &["report"], &["files", "lint"]],
    );
}

#[test]
fn modules_of_call_depend_on_each_other_in_one_direction() {
    assert_one_direction(
        "runtime/call/src/",
        &[
            &["decimal", "declared_errors", "identity", "needed"],
            &["address", "envelope", "id", "trace", "transport", "violation", "wait"],
            &["idempotency_store", "outcome", "peers", "token"],
            &["audit", "build_error", "conformance", "failure", "layered", "memory", "options", "otel", "settings"],
            &["context", "journal"],
            &["authorization"],
            &["client", "server"],
            // Macros expand in the crates of users.
            &["agent_macro", "details", "termination", "tower"],
        ],
    );
}

#[test]
fn files_of_the_server_of_calls_use_only_those_before_them() {
    let folder = "runtime/call/src/server/";
    let order = [
        "callers",
        "tokens",
        "gate",
        "difference",
        "respond",
        "outgoing",
        "version",
        "verdict",
        "skew",
        "entry",
        "versions",
        "run_error",
        "served",
        "handlers",
        "direct",
        "handler_layers",
        "idempotency",
        "stored",
        "seen",
        "cancels",
        "control_rate",
        "numbers",
        "due",
        "shared",
        "authorize",
        "measure",
        "admit",
        "run",
        "layers",
        "once",
        "watch",
        "notice",
        "control",
        "serve",
        "subscriptions",
        "running",
        "authority",
        "builder",
        "access",
    ];
    let place = |file: &str| order.iter().position(|known| *known == file);
    let files = files();
    let inner: Vec<&str> =
        files.iter().filter_map(|path| path.strip_prefix(folder)).filter(|path| *path != "mod.rs").collect();
    assert_eq!(inner.len(), order.len(), "add each file of the server to the order: {inner:?}");
    for path in inner {
        let file = path.trim_end_matches(".rs");
        let own = place(file).unwrap_or_else(|| panic!("`{path}` has no place in the order"));
        let source = text(&format!("{folder}{path}")).unwrap();
        let source = code(&source).into_iter().map(|(_, line)| line).collect::<Vec<_>>().join(" ");
        for name in paths(&source, "super::").iter().chain(&paths(&source, "crate::server::")) {
            assert!(place(name).is_some_and(|used| used < own), "{path}: `{file}` uses `{name}`, which is after it");
        }
    }
}

fn assert_one_direction(folder: &str, layers: &Layers) {
    let layer = |module: &str| layers.iter().position(|layer| layer.contains(&module));
    let exports = exports(&text(&format!("{folder}lib.rs")).unwrap(), layers);
    for path in files().iter().filter(|path| path.ends_with(".rs")) {
        let Some(module) = path.strip_prefix(folder).and_then(|path| path.split(['/', '.']).next()) else {
            continue;
        };
        // The root declares the modules.
        if module == "lib" {
            continue;
        }
        let own = layer(module).unwrap_or_else(|| panic!("`{path}` has no layer: add its module to the layers"));
        let source = text(path).unwrap();
        let source = code(&source).into_iter().map(|(_, line)| line).collect::<Vec<_>>().join(" ");
        for name in paths(&source, "crate::") {
            let used = exports.get(&name).map_or(name.as_str(), String::as_str);
            // Anything else is a macro, or comes from another crate.
            let Some(used_layer) = layer(used) else { continue };
            assert!(used == module || used_layer < own, "{path}: `{module}` uses `{used}`, which is not below it");
        }
    }
}

/// The names after a prefix, such as `crate::`, except in macros for users.
fn paths(source: &str, prefix: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (start, _) in source.match_indices(prefix) {
        let rest = &source[start + prefix.len()..];
        if source[..start].ends_with('$') {
            continue;
        }
        let list = match rest.strip_prefix('{') {
            Some(list) => list.split('}').next().unwrap(),
            None => rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap(),
        };
        names.extend(list.split(',').map(|name| name.trim().split("::").next().unwrap().to_owned()));
    }
    names
}

/// The module of each name that `lib.rs` re-exports from a module of its own.
fn exports(root: &str, layers: &Layers) -> BTreeMap<String, String> {
    let mut exports = BTreeMap::new();
    for module in layers.iter().copied().flatten() {
        for (start, path) in root.match_indices(&format!("{module}::")) {
            // `payload` is also the end of `invalid_payload`.
            if root[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
                continue;
            }
            let names = &root[start + path.len()..];
            let end = if names.starts_with('{') { names.find('}') } else { names.find([',', ';']) };
            let names = names[..end.unwrap()].trim_start_matches('{');
            exports.extend(names.split(',').map(|name| (name.trim().to_owned(), (*module).to_owned())));
        }
    }
    exports
}
