//! The page of each code, and the pages of all crates together.

use crate::{Code, nearest};

/// The meaning of a code, the reason for it, an example and its fix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Explanation {
    code: Code,
    text: &'static str,
}

/// The explanations of several crates, sorted by code: errors first.
#[derive(Clone, Debug, Default)]
pub struct Explanations(Vec<Explanation>);

impl Explanation {
    /// The page of a code. `text` is Markdown, and its first line is `# <code>: <title>`.
    pub const fn new(code: Code, text: &'static str) -> Self {
        Self { code, text }
    }

    /// The code.
    pub const fn code(&self) -> Code {
        self.code
    }

    /// The page, as Markdown.
    pub const fn text(&self) -> &'static str {
        self.text
    }

    /// A few words, such as `an unknown key`.
    pub fn title(&self) -> &'static str {
        self.text.lines().next().and_then(|line| line.split_once(": ")).map_or("", |(_, title)| title)
    }
}

impl Explanations {
    /// Combines the tables that [`codes!`](crate::codes!) declares.
    ///
    /// ```
    /// use capgen_diagnostic::{Code, Explanation, Explanations};
    /// const TABLE: &[Explanation] = &[Explanation::new(Code::new("E0001"), "# E0001: invalid YAML\n")];
    /// let explanations = Explanations::new(&[TABLE]);
    /// assert_eq!(explanations.get("e0001").unwrap().title(), "invalid YAML");
    /// ```
    pub fn new(tables: &[&[Explanation]]) -> Self {
        let mut all: Vec<_> = tables.concat();
        all.sort_by_key(Explanation::code);
        Self(all)
    }

    /// Every explanation, sorted by code.
    pub fn iter(&self) -> std::slice::Iter<'_, Explanation> {
        self.0.iter()
    }

    /// The explanation of a code, in upper or lower case.
    pub fn get(&self, code: &str) -> Option<&Explanation> {
        self.0.iter().find(|explanation| explanation.code.as_str().eq_ignore_ascii_case(code))
    }

    /// The code that `code` was probably meant to be.
    pub fn nearest(&self, code: &str) -> Option<&'static str> {
        nearest(code, self.0.iter().map(|explanation| explanation.code.as_str()))
    }

    /// All explanations as one Markdown page, after a table of contents: `docs/codes.md`.
    pub fn page(&self) -> String {
        let mut page = String::from(
            "# Error codes\n\nEvery error and warning that capgen reports has a code. A code never changes its meaning. `E` \
             codes are errors: the\ncommand fails. `W` codes are warnings; `capgen check --strict` treats them as \
             errors. `N` codes are notes, which need no\naction. The `07` codes are the rules for changes of a contract, where `E` \
             means breaking, `W` risky, and `N` safe or\ncosmetic. `capgen explain <code>` prints the same text as this page.\n\nThe line \
             `Fix` of each page is about the edits that findings suggest. `capgen check --fix` applies an edit that is\n`certain`: \
             the text has one plain meaning, and the edit writes it in the notation of the format. An edit that `needs review` is a\nguess, removes \
             something, or may change the meaning; `--fix --unsafe` applies it too.\n\n| code | meaning |\n|---|---|\n",
        );
        for explanation in self.iter() {
            page.push_str(&format!("| {} | {} |\n", explanation.code.as_str(), explanation.title()));
        }
        for explanation in self.iter() {
            // One heading level down: the page has a title of its own.
            page.push_str("\n#");
            page.push_str(explanation.text);
        }
        page
    }
}
