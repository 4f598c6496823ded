//! What the agent `reviewer` offers. The types are the contract: `capabilities.yaml` is written from them.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;

use capgen::{AgentManifest, Capability, TransportSettings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Review a change, and say what to mend.
#[derive(Serialize, Deserialize, JsonSchema, Capability, Clone, PartialEq, Debug)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[capability(
    response = Review,
    id = "com.example.reviewer.review-change",
    version = "1.2.0",
    timeout_ms = 60_000,
    idempotent,
    since = "1.0.0",
    tags = ["code", "quality"],
    side_effects = "pure",
    determinism = "nondeterministic",
    required_scopes = ["code:read"],
)]
pub struct ReviewChange {
    /// Where the code lives.
    #[schemars(url)]
    pub repository: String,
    /// The files that change, by their paths.
    pub files: BTreeMap<String, Change>,
    /// What to look at; everything where it is left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub focus: Vec<Focus>,
    /// How many findings to report at most.
    #[schemars(range(min = 1))]
    pub limit: Option<u8>,
}

/// What becomes of a file.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Change {
    /// It is new.
    Added {
        /// All of it.
        text: String,
    },
    /// It was there.
    Edited {
        /// A unified diff.
        diff: String,
    },
    /// It is gone.
    Removed,
}

/// What a reviewer looks at.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum Focus {
    /// Does it do what it says?
    Correctness,
    /// Can a stranger misuse it?
    Security,
    /// Will the next reader understand it?
    Clarity,
}

/// What the reviewer says.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Review {
    /// Whether to merge.
    pub verdict: Verdict,
    /// The worst first.
    pub findings: Vec<Finding>,
}

/// Whether to merge.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Merge it.
    Approve,
    /// Mend it first.
    RequestChanges,
}

/// Something to mend.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Finding {
    /// What it is about.
    pub focus: Focus,
    /// The file.
    pub path: String,
    /// The line, from 1; `null` for the file as a whole.
    #[schemars(range(min = 1))]
    pub line: Option<u32>,
    /// What is wrong, and what to write instead.
    #[schemars(length(min = 1, max = 2000))]
    pub message: String,
}

/// Tell which rules the reviewer goes by.
#[derive(Capability, Clone, Copy, PartialEq, Eq, Debug)]
#[capability(response = Vec<Rule>, idempotent, side_effects = "pure", determinism = "deterministic")]
pub struct ListRules;

/// A rule that changes are held against.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    /// Unique, such as `no-unwrap`.
    #[schemars(regex(pattern = r"^[a-z][a-z0-9-]*$"))]
    pub id: String,
    /// One sentence.
    pub summary: String,
    /// What it serves.
    pub focus: Focus,
}

/// The agent, with everything that can be called on it.
pub fn agent() -> AgentManifest {
    AgentManifest::new("reviewer")
        .transport(
            TransportSettings::nats(&["nats://nats.internal:4222"], "reviewer.requests")
                .responses("reviewer.responses"),
        )
        .capability::<ReviewChange>()
        .capability::<ListRules>()
}

/// Reviews a change. An example has an opinion on unwrapping alone.
pub fn review(change: &ReviewChange) -> Review {
    let most = usize::from(change.limit.unwrap_or(u8::MAX));
    let findings: Vec<Finding> =
        change.files.iter().filter_map(|(path, change)| finding(path, change)).take(most).collect();
    let verdict = if findings.is_empty() { Verdict::Approve } else { Verdict::RequestChanges };
    Review { verdict, findings }
}

fn finding(path: &str, change: &Change) -> Option<Finding> {
    let text = match change {
        Change::Added { text } => text,
        Change::Edited { diff } => diff,
        Change::Removed => return None,
    };
    let is_new = matches!(change, Change::Added { .. });
    let (index, _) = text.lines().enumerate().find(|(_, line)| line.contains(".unwrap()"))?;
    let line = u32::try_from(index + 1).ok().filter(|_| is_new);
    let message = "`unwrap` ends the program: return the error.".to_owned();
    Some(Finding { focus: Focus::Correctness, path: path.to_owned(), line, message })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_manifest_is_fresh() {
        capgen::export!(crate::agent(), "capabilities.yaml");
    }
}
