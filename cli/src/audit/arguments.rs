//! The options of `capgen audit`.

use std::path::PathBuf;

use capgen_audit::{Filter, Hash, KINDS};
use capgen_time::{Clock as _, SystemClock};
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};

use crate::duration;
use crate::times::parse_time;

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Audit {
    /// The database
    #[arg(long, value_name = "PATH", default_value = "capgen-audit.db", global = true)]
    pub(crate) db: PathBuf,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  capgen audit query --since 1h --kind capability_schema_violation
  capgen audit query --tenant acme --since 2026-11-01 --until 2026-12-01 --json
  capgen audit verify
  capgen audit anchor > anchor.json      store this file where those who can write to the database cannot change it
  capgen audit verify --anchor anchor.json
  capgen audit prune --before 90d

A program writes the database through the crate capgen-audit.

Exit status: 0 success, 1 the database cannot be read or is not intact, 2 incorrect usage.";

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Print records
    #[command(after_help = QUERY_HELP)]
    Query(Query),
    /// Print the last records, and new ones as they are written
    #[command(after_help = TAIL_HELP)]
    Tail(Tail),
    /// Check that no record was changed or removed
    #[command(after_help = VERIFY_HELP)]
    Verify(Verify),
    /// Verify the database, and print the last row of each chain as a JSON document
    #[command(after_help = ANCHOR_HELP)]
    Anchor,
    /// Remove old records, and keep chains that can be verified
    #[command(after_help = PRUNE_HELP)]
    Prune(Prune),
}

