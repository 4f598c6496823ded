//! The options of `capgen amp`.

use std::path::PathBuf;

use capgen_amp::message::Did;
use clap::{Args, Subcommand};

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Amp {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  capgen amp inspect message.cbor
  capgen amp negotiate --supported 2.0.0,2.1.0 --preferred 2.2.0 --range '>=2.0.0 <3.0.0'
  capgen amp range -- '>=1.2.0 <2.0.0' 1.2.0 2.0.0-rc.1 2.0.0
  capgen amp answer --bundle bundle --me did:web:example.com:agent:bob --secret-file bob.hex query.cbor > declare.cbor

An AMP message is a signed CBOR map. The numbers in errors, such as 4003, are the codes of AMP.

Exit status: 0 success, 1 the input is invalid or a check failed, 2 incorrect usage.";

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Show a message and the result of every check
    #[command(after_help = INSPECT_HELP)]
    Inspect(Inspect),
    /// Select the version that a requester and a provider use
    #[command(after_help = NEGOTIATE_HELP)]
    Negotiate(Negotiate),
    /// Print whether versions are in a range
    #[command(after_help = RANGE_HELP)]
    Range(Range),
    /// Answer one message as a provider of the capabilities in a bundle
    #[command(after_help = ANSWER_HELP)]
    Answer(Answer),
    /// Serve the capabilities in a bundle over amp:// and http://
    #[cfg(feature = "amp-net")]
    Serve(super::net::Serve),
    /// Ask a provider for descriptors
    #[cfg(feature = "amp-net")]
    Query(super::net::Query),
    /// Invoke a capability of a provider
    #[cfg(feature = "amp-net")]
    Invoke(super::net::Invoke),
    /// Not in this build
    #[cfg(not(feature = "amp-net"))]
    #[command(visible_aliases = ["query", "invoke"])]
    Serve(crate::missing::Missing),
    /// Print the public key of a secret
    #[command(after_help = KEY_HELP)]
    Key(Key),
    /// Create, verify and show signed bundles of capabilities
    Bundle(super::bundle::Bundle),
}

