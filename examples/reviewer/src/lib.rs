//! The capabilities of the agent `reviewer`. These types are the contract: `capabilities.yaml` is generated from them.
#![forbid(unsafe_code)]

pub mod serve;

use std::collections::BTreeMap;

use capgen::{AgentManifest, Capability, TransportSettings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Review a change and report the problems to fix.
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
    /// The URL of the repository.
    #[schemars(url)]
    pub repository: String,
    /// The changed files by path.
    pub files: BTreeMap<String, Change>,
    /// The aspects to review; all of them if absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub focus: Vec<Focus>,
    /// The maximum number of findings to report.
    #[schemars(range(min = 1))]
    pub limit: Option<u8>,
}

/// How a file changes.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Change {
    /// The file is new.
    Added {
        /// The content of the file.
        text: String,
    },
    /// The file existed and has changed.
    Edited {
        /// A unified diff.
        diff: String,
    },
    /// The file was deleted.
    Removed,
}

/// An aspect of a review.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum Focus {
    /// The code does what its documentation promises.
    Correctness,
    /// Hostile input cannot misuse the code.
    Security,
    /// The next reader understands the code.
    Clarity,
}

/// The result of a review.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Review {
    /// Whether to merge the change.
    pub verdict: Verdict,
    /// The problems, most serious first.
    pub findings: Vec<Finding>,
}

/// Whether to merge a change.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The change can be merged.
    Approve,
    /// The findings must be fixed first.
    RequestChanges,
}

/// A problem to fix.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Finding {
    /// The aspect that the problem belongs to.
    pub focus: Focus,
    /// The path of the file.
    pub path: String,
    /// The line number, starting at 1; `null` for the whole file.
    #[schemars(range(min = 1))]
    pub line: Option<u32>,
    /// The problem and its fix.
    #[schemars(length(min = 1, max = 2000))]
    pub message: String,
}

/// List the rules that the reviewer applies.
#[derive(Capability, Clone, Copy, PartialEq, Eq, Debug)]
#[capability(
    response = Vec<Rule>,
    id = "com.example.reviewer.list-rules",
    version = "1.0.0",
    idempotent,
    side_effects = "pure",
    determinism = "deterministic",
)]
pub struct ListRules;

/// A rule that changes are checked against.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    /// A unique id, such as `no-unwrap`.
    #[schemars(regex(pattern = r"^[a-z][a-z0-9-]*$"))]
    pub id: String,
    /// The rule in one sentence.
    pub summary: String,
    /// The aspect that the rule belongs to.
    pub focus: Focus,
}

/// The manifest of the agent, with all of its capabilities.
pub fn agent() -> AgentManifest {
    AgentManifest::new("reviewer")
        .transport(
            TransportSettings::nats(&["nats://nats.internal:4222"], "reviewer.requests")
                .responses("reviewer.responses"),
        )
        .capability::<ReviewChange>()
        .capability::<ListRules>()
}

/// Reviews a change. This example has only one rule: no `unwrap`.
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
    let message = "`unwrap` can end the program: return the error.".to_owned();
    Some(Finding { focus: Focus::Correctness, path: path.to_owned(), line, message })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_manifest_is_up_to_date() {
        capgen::export!(crate::agent(), "capabilities.yaml");
    }
}
