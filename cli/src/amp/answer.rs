//! `capgen amp answer`: a provider that answers one message.

use std::path::Path;
use std::sync::Arc;

use capgen_amp::Code;
use capgen_amp::bundle::{self, BundleError};
use capgen_amp::catalogue::Catalogue;
use capgen_amp::cbor::Limits;
use capgen_amp::message::{Did, Keys, Rejection, SigningKey};
use capgen_amp::policy::{AdapterRule, Policy};
use capgen_amp::provider::{Adapter, CacheLimits, Input, Outcome as Ended, Output, Provider, Start, State, Ticket};
use capgen_diagnostic::Diagnostic;
use capgen_manifest::shown;

use super::arguments::Answer;
use super::{input, keys, rejected, secret};
use crate::clock::now;
use crate::codes;
use crate::console::{self, Console};
use crate::failure::{Failure, Outcome, Verdict};

/// The maximum length of a policy file, in bytes.
const MAX_POLICY: usize = 16 << 20;

pub(super) fn run(arguments: &Answer, console: &Console) -> Outcome {
    let senders = keys::keys("--key", &arguments.key)?.with_did_key();
    let trusted = keys::keys("--trust", &arguments.trust)?;
    let key = secret::read(&arguments.secret_file, console)?;
    let policy = arguments.policy.as_deref().map(read_policy).transpose()?.unwrap_or_default();
    let adapters = policy.adapters().to_vec();
    let signers = if trusted.is_empty() { own_key(&arguments.me, &key) } else { trusted };
    let mut provider = Provider::new(arguments.me.clone(), key, Arc::new(senders), policy);
    let state = match open(&arguments.bundle, &signers) {
        Ok(catalogue) => {
            register(&mut provider, adapters, &catalogue, arguments.policy.as_deref())?;
            State::new(Arc::new(catalogue), CacheLimits::default())
        }
        Err(rejection) => {
            console.line(&rejection.to_string());
            State::unavailable(CacheLimits::default())
        }
    };
    let bytes = input::read(&arguments.file, Limits::default().bytes)?;
    let exchange = Exchange { provider, now: arguments.now.unwrap_or_else(now), is_echo: arguments.echo };
    exchange.run(state, &bytes, console)
}

/// The key with which the provider itself signs bundles. It belongs to the agent, whatever the fragment of its DID.
fn own_key(me: &Did, key: &SigningKey) -> Keys {
    let mut keys = Keys::new();
    if let Ok(agent) = me.without_fragment().parse() {
        keys.insert(agent, key.public());
    }
    keys
}

/// The capabilities of the bundle.
fn open(folder: &Path, signers: &Keys) -> Result<Catalogue, Rejection> {
    let unavailable = |reason: String| {
        Rejection::new(Code::Unavailable, format!("the bundle `{}` cannot be used: {reason}", shown(folder)))
    };
    let bundle = bundle::open(folder, signers, None).map_err(|error: BundleError| unavailable(error.to_string()))?;
    Catalogue::new(bundle.contracts().to_vec()).map_err(|duplicates| {
        let all: Vec<_> = duplicates.iter().map(ToString::to_string).collect();
        unavailable(all.join("; "))
    })
}

fn read_policy(path: &Path) -> Result<Policy, Failure> {
    let bytes = input::read(path, MAX_POLICY)?;
    let text = String::from_utf8(bytes).map_err(|_| vec![invalid_policy(path, "it is not UTF-8")])?;
    Policy::from_json(&text)
        .map_err(|errors| errors.iter().map(|error| invalid_policy(path, error)).collect::<Vec<_>>().into())
}

fn invalid_policy(path: &Path, reason: &str) -> Diagnostic {
    let message = format!("the policy `{}` is invalid: {reason}", shown(path));
    Diagnostic::new(codes::INVALID_POLICY, message).in_file(shown(path))
}

/// Registers the adapters of the policy, which change nothing. Reports all that cannot be registered.
fn register(
    provider: &mut Provider,
    adapters: Vec<AdapterRule>,
    catalogue: &Catalogue,
    policy: Option<&Path>,
) -> Result<(), Failure> {
    let mut findings = Vec::new();
    for (index, AdapterRule { capability, from, to, unchecked }) in adapters.into_iter().enumerate() {
        let adapter = Adapter::identity();
        let registered = if unchecked {
            provider.add_unchecked_adapter(&capability, &from, &to, adapter)
        } else {
            provider.add_adapter(&capability, &from, &to, adapter, catalogue)
        };
        if let Err(error) = registered {
            let reason = format!("/adapters/{index}: {error}");
            findings.push(invalid_policy(policy.unwrap_or(Path::new("")), &reason));
        }
    }
    if findings.is_empty() { Ok(()) } else { Err(findings.into()) }
}

/// One message and its answer.
struct Exchange {
    provider: Provider,
    now: u64,
    is_echo: bool,
}

impl Exchange {
    /// Answers the message. An invocation that starts also ends.
    fn run(&self, mut state: State, bytes: &[u8], console: &Console) -> Outcome {
        let mut input = Some(Input::Message { bytes, ticket: Ticket(0), principal: None });
        let mut verdict = Verdict::Fine;
        while let Some(next) = input.take() {
            // Only an outcome of an unknown invocation is impossible, and this one was started.
            let outputs = self.provider.step(&mut state, next, self.now).unwrap_or_default();
            for output in outputs {
                match output {
                    Output::Send { message, .. } => console::print_bytes(&message)?,
                    Output::Start(start) => input = Some(self.handle(*start)),
                    Output::Rejected { rejection, .. } => verdict = rejected(&rejection, console)?,
                    Output::Ignored { .. } => console.line("a message of this type is not answered"),
                    Output::InvalidResult { id, violations } => {
                        console.line(&format!("the result of `{id}` violates the output schema:"));
                        violations.iter().for_each(|violation| console.line(&crate::validate::plain(violation)));
                    }
                    Output::Stop(_) | Output::Drained => {}
                }
            }
        }
        Ok(verdict)
    }

    /// The handler.
    fn handle(&self, start: Start) -> Input<'static> {
        let outcome = if self.is_echo { Ended::Success(start.params) } else { Ended::Missing };
        Input::Finished { invocation: start.invocation, outcome }
    }
}
