//! Consequences of a checked schema, computed in one place for all engines: the interpreter, the lowering to types, and
//! the code generators.
//!
//! | module | question |
//! |---|---|
//! | [`graph`] | which subschemas apply to one place, and which are recursive |
//! | [`shared`] | which definitions one place can reach more than once |
//! | [`depth`] | how deeply an accepted payload can be nested |
//! | [`conjunction`], [`facets`] | the combined assertions of subschemas that apply to one place |
//! | [`branches`], [`tag`], [`key`] | which branch of a union a value can match, by its type, a tag or a key |
//! | [`selection`] | which branches the violations of a failed union can be about |
//! | [`components`] | which nodes of a graph can reach one another |
//! | [`profile`], [`effort`] | the conditions behind that, and how much of a schema is visited to find them |
//!
//! Every analysis is conservative: a claim such as "at most one branch matches" is true for every payload, and an
//! analysis that cannot prove a claim within its limits does not make it.

mod alternative_keys;
pub mod branches;
pub mod components;
pub mod conjunction;
pub mod depth;
pub mod effort;
pub mod facets;
pub mod graph;
mod in_place;
pub mod key;
mod listed;
mod names;
pub mod profile;
pub mod selection;
pub mod shared;
pub mod tag;
