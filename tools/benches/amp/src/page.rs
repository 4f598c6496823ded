//! Pages of a query over 100,000 versions of one capability.

use std::sync::Arc;
use std::time::{Duration, Instant};

use capgen_amp::body::{Body, CapQuery, Filter};
use capgen_amp::catalogue::Catalogue;
use capgen_amp::cbor::Limits;
use capgen_amp::message::{Keys, decode_message};
use capgen_amp::provider::{CacheLimits, Input, Output, State, Ticket};
use capgen_amp::requester::Requester;

use crate::invocation::{NAME, contract, provider};
use crate::wire::{NOW, did, key, keys};

const VERSIONS: u32 = 100_000;
const LIMIT: u64 = 100;

/// Prints the cost of pages by their number: the minimum over several runs through all pages.
pub fn print() {
    let prototype = contract("0.0.0");
    let contracts = (0..VERSIONS).map(|number| {
        let mut contract = prototype.clone();
        contract.descriptor.id = format!("{NAME}:{}.{}.0", number / 1000, number % 1000).parse().expect("an id");
        contract
    });
    let catalogue = Arc::new(Catalogue::new(contracts.collect()).expect("a catalogue"));
    let pages = VERSIONS / LIMIT as u32;
    let mut least = vec![Duration::MAX; pages as usize];
    for _ in 0..3 {
        run(&catalogue, &mut least);
    }
    println!("\n| page of {pages}, {LIMIT} descriptors each | µs |\n|---|---|");
    let average = |from: usize| least[from..from + 10].iter().sum::<Duration>().as_secs_f64() * 1e6 / 10.0;
    for from in [0, 99, 499, 990] {
        println!("| {} to {} | {:.0} |", from + 1, from + 10, average(from));
    }
}

fn run(catalogue: &Arc<Catalogue>, least: &mut [Duration]) {
    let provider = provider();
    let mut state = State::new(Arc::clone(catalogue), CacheLimits::default());
    let requester = Requester::new(did("alice"), key("alice"), Arc::new(keys()));
    let known: Keys = keys();
    let filter = Filter { capability: Some(NAME.parse().expect("a name")), type_alias: None, version: None };
    let mut query = CapQuery { limit: Some(LIMIT), ..CapQuery::new(filter) };
    for (number, least) in least.iter_mut().enumerate() {
        let exchange = requester.query(did("provider"), &query, 60_000, NOW, (number as u64).to_be_bytes());
        let bytes = exchange.bytes();
        let start = Instant::now();
        let input = Input::Message { bytes: &bytes, ticket: Ticket(0), principal: None };
        let mut outputs = provider.step(&mut state, input, NOW).expect("possible");
        *least = (*least).min(start.elapsed());
        let Some(Output::Send { message, .. }) = outputs.pop() else { panic!("{outputs:?}") };
        let message = decode_message(&message, &Limits::default()).and_then(|message| message.verify(&known));
        let message = message.expect("a message");
        let body = Body::read(message.kind, &message.body, &capgen_amp::Aliases::default()).expect("a body");
        let Body::Declare(declare) = body else { panic!("{body:?}") };
        assert_eq!(declare.capabilities.len() as u64, LIMIT);
        query.cursor = declare.cursor;
    }
    assert_eq!(query.cursor, None, "the last page has no cursor");
}
