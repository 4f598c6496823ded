//! Contracts in other formats: an import of an export has the same hash, and independent validators accept the export.

pub(crate) mod contracts;
mod lists;
mod public_reports;
mod round_trip;
mod strict_clients;
mod validators;
