//! The first page: every agent with its capabilities, and who calls whom.

use super::parts::{agent_link, contents, count, heading, section};
use super::{calls, frame};
use crate::fleet::{Agent, Index};
use crate::html::Attribute::Href;
use crate::html::{Html, class};
use crate::place::{Anchor, Page};
use crate::prose;

pub(crate) fn overview(index: &Index<'_>) -> String {
    let page = Page::Overview;
    let fleet = index.fleet;
    let name = frame::fleet_name(index);
    let agents = heading(Anchor::fixed("agents"), "Agents");
    let who = heading(Anchor::fixed("calls"), "Who calls whom");
    frame::page(index, page, name, |html| {
        html.element("div", &[class("head")], |html| {
            html.leaf("h1", &[], name);
            if let Some(text) = &fleet.description {
                html.element("div", &[class("lead")], |html| prose::paragraphs(html, text));
            }
            numbers(html, index);
        });
        contents(html, page, &[&agents, &who]);
        section(html, page, &agents, |html| {
            html.element("ul", &[class("cards")], |html| {
                for agent in &fleet.agents {
                    html.element("li", &[class("card")], |html| card(html, index, agent));
                }
            });
        });
        section(html, page, &who, |html| calls::overview(html, index, page));
    })
}

fn numbers(html: &mut Html, index: &Index<'_>) {
    let fleet = index.fleet;
    let capabilities: usize = fleet.agents.iter().map(|agent| agent.contract.manifest.capabilities.len()).sum();
    html.element("p", &[class("numbers")], |html| {
        html.leaf("span", &[], &count(fleet.agents.len(), "agent", "agents"));
        html.leaf("span", &[], &count(capabilities, "capability", "capabilities"));
        html.leaf("span", &[], &count(index.warnings(), "warning", "warnings"));
    });
}

fn card(html: &mut Html, index: &Index<'_>, agent: &Agent<'_>) {
    let page = Page::Overview;
    let manifest = &agent.contract.manifest;
    html.element("h3", &[], |html| agent_link(html, index, page, &manifest.agent));
    if let Some(text) = &manifest.about.description {
        html.element("p", &[], |html| prose::line(html, &prose::summary(text)));
    }
    html.element("ul", &[class("capabilities")], |html| {
        for (capability, label) in manifest.capabilities.iter().zip(manifest.labels()) {
            html.element("li", &[], |html| {
                let link = page.to(Page::Capability(&manifest.agent, &label));
                html.leaf("a", &[Href(&link)], &label);
                if let Some(text) = &capability.description {
                    html.element("span", &[class("muted")], |html| {
                        html.text(" ");
                        prose::line(html, &prose::summary(text));
                    });
                }
            });
        }
    });
    html.element("p", &[class("card-foot")], |html| {
        if let Some(owner) = &manifest.about.owner {
            html.leaf("span", &[], &format!("owner: {}", prose::summary(owner)));
        }
        html.leaf("span", &[], &count(index.callers(&manifest.agent).count(), "caller", "callers"));
        let kinds: Vec<&str> = manifest.transports.iter().map(|transport| transport.kind.as_str()).collect();
        html.leaf("span", &[], capgen_diagnostic::cut(&kinds.join(", "), 100).0);
        if !agent.warnings.is_empty() {
            html.leaf("a", &[Href(&page.to(Page::Warnings))], &count(agent.warnings.len(), "warning", "warnings"));
        }
    });
}
