//! Untrusted text in XML.

use crate::visible;

/// Text between tags, with its line ends. Characters that XML 1.0 does not allow are escaped as [`visible`] does; the
/// caller has done so if the text has line feeds to keep.
///
/// ```
/// assert_eq!(capgen_diagnostic::xml_text("a < b\n&c"), "a &lt; b\n&amp;c");
/// ```
#[must_use]
pub fn xml_text(text: &str) -> String {
    crate::visible_lines(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Text in an attribute in double quotes, on one line.
///
/// ```
/// assert_eq!(capgen_diagnostic::xml_attribute("\"a\"\n"), "&quot;a&quot;\\n");
/// ```
#[must_use]
pub fn xml_attribute(text: &str) -> String {
    xml_text(&visible(text)).replace('"', "&quot;")
}
