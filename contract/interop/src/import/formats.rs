//! The formats of an import that are annotations instead of assertions.

use capgen_schema::{Anchor, Json, checked_formats, places_of_checked_formats};

use super::{Dialect, Entry, ImportFinding, Importer, finding};
use crate::codes;

/// The formats that are kept as annotations, in `x-format`, although a contract can check them. By default, there are
/// none.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct AnnotatedFormats(u64);

impl AnnotatedFormats {
    /// All formats.
    #[must_use]
    pub fn all() -> Self {
        let bits = checked_formats().enumerate().map(|(index, _)| bit(index));
        Self(bits.fold(0, |all, bit| all | bit))
    }

    /// The formats with these names.
    ///
    /// # Errors
    ///
    /// The first name that is not one of [`checked_formats`].
    ///
    /// ```
    /// use capgen_interop::import::AnnotatedFormats;
    /// let formats = AnnotatedFormats::named(["date-time", "int32"])?;
    /// assert!(formats.contains("int32") && !formats.contains("uuid"));
    /// assert_eq!(AnnotatedFormats::named(["snowflake"]), Err("snowflake"));
    /// # Ok::<(), &str>(())
    /// ```
    pub fn named<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<Self, &'n str> {
        names.into_iter().try_fold(Self(0), |formats, name| {
            let index = checked_formats().position(|known| known == name).ok_or(name)?;
            Ok(Self(formats.0 | bit(index)))
        })
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a format is one of them.
    #[must_use]
    pub fn contains(self, name: &str) -> bool {
        self.names().any(|known| known == name)
    }

    /// Their names.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        checked_formats().enumerate().filter(move |(index, _)| self.0 & bit(*index) != 0).map(|(_, name)| name)
    }
}

/// The bit of a format. There are fewer formats than bits, which a test checks.
fn bit(index: usize) -> u64 {
    u32::try_from(index).ok().and_then(|index| 1_u64.checked_shl(index)).unwrap_or(0)
}

impl Importer {
    /// Notes once for the document that formats are checked, if the dialect of a schema makes them annotations.
    /// `locate` turns a pointer in the schema into one of the document.
    pub(super) fn note_formats(
        &mut self,
        entry: &mut Entry,
        part: &str,
        (source, dialect): (&Json, Dialect),
        locate: &dyn Fn(&str) -> String,
    ) {
        // The author of a contract wrote its formats as assertions, and a caller who passes the option has decided.
        if entry.is_contract || !self.settings.annotated_formats.is_empty() || !are_annotations(source, dialect) {
            return;
        }
        for at in places_of_checked_formats(source) {
            let message = "`format` is checked, although the draft of the schema makes it an annotation".to_owned();
            let help = "if other values are valid, such as a `date-time` without an offset, which pydantic writes, pass \
                `--formats annotate`, or the names: `--formats annotate=date-time,time,duration`";
            let note = ImportFinding {
                anchor: Anchor::Key,
                keyword: "format".to_owned(),
                label: "checked".to_owned(),
                help: Some(help.to_owned()),
                ..finding(codes::CHECKED_FORMATS, locate(&at), message)
            };
            self.report_once(entry, part, note, String::new());
        }
    }
}

/// Whether formats are annotations by the dialect of a schema: draft 2019-09 and later, and OpenAPI 3.1 and later.
/// Earlier ones leave it to the tool.
fn are_annotations(source: &Json, dialect: Dialect) -> bool {
    let Some(declared) = source.get("$schema").and_then(Json::as_str) else {
        return match dialect {
            Dialect::Modern => true,
            Dialect::OpenApi30 => false,
            Dialect::ByDefinitions => source.get("$defs").is_some(),
        };
    };
    let later = ["/draft/2019-09/", "/draft/2020-12/", "/oas/3.1/", "/oas/3.2/"];
    later.iter().any(|draft| declared.contains(draft))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_a_bit() {
        let all: Vec<&str> = checked_formats().collect();
        assert_eq!(AnnotatedFormats::all().names().collect::<Vec<_>>(), all);
        assert!(all.iter().all(|name| AnnotatedFormats::named([*name]).unwrap().names().eq([*name])));
    }
}
