//! Reading files into sources.

use std::path::{Component, Path, PathBuf};

use capgen_files::{Links, Unreadable};

use crate::findings::MAX_BYTES;
use crate::{Diagnostic, Source, codes, secrets};

/// Reads the file at `path`; findings show its path as `shown`. At most 32 MiB are read, regardless of the size that
/// the system reports.
///
/// # Errors
///
/// One finding: [`codes::UNREADABLE`] if the system reports an error or the path is a folder, a pipe or a device;
/// [`codes::TOO_LARGE`] beyond 32 MiB; [`codes::NOT_UTF8`].
pub fn read_source(path: &Path, shown: &str) -> Result<Source, Vec<Diagnostic>> {
    let unreadable =
        |reason: &str| Diagnostic::new(codes::UNREADABLE, format!("cannot read `{shown}`: {reason}")).in_file(shown);
    let finding = match capgen_files::read(path, Links::Followed, MAX_BYTES as u64) {
        Ok(bytes) => return decode(shown, bytes),
        Err(Unreadable::Folder) => unreadable("it is a folder").help("pass the path of the file itself"),
        Err(Unreadable::TooLong { limit }) => {
            Diagnostic::new(codes::TOO_LARGE, format!("`{shown}` has more than {limit} bytes")).in_file(shown)
        }
        Err(error) => unreadable(&error.to_string()),
    };
    Err(vec![finding])
}

/// A source from a file's bytes.
///
/// # Errors
///
/// One [`codes::NOT_UTF8`], which names the first byte that is not UTF-8.
pub fn decode(path: impl Into<String>, bytes: Vec<u8>) -> Result<Source, Vec<Diagnostic>> {
    let path = path.into();
    let error = match String::from_utf8(bytes) {
        Ok(text) => return Ok(Source::new(path, text)),
        Err(error) => error,
    };
    let offset = error.utf8_error().valid_up_to();
    let byte = error.as_bytes().get(offset).copied().unwrap_or_default();
    let is_utf16 = matches!(error.as_bytes(), [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
    // The lossy text has the same bytes up to the error, so the span and the snippet are right.
    let source = Source::new(path, String::from_utf8_lossy(error.as_bytes()));
    source.hide_with(secrets::in_any);
    let line = source.position(offset).line;
    let message = format!("the text is not UTF-8: byte 0x{byte:02x} at offset {offset}, line {line}");
    let help = if is_utf16 { "this looks like UTF-16: save the file as UTF-8" } else { "save the file as UTF-8" };
    Err(vec![Diagnostic::new(codes::NOT_UTF8, message).at(&source, offset..offset + 1, "").help(help)])
}

/// A path as findings show it: as it was given, without a leading `./` and without `x/..`, with `/` between its parts.
/// If `x` is a symbolic link, `x/..` stays, because it is another folder.
pub fn shown(path: &Path) -> String {
    let short = plain(path);
    let is_shorter = short.components().count() + 1 < path.components().count();
    let path = if is_shorter && short.canonicalize().ok() == path.canonicalize().ok() { &short } else { path };
    let text = path.strip_prefix(".").unwrap_or(path).to_string_lossy();
    if std::path::MAIN_SEPARATOR == '\\' { text.replace('\\', "/") } else { text.into_owned() }
}

/// The path without `.` and without `x/..`. Paths that do not exist can be compared in this form.
pub(crate) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(plain.components().next_back(), Some(Component::Normal(_))) => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// The path of the manifest in a folder: `capabilities.yaml`, otherwise `.yml`, otherwise `.json`.
pub(crate) fn manifest_in(folder: &Path) -> Option<PathBuf> {
    candidates(folder).into_iter().find(|path| path.exists())
}

/// The possible paths of the manifest in a folder, in order of preference.
pub(crate) fn candidates(folder: &Path) -> [PathBuf; 3] {
    ["capabilities.yaml", "capabilities.yml", "capabilities.json"].map(|name| folder.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_not_utf8_are_rejected_with_their_position() {
        let error = decode("f", b"a: 1\nb: \xff\n".to_vec()).unwrap_err().remove(0);
        assert_eq!(error.code, codes::NOT_UTF8);
        assert_eq!(error.message, "the text is not UTF-8: byte 0xff at offset 8, line 2");
    }
}
