//! The options of `capgen registry`.

use std::path::PathBuf;
use std::time::Duration;

use capgen_registry::{Range, Requirement};
use clap::builder::PossibleValuesParser;
use clap::{ArgGroup, Args, Subcommand};

use super::log::LogAddress;
use crate::one_contract::OneContract;

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Registry {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  capgen registry fold --log events.jsonl
  capgen registry find analysis.text.summarize --range '>=1.0.0 <2.0.0' --log events.jsonl
  capgen registry explain analysis.text.summarize --requirement 1.2.0 --log events.jsonl
  capgen registry merge north.json south.json

The state of the registry is a join of the facts in its events: it does not depend on the order, the repetition or the partition of events. \
docs/registry.md explains this.

`fold`, `merge`, `find`, `resolve` and `step` print canonical JSON (RFC 8785), one value per line, unless standard output is a terminal and --json \
is not given.

Exit status: 0 success, 1 a negative result or invalid input, 2 incorrect usage.";

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Announce the capabilities of a manifest
    #[command(after_help = REGISTER_HELP)]
    Register(Register),
    /// Add events to a log
    #[command(after_help = APPEND_HELP)]
    Append(Append),
    /// Print the state of the registry after the events of a log
    #[command(after_help = FOLD_HELP)]
    Fold(Fold),
    /// Join the states of several logs
    #[command(after_help = MERGE_HELP)]
    Merge(Merge),
    /// List registrations by capability, tag or determinism class
    #[command(after_help = FIND_HELP)]
    Find(Find),
    /// Choose the agent that a call goes to
    #[command(after_help = RESOLVE_HELP)]
    Resolve(Resolve),
    /// Explain the choice: why each candidate was removed, and which step decided
    #[command(after_help = EXPLAIN_HELP)]
    Explain(Resolve),
    /// Process a log as the kernel does: answer requests, and report invalid events
    #[command(after_help = STEP_HELP)]
    Step(Step),
    /// Write the state to a file, from which later runs start
    #[command(after_help = SNAPSHOT_HELP)]
    Snapshot(Snapshot),
    /// Print the last events of a log, and new ones as they come
    #[command(after_help = TAIL_HELP)]
    Tail(Tail),
    /// Show agents, health and invocations as events come
    #[command(after_help = WATCH_HELP)]
    Watch(Watch),
    /// Report agents that stopped sending heartbeats, and invocations that take too long
    #[command(after_help = MONITOR_HELP)]
    Monitor(Monitor),
    /// Print the public key of a secret
    #[command(after_help = KEY_HELP)]
    Key(Key),
    /// Check that no row of a log was changed or removed
    #[command(after_help = VERIFY_HELP)]
    Verify(Verify),
}

/// A log and the configuration under which its events are valid.
#[derive(Args, Debug)]
pub(crate) struct Source {
    /// The log: sqlite:FILE, FILE.jsonl or nats://HOST:PORT
    #[arg(long, value_name = "LOG")]
    pub(crate) log: LogAddress,
    /// The credentials for nats://: a file with a JWT and the seed of an NKey
    #[arg(long, value_name = "FILE")]
    pub(crate) nats_credentials: Option<PathBuf>,
    /// The configuration: the kernel, monitors, keys, caps of priorities, grants and the quota [default: none of them]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct Append {
    /// The file with one event per line; `-` means standard input
    #[arg(value_name = "EVENTS", default_value = "-")]
    pub(crate) events: PathBuf,
    #[command(flatten)]
    pub(crate) source: Source,
    /// Accept events whose ids are old, to merge logs or to restore a backup. For operators only
    #[arg(long)]
    pub(crate) import: bool,
    /// The time, in Unix ms [default: that of the clock]
    #[arg(long, value_name = "MS", hide = true)]
    pub(crate) now: Option<u64>,
    /// Print JSON on a terminal, too
    #[arg(long)]
    pub(crate) json: bool,
}

