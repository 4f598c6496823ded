//! `capgen amp bundle show`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use capgen_amp::Range;
use capgen_amp::bundle::{ARTIFACTS, Artifact, InspectedBundle, SelfSignature, inspect};
use capgen_amp::descriptor::{Descriptor, SchemaRef};
use capgen_diagnostic::visible;
use serde::Serialize;
use serde_json::{Value, json};

use super::arguments::Show;
use super::{print, rejected};
use crate::console::{self, Console};
use crate::failure::{RunResult, Verdict};
use crate::times::format_time;

pub(super) fn run(arguments: &Show, console: &Console) -> RunResult {
    match inspect(&arguments.folder) {
        Err(error) => return rejected(&error, arguments.json, console),
        Ok(bundle) if arguments.json => print(&document(&bundle))?,
        Ok(bundle) => console::print(&text(&bundle))?,
    }
    Ok(Verdict::Fine)
}

/// The contents as a JSON document.
#[derive(Serialize)]
struct Document<'b> {
    ok: bool,
    error: (),
    trust: &'static str,
    signature: &'static str,
    bundle_id: &'b str,
    created: u64,
    signer: &'b str,
    descriptors: Vec<Value>,
    artifacts: BTreeMap<&'b str, Value>,
}

fn document(bundle: &InspectedBundle) -> Document<'_> {
    let index = &bundle.index;
    let artifact = |Artifact { hash_alg, hash, size }: &Artifact| json!({"hash": {"$hex": hex::encode(hash)}, "hash_alg": hash_alg.name(), "size": size});
    Document {
        ok: true,
        error: (),
        trust: "unchecked",
        signature: match bundle.signature {
            SelfSignature::Valid => "valid",
            SelfSignature::Unchecked => "unchecked",
        },
        bundle_id: &index.bundle_id,
        created: index.created,
        signer: index.signer.as_str(),
        descriptors: index.descriptors.iter().map(|descriptor| descriptor.to_value().to_diagnostic()).collect(),
        artifacts: index.artifacts.iter().map(|(key, listed)| (key.as_str(), artifact(listed))).collect(),
    }
}

/// The contents as text. Every name in it is untrusted; a line break in one must not begin a line.
fn text(bundle: &InspectedBundle) -> String {
    let index = &bundle.index;
    let signature = match bundle.signature {
        SelfSignature::Valid => "valid for the key in the DID",
        SelfSignature::Unchecked => "not checked: the DID does not contain its key",
    };
    let mut lines = vec![
        format!("bundle     {}", index.bundle_id),
        format!("created    {} ({})", format_time(index.created), index.created),
        format!("signer     {}", index.signer),
        format!("signature  {signature}"),
        "trust      not checked: use `capgen amp bundle verify`".to_owned(),
    ];
    for descriptor in &index.descriptors {
        lines.push(String::new());
        lines.extend(capability(descriptor));
    }
    lines.push(String::new());
    let artifacts = index.artifacts.iter();
    lines.extend(artifacts.map(|(key, Artifact { hash_alg, hash, size })| {
        format!("{ARTIFACTS}/{key}  {size} bytes, {} {}", hash_alg.name(), hex::encode(hash))
    }));
    let mut text = String::new();
    for line in lines {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{}", visible(&line));
    }
    text
}

fn capability(descriptor: &Descriptor) -> Vec<String> {
    let schema = |name: &str, reference: &SchemaRef| {
        let place = reference.artifact.as_ref().map_or_else(String::new, |a| format!("{ARTIFACTS}/{}", a.artifact_key));
        format!("  {name:<10} {place}")
    };
    let ranges = |name: &str, ranges: &Option<Vec<Range>>| {
        let ranges: Vec<_> = ranges.iter().flatten().map(Range::as_str).collect();
        (!ranges.is_empty()).then(|| format!("  {name:<10} {}", ranges.join(", ")))
    };
    let mut lines = vec![descriptor.id.to_string()];
    lines.push(schema("input", &descriptor.input_schema));
    lines.push(schema("output", &descriptor.output_schema));
    lines.extend(ranges("supported", &descriptor.supported_ranges));
    lines.extend(ranges("deprecated", &descriptor.deprecated_ranges));
    lines.extend(descriptor.notes.as_ref().map(|notes| format!("  {:<10} {notes}", "notes")));
    lines
}
