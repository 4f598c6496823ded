//! The findings of `capgen check`.

use capgen_diagnostic::{Diagnostic, Severity, render};

use super::frame;
use super::parts::{agent_link, count, trail};
use crate::fleet::{Agent, Index};
use crate::html::{Html, class};
use crate::place::Page;
use crate::prose;

/// The most findings of an agent that are listed. More than a reader of a page needs; `capgen check` prints all of
/// them.
const MAX_FINDINGS: usize = 500;

pub(crate) fn warnings(index: &Index<'_>) -> String {
    let page = Page::Warnings;
    frame::page(index, page, "Warnings", |html| {
        html.element("div", &[class("head")], |html| {
            trail(html, page, None);
            html.leaf("h1", &[], "Warnings");
            let total = index.warnings();
            if total == 0 {
                html.element("p", &[], |html| {
                    html.leaf("code", &[], "capgen check");
                    html.text(" has no findings in these contracts.");
                });
            } else {
                html.element("p", &[], |html| {
                    html.text(&count(total, "finding", "findings"));
                    html.text(" of ");
                    html.leaf("code", &[], "capgen check");
                    html.text(". ");
                    html.leaf("code", &[], "capgen explain <CODE>");
                    html.text(" explains a code and how to fix it.");
                });
            }
        });
        for agent in index.fleet.agents.iter().filter(|agent| !agent.warnings.is_empty()) {
            html.element("section", &[], |html| {
                html.element("h2", &[], |html| agent_link(html, index, page, &agent.contract.manifest.agent));
                list(html, agent, &agent.warnings.iter().collect::<Vec<_>>());
            });
        }
    })
}

/// Findings, each with its place.
pub(super) fn list(html: &mut Html, agent: &Agent<'_>, warnings: &[&Diagnostic]) {
    html.element("ul", &[class("findings")], |html| {
        for warning in warnings.iter().take(MAX_FINDINGS) {
            html.element("li", &[], |html| one(html, agent, warning));
        }
    });
    if warnings.len() > MAX_FINDINGS {
        html.leaf("p", &[class("muted")], &format!("{} more are not listed.", warnings.len() - MAX_FINDINGS));
    }
}

fn one(html: &mut Html, agent: &Agent<'_>, warning: &Diagnostic) {
    let warning = render::displayable(warning);
    html.element("p", &[], |html| {
        let name = if warning.severity() == Severity::Error { "level breaking" } else { "level risky" };
        html.leaf("span", &[class(name)], warning.code.as_str());
        html.text(" ");
        prose::line(html, &warning.message);
    });
    let own = warning.primary().filter(|label| label.source.path() == agent.contract.path());
    if let Some(label) = own {
        let line = label.source.position(label.span.start).line;
        html.element("p", &[class("muted")], |html| {
            html.leaf("code", &[], &format!("{}:{line}", agent.path));
            if !label.text.is_empty() {
                html.text(" ");
                prose::line(html, &label.text);
            }
        });
    }
    for note in &warning.notes {
        html.element("p", &[class("muted")], |html| prose::line(html, note));
    }
    if let Some(help) = &warning.help {
        html.element("p", &[], |html| {
            html.text("Fix: ");
            prose::line(html, help);
        });
    }
}
