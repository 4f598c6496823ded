//! `capgen audit verify` and `capgen audit anchor`.

use std::path::Path;

use capgen_audit::{Anchor, AnchorProblem, Verification};
use capgen_diagnostic::{Diagnostic, quoted};
use capgen_files::{open_input, read_input};
use capgen_manifest::shown;
use serde_json::{Value, json};

use super::arguments::Verify;
use super::{open, unusable};
use crate::codes;
use crate::console::{self, Console, count};
use crate::failure::{Failure, RunResult, Verdict};

/// The largest anchor in bytes. An anchor has a number and a hash for each tenant, about 200 bytes, so those of tens of
/// thousands of tenants fit.
const MAX_ANCHOR: u64 = 16 << 20;

const LIMITS: &str =
    "  This does not prove that no row is missing at the end of a chain, or that no one wrote a whole chain again.
  An anchor that is stored elsewhere does: see `capgen audit anchor`.";

const LIMITS_WITH_ANCHOR: &str = "  The rows up to the anchored ones are unchanged. For later rows, this does not prove that none is missing at the end,
  or that no one wrote them again.";

const LIMITS_WITH_PRUNED: &str = "  The anchored rows that are left, and the rows before them, are unchanged. The others were pruned by the checkpoints that
  you allowed. For later rows, this does not prove that none is missing at the end, or that no one wrote them again.";

pub(super) fn run(arguments: &Verify, path: &Path, console: &Console) -> RunResult {
    let anchor = arguments.anchor.as_deref().map(read_anchor).transpose()?;
    let verification = open(path)?
        .verify_with_pruned(anchor.as_ref(), &arguments.allow_pruned)
        .map_err(|error| unusable(path, &error))?;
    if arguments.json {
        console::print_json(&format!("{}\n", document(&verification)))?;
        return Ok(if verification.is_intact() { Verdict::Fine } else { Verdict::Findings });
    }
    if !verification.is_intact() {
        return Err(Failure::Findings(findings(&verification, path)));
    }
    let rows = count(usize::try_from(verification.rows()).unwrap_or(usize::MAX), "row", "rows");
    let tenants = count(verification.tenants.len(), "tenant", "tenants");
    let pruned: u64 = verification.tenants.iter().map(|tenant| tenant.pruned).sum();
    let pruned = if pruned > 0 { format!("; {pruned} more were pruned") } else { String::new() };
    console.tick(&format!("the chain of each tenant is intact: {rows} of {tenants}{pruned}"));
    let limits = match anchor {
        Some(_) if verification.tenants.iter().any(|tenant| tenant.replaced > 0) => LIMITS_WITH_PRUNED,
        Some(_) => LIMITS_WITH_ANCHOR,
        None => LIMITS,
    };
    limits.lines().for_each(|line| console.line(line));
    Ok(Verdict::Fine)
}

pub(super) fn anchor(path: &Path, console: &Console) -> RunResult {
    let verification = open(path)?.verify(None).map_err(|error| unusable(path, &error))?;
    if !verification.is_intact() {
        console.line("no anchor was printed, because the database is not intact");
        return Err(Failure::Findings(findings(&verification, path)));
    }
    console::print_json(&format!("{}\n", verification.anchor().to_json()))?;
    Ok(Verdict::Fine)
}

fn read_anchor(path: &Path) -> Result<Anchor, Failure> {
    let invalid = |reason: &str| {
        let message = format!("`{}` is not an anchor: {reason}", shown(path));
        let help = "pass a file with the output of `capgen audit anchor`";
        Failure::Findings(vec![Diagnostic::new(codes::INVALID_ANCHOR, message).in_file(shown(path)).help(help)])
    };
    let file = open_input(path).map_err(|error| invalid(&error.to_string()))?;
    let bytes = read_input(file, MAX_ANCHOR).map_err(|error| invalid(&error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| invalid("it is not UTF-8"))?;
    Anchor::from_json(&text).map_err(|error| invalid(&error.to_string()))
}

/// Everything that is wrong: the broken rows first.
pub(super) fn findings(verification: &Verification, path: &Path) -> Vec<Diagnostic> {
    let broken = verification.tenants.iter().filter_map(|tenant| {
        let row = tenant.broken.as_ref()?;
        let place = format!("row {} (tenant {}, sequence number {})", row.id, quoted(&tenant.tenant), row.seq);
        let help = "compare the database with a backup; later rows of the same tenant were not checked";
        Some(Diagnostic::new(codes::BROKEN_CHAIN, format!("{place} is broken: {}", row.reason)).help(help))
    });
    let problems = verification.problems.iter().map(|problem| {
        let help = "restore the file from a backup; `capgen audit query` may still read some rows";
        Diagnostic::new(codes::AUDIT_DAMAGED, problem.message.clone()).help(help)
    });
    let unconfirmed = verification.unconfirmed.iter().map(|unconfirmed| {
        let head = &unconfirmed.head;
        let place = format!("row with sequence number {} of the tenant {}", head.seq, quoted(&head.tenant));
        let message = format!("the anchored {place} is not in the chain: {}", unconfirmed.problem);
        let finding = Diagnostic::new(codes::ANCHOR_NOT_CONFIRMED, message);
        match unconfirmed.problem {
            AnchorProblem::Pruned { checkpoint: Some(hash), .. } => {
                finding.note("anyone who can write to the database can append such a checkpoint").help(format!(
                    "if `capgen audit prune` printed this hash when you ran it, pass `--allow-pruned {hash}`"
                ))
            }
            _ => finding,
        }
    });
    let unknown = verification.unknown_checkpoints.iter().map(|hash| {
        let message = format!("no checkpoint has the hash {hash}");
        let help = "pass a hash that `capgen audit prune` printed; a later one covers the rows of an earlier one too";
        Diagnostic::new(codes::ANCHOR_NOT_CONFIRMED, message).help(help)
    });
    broken.chain(problems).chain(unconfirmed).chain(unknown).map(|finding| finding.in_file(shown(path))).collect()
}

fn document(verification: &Verification) -> Value {
    let tenants = verification.tenants.iter().map(|tenant| {
        let broken = tenant.broken.as_ref();
        let broken = broken.map(|row| json!({"row": row.id, "seq": row.seq, "reason": row.reason.to_string()}));
        json!({
            "tenant": tenant.tenant, "rows": tenant.rows, "pruned": tenant.pruned, "replaced": tenant.replaced,
            "seq": tenant.head.seq, "hash": tenant.head.hash.to_string(), "broken": broken,
        })
    });
    let problems = verification.problems.iter();
    let problems = problems.map(|problem| json!({"row": problem.row, "message": problem.message}));
    let unconfirmed = verification.unconfirmed.iter().map(|unconfirmed| {
        let head = &unconfirmed.head;
        let hash = head.hash.to_string();
        json!({"tenant": head.tenant, "seq": head.seq, "hash": hash, "reason": unconfirmed.problem.to_string()})
    });
    let unknown = verification.unknown_checkpoints.iter().map(ToString::to_string);
    json!({
        "intact": verification.is_intact(),
        "rows": verification.rows(),
        "tenants": tenants.collect::<Vec<_>>(),
        "problems": problems.collect::<Vec<_>>(),
        "unconfirmed": unconfirmed.collect::<Vec<_>>(),
        "unknownCheckpoints": unknown.collect::<Vec<_>>(),
    })
}
