//! The provider that the options describe.

use std::path::Path;
use std::sync::Arc;

use capgen_amp::Code;
use capgen_amp::bundle::{self, BundleError};
use capgen_amp::catalogue::Catalogue;
use capgen_amp::message::{Did, Keys, Rejection, SigningKey};
use capgen_amp::policy::{AdapterRule, Policy};
use capgen_amp::provider::{Adapter, CacheLimits, Outcome, Provider, State};
use capgen_diagnostic::Diagnostic;
use capgen_manifest::shown;
use serde_json::Value;

use super::arguments::ProviderOptions;
use super::{input, keys, secret};
use crate::codes;
use crate::console::Console;
use crate::failure::Failure;

/// The maximum length of a policy file, in bytes.
const MAX_POLICY: usize = 16 << 20;

/// The provider with its capabilities. If the bundle cannot be used, the reason is reported, and the provider has none.
pub(super) fn load(options: &ProviderOptions, console: &Console) -> Result<(Provider, State), Failure> {
    let senders = keys::keys("--key", &options.key)?.with_did_key();
    let trusted = keys::keys("--trust", &options.trust)?;
    let key = secret::read(&options.secret_file, console)?;
    let policy = options.policy.as_deref().map(read_policy).transpose()?.unwrap_or_default();
    let adapters = policy.adapters().to_vec();
    let signers = if trusted.is_empty() { own_key(&options.me, &key) } else { trusted };
    let mut provider = Provider::new(options.me.clone(), key, Arc::new(senders), policy);
    let state = match open(&options.bundle, &signers) {
        Ok(catalogue) => {
            register(&mut provider, adapters, &catalogue, options.policy.as_deref())?;
            State::new(Arc::new(catalogue), CacheLimits::default())
        }
        Err(rejection) => {
            console.line(&rejection.to_string());
            State::unavailable(CacheLimits::default())
        }
    };
    Ok((provider, state))
}

/// The outcome of the handler of every capability.
pub(super) fn outcome(options: &ProviderOptions, params: Value) -> Outcome {
    if options.echo { Outcome::Success(params) } else { Outcome::Missing }
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
