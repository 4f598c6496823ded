use capgen::Payload;
use capgen_manifest::{Source, load};
use capgen_schema::Validator;
use payloads::Case;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::generated;

/// Reads a payload with the checks of the way and drops the value. Returns false if the payload is rejected.
pub type Run = Box<dyn Fn(&[u8]) -> bool>;

/// The ways of every [`Subject`], in this order.
pub const WAYS: [&str; 7] = [
    "bare: from_slice into plain structs",
    "capgen: from_json",
    "Value + jsonschema + from_value",
    "Value + jsonschema macro + from_value",
    "Value + jsonschema macro",
    "Value + capgen interpreter + from_value",
    "Value",
];

/// A payload and the ways to read it.
pub struct Subject {
    pub case: &'static Case,
    pub runs: [Run; WAYS.len()],
}

/// All payloads, with validators compiled.
pub fn subjects() -> [Subject; 5] {
    use compiled::{Enums, Findings, Flat, Tree, Union};
    use generated::{enums, findings, flat, tree, union};
    [
        subject::<bare::Ticket, flat::OpenTicketRequest>(&payloads::FLAT, Flat::is_valid),
        subject::<bare::Report, findings::ReportFindingsRequest>(&payloads::FINDINGS, Findings::is_valid),
        subject::<bare::Stream, union::RecordEventsRequest>(&payloads::UNION, Union::is_valid),
        subject::<bare::Catalogue, enums::ImportProductsRequest>(&payloads::ENUMS, Enums::is_valid),
        subject::<bare::Node, tree::StoreOutlineRequest>(&payloads::TREE, Tree::is_valid),
    ]
}

fn subject<Bare: DeserializeOwned, Ours: Payload>(case: &'static Case, compiled: fn(&Value) -> bool) -> Subject {
    let loaded = load(&Source::new("capabilities.yaml", case.contract)).expect("the contract loads");
    let schema =
        loaded.manifest.capabilities.first().and_then(|capability| capability.input.as_ref()).expect("a schema");
    let interpreter = Validator::new(schema);
    let jsonschema = jsonschema::options()
        .with_draft(jsonschema::Draft::Draft7)
        .should_validate_formats(true)
        .build(&schema.source().to_value())
        .expect("jsonschema takes the schema");
    let runs: [Run; WAYS.len()] = [
        Box::new(|bytes| serde_json::from_slice::<Bare>(bytes).is_ok()),
        Box::new(|bytes| Ours::from_json(bytes).is_ok()),
        Box::new(move |bytes| typed::<Bare>(bytes, |value| jsonschema.is_valid(value))),
        Box::new(move |bytes| typed::<Bare>(bytes, compiled)),
        Box::new(move |bytes| value(bytes).is_some_and(|value| compiled(&value))),
        Box::new(move |bytes| typed::<Bare>(bytes, |value| interpreter.is_valid(value))),
        Box::new(|bytes| value(bytes).is_some()),
    ];
    Subject { case, runs }
}

fn value(bytes: &[u8]) -> Option<Value> {
    serde_json::from_slice(bytes).ok()
}

/// Parse to a value, validate it, convert it to the type: the approach that users take today.
fn typed<T: DeserializeOwned>(bytes: &[u8], check: impl Fn(&Value) -> bool) -> bool {
    value(bytes).is_some_and(|value| check(&value) && serde_json::from_value::<T>(value).is_ok())
}
