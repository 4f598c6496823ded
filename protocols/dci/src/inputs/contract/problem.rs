//! Problems of a contract: code, place, message and remedy.

use std::ops::Range;

use capgen_diagnostic::{Code, Diagnostic, Severity, Source, nearest, quoted};

use super::kind::Kind;
use super::scan::Malformed;
use crate::codes;
use crate::inputs::{InvalidSetting, Overrides};

/// A mistake in a contract.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ContractProblem {
    /// The stable code.
    pub code: Code,
    /// An error if the contract is unreadable because of it, else a warning.
    pub severity: Severity,
    /// The place, in bytes of the text that was read. It may be empty.
    pub span: Range<usize>,
    /// One sentence, without a full stop. Text of the contract is quoted and shortened.
    pub message: String,
    /// The remedy.
    pub help: String,
}

impl ContractProblem {
    /// The finding in `source`, which has the text that was read.
    pub fn finding(&self, source: &Source) -> Diagnostic {
        let finding = Diagnostic::new(self.code, &self.message).with_severity(self.severity);
        finding.at(source, self.span.clone(), "").help(&self.help)
    }
}

/// The parts of a problem that do not depend on its place.
pub(super) struct Mistake {
    code: Code,
    message: String,
    help: String,
}

impl Mistake {
    fn new(code: Code, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { code, message: message.into(), help: help.into() }
    }

    /// The problem at a place.
    pub(super) fn at(self, span: Range<usize>, severity: Severity) -> ContractProblem {
        let Self { code, message, help } = self;
        ContractProblem { code, severity, span, message, help }
    }
}

pub(super) fn header(word: &str) -> Mistake {
    let message = match word {
        "" => "the contract is empty".to_owned(),
        _ => format!("{} is not the header of a contract", quoted(word)),
    };
    let help = "start with `DCI/1`, `DCI/1^strict` or `DCI/1^best-effort`, and put a space between the header and the first clause";
    Mistake::new(codes::CONTRACT_HEADER, message, help)
}

pub(super) fn version(digits: &str) -> Mistake {
    let message = format!("version {} is not supported", quoted(digits));
    Mistake::new(codes::CONTRACT_VERSION, message, "write `DCI/1`, which is the only version")
}

pub(super) fn mode(name: &str) -> Mistake {
    let message = format!("unknown mode {}", quoted(name));
    Mistake::new(
        codes::CONTRACT_MODE,
        message,
        suggestion(name, ["strict", "best-effort"], "the modes are `strict` and `best-effort`"),
    )
}

pub(super) fn no_clauses() -> Mistake {
    let help = "add a clause, such as `P(web-search)`, or remove the contract";
    Mistake::new(codes::CONTRACT_NO_CLAUSES, "the contract has no clauses", help)
}

pub(super) fn spacing() -> Mistake {
    let message = "the white space before this clause is not exactly one space";
    Mistake::new(codes::CONTRACT_SPACING, message, "put one space before each clause")
}

pub(super) fn malformed(text: &str, reason: &Malformed) -> Mistake {
    match reason {
        Malformed::NoSpace => {
            let message = format!("there is no space between the clause and {}", quoted(text));
            Mistake::new(codes::CONTRACT_SPACING, message, "put one space between clauses")
        }
        Malformed::NoClause => {
            let help = "a clause is a name and values in parentheses, such as `P(web-search,web-fetch)`";
            Mistake::new(codes::MALFORMED_CLAUSE, format!("{} is not a clause", quoted(text)), help)
        }
        Malformed::Parenthesis(_) => {
            let help = "end the clause before with `)`, or escape the parenthesis: `\\(`";
            Mistake::new(codes::UNESCAPED_PARENTHESIS, "there is a `(` between the parentheses of a clause", help)
        }
        Malformed::Escape(_) => {
            let help = "a backslash escapes `,`, `(`, `)`, `=`, a space or a backslash; write `\\\\` for a backslash";
            Mistake::new(codes::INVALID_ESCAPE, "the escape is invalid", help)
        }
        Malformed::Unclosed(_) => {
            let message = "the clause has no `)` at its end";
            Mistake::new(codes::UNCLOSED_CLAUSE, message, "add `)` after the last value; `\\)` is part of a value")
        }
    }
}

