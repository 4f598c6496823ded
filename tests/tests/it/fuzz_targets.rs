//! A short, deterministic run of every fuzz target on a small corpus with random changes.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use capgen_amp::cbor::{Limits, decode, encode};
use capgen_amp::message::decode_message;
use capgen_registry::{Configuration, Event, Fold};
use capgen_tests::agreement::fixture;
use capgen_tests::fuzz;
use capgen_tests::random::Random;
use capgen_tests::registry_events::{events, with_replacements};

/// The texts that a change may insert: tokens of the grammars of JSON, YAML and schemas.
const TOKENS: [&str; 30] = [
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "\\u0000",
    "\\ud800",
    "null",
    "1e400",
    "-0.0",
    "9007199254740993",
    "\n",
    "  ",
    "- ",
    "&a ",
    "*a",
    "!!str ",
    "|",
    "#",
    "---\n",
    "~",
    "\u{feff}",
    "😀",
    "\"$ref\": ",
    "\"type\": ",
    "\"enum\": ",
    "\"__proto__\": ",
    "\"pattern\": \"(?!\"",
];

/// The bytes that a change may insert into CBOR: heads with their arguments, and whole data items.
const CBOR_TOKENS: [&[u8]; 30] = [
    &[0x18, 0x17],
    &[0x18],
    &[0x19, 0x01],
    &[0x1b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    &[0x3b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    &[0x5f],
    &[0x41, 0x00],
    &[0x5b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    &[0x61, 0x76],
    &[0x62, 0xc3, 0xa9],
    &[0x61, 0xff],
    &[0x80],
    &[0x81, 0x81, 0x81, 0x81],
    &[0x9a, 0x00, 0x0f, 0xff, 0xff],
    &[0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    &[0x9f],
    &[0xa0],
    &[0xa1, 0xf6],
    &[0xbf],
    &[0xc2, 0x41, 0x01],
    &[0xdb, 0x01, 0, 0, 0, 0, 0, 0, 0],
    &[0xf7],
    &[0xf8, 0x20],
    &[0xf8, 0x18],
    &[0xf9, 0x7e, 0x00],
    &[0xf9, 0x7e, 0x01],
    &[0xfa, 0x7f, 0x80, 0x00, 0x00],
    &[0xfb, 0x3f, 0xf1, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9a],
    &[0xff],
    &[0xfc],
];

/// The texts that a change may insert into the contract of a skill.
const CONTRACT_TOKENS: [&[u8]; 25] = [
    b"DCI/1",
    b"^strict",
    b" P(",
    b" A(k=",
    b" Provides(",
    b" Rt(*)",
    b" M(a*)",
    b" Pol(max-candidates=2)",
    b" x(",
    b")",
    b"(",
    b",",
    b"=",
    b"\\",
    b"\\ ",
    b"\\)",
    b"\\=",
    b" ",
    b"\t",
    b"\n",
    b"-",
    b"*",
    b"Key",
    b"\xc3\xa9",
    b"\x1b",
];

/// The texts that a change may insert into messages of MCP, and into streams of events.
const MCP_TOKENS: [&[u8]; 24] = [
    b"data: ",
    b"data:",
    b"\n",
    b"\r",
    b"\r\n\r\n",
    b"id: 1\n",
    b": ",
    b"\xef\xbb\xbf",
    b"\xff",
    b"[",
    b"]",
    b"{",
    b"}",
    b",",
    b"null",
    b"1e300",
    b"\"\\u0000\"",
    b"\"\\ud800\"",
    b"\"id\":",
    b"\"method\":",
    b"\"params\":",
    b"\"result\":",
    b"\"error\":",
    b"\"_meta\":",
];

/// Runs a target on every seed and on changed seeds.
fn run(seeds: &[Vec<u8>], changes: usize, target: fn(&[u8])) {
    let tokens: Vec<&[u8]> = TOKENS.iter().map(|token| token.as_bytes()).collect();
    run_with(&mut Random::new(1), seeds, &tokens, changes, target);
}

fn run_with(random: &mut Random, seeds: &[Vec<u8>], tokens: &[&[u8]], changes: usize, target: fn(&[u8])) {
    assert!(!seeds.is_empty());
    seeds.iter().for_each(|seed| target(seed));
    for _ in 0..changes {
        let mut bytes = seeds[random.below(seeds.len())].clone();
        for _ in 0..1 + random.below(4) {
            change(random, &mut bytes, seeds, tokens);
        }
        target(&bytes);
    }
}

fn change(random: &mut Random, bytes: &mut Vec<u8>, seeds: &[Vec<u8>], tokens: &[&[u8]]) {
    let at = random.below(bytes.len() + 1);
    let end = (at + random.below(12)).min(bytes.len());
    match random.below(7) {
        0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        1 => drop(bytes.drain(at..end)),
        2 => drop(bytes.splice(at..at, bytes[at..end].to_vec())),
        3 => bytes.truncate(at),
        4 => {
            let other = &seeds[random.below(seeds.len())];
            let from = random.below(other.len() + 1);
            bytes.truncate(at);
            bytes.extend_from_slice(&other[from..]);
        }
        _ => drop(bytes.splice(at..at, random.pick(tokens).iter().copied())),
    }
}

fn fixtures() -> Vec<(String, Vec<String>)> {
    fixture::fixtures().unwrap().into_iter().map(|fixture| (fixture.pair.schema, fixture.pair.payloads)).collect()
}

#[test]
fn arbitrary_contracts_load_or_are_rejected() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let paths = std::fs::read_dir(cases).unwrap().map(|entry| entry.unwrap().path().join("capabilities.yaml"));
    let mut seeds: Vec<Vec<u8>> = paths.map(|path| std::fs::read(path).unwrap()).collect();
    seeds.sort();
    run(&seeds, 1_500, fuzz::manifest);
}

#[test]
fn arbitrary_schemas_load_or_are_rejected() {
    let seeds: Vec<Vec<u8>> = fixtures().into_iter().map(|(schema, _)| schema.into_bytes()).collect();
    run(&seeds, 5_000, fuzz::schema);
}

#[test]
fn generated_types_and_the_interpreter_agree_on_arbitrary_payloads() {
    let mut random = Random::new(7);
    let ours = fuzz::schemas().into_iter().flat_map(|schema| random.payloads(&schema, 12));
    let seeds: Vec<String> = ours.chain(fixtures().into_iter().flat_map(|(_, payloads)| payloads)).collect();
    let seeds: Vec<Vec<u8>> = seeds.into_iter().map(String::into_bytes).collect();
    run(&seeds, 5_000, fuzz::payload);
}

/// `CAPGEN_INPUTS` sets the number of inputs; `docs/agreement.md` has the command of a long run.
#[test]
fn arbitrary_bytes_are_read_as_messages_or_rejected() {
    static COUNTS: [AtomicUsize; 3] = [const { AtomicUsize::new(0) }; 3];
    let target: fn(&[u8]) = |bytes| {
        fuzz::message(bytes);
        let limits = Limits::default();
        let is_met = [true, decode(bytes, &limits).is_ok(), decode_message(bytes, &limits).is_ok()];
        for (count, is_met) in COUNTS.iter().zip(is_met) {
            count.fetch_add(usize::from(is_met), Relaxed);
        }
    };
    let count = count_of_inputs();
    let mut random = Random::new(3);
    while COUNTS[0].load(Relaxed) < count {
        let messages: Vec<Vec<u8>> = (0..150).map(|_| random.message()).collect();
        let values: Vec<Vec<u8>> = (0..100).map(|_| encode(&random.cbor(4))).collect();
        let nested = (126..=129).map(|depth| [vec![0x81; depth], vec![0xf6]].concat());
        let seeds: Vec<Vec<u8>> = messages.into_iter().chain(values).chain(nested).collect();
        run_with(&mut random, &seeds, &CBOR_TOKENS, 700, target);
        for _ in 0..50 {
            let bytes: Vec<u8> = (0..random.below(64)).map(|_| random.below(256) as u8).collect();
            target(&bytes);
        }
    }
    let [inputs, decoded, messages] = COUNTS.each_ref().map(|count| count.load(Relaxed));
    eprintln!("{inputs} inputs, {decoded} of which are deterministic CBOR, {messages} of which are messages");
    assert!(decoded > inputs / 4 && messages > inputs / 20, "the inputs have too many errors to test much");
}

/// `CAPGEN_INPUTS` sets the number of inputs; `docs/agreement.md` has the command of a long run.
#[test]
fn arbitrary_bodies_are_read_or_rejected() {
    let mut random = Random::new(5);
    let (mut inputs, mut accepted) = (0, 0);
    while inputs < count_of_inputs() {
        let bodies = random.bodies(4_000);
        accepted += bodies.iter().map(|body| fuzz::body(body)).sum::<usize>();
        run_with(&mut random, &bodies[..500], &CBOR_TOKENS, 1_000, |bytes| {
            fuzz::body(bytes);
        });
        inputs += bodies.len() + 1_500;
    }
    eprintln!("{inputs} inputs, {accepted} bodies without errors");
    assert!(accepted > inputs / 10, "the inputs have too many errors to test much");
}

fn count_of_inputs() -> usize {
    std::env::var("CAPGEN_INPUTS").ok().and_then(|count| count.parse().ok()).unwrap_or(5_000)
}

#[test]
fn arbitrary_policies_are_read_or_rejected() {
    let full = r#"{"default": "deny", "rules": [{"caller": "did:web:a#key", "capability": "a.b.c", "version": "<2.0.0", "effect":
        "allow"}, {"caller": "*", "effect": "deny"}], "mode": "bridge", "aliases": {"c": "a.b.c"}, "adapters": [{"capability":
        "a.b.c", "from": "1.0.0", "to": "2.0.0", "unchecked": true}]}"#;
    let seeds = [full, "{}", r#"{"default": "allow", "rules": [{}], "mode": "x", "alias": 1}"#];
    run(&seeds.map(|seed| seed.as_bytes().to_vec()), 5_000, fuzz::policy);
}

/// `CAPGEN_INPUTS` sets the number of inputs.
#[test]
fn arbitrary_events_are_checked_folded_and_answered() {
    static VALID: AtomicUsize = AtomicUsize::new(0);
    run(
        &with_replacements(&events()).into_iter().map(String::into_bytes).collect::<Vec<_>>(),
        count_of_inputs() / 2,
        |bytes| {
            VALID.fetch_add(usize::from(fuzz::event(bytes)), Relaxed);
        },
    );
    eprintln!("{VALID:?} inputs are valid");
    assert!(VALID.load(Relaxed) > 100, "the inputs have too many errors to test much");
}

/// `CAPGEN_INPUTS` sets the number of inputs.
#[test]
fn arbitrary_states_of_the_registry_are_read_or_rejected() {
    static VALID: AtomicUsize = AtomicUsize::new(0);
    let config = Configuration::parse(fuzz::REGISTRY_CONFIG.as_bytes()).unwrap();
    let mut fold = Fold::new(config.into());
    let mut states = Vec::new();
    for event in events() {
        fold.event(&Event::parse(event.as_bytes()).unwrap());
        states.push(fold.registry().state().to_json());
    }
    run(
        &with_replacements(&states).into_iter().map(String::into_bytes).collect::<Vec<_>>(),
        count_of_inputs() / 2,
        |bytes| {
            VALID.fetch_add(usize::from(fuzz::registry_state(bytes).is_some()), Relaxed);
        },
    );
    eprintln!("{VALID:?} inputs are valid");
    assert!(VALID.load(Relaxed) > 50, "the inputs have too many errors to test much");
}

#[test]
fn arbitrary_configurations_of_the_registry_are_read_or_rejected() {
    let seeds = [fuzz::REGISTRY_CONFIG, "{}", r#"{"monitors": [null, {}], "keys": {"a": {"k": "AA=="}}, "quota": -1}"#];
    run(&seeds.map(|seed| seed.as_bytes().to_vec()), 5_000, fuzz::registry_config);
}

/// `CAPGEN_INPUTS` sets the number of inputs.
#[test]
fn arbitrary_contracts_of_skills_are_read() {
    static VALID: AtomicUsize = AtomicUsize::new(0);
    let seeds = [
        "DCI/1^strict P(option-evaluation) E(evaluation-criteria) A(output-format=json,output-template=raw) R(web-search) O(critical-thinking) \
         Rt(copilot,cli) M(openai/gpt-5*) Pol(min-total-score=0.45,on-missing-required=offer-emulation)",
        "DCI/1 Provides(A,b) A(a=b\\ c\\=\\\\,d=\\(e\\)) D(x) R(y)R(z)",
        "DCI/1^best-effort\tP( a , b ) X(q) nonsense P() (a (b)) Pol(x=1)",
        "DCI/1 P(a)",
        "DCI/1 A(k=a\\ b\\,c) M(*)",
    ];
    let seeds = seeds.map(|seed| seed.as_bytes().to_vec());
    run_with(&mut Random::new(5), &seeds, &CONTRACT_TOKENS, count_of_inputs(), |bytes| {
        VALID.fetch_add(usize::from(fuzz::skill_contract(bytes)), Relaxed);
    });
    eprintln!("{VALID:?} inputs are readable in strict");
    assert!(VALID.load(Relaxed) > 100, "the inputs have too many errors to test much");
}

/// The messages of MCP servers, and events with them.
const SERVER_SENDS: [&str; 9] = [
    r#"{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"resultType":"complete"}}"#,
    r#"{"jsonrpc":"2.0","id":"1","result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"a"}}}"#,
    r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"},"outputSchema":{}}],"nextCursor":"2"}}"#,
    r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"\u0007"}],"structuredContent":{"a":1.50},"isError":false}}"#,
    r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no","data":[[]]}}"#,
    r#"{"jsonrpc":"2.0","id":1e3,"method":"roots/list"}"#,
    r#"[{"jsonrpc":"2.0","method":"notifications/message","params":{"a":[]}},{"jsonrpc":"2.0","id":2,"result":{}},3]"#,
    "event: message\nid: 7\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"id\":1,\"result\":{}}\n\n: more\n\n",
    "data:[]\r\rdata: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1}}\r\n\r\nretry: 5\n\ndata\n\n",
];

