//! The page of an agent.

use capgen_manifest::About;

use super::calls::{self, End};
use super::changes::findings;
use super::frame;
use super::parts::{contents, heading, marks, section, trail};
use super::properties::{linked_pair, pair, wide_pair};
use super::warnings::list;
use crate::fleet::{Agent, Call, Index};
use crate::html::Attribute::Href;
use crate::html::{Html, class};
use crate::place::{Anchor, Link, Page};
use crate::prose;

pub(crate) fn agent(index: &Index<'_>, agent: &Agent<'_>) -> String {
    let manifest = &agent.contract.manifest;
    let page = Page::Agent(&manifest.agent);
    let [callers, called]: [Vec<&Call>; 2] =
        [index.callers(&manifest.agent).collect(), index.called_by(&manifest.agent).collect()];
    let capabilities = heading(Anchor::fixed("capabilities"), "Capabilities");
    let called_by = heading(Anchor::fixed("callers"), "Called by");
    let calls = heading(Anchor::fixed("calls"), "Calls");
    let changes = heading(Anchor::fixed("changes"), "Changes");
    let warnings = heading(Anchor::fixed("warnings"), "Warnings");
    let compared = index.compared(&manifest.agent).filter(|compared| !compared.comparison.findings.is_empty());
    let mut sections = vec![&capabilities, &called_by];
    sections.extend((!called.is_empty()).then_some(&calls));
    sections.extend(compared.map(|_| &changes));
    sections.extend((!agent.warnings.is_empty()).then_some(&warnings));
    frame::page(index, page, manifest.agent.as_str(), |html| {
        html.element("div", &[class("head")], |html| {
            trail(html, page, None);
            html.leaf("h1", &[], manifest.agent.as_str());
            if let Some(text) = &manifest.about.description {
                html.element("div", &[class("lead")], |html| prose::paragraphs(html, text));
            }
            html.element("dl", &[class("properties")], |html| {
                about(html, &manifest.about);
                let kinds: Vec<String> = manifest.transports.iter().map(|transport| transport.kind.clone()).collect();
                pair(html, "agent", &[format!("agent://{}", manifest.agent)]);
                pair(html, "transports", &kinds);
                pair(html, "manifest", std::slice::from_ref(&agent.path));
                wide_pair(html, "contract", &format!("sha256:{}", manifest.hash()));
            });
        });
        contents(html, page, &sections);
        section(html, page, &capabilities, |html| each(html, page, agent));
        section(html, page, &called_by, |html| {
            if callers.is_empty() {
                html.leaf("p", &[class("muted")], "No other program with generated code of this contract was found.");
            } else {
                calls::table(html, index, page, &callers, End::Caller);
            }
        });
        if !called.is_empty() {
            section(html, page, &calls, |html| calls::table(html, index, page, &called, End::Provider));
        }
        if let Some(compared) = compared {
            section(html, page, &changes, |html| {
                findings(html, index, page, &manifest.agent, &compared.comparison.findings.iter().collect::<Vec<_>>());
            });
        }
        if !agent.warnings.is_empty() {
            section(html, page, &warnings, |html| list(html, agent, &agent.warnings.iter().collect::<Vec<_>>()));
        }
    })
}

/// The owner of the agent, and the links.
fn about(html: &mut Html, about: &About) {
    if let Some(owner) = &about.owner {
        pair(html, "owner", std::slice::from_ref(owner));
    }
    if let Some(contact) = &about.contact {
        linked_pair(html, "contact", contact.as_str(), &Link::to_contact(contact));
    }
    if let Some(url) = &about.documentation {
        linked_pair(html, "documentation", url.as_str(), &Link::to_documentation(url));
    }
}

fn each(html: &mut Html, page: Page<'_>, agent: &Agent<'_>) {
    let manifest = &agent.contract.manifest;
    html.element("ul", &[class("cards wide")], |html| {
        for (capability, label) in manifest.capabilities.iter().zip(manifest.labels()) {
            html.element("li", &[class("card")], |html| {
                html.element("h3", &[], |html| {
                    let link = page.to(Page::Capability(&manifest.agent, &label));
                    html.leaf("a", &[Href(&link)], &label);
                });
                marks(html, capability);
                if let Some(text) = &capability.description {
                    html.element("p", &[], |html| prose::line(html, &prose::summary(text)));
                }
            });
        }
    });
}
