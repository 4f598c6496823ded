//! The changes since an older version, as `capgen diff` finds them.

use capgen_evolve::{ComparedContract, Finding};
use capgen_manifest::AgentId;

use super::frame;
use super::parts::{agent_link, count, level, trail};
use crate::fleet::Index;
use crate::html::Attribute::{Fixed, Href};
use crate::html::{Html, class};
use crate::json;
use crate::place::Page;
use crate::prose;

/// The most findings of an agent that are listed. More than a reader of a page needs; `capgen diff` prints all of them.
const MAX_LISTED: usize = 500;

pub(crate) fn changes(index: &Index<'_>) -> String {
    let page = Page::Changes;
    frame::page(index, page, "Changes", |html| {
        html.element("div", &[class("head")], |html| {
            trail(html, page, None);
            html.leaf("h1", &[], "Changes");
            html.element("p", &[], |html| summary(html, index));
        });
        let contracts = index.fleet.changes.iter().flat_map(|changes| &changes.contracts);
        for contract in contracts.filter(|contract| !contract.comparison.findings.is_empty()) {
            html.element("section", &[], |html| of_agent(html, index, contract));
        }
    })
}

fn summary(html: &mut Html, index: &Index<'_>) {
    let Some(changes) = &index.fleet.changes else {
        html.text("This site has no older version to compare with: pass ");
        html.leaf("code", &[], "--since");
        html.text(" to add the changes since a revision.");
        return;
    };
    let total = index.findings().count();
    html.text(&if total == 0 { "No changes".to_owned() } else { count(total, "change", "changes") });
    html.text(" since ");
    html.leaf("code", &[], &changes.since);
    html.text(", as ");
    html.leaf("code", &[], "capgen diff");
    html.text(" finds them.");
}

fn of_agent(html: &mut Html, index: &Index<'_>, contract: &ComparedContract) {
    let page = Page::Changes;
    html.element("h2", &[], |html| agent_link(html, index, page, &contract.agent));
    findings(html, index, page, &contract.agent, &contract.comparison.findings.iter().collect::<Vec<_>>());
    if !contract.callers.is_empty() {
        html.leaf("p", &[], "Generated files that contain the older contract:");
        html.element("ul", &[class("files")], |html| {
            contract.callers.iter().take(MAX_LISTED).for_each(|path| {
                html.element("li", &[], |html| html.leaf("code", &[], path));
            });
        });
    }
}

/// Findings, each with the payload that proves it.
pub(super) fn findings(html: &mut Html, index: &Index<'_>, page: Page<'_>, agent: &AgentId, findings: &[&Finding]) {
    html.element("ul", &[class("findings")], |html| {
        for finding in findings.iter().take(MAX_LISTED) {
            html.element("li", &[], |html| one(html, index, page, agent, finding));
        }
    });
    if findings.len() > MAX_LISTED {
        html.leaf("p", &[class("muted")], &format!("{} more are not listed.", findings.len() - MAX_LISTED));
    }
}

fn one(html: &mut Html, index: &Index<'_>, page: Page<'_>, agent: &AgentId, finding: &Finding) {
    html.element("p", &[], |html| {
        level(html, finding.level);
        html.text(" ");
        // The name is that of the older contract: a capability that was removed or renamed has no page of that name.
        if index.has_capability(agent, &finding.capability) {
            html.leaf("a", &[Href(&page.to(Page::Capability(agent, &finding.capability)))], &finding.capability);
        } else {
            html.text(&finding.capability);
        }
        html.text(": ");
        prose::line(html, &finding.message);
        html.text(" ");
        html.leaf("span", &[class("muted")], finding.code.as_str());
    });
    if let Some(witness) = &finding.witness {
        html.element("details", &[], |html| {
            html.leaf("summary", &[], "A payload that proves it");
            html.element("pre", &[Fixed("tabindex", "0")], |html| {
                html.element("code", &[], |html| json::block(html, &witness.payload));
            });
            html.element("ul", &[class("facts")], |html| {
                for violation in witness.violations.iter().take(10) {
                    html.element("li", &[], |html| {
                        html.leaf(
                            "code",
                            &[],
                            if violation.path.is_empty() { "(the whole payload)" } else { &violation.path },
                        );
                        html.text(" ");
                        prose::line(html, &violation.message);
                    });
                }
            });
        });
    }
    if let Some(help) = &finding.help {
        html.element("p", &[class("muted")], |html| prose::line(html, help));
    }
}
