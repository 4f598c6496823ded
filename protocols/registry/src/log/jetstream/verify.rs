//! Checking every message of a stream.

use crate::log::{Broken, BrokenReason, Chains, Heads, Verification};

use super::engine::Engine;
use super::message::Stored;
use super::problem::OperationError;
use super::reader::BATCH;

/// Reads the whole stream again, and computes the hashes of its rows.
pub(super) async fn verify(engine: &mut Engine, expect: Option<&Heads>) -> Result<Verification, OperationError> {
    let last = engine.known_end().await?;
    let mut scan = Scan { chains: Chains::new(expect), first_broken: None };
    let mut after = 0;
    while after < last {
        for message in engine.fetch(after, last, BATCH).await? {
            if message.sequence > last {
                break;
            }
            let next = after + 1;
            if message.sequence != next {
                return Err(OperationError::Lasting(format!("its message {next} is missing")));
            }
            after = next;
            scan.message(engine, &message)?;
        }
    }
    Ok(scan.finish())
}

struct Scan {
    chains: Chains,
    first_broken: Option<Broken>,
}

impl Scan {
    fn message(&mut self, engine: &Engine, message: &Stored) -> Result<(), OperationError> {
        let known = engine.contents.row(message.sequence);
        let (row, event) = match (known, message.event()) {
            (Some(row), Some(event)) => (row, event),
            // Someone else has published it. But only logs give messages such ids.
            (None, None) if !message.has_id_of_log() => return Ok(()),
            _ => return Err(OperationError::Lasting(format!("its message {} is damaged", message.sequence))),
        };
        let partition = event.partition();
        let hash = self.chains.push(partition, event.text());
        if !message.is_of(&event) || row.hash != hash {
            let (offset, reason) = (row.offset, BrokenReason::Event);
            self.first_broken.get_or_insert_with(|| Broken { partition: partition.to_owned(), offset, reason });
        }
        Ok(())
    }

    fn finish(self) -> Verification {
        let mut verification = self.chains.finish();
        if let Some(broken) = self.first_broken {
            verification.ok = false;
            verification.first_broken = Some(broken);
        }
        verification
    }
}
