//! The options of `capgen registry`.

use std::path::PathBuf;

use capgen_registry::{Range, Requirement};
use clap::builder::PossibleValuesParser;
use clap::{ArgGroup, Args, Subcommand};

use super::log::LogAddress;

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
}

/// A log and the configuration under which its events are valid.
#[derive(Args, Debug)]
pub(crate) struct Source {
    /// The log: sqlite:FILE, FILE.jsonl or nats://HOST:PORT
    #[arg(long, value_name = "LOG")]
    pub(crate) log: LogAddress,
    /// The configuration: the kernel, monitors, keys, caps of priorities, grants and the quota [default: none of them]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

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
    /// Sign events with this Ed25519 seed: the id of the key in the configuration, and a file with 32 bytes in base64
    #[arg(long, value_name = "KEY_ID=FILE")]
    pub(crate) signing_key: Option<String>,
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

A JSONL log is only read: it needs --dry-run.";
