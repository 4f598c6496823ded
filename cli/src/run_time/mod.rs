//! The codes that programs report while they run: those of calls, of AMP, and the reasons of the registry.
//!
//! The pages are here and not in the crates that report the codes, so that every build of capgen explains all of them.
//! Each file has the pages of one system. A page begins with `# <names>: <title>`; the names of a code are separated by
//! spaces.

use capgen_diagnostic::nearest;

/// The pages of each system: its name in headings, which is empty if its codes show the system, and its file.
const SYSTEMS: [(&str, &str); 4] = [
    ("", include_str!("calls.md")),
    ("", include_str!("mcp.md")),
    ("AMP", include_str!("amp.md")),
    ("registry", include_str!("registry.md")),
];

/// The page of a code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Page {
    system: &'static str,
    /// The system and the names, as the heading has them.
    pub(crate) heading: &'static str,
    /// A few words about the code.
    pub(crate) title: &'static str,
    /// The page without its heading.
    body: &'static str,
}

/// Every page, in the order of the files.
pub(crate) fn pages() -> impl Iterator<Item = Page> {
    SYSTEMS.iter().flat_map(|(system, text)| {
        let texts = text.strip_prefix("# ").unwrap_or(text).split("\n# ");
        texts.filter_map(|text| {
            let (line, body) = text.split_once('\n')?;
            let (heading, title) = line.split_once(": ")?;
            Some(Page { system, heading, title, body: body.trim_end_matches('\n') })
        })
    })
}

/// The pages of every code with a name. Systems share some names, such as `timeout`, so there may be several; a name
/// with its system, such as `AMP 5003`, has one. Case does not matter, and `_` is the same as `-`.
pub(crate) fn find(name: &str) -> Vec<Page> {
    let name = normal(name);
    let is_of = |page: &Page| {
        let with_system = page.names().map(|known| format!("{} {known}", page.system));
        let known = page.names().map(str::to_owned).chain(with_system).chain([page.heading.to_owned()]);
        known.into_iter().any(|known| normal(&known) == name)
    };
    pages().filter(is_of).collect()
}

/// The name that `name` was probably meant to be.
pub(crate) fn near(name: &str) -> Option<&'static str> {
    nearest(name, pages().flat_map(Page::names))
}

fn normal(name: &str) -> String {
    name.trim().to_ascii_lowercase().replace('_', "-")
}

impl Page {
    /// The names of the code.
    pub(crate) fn names(self) -> impl Iterator<Item = &'static str> {
        let system = self.system;
        self.heading.split(' ').filter(move |word| *word != system)
    }

    /// The page as Markdown.
    pub(crate) fn text(self) -> String {
        format!("# {}: {}\n{}\n", self.heading, self.title, self.body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_heading_begins_with_its_system_and_names_are_unique_within_it() {
        let mut seen = std::collections::BTreeSet::new();
        for page in pages() {
            assert!(page.heading.starts_with(page.system), "{page:?}");
            assert!(page.names().all(|name| seen.insert((page.system, name))), "{page:?}");
        }
        // No page is lost because of its heading.
        let headings: usize =
            SYSTEMS.iter().map(|(_, text)| text.lines().filter(|line| line.starts_with('#')).count()).sum();
        assert_eq!(pages().count(), headings);
    }

    #[test]
    fn a_name_that_systems_share_has_several_pages() {
        let headings = |name| find(name).iter().map(|page| page.heading).collect::<Vec<_>>();
        assert_eq!(headings("timeout"), ["AMP 5003 TIMEOUT", "registry timeout"]);
        assert_eq!(headings("5003"), ["AMP 5003 TIMEOUT"]);
        assert_eq!(headings("amp 5003 timeout"), ["AMP 5003 TIMEOUT"]);
        assert_eq!(headings("registry timeout"), ["registry timeout"]);
        assert_eq!(headings("EAGENTRPC_TIMEOUT"), ["EAGENTRPC_TIMEOUT"]);
        assert_eq!(headings("eagentrpc-timeout"), ["EAGENTRPC_TIMEOUT"]);
        assert!(headings("AMP").is_empty() && headings("").is_empty() && headings("registry").is_empty());
    }
}
