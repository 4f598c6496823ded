//! Tables of aliases.

use std::collections::BTreeMap;

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
