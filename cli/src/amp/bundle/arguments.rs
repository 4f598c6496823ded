//! The options of `capgen amp bundle`.

use std::path::PathBuf;

use capgen_amp::bundle::Namespace;
use capgen_amp::message::Did;
use clap::{Args, Subcommand};

use crate::arguments::contract_path;

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Bundle {
    #[command(subcommand)]
    pub(super) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  capgen amp bundle create --capabilities capabilities.yaml --namespace org.example --out bundle \\
      --me did:web:example.org --secret-file publisher.key
  capgen amp bundle verify --trust did:web:example.org=03a1...31b8 bundle
  capgen amp bundle show bundle

A bundle is a folder with the descriptors and the schemas of capabilities, signed by its publisher. A provider serves it, and a requester \
finds the schemas of declared capabilities in it, without a network.

Exit status: 0 success, 1 the input is invalid or a check failed, 2 incorrect usage.";

#[derive(Subcommand, Debug)]
pub(super) enum Command {
    /// Create a bundle from manifests, and sign it
    #[command(after_help = CREATE_HELP)]
    Create(Create),
    /// Check that a bundle is complete, unchanged, and signed by a trusted publisher
    #[command(after_help = VERIFY_HELP)]
    Verify(Verify),
    /// Show the contents of a bundle, without checking whether its signer is trusted
    #[command(after_help = SHOW_HELP)]
    Show(Show),
}

#[derive(Args, Debug)]
pub(super) struct Create {
    /// The manifests, such as those of several versions of an agent
    #[arg(long, value_name = "FILE", value_parser = contract_path(), required = true, num_args = 1..)]
    pub(super) capabilities: Vec<PathBuf>,
    /// The prefix of the names of capabilities without an `id`, in reverse-domain form, such as org.example
    #[arg(long, value_name = "NAMESPACE")]
    pub(super) namespace: Namespace,
    /// The folder of the bundle; an older bundle in it is replaced
    #[arg(long, value_name = "DIR")]
    pub(super) out: PathBuf,
    /// The signer
    #[arg(long, value_name = "DID")]
    pub(super) me: Did,
    /// A file with the private key of the signer: the seed of Ed25519, in hex
    #[arg(long, value_name = "FILE")]
    pub(super) secret_file: PathBuf,
    /// The time of creation, in Unix ms [default: the current time]
    #[arg(long, value_name = "MS")]
    pub(super) now: Option<u64>,
    /// Print a summary as one JSON document
    #[arg(long)]
    pub(super) json: bool,
}

const CREATE_HELP: &str = "\
Examples:
  capgen amp bundle create --capabilities capabilities.yaml --namespace org.example --out bundle \\
      --me did:web:example.org --secret-file publisher.key
  capgen amp bundle create --capabilities v1.yaml v2.yaml --namespace org.example --out bundle \\
      --me did:web:example.org --secret-file publisher.key --now 1700000000000

Every capability needs a `version`. Its name is its `id`, or the namespace, a dot and its `name`; `supportedVersions` and `deprecatedVersions` \
become its ranges. Schemas are published with their descriptions; a side without a schema is published as `true`. Nothing else of the \
manifest is published, except `timeoutMs`.

The same input gives the same bytes. If there is an error, nothing is written. A folder that is neither empty nor a bundle is not changed.

--json prints {\"bundle_id\", \"created\", \"signer\", \"capabilities\", \"artifacts\"}: the ids of the capabilities, and the keys of the schemas.";

#[derive(Args, Debug)]
pub(super) struct Verify {
    /// The folder of the bundle
    #[arg(value_name = "DIR")]
    pub(super) folder: PathBuf,
    /// The public key of a publisher, in hex; may be repeated
    #[arg(long, value_name = "DID=HEXPUB")]
    pub(super) trust: Vec<String>,
    /// The earliest time of creation that is accepted, in Unix ms, against replacement by an older bundle
    #[arg(long, value_name = "MS")]
    pub(super) min_created: Option<u64>,
    /// The time of the check, in Unix ms: a bundle that was created more than a day later is invalid [default: that of
    /// the clock]
    #[arg(long, value_name = "MS")]
    pub(super) now: Option<u64>,
    /// Print the result as one JSON document
    #[arg(long)]
    pub(super) json: bool,
}

const VERIFY_HELP: &str = "\
Examples:
  capgen amp bundle verify --trust did:web:example.org=03a1...31b8 bundle
  capgen amp bundle verify --json --trust did:web:example.org=03a1...31b8 --min-created 1700000000000 bundle

A signer is trusted only if there is a --trust for it; without any, every bundle is rejected. Every error has the code 5002: an unknown signer or \
an invalid signature, a time of creation that is before --min-created or more than a day ahead of --now, a time limit of 0, an artifact that is missing, altered, of another length or a link, and a descriptor whose schemas are not artifacts \
of the bundle with equal hashes. Files that are not listed in bundle.cbor are ignored.

--json prints {\"ok\", \"error\": {\"code\", \"message\"} or null}. The exit status is 1 if there is an error.";

#[derive(Args, Debug)]
pub(super) struct Show {
    /// The folder of the bundle
    #[arg(value_name = "DIR")]
    pub(super) folder: PathBuf,
    /// Print the contents as one JSON document
    #[arg(long)]
    pub(super) json: bool,
}

const SHOW_HELP: &str = "\
Examples:
  capgen amp bundle show bundle
  capgen amp bundle show --json bundle | jq -r '.descriptors[].id'

This command does not check whether the signer is trusted: use `capgen amp bundle verify`. It checks everything else apart from the time of creation, and the signature if the DID \
of the signer contains its key (did:key).

--json prints {\"ok\", \"error\", \"trust\": \"unchecked\", \"signature\": \"valid\" or \"unchecked\", \"bundle_id\", \"created\", \"signer\", \"descriptors\", \
\"artifacts\": {KEY: {\"hash_alg\", \"hash\", \"size\"}}}, or {\"ok\": false, \"error\": {\"code\", \"message\"}}. Bytes are {\"$hex\": TEXT}.";
