//! One agent cannot harm others.
//!
//! ```sh
//! CAPGEN_LOG_FLOOD=1000000 cargo test --release -p capgen-registry --test it logs::bounds -- --nocapture
//! ```

use std::sync::Arc;

use capgen_registry::log::{AppendResult, Log as _, MemoryLog};
use capgen_registry::{Checker, Event, Restored};
use serde_json::json;

use crate::logs::{NOW, number};
use crate::support::{config, registered};

#[test]
fn a_flood_of_one_agent_is_bounded_and_does_not_affect_others() {
    let checker = Arc::new(Checker::new(config(&json!({"quota": 100}))));
    let mut log = MemoryLog::new(checker.clone());
    let own = registered("quiet", 0, "core.text.count", "1.0.0", json!({}));
    assert!(log.append(&[own], &NOW).unwrap()[0].is_ok());
    let (flood, mut stored) = (number("CAPGEN_LOG_FLOOD", 5_000), 0);
    for first in (0..flood).step_by(500) {
        let event = |number: usize| {
            let capability =
                if number.is_multiple_of(3) { format!("invalid{number}") } else { format!("core.text.number{number}") };
            registered("loud", u64::try_from(number % 1000).unwrap(), &capability, "1.0.0", json!({}))
        };
        let events: Vec<Event> = (first..flood.min(first + 500)).map(event).collect();
        let is_stored = |result: &AppendResult| result.as_ref().is_ok_and(|appended| appended.duplicate_of.is_none());
        stored += log.append(&events, &NOW).unwrap().iter().filter(|result| is_stored(result)).count();
    }
    println!("{flood} events, of which {stored} were stored");
    // 100 subjects, and 100 invalid events within the minute.
    assert_eq!(stored, 200);
    let (mut restored, _) = Restored::start(&mut log, None, checker).unwrap();
    assert_eq!(restored.registry().view().overview().registrations.len(), 101);
    let another = registered("quiet", 1, "core.text.count", "1.1.0", json!({}));
    assert!(log.append(&[another], &NOW).unwrap()[0].is_ok());
}

#[test]
fn an_event_of_ten_megabytes_is_rejected() {
    let large = registered("a", 0, "core.text.count", "1.0.0", json!({"tags": ["x".repeat(10 << 20)]}));
    for (ending, open) in crate::logs::FILES {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("log.{ending}"));
        let mut log = open(&path, crate::logs::checker()).unwrap();
        assert_eq!(
            log.append(std::slice::from_ref(&large), &NOW).unwrap()[0].as_ref().unwrap_err().reason(),
            "envelope"
        );
        assert!(std::fs::metadata(&path).unwrap().len() < 1 << 20);
    }
}
