//! The path of the crate `capgen` in generated Rust.

use std::borrow::Cow;
use std::fmt;

use crate::RustKeyword;

/// The path at which generated Rust finds the crate `capgen`: of a dependency, such as `::capgen`, or of a module that
/// re-exports the crate, such as `crate::contracts::capgen`. It is the same in every module, because generated code has
/// modules of its own.
///
/// Its parts are identifiers of ASCII characters, so the text is safe in code, in comments and on command lines.
///
/// ```
/// use capgen_manifest::RuntimePath;
/// assert_eq!(RuntimePath::default().as_str(), "::capgen");
/// assert_eq!(RuntimePath::new("::contracts::r#gen").unwrap().as_str(), "::contracts::r#gen");
/// let error = RuntimePath::new("my-capgen").unwrap_err();
/// assert_eq!(error.to_string(), "it does not start with `::` or `crate`: write `::my_capgen`");
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RuntimePath(Cow<'static, str>);

/// The reason why a text is not a [`RuntimePath`], and a correction. Its text contains no part of the input that could
/// be harmful.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvalidRuntimePath {
    reason: &'static str,
    correction: Option<RuntimePath>,
}

/// The length of the longest path, in bytes: generated code repeats it for every type, so a long one from a
/// `fleet.yaml` that is not trusted would make the output many times as large as the contract.
const MAX_LENGTH: usize = 128;

impl RuntimePath {
    /// A regular expression of all paths, and of some that are too long or contain keywords, for editors.
    pub(crate) const PATTERN: &str = "(?:crate|(?:crate)?(?:::(?:r#)?[A-Za-z_][A-Za-z0-9_]*)+)";

    /// Checks a path.
    ///
    /// # Errors
    ///
    /// The path starts with neither `::` nor `crate`; a part is not an identifier of ASCII letters, digits and `_`, or
    /// is a keyword that is not written as a raw identifier; or it is longer than 128 bytes.
    pub fn new(text: &str) -> Result<Self, InvalidRuntimePath> {
        check(text).map_err(|reason| InvalidRuntimePath { reason, correction: correction(text) })?;
        Ok(Self(Cow::Owned(text.to_owned())))
    }

    /// The path as it is written in code.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for RuntimePath {
    /// `::capgen`: the dependency with its own name.
    fn default() -> Self {
        Self(Cow::Borrowed("::capgen"))
    }
}

impl fmt::Display for RuntimePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl InvalidRuntimePath {
    /// What to write instead of a path that is not displayed.
    pub(crate) const EXPECTED: &str = "write the path of the dependency, such as `::my_capgen`, or of a module that re-exports it, such \
                                       as `crate::contracts::capgen`";

    /// The reason, as a part of a sentence.
    pub fn reason(&self) -> &'static str {
        self.reason
    }

    /// What to write instead.
    pub fn help(&self) -> String {
        match &self.correction {
            Some(path) => format!("write `{path}`"),
            None => Self::EXPECTED.to_owned(),
        }
    }
}

impl fmt::Display for InvalidRuntimePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.reason, self.help())
    }
}

impl std::error::Error for InvalidRuntimePath {}

fn check(text: &str) -> Result<(), &'static str> {
    if text.len() > MAX_LENGTH {
        return Err("it is longer than 128 bytes");
    }
    let is_in_crate = text == "crate" || text.starts_with("crate::");
    let names = text.strip_prefix("crate").filter(|_| is_in_crate).unwrap_or(text);
    if names.is_empty() && is_in_crate {
        return Ok(());
    }
    let names = names.strip_prefix("::").ok_or("it does not start with `::` or `crate`")?;
    names.split("::").try_for_each(check_name)
}

fn check_name(name: &str) -> Result<(), &'static str> {
    let raw = name.strip_prefix("r#");
    let word = raw.unwrap_or(name);
    let is_word = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !is_word || word.is_empty() || word == "_" || word.starts_with(|first: char| first.is_ascii_digit()) {
        return Err("a part of it is not an identifier of ASCII letters, digits and `_`");
    }
    match RustKeyword::of(word) {
        Some(RustKeyword::NeverRaw) => Err("a part of it is a keyword"),
        Some(RustKeyword::Raw) if raw.is_none() => {
            Err("a part of it is a keyword, and not written as a raw identifier")
        }
        _ => Ok(()),
    }
}

/// The path with common mistakes corrected: the name of a package instead of its crate, a missing `::`, and keywords.
fn correction(text: &str) -> Option<RuntimePath> {
    let text = text.trim().replace('-', "_");
    let names: Vec<Cow<'_, str>> = text.strip_prefix("::").unwrap_or(&text).split("::").map(escaped).collect();
    let start = if names.first().is_some_and(|name| name == "crate") { "" } else { "::" };
    let path = format!("{start}{}", names.join("::"));
    check(&path).is_ok().then_some(RuntimePath(Cow::Owned(path)))
}

fn escaped(name: &str) -> Cow<'_, str> {
    match RustKeyword::of(name) {
        Some(RustKeyword::Raw) => Cow::Owned(format!("r#{name}")),
        _ => Cow::Borrowed(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_crates_and_modules_are_valid() {
        let longest = format!("::{}", "a".repeat(MAX_LENGTH - 2));
        let paths =
            ["::capgen", "::my_capgen", "::a::b::C", "::r#type::x", "::r#kind", "::_a1", "crate", "crate::a::r#gen"];
        for path in paths.into_iter().chain([longest.as_str()]) {
            assert_eq!(RuntimePath::new(path).unwrap().as_str(), path);
        }
    }

    #[test]
    fn any_other_text_is_rejected() {
        let long = format!("::{}", "a".repeat(MAX_LENGTH - 1));
        let texts = [
            "",
            "::",
            "capgen",
            "self::capgen",
            "super::capgen",
            "crate::",
            "crateful::a",
            "::a::",
            "::::a",
            "::a::::b",
            "::a:b",
            "::1a",
            "::_",
            "::r#_",
            "::r#",
            "::r#self",
            "::self::a",
            "::crate",
            "crate::crate",
            "::type",
            "::gen",
            "::a b",
            "::a ",
            " ::a",
            "::a\n::b",
            "::a\0",
            "::a;",
            "::a!{}",
            "::a::<T>",
            "::a/*",
            "::a//",
            "::a\"",
            "::a'",
            "::a`",
            "::a#",
            "::a\u{202e}b",
            "::größe",
            "::a::*",
            "::{a}",
            &long,
        ];
        for text in texts {
            assert!(RuntimePath::new(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn common_mistakes_have_a_correction() {
        for (text, expected) in [
            ("capgen", Some("::capgen")),
            ("my-capgen", Some("::my_capgen")),
            ("::my-capgen", Some("::my_capgen")),
            (" ::a ", Some("::a")),
            ("::type::a", Some("::r#type::a")),
            ("crate::type", Some("crate::r#type")),
            ("::crate::a", Some("crate::a")),
            ("self::a", None),
            ("::a;", None),
        ] {
            let error = RuntimePath::new(text).unwrap_err();
            assert_eq!(error.correction.as_ref().map(RuntimePath::as_str), expected, "{text:?}");
        }
    }
}
