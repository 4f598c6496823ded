//! `capgen amp bundle verify`.

use capgen_amp::bundle::{Creation, open};
use capgen_diagnostic::quoted;
use capgen_time::{Clock as _, SystemClock};

use super::arguments::Verify;
use super::{Document, print, rejected};
use crate::amp::keys::keys;
use crate::console::{Console, count};
use crate::failure::{RunResult, Verdict};
use crate::times::format_time;

pub(super) fn run(arguments: &Verify, console: &Console) -> RunResult {
    let trust = keys("--trust", &arguments.trust)?;
    let creation = Creation { now: arguments.now.unwrap_or_else(|| SystemClock.now_ms()), min: arguments.min_created };
    let bundle = match open(&arguments.folder, &trust, creation) {
        Ok(bundle) => bundle,
        Err(error) => return rejected(&error, arguments.json, console),
    };
    if arguments.json {
        print(&Document { ok: true, error: None })?;
        return Ok(Verdict::Fine);
    }
    let index = bundle.index();
    console.tick(&format!(
        "the bundle {} is complete and signed by {}, created {}: {}, {}",
        quoted(&index.bundle_id),
        quoted(index.signer.as_str()),
        format_time(index.created),
        count(index.descriptors.len(), "capability", "capabilities"),
        count(index.artifacts.len(), "artifact", "artifacts"),
    ));
    Ok(Verdict::Fine)
}
