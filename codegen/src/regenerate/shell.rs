//! Words of a command line, quoted so that a POSIX shell reads them back.

use std::ffi::OsStr;
use std::path::Path;

/// A path as a word of a command line, with `/` between its parts on every system.
pub(super) fn path_word(path: &Path) -> String {
    if std::path::MAIN_SEPARATOR == '\\' {
        return word(path.to_string_lossy().replace('\\', "/").as_ref());
    }
    word(path.as_os_str())
}

/// The text as one word: as it is, between single quotes, or, if it contains characters that must not be printed, as
/// `$'...'`, which bash, zsh and POSIX.1-2024 know. The result is one line of printable characters.
pub(super) fn word(text: &OsStr) -> String {
    let bytes = text.as_encoded_bytes();
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.is_empty() && text.chars().all(is_plain) => text.to_owned(),
        Ok(text) if !text.contains(capgen_diagnostic::is_unsafe) => format!("'{}'", text.replace('\'', "'\\''")),
        _ => escaped(bytes),
    }
}

/// Whether the character has no meaning for a shell.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | '/' | ',' | ':' | '+' | '@' | '=')
}

/// Every byte outside printable ASCII becomes an octal escape.
fn escaped(bytes: &[u8]) -> String {
    let mut out = String::from("$'");
    for &byte in bytes {
        match byte {
            b'\'' | b'\\' => out.extend(['\\', char::from(byte)]),
            b' '..=b'~' => out.push(char::from(byte)),
            _ => out.push_str(&format!("\\{byte:03o}")),
        }
    }
    out.push('\'');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [(&str, &str); 8] = [
        ("../agents/a_b.yaml", "../agents/a_b.yaml"),
        ("my contracts/a.yaml", "'my contracts/a.yaml'"),
        ("it's $HOME", "'it'\\''s $HOME'"),
        ("", "''"),
        ("~/x", "'~/x'"),
        ("ünï", "'ünï'"),
        ("a\nfn main() {}", "$'a\\012fn main() {}'"),
        ("\u{202e}'\\", "$'\\342\\200\\256\\'\\\\'"),
    ];

    #[test]
    fn words_are_quoted_only_if_they_need_it() {
        for (text, expected) in WORDS {
            assert_eq!(word(text.as_ref()), expected);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_reads_quoted_words_back() {
        use std::os::unix::ffi::OsStrExt;
        let bash = std::process::Command::new("bash").arg("-c").arg("true").status();
        if !bash.is_ok_and(|status| status.success()) {
            return;
        }
        let mut texts: Vec<&OsStr> = WORDS.iter().map(|(text, _)| OsStr::new(text)).collect();
        texts.push(OsStr::from_bytes(b"not \xff UTF-8"));
        for text in texts {
            let script = format!("printf %s {}", word(text));
            let output = std::process::Command::new("bash").arg("-c").arg(script).output().unwrap();
            assert_eq!(output.stdout, text.as_bytes());
        }
    }
}
