//! What a checked schema implies, computed once for every engine: the interpreter, the lowering to types, and the code
//! generators.
//!
//! | module | question |
//! |---|---|
//! | [`graph`] | which subschemas apply to one place, and which are recursive |
//! | [`shared`] | which definitions one place can reach more than once |
//! | [`depth`] | how deeply an accepted payload can be nested |
//! | [`branches`] | which branch of a union a value can match |
//!
//! Every analysis is conservative: a claim such as "at most one branch matches" holds for every payload, and an analysis
//! that cannot prove a claim within its limits does not make it.

pub mod branches;
pub mod depth;
pub mod graph;
pub mod shared;
