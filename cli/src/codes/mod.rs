//! The stable codes of findings about the values that the command line names. A code never changes its meaning.
//!
//! `<CODE>.md` next to this file explains each one.

capgen_diagnostic::codes! {
    /// The page of every code, in order.
    pub(crate) EXPLANATIONS;

    /// A payload that is not JSON.
    pub(crate) NOT_JSON = "E0501";
    /// A capability that the contract does not have.
    pub(crate) UNKNOWN_CAPABILITY = "E0502";
    /// A payload that cannot be read.
    pub(crate) PAYLOAD_IO = "E0503";
    /// A payload beyond the limit.
    pub(crate) PAYLOAD_TOO_LARGE = "E0504";
    /// A code that does not exist.
    pub(crate) UNKNOWN_CODE = "E0505";
    /// A schema that no JSON value conforms to.
    pub(crate) ACCEPTS_NOTHING = "E0506";
    /// A schema for which no payload was found within the limits.
    pub(crate) NO_EXAMPLE = "E0507";

    /// The program `git` cannot be run, or fails.
    pub(crate) GIT_FAILED = "E0601";
    /// A folder or a file that is in no git repository.
    pub(crate) NOT_IN_A_REPOSITORY = "E0602";
    /// A revision that does not exist.
    pub(crate) UNKNOWN_REVISION = "E0603";
    /// A contract that the old version does not have.
    pub(crate) NO_OLD_VERSION = "E0604";
    /// A folder without contracts.
    pub(crate) NO_CONTRACTS = "E0605";

    /// A lock that does not exist.
    pub(crate) NO_LOCK = "E0625";
    /// A lock that capgen did not write, or that cannot be replaced.
    pub(crate) FOREIGN_LOCK = "E0626";
}
