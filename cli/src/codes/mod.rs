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

    /// A database of the audit that cannot be read or written.
    pub(crate) AUDIT_UNUSABLE = "E0651";
    /// A file that is not an audit.
    pub(crate) NOT_AN_AUDIT = "E0652";
    /// A row of the audit that was changed, or rows that are missing.
    pub(crate) BROKEN_CHAIN = "E0653";
    /// A database of the audit that is damaged.
    pub(crate) AUDIT_DAMAGED = "E0654";
    /// A row of an anchor that the audit does not contain.
    pub(crate) ANCHOR_NOT_CONFIRMED = "E0655";
    /// A file that is not an anchor.
    pub(crate) INVALID_ANCHOR = "E0656";

    /// A capability whose name is not one of AMP.
    pub(crate) AMP_NAME = "E0671";
    /// A capability without a version.
    pub(crate) AMP_VERSION = "E0672";
    /// A range of versions that AMP does not have.
    pub(crate) AMP_RANGE = "E0673";
    /// Two versions of a capability with equal precedence.
    pub(crate) AMP_DUPLICATE = "E0674";
    /// A schema or a bundle beyond the limit.
    pub(crate) AMP_TOO_LARGE = "E0675";
    /// A file of an AMP command that cannot be read.
    pub(crate) AMP_FILE = "E0676";
    /// A file that is not a request to compare an AMP message with.
    pub(crate) NOT_A_REQUEST = "E0677";
    /// A file of a private key that cannot be used.
    pub(crate) SECRET_UNUSABLE = "E0678";
    /// A folder that a bundle cannot be written to.
    pub(crate) NOT_A_BUNDLE = "E0679";
    /// A policy file that is invalid, or does not fit the bundle.
    pub(crate) INVALID_POLICY = "E0680";
    /// A file of a registry command that cannot be read.
    pub(crate) REGISTRY_FILE = "E0691";
    /// A file that is not the configuration of a registry.
    pub(crate) REGISTRY_CONFIGURATION = "E0692";
    /// A log of the registry that cannot be used.
    pub(crate) REGISTRY_LOG = "E0693";
    /// A file that is not a state of the registry that can be merged.
    pub(crate) REGISTRY_STATE = "E0694";
    /// A file that does not contain heads of a log.
    pub(crate) REGISTRY_HEADS = "E0695";
    /// A capability that cannot be registered.
    pub(crate) REGISTRY_ANNOUNCEMENT = "E0696";
    /// A snapshot that cannot be written.
    pub(crate) REGISTRY_SNAPSHOT = "E0697";
    /// A contract of a skill that cannot be read from standard input.
    pub(crate) CONTRACT_INPUT = "E0822";
    /// A folder with files that an export did not write.
    pub(crate) EXPORT_FOREIGN = "E0921";
    /// A folder that an export cannot write.
    pub(crate) EXPORT_FAILED = "E0922";
    /// A value from which no manifest can be started.
    pub(crate) INIT_VALUE = "E0971";
    /// A file that exists and would be overwritten.
    pub(crate) INIT_EXISTS = "E0972";
    /// A first manifest that is in conflict with the fleet.
    pub(crate) INIT_CONFLICT = "E0973";
    /// A file or a folder of a first manifest that cannot be created.
    pub(crate) INIT_IO = "E0974";
    /// A line of a log that is skipped.
    pub(crate) REGISTRY_LINE = "W0691";
    /// A snapshot that is dropped.
    pub(crate) REGISTRY_SNAPSHOT_DROPPED = "W0692";
    /// An MCP server without an answer.
    pub(crate) MCP_SERVER = "E0941";
    /// A file in the folder of a site that capgen did not write.
    pub(crate) SITE_FOREIGN = "E0961";
    /// A page of a site that is out of date, missing or left over.
    pub(crate) SITE_STALE = "E0962";
    /// A file or a folder of a site that cannot be read or written.
    pub(crate) SITE_IO = "E0963";
    /// A site with too many pages.
    pub(crate) SITE_TOO_LARGE = "E0964";
    /// A file of a private key that other users may read.
    pub(crate) SECRET_SHARED = "W0678";
}
