//! Tables of aliases (section "Alias Table Governance", decisions 11, 31 and 38).

use std::collections::{BTreeMap, BTreeSet};

use capgen_diagnostic::{Diagnostic, Source, quoted};

use super::document::{Document, Value};
use crate::{Warning, codes};

/// The longest token of a table, in bytes. The public schema of alias tables defines it (decision 11).
const MAX_TOKEN: usize = 64;

/// The table of highest precedence that was loaded (decision 11).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AliasSource {
    /// A table of the caller (`--aliases`).
    RuntimeUser,
    /// `.dci/aliases.v1.json` of the workspace.
    Workspace,
    /// The built-in table, which is empty.
    Builtin,
}

impl AliasSource {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            AliasSource::RuntimeUser => "runtime-user",
            AliasSource::Workspace => "workspace",
            AliasSource::Builtin => "builtin",
        }
    }
}

/// The tables of a run, from which a token gets its canonical form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Aliases {
    source: AliasSource,
    version: String,
    canonical: BTreeMap<String, String>,
}

impl Default for Aliases {
    /// The built-in table, which is empty and has the version `1`.
    fn default() -> Self {
        Self { source: AliasSource::Builtin, version: "builtin:1".to_owned(), canonical: BTreeMap::new() }
    }
}

impl Aliases {
    /// Reads the tables of a run, each from the text of its file: that of the caller, and that of the workspace. The
    /// first one that contains a token resolves it. Takes time linear in the tables, apart from sorting their tokens.
    ///
    /// # Errors
    ///
    /// All findings of both tables, with their JSON Pointers: text that is not JSON, duplicate keys, and violations of
    /// the public schema.
    pub fn load(
        runtime_user: Option<&Source>,
        workspace: Option<&Source>,
    ) -> Result<(Self, Vec<Warning>), Vec<Diagnostic>> {
        let mut aliases = Self::default();
        let (mut warnings, mut errors) = (Vec::new(), Vec::new());
        // The table of the highest precedence is last, and replaces tokens of the others.
        for (place, source) in [(AliasSource::Workspace, workspace), (AliasSource::RuntimeUser, runtime_user)] {
            let Some(source) = source else { continue };
            match Table::read(source) {
                Ok(table) => {
                    aliases.source = place;
                    aliases.version = format!("{}:{}+{}", place.name(), table.version, aliases.version);
                    aliases.canonical.extend(table.resolved(source, &mut warnings));
                }
                Err(findings) => errors.extend(findings),
            }
        }
        if errors.is_empty() { Ok((aliases, warnings)) } else { Err(errors) }
    }

    /// The canonical form of a normalised token; the token itself if no table contains it.
    pub fn canonical<'a>(&'a self, token: &'a str) -> &'a str {
        self.canonical.get(token).map_or(token, String::as_str)
    }

    /// The table of highest precedence that was loaded.
    pub fn source(&self) -> AliasSource {
        self.source
    }

    /// The versions of all loaded tables, such as `workspace:3+builtin:1`.
    pub fn version(&self) -> &str {
        &self.version
    }
}

/// One table, as it is written.
struct Table {
    version: String,
    /// The aliases of each canonical token.
    aliases: BTreeMap<String, Vec<String>>,
}

impl Table {
    fn read(source: &Source) -> Result<Self, Vec<Diagnostic>> {
        Document::read(source, codes::ALIASES, |document, root| {
            document.keys(root, "the table", &["schema_version", "alias_table_version", "aliases"])?;
            document.schema_version(root);
            let version = root.member("alias_table_version")?;
            let version_text = document.text(&version, "`alias_table_version`")?;
            if version_text.is_empty() {
                document.add("`alias_table_version` must not be empty".to_owned(), &version);
            }
            let table = root.member("aliases")?;
            let mut aliases = BTreeMap::new();
            for member in document.object(&table, "`aliases`")? {
                let list = table.of(member);
                if !is_token(&member.key) {
                    document.add_key(invalid(&member.key), &list, member, Some(HELP.to_owned()));
                }
                aliases.insert(member.key.clone(), tokens(document, &list));
            }
            Some(Self { version: version_text.to_owned(), aliases })
        })
    }

    /// The canonical form of every token of the table.
    fn resolved(self, source: &Source, warnings: &mut Vec<Warning>) -> BTreeMap<String, String> {
        let mut warn = |code, message| warnings.push(Warning { code, subject: source.path().to_owned(), message });
        let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
        for (canonical, aliases) in &self.aliases {
            for alias in aliases {
                // Canonical tokens come in bytewise order: the first one is the smallest.
                let owner = *owners.entry(alias).or_insert(canonical);
                if owner != canonical {
                    let of = format!("{} and {}", quoted(owner), quoted(canonical));
                    let message = format!("{} is an alias of {of}: the first of them applies", quoted(alias));
                    warn(codes::ALIAS_OF_TWO, message);
                }
            }
        }
        let mut resolved: BTreeMap<String, String> =
            self.aliases.keys().map(|canonical| (canonical.clone(), canonical.clone())).collect();
        for cycle in cycles(&self.aliases, &owners) {
            let Some(smallest) = cycle.first() else { continue };
            let members = cycle.iter().map(|member| quoted(member)).collect::<Vec<_>>().join(", ");
            let message = format!(
                "{members} are aliases of each other: {} is the canonical form of all of them",
                quoted(smallest)
            );
            warn(codes::ALIAS_CYCLE, message);
            resolved.extend(cycle.iter().map(|member| ((*member).to_owned(), (*smallest).to_owned())));
        }
        for (alias, owner) in owners {
            // A canonical token is resolved already.
            if let Some(canonical) = resolved.get(owner).filter(|_| !self.aliases.contains_key(alias)).cloned() {
                resolved.insert(alias.to_owned(), canonical);
            }
        }
        resolved
    }
}

