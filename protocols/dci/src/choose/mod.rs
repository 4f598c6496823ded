//! From the inputs of a run to the providers that it selects.
//!
//! `corpus.rs` has the candidates, and `resolve.rs` the run. `scoring.rs` scores the candidates for the required
//! capabilities: `matching.rs` compares names, `query.rs` texts, with the words of `text/`, `compatibility.rs` the
//! host, and `penalty.rs` subtracts. `coverage.rs` decides which capabilities a candidate covers, `rejection.rs`
//! applies the thresholds of the policy, `rank.rs` orders, and `select.rs` selects. `transitive.rs` follows the
//! requirements of the selected candidates, and `conflict.rs` compares their requirements with their denials.
//! `budget.rs` limits the work.
//!
//! `search.rs` ranks by words alone, and `verified.rs` compares contracts with manifests.

mod budget;
mod compatibility;
mod conflict;
mod corpus;
mod coverage;
mod matching;
mod penalty;
mod query;
mod rank;
mod rejection;
mod resolve;
mod scoring;
mod search;
mod select;
mod text;
mod transitive;
mod verified;

pub use budget::Exceeded;
pub use conflict::{Conflict, Conflicts, Party, ProviderConflicts};
pub use corpus::{Candidate, Corpus, Declaration};
pub use coverage::NearName;
pub use matching::Match;
pub use rank::TieBreak;
pub use rejection::Reason;
pub use resolve::{Consumer, Decision, Inputs, Outcome, Resolution, ResolveError, resolve};
pub use scoring::{Penalties, Scored, Scores};
pub use search::{Found, search};
pub use select::{Ranked, Selection};
pub use transitive::{Graph, Node};
pub use verified::Verified;