const APPEND_HELP: &str = "\
Examples:
  capgen registry append events.jsonl --log sqlite:registry.db --config registry.json
  my-agent | capgen registry append --log sqlite:registry.db
  capgen registry append --import south.jsonl --log sqlite:north.db

Prints one line for each line of the input that is not blank: {\"offset\", \"partition\", \"duplicate_of\": null or an id, \"integrity_fault\"}, or \
{\"error\": {\"reason\", \"paths\"}}. A reason is json, envelope, signature, future, past, idempotency-key or quota; other invalid events are \
stored, and the kernel reports them. Appending an event again has no effect, so repeat a run that was interrupted.

The log is created if it does not exist. An event is on the disk before its line is printed. The exit status is 1 if a line was rejected.";

#[derive(Args, Debug)]
pub(crate) struct Fold {
    #[command(flatten)]
    pub(crate) source: Source,
    /// Print JSON on a terminal, too
    #[arg(long)]
    pub(crate) json: bool,
}

const FOLD_HELP: &str = "\
Examples:
  capgen registry fold --log events.jsonl
  capgen registry fold --log sqlite:registry.db --config registry.json > state.json

Prints {\"state\", \"hash\", \"registry_hash\", \"view\", \"invalid\"}. `view` has the registrations with their effective metadata, health, requests \
and invocations. `invalid` has the events that change nothing: {\"event_id\", \"hash\", \"reason\", \"paths\"}.

Lines of a JSONL log that are not JSON are skipped with a warning.";

#[derive(Args, Debug)]
pub(crate) struct Merge {
    /// The states, each the output of `fold` or `merge`, or its member `state`; `-` means standard input
    #[arg(value_name = "STATE", required = true)]
    pub(crate) states: Vec<PathBuf>,
    /// The configuration of all states
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// The time, in Unix ms [default: that of the clock]
    #[arg(long, value_name = "MS", hide = true)]
    pub(crate) now: Option<u64>,
    /// Print JSON on a terminal, too
    #[arg(long)]
    pub(crate) json: bool,
}

const MERGE_HELP: &str = "\
Examples:
  capgen registry fold --log north.jsonl > north.json
  capgen registry fold --log south.jsonl > south.json
  capgen registry merge north.json south.json

The output is that of `fold` over the events of all logs, without `invalid`. States of different configurations do not merge, and \
facts whose ids are more than 60 s ahead of the clock are rejected. A state contains no signatures: merge only states of your own logs, and the logs \
of others.";

#[derive(Args, Debug)]
#[command(group = ArgGroup::new("question").required(true).multiple(false))]
pub(crate) struct Find {
    /// The id of a capability
    #[arg(value_name = "ID", group = "question")]
    pub(crate) id: Option<String>,
    /// Only versions in this range, such as '>=1.2.0 <2.0.0'
    #[arg(long, value_name = "RANGE", conflicts_with_all = ["tag", "determinism"])]
    pub(crate) range: Option<Range>,
    /// Capabilities with this tag
    #[arg(long, value_name = "TAG", group = "question")]
    pub(crate) tag: Option<String>,
    /// Capabilities of this determinism class
    #[arg(
        long,
        value_name = "CLASS",
        group = "question",
        value_parser = PossibleValuesParser::new(["deterministic", "nondeterministic"])
    )]
    pub(crate) determinism: Option<String>,
    #[command(flatten)]
    pub(crate) source: Source,
    /// Start from this snapshot, and read only the rest of the log
    #[arg(long, value_name = "FILE")]
    pub(crate) snapshot: Option<PathBuf>,
    /// Print JSON on a terminal, too
    #[arg(long)]
    pub(crate) json: bool,
}

const FIND_HELP: &str = "\
Examples:
  capgen registry find analysis.text.summarize --log events.jsonl
  capgen registry find analysis.text.summarize --range '>=1.0.0 <2.0.0' --log events.jsonl
  capgen registry find --tag text --log sqlite:registry.db

