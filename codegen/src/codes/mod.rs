//! The stable codes of what can be wrong with the output folder. A code never changes its meaning.
//!
//! `<CODE>.md` next to this file explains each one.

use capgen_schema::Code;

/// Two outputs whose names are one where case does not count.
pub const COLLISION: Code = Code::new("E0401");
/// An output whose name Windows keeps for a device.
pub const RESERVED_NAME: Code = Code::new("E0402");
/// A file stands where an output belongs, and capgen did not write it.
pub const FOREIGN_FILE: Code = Code::new("E0403");
/// The output folder cannot be read or written.
pub const OUTPUT_IO: Code = Code::new("E0404");
/// An output is missing or is not what the contract gives.
pub const STALE: Code = Code::new("E0405");
/// An output whose agent is gone.
pub const ORPHAN: Code = Code::new("E0406");
/// A build script wants to write inside a packaged crate.
pub const PACKAGED: Code = Code::new("E0407");
/// Nothing was named to generate from.
pub const NOTHING_NAMED: Code = Code::new("E0408");
/// A path that a line of a build script's output cannot hold.
pub const PATH: Code = Code::new("E0409");
