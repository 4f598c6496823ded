//! `capgen example`: small payloads of one side of a capability or of a whole agent, valid or not.

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
use crate::json_errors;
use crate::one_contract::capability;

/// The most patterns that a finding shows. Each is shown with lines of its source; the first ones are enough to find
/// the cause.
const MAX_LABELS: usize = 3;

pub(crate) fn run(arguments: &Example, console: &Console) -> RunResult {
    json_errors::reported(printed(arguments, console), arguments.json, console)
}

fn printed(arguments: &Example, console: &Console) -> RunResult {
    let Some(contract) = arguments.contract.load()? else { return Ok(Verdict::Fine) };
    // Nothing is printed if a side has no payloads, so that a part of the payloads is not taken for all of them.
    let (mut payloads, mut notes, mut findings) = (Vec::new(), Vec::new(), Vec::new());
    for subject in subjects(&contract, arguments)? {
        match subject.lines(arguments, &mut notes) {
            Ok(lines) => payloads.extend(lines),
            Err(Failure::Findings(more)) => findings.extend(more),
            Err(failure) => return Err(failure),
        }
    }
    if !findings.is_empty() {
        return Err(Failure::Findings(findings));
    }
    print_payloads(&payloads, arguments.json)?;
    notes.iter().for_each(|note| console.line(note));
    Ok(Verdict::Fine)
}

/// Prints one line for each payload, or one document.
fn print_payloads(payloads: &[String], json: bool) -> std::io::Result<()> {
    let text = match json {
        true => format!("{{\"payloads\":[{}]}}\n", payloads.join(",")),
        false => payloads.iter().flat_map(|payload| [payload, "\n"]).collect(),
    };
    console::print_json(&text)
}

/// One side of one capability.
struct Subject<'c> {
    contract: &'c LoadedContract,
    /// The place of the capability in the manifest.
    index: usize,
    /// The label of the capability.
    name: String,
    side: Side,
    /// Whether each line names the capability and the side.
    is_named: bool,
}

/// The sides whose payloads to print: one, or without `--capability` all of the agent.
fn subjects<'c>(contract: &'c LoadedContract, arguments: &Example) -> Result<Vec<Subject<'c>>, Failure> {
    if let Some(name) = &arguments.capability {
        capability(contract, name)?;
        let index = contract.manifest.position(name).unwrap_or_default();
        let side = arguments.side.map_or(Side::Request, Side::from);
        return Ok(vec![Subject { contract, index, name: name.clone(), side, is_named: false }]);
    }
    let sides: Vec<Side> = arguments.side.map_or_else(|| Side::ALL.to_vec(), |side| vec![Side::from(side)]);
    let labels = contract.manifest.labels().into_iter().enumerate();
    let subjects = labels.flat_map(|(index, name)| {
        sides.iter().map(move |side| Subject { contract, index, name: name.clone(), side: *side, is_named: true })
    });
    Ok(subjects.collect())
}

impl Subject<'_> {
    fn text(&self) -> String {
        format!("{} of `{}`", self.side.name(), self.name)
    }

    /// The payloads, each as JSON.
    fn lines(&self, arguments: &Example, notes: &mut Vec<String>) -> Result<Vec<String>, Failure> {
        let declared = self.contract.manifest.capabilities.get(self.index);
        let declared = declared.and_then(|capability| capability.schema(self.side));
        // A side without a schema accepts every JSON value.
        let anything = Schema::parse(&Json::Bool(true)).ok();
        let Some(schema) = declared.or(anything.as_ref()) else { return Ok(Vec::new()) };
        let count = arguments.count.map(usize::from);
        let settings = ExampleSettings { count, seed: arguments.seed, ..ExampleSettings::default() };
        let valid_settings = if arguments.invalid { ExampleSettings { count: Some(1), ..settings } } else { settings };
        let valid = examples(schema, valid_settings);
        let at = self.contract.schema_pointer(self.index, self.side);
        if valid.as_ref().is_ok_and(Vec::is_empty) {
            return Err(accepts_nothing(self.contract, &at, &self.text()));
        }
        if arguments.invalid {
            // A schema of which no valid payload was found can have invalid ones.
            return self.invalid_lines(&counterexamples(schema, settings), notes);
        }
        let valid = valid.map_err(|undecided| gave_up(undecided, schema, (self.contract, &at), &self.text()))?;
        let lines: Result<Vec<String>, _> = valid
            .iter()
            .map(|payload| {
                let payload = payload.canonical();
                Ok(match self.is_named {
                    true => format!("{{{},\"payload\":{payload}}}", self.members()?),
                    false => payload,
                })
            })
            .collect();
        lines.map_err(|error: serde_json::Error| std::io::Error::from(error).into())
    }

    /// The members of a line that name the capability and the side.
    fn members(&self) -> Result<String, serde_json::Error> {
        let name = serde_json::to_string(&self.name)?;
        Ok(format!("\"capability\":{name},\"side\":\"{}\"", self.side.name()))
    }

    fn invalid_lines(&self, result: &Counterexamples, notes: &mut Vec<String>) -> Result<Vec<String>, Failure> {
        let mut lines = Vec::new();
        for example in &result.found {
            let mut members = self.members().map_err(std::io::Error::from)?;
            members = if self.is_named { members + "," } else { String::new() };
            lines.push(line(&members, example).map_err(std::io::Error::from)?);
        }
        let subject = self.text();
        let of = if self.is_named { format!(" of the {subject}") } else { String::new() };
        if result.found.is_empty() && result.undecided == 0 {
            notes.push(format!("every JSON value is a valid {subject}"));
        }
        if result.found.len() >= ExampleSettings::MAX_COUNT {
            notes.push(format!("only the first {} payloads{of} are printed", ExampleSettings::MAX_COUNT));
        }
        if result.undecided > 0 {
            let constraints = count(result.undecided, "constraint", "constraints");
            notes.push(format!("no payload was found for {constraints}{of} within the limit of the search"));
        }
        Ok(lines)
    }
}

/// `members`, a payload, the constraint that it violates, the violation that shows this, and all violations.
fn line(members: &str, example: &Counterexample) -> Result<String, serde_json::Error> {
    let truncated = if example.violations.is_truncated() { ",\"truncated\":true" } else { "" };
    let Counterexample { payload, expected, violations, .. } = example;
    let constraint = match example.keyword {
        Keyword::False => example.pointer.clone(),
        keyword => pointer::join(&example.pointer, keyword.as_str()),
    };
    // The canonical text of the payload has every digit of its numbers.
    Ok(format!(
        "{{{members}\"payload\":{},\"constraint\":{},\"expected\":{{\"path\":{},\"keyword\":\"{}\"}},\"violations\":{}{truncated}}}",
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