pub(super) fn unknown_clause(name: &str) -> Mistake {
    let names = Kind::ALL.into_iter().flat_map(|kind| [kind.short(), kind.long()]);
    let all = "the clauses are P, E, A, R, O, D, Rt, M and Pol; their names are case-sensitive";
    Mistake::new(codes::UNKNOWN_CLAUSE, format!("unknown clause {}", quoted(name)), suggestion(name, names, all))
}

pub(super) fn empty_clause(kind: Kind) -> Mistake {
    let message = format!("`{}` has no values", kind.short());
    Mistake::new(codes::EMPTY_CLAUSE, message, "add a value, or remove the clause")
}

pub(super) fn empty_value(kind: Kind) -> Mistake {
    let message = format!("a value of `{}` is empty", kind.short());
    Mistake::new(codes::EMPTY_VALUE, message, "remove the superfluous comma, or escape it: `\\,`")
}

pub(super) fn capability(token: &str) -> Mistake {
    let message = format!("{} is not a capability", quoted(token));
    Mistake::new(codes::INVALID_CAPABILITY, message, CAPABILITY_RULE)
}

pub(super) fn runtime(token: &str) -> Mistake {
    let message = format!("{} is not a runtime", quoted(token));
    Mistake::new(codes::INVALID_RUNTIME, message, format!("write `*`, or an identifier: {CAPABILITY_RULE}"))
}

const CAPABILITY_RULE: &str =
    "use 1 to 128 letters, digits, `-`, `_`, `.`, `/` and `:`, of which the first and the last are letters or digits";

pub(super) fn model(pattern: &str) -> Mistake {
    let help = "use letters, digits, `-`, `_`, `.`, `/`, `:` and `@`; `*` is allowed only at the end";
    Mistake::new(codes::INVALID_MODEL, format!("{} is not a model or a prefix of models", quoted(pattern)), help)
}

pub(super) fn no_value(pair: &str) -> Mistake {
    let help = "write `key=value`; the key and the value are separated by the first `=` without a backslash";
    Mistake::new(codes::MISSING_VALUE, format!("{} has no value", quoted(pair)), help)
}

pub(super) fn key(key: &str) -> Mistake {
    let message = format!("{} is not a key", quoted(key));
    Mistake::new(codes::INVALID_KEY, message, "use letters, digits, `-` and `_`")
}

pub(super) fn duplicate_key(kind: Kind, key: &str) -> Mistake {
    let message = format!("`{}` contains the key {} twice", kind.short(), quoted(key));
    Mistake::new(codes::DUPLICATE_KEY, message, "remove one of them; the first one applies")
}

pub(super) fn value(key: &str) -> Mistake {
    let help = "use letters, digits, `-`, `_`, `.`, `/`, `:`, `@`, and a backslash before `,`, `(`, `)`, `=`, a space or a backslash";
    Mistake::new(
        codes::INVALID_VALUE,
        format!("the value of {} contains other characters than the grammar allows", quoted(key)),
        help,
    )
}

pub(super) fn setting(key: &str, value: &str, invalid: InvalidSetting) -> Mistake {
    match invalid {
        InvalidSetting::UnknownKey => {
            let all = format!("the keys are {}", Overrides::KEYS.join(", "));
            let help = suggestion(key, Overrides::KEYS, &all);
            Mistake::new(codes::UNKNOWN_POLICY_KEY, format!("unknown key {} of the policy", quoted(key)), help)
        }
        InvalidSetting::InvalidValue(expected) => {
            let message = format!("{} is not a value of {}", quoted(value), quoted(key));
            Mistake::new(codes::INVALID_POLICY_VALUE, message, format!("write {expected}"))
        }
    }
}

fn suggestion<'c>(text: &str, candidates: impl IntoIterator<Item = &'c str>, otherwise: &str) -> String {
    nearest(text, candidates).map_or_else(|| otherwise.to_owned(), |near| format!("did you mean `{near}`?"))
}
