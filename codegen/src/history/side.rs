//! The verdict on one side of the calls of a caller.

use capgen_evolve::{CallSettings, Finding, SideMisfit, side_misfit};
use capgen_manifest::{AgentId, Capability, Side};
use capgen_schema::Steps;

use super::{KnownFinding, SideVerdict, VerdictSettings};

/// The budget of a comparison of one side: that of servers that compare contracts while they run.
const BUDGET: Steps = Steps::of_seconds(1);

/// Whether all payloads of a side are valid for their receiver, as servers that compare contracts decide it: a side
/// fits as long as all of its breaking findings are accepted. The server knows the day.
pub(super) fn verdict(
    side: Side,
    caller: &Capability,
    (agent, provider): (&AgentId, &Capability),
    settings: &VerdictSettings,
) -> SideVerdict {
    // A side without a schema on either end is not compared: the other end validates.
    if caller.schema(side).is_none() || provider.schema(side).is_none() {
        return SideVerdict::Fits;
    }
    let rules = CallSettings { assume: settings.assume, steps: BUDGET, budget: BUDGET, ..CallSettings::default() };
    // A server decides by the keys about versions before it looks for a verdict.
    let Some(SideMisfit { undecided, findings }) = side_misfit(side, caller, provider, &rules) else {
        return SideVerdict::Fits;
    };
    let until = |finding: &Finding| settings.accepted.until(agent, finding);
    // The first finding that is not accepted counts. Those after one that never is are not needed.
    let mut known = Vec::new();
    for finding in findings {
        let accepted_until = until(&finding);
        known.push(KnownFinding {
            code: finding.code.as_str().to_owned(),
            pointer: finding.pointer().to_owned(),
            fingerprint: finding.fingerprint.as_str().to_owned(),
            message: finding.message,
            help: finding.help,
            accepted_until,
        });
        if accepted_until.is_none() {
            break;
        }
    }
    if undecided.is_some() { SideVerdict::Undecided(known) } else { SideVerdict::MayFail(known) }
}
