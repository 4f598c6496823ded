//! The provider that the options describe.

use std::path::Path;
use std::sync::Arc;

use capgen_amp::Code;
use capgen_amp::bundle::{self, BundleError, Creation, OpenBundle};
use capgen_amp::catalogue::Catalogue;
use capgen_amp::message::{Did, Keys, Rejection, ResolveKey as _, SigningKey};
use capgen_amp::policy::{AdapterRule, Policy};
use capgen_amp::provider::{Adapter, CacheLimits, HandlerOutcome, Provider, State};
use capgen_diagnostic::Diagnostic;
use capgen_manifest::shown;

use super::arguments::ProviderOptions;
use super::{input, keys, secret};
use crate::codes;
use crate::console::Console;
use crate::failure::Failure;

/// The maximum length of a policy file, in bytes. A rule has about 100 bytes, so more than 100,000 of them fit.
const MAX_POLICY: usize = 16 << 20;

/// The provider with its capabilities, at a time in Unix ms. If the bundle cannot be used, the reason is reported, and
/// the provider has none.
pub(super) fn load(options: &ProviderOptions, now: u64, console: &Console) -> Result<(Provider, State), Failure> {
    let senders = keys::keys("--key", &options.key)?.with_did_key();
    let trusted = keys::keys("--trust", &options.trust)?;
    let key = secret::read(&options.secret_file, console)?;
    let policy = options.policy.as_deref().map(read_policy).transpose()?.unwrap_or_default();
    let adapters = policy.adapters().to_vec();
    let signers = Signers::new(&options.me, &key, trusted);
    let mut provider = Provider::new(options.me.clone(), key, Arc::new(senders), policy);
    let state = match open(&options.bundle, &signers, now) {
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
pub(super) fn outcome(options: &ProviderOptions, params: String) -> HandlerOutcome {
    if options.echo { HandlerOutcome::Success(params.into_bytes()) } else { HandlerOutcome::Missing }
}

/// The signers of bundles that are accepted: those of `--trust`, and the provider itself with its present key (decision
/// 21).
struct Signers {
    all: Keys,
    /// The provider with its present key, if `--trust` has another key for it, such as a former one.
    own: Option<Keys>,
}

impl Signers {
    fn new(me: &Did, key: &SigningKey, mut trusted: Keys) -> Self {
        // The key belongs to the agent, whatever the fragment of its DID.
        let Ok(agent) = me.without_fragment().parse::<Did>() else { return Self { all: trusted, own: None } };
        let mut own = Keys::new();
        own.insert(agent.clone(), key.public());
        if trusted.key(&agent).is_some_and(|other| other != key.public()) {
            return Self { all: trusted, own: Some(own) };
        }
        trusted.insert(agent, key.public());
        Self { all: trusted, own: None }
    }

    fn open(&self, folder: &Path, creation: Creation) -> Result<OpenBundle, BundleError> {
        let own = self.own.as_ref().and_then(|own| bundle::open(folder, own, creation).ok());
        own.map_or_else(|| bundle::open(folder, &self.all, creation), Ok)
    }
}

/// The capabilities of the bundle.
fn open(folder: &Path, signers: &Signers, now: u64) -> Result<Catalogue, Rejection> {
    let unavailable = |reason: String| {
        Rejection::new(Code::Unavailable, format!("the bundle `{}` cannot be used: {reason}", shown(folder)))
    };
    let bundle = signers.open(folder, Creation::until(now)).map_err(|error| unavailable(error.to_string()))?;
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
