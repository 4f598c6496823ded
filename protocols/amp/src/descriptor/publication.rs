//! Descriptors from manifests.

use capgen_diagnostic::quoted;
use capgen_manifest::{Capability, Manifest, Side, VersionRange};
use semver::Version;

use super::{Descriptor, SchemaRef};
use crate::cbor::Map;
use crate::name::CapabilityName;
use crate::reader::{BodyError, Reader};
use crate::version::{CapabilityId, Range, parse_version};

/// The schema of a side without one: any JSON value is valid (decision 16).
pub(crate) const LOOSE: &str = "true";

/// A capability of a manifest that meets the rules of section 4, so that it can be published.
#[derive(Clone, Debug)]
pub struct Publication<'m> {
    /// The capability.
    pub capability: &'m Capability,
    /// Its `id`, or the namespace and its name; and its version.
    pub id: CapabilityId,
    /// Its `supportedVersions`; `None` if there are none.
    pub supported_ranges: Option<Vec<Range>>,
    /// Its `deprecatedVersions`; `None` if there are none.
    pub deprecated_ranges: Option<Vec<Range>>,
}

impl<'m> Publication<'m> {
    /// The capabilities of a manifest, in their order. The name of one without an `id` is the namespace, a dot and its
    /// name.
    ///
    /// # Errors
    ///
    /// All violations, with JSON Pointers into the manifest: a name outside the grammar, no version, a version or a
    /// range that is too long (decision 16), and two versions of one name that differ only in build metadata, or not at
    /// all (decision 7). Of more than 100, the first 100.
    pub fn of_manifest(manifest: &'m Manifest, namespace: &str) -> Result<Vec<Self>, Vec<BodyError>> {
        Reader::collect(|reader| {
            reader.at_key("capabilities", |reader| {
                let capabilities = manifest.capabilities.iter().enumerate();
                let read: Vec<_> = capabilities
                    .map(|(index, capability)| {
                        reader.at_index(index, |reader| Self::read(reader, capability, namespace))
                    })
                    .collect();
                report_duplicates(reader, &read);
                read.into_iter().collect()
            })
        })
    }

    /// The bytes of a schema as published: the form of RFC 8785, with annotations (decision 16). The hash of the
    /// descriptor is over them.
    #[must_use]
    pub fn schema(&self, side: Side) -> String {
        self.capability.schema(side).map_or_else(|| LOOSE.to_owned(), |schema| schema.source().canonical())
    }

    /// The descriptor, with references to the schemas of the request and of the response.
    #[must_use]
    pub fn descriptor(&self, input_schema: SchemaRef, output_schema: SchemaRef) -> Descriptor {
        Descriptor {
            id: self.id.clone(),
            input_schema,
            output_schema,
            supported_ranges: self.supported_ranges.clone(),
            deprecated_ranges: self.deprecated_ranges.clone(),
            notes: None,
            other: Map::new(),
        }
    }

    fn read(reader: &mut Reader<'_>, capability: &'m Capability, namespace: &str) -> Option<Self> {
        let name = read_name(reader, capability, namespace);
        let version = reader.at_key("version", |reader| read_version(reader, capability));
        let supported_ranges =
            reader.at_key("supportedVersions", |reader| read_ranges(reader, &capability.supported_versions));
        let deprecated_ranges =
            reader.at_key("deprecatedVersions", |reader| read_ranges(reader, &capability.deprecated_versions));
        let id = CapabilityId { name: name?, version: version? };
        Some(Self { capability, id, supported_ranges, deprecated_ranges })
    }
}

fn read_name(reader: &mut Reader<'_>, capability: &Capability, namespace: &str) -> Option<CapabilityName> {
    let (key, text) = match &capability.id {
        Some(id) => ("id", id.clone()),
        None => ("name", format!("{namespace}.{}", capability.name)),
    };
    let result = text.parse::<CapabilityName>();
    result
        .map_err(|reason| reader.report_at(key, format_args!("{} is not a name of AMP: {reason}", quoted(&text))))
        .ok()
}

fn read_version(reader: &mut Reader<'_>, capability: &Capability) -> Option<Version> {
    match &capability.version {
        Some(version) => reader.parse(&version.to_string(), parse_version),
        None => {
            reader.report("missing; every published capability has a version");
            None
        }
    }
}

/// `None` if there are no ranges, or if one is invalid.
fn read_ranges(reader: &mut Reader<'_>, ranges: &[VersionRange]) -> Option<Vec<Range>> {
    if ranges.is_empty() {
        return None;
    }
    let ranges = ranges.iter().enumerate();
    let read: Vec<Option<Range>> = ranges
        .map(|(index, range)| reader.at_index(index, |reader| reader.parse(&range.to_string(), str::parse)))
        .collect();
    read.into_iter().collect()
}

/// Reports each version that an earlier one of the same name equals in precedence: an exact version would identify
/// both.
fn report_duplicates(reader: &mut Reader<'_>, published: &[Option<Publication<'_>>]) {
    let ids = published.iter().enumerate();
    let mut ids: Vec<_> = ids.filter_map(|(index, publication)| Some((index, &publication.as_ref()?.id))).collect();
    ids.sort_by(|(_, one), (_, other)| {
        one.name.cmp(&other.name).then_with(|| one.version.cmp_precedence(&other.version))
    });
    for pair in ids.windows(2) {
        let [(_, one), (index, other)] = pair else { continue };
        if one.name == other.name && one.version.cmp_precedence(&other.version).is_eq() {
            reader.at_index(*index, |reader| {
                let (one, other) = (one.to_string(), other.to_string());
                reader.report(format_args!("{} and {} have equal precedence", quoted(&one), quoted(&other)));
            });
        }
    }
}
