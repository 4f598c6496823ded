//! The options of `capgen validate`.

use std::path::PathBuf;

use clap::Args;

use crate::arguments::SideName;
use crate::one_contract::OneContract;

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Validate {
    #[command(flatten)]
    pub(crate) contract: OneContract,
    /// The capability that the payload belongs to
    #[arg(long, value_name = "NAME")]
    pub(crate) capability: String,
    /// The side of the capability: whether the payload is a request or a response
    #[arg(long, value_enum)]
    pub(crate) side: SideName,
    /// File with the JSON payload; `-` means standard input
    #[arg(value_name = "PAYLOAD", default_value = "-")]
    pub(crate) payload: PathBuf,
    /// Read one payload per line and print one result per line
    #[arg(long)]
    pub(crate) lines: bool,
    /// Print results as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Do not quote payload values or undeclared property names in messages; paths still contain these names
    #[arg(long)]
    pub(crate) redact: bool,
}

const EXAMPLES: &str = "\
Examples:
  capgen validate --peer pr-reviewer --capability review-pr --side request payload.json
  curl -s ... | capgen validate --capabilities a.yaml --capability search --side response -
  capgen validate --peer search --capability search --side request --lines --json < log.ndjson

Violations are printed to standard output, one per line. With --json, a result is {\"valid\": true}, \
{\"valid\": false, \"violations\": [{\"path\", \"message\", \"keyword\"}]}, or {\"valid\": false, \"error\": \"...\"} if the \
input is not valid JSON or too large. If the contract cannot be read, it is {\"errors\": [...]}.

A side without a schema accepts every JSON value. A payload may be up to 64 MiB. With --lines, an empty line is an \
error, except for one at the end of the input. The exit status is 1 if any payload is invalid.";
