//! The inputs and outputs of a provider.

use std::fmt;
use std::sync::Arc;

use capgen_manifest::Side;
use capgen_schema::{Hash, Violations};

use super::receive::Received;
use super::record::Record;
use crate::body::NameOrType;
use crate::catalogue::Catalogue;
use crate::cbor::Value;
use crate::code::Code;
use crate::message::{Did, MessageId, Rejection};
use crate::negotiate::Rule;
use crate::version::CapabilityId;

/// Where the answer to a message goes: a number that the program chooses, such as that of a connection. It may be used
/// more than once.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ticket(pub u64);

/// An accepted invocation, counted from 0 by each [`State`](super::State).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct InvocationId(pub(super) u64);

/// An event for a provider.
#[derive(Clone, Debug)]
pub enum Input<'a> {
    /// A message was received.
    Message {
        /// The whole message.
        bytes: &'a [u8],
        /// Where the answer goes.
        ticket: Ticket,
        /// The sender as the transport has authenticated it, if it has. It must be the sender of the message.
        principal: Option<&'a Did>,
    },
    /// A message was received, and [verified](super::Provider::verify) at this time.
    Verified {
        /// The message.
        received: Received,
        /// Where the answer goes.
        ticket: Ticket,
        /// The sender as the transport has authenticated it, if it has. It must be the sender of the message.
        principal: Option<&'a Did>,
    },
    /// A handler has ended.
    Finished {
        /// The invocation.
        invocation: InvocationId,
        /// How it ended.
        outcome: HandlerOutcome,
    },
    /// The record of an accepted invocation could not be written, and its handler was not run.
    NotStored {
        /// The invocation.
        invocation: InvocationId,
    },
    /// Time has passed: ends invocations whose deadline is over, and forgets expired answers.
    Tick,
    /// Other capabilities are published from now on. Pages of queries that have started are read from the former ones.
    Publish(Arc<Catalogue>),
    /// No new work is started. Running invocations have time until `until`, in Unix ms; then they end with 5002.
    Shutdown {
        /// The end of the time for running invocations.
        until: u64,
    },
}

/// How a handler ended.
#[derive(Clone, PartialEq, Debug)]
pub enum HandlerOutcome {
    /// With a result, as a JSON text. The provider checks it by the published schema.
    Success(Vec<u8>),
    /// With a result, as a JSON text that the executor has checked. If it was by the published schema, the provider
    /// relies on that.
    Checked {
        /// The result.
        result: Vec<u8>,
        /// The [hash](capgen_schema::Schema::hash) of the schema by which it was checked.
        schema: Hash,
    },
    /// With a failure. The caller gets both texts.
    Failure {
        /// A code for programs, such as `PR_NOT_FOUND`.
        code: String,
        /// The message.
        message: String,
        /// Whether the same invocation may succeed later.
        retryable: bool,
        /// More about the failure. Those of a declared error conform to its schema: the executor checks them.
        details: Option<Box<Value>>,
    },
    /// With a failure whose details violate the schema that the contract declares for them. The caller gets the code
    /// and the message, without details.
    InvalidDetails {
        /// A code for programs.
        code: String,
        /// The message.
        message: String,
        /// The violations, without values. For the log.
        violations: Violations,
    },
    /// A payload violates the schema of the handler's own contract. The caller gets 5001 without the violations.
    Invalid {
        /// The side of the payload.
        side: Side,
        /// The violations, without values. For the log.
        violations: Violations,
    },
    /// With a panic. The caller does not get its message.
    Panic,
    /// There is no handler for this capability.
    Missing,
}

/// An action that a program takes for a provider.
#[derive(Clone, Debug)]
pub enum Output {
    /// Write this fact into the [store](super::Store), before the outputs after it. Only with
    /// [`State::write_records`](super::State::write_records).
    Record(Record),
    /// Send this message.
    Send {
        /// The ticket of the message that it answers.
        ticket: Ticket,
        /// The whole message.
        message: Arc<[u8]>,
    },
    /// Run a handler.
    Start(Box<Start>),
    /// Stop a handler: its invocation has ended. Its outcome is ignored.
    Stop(InvocationId),
    /// A message has no answer, because nothing proves its sender.
    Rejected {
        /// The ticket of the message.
        ticket: Ticket,
        /// The reason.
        rejection: Rejection,
    },
    /// A message has no answer, because its type has none.
    Ignored {
        /// The ticket of the message.
        ticket: Ticket,
    },
    /// The result of a handler violates the output schema; the caller gets 5001 without them (decision 12). For the
    /// log.
    InvalidResult {
        /// The capability.
        id: CapabilityId,
        /// The violations, without values.
        violations: Violations,
    },
    /// An accepted invocation has ended. Only with [`State::report_ends`](super::State::report_ends).
    Ended {
        /// The invocation.
        invocation: InvocationId,
        /// The number of messages after this output that are its result: one for it, and one for each duplicate.
        answers: usize,
        /// How it ended.
        end: InvocationEnd,
    },
    /// An invocation is refused: the message after this output is its answer. Only with
    /// [`State::report_ends`](super::State::report_ends).
    Refused(Box<RefusedInvocation>),
    /// Every invocation has ended after a [shutdown](Input::Shutdown).
    Drained,
}

/// An invocation whose handler is to be run.
#[derive(Clone, Debug)]
pub struct Start {
    /// The number to state when the handler has ended.
    pub invocation: InvocationId,
    /// The sender, whose signature was verified.
    pub caller: Did,
    /// The id of the message.
    pub message: MessageId,
    /// The version that was selected.
    pub id: CapabilityId,
    /// The rule that selected it.
    pub rule: Rule,
    /// The parameters, as a JSON text that was checked by the published schema.
    pub params: String,
    /// The time at which the invocation ends with 5003, in Unix ms.
    pub deadline: u64,
}

/// How an accepted invocation ended.
#[derive(Clone, PartialEq, Default, Debug)]
#[non_exhaustive]
pub struct InvocationEnd {
    /// The error that the caller gets; `None` for a result.
    pub code: Option<Code>,
    /// The code of the handler's failure, if the handler failed by itself.
    pub failure: Option<String>,
    /// The payload that violates its schema, if there is one: the published schema, or that of the handler's own
    /// contract. The violations have no values.
    pub invalid: Option<(Side, Violations)>,
}

/// An invocation that is refused before it runs.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct RefusedInvocation {
    /// The sender, whose signature was verified.
    pub caller: Did,
    /// The id of the message.
    pub message: MessageId,
    /// The time at which the message expires, in Unix ms.
    pub expires: u64,
    /// The capability that it asks for; `None` if its body has none.
    pub asked: Option<NameOrType>,
    /// The version that was selected, if one was.
    pub id: Option<CapabilityId>,
    /// The error that the caller gets.
    pub code: Code,
    /// Why the caller may not invoke it, if that is the reason. The caller does not learn it.
    pub denied: Option<String>,
    /// The violations of `params`, without values.
    pub violations: Option<Violations>,
    /// The time since the message was verified, in ms.
    pub latency_ms: u64,
}

/// An input that no program can have: nothing changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Impossible {
    /// An outcome of an invocation that was never started.
    UnknownInvocation(InvocationId),
}

impl fmt::Display for Impossible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownInvocation(InvocationId(number)) => write!(f, "invocation {number} was never started"),
        }
    }
}

impl std::error::Error for Impossible {}