Prints {\"results\", \"registry_hash\"}, in the order of id, version descending and agent. Deprecated versions and those of unhealthy agents are \
listed and marked. Ranges compare versions by precedence alone, so 2.0.0-rc.1 is in the range '>=1.0.0 <2.0.0'.";

#[derive(Args, Debug)]
pub(crate) struct Resolve {
    /// The id of the capability
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// The versions that the caller accepts: 1.2.0 (this or a later one of the same major), =1.2.0, or '>=1.2.0 <2.0.0'
    #[arg(long, value_name = "REQUIREMENT")]
    pub(crate) requirement: Requirement,
    /// A role of the caller; may be repeated
    #[arg(long, value_name = "ROLE")]
    pub(crate) role: Vec<String>,
    /// A scope of the caller; may be repeated
    #[arg(long, value_name = "SCOPE")]
    pub(crate) scope: Vec<String>,
    /// The caller, which appears in the question of the explanation; its grants are not applied
    #[arg(long, value_name = "AGENT")]
    pub(crate) caller: Option<String>,
    #[command(flatten)]
    pub(crate) source: Source,
    /// Start from this snapshot, and read only the rest of the log
    #[arg(long, value_name = "FILE")]
    pub(crate) snapshot: Option<PathBuf>,
    /// Print JSON, also on a terminal
    #[arg(long)]
    pub(crate) json: bool,
}

const RESOLVE_HELP: &str = "\
Examples:
  capgen registry resolve analysis.text.summarize --requirement 1.2.0 --log events.jsonl
  capgen registry resolve core.memory.snapshot --requirement '>=1.0.0 <3.0.0' --role admin --scope memory:read --log sqlite:registry.db

Prints {\"target\", \"explanation\"}. Candidates are filtered by id, version, health and access, and ranked by priority, weight, version, \
order of registration and agent. Deprecated versions are chosen only if no other is left. The exit status is 1 if there is no target; \
then `target` is null, and `explanation.reason` is not-found, no-compatible-version, unhealthy or access-denied.";

const EXPLAIN_HELP: &str = "\
Examples:
  capgen registry explain analysis.text.summarize --requirement 1.2.0 --log events.jsonl
  capgen registry explain analysis.text.summarize --requirement 1.2.0 --log events.jsonl --json

Prints a table for each filter with the candidates that it removed and why, the ranking, and the step that decided. --json prints the \
document of `resolve`. The exit status is that of `resolve`.";

#[derive(Args, Debug)]
pub(crate) struct Step {
    #[command(flatten)]
    pub(crate) source: Source,
    /// Print the events, but do not append them
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) signing: Signing,
    /// Print JSON on a terminal, too
    #[arg(long)]
    pub(crate) json: bool,
}

const STEP_HELP: &str = "\
Examples:
  capgen registry step --log sqlite:registry.db --config registry.json
  capgen registry step --log events.jsonl --dry-run

Processes the events in the order of the log, each in the state of the events before it, and prints the events that the kernel emits: \
capability.invoked or capability.unresolved for each request that has no outcome yet, and system.event.validation_failed for invalid events. \
Their ids are derived from their causes, so a second run emits nothing new.

--dry-run prints exactly the events that would be appended. A JSONL log is only read: it needs --dry-run. If the configuration has a key of the \
kernel, --signing-key is needed in both cases.";

/// The key of a producer.
#[derive(Args, Debug)]
pub(crate) struct Signing {
    /// Sign events with this Ed25519 seed: the id of the key in the configuration, and a file with 32 bytes in base64
    #[arg(long, value_name = "KEY_ID=FILE", value_parser = signing_key)]
    pub(crate) signing_key: Option<(String, PathBuf)>,
}

/// The value of `--signing-key`. The id of a key may contain `=`, a file that is named here does not.
fn signing_key(text: &str) -> Result<(String, PathBuf), &'static str> {
    let (id, path) = text.rsplit_once('=').ok_or("expected the id of the key, =, and a file")?;
    Ok((id.to_owned(), path.into()))
}

