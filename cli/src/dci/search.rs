//! `capgen dci search`: skills by the words of a text. Nothing is selected.

use capgen_dci::{Corpus, Found, Mode, search};
use serde::Serialize;

use super::page::{Page, id};
use super::run::report;
use super::show::number;
use super::{arguments, discovery};
use crate::console::{self, Console};
use crate::failure::{RunResult, Verdict};
use crate::table::table;

pub(super) fn run(arguments: &arguments::Search, console: &Console) -> RunResult {
    let discovery = discovery::run(&arguments.folders.roots(), !arguments.folders.no_cache)?;
    report(discovery.warnings.iter(), arguments.json, console);
    // The mode changes how contracts are read, and a search does not read them.
    let corpus = Corpus::new(discovery.skills, Mode::BestEffort);
    let found = search(&corpus, &arguments.text);
    let shown = found.get(..arguments.limit.get()).unwrap_or(&found);
    if arguments.json {
        let results: Vec<Line> = shown.iter().filter_map(|one| line(&corpus, one)).collect();
        console::print_json(&format!("{}\n", serde_json::to_string(&results).map_err(std::io::Error::from)?))?;
    } else {
        console::print(&text(shown, found.len() - shown.len()))?;
    }
    Ok(Verdict::Fine)
}

/// A result of `--json`.
#[derive(Serialize)]
struct Line<'c> {
    id: &'c str,
    s_skill: capgen_dci::Score,
    s_desc: capgen_dci::Score,
    s_namepath: capgen_dci::Score,
    description: &'c str,
}

fn line<'c>(corpus: &'c Corpus, found: &Found) -> Option<Line<'c>> {
    let candidate = corpus.candidate(&found.id)?;
    Some(Line {
        id: &candidate.id,
        s_skill: found.skill,
        s_desc: found.description,
        s_namepath: found.name_path,
        description: &candidate.skill.description,
    })
}

fn text(shown: &[Found], more: usize) -> String {
    let mut page = Page::default();
    if shown.is_empty() {
        page.line("no skill contains a word of the text");
        return page.text();
    }
    let row = |one: &Found| [number(one.skill), number(one.description), number(one.name_path), id(&one.id)];
    page.indented(&table(["score", "desc", "namepath", "skill"], shown.iter().map(row)));
    if more > 0 {
        page.line(&format!("  and {more} more"));
    }
    page.text()
}
