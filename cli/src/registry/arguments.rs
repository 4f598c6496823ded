//! The subcommands of `capgen registry`, and the options that several of them have. The others are beside `run`.

use std::path::PathBuf;
use std::sync::Arc;

use capgen_registry::Configuration;
use capgen_time::{Clock as _, SystemClock};
use clap::{Args, Subcommand};

use super::log::LogAddress;
use super::{append, config, explain, find, fold, key, merge, monitor, register, snapshot, step, tail, verify, watch};
use crate::failure::Failure;

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
    Register(register::Register),
    /// Add events to a log
    Append(append::Append),
    /// Print the state of the registry after the events of a log
    Fold(fold::FoldOptions),
    /// Join the states of several logs
    Merge(merge::Merge),
    /// List registrations by capability, tag or determinism class
    Find(find::Find),
    /// Choose the agent that a call goes to
    #[command(after_help = explain::RESOLVE_HELP)]
    Resolve(explain::Resolve),
    /// Explain the choice: why each candidate was removed, and which step decided
    #[command(after_help = explain::EXPLAIN_HELP)]
    Explain(explain::Resolve),
    /// Process a log as the kernel does: answer requests, and report invalid events
    Step(step::Step),
    /// Write the state to a file, from which later runs start
    Snapshot(snapshot::Snapshot),
    /// Print the last events of a log, and new ones as they come
    Tail(tail::Tail),
    /// Show agents, health and invocations as events come
    Watch(watch::Watch),
    /// Report agents that stopped sending heartbeats, and invocations that take too long
    Monitor(monitor::Monitor),
    /// Print the public key of a secret
    Key(key::Key),
    /// Check that no row of a log was changed or removed
    Verify(verify::Verify),
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

impl Source {
    /// The configuration; without a file, the default.
    ///
    /// # Errors
    ///
    /// Those of [`config::read`].
    pub(super) fn configuration(&self) -> Result<Arc<Configuration>, Failure> {
        config::read(self.config.as_deref())
    }
}

/// The time of a run.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Now {
    /// The time, in Unix ms [default: that of the clock]
    #[arg(long, value_name = "MS", hide = true)]
    now: Option<u64>,
}

impl Now {
    /// The time in Unix ms. That of the clock advances during a run.
    pub(super) fn ms(self) -> u64 {
        self.now.unwrap_or_else(|| SystemClock.now_ms())
    }
}
