//! The stable names of findings.

/// A stable code such as `E0107` (an error), `W0102` (a warning) or `N0701` (a note). `capgen explain` describes it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Code(&'static str);

/// Whether a finding rejects the input. Severities are ordered: the most severe first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The input is rejected.
    Error,
    /// The input is accepted.
    Warning,
    /// The input is accepted, and nothing needs to be done.
    Note,
}

impl Severity {
    /// `error`, `warning` or `note`.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

impl Code {
    /// A code; `text` is `E`, `W` or `N` and four digits.
    pub const fn new(text: &'static str) -> Self {
        Self(text)
    }

    /// The code as it is printed.
    pub const fn as_str(self) -> &'static str {
        self.0
    }

    /// The usual severity of its findings. Errors start with `E`, warnings with `W`, notes with `N`.
    pub fn severity(self) -> Severity {
        match self.0.as_bytes().first() {
            Some(b'W') => Severity::Warning,
            Some(b'N') => Severity::Note,
            _ => Severity::Error,
        }
    }
}

/// Declares the codes of a crate: a constant for each code, and the table of their pages, whose name comes first.
///
/// The page of a code is `<CODE>.md` in the folder of the file that calls the macro. Put `#[cfg(feature = "explain")]`
/// on the table of a library, so that only programs that explain codes contain the pages.
///
/// ```ignore
/// capgen_diagnostic::codes! {
///     /// The page of every code, in order.
///     #[cfg(feature = "explain")]
///     pub EXPLANATIONS;
///
///     /// The text is not valid YAML.
///     pub YAML_SYNTAX = "E0001";
/// }
/// ```
#[macro_export]
macro_rules! codes {
    (
        $(#[$pages_meta:meta])* $pages_vis:vis $pages:ident;
        $($(#[$meta:meta])* $vis:vis $name:ident = $text:literal;)+
    ) => {
        $($(#[$meta])* $vis const $name: $crate::Code = $crate::Code::new($text);)+

        $(#[$pages_meta])*
        $pages_vis const $pages: &[$crate::Explanation] =
            &[$($crate::Explanation::new($name, include_str!(concat!($text, ".md")))),+];
    };
}
