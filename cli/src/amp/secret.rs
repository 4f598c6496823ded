//! The file of a private key.

use std::fs::{File, Metadata};
use std::io::Read;
use std::path::Path;

use capgen_amp::message::SigningKey;
use capgen_diagnostic::Diagnostic;
use capgen_manifest::shown;

use crate::codes;
use crate::console::Console;

/// Far more than 64 digits and a line end, in bytes.
const MAX: u64 = 4096;

/// Reads a key: the seed of Ed25519, as 64 hexadecimal digits. Warns if other users may read the file. No message contains the contents.
///
/// # Errors
///
/// One finding: the file cannot be read, or has other contents.
pub(super) fn read(path: &Path, console: &Console) -> Result<SigningKey, Vec<Diagnostic>> {
    let fail = |reason: String| {
        let message = format!("cannot use the secret file `{}`: {reason}", shown(path));
        let help = "the file contains the seed of an Ed25519 key: 64 hexadecimal digits";
        vec![Diagnostic::new(codes::SECRET_UNUSABLE, message).in_file(shown(path)).help(help)]
    };
    let file = File::open(path).map_err(|error| fail(error.to_string()))?;
    let is_shared = file.metadata().is_ok_and(|metadata| is_shared(&metadata));
    let mut text = String::new();
    file.take(MAX + 1).read_to_string(&mut text).map_err(|error| match error.kind() {
        std::io::ErrorKind::InvalidData => fail("it is not text".to_owned()),
        _ => fail(error.to_string()),
    })?;
    if u64::try_from(text.len()).is_ok_and(|length| length > MAX) {
        return Err(fail(format!("it has more than {MAX} bytes")));
    }
    let key = SigningKey::from_hex(&text).map_err(|error| fail(error.to_string()))?;
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
