//! `capgen dci graph`: the dependencies of the selected providers, as text or for programs that draw graphs.

mod dot;
mod mermaid;
mod text;

use std::collections::BTreeSet;

use capgen_dci::{Aliases, Candidate, Corpus, Decision, Resolution};
use clap::ValueEnum;

use super::arguments::{self, RunArguments};
use super::command::Words;
use super::page::{id, listed};
use super::run::Run;
use super::suggestions::{self, Known};
use crate::console::{self, Console};
use crate::failure::{RunResult, Verdict};

/// The language of the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Language {
    /// Indented text
    Text,
    /// The language of Graphviz
    Dot,
    /// A flowchart of Mermaid
    Mermaid,
}

pub(super) fn run(arguments: &arguments::Graph, console: &Console) -> RunResult {
    let run = Run::load(&arguments.run)?;
    let inputs = run.inputs();
    let mut known = Known::default();
    let resolution = run.resolve(&inputs, &mut known)?;
    run.warn(&resolution, false, console);
    let command = |run: &RunArguments| {
        let mut words = Words::new("graph");
        words.run(run);
        words.text("format", arguments.format.to_possible_value().as_ref().map(|value| value.get_name()));
        words
    };
    let decision = Decision::default();
    suggestions::report((&run, &arguments.run), &resolution, decision, &mut known, (false, console), command);
    let consumer = inputs.consumer.as_ref().map_or("consumer", |consumer| &consumer.id);
    let items = items(&run.workspace.corpus, inputs.aliases, consumer, &resolution);
    console::print(&match arguments.format {
        Language::Text => text::write(&items),
        Language::Dot => dot::write(&items),
        Language::Mermaid => mermaid::write(&items),
    })?;
    Ok(Verdict::Fine)
}

/// The consumer or a provider in its context. Its texts are those of skills, shortened and on one line, but not escaped
/// for a language.
struct Item {
    /// The number of the item whose requirements it was selected for.
    parent: Option<usize>,
    title: String,
    notes: Vec<String>,
    /// Whether an earlier item has the same context, so that nothing is below this one.
    is_repeated: bool,
    /// Whether it requires or denies a capability that the graph also denies or requires.
    is_in_conflict: bool,
}

/// The consumer, and all providers in the order of the traversal.
fn items(corpus: &Corpus, aliases: &Aliases, consumer: &str, resolution: &Resolution) -> Vec<Item> {
    let conflicts: BTreeSet<&str> = resolution.conflicts.capabilities.iter().map(String::as_str).collect();
    let missing: Vec<&str> = resolution.uncovered().collect();
    let is_in_conflict = resolution.required.iter().any(|token| conflicts.contains(aliases.canonical(token)));
    let mut root = Item { parent: None, title: id(consumer), notes: Vec::new(), is_repeated: false, is_in_conflict };
    root.note("requires", &resolution.required);
    root.note("missing", &missing);
    let mut items = vec![root];
    let provider = |id: &str, parent: Option<usize>| {
        let candidate = corpus.candidate(id)?;
        // The consumer is the first item.
        let parent = Some(parent.map_or(0, |parent| parent + 1));
        Some(Item::new(candidate, parent, aliases, &conflicts))
    };
    for node in &resolution.graph.nodes {
        let Some(mut item) = provider(&node.id, node.parent) else { continue };
        item.is_repeated = node.is_repeated;
        item.note("missing", &node.unresolved);
        items.push(item);
    }
    if resolution.graph.nodes.is_empty() {
        // With `max-dependency-depth=0`, the graph has no providers.
        items.extend(resolution.selection.providers().filter_map(|one| provider(&one.scored.id, None)));
    }
    items
}

impl Item {
    fn new(candidate: &Candidate, parent: Option<usize>, aliases: &Aliases, conflicts: &BTreeSet<&str>) -> Self {
        let in_conflict = |tokens: &[String]| -> Vec<String> {
            tokens.iter().filter(|token| conflicts.contains(aliases.canonical(token))).cloned().collect()
        };
        let (requires, denies) = (in_conflict(candidate.requires()), in_conflict(candidate.denies()));
        let is_in_conflict = !(requires.is_empty() && denies.is_empty());
        let mut item = Self { parent, title: id(&candidate.id), notes: Vec::new(), is_repeated: false, is_in_conflict };
        item.note("requires", candidate.requires());
        item.note("conflict: requires", &requires);
        item.note("conflict: denies", &denies);
        item
    }

    fn note(&mut self, what: &str, capabilities: &[impl AsRef<str>]) {
        if !capabilities.is_empty() {
            self.notes.push(format!("{what} {}", listed(capabilities)));
        }
    }
}
