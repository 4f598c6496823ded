//! Small parts that several pages share.

use capgen_evolve::Level;
use capgen_manifest::{AgentId, Capability, SideEffects};

use crate::fleet::{Call, Caller, Index};
use crate::html::Attribute::{Fixed, Href, Id};
use crate::html::{Html, class};
use crate::place::{Anchor, Page};

/// A section of a page: its anchor and its title.
pub(super) type Heading = (Anchor, &'static str);

/// A section of a page.
pub(super) const fn heading(anchor: Anchor, title: &'static str) -> Heading {
    (anchor, title)
}

/// A section with a heading that links to itself.
pub(super) fn section(html: &mut Html, page: Page<'_>, (anchor, title): &Heading, content: impl FnOnce(&mut Html)) {
    html.element("section", &[], |html| {
        html.element("h2", &[Id(anchor)], |html| {
            html.element("a", &[Href(&page.to_place(page, anchor)), class("self")], |html| html.text(title));
        });
        content(html);
    });
}

/// A short list of links to the sections of a page.
pub(super) fn contents(html: &mut Html, page: Page<'_>, sections: &[&Heading]) {
    html.element("nav", &[class("contents"), Fixed("aria-label", "On this page")], |html| {
        html.leaf("p", &[], "On this page");
        html.element("ul", &[], |html| {
            for (anchor, title) in sections {
                html.element("li", &[], |html| {
                    html.leaf("a", &[Href(&page.to_place(page, anchor))], title);
                });
            }
        });
    });
}

/// The way from the overview to a page.
pub(super) fn trail(html: &mut Html, page: Page<'_>, agent: Option<&AgentId>) {
    html.element("nav", &[class("trail"), Fixed("aria-label", "Path")], |html| {
        html.leaf("a", &[Href(&page.to(Page::Overview))], "Agents");
        if let Some(id) = agent {
            html.text(" / ");
            html.leaf("a", &[Href(&page.to(Page::Agent(id)))], id.as_str());
        }
    });
}

/// A link to an agent; only its id if the site has no page of it.
pub(super) fn agent_link(html: &mut Html, index: &Index<'_>, page: Page<'_>, id: &AgentId) {
    if index.has(id) {
        html.leaf("a", &[Href(&page.to(Page::Agent(id)))], id.as_str());
    } else {
        html.text(id.as_str());
    }
}

/// The name of a caller.
pub(super) fn caller(html: &mut Html, index: &Index<'_>, page: Page<'_>, call: &Call) {
    match &call.caller {
        Caller::Agent(id) => agent_link(html, index, page, id),
        Caller::Folder(folder) => html.leaf("code", &[], folder),
    }
}

/// The properties of a capability that matter most, as marks.
pub(super) fn marks(html: &mut Html, capability: &Capability) {
    let mut marks: Vec<(&'static str, String)> = Vec::new();
    marks.extend(capability.version.as_ref().map(|version| ("mark version", format!("v{version}"))));
    marks.extend(capability.side_effects.map(|effects| {
        let class = if effects == SideEffects::External { "mark external" } else { "mark" };
        (class, if effects == SideEffects::External { "external effects" } else { effects.name() }.to_owned())
    }));
    let is_stated = capability.side_effects == Some(SideEffects::Idempotent);
    marks.extend((capability.idempotent == Some(true) && !is_stated).then(|| ("mark", "idempotent".to_owned())));
    marks.extend(capability.is_webhook().then(|| ("mark", "webhook".to_owned())));
    if capability.input.is_none() && capability.output.is_none() {
        marks.push(("mark loose", "no schemas".to_owned()));
    }
    if !marks.is_empty() {
        html.element("p", &[class("marks")], |html| {
            marks.iter().for_each(|(name, text)| html.leaf("span", &[class(name)], text));
        });
    }
}

/// Text with its lines, which can be scrolled with the keyboard.
pub(super) fn code(html: &mut Html, content: impl FnOnce(&mut Html)) {
    html.element("pre", &[Fixed("tabindex", "0")], |html| html.element("code", &[], content));
}

/// The name of a level, with its colour.
pub(super) fn level(html: &mut Html, level: Level) {
    let name = match level {
        Level::Cosmetic => "level cosmetic",
        Level::Safe => "level safe",
        Level::Risky => "level risky",
        Level::Breaking => "level breaking",
    };
    html.leaf("span", &[class(name)], level.name());
}

/// `1 agent`, `2 agents`.
pub(super) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
