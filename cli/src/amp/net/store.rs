//! The option `--store`: a memory that outlives the process.

use std::path::Path;
use std::sync::Arc;

use capgen_amp::carrier::run::{Execute, Runner};
use capgen_amp::provider::{Provider, State};
use capgen_time::{Clock as _, SystemClock};

use crate::failure::Failure;

/// Runs a provider with the memory in a file.
///
/// # Errors
///
/// One finding: the file cannot be used. Without its contents, invocations could run again.
#[cfg(feature = "amp-store")]
pub(super) fn run(
    provider: Provider,
    state: State,
    handlers: Arc<dyn Execute>,
    file: &Path,
) -> Result<Runner, Failure> {
    use capgen_amp::store::SqliteStore;
    use capgen_diagnostic::Diagnostic;

    use crate::codes;

    let failed = |reason: String| {
        let message = format!("cannot use the store {}: {reason}", crate::validate::shown_payload(file));
        let help = "name a file that no other provider uses, or that does not exist yet";
        Failure::Findings(vec![Diagnostic::new(codes::AMP_FILE, message).help(help)])
    };
    let store = SqliteStore::open_or_create(file, provider.did(), SystemClock.now_ms())
        .map_err(|error| failed(error.to_string()))?;
    Runner::with_store(provider, state, handlers, Box::new(store)).map_err(failed)
}

#[cfg(not(feature = "amp-store"))]
pub(super) fn run(_: Provider, _: State, _: Arc<dyn Execute>, _: &Path) -> Result<Runner, Failure> {
    Err(crate::missing::failure("amp-store"))
}
