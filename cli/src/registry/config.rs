//! The file of `--config`.

use std::path::Path;
use std::sync::Arc;

use capgen_diagnostic::Diagnostic;
use capgen_registry::{Configuration, ConfigurationError};

use super::input;
use crate::codes;
use crate::failure::Failure;
use crate::validate::shown_payload as shown;

/// The maximum size of a configuration in bytes. An agent with its key has about 120 bytes, so hundreds of thousands of
/// agents fit.
const MAX_BYTES: u64 = 64 << 20;

/// Reads the configuration; without a file, the default.
///
/// # Errors
///
/// The file cannot be read, or a finding for each of its errors.
pub(super) fn read(path: Option<&Path>) -> Result<Arc<Configuration>, Failure> {
    let Some(path) = path else { return Ok(Arc::default()) };
    let config = Configuration::parse(&input::read(path, MAX_BYTES)?);
    let findings = |errors: Vec<ConfigurationError>| errors.iter().map(|error| finding(path, error)).collect();
    config.map(Arc::new).map_err(|errors| Failure::Findings(findings(errors.0)))
}

fn finding(path: &Path, error: &ConfigurationError) -> Diagnostic {
    let message = format!("{} is not a configuration: {error}", shown(path));
    let help =
        "a configuration has the optional members `kernel`, `monitors`, `keys`, `priority_cap`, `grants` and `quota`";
    let mut finding = Diagnostic::new(codes::REGISTRY_CONFIGURATION, message).help(help);
    finding.pointer = Some(error.pointer.clone());
    finding
}
