//! Files are opened in one place, `contract/files`.

use crate::architecture::repository::{files, text};
use crate::architecture::{LIBRARIES, code};

/// Functions that open a file without a limit, follow every link and wait for pipes.
const DIRECT: [&str; 3] = ["File::open(", "fs::read(", "fs::read_to_string("];

/// Files that call them, each with the reason.
const MAY: [(&str, &str); 1] = [(
    "contract/files/src/open.rs",
    "inputs that the user names may be pipes, which other callers reach through this file",
)];

#[test]
fn only_the_crate_for_files_opens_them_to_read() {
    let mut used = Vec::new();
    for path in files() {
        let mut crates = LIBRARIES.iter().chain(&["cli"]);
        let is_product = crates.any(|krate| path.starts_with(&format!("{krate}/src/"))) && path.ends_with(".rs");
        if !is_product || path.ends_with("/tests.rs") || path.contains("/tests/") {
            continue;
        }
        for (line, code) in code(&text(&path).unwrap()) {
            if !DIRECT.iter().any(|word| code.contains(word)) {
                continue;
            }
            let may = MAY.iter().any(|(file, _)| *file == path);
            assert!(may, "{path}:{line} opens a file itself: use `capgen_files::open` or `read`, or add a reason here");
            used.push(path.clone());
        }
    }
    for (file, _) in MAY {
        assert!(used.iter().any(|path| path == file), "{file} opens no file: remove its exception");
    }
}
