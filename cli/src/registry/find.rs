//! `capgen registry find`: queries.

use capgen_registry::{Query, Row};
use serde::Serialize;

use super::output::Output;
use super::{arguments, fold, snapshot};
use crate::console::{Console, print};
use crate::failure::{Outcome, Verdict};

/// The output of a query.
#[derive(Serialize)]
struct Results {
    results: Vec<Row>,
    registry_hash: String,
}

pub(super) fn run(arguments: &arguments::Find, console: &Console) -> Outcome {
    let arguments::Find { id, range, tag, determinism, source, snapshot, json } = arguments;
    let mut registry = snapshot::registry(source, snapshot.as_deref(), console)?;
    let view = registry.view();
    // The options are alternatives, of which there is one.
    let query = match (id, tag, determinism) {
        (Some(id), _, _) => Query::Id { id, range: range.as_ref() },
        (_, Some(tag), _) => Query::Tag(tag),
        (_, _, Some(class)) => Query::Determinism(class),
        (None, None, None) => Query::All,
    };
    let results = Results { results: view.find(&query), registry_hash: view.registry_hash() };
    let output = Output::json_or_text(*json);
    if output.human {
        print(&fold::registrations(&results.results))?;
    } else {
        let _ = output.value(&results)?;
    }
    Ok(Verdict::Fine)
}
