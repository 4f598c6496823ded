//! The types of the details of declared errors: which capabilities share one, and their names.
//!
//! The details of a code have one type, such as `NoSeatsDetails`, if all schemas for this code are equal. Otherwise
//! each capability has a type of its own, whose name starts with that of the capability.

use std::collections::{HashMap, HashSet};

use capgen_manifest::{ContractPart, DeclaredError, Manifest, Side};

use super::{marker_type, root_type};
use crate::model::capability_name::CapabilityName;
use crate::model::{ErrorCode, ErrorNames};
use crate::name;

/// The types of the details of a contract.
pub(super) struct Details(HashMap<(usize, ContractPart), DetailsType>);

/// The type of the details of an error.
#[derive(Clone)]
pub(super) struct DetailsType {
    /// The name of the type, not yet unique.
    pub(super) name: String,
    code: String,
    /// Whether the type belongs to all capabilities that declare details for the code.
    is_shared: bool,
    /// The details whose schema becomes the type: of those that share it, the first.
    pub(super) source: (usize, ContractPart),
}

impl DetailsType {
    /// The error to which the types inside it belong.
    pub(super) fn error(&self) -> ErrorCode {
        ErrorCode { code: self.code.clone(), is_shared: self.is_shared }
    }
}

impl Details {
    /// `is_definition` is whether the type of a definition has a name.
    pub(super) fn of(manifest: &Manifest, names: &[CapabilityName], is_definition: impl Fn(&str) -> bool) -> Self {
        let mut by_code: HashMap<&str, Vec<(usize, ContractPart)>> = HashMap::new();
        for (index, capability) in manifest.capabilities.iter().enumerate() {
            for (at, error) in capability.errors.iter().enumerate().filter(|(_, error)| error.details.is_some()) {
                by_code.entry(&error.code).or_default().push((index, ContractPart::Details(at)));
            }
        }
        let mut taken: HashSet<String> = names.iter().flat_map(names_of_capability).collect();
        // Different codes can have the same name in camel case.
        let mut seen = HashSet::new();
        taken.extend(by_code.keys().map(|code| short_name(code)).filter(|name| !seen.insert(name.clone())));
        let mut details = HashMap::new();
        for (code, places) in by_code {
            let short = short_name(code);
            let is_shared = are_equal(manifest, &places) && !taken.contains(&short) && !is_definition(&short);
            for place in &places {
                let title = names.get(place.0).map_or("", |name| name.title.as_str());
                let name = if is_shared { short.clone() } else { name::nested(&marker_type(title), &short) };
                let source = places.first().filter(|_| is_shared).unwrap_or(place);
                let ty = DetailsType { name, code: code.to_owned(), is_shared, source: *source };
                details.insert(*place, ty);
            }
        }
        Self(details)
    }

    /// The type of the details of an error; `None` for other parts, and for errors without details.
    pub(super) fn get(&self, index: usize, part: ContractPart) -> Option<&DetailsType> {
        self.0.get(&(index, part))
    }
}

/// The identifier of an error, not yet unique.
pub(super) fn ident(error: &DeclaredError) -> String {
    name::type_name(&error.code, "Error")
}

/// The names of the types about the errors of a capability, not yet unique.
pub(super) fn error_names(capability: &str) -> ErrorNames {
    let [error, details, failure] =
        ["Error", "Errors", "Failure"].map(|suffix| name::nested(&marker_type(capability), suffix));
    ErrorNames { error, details, failure }
}

/// The names that capabilities have in any case.
fn names_of_capability(name: &CapabilityName) -> impl Iterator<Item = String> + use<> {
    let sides = Side::ALL.map(|side| root_type(&name.title, side));
    let ErrorNames { error, details, failure } = error_names(&name.title);
    [marker_type(&name.title), error, details, failure].into_iter().chain(sides)
}

fn short_name(code: &str) -> String {
    name::nested(&name::type_name(code, "Error"), "Details")
}

/// Whether the schemas are equal, apart from annotations.
fn are_equal(manifest: &Manifest, places: &[(usize, ContractPart)]) -> bool {
    let mut texts = places.iter().filter_map(|(index, part)| {
        let schema = manifest.capabilities.get(*index)?.schema(*part)?;
        Some(schema.canonical())
    });
    // Most codes have one schema, whose text takes long to write.
    places.len() == 1 || texts.next().is_some_and(|first| texts.all(|text| text == first))
}
