//! The stable names of findings.

/// A stable code such as `E0107` (an error) or `W0102` (a warning). `capgen explain` describes it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Code(&'static str);

/// Whether a finding rejects the input.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The input is rejected.
    Error,
    /// The input is accepted.
    Warning,
}

impl Code {
    /// A code; `text` is `E` or `W` and four digits.
    pub const fn new(text: &'static str) -> Self {
        Self(text)
    }

    /// The code as it is printed.
    pub const fn as_str(self) -> &'static str {
        self.0
    }

    /// Errors start with `E`, warnings with `W`.
    pub fn severity(self) -> Severity {
        if self.0.starts_with('W') { Severity::Warning } else { Severity::Error }
    }
}

/// Declares the codes of a crate: a constant for each code, and the table of their pages, whose name comes first.
///
/// The page of a code is `<CODE>.md` in the folder of the file that calls the macro. Put `#[cfg(feature = "explain")]` on the table of a library, so that only programs that explain codes
/// contain the pages.
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
