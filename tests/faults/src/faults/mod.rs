//! The rows of the table of faults, each with the code that makes it happen.

mod broker;
mod clocks;
mod connections;
mod limits;
mod messages;
mod providers;
mod responses;

use std::ops::RangeInclusive;
use std::time::Duration;

use capgen::call::{Retry, Status, code};

use crate::table::{Cell, Expected, Row};

/// Calls a macro with the names of all faults, in the order of the page.
#[macro_export]
macro_rules! each_fault {
    ($then:ident) => {
        $then! {
            messages: timeout, late_reply, lost_request, lost_request_retried, lost_reply, lost_reply_retried, duplicate_request,
                duplicate_request_with_key, duplicate_reply, reordered_requests, reordered_replies, wrong_correlation_id,
                forged_reply_first;
            connections: caller_cut_before_response, caller_cut_during_response, caller_cut_during_response_retried,
                provider_cut_before_response, provider_cut_after_response;
            broker: broker_restarted, broker_down_during_response, broker_down_during_response_retried, broker_down,
                broker_down_retried;
            providers: no_provider, provider_killed, provider_killed_retried, shutdown_with_patience, shutdown_at_once,
                caller_closes;
            limits: busy_provider, stalled_provider, oversize_request, oversize_response;
            responses: invalid_response, unchecked_response, broken_reply;
            clocks: provider_ahead, provider_far_ahead, provider_far_ahead_allowed, provider_behind, provider_far_behind,
                signed_provider_ahead, signed_provider_far_ahead, signed_provider_behind, signed_provider_far_behind;
        }
    };
}

macro_rules! table {
    ($($module:ident: $($name:ident),*;)*) => {
        /// The table of faults.
        pub const TABLE: &[fn() -> Row] = &[$($($module::$name),*),*];
    };
}

each_fault!(table);

fn ends(status: Status, code: Option<&'static str>, runs: RangeInclusive<u32>) -> Cell {
    Cell::Ends(Expected { status, code, runs })
}

/// Retries that send a request again if it has no answer for a share of the time. A client that does not know its peer
/// yet notices lost messages only so.
fn retries(attempts: u32, limit: Duration) -> Retry {
    Retry::attempts(attempts).attempt_timeout(limit / attempts.max(1))
}

/// The call succeeds.
fn ok(runs: u32) -> Cell {
    ends(Status::Ok, None, runs..=runs)
}

/// The call ends at its deadline.
fn timeout(runs: u32) -> Cell {
    ends(Status::Timeout, Some(code::TIMEOUT), runs..=runs)
}

/// The call ends with an error.
fn error(code: &'static str, runs: u32) -> Cell {
    ends(Status::Error, Some(code), runs..=runs)
}

/// The fault does not exist.
fn none(reason: &'static str) -> Cell {
    Cell::Meaningless(reason)
}

/// The same cell for all transports.
fn all(cell: &Cell) -> [Cell; 3] {
    [cell.clone(), cell.clone(), cell.clone()]
}

/// A row with a scenario that is an async function.
macro_rules! row {
    ($name:ident, $meaning:literal, $cells:expr, $scenario:expr) => {
        /// A row of the table.
        pub(super) fn $name() -> $crate::table::Row {
            $crate::table::Row {
                name: stringify!($name),
                meaning: $meaning,
                cells: $cells,
                scenario: |world| Box::pin($scenario(world)),
            }
        }
    };
}
use row;

/// The reason for the transport `memory`.
const NO_CONNECTION: &str = "a connection inside a program cannot be cut";
/// The reason for the transport `memory`.
const NO_BROKER: &str = "the broker ends only with the program";
