//! Where pages are: the names of files, which are made only from checked names, and all links.

use std::fmt::Write;

use capgen_files::is_device_name;
use capgen_manifest::{AgentId, Contact, HttpsUrl};
use capgen_schema::Hash;

/// A page of the site.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Page<'a> {
    Overview,
    Changes,
    Warnings,
    Agent(&'a AgentId),
    /// A capability, by its [label](capgen_manifest::Manifest::labels).
    Capability(&'a AgentId, &'a str),
}

/// A file that pages use.
pub(crate) const STYLE: &str = "assets/style.css";
pub(crate) const THEME: &str = "assets/theme.js";
pub(crate) const SCRIPT: &str = "assets/site.js";
pub(crate) const INDEX: &str = "assets/search.js";

/// The `id` of an element: letters, digits and `.`, `_`, `-`, `~`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Anchor(String);

/// A link. One from a page to another one is always relative, so that it has no scheme.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Link(String);

/// The longest name of a file, in bytes. With its extension, it fits into a file name on every file system. Usual file
/// systems allow 255 bytes.
const MAX_NAME: usize = 200;
/// The longest anchor, in bytes. Longer ones are replaced by their hash, so that deep schemas have short pages.
const MAX_ANCHOR: usize = 120;

impl Page<'_> {
    /// The path of the file, relative to the folder of the site.
    pub(crate) fn path(self) -> String {
        match self {
            Page::Overview => "index.html".to_owned(),
            Page::Changes => "changes.html".to_owned(),
            Page::Warnings => "warnings.html".to_owned(),
            Page::Agent(id) => format!("agents/{}.html", file_name(id.as_str())),
            Page::Capability(id, name) => format!("capabilities/{}/{}.html", file_name(id.as_str()), file_name(name)),
        }
    }

    /// The path from this page to the folder of the site: empty, or with `/` at its end.
    pub(crate) const fn root(self) -> &'static str {
        match self {
            Page::Overview | Page::Changes | Page::Warnings => "",
            Page::Agent(_) => "../",
            Page::Capability(..) => "../../",
        }
    }

    /// A link from this page to a page.
    pub(crate) fn to(self, page: Page<'_>) -> Link {
        Link(format!("{}{}", self.root(), page.path()))
    }

    /// A link from this page to a place of a page.
    pub(crate) fn to_place(self, page: Page<'_>, anchor: &Anchor) -> Link {
        if self == page {
            return Link(format!("#{}", anchor.0));
        }
        Link(format!("{}{}#{}", self.root(), page.path(), anchor.0))
    }

    /// A link from this page to one of the files that pages use.
    pub(crate) fn to_asset(self, path: &'static str) -> Link {
        Link(format!("{}{path}", self.root()))
    }
}

impl Link {
    /// A link to a page outside of the site. The types of the addresses have no schemes that run code.
    pub(crate) fn to_documentation(url: &HttpsUrl) -> Self {
        Self(url.as_str().to_owned())
    }

    /// A link to the owner of an agent.
    pub(crate) fn to_contact(contact: &Contact) -> Self {
        Self(contact.link())
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl Anchor {
    /// An anchor of this program.
    pub(crate) fn fixed(name: &'static str) -> Self {
        Self(name.to_owned())
    }

    /// The anchor with a part added. Anchors of different parts differ. Characters other than letters, digits, `_` and
    /// `-` are replaced by their number.
    pub(crate) fn join(&self, name: &str) -> Self {
        let mut text = format!("{}.", self.0);
        for c in name.chars() {
            if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') {
                text.push(c);
            } else {
                // Writing to a `String` never fails.
                let _ = write!(text, "~{:x}~", u32::from(c));
            }
            if text.len() > MAX_ANCHOR {
                let hash = Hash::of_parts([self.0.as_bytes(), name.as_bytes()]);
                return Self(format!("h-{}", hash.to_string().get(..32).unwrap_or_default()));
            }
        }
        Self(text)
    }

    /// The anchor with a part added that is not a name of a contract.
    pub(crate) fn special(&self, name: &'static str, number: Option<usize>) -> Self {
        let number = number.map_or_else(String::new, |number| number.to_string());
        let text = format!("{}.~~{name}{number}", self.0);
        if text.len() > MAX_ANCHOR { self.join(&format!("~~{name}{number}")) } else { Self(text) }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// The name of a file for an id of an agent or the name of a capability, without its extension. Different names have
/// different files, also on file systems that ignore case; Windows accepts each of them.
///
/// `~` is in no name. An upper-case letter becomes `~` and the lower-case letter, and other places where a file name
/// would be invalid get a `~` after them. Very long results are replaced by a hash.
fn file_name(name: &str) -> String {
    let mut file = String::with_capacity(name.len());
    let device = is_device_name(name).then(|| name.split('.').next().unwrap_or_default().len());
    for (index, c) in name.char_indices() {
        if device == Some(index) {
            file.push('~');
        }
        if c.is_ascii_uppercase() {
            file.push('~');
        }
        file.push(c.to_ascii_lowercase());
    }
    if device == Some(name.len()) || name.ends_with('.') {
        file.push('~');
    }
    if file.len() > MAX_NAME { format!("~~{}", Hash::of(name)) } else { file }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn files_of_different_names_differ_without_regard_to_case() {
        let long = "A".repeat(128);
        let names = [
            "a",
            "A",
            "pr-reviewer",
            "PR-Reviewer",
            "con",
            "CON",
            "con.a",
            "con.A",
            "com1",
            "com10",
            "a.",
            "a",
            "aux.",
            "a.html",
            &long,
            &long.to_ascii_lowercase(),
        ];
        let files: BTreeSet<String> = names.iter().map(|name| file_name(name).to_ascii_lowercase()).collect();
        let distinct: BTreeSet<_> = names.iter().collect();
        assert_eq!(files.len(), distinct.len(), "{files:?}");
        for file in &files {
            assert!(!is_device_name(&format!("{file}.html")) && !file.ends_with('.') && file.len() <= 200, "{file}");
        }
        assert_eq!(file_name("pr-reviewer"), "pr-reviewer");
        assert_eq!(file_name("PR"), "~p~r");
    }

    #[test]
    fn anchors_of_different_places_differ_and_are_short() {
        let request = Anchor::fixed("request");
        let names = ["a", "a.b", "a b", "~items", "", "~", "~~items", "ü", "A", "~7e~"];
        let mut anchors: BTreeSet<String> = names.iter().map(|name| request.join(name).0).collect();
        anchors.insert(request.join("a").join("b").0);
        anchors.insert(request.special("items", None).0);
        assert_eq!(anchors.len(), names.len() + 2, "{anchors:?}");
        let deep = (0..1000).fold(request, |anchor, _| anchor.join("abc"));
        assert!(deep.0.len() <= MAX_ANCHOR);
    }
}