#[derive(Args, Debug)]
pub(crate) struct Snapshot {
    /// The file. If it is a snapshot, it is read first, and then replaced
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) source: Source,
    /// Remove ended requests, except for this number of the latest ones
    #[arg(long, value_name = "COUNT")]
    pub(crate) keep: Option<usize>,
    /// Print the result as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

const SNAPSHOT_HELP: &str = "\
Examples:
  capgen registry snapshot registry.snapshot --log sqlite:registry.db
  capgen registry find --tag text --snapshot registry.snapshot --log sqlite:registry.db

A snapshot contains the state, hashes over all of it, and its place in the log. A snapshot that was changed, or that belongs to another \
configuration or log, is dropped with a warning, and the whole log is read. With --keep, the snapshot lacks ended requests, so its state has no hash and does \
not merge; registrations, updates, deprecations and health are always complete.

--json prints {\"sequence\", \"pruned\", \"dropped\": null or the reason why the old snapshot was dropped}.";

#[derive(Args, Debug)]
pub(crate) struct Tail {
    #[command(flatten)]
    pub(crate) source: Source,
    /// The number of events to start with
    #[arg(short = 'n', long = "lines", value_name = "COUNT", default_value_t = 10)]
    pub(crate) lines: usize,
    /// Wait for new events, and print them as they come
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// Only events of this partition
    #[arg(long, value_name = "PARTITION")]
    pub(crate) partition: Option<String>,
    /// Print the events as JSON, one per line
    #[arg(long)]
    pub(crate) json: bool,
}

const TAIL_HELP: &str = "\
Examples:
  capgen registry tail --log sqlite:registry.db
  capgen registry tail --follow --json --log sqlite:registry.db | jq .event_type
  capgen registry tail -n 100 --partition agent-a --log sqlite:registry.db

Prints the time, id, type and producer of each event, and the subject of its payload. Events are in the order of the log. They are not checked: \
`capgen registry fold` lists the invalid ones.";

#[derive(Args, Debug)]
pub(crate) struct Verify {
    #[command(flatten)]
    pub(crate) source: Source,
    /// Also check that the log contains these rows: a file with the output of an earlier `verify`, or with its member `heads`
    #[arg(long, value_name = "HEADS")]
    pub(crate) expect: Option<PathBuf>,
    /// Print JSON on a terminal, too
    #[arg(long)]
    pub(crate) json: bool,
}

const VERIFY_HELP: &str = "\
Examples:
  capgen registry verify --log sqlite:registry.db > heads.json
  capgen registry verify --log sqlite:registry.db --expect heads.json

Each row contains the hash of its event and of the row before it in the same partition. Prints {\"ok\", \"rows\", \"first_broken\": null or \
{\"partition\", \"offset\", \"reason\"}, \"heads\": {PARTITION: {\"offset\", \"row_hash\"}}}. A reason is event (the event was changed), chain (a row \
was removed, inserted or moved) or expected (an expected head is not in the log). The exit status is 1 if a row is broken.

Without --expect, a truncated end and a complete rewrite cannot be detected: both take only write access to the log. Store the heads where those \
who can write to the log cannot change them. The log may have grown since.";

#[derive(Args, Debug)]
pub(crate) struct Register {
    #[command(flatten)]
    pub(crate) contract: OneContract,
    /// The agent that offers the capabilities [default: the agent of the manifest]
    #[arg(long, value_name = "ID")]
    pub(crate) agent: Option<String>,
    #[command(flatten)]
    pub(crate) source: Source,
    #[command(flatten)]
    pub(crate) signing: Signing,
    /// Append nothing; print the steps
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print one JSON document per capability
    #[arg(long)]
    pub(crate) json: bool,
}

const REGISTER_HELP: &str = "\
Examples:
  capgen registry register --peer payments --log sqlite:registry.db
  capgen registry register --capabilities capabilities.yaml --agent pr-reviewer-2 --log sqlite:registry.db --config registry.json

Appends capability.registered for each capability of the manifest: its schemas, sideEffects, determinism, latency, tags, requiredRoles and \
requiredScopes. The id is the `id` of the capability, or that of the manifest's agent, a dot and the `name`. Every capability needs a `version`.

A version that is already registered with the same contract is reported; if its tags or latency differ, capability.updated is appended. A version \
that is registered with another contract is an error, and then nothing is appended.

--json prints {\"agent\", \"capability\", \"version\", \"status\", \"event_id\"}; a status is registered, updated or already-registered; with \
--dry-run, to-register or to-update instead of the first two.";

#[derive(Args, Debug)]
pub(crate) struct Watch {
    #[command(flatten)]
    pub(crate) source: Source,
    /// End after the last event instead of waiting for new ones
    #[arg(long)]
    pub(crate) no_follow: bool,
    /// Print each change as one JSON document per line
    #[arg(long)]
    pub(crate) json: bool,
}

const WATCH_HELP: &str = "\
Examples:
  capgen registry watch --log sqlite:registry.db
  capgen registry watch --json --log sqlite:registry.db | jq 'select(.change == \"health\")'

On a terminal, the picture is refreshed when events come. Otherwise, each change is one line, at first those from an empty registry. \
--json prints {\"change\", \"value\"}; a change is registration, health, unresolved or invocation, and the value is the one in the `view` of \
`capgen registry fold`.";

#[derive(Args, Debug)]
pub(crate) struct Monitor {
    /// The agent of the monitor, which the configuration must name
    #[arg(long, value_name = "ID")]
    pub(crate) agent: String,
    #[command(flatten)]
    pub(crate) source: Source,
    /// An agent whose last heartbeat is older than this is unavailable
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = duration)]
    pub(crate) heartbeat: Duration,
    /// An invocation whose request is older than this has failed
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration)]
    pub(crate) invocation: Duration,
    /// The time between two looks
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration)]
    pub(crate) interval: Duration,
    /// Look once, and end
    #[arg(long)]
    pub(crate) once: bool,
    #[command(flatten)]
    pub(crate) signing: Signing,
    /// Print each report as one JSON document per line
    #[arg(long)]
    pub(crate) json: bool,
}

