//! The declared errors of a capability that is declared in Rust.

use std::any::TypeId;

use capgen_descriptor::ErrorDescriptor;
use capgen_manifest::DeclaredError;
use capgen_schema::Schema;

use super::declared::leaked;
use super::per_type::PerType;
use super::schema_source::{Described, SchemaSource};
use crate::UnsupportedSchema;

/// An enum with `#[derive(CapabilityError)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not declare errors",
    label = "the errors of a capability are an enum",
    note = "write `#[derive(capgen::CapabilityError)]` on `{Self}`"
)]
pub trait DeclareErrors {
    /// An error for each variant with a code.
    const ERRORS: &'static [ErrorSource];
}

/// An error and the type of its details.
#[derive(Clone, Copy)]
pub struct ErrorSource {
    error: ErrorDescriptor,
    details: Option<SchemaSource>,
}

impl ErrorSource {
    /// An error without details.
    pub const fn new(error: ErrorDescriptor) -> Self {
        Self { error, details: None }
    }

    /// The error with details of a type. The provider serializes them.
    #[must_use]
    pub const fn with_details<T: Described + 'static>(self) -> Self {
        Self { details: Some(SchemaSource::response::<T>()), ..self }
    }

    /// The error in the form of the manifest, or every reason why there is none.
    pub(super) fn declared(&self) -> Result<DeclaredError, Vec<UnsupportedSchema>> {
        let ErrorDescriptor { code, description, retryable, status, .. } = self.error;
        let mut declared = DeclaredError::new(code);
        declared.description = description.filter(|description| !description.is_empty()).map(str::to_owned);
        (declared.retryable, declared.status) = (retryable, status);
        if let Some(details) = self.details.and_then(|details| details.get().declared()) {
            declared.details = Some(details.as_ref().map_err(Clone::clone)?.clone());
        }
        Ok(declared)
    }

    /// The error with its schema. Details that have none accept nothing.
    pub(super) fn completed(&self) -> ErrorDescriptor {
        let mut error = self.error;
        error.description = error.description.filter(|text| !text.is_empty());
        let Some(details) = self.details else { return error };
        let schema = details.get().declared().and_then(|schema| schema.as_ref().ok()).map(Schema::canonical);
        error.with_details_schema(schema.map_or("false", leaked))
    }
}

/// The errors of an enum, computed on first use.
pub fn declared_errors<T: DeclareErrors + 'static>() -> &'static [ErrorDescriptor] {
    static ALL: PerType<Vec<ErrorDescriptor>> = PerType::new();
    ALL.get(TypeId::of::<T>(), &|| T::ERRORS.iter().map(ErrorSource::completed).collect())
}
