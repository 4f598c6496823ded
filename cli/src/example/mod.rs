//! `capgen example`: small payloads of one side of a capability, valid or not.

mod arguments;

pub(crate) use arguments::Example;

use capgen_diagnostic::Diagnostic;
use capgen_manifest::{LoadedContract, Side};
use capgen_schema::{
    Counterexample, Counterexamples, ExampleSettings, Json, Keyword, Kind, Schema, Undecided, counterexamples,
    examples, pointer,
};

use crate::codes;
use crate::console::{self, Console, count};
use crate::failure::{Failure, RunResult, Verdict};
use crate::one_contract::capability;

/// The most patterns that a finding shows. Each is shown with lines of its source; the first ones are enough to find
/// the cause.
const MAX_LABELS: usize = 3;

pub(crate) fn run(arguments: &Example, console: &Console) -> RunResult {
    let Some(contract) = arguments.contract.load()? else { return Ok(Verdict::Fine) };
    let name = &arguments.capability;
    capability(&contract, name)?;
    let side = Side::from(arguments.side);
    let index = contract.manifest.position(name).unwrap_or_default();
    let declared = contract.manifest.capabilities.get(index).and_then(|capability| capability.schema(side));
    // A side without a schema accepts every JSON value.
    let anything = Schema::parse(&Json::Bool(true)).ok();
    let Some(schema) = declared.or(anything.as_ref()) else { return Ok(Verdict::Fine) };
    let settings =
        ExampleSettings { count: arguments.count.map(usize::from), seed: arguments.seed, ..ExampleSettings::default() };
    let subject = format!("{} of `{name}`", side.name());
    let valid_settings = if arguments.invalid { ExampleSettings { count: Some(1), ..settings } } else { settings };
    let valid = examples(schema, valid_settings);
    if valid.as_ref().is_ok_and(Vec::is_empty) {
        return Err(accepts_nothing(&contract, &contract.schema_pointer(index, side), &subject));
    }
    if arguments.invalid {
        // A schema of which no valid payload was found can have invalid ones.
        print_invalid(&counterexamples(schema, settings), &subject, console)?;
    } else {
        let at = contract.schema_pointer(index, side);
        let valid = valid.map_err(|undecided| gave_up(undecided, schema, (&contract, &at), &subject))?;
        console::print_json(&valid.iter().map(|value| value.canonical() + "\n").collect::<String>())?;
    }
    Ok(Verdict::Fine)
}

fn print_invalid(result: &Counterexamples, subject: &str, console: &Console) -> Result<(), Failure> {
    let mut lines = String::new();
    for example in &result.found {
        lines.push_str(&line(example).map_err(std::io::Error::from)?);
    }
    console::print_json(&lines)?;
    if result.found.is_empty() && result.undecided == 0 {
        console.line(&format!("every JSON value is a valid {subject}"));
    }
    if result.found.len() >= ExampleSettings::MAX_COUNT {
        console.line(&format!("only the first {} payloads are printed", ExampleSettings::MAX_COUNT));
    }
    if result.undecided > 0 {
        let constraints = count(result.undecided, "constraint", "constraints");
        console.line(&format!("no payload was found for {constraints} within the limit of the search"));
    }
    Ok(())
}

/// A payload, the constraint that it violates, the violation that shows this, and all violations.
fn line(example: &Counterexample) -> Result<String, serde_json::Error> {
    let truncated = if example.violations.is_truncated() { ",\"truncated\":true" } else { "" };
    let Counterexample { payload, expected, violations, .. } = example;
    let constraint = match example.keyword {
        Keyword::False => example.pointer.clone(),
        keyword => pointer::join(&example.pointer, keyword.as_str()),
    };
    // The canonical text of the payload has every digit of its numbers.
    Ok(format!(
        "{{\"payload\":{},\"constraint\":{},\"expected\":{{\"path\":{},\"keyword\":\"{}\"}},\"violations\":{}{truncated}}}\n",
        payload.canonical(),
        serde_json::to_string(&constraint)?,
        serde_json::to_string(&expected.path)?,
        expected.keyword,
        serde_json::to_string(&violations[..])?,
    ))
}

fn accepts_nothing(contract: &LoadedContract, pointer: &str, subject: &str) -> Failure {
    let mut finding = Diagnostic::new(codes::ACCEPTS_NOTHING, format!("there is no valid {subject}"));
    finding.labels.push(contract.label(pointer, "no JSON value conforms to this schema"));
    Failure::Findings(vec![finding])
}

fn gave_up(undecided: Undecided, schema: &Schema, (contract, at): (&LoadedContract, &str), subject: &str) -> Failure {
    let message = format!("no valid {subject} was found: the search ended at {}", undecided.reason);
    let mut finding = Diagnostic::new(codes::NO_EXAMPLE, message);
    let label = |pointer: &str, text: &str| contract.label(&format!("{at}{pointer}"), text);
    let patterns = schema.nodes().filter_map(|(_, node)| match &node.kind {
        Kind::Assertions(group) => Some((node, group.pattern.as_ref()?)),
        _ => None,
    });
    let (with, without): (Vec<_>, Vec<_>) = patterns.partition(|(_, pattern)| pattern.has_lookaround());
    if undecided.reason.contains("pattern") {
        let (named, text) =
            if with.is_empty() { (without, "this pattern") } else { (with, "this pattern has look-around") };
        let labels = named.into_iter().map(|(node, _)| label(&pointer::join(&node.pointer, "pattern"), text));
        finding.labels.extend(labels.take(MAX_LABELS));
    }
    if finding.labels.is_empty() {
        finding.labels.push(label("", "in this schema"));
    }
    finding.help = Some("add a valid value to `examples` or `default` in the schema, and capgen prints it".into());
    Failure::Findings(vec![finding])
}
