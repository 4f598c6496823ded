//! The options of `capgen dci`.

use capgen_dci::Mode;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Dci {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  capgen dci parse 'DCI/1 P(web-search) R(http)'
  capgen dci fmt 'DCI/1  Requires(http)  Provides(web-search)'

A skill states in its contract which capabilities it provides, requires and denies. docs/dci.md describes contracts.

Exit status: 0 success, 1 the input is invalid, 2 incorrect usage.";

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Show the clauses of a contract, and report its mistakes
    #[command(after_help = PARSE_HELP)]
    Parse(Parse),
    /// Print the canonical text of a contract
    #[command(after_help = FMT_HELP)]
    Fmt(Fmt),
}

/// A contract and the mode in which it is read.
#[derive(Args, Debug)]
pub(crate) struct ContractText {
    /// The contract; `-` means standard input
    #[arg(value_name = "TEXT", default_value = "-")]
    pub(crate) text: String,
    /// Read the contract in this mode [default: the mode that it states, else best-effort]
    #[arg(long, value_name = "MODE", value_parser = mode())]
    pub(crate) mode: Option<Mode>,
}

/// The parser of `strict` and `best-effort`.
fn mode() -> impl TypedValueParser<Value = Mode> {
    let names = [Mode::Strict.name(), Mode::BestEffort.name()];
    PossibleValuesParser::new(names).map(|name| name.parse().unwrap_or_default())
}

#[derive(Args, Debug)]
pub(crate) struct Parse {
    #[command(flatten)]
    pub(crate) contract: ContractText,
    /// Print the result as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

const PARSE_HELP: &str = "\
Examples:
  capgen dci parse 'DCI/1 P(web-search) R(http)'
  capgen dci parse --mode strict --json 'DCI/1 P(web-search) A(format=json)'
  printf 'DCI/1 P(web-search)' | capgen dci parse

In strict, a contract with a mistake is unreadable. In best-effort, only a contract without a valid header is; other mistakes are warnings.

--json prints {\"ok\", \"canonical\", \"mode\", \"clauses\", \"invalid_tokens\", \"unknown_clauses\", \"errors\"}:
  ok               whether the contract is readable
  canonical        its canonical text, or null if it is unreadable
  mode             the mode in which it was read
  clauses          the valid values: lists `P`, `E`, `R`, `O`, `D`, `Rt` and `M`, and objects `A` and `Pol`, in the order of the text; all are empty \
if the contract is unreadable
  invalid_tokens   the invalid tokens as they are written; an empty value is an empty text
  unknown_clauses  the clauses with unknown names, and text that is not a clause, as they are written
  errors           why the contract is unreadable: [{\"code\", \"message\", \"help\", \"start\", \"end\"}], with offsets in bytes; at most 100
Warnings go to standard error, one JSON object per line.

The exit status is 1 if the contract is unreadable. A contract may have up to 16 MiB.";

#[derive(Args, Debug)]
pub(crate) struct Fmt {
    #[command(flatten)]
    pub(crate) contract: ContractText,
}

const FMT_HELP: &str = "\
Examples:
  capgen dci fmt 'DCI/1  Requires(http)  Provides(web-search)'
  capgen dci fmt < contract.txt

The canonical text has short names, the clauses in the order P E A R O D Rt M Pol with one space between them, no duplicates, and only necessary escapes. \
In best-effort, identifiers and keys are in lower case.

Invalid tokens and unknown clauses of a best-effort contract are left out, each with a warning on standard error. The exit status is 1 if the \
contract is unreadable.";
