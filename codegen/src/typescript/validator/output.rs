//! What the functions of a file share: constants and helpers.

use std::collections::{BTreeSet, HashMap, HashSet};

use capgen_schema::{Json, Pattern};

use super::helpers::{self, Helper};
use super::layout::{self, Expression};

/// The internal part of a file, behind what it exports.
pub(super) struct Output {
    /// Whether types are written.
    is_typed: bool,
    /// Names and texts.
    constants: Vec<(String, String)>,
    /// Names of constants by what they hold.
    names: HashMap<String, String>,
    functions: Vec<(String, String)>,
    count: usize,
}

impl Output {
    pub(super) fn new(is_typed: bool) -> Self {
        Output { is_typed, constants: Vec::new(), names: HashMap::new(), functions: Vec::new(), count: 0 }
    }

    /// What only TypeScript has.
    pub(super) fn typed<'t>(&self, text: &'t str) -> &'t str {
        if self.is_typed { text } else { "" }
    }

    /// A name that nothing else in the file has.
    pub(super) fn fresh(&mut self, stem: &str) -> String {
        self.count += 1;
        format!("{stem}{}", self.count)
    }

    pub(super) fn pattern(&mut self, pattern: &Pattern) -> String {
        let literal = layout::text(format!("/{}/u", pattern.escaped_for_js_literal()));
        self.constant("pattern", "", "", literal, "")
    }

    pub(super) fn set(&mut self, values: &[&Json]) -> String {
        let values = layout::array(values.iter().map(|value| layout::value(value)));
        let start = format!("new Set{}(", self.typed("<unknown>"));
        self.constant("set", "", &start, values, ")")
    }

    pub(super) fn names(&mut self, names: &[&str]) -> String {
        let names = layout::array(names.iter().map(|name| layout::text(crate::typescript::literal::string(name))));
        self.constant("names", "", "new Set(", names, ")")
    }

    pub(super) fn literals(&mut self, values: &[&Json]) -> String {
        let values = layout::array(values.iter().map(|value| layout::value(value)));
        self.constant("literals", ": readonly unknown[]", "", values, "")
    }

    pub(super) fn memory(&mut self) -> String {
        let name = self.fresh("memory");
        let types = self.typed("<unknown, boolean>");
        self.constants.push((name.clone(), format!("const {name} = new Map{types}();\n")));
        name
    }

    fn constant(&mut self, stem: &str, ty: &str, start: &str, value: Expression, end: &str) -> String {
        let mut text = String::new();
        let head = format!("const {stem}00{} = {start}", self.typed(ty));
        value.write(&mut text, head.len() + end.len(), 0);
        if let Some(name) = self.names.get(&text).filter(|name| name.starts_with(stem)) {
            return name.clone();
        }
        let name = self.fresh(stem);
        let constant = format!("const {name}{} = {start}{text}{end};\n", self.typed(ty));
        self.constants.push((name.clone(), constant));
        self.names.insert(text, name.clone());
        name
    }

    /// The name of a function with such parameters and statements.
    pub(super) fn shared_function(&mut self, stem: &str, text: &str) -> String {
        if let Some(name) = self.names.get(text) {
            return name.clone();
        }
        let name = self.fresh(stem);
        self.names.insert(text.to_owned(), name.clone());
        self.function(&name, format!("function {name}{text}"));
        name
    }

    pub(super) fn function(&mut self, name: &str, text: String) {
        self.functions.push((name.to_owned(), text));
    }

    /// What `exported` uses, of schemas with these keywords: functions with their constants, and helpers.
    pub(super) fn finish(self, exported: &str, keywords: &BTreeSet<&str>) -> (String, String) {
        let items: HashMap<&str, &str> =
            self.functions.iter().chain(&self.constants).map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let texts = helpers::texts(keywords, self.is_typed);
        let helpers: HashMap<&str, (Helper, &str)> =
            texts.iter().map(|(helper, text)| (helper.name(), (*helper, text.as_str()))).collect();
        let mut used = HashSet::new();
        let mut needed = BTreeSet::new();
        let mut open = vec![exported];
        while let Some(text) = open.pop() {
            for name in identifiers(text).filter(|name| items.contains_key(name) || helpers.contains_key(name)) {
                if !used.insert(name) {
                    continue;
                }
                open.extend(items.get(name));
                if let Some((helper, text)) = helpers.get(name) {
                    needed.insert(*helper);
                    open.push(text);
                }
            }
        }
        let own = |items: &[(String, String)], separator: &str| {
            let texts = items.iter().filter(|(name, _)| used.contains(name.as_str())).map(|(_, text)| text.as_str());
            texts.collect::<Vec<_>>().join(separator)
        };
        let helpers: Vec<&str> =
            texts.iter().filter(|(helper, _)| needed.contains(helper)).map(|(_, text)| text.as_str()).collect();
        let internal = [own(&self.functions, "\n"), own(&self.constants, "")];
        (internal.join("\n"), helpers.join("\n"))
    }
}

/// The names in code of ours, without what stands in its strings and names of properties.
pub(super) fn identifiers(code: &str) -> impl Iterator<Item = &str> {
    identifier_positions(code).map(|(_, name)| name)
}

/// The names, and where they begin.
pub(super) fn identifier_positions(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let (_, rest) = code.split_at_checked(at)?;
            at += rest.find(|c: char| c == '"' || c.is_ascii_alphabetic())?;
            let (before, from) = code.split_at_checked(at)?;
            if let Some(text) = from.strip_prefix('"') {
                at += 1 + end_of_string(text)?;
                continue;
            }
            let end = from.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(from.len());
            let (name, _) = from.split_at_checked(end)?;
            let start = at;
            at += end;
            if !before.ends_with('.') || before.ends_with("..") {
                return Some((start, name));
            }
        }
    })
}

/// How many bytes a string literal has behind its opening quote.
fn end_of_string(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    let end = text.find(|c: char| {
        let ends = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    });
    end.map(|end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_strings_are_no_names() {
        let code = r#"check1(value["a\\"], 2) && set3.has("check4 \" set5") || x || value.size1 || [...y]"#;
        assert_eq!(identifiers(code).collect::<Vec<_>>(), ["check1", "value", "set3", "x", "value", "y"]);
    }
}
