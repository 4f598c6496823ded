//! The schemas among the components, each as a capability.

use capgen_manifest::{Capability, Side};
use capgen_schema::{Json, pointer};

use super::Reader;
use crate::codes;
use crate::import::Foreign;

impl Reader<'_, '_> {
    /// Reads each schema among the components as the side of a capability with its name.
    pub(super) fn schemas(&mut self, document: &Json, side: Side) {
        let at = "/components/schemas";
        let schemas = document.pointer(at).and_then(Json::as_object);
        for (name, _) in schemas.into_iter().flatten() {
            self.schema(name, pointer::join(at, name), side);
        }
    }

    fn schema(&mut self, name: &str, at: String, side: Side) {
        if name.is_empty() {
            return self.importer.nameless(&at, "a component must have a name");
        }
        let mut entry = self.importer.entry(name, at.clone());
        let mut capability = Capability::new("");
        let reference = format!("#{}", pointer::to_fragment(&at));
        let json = Json::Object([("$ref".to_owned(), Json::String(reference))].into_iter().collect());
        let used = self.references.used(&json, &[]);
        let source = used.and_then(|used| self.references.with_components(side, &json, &used));
        let Some(source) = source else {
            let message = "the capabilities would be too large for a manifest";
            let help = "use fewer or smaller components";
            self.importer.error(&mut entry, codes::UNSUPPORTED_OPERATION, at, message, help);
            return self.importer.add(entry, capability);
        };
        let others = self.references.others();
        let locate = |place: &str| match place.starts_with("/components/") {
            true => others.original(place),
            false => at.clone(),
        };
        let part = side.schema_key();
        // The reference at its root is not written by an export, so it is always translated.
        let foreign = Foreign { part, source: &source, own: Json::Null, dialect: self.dialect, keeps_dialect: false };
        let schema = self.importer.schema(&mut entry, foreign, &locate);
        *match side {
            Side::Request => &mut capability.input,
            Side::Response => &mut capability.output,
        } = schema;
        self.importer.add(entry, capability);
    }
}
