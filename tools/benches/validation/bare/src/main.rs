//! One round as a separate program: prints the nanoseconds for each payload, one per line.

use std::time::Duration;

use bare::{calibrate, nanoseconds};
use payloads::Case;
use serde::de::DeserializeOwned;

fn main() {
    print::<bare::Ticket>(&payloads::FLAT);
    print::<bare::Report>(&payloads::FINDINGS);
    print::<bare::Stream>(&payloads::UNION);
    print::<bare::Catalogue>(&payloads::ENUMS);
    print::<bare::Node>(&payloads::TREE);
}

fn print<T: DeserializeOwned>(case: &Case) {
    let run = || serde_json::from_slice::<T>(case.payload).expect("the payload fits");
    let runs = calibrate(Duration::from_millis(4), run);
    let least = (0..3).map(|_| nanoseconds(runs, run)).fold(f64::INFINITY, f64::min);
    println!("{least}");
}
