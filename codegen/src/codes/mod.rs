//! The stable codes of findings about generated code and the output folder. A code never changes its meaning.
//!
//! `<CODE>.md` next to this file explains each one.

capgen_diagnostic::codes! {
    /// The page of every code, in order.
    #[cfg(feature = "explain")]
    pub EXPLANATIONS;

    /// Two agents whose outputs have the same file name, on this or another file system.
    pub COLLISION = "E0401";
    /// An output whose name Windows reserves for a device.
    pub RESERVED_NAME = "E0402";
    /// An output path is occupied by a file that capgen did not write.
    pub FOREIGN_FILE = "E0403";
    /// The output folder cannot be read or written.
    pub OUTPUT_IO = "E0404";
    /// An output is missing or out of date.
    pub STALE = "E0405";
    /// An output whose agent no longer exists.
    pub ORPHAN = "E0406";
    /// A build script tried to write inside a packaged crate.
    pub PACKAGED = "E0407";
    /// A path that cannot be written on one line of a build script's output.
    pub PATH = "E0409";
    /// Older contracts of a build script for which no generated file has a table.
    pub NO_TABLE = "E0410";
    /// Types that are less precise than their schema, because of a limit.
    pub WIDENED = "W0401";
    /// A generated file that imports a shared file, which changes without it.
    pub LEFT_BEHIND = "W0402";
}
