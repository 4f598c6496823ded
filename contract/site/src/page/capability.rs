//! The page of a capability.

use capgen_manifest::{Capability, Manifest, Side};
use capgen_schema::{ExactPayload, ExampleSettings, Json, Object, Schema, Steps, Validator, examples};

use super::changes::findings;
use super::parts::{Heading, code, contents, heading, marks, section, trail};
use super::{errors, frame, http, properties, samples, versions};
use crate::fleet::{Agent, Index};
use crate::html::Attribute::Href;
use crate::html::{Html, class};
use crate::json;
use crate::place::{Anchor, Page};
use crate::prose;
use crate::schema::{self, Anchors};

/// How many examples of a side a page shows, at most. They show the form of a payload; further ones would only make the
/// page long.
const EXAMPLES: usize = 3;
/// How many examples of the author a page shows, at most. Usual schemas have one or two.
const MAX_AUTHORED: usize = 10;
/// The budget of the search for examples of a side: so small that a fleet with very many capabilities takes seconds.
const STEPS: Steps = Steps(40_000);

/// The page of the capability with this number and label.
pub(crate) fn capability(index: &Index<'_>, agent: &Agent<'_>, (number, label): (usize, &str)) -> String {
    let manifest = &agent.contract.manifest;
    let Some(capability) = manifest.capabilities.get(number) else { return String::new() };
    let page = Page::Capability(&manifest.agent, label);
    let changed = index.changes_of(&manifest.agent, label);
    let warned = index.warnings_of(&manifest.agent, number);
    let known = versions::of(agent, &capability.name);
    let [request, response] = Side::ALL.map(|side| (side, title(side)));
    let headings = [
        (heading(Anchor::fixed("properties"), "Properties"), true),
        (heading(Anchors::of_side(request.0).root, request.1), true),
        (heading(Anchors::of_side(response.0).root, response.1), true),
        (heading(Anchor::fixed("errors"), "Errors"), !capability.errors.is_empty()),
        (heading(Anchor::fixed("http"), "HTTP"), capability.http.is_some()),
        (heading(Anchor::fixed("use"), "Use"), true),
        (heading(Anchor::fixed("versions"), "Versions"), known.len() > 1),
        (heading(Anchor::fixed("changes"), "Changes"), !changed.is_empty()),
        (heading(Anchor::fixed("warnings"), "Warnings"), !warned.is_empty()),
    ];
    let present: Vec<&Heading> =
        headings.iter().filter(|(_, is_present)| *is_present).map(|(heading, _)| heading).collect();
    let title = format!("{label} · {}", manifest.agent);
    let [requests, responses] = Side::ALL.map(|side| capability.schema(side).and_then(payloads));
    frame::page(index, page, &title, |html| {
        html.element("div", &[class("head")], |html| {
            trail(html, page, Some(&manifest.agent));
            html.leaf("h1", &[], label);
            marks(html, capability);
            if let Some(text) = &capability.description {
                html.element("div", &[class("lead")], |html| prose::paragraphs(html, text));
            }
            others(html, page, manifest, number);
        });
        contents(html, page, &present);
        let [first, request, response, failures, over_http, usage, versioned, changes, warnings] = &headings;
        section(html, page, &first.0, |html| properties::list(html, capability));
        for (heading, side, examples) in
            [(&request.0, Side::Request, &requests), (&response.0, Side::Response, &responses)]
        {
            section(html, page, heading, |html| payload(html, page, (capability, side), examples.as_deref()));
        }
        if failures.1 {
            section(html, page, &failures.0, |html| errors::list(html, page, capability));
        }
        if let Some(described) = &capability.http {
            section(html, page, &over_http.0, |html| http::operation(html, described));
        }
        section(html, page, &usage.0, |html| {
            commands(html, agent, label);
            let samples = agent.samples.get(number).map(Vec::as_slice).unwrap_or_default();
            let any = Json::Object(Object::new());
            let request = match &capability.input {
                Some(_) => requests.as_ref().and_then(|found| found.first()),
                None => Some(&any),
            };
            if let Some(request) = request {
                samples.iter().for_each(|sample| samples::one(html, sample, request));
            }
        });
        if versioned.1 {
            section(html, page, &versioned.0, |html| versions::table(html, &known, manifest.capabilities.len()));
        }
        if changes.1 {
            section(html, page, &changes.0, |html| findings(html, index, page, &manifest.agent, &changed));
        }
        if warnings.1 {
            section(html, page, &warnings.0, |html| super::warnings::list(html, agent, &warned));
        }
    })
}

/// Links to the other versions of the capability, the highest first.
fn others(html: &mut Html, page: Page<'_>, manifest: &Manifest, number: usize) {
    let Some(capability) = manifest.capabilities.get(number) else { return };
    let versions = manifest.versions(&capability.name);
    if versions.len() < 2 {
        return;
    }
    let labels = manifest.labels();
    html.element("p", &[class("muted")], |html| {
        html.text("The agent serves other versions of this capability side by side:");
        for label in versions.into_iter().filter(|index| *index != number).filter_map(|index| labels.get(index)) {
            html.text(" ");
            html.leaf("a", &[Href(&page.to(Page::Capability(&manifest.agent, label)))], label);
        }
    });
}

const fn title(side: Side) -> &'static str {
    match side {
        Side::Request => "Request",
        Side::Response => "Response",
    }
}

fn payload(html: &mut Html, page: Page<'_>, (capability, side): (&Capability, Side), examples: Option<&[Json]>) {
    let Some(declared) = capability.schema(side) else {
        html.element("p", &[class("type")], |html| {
            html.text("Any JSON value: the contract has no ");
            html.leaf("code", &[], side.schema_key());
            html.text(", so payloads are not validated.");
        });
        return;
    };
    schema::part(html, page, (&Anchors::of_side(side), "h3"), declared, |html| {
        html.leaf("h3", &[], "Examples");
        match examples {
            Some([]) => html.leaf("p", &[class("muted")], "No JSON value conforms to this schema."),
            Some(found) => found.iter().for_each(|value| code(html, |html| json::block(html, value))),
            None => html.leaf("p", &[class("muted")], "No example was found within the limit of the search."),
        }
    });
}

/// Payloads that the schema accepts: the examples of its author, or else others. `None` if the search found none within
/// its limit.
fn payloads(schema: &Schema) -> Option<Vec<Json>> {
    let root = schema.root();
    let validator = Validator::new(schema);
    let own = [root, schema.resolve(root)].map(|id| &schema.node(id).annotations.examples);
    let mut authored: Vec<Json> = Vec::new();
    for value in own.into_iter().flatten().take(MAX_AUTHORED) {
        let payload = ExactPayload::parse(value.canonical().as_bytes());
        if payload.is_ok_and(|payload| validator.is_valid_exact(&payload)) && !authored.contains(value) {
            authored.push(value.clone());
        }
    }
    if !authored.is_empty() {
        return Some(authored);
    }
    let settings = ExampleSettings { count: Some(EXAMPLES), steps: STEPS, ..ExampleSettings::default() };
    examples(schema, settings).ok()
}

/// Commands for the capability. Ids and names have no character that a shell acts on.
fn commands(html: &mut Html, agent: &Agent<'_>, name: &str) {
    let id = &agent.contract.manifest.agent;
    html.leaf("p", &[], "Types, validators and a client in Rust and TypeScript, and a check of a payload:");
    code(html, |html| {
        html.text(&format!("capgen --peer {id} --calls"));
        html.line_end();
        html.text(&format!("capgen validate --peer {id} --capability {name} --side request payload.json"));
    });
}
