//! The options of `capgen amp serve`, `query` and `invoke`.

use std::net::IpAddr;
use std::path::PathBuf;

use capgen_amp::body::Order;
use capgen_amp::carrier::net::Limits;
use capgen_amp::message::Did;
use capgen_amp::{CapabilityId, CapabilityName, Range, parse_version};
use clap::Args;
use clap::builder::TypedValueParser;
use semver::Version;

use crate::amp::arguments::ProviderOptions;

#[derive(Args, Debug)]
#[command(after_help = SERVE_HELP)]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(super) provider: ProviderOptions,
    /// Listen at amp://HOST:PORT or http://HOST:PORT; may be repeated. The port 0 means a free one
    #[arg(long, value_name = "URL", required = true)]
    pub(super) listen: Vec<String>,
    /// The time for running invocations after SIGINT or SIGTERM, in ms
    #[arg(long, value_name = "MS", default_value_t = 10_000)]
    pub(super) grace: u64,
    /// The file of SQLite with the ids and the results of invocations, which survive a restart; it is created if it
    /// does not exist
    #[arg(long, value_name = "FILE")]
    pub(super) store: Option<PathBuf>,
    #[command(flatten)]
    pub(super) limits: LimitOptions,
}

/// The limits of each listener, against peers that keep memory or connections that they do not use.
#[derive(Args, Debug)]
pub(super) struct LimitOptions {
    /// The connections of each listener. If all are in use, a new one takes the place of one that is idle
    #[arg(long, value_name = "COUNT", default_value_t = 1024, value_parser = count())]
    max_connections: usize,
    /// The connections of one address; further ones are closed. Without this option, there is no such limit
    #[arg(long, value_name = "COUNT", value_parser = count())]
    max_per_address: Option<usize>,
    /// The address of a proxy, to which --max-per-address does not apply; may be repeated
    #[arg(long, value_name = "ADDRESS", requires = "max_per_address")]
    proxy: Vec<IpAddr>,
    /// The memory of each listener for the messages of one sender, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = count())]
    max_memory: usize,
    /// The time until a peer has sent a message with a valid signature, in ms
    #[arg(long, value_name = "MS", default_value_t = 10_000)]
    pub(super) proof_timeout: u64,
}

/// The largest count: so many MiB are still a number of bytes.
const MAX_COUNT: u64 = 1 << 20;

fn count() -> impl TypedValueParser<Value = usize> {
    clap::value_parser!(u64).range(1..=MAX_COUNT).map(|count| usize::try_from(count).unwrap_or(usize::MAX))
}

impl LimitOptions {
    /// The limits of a listener.
    pub(super) fn limits(&self) -> Limits {
        let Self { max_connections, max_per_address, ref proxy, max_memory, .. } = *self;
        let max_memory = max_memory.saturating_mul(1 << 20);
        Limits { max_connections, max_per_address, proxies: proxy.clone(), max_memory, ..Limits::default() }
    }
}

const SERVE_HELP: &str = "\
Examples:
  capgen amp serve --bundle bundle --me did:web:example.com:agent:bob --secret-file bob.hex \\
      --key did:web:example.com:agent:alice=03a1...31b8 --listen amp://127.0.0.1:7400 --listen http://127.0.0.1:7401
  capgen amp serve --bundle bundle --me did:web:example.com:agent:bob --secret-file bob.hex --echo --policy policy.json \\
      --listen amp://127.0.0.1:0
  capgen amp serve --bundle bundle --me did:web:example.com:agent:bob --secret-file bob.hex --listen amp://0.0.0.0:7400 \\
      --max-per-address 64 --proxy 192.0.2.1
  capgen amp serve --bundle bundle --me did:web:example.com:agent:bob --secret-file bob.hex --echo --store bob.db \\
      --listen amp://127.0.0.1:7400

Prints the URL of each listener to standard output, then serves until SIGINT or SIGTERM. The other options are those of `capgen amp answer`. \
The connections are not encrypted: use them in trusted networks only. Messages are signed in any case.

No invocation runs twice. Without --store, an invocation that was signed before the start of this process is refused with 1003, because an \
earlier process may have run it; its sender signs it again. With --store, invocations and their results are in the file, and duplicates get their \
answer after a restart, too. One process at a time uses the file. A `ttl` of more than 25 hours is refused with 1003.";