/// The cycles of canonical tokens that are aliases of each other, each with its members in bytewise order. A token that
/// is its own alias does not count.
fn cycles<'t>(table: &'t BTreeMap<String, Vec<String>>, owners: &BTreeMap<&'t str, &'t str>) -> Vec<BTreeSet<&'t str>> {
    let mut cycles = Vec::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for start in table.keys() {
        // Each token has at most one owner, so there is one way from it.
        let mut way = Vec::new();
        let mut at = Some(start.as_str());
        while let Some(token) = at.filter(|token| seen.insert(token)) {
            way.push(token);
            at = owners.get(token).copied();
        }
        // It ends at a token that was seen. If that token is on the way itself, the rest of the way is a cycle.
        let from = at.and_then(|token| way.iter().position(|member| *member == token));
        let cycle: BTreeSet<&str> = from.and_then(|from| way.get(from..)).unwrap_or_default().iter().copied().collect();
        if cycle.len() > 1 {
            cycles.push(cycle);
        }
    }
    cycles
}

/// The aliases of one canonical token.
fn tokens(document: &mut Document<'_>, list: &Value<'_>) -> Vec<String> {
    let what = "the aliases of a token";
    let items = document.array(list, what);
    if matches!(&list.node.data, capgen_manifest::Data::Array(items) if items.is_empty()) {
        document.add(format!("{what} must not be empty"), list);
    }
    let mut seen = BTreeSet::new();
    for item in &items {
        let Some(token) = document.text(item, "an alias") else { continue };
        if !is_token(token) {
            document.add(invalid(token), item);
        }
        if !seen.insert(token) {
            document.add(format!("duplicate alias {}", quoted(token)), item);
        }
    }
    seen.into_iter().map(str::to_owned).collect()
}

const HELP: &str = "a token has 1 to 64 lower-case letters, digits and single `-` between them";

fn invalid(token: &str) -> String {
    format!("{} is not a token of an alias table", quoted(token))
}

