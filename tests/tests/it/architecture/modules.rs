//! The modules of `payload` depend on each other in one direction, also if a re-export in `lib.rs` hides the module.

use std::collections::BTreeMap;

use crate::architecture::code;
use crate::architecture::repository::{files, text};

/// The modules of `runtime/payload/src`, from the lowest layer up. A module may use only modules of lower layers.
const LAYERS: [&[&str]; 6] = [
    &["options", "invalid_payload", "unsupported_schema"],
    &["wire"],
    &["payload", "never"],
    &["declared_capability"],
    &["capability"],
    &["derive"],
];

#[test]
fn modules_of_payload_depend_on_each_other_in_one_direction() {
    let layer = |module: &str| LAYERS.iter().position(|layer| layer.contains(&module));
    let exports = exports(&text("runtime/payload/src/lib.rs").unwrap());
    for path in files().iter().filter(|path| path.ends_with(".rs")) {
        let Some(module) = path.strip_prefix("runtime/payload/src/").and_then(|path| path.split(['/', '.']).next())
        else {
            continue;
        };
        // The root declares the modules, and macros expand in the crates of users.
        if ["lib", "macros"].contains(&module) {
            continue;
        }
        let own = layer(module).unwrap_or_else(|| panic!("`{path}` has no layer: add its module to LAYERS"));
        let source = text(path).unwrap();
        let source = code(&source).into_iter().map(|(_, line)| line).collect::<Vec<_>>().join(" ");
        for name in paths(&source) {
            let used = exports.get(&name).map_or(name.as_str(), String::as_str);
            // Anything else is a macro, or comes from another crate.
            let Some(used_layer) = layer(used) else { continue };
            assert!(used == module || used_layer < own, "{path}: `{module}` uses `{used}`, which is not below it");
        }
    }
}

/// The first names of the paths that start with `crate::`, except in macros for users.
fn paths(source: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (start, _) in source.match_indices("crate::") {
        let rest = &source[start + "crate::".len()..];
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
fn exports(root: &str) -> BTreeMap<String, String> {
    let mut exports = BTreeMap::new();
    for module in LAYERS.into_iter().flatten() {
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