/// The lines of MCP clients, which agree on a revision by a handshake or state it in each request.
const CLIENT_SENDS: [&str; 6] = [
    concat!(
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{}}}"#,
        "\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n",
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"say","arguments":{"a":[1.50,"\u0000"]}}}"#,
    ),
    concat!(
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}"#,
        "\n",
        r#"[{"jsonrpc":"2.0","id":2,"method":"tools/list"},{"jsonrpc":"2.0","id":3,"method":"ping"},{}]"#,
        "\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":2}}\n",
    ),
    r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
    r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"say","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
    r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
    "\n \n{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}\nno\n[]\n",
];

/// `CAPGEN_INPUTS` sets the number of inputs.
#[test]
fn arbitrary_streams_of_mcp_servers_are_read() {
    static ACCEPTED: AtomicUsize = AtomicUsize::new(0);
    let seeds = SERVER_SENDS.map(|seed| seed.as_bytes().to_vec());
    run_with(&mut Random::new(11), &seeds, &MCP_TOKENS, count_of_inputs(), |bytes| {
        ACCEPTED.fetch_add(fuzz::mcp_client(bytes), Relaxed);
    });
    eprintln!("{ACCEPTED:?} results are accepted");
    assert!(ACCEPTED.load(Relaxed) > 100, "the inputs have too many errors to test much");
}

/// `CAPGEN_INPUTS` sets the number of inputs.
#[test]
fn arbitrary_lines_of_mcp_clients_are_answered() {
    static RESULTS: AtomicUsize = AtomicUsize::new(0);
    let seeds = CLIENT_SENDS.map(|seed| seed.as_bytes().to_vec());
    run_with(&mut Random::new(13), &seeds, &MCP_TOKENS, count_of_inputs(), |bytes| {
        RESULTS.fetch_add(fuzz::mcp_server(bytes), Relaxed);
    });
    eprintln!("{RESULTS:?} results");
    assert!(RESULTS.load(Relaxed) > 100, "the inputs have too many errors to test much");
}