/// The conditions of a query.
#[derive(Args, Debug)]
pub(crate) struct Conditions {
    /// Only records of this kind
    #[arg(long, value_parser = PossibleValuesParser::new(KINDS))]
    kind: Option<String>,
    /// Only records from this time on, such as 2026-11-23T10:00:00Z, 2026-11-23, or 1h (one hour ago)
    #[arg(long, value_name = "TIME", value_parser = When::parse)]
    since: Option<When>,
    /// Only records before this time
    #[arg(long, value_name = "TIME", value_parser = When::parse)]
    until: Option<When>,
    /// Only records of this capability
    #[arg(long, value_name = "NAME")]
    capability: Option<String>,
    /// Only records of this tenant; `-` for calls without one
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    tenant: Option<String>,
    /// Only records with this other party, with or without agent://
    #[arg(long, value_name = "ID")]
    peer: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct Query {
    #[command(flatten)]
    pub(crate) conditions: Conditions,
    /// Only the last records, at most this many
    #[arg(long, value_name = "COUNT")]
    pub(crate) limit: Option<u32>,
    /// Print one JSON document per line: the records as they are stored
    #[arg(long)]
    pub(crate) json: bool,
}

const QUERY_HELP: &str = "\
Examples:
  capgen audit query --since 1h
  capgen audit query --kind capability_schema_violation --json | jq '.violations[].path'
  capgen audit query --db var/audit.db --peer pr-reviewer --limit 20

Records are printed in the order in which they were written. A relative time is a number and one of s, m, h, d and w. The records are not \
verified: see `capgen audit verify`.";

#[derive(Args, Debug)]
pub(crate) struct Tail {
    #[command(flatten)]
    pub(crate) conditions: Conditions,
    /// The number of records to start with
    #[arg(short = 'n', long = "lines", value_name = "COUNT", default_value_t = 10)]
    pub(crate) lines: u32,
    /// Print one JSON document per line: the records as they are stored
    #[arg(long)]
    pub(crate) json: bool,
    /// End after the last record instead of waiting for new ones
    #[arg(long)]
    pub(crate) no_follow: bool,
}

const TAIL_HELP: &str = "\
Examples:
  capgen audit tail
  capgen audit tail -n 100 --kind capability_schema_violation --json
  capgen audit tail --no-follow";

#[derive(Args, Debug)]
pub(crate) struct Verify {
    /// Also check that the chains contain the rows of this file, which `capgen audit anchor` printed
    #[arg(long, value_name = "FILE")]
    pub(crate) anchor: Option<PathBuf>,
    /// With --anchor: the checkpoint with this hash, which `capgen audit prune` printed, may replace anchored rows; may
    /// be repeated
    #[arg(long, value_name = "HASH", requires = "anchor", value_parser = parse_hash)]
    pub(crate) allow_pruned: Vec<Hash>,
    /// Print the result as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

fn parse_hash(text: &str) -> Result<Hash, String> {
    text.parse().map_err(|_| "expected the hash of a checkpoint: 64 hexadecimal digits in lower case".to_owned())
}

const VERIFY_HELP: &str = "\
Examples:
  capgen audit verify
  capgen audit verify --anchor anchor.json
  capgen audit verify --anchor anchor.json --allow-pruned 5f0c...
  capgen audit verify --json

Each row contains a hash of its columns and of the row before it in the same tenant, so a change of a row, and a removed or inserted row, \
is found. For each tenant, the first wrong row is reported.

A chain does not prove that no row is missing at its end, and does not protect against someone who writes the whole chain again: both \
take only write access to the file. An anchor proves that all rows up to the anchored ones are unchanged, if the anchor itself is stored where \
that person cannot change it. An anchored row that is gone is reported, unless --allow-pruned has the hash of the checkpoint that replaces it: \
without the hash, a row that was pruned cannot be distinguished from one that an attacker removed. Nothing proves that a program recorded everything.

--json prints {\"intact\", \"rows\", \"tenants\": [{\"tenant\", \"rows\", \"pruned\", \"replaced\", \"seq\", \"hash\", \"broken\": null or {\"row\", \"seq\", \"reason\"}}], \
\"problems\": [{\"row\", \"message\"}], \"unconfirmed\": [{\"tenant\", \"seq\", \"hash\", \"reason\"}], \"unknownCheckpoints\": [HASH]}.";

const ANCHOR_HELP: &str = "\
Examples:
  capgen audit anchor > anchor.json
  capgen audit verify --anchor anchor.json

Prints {\"capgenAuditAnchor\": 1, \"heads\": [{\"tenant\", \"seq\", \"hash\"}]}. If the database is not intact, prints no anchor.";

#[derive(Args, Debug)]
pub(crate) struct Prune {
    /// Remove records from before this time, such as 2026-01-01 or 90d (90 days ago)
    #[arg(long, value_name = "TIME", value_parser = When::parse)]
    pub(crate) before: When,
    /// Print the result as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

const PRUNE_HELP: &str = "\
Examples:
  capgen audit prune --before 90d
  capgen audit prune --before 2026-01-01 --db var/audit.db

For each tenant, the rows up to the first one that is not older are removed, and a checkpoint with their number and the hash of the last one is \
added to the chain. If the database is not intact, nothing is removed. Rows of an anchor that are removed can no longer be checked: print a new \
anchor after pruning, or store the hash of each checkpoint for `capgen audit verify --allow-pruned`.

--json prints {\"removed\": [{\"tenant\", \"rows\", \"checkpoint\"}]}.";

/// A time, or the time that has passed since.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum When {
    /// Unix time in ms.
    At(u64),
    /// This many ms ago.
    Ago(u64),
}

impl When {
    fn parse(text: &str) -> Result<Self, String> {
        const EXPECTED: &str = "expected a time such as 2026-11-23T10:00:00Z, a day such as 2026-11-23, or a number with s, m, h, d or w, such as 1h";
        if let Some(time) = parse_time(text) {
            return Ok(Self::At(time));
        }
        let [_, units @ ..] = duration::UNITS;
        // A time before 1970 is the same as 1970: every record is later.
        duration::parse(text, &units).map(Self::Ago).ok_or_else(|| EXPECTED.to_owned())
    }

    /// Unix time in ms.
    pub(crate) fn resolve(self) -> u64 {
        match self {
            Self::At(time) => time,
            Self::Ago(ms) => SystemClock.now_ms().saturating_sub(ms),
        }
    }
}

impl Conditions {
    pub(crate) fn filter(&self, limit: Option<u32>) -> Filter {
        let peer = self.peer.as_ref().map(|peer| match peer.strip_prefix("agent://") {
            Some(_) => peer.clone(),
            None => format!("agent://{peer}"),
        });
        Filter {
            kind: self.kind.clone(),
            tenant: self.tenant.clone(),
            capability: self.capability.clone(),
            peer,
            since: self.since.map(When::resolve),
            until: self.until.map(When::resolve),
            after: None,
            limit,
        }
    }
}
