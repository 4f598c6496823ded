//! Manifests whose schemas are not checked, to look at them.

use capgen_schema::Json;

use super::{Reader, advice, help_for_empty, manifest};
use crate::document::parse_document;
use crate::{Data, Diagnostic, Manifest, Member, Node, Source, secrets};

/// A manifest whose schemas were not checked, for inspection only: it cannot be called, served, compared or generated
/// from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Inspection {
    /// The manifest. None of its capabilities has a schema, whether or not the file has one.
    pub without_schemas: Manifest,
    /// For each capability, in source order: `inputSchema` and `outputSchema` as written.
    pub schemas: Vec<[Option<Json>; 2]>,
}

/// Reads a `capabilities.yaml` without checking its schemas, such as one that a peer published with keywords that are
/// not supported.
///
/// ```
/// use capgen_manifest::{Source, inspect};
/// let text = "version: 1\nagent: agent://a\ntransports: [{ kind: memory, topics: { requests: a } }]
/// capabilities: [{ name: search, inputSchema: { type: strnig } }]";
/// let inspection = inspect(&Source::new("capabilities.yaml", text)).map_err(|findings| format!("{findings:?}"))?;
/// let schema = inspection.schemas[0][0].as_ref().map(|schema| schema.canonical());
/// assert_eq!(schema.as_deref(), Some(r#"{"type":"strnig"}"#));
/// # Ok::<(), String>(())
/// ```
///
/// # Errors
///
/// Every finding outside the schemas, in source order.
pub fn inspect(source: &Source) -> Result<Inspection, Vec<Diagnostic>> {
    source.hide_with(secrets::in_contract);
    let mut root = parse_document(source).map_err(|findings| help_for_empty(source, findings, advice::MANIFEST))?;
    let schemas = take_schemas(&mut root);
    let mut reader = Reader::new(source);
    let (without_schemas, _) = manifest(&mut reader, &root, None).unwrap_or_default();
    match (without_schemas, reader.finish(&root)) {
        (Some(without_schemas), (_, false)) => Ok(Inspection { without_schemas, schemas }),
        (_, (findings, _)) => Err(findings),
    }
}

/// Removes the schemas from the tree of a manifest.
fn take_schemas(root: &mut Node) -> Vec<[Option<Json>; 2]> {
    let Data::Object(members) = &mut root.data else { return Vec::new() };
    let capabilities = members.iter_mut().find(|member| member.key == "capabilities");
    let Some(Data::Array(capabilities)) = capabilities.map(|member| &mut member.value.data) else { return Vec::new() };
    capabilities
        .iter_mut()
        .map(|capability| {
            let Data::Object(members) = &mut capability.data else { return [None, None] };
            ["inputSchema", "outputSchema"].map(|key| {
                let index = members.iter().position(|member: &Member| member.key == key)?;
                Some(members.remove(index).value.to_json())
            })
        })
        .collect()
}