/// The options of a requester.
#[derive(Args, Debug)]
pub(super) struct RequesterOptions {
    /// The URL of the provider: amp://HOST:PORT or http://HOST:PORT
    #[arg(value_name = "URL")]
    pub(super) url: String,
    /// The DID of the provider
    #[arg(long, value_name = "DID")]
    pub(super) to: Did,
    /// The DID of the requester
    #[arg(long, value_name = "DID")]
    pub(super) me: Did,
    /// The file with the Ed25519 seed of the requester, in hex
    #[arg(long, value_name = "FILE")]
    pub(super) secret_file: PathBuf,
    /// The public key of the provider, in hex; may be repeated. A did:key needs none
    #[arg(long, value_name = "DID=HEXPUB")]
    pub(super) key: Vec<String>,
    /// The time for the answer, in ms
    #[arg(long, value_name = "MS", default_value_t = 30_000)]
    pub(super) timeout: u64,
    /// Print the result as one JSON document
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Args, Debug)]
#[command(after_help = QUERY_HELP)]
pub(crate) struct Query {
    #[command(flatten)]
    pub(super) requester: RequesterOptions,
    /// The name of the capability
    #[arg(long, value_name = "NAME", required_unless_present = "type_alias")]
    pub(super) capability: Option<CapabilityName>,
    /// The legacy type of the capability
    #[arg(long = "type", value_name = "TYPE")]
    pub(super) type_alias: Option<String>,
    /// Only versions in this range
    #[arg(long, value_name = "RANGE")]
    pub(super) version: Option<Range>,
    /// The number of descriptors of a page; all pages are read
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) limit: Option<u64>,
    /// The order of versions
    #[arg(long, value_name = "ORDER", value_parser = order)]
    pub(super) order: Option<Order>,
}

const QUERY_HELP: &str = "\
Examples:
  capgen amp query amp://127.0.0.1:7400 --to did:web:example.com:agent:bob --key did:web:example.com:agent:bob=03a1...31b8 \\
      --me did:web:example.com:agent:alice --secret-file alice.hex --capability org.example.code-review
  capgen amp query http://127.0.0.1:7401 --to did:web:example.com:agent:bob --key did:web:example.com:agent:bob=03a1...31b8 \\
      --me did:web:example.com:agent:alice --secret-file alice.hex --type code-review --version '>=2.0.0' --json

Prints the ids of the descriptors, one per line. --json prints {\"capabilities\": [DESCRIPTOR...]} or {\"error\": {\"code\", \"message\", \"details\"}}; bytes are \
{\"$hex\": TEXT}. The exit status is 1 if there is an error.";

#[derive(Args, Debug)]
#[command(after_help = INVOKE_HELP)]
pub(crate) struct Invoke {
    #[command(flatten)]
    pub(super) requester: RequesterOptions,
    /// The file with `params`, as JSON; `-` means standard input
    #[arg(value_name = "PARAMS")]
    pub(super) params: PathBuf,
    /// The id of the capability: NAME:VERSION
    #[arg(long, value_name = "ID", conflicts_with_all = ["capability", "type_alias", "version", "preferred", "acceptable", "range"])]
    pub(super) id: Option<CapabilityId>,
    /// The name of the capability
    #[arg(long, value_name = "NAME", required_unless_present_any = ["id", "type_alias"])]
    pub(super) capability: Option<CapabilityName>,
    /// The legacy type of the capability
    #[arg(long = "type", value_name = "TYPE", conflicts_with = "capability")]
    pub(super) type_alias: Option<String>,
    /// The version; without it, one is negotiated
    #[arg(long, value_name = "VERSION", value_parser = parse_version, conflicts_with_all = ["preferred", "acceptable", "range"])]
    pub(super) version: Option<Version>,
    /// The preferred version
    #[arg(long, value_name = "VERSION", value_parser = parse_version)]
    pub(super) preferred: Option<Version>,
    /// Other versions, the best one first, separated by commas
    #[arg(long, value_name = "VERSION,...", value_parser = parse_version, value_delimiter = ',')]
    pub(super) acceptable: Vec<Version>,
    /// The range of all other versions
    #[arg(long, value_name = "RANGE")]
    pub(super) range: Option<Range>,
}

const INVOKE_HELP: &str = "\
Examples:
  capgen amp invoke amp://127.0.0.1:7400 --to did:web:example.com:agent:bob --key did:web:example.com:agent:bob=03a1...31b8 \\
      --me did:web:example.com:agent:alice --secret-file alice.hex --id org.example.code-review:2.1.0 params.json
  capgen amp invoke http://127.0.0.1:7401 --to did:web:example.com:agent:bob --key did:web:example.com:agent:bob=03a1...31b8 \\
      --me did:web:example.com:agent:alice --secret-file alice.hex --capability org.example.code-review --range '>=2.0.0 <3.0.0' - < params.json

Prints the result as JSON. --json prints {\"result\"} or {\"error\": {\"code\", \"message\", \"details\"}}; `details` is \
missing if the error has none. The violations of 4004 are on lines of their own, or in `details`. The exit status is 1 if there is an error.";

fn order(text: &str) -> Result<Order, String> {
    let found = Order::ALL.into_iter().find(|order| order.name() == text);
    found.ok_or_else(|| "expected newest-first or oldest-first".to_owned())
}
