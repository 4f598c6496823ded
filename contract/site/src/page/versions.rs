//! The versions of a capability, and which of them work together.

use std::collections::BTreeMap;

use capgen_evolve::{CallSettings, Compatibility, MatrixVersion, VersionOf, matrix};
use capgen_manifest::Manifest;
use capgen_schema::Steps;

use crate::fleet::Agent;
use crate::html::Attribute::Fixed;
use crate::html::{Html, class};
use crate::prose;

/// The most versions of a table, the newest. Its size is the square of their number. Eight columns fit on a page.
const MAX_VERSIONS: usize = 8;
/// The budget of a comparison of two schemas: so small that many capabilities with many versions take seconds.
const STEPS: Steps = Steps(100_000);
/// The budget of all tables of a contract, which its capabilities share equally.
const BUDGET: Steps = Steps::of_seconds(60);
/// The least share: enough for a capability that is written as most are, however many others there are.
const MIN_SHARE: Steps = Steps(500_000);
/// The most reasons of a pair that are listed. One is enough to see why two versions are incompatible.
const MAX_REASONS: usize = 20;

/// The distinct versions of a capability, the oldest first.
pub(super) fn of<'a>(agent: &'a Agent<'_>, name: &str) -> Vec<VersionOf<'a>> {
    if agent.older.is_empty() {
        return Vec::new();
    }
    let older = agent.older.iter().map(|older| (older.source.as_str(), &older.manifest));
    let contracts: Vec<(&str, &Manifest)> = older.chain([("present", &agent.contract.manifest)]).collect();
    let mut versions = VersionOf::distinct(&contracts, name);
    versions.drain(..versions.len().saturating_sub(MAX_VERSIONS));
    versions
}

/// Writes the table of versions of one of `count` capabilities.
pub(super) fn table(html: &mut Html, versions: &[VersionOf<'_>], count: usize) {
    let budget = MIN_SHARE.max(Steps(BUDGET.0 / (count as u64).max(1)));
    let compared: Vec<MatrixVersion<'_>> = versions.iter().map(VersionOf::compared).collect();
    let cells = matrix(&compared, &CallSettings { steps: STEPS, budget, ..CallSettings::default() });
    let labels: Vec<&str> = versions.iter().map(|version| version.label.as_str()).collect();
    html.leaf(
        "p",
        &[],
        "A row is a requester that was built with a version, and a column is a provider with a version.",
    );
    cells_of(html, Labels { requesters: &labels, providers: &labels }, &cells);
}

/// The names of the rows and columns of a table of versions.
#[derive(Clone, Copy, Debug)]
pub struct Labels<'l> {
    /// Those of the rows.
    pub requesters: &'l [&'l str],
    /// Those of the columns.
    pub providers: &'l [&'l str],
}

fn cells_of(html: &mut Html, labels: Labels<'_>, cells: &[Vec<Compatibility>]) {
    html.element(
        "div",
        &[class("scroll"), Fixed("tabindex", "0"), Fixed("role", "group"), Fixed("aria-label", "Versions")],
        |html| {
            html.element("table", &[class("matrix")], |html| {
                html.element("thead", &[], |html| {
                    html.element("tr", &[], |html| {
                        html.leaf("th", &[Fixed("scope", "col")], "requester \\ provider");
                        for label in labels.providers {
                            html.leaf("th", &[Fixed("scope", "col")], label);
                        }
                    });
                });
                html.element("tbody", &[], |html| {
                    for (label, row) in labels.requesters.iter().zip(cells) {
                        html.element("tr", &[], |html| {
                            html.leaf("th", &[Fixed("scope", "row")], label);
                            row.iter().for_each(|cell| one(html, cell));
                        });
                    }
                });
            });
        },
    );
    reasons(html, labels, cells);
}

fn one(html: &mut Html, cell: &Compatibility) {
    let (name, text) = match cell {
        Compatibility::Full => ("full", "full"),
        Compatibility::Partial(_) => ("partial", "partial"),
        Compatibility::Incompatible { .. } => ("incompatible", "no"),
    };
    html.leaf("td", &[class(name)], text);
}

/// The reasons of cells that are not full. Equal lists of reasons are written once.
fn reasons(html: &mut Html, labels: Labels<'_>, cells: &[Vec<Compatibility>]) {
    let mut pairs: BTreeMap<Vec<String>, Vec<String>> = BTreeMap::new();
    for (requester, row) in labels.requesters.iter().zip(cells) {
        for (provider, cell) in labels.providers.iter().zip(row) {
            let reasons = cell.reasons();
            if !reasons.is_empty() {
                pairs.entry(reasons).or_default().push(format!("requester {requester}, provider {provider}"));
            }
        }
    }
    if pairs.is_empty() {
        return;
    }
    html.element("ul", &[class("findings")], |html| {
        for (reasons, pairs) in &pairs {
            html.element("li", &[], |html| {
                html.leaf("p", &[], &pairs.join("; "));
                html.element("ul", &[class("facts")], |html| {
                    for reason in reasons.iter().take(MAX_REASONS) {
                        html.element("li", &[], |html| prose::line(html, reason));
                    }
                });
            });
        }
    });
}

/// One page with the table of the versions of a capability, without references to other files. `cells` has a
/// row for each requester, as [`matrix`] returns it.
///
/// Names and reasons come from contracts: each is escaped.
pub fn compatibility_page(capability: &str, labels: Labels<'_>, cells: &[Vec<Compatibility>]) -> String {
    let title = format!("Versions of {capability}");
    let mut html = Html::default();
    html.element("html", &[Fixed("lang", "en")], |html| {
        html.element("head", &[], |html| {
            html.void("meta", &[Fixed("charset", "utf-8")]);
            html.void("meta", &[Fixed("name", "viewport"), Fixed("content", "width=device-width, initial-scale=1")]);
            html.leaf("title", &[], &title);
            html.style(include_str!("../assets/matrix.css"));
        });
        html.element("body", &[], |html| {
            html.element("main", &[], |html| {
                html.leaf("h1", &[], &title);
                cells_of(html, labels, cells);
            });
        });
    });
    html.finish("<!DOCTYPE html>\n")
}