const MONITOR_HELP: &str = "\
Examples:
  capgen registry monitor --agent ops.monitor --log sqlite:registry.db --config registry.json
  capgen registry monitor --agent ops.monitor --heartbeat 10s --once --log sqlite:registry.db --config registry.json

Appends agent.unavailable for agents that stopped sending heartbeats, and capability.failed with the reason timeout for overdue invocations. Agents \
that never sent a heartbeat are not observed. Several monitors over one log do no harm: of their reports about one fact, one counts.

A TIME is a number and ms, s, m, h or d. --json prints {\"event_type\", \"agent\", \"payload\"}.";

#[derive(Args, Debug)]
pub(crate) struct Key {
    /// The file with the seed of Ed25519: 32 bytes in base64
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

const KEY_HELP: &str = "\
Examples:
  (umask 077; openssl rand -base64 32 > atlas.key)
  capgen registry key atlas.key

Prints the public key in base64, as in the member `keys` of a configuration.";

/// A time such as `500ms` or `30s`.
fn duration(text: &str) -> Result<Duration, &'static str> {
    const EXPECTED: &str = "expected a number and ms, s, m, h or d, such as 30s";
    let units = [("ms", 1_u64), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];
    let found = units.into_iter().find_map(|(unit, ms)| {
        let number = text.strip_suffix(unit)?;
        number.bytes().all(|byte| byte.is_ascii_digit()).then_some((number, ms))
    });
    let (number, ms) = found.ok_or(EXPECTED)?;
    let number: u64 = number.parse().map_err(|_| EXPECTED)?;
    Ok(Duration::from_millis(number.checked_mul(ms).ok_or(EXPECTED)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        for (text, ms) in
            [("500ms", 500), ("0s", 0), ("30s", 30_000), ("10m", 600_000), ("2h", 7_200_000), ("1d", 86_400_000)]
        {
            assert_eq!(duration(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        for text in ["", "5", "s", "+5s", "-5s", "5 s", "5w", "1.5s", "99999999999999999999s", "9999999999999999999d"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
