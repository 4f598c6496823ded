//! Changes of the order in a file.

use super::{COMPARE, versions};
use crate::common::REVIEWER;

#[test]
fn the_order_of_the_values_of_an_enum_is_risky() {
    let fleet = versions(REVIEWER, &REVIEWER.replace("low, med, high", "high, med, low"));
    let run = fleet.run(&format!("{COMPARE} --fail-on risky")).ended(1);
    assert!(run.stderr.contains("W0708"), "{run:?}");
    assert!(run.stderr.contains("now comes before `\"low\"`"), "{run:?}");
}

#[test]
fn the_order_of_keys_is_not_reported() {
    let (first, second) = ("        prUrl: ", "        severity: ");
    let line = |start: &str| REVIEWER.lines().find(|line| line.starts_with(start)).unwrap();
    let declared = format!("{}\n{}\n", line(first), line(second));
    let sorted = format!("{}\n{}\n", line(second), line(first));
    assert!(REVIEWER.contains(&declared), "{REVIEWER}");
    let fleet = versions(REVIEWER, &REVIEWER.replace(&declared, &sorted));
    let run = fleet.run(&format!("{COMPARE} --fail-on cosmetic")).ended(0);
    assert!(!run.stderr.contains("W07") && !run.stderr.contains("N07"), "{run:?}");
}
