//! Contracts: the text of `metadata.contract`, read into clauses.

mod canonical;
mod kind;
mod problem;
mod reader;
mod scan;
mod token;
mod values;

pub use problem::ContractProblem;
pub use reader::{Reading, read, stated_mode};
pub use token::{is_capability, is_model};
pub use values::values;

use crate::inputs::{Mode, Overrides};

/// A key with its value, of `A(...)` or `Pol(...)`. Escapes are decoded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    /// The key, normalised for the mode of the run.
    pub key: String,
    /// The value, in the case in which it is written.
    pub value: String,
}

/// A contract that is readable in the mode of the run. Tokens are decoded, normalised for that mode, valid and
/// distinct.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SkillContract {
    /// The mode that the contract states.
    pub mode: Option<Mode>,
    /// `P(...)`: the capabilities that the skill offers.
    pub provides: Vec<String>,
    /// `E(...)`: assumptions about the input.
    pub expects: Vec<String>,
    /// `A(...)`: parameters.
    pub accepts: Vec<Setting>,
    /// `R(...)`: the capabilities that the skill requires.
    pub requires: Vec<String>,
    /// `O(...)`: capabilities that the skill uses if they exist.
    pub optional: Vec<String>,
    /// `D(...)`: capabilities that no selected provider may require.
    pub denies: Vec<String>,
    /// `Rt(...)`: runtimes; `*` and `all` mean every runtime.
    pub runtime: Vec<String>,
    /// `M(...)`: models, each with an optional `*` at its end; `*` and `all` mean every model.
    pub model: Vec<String>,
    /// `Pol(...)`: the settings that the policy has, with their values as they are written.
    pub policy: Vec<Setting>,
    /// The values of `Pol(...)`.
    pub overrides: Overrides,
    /// The number of invalid tokens, which `invalid_token_penalty` counts.
    pub invalid_tokens: usize,
    /// The number of unknown clauses, which `unknown_clause_penalty` counts.
    pub unknown_clauses: usize,
}
