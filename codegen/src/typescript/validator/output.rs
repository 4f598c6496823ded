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
        let start = format!("new Set{}(", self.typed("<Json>"));
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
        let types = self.typed("<Json, boolean>");
        self.constants.push((name.clone(), format!("const {name} = new Map{types}();\n")));
        name
    }

    pub(super) fn contract(&mut self, name: &str, contract: &Expression) {
        self.large(name, ": Contract", contract);
    }

    /// The formats that the contracts name.
    pub(super) fn formats(&mut self, formats: &Expression) {
        self.large("formats", ": { readonly [name: string]: (text: string) => boolean }", formats);
    }

    fn large(&mut self, name: &str, ty: &str, value: &Expression) {
        let mut text = format!("\nconst {name}{} = ", self.typed(ty));
        let column = text.chars().count();
        value.write(&mut text, column, 0);
        text.push_str(";\n");
        self.constants.push((name.to_owned(), text));
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

    pub(super) fn function(&mut self, name: &str, text: String) {
        self.functions.push((name.to_owned(), text));
    }

    /// What `exported` uses, of schemas with these keywords.
    pub(super) fn finish(self, exported: &str, keywords: &BTreeSet<&str>) -> String {
        let items: HashMap<&str, &str> =
            self.functions.iter().chain(&self.constants).map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let mut used = HashSet::new();
        let mut helpers = BTreeSet::new();
        helpers::add(&mut helpers, Helper::Fail);
        helpers::add_collector(&mut helpers, keywords);
        // The collector asks for it.
        let mut open = vec![exported, if keywords.contains("format") { "formats" } else { "" }];
        while let Some(text) = open.pop() {
            for name in identifiers(text) {
                if let (Some(text), true) = (items.get(name), used.insert(name)) {
                    open.push(text);
                }
                Helper::ALL
                    .into_iter()
                    .filter(|helper| helper.name() == name)
                    .for_each(|h| helpers::add(&mut helpers, h));
            }
        }
        let texts = |items: &[(String, String)], separator: &str| {
            let texts = items.iter().filter(|(name, _)| used.contains(name.as_str())).map(|(_, text)| text.as_str());
            texts.collect::<Vec<_>>().join(separator)
        };
        let parts = [
            texts(&self.functions, "\n"),
            texts(&self.constants, ""),
            helpers::print(&helpers, keywords, self.is_typed),
        ];
        parts
            .iter()
            .map(|part| part.trim_matches('\n'))
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("\n\n")
    }
}

/// The names in code of ours, without what stands in its strings.
pub(super) fn identifiers(code: &str) -> impl Iterator<Item = &str> {
    let mut rest = code;
    std::iter::from_fn(move || {
        loop {
            let start = rest.find(|c: char| c == '"' || c.is_ascii_alphabetic())?;
            let (_, from) = rest.split_at_checked(start)?;
            if let Some(text) = from.strip_prefix('"') {
                let mut is_escaped = false;
                let end = text.find(|c: char| {
                    let ends = c == '"' && !is_escaped;
                    is_escaped = c == '\\' && !is_escaped;
                    ends
                });
                rest = text.split_at_checked(end? + 1)?.1;
                continue;
            }
            let end = from.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(from.len());
            let (name, after) = from.split_at_checked(end)?;
            rest = after;
            return Some(name);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_strings_are_no_names() {
        let code = r#"check1(value["a\\"], 2) && set3.has("check4 \" set5") || x"#;
        assert_eq!(identifiers(code).collect::<Vec<_>>(), ["check1", "value", "set3", "has", "x"]);
    }
}