#[derive(Args, Debug)]
pub(crate) struct Inspect {
    /// The message as raw bytes; `-` means standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The public key of a sender, in hex; may be repeated
    #[arg(long, value_name = "DID=HEXPUB")]
    pub(crate) key: Vec<String>,
    /// The time for the check of the lifetime, in Unix ms
    #[arg(long, value_name = "MS")]
    pub(crate) now: Option<u64>,
    /// The message must answer the request in this file
    #[arg(long, value_name = "FILE")]
    pub(crate) request: Option<PathBuf>,
    /// Read one message per line, in hex, and print one JSON document per line
    #[arg(long)]
    pub(crate) lines: bool,
    /// Print the result as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

const INSPECT_HELP: &str = "\
Examples:
  capgen amp inspect message.cbor
  capgen amp inspect --key did:web:example.com:agent:alice=03a1...31b8 --now 1707055200000 message.cbor
  capgen amp inspect --request query.cbor --json declare.cbor
  capgen amp inspect --lines - < messages.hex

The checks, in their order, with the code of each error:
  encoding   deterministic CBOR of at most 16 MiB, at most 128 levels deep  1001
  version    `v` is 1                                                       1004; 1001 if it is missing
  fields     every required field is present and has its type               1001
  type       `typ` is a type of AMP RFC 001                                 1005
  id         the time in `id` is within 1 s of `ts`                         1003
  times      not expired, not more than 30 s in the future                  1003
  signature  valid, by the key of the sender                                1002
  body       the body of a capability message or an ERROR has its form      4001
  request    the message answers the request                                4001
The first check that fails ends the inspection. The times are checked only with --now; without it, `id` alone is compared with `ts`. The \
signature is checked only if there is a --key; then a sender without a key is an error, unless its DID is a did:key, which contains its key. \
The signature of the request is not checked.

--json prints {\"ok\", \"error\": {\"code\", \"message\"} or null, \"type\", \"signature\": \"valid\" or \"unchecked\", \"message\"}. `type` is the name of \
the type, or null if it cannot be read; `message` is the whole message, or null if it is not deterministic CBOR. Values that JSON does not have \
are objects: {\"$hex\": TEXT} for bytes, {\"$int\": TEXT} for integers outside -2^63 to 2^64-1, {\"$float\": TEXT} for NaN and infinities, \
{\"$undefined\": true}, {\"$simple\": N}, {\"$tag\": [N, V]}, and {\"$map\": [[K, V]...]} for maps with keys that are not text or begin with `$`.

With --lines, a line that is not hex is the error 1001 of this line. The exit status is 1 if any message is not ok.";

#[derive(Args, Debug)]
pub(crate) struct Negotiate {
    /// The published versions of the provider, separated by commas
    #[arg(long, value_name = "VERSION,...", allow_hyphen_values = true)]
    pub(crate) supported: String,
    /// The version that the requester prefers
    #[arg(long, value_name = "VERSION", allow_hyphen_values = true)]
    pub(crate) preferred: Option<String>,
    /// Other versions of the requester, the best one first, separated by commas
    #[arg(long, value_name = "VERSION,...", allow_hyphen_values = true)]
    pub(crate) acceptable: Option<String>,
    /// The range of all other versions of the requester
    #[arg(long, value_name = "RANGE", allow_hyphen_values = true)]
    pub(crate) range: Option<String>,
    /// Print the result as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

const NEGOTIATE_HELP: &str = "\
Examples:
  capgen amp negotiate --supported 2.0.0,2.1.0 --preferred 2.1.0
  capgen amp negotiate --supported 2.0.0,2.1.0 --preferred 2.2.0 --acceptable 2.1.0,2.0.0
  capgen amp negotiate --json --supported 2.0.0,2.1.0 --range '>=3.0.0 <4.0.0'

Selects the preferred version if the provider has it, else the first acceptable version that it has, else its highest version in the range: \
section 6.3 of AMP RFC 004, without the policy of a provider. Prints the version to standard output, and the rule that selected it to standard \
error.

--json prints {\"version\"} or {\"error\": {\"code\", \"message\"}}. The code is 4003 if no version matches, and 4001 if a version or the range is \
invalid. The exit status is 1 if there is an error.";

#[derive(Args, Debug)]
pub(crate) struct Range {
    /// A version, or comparators such as `>=1.2.0 <2.0.0`
    #[arg(value_name = "RANGE")]
    pub(crate) range: String,
    /// The versions
    #[arg(value_name = "VERSION", required = true)]
    pub(crate) versions: Vec<String>,
}

const RANGE_HELP: &str = "\
Examples:
  capgen amp range -- '>=1.2.0 <2.0.0' 1.2.0 2.0.0-rc.1 2.0.0
  capgen amp range -- 2.1.0 2.1.0

Prints `true` or `false` for each version. Versions are compared by precedence alone, so 2.0.0-rc.1 is in the range '>=1.0.0 <2.0.0'. If the \
range or a version is invalid, prints nothing to standard output, and the error 4001 to standard error.";

/// The options of a provider.
#[derive(Args, Clone, Debug)]
pub(crate) struct ProviderOptions {
    /// The folder of the bundle with the capabilities of the provider
    #[arg(long, value_name = "DIR")]
    pub(crate) bundle: PathBuf,
    /// The DID of the provider
    #[arg(long, value_name = "DID")]
    pub(crate) me: Did,
    /// The file with the Ed25519 seed of the provider, in hex
    #[arg(long, value_name = "FILE")]
    pub(crate) secret_file: PathBuf,
    /// The policy: who may use which versions [default: everyone may use everything]
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// Handle invocations by returning their `params`
    #[arg(long)]
    pub(crate) echo: bool,
    /// The public key of a trusted signer of bundles, in hex; may be repeated. A bundle that the provider signed itself
    /// needs none
    #[arg(long, value_name = "DID=HEXPUB")]
    pub(crate) trust: Vec<String>,
    /// The public key of a sender, in hex; may be repeated
    #[arg(long, value_name = "DID=HEXPUB")]
    pub(crate) key: Vec<String>,
}

#[derive(Args, Debug)]
pub(crate) struct Answer {
    /// The message as raw bytes; `-` means standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) provider: ProviderOptions,
    /// The time, in Unix ms [default: that of the clock]
    #[arg(long, value_name = "MS")]
    pub(crate) now: Option<u64>,
}

const ANSWER_HELP: &str = "\
Examples:
  capgen amp answer --bundle bundle --me did:web:example.com:agent:bob --secret-file bob.hex \\
      --key did:web:example.com:agent:alice=03a1...31b8 query.cbor > declare.cbor
  capgen amp answer --bundle bundle --me did:web:example.com:agent:bob --secret-file bob.hex --echo \\
      --policy policy.json - < invoke.cbor | capgen amp inspect --request invoke.cbor -

Prints the bytes of the answer to standard output. The answer depends only on the files and the options, and without --now on the time.

The signature of the message must be valid by a --key; a sender with a did:key needs none. An invocation runs until it ends. Without \
--echo, no capability has a handler, so an invocation that passes every check ends with the error 5002.

If the bundle cannot be used, the reason is printed to standard error, and a request that needs its capabilities is answered with the error 5002.

The policy file is {\"default\": \"allow\" or \"deny\", \"rules\": [{\"caller\", \"capability\", \"version\", \"effect\"}], \"mode\": \"strict\", \"range\" or \
\"bridge\", \"aliases\": {TYPE: NAME}, \"adapters\": [{\"capability\", \"from\", \"to\", \"unchecked\"}]}. The first rule that matches decides; `*` matches \
everything. An adapter changes nothing, and is registered only if every request of the old version is one of the new version, or with \
\"unchecked\": true.

The exit status is 0 if there is an answer, or if the message needs none, and 1 if the message is rejected without an answer: then standard \
error has the code, such as `1002 INVALID_SIGNATURE`.";

#[derive(Args, Debug)]
pub(crate) struct Key {
    /// The file with the Ed25519 seed, in hex
    #[arg(long, value_name = "FILE")]
    pub(crate) secret_file: PathBuf,
}

const KEY_HELP: &str = "\
Examples:
  (umask 077; openssl rand -hex 32 > bob.hex)
  capgen amp key --secret-file bob.hex

Prints the public key as 64 hexadecimal digits: the HEXPUB of --key and --trust in other commands.";
