//! The files of private keys.

use std::fs::Metadata;
use std::path::Path;

use capgen_diagnostic::Diagnostic;
use capgen_files::{open_input, read_input};
use capgen_manifest::shown;

use crate::codes;
use crate::console::Console;

/// Far more than a key and a line end, in bytes.
const MAX: u64 = 4096;

/// Reads a key. `parse` reads the text of the file, and `expected` describes it. Warns if other users may read the
/// file. No message contains the contents.
///
/// # Errors
///
/// One finding: the file cannot be read, or has other contents.
pub(crate) fn read<K>(
    path: &Path,
    expected: &str,
    parse: impl FnOnce(&str) -> Result<K, String>,
    console: &Console,
) -> Result<K, Vec<Diagnostic>> {
    let fail = |reason: String| {
        let message = format!("cannot use the secret file `{}`: {reason}", shown(path));
        let help = format!("the file contains {expected}");
        vec![Diagnostic::new(codes::SECRET_UNUSABLE, message).in_file(shown(path)).help(help)]
    };
    let file = open_input(path).map_err(|error| fail(error.to_string()))?;
    let is_shared = file.metadata().is_ok_and(|metadata| is_shared(&metadata));
    let bytes = read_input(file, MAX).map_err(|error| fail(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| fail("it is not text".to_owned()))?;
    let key = parse(&text).map_err(fail)?;
    if is_shared {
        let message = format!("other users may read the secret file `{}`", shown(path));
        let warning = Diagnostic::new(codes::SECRET_SHARED, message).in_file(shown(path));
        console.report(&[warning.help("allow only its owner to read it: `chmod 600`")]);
    }
    Ok(key)
}

/// Whether the group or others may read a file.
#[cfg(unix)]
fn is_shared(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.is_file() && metadata.permissions().mode() & 0o044 != 0
}

#[cfg(not(unix))]
fn is_shared(_: &Metadata) -> bool {
    false
}
