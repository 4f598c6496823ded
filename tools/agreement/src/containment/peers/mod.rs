//! The implementations that are compared.

mod capgen;
mod jsoncompat;
mod jsonschema;
mod jsonsubschema;

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use capgen_tests::Failure;
use serde_json::Value;

pub use self::capgen::Capgen;
pub use self::jsoncompat::JsonCompat;
pub use self::jsonschema::Covers;
pub use self::jsonsubschema::JsonSubschema;
use super::{Decision, Question};

/// The longest time that a peer gets for a question.
const TIME: Duration = Duration::from_secs(10);
/// Peers recurse on the call stack.
const STACK: usize = 64 << 20;

/// The answers of a peer that is a function of two schemas.
fn each(questions: &[Question], decide: fn(&Value, &Value) -> Decision) -> Result<Vec<Decision>, Failure> {
    questions
        .iter()
        .map(|question| {
            let (smaller, larger) = (serde_json::from_str(&question.smaller)?, serde_json::from_str(&question.larger)?);
            Ok(limited(move || decide(&smaller, &larger)))
        })
        .collect()
}

/// The answer, unless it takes too long or the peer panics. A thread that takes too long is left behind.
fn limited(decide: impl FnOnce() -> Decision + Send + 'static) -> Decision {
    let (sender, receiver) = mpsc::channel();
    let spawned = thread::Builder::new().stack_size(STACK).spawn(move || sender.send(decide()));
    if let Err(error) = spawned {
        return Decision::Undecided(error.to_string());
    }
    match receiver.recv_timeout(TIME) {
        Ok(decision) => decision,
        Err(mpsc::RecvTimeoutError::Timeout) => {
            Decision::Undecided(format!("no answer after {} seconds", TIME.as_secs()))
        }
        Err(mpsc::RecvTimeoutError::Disconnected) => Decision::Undecided("panics".to_owned()),
    }
}