/// Whether a text is a token of the public schema: kebab-case of at most [`MAX_TOKEN`] characters.
fn is_token(token: &str) -> bool {
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    token.len() <= MAX_TOKEN && token.split('-').all(is_word)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn source(path: &str, version: &str, aliases: &str) -> Source {
        let text = format!(r#"{{"schema_version": "1", "alias_table_version": "{version}", "aliases": {aliases}}}"#);
        Source::new(path, text)
    }

    fn load(aliases: &str) -> (Aliases, Vec<String>) {
        let (aliases, warnings) = Aliases::load(None, Some(&source("w", "3", aliases))).unwrap();
        (
            aliases,
            warnings.into_iter().map(|warning| format!("{} {}", warning.code.as_str(), warning.message)).collect(),
        )
    }

    #[test]
    fn canonical_tokens_resolve_to_themselves_and_aliases_to_them() {
        let (aliases, warnings) = load(r#"{"a": ["b", "x"], "b": ["c"]}"#);
        let canonical: Vec<_> = ["a", "b", "c", "x", "y"].map(|token| aliases.canonical(token)).into();
        assert_eq!((canonical, warnings.len()), (vec!["a", "b", "b", "a", "y"], 0));
        assert_eq!((aliases.source(), aliases.version()), (AliasSource::Workspace, "workspace:3+builtin:1"));
        assert_eq!(Aliases::load(None, None).unwrap().0, Aliases::default());
    }

    #[test]
    fn an_alias_of_two_tokens_belongs_to_the_smaller_one() {
        let (aliases, warnings) = load(r#"{"b": ["x"], "a": ["x"], "c": ["x"]}"#);
        assert_eq!(aliases.canonical("x"), "a");
        assert_eq!(warnings.len(), 2);
        assert_eq!(warnings[0], "W0833 `x` is an alias of `a` and `b`: the first of them applies");
    }

    #[test]
    fn the_smallest_token_of_a_cycle_is_the_canonical_form_of_all() {
        let (aliases, warnings) = load(r#"{"c": ["b", "x"], "b": ["d"], "d": ["c", "y"], "a": ["a"]}"#);
        for token in ["b", "c", "d", "x", "y"] {
            assert_eq!(aliases.canonical(token), "b", "{token}");
        }
        assert_eq!(aliases.canonical("a"), "a");
        assert_eq!(
            warnings,
            ["W0834 `b`, `c`, `d` are aliases of each other: `b` is the canonical form of all of them"]
        );
        // `b` belongs to `a` before cycles are determined, so `b` and `c` are not one.
        let (aliases, warnings) = load(r#"{"a": ["b"], "b": ["c"], "c": ["b"]}"#);
        assert_eq!(["a", "b", "c"].map(|token| aliases.canonical(token)), ["a", "b", "c"]);
        assert!(warnings.len() == 1 && warnings[0].starts_with("W0833"), "{warnings:?}");
    }

    #[test]
    fn the_first_table_that_contains_a_token_resolves_it() {
        let user = source("u", "1", r#"{"a": ["b"], "c": ["d"]}"#);
        let workspace = source("w", "2", r#"{"x": ["a", "y"], "b": ["z"], "d": ["c"]}"#);
        let (aliases, _) = Aliases::load(Some(&user), Some(&workspace)).unwrap();
        // `y` becomes `x` and `z` becomes `b`, which is not looked up again.
        for (token, canonical) in [("a", "a"), ("b", "a"), ("c", "c"), ("d", "c"), ("y", "x"), ("z", "b")] {
            assert_eq!(aliases.canonical(token), canonical, "{token}");
        }
        assert_eq!(
            (aliases.source(), aliases.version()),
            (AliasSource::RuntimeUser, "runtime-user:1+workspace:2+builtin:1")
        );
        let (aliases, _) = Aliases::load(Some(&user), None).unwrap();
        assert_eq!(aliases.version(), "runtime-user:1+builtin:1");
    }

    #[test]
    fn every_mistake_of_all_tables_is_reported_with_its_place() {
        let user = source("u", "", r#"{"A": ["b", "b", "c--d", 1], "e": [], "f": "g"}"#);
        let workspace = Source::new("w", r#"{"schema_version": "2", "aliases": {"a": ["b"], "a": ["c"]}}"#);
        let findings = Aliases::load(Some(&user), Some(&workspace)).unwrap_err();
        let found: Vec<_> = findings
            .iter()
            .map(|finding| {
                let label = finding.primary().unwrap();
                (label.source.path(), finding.code.as_str(), finding.pointer.as_deref().unwrap_or("-"))
            })
            .collect();
        let expected = [
            ("w", "E0003", "-"),
            ("u", "E0837", "/alias_table_version"),
            ("u", "E0837", "/aliases/A"),
            ("u", "E0837", "/aliases/A/1"),
            ("u", "E0837", "/aliases/A/2"),
            ("u", "E0837", "/aliases/A/3"),
            ("u", "E0837", "/aliases/e"),
            ("u", "E0837", "/aliases/f"),
        ];
        assert_eq!(found, expected);
        let pointers = |text: &str| {
            let findings = Aliases::load(None, Some(&Source::new("w", text))).unwrap_err();
            findings.into_iter().map(|finding| finding.message).collect::<Vec<_>>().join("; ")
        };
        assert_eq!(pointers("[]"), "the table must be an object");
        let text = r#"{"schema_version": 1, "other": 0, "alias_table_version": "1", "aliases": {}}"#;
        assert_eq!(pointers(text), "unknown member `other` in the table; `schema_version` must be \"1\"");
        assert_eq!(pointers(r#"{"schema_version": "1"}"#).matches("missing member").count(), 2);
    }

    #[test]
    fn tokens_are_those_of_the_public_schema() {
        let longest = "a".repeat(64);
        for token in ["a", "0", "a-b", "web-search-2", &longest] {
            assert!(is_token(token), "{token}");
        }
        let too_long = "a".repeat(65);
        for token in ["", "-", "a-", "-a", "a--b", "A", "a_b", "a.b", "a/b", "é", "a\n", &too_long] {
            assert!(!is_token(token), "{token:?}");
        }
    }

    proptest! {
        /// The definition, without any cleverness: follow the owners until a token repeats.
        #[test]
        fn the_canonical_form_is_that_of_the_definition(
            table in prop::collection::btree_map("[a-f]", prop::collection::btree_set("[a-h]", 1..4), 0..6),
        ) {
            let (aliases, _) = load(&serde_json::to_string(&table).unwrap());
            let owner = |token: &str| table.iter().find(|(_, aliases)| aliases.contains(token)).map(|(key, _)| key.as_str());
            let cycle = |token: &str| {
                let mut members = BTreeSet::new();
                let mut at = owner(token);
                while let Some(next) = at.filter(|next| members.insert((*next).to_owned())) {
                    at = owner(next);
                }
                members.contains(token).then(|| members.first().unwrap().clone())
            };
            for token in ["a", "b", "c", "d", "e", "f", "g", "h", "i"] {
                let canonical = if table.contains_key(token) { Some(token) } else { owner(token) };
                let expected = canonical.map_or(token.to_owned(), |canonical| {
                    cycle(canonical).unwrap_or_else(|| canonical.to_owned())
                });
                prop_assert_eq!(aliases.canonical(token), expected);
            }
        }
    }
}
