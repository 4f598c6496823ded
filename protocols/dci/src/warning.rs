//! Warnings about skills and files.

use capgen_diagnostic::Code;

/// Something that a run ignored or replaced. Reports have no place for warnings (decision 28); programs print them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning {
    /// Its stable code.
    pub code: Code,
    /// The id of the skill, or the path of the file.
    pub subject: String,
    /// One sentence about the reason, in which untrusted text is quoted.
    pub message: String,
}
