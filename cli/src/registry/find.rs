//! `capgen registry find`: queries.

use capgen_registry::{Query, Range, Row};
use clap::builder::PossibleValuesParser;
use clap::{ArgGroup, Args};
use serde::Serialize;

use super::fold;
use super::output::OutputForm;
use super::snapshot::Start;
use crate::console::{Console, print};
use crate::failure::{RunResult, Verdict};

#[derive(Args, Debug)]
#[command(after_help = HELP)]
#[command(group = ArgGroup::new("question").required(true).multiple(false))]
pub(crate) struct Find {
    /// The id of a capability
    #[arg(value_name = "ID", group = "question")]
    id: Option<String>,
    /// Only versions in this range, such as '>=1.2.0 <2.0.0'
    #[arg(long, value_name = "RANGE", conflicts_with_all = ["tag", "determinism"])]
    range: Option<Range>,
    /// Capabilities with this tag
    #[arg(long, value_name = "TAG", group = "question")]
    tag: Option<String>,
    /// Capabilities of this determinism class
    #[arg(
        long,
        value_name = "CLASS",
        group = "question",
        value_parser = PossibleValuesParser::new(["deterministic", "nondeterministic"])
    )]
    determinism: Option<String>,
    #[command(flatten)]
    start: Start,
    #[command(flatten)]
    output: OutputForm,
}

const HELP: &str = "\
Examples:
  capgen registry find analysis.text.summarize --log events.jsonl
  capgen registry find analysis.text.summarize --range '>=1.0.0 <2.0.0' --log events.jsonl
  capgen registry find --tag text --log sqlite:registry.db

Prints {\"results\", \"registry_hash\"}, in the order of id, version descending and agent. Deprecated versions and those of unhealthy agents are \
listed and marked. Ranges compare versions by precedence alone, so 2.0.0-rc.1 is in the range '>=1.0.0 <2.0.0'.";

/// The output of a query.
#[derive(Serialize)]
struct Results {
    results: Vec<Row>,
    registry_hash: String,
}

pub(super) fn run(arguments: &Find, console: &Console) -> RunResult {
    let Find { id, range, tag, determinism, start, output } = arguments;
    let mut registry = start.registry(console)?;
    let view = registry.view();
    // The options are alternatives, of which there is one.
    let query = match (id, tag, determinism) {
        (Some(id), _, _) => Query::Id { id, range: range.as_ref() },
        (_, Some(tag), _) => Query::Tag(tag),
        (_, _, Some(class)) => Query::Determinism(class),
        (None, None, None) => Query::All,
    };
    let results = Results { results: view.find(&query), registry_hash: view.registry_hash() };
    let output = output.output();
    if output.human {
        print(&fold::registrations(&results.results))?;
    } else {
        let _ = output.value(&results)?;
    }
    Ok(Verdict::Fine)
}
