//! The stable codes of this crate's findings. A code never changes its meaning and is never used for another one.
//!
//! `<CODE>.md` next to this file explains each one.

capgen_diagnostic::codes! {
    /// The page of every code, in order.
    #[cfg(feature = "explain")]
    pub EXPLANATIONS;

    /// A text that does not start with the header of a contract.
    pub CONTRACT_HEADER = "E0801";
    /// A version of contracts that is not supported.
    pub CONTRACT_VERSION = "E0802";
    /// A header with an unknown mode.
    pub CONTRACT_MODE = "E0803";
    /// White space before a clause that is not exactly one space.
    pub CONTRACT_SPACING = "E0804";
    /// A contract without clauses.
    pub CONTRACT_NO_CLAUSES = "E0805";
    /// Text that is not a clause.
    pub MALFORMED_CLAUSE = "E0806";
    /// A clause without `)`.
    pub UNCLOSED_CLAUSE = "E0807";
    /// A `(` between the parentheses of a clause.
    pub UNESCAPED_PARENTHESIS = "E0808";
    /// A backslash before a character that is not escaped.
    pub INVALID_ESCAPE = "E0809";
    /// A clause with an unknown name.
    pub UNKNOWN_CLAUSE = "E0810";
    /// A clause without values.
    pub EMPTY_CLAUSE = "E0811";
    /// An empty value among others.
    pub EMPTY_VALUE = "E0812";
    /// An invalid capability.
    pub INVALID_CAPABILITY = "E0813";
    /// An invalid runtime.
    pub INVALID_RUNTIME = "E0814";
    /// An invalid model.
    pub INVALID_MODEL = "E0815";
    /// A key without a value.
    pub MISSING_VALUE = "E0816";
    /// An invalid key.
    pub INVALID_KEY = "E0817";
    /// A duplicate key.
    pub DUPLICATE_KEY = "E0818";
    /// A value with characters that are not allowed without an escape.
    pub INVALID_VALUE = "E0819";
    /// A key that the policy does not have.
    pub UNKNOWN_POLICY_KEY = "E0820";
    /// A value that a key of the policy does not have.
    pub INVALID_POLICY_VALUE = "E0821";

    // Workspaces.

    /// A manifest that a skill references and that cannot be used.
    pub MANIFEST = "E0823";
    /// A required capability that no other skill provides.
    pub NO_PROVIDER = "W0801";
    /// A denied capability that every resolution of the skill requires.
    pub DENIED_AND_REQUIRED = "W0802";
    /// A provided capability that the referenced manifest does not have.
    pub NOT_IN_MANIFEST = "W0803";
    /// A name that is not that of the folder.
    pub NAME_OF_FOLDER = "W0804";
    /// A name that is not in lower case with hyphens, or is too long.
    pub NAME_FORM = "W0805";
    /// A description that is too long.
    pub LONG_DESCRIPTION = "W0806";
    /// A file whose name differs from `SKILL.md` in its case.
    pub NAME_OF_FILE = "W0807";

    // Skills.

    /// A `SKILL.md` without frontmatter.
    pub NO_FRONTMATTER = "E0830";
    /// Frontmatter without `name` or `description`.
    pub SKILL_KEY = "E0831";
    /// A `name` or `description` that is not a non-empty string, or frontmatter that is not a mapping.
    pub SKILL_VALUE = "E0832";
    /// Frontmatter that is too large.
    pub FRONTMATTER_SIZE = "E0833";
    /// A source of skills that is not a folder, or cannot be read.
    pub ROOT = "E0834";
    /// More folders, entries or frontmatter than are read.
    pub DISCOVERY_LIMIT = "E0835";
    /// A consumer without a readable `SKILL.md`.
    pub CONSUMER = "E0836";
    /// Sources without any skill.
    pub NO_SKILLS = "E0842";

    // The documents of `.dci`.

    /// An invalid table of aliases.
    pub ALIASES = "E0837";
    /// Invalid probes.
    pub PROBES = "E0838";
    /// An invalid state of reliability.
    pub RELIABILITY = "E0839";
    /// An outcome that cannot be recorded.
    pub OUTCOME = "E0840";
    /// A state of reliability that cannot be written.
    pub STATE = "E0841";

    // Warnings.

    /// A `metadata` that is not a mapping.
    pub METADATA = "W0830";
    /// An optional value of the frontmatter that is not a string.
    pub NOT_TEXT = "W0831";
    /// A skill that is unreadable or unparseable.
    pub EXCLUDED = "W0832";
    /// An alias of two canonical tokens.
    pub ALIAS_OF_TWO = "W0833";
    /// Canonical tokens that are aliases of each other.
    pub ALIAS_CYCLE = "W0834";
    /// A state of reliability that is ignored.
    pub NO_HISTORY = "W0835";
    /// A probe whose program cannot be run.
    pub PROBE_NOT_RUN = "W0836";

    // Runs.

    /// A run that reached a limit.
    pub RUN_LIMIT = "E0860";
    /// A probe that applies in strict, and may not run.
    pub PROBE_NOT_ALLOWED = "E0861";
    /// `Rt(...)` and `compatibility` that name different runtimes.
    pub RUNTIME_MISMATCH = "W0860";
    /// An unknown runtime in `compatibility`.
    pub UNKNOWN_RUNTIME = "W0861";
    /// A hint of a provider that never applies.
    pub IGNORED_HINT = "W0862";
    /// A consumer whose contract is unreadable in best-effort.
    pub UNREADABLE_CONSUMER = "W0863";
    /// Warnings beyond the limit of the output.
    pub FURTHER_WARNINGS = "W0864";
    /// A provider that was selected for a capability because of a similar name or its description.
    pub NEAR_NAME = "W0865";
    /// Options with which a run that failed or selected nothing would have another result.
    pub SUGGESTION = "W0866";
}
