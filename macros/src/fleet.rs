//! `include_fleet!`: the peers of a fleet as a text that a program contains.

use std::path::{Path, PathBuf};

use capgen_descriptor::embedded::{
    EmbeddedAcceptance, EmbeddedAgent, EmbeddedCalls, EmbeddedGrant, EmbeddedKey, EmbeddedPeers, EmbeddedRoute,
};
use capgen_diagnostic::{Diagnostic, render};
use capgen_evolve::{AcceptedEntry, read_accepted};
use capgen_manifest::{Fleet, FleetKey, Manifest, Selection, TransportSettings, read_peers, read_source, shown};
use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{LitStr, Token};

/// The arguments: the folder of a fleet, and an `rpc-peers.yaml`.
pub(crate) struct Paths {
    fleet: LitStr,
    peers: Option<LitStr>,
}

impl Parse for Paths {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let usage = |error: syn::Error| {
            let usage =
                "write `include_fleet!(\"<folder of the fleet>\")`, or the path of an `rpc-peers.yaml` after it";
            syn::Error::new(error.span(), format!("{error}: {usage}"))
        };
        let fleet = input.parse().map_err(usage)?;
        let has_more = |input: ParseStream<'_>| -> syn::Result<bool> {
            Ok(!input.is_empty() && input.parse::<Token![,]>().map(|_| !input.is_empty())?)
        };
        let peers = if has_more(input).map_err(usage)? { Some(input.parse().map_err(usage)?) } else { None };
        if has_more(input).map_err(usage)? {
            return Err(usage(input.error("unexpected argument")));
        }
        Ok(Self { fleet, peers })
    }
}

/// An expression with the text, and items through which Cargo builds the crate again if a file changes. `base` is the
/// folder that paths are relative to.
pub(crate) fn expand(base: &Path, paths: &Paths) -> syn::Result<TokenStream> {
    let root = base.join(paths.fleet.value());
    let failed = |path: &LitStr, findings: &[Diagnostic]| {
        let text = render::human(findings, false);
        syn::Error::new(path.span(), format!("`{}` cannot be embedded\n\n{}", path.value(), text.trim_end()))
    };
    let selection = Selection { all: true, root: Some(root.clone()), start: root, ..Selection::default() };
    let located = selection.locate();
    let mut files = located.paths();
    let fleet = located.fleet().cloned();
    files.extend(fleet.as_ref().and_then(Fleet::accepted_file));
    let contracts = located.load().map_err(|findings| failed(&paths.fleet, &findings))?;
    let agents = contracts.iter().map(|contract| agent(&contract.manifest)).collect();
    let mut peers = Vec::new();
    if let Some(path) = &paths.peers {
        let file = base.join(path.value());
        let read = read_source(&file, &shown(&file)).and_then(|source| read_peers(&source));
        let read = read.map_err(|findings| failed(path, &findings))?;
        peers.extend(read.into_iter().map(|(agent, transports)| (agent.to_string(), routes(&transports))));
        files.push(file);
    }
    let calls = fleet.as_ref().map(calls).transpose().map_err(|findings| failed(&paths.fleet, &findings))?;
    let (keys, grants) = (fleet.as_ref().map(keys).unwrap_or_default(), fleet.as_ref().map(grants).unwrap_or_default());
    let embedded: EmbeddedPeers = (agents, peers, calls.unwrap_or_default(), keys, grants);
    let text = serde_json::to_string(&embedded)
        .map_err(|error| syn::Error::new(paths.fleet.span(), format!("the fleet cannot be written: {error}")))?;
    let files = files.iter().filter_map(|file| absolute(file));
    Ok(quote! {{
        #(const _: usize = ::core::include_bytes!(#files).len();)*
        #text
    }})
}

/// The most accepted findings that a program contains. One takes some 100 bytes, and reviewers read far fewer.
const MAX_ACCEPTED: usize = 10_000;

/// The settings of calls.
fn calls(fleet: &Fleet) -> Result<EmbeddedCalls, Vec<Diagnostic>> {
    let settings = fleet.calls();
    let accepted = match fleet.accepted()? {
        None => None,
        Some(source) => {
            let entries = read_accepted(&source)?;
            if entries.len() > MAX_ACCEPTED {
                let message = format!("the file has {} accepted findings; the limit is {MAX_ACCEPTED}", entries.len());
                let finding = Diagnostic::new(capgen_evolve::codes::INVALID_ACCEPTED, message);
                return Err(vec![finding.help("remove the entries that have expired")]);
            }
            Some(entries.into_iter().map(acceptance).collect())
        }
    };
    let (skew, assume) = (settings.skew.map(|policy| policy.name()), settings.assume.map(|assume| assume.name()));
    Ok((skew.map(str::to_owned), assume.map(str::to_owned), accepted))
}

/// The public keys of agents.
fn keys(fleet: &Fleet) -> Vec<EmbeddedKey> {
    let key = |key: &FleetKey| (key.agent.to_string(), key.key_id.clone(), key.ed25519.clone(), key.not_after);
    fleet.keys().iter().map(key).collect()
}

/// The roles and scopes of agents.
fn grants(fleet: &Fleet) -> Vec<EmbeddedGrant> {
    fleet
        .grants()
        .into_iter()
        .flatten()
        .map(|(id, grant)| (id.to_string(), grant.roles.clone(), grant.scopes.clone()))
        .collect()
}

fn acceptance(entry: AcceptedEntry) -> EmbeddedAcceptance {
    (entry.fingerprint, entry.expires.to_string(), entry.code, entry.agent)
}

fn agent(manifest: &Manifest) -> EmbeddedAgent {
    let capabilities = manifest.capabilities.iter().map(|capability| capability.to_descriptor(None));
    (manifest.agent.to_string(), routes(&manifest.transports), capabilities.collect())
}

fn routes(transports: &[TransportSettings]) -> Vec<EmbeddedRoute> {
    let route = |transport: &TransportSettings| Some((transport.kind.clone(), transport.requests()?.to_owned()));
    transports.iter().filter_map(route).collect()
}

/// The path of a file for `include_bytes!`, which would look for a relative one beside the source.
fn absolute(file: &Path) -> Option<String> {
    let path: PathBuf = std::path::absolute(file).ok()?;
    path.into_os_string().into_string().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "version: 1
agent: agent://index
transports:
  - { kind: nats, servers: [\"nats://ann:s3cret@broker\"], subjects: { requests: index } }
capabilities:
  - { name: search, inputSchema: { type: string } }
";

    /// The expansion in a folder with files.
    fn expanded(files: &[(&str, &str)], arguments: &str) -> Result<String, String> {
        let folder = capgen_testkit::folder::Folder::with(files);
        let paths = syn::parse_str::<Paths>(arguments).map_err(|error| error.to_string())?;
        expand(folder.root(), &paths).map(|tokens| tokens.to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn the_text_has_addresses_and_capabilities_but_no_credentials() {
        let files = [
            ("fleet/agents/index/capabilities.yaml", MANIFEST),
            ("peers.yaml", "peers:\n  agent://other: [{ kind: memory, topics: { requests: others } }]\n"),
        ];
        let text = expanded(&files, "\"fleet\", \"peers.yaml\"").unwrap();
        for part in ["index", "search", "others", "agents/index/capabilities.yaml", "include_bytes"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("s3cret"), "{text}");
    }

    #[test]
    fn errors_name_the_file_the_line_and_the_remedy() {
        let wrong = MANIFEST.replace("inputSchema", "inputSchma");
        let files = [("fleet/agents/index/capabilities.yaml", wrong.as_str())];
        let error = expanded(&files, "\"fleet\"").unwrap_err();
        assert!(error.starts_with("`fleet` cannot be embedded\n\nerror["), "{error}");
        assert!(error.contains("agents/index/capabilities.yaml:6:") && error.contains("inputSchema"), "{error}");
        let files = [("fleet/agents/index/capabilities.yaml", MANIFEST)];
        let error = expanded(&files, "\"fleet\", \"missing.yaml\"").unwrap_err();
        assert!(error.starts_with("`missing.yaml` cannot be embedded") && error.contains("cannot read"), "{error}");
        let error = expanded(&[], "\"nowhere\"").unwrap_err();
        assert!(error.contains("nowhere"), "{error}");
    }

    #[test]
    fn the_settings_of_calls_are_embedded_without_the_reasons_of_reviewers() {
        let fleet = "agents: []\ncalls: { skew: refuse, assume: capgen-peer, accepted: accepted.yaml }\n";
        let accepted =
            "- { fingerprint: 0123456789abcdef0123, reason: agreed with Ann, expires: 2027-01-31, agent: index }\n";
        let manifest = ("fleet/agents/index/capabilities.yaml", MANIFEST);
        let files = [("fleet/fleet.yaml", fleet), ("fleet/accepted.yaml", accepted), manifest];
        let text = expanded(&files, "\"fleet\"").unwrap();
        let calls = r#"[\"refuse\",\"capgen-peer\",[[\"0123456789abcdef0123\",\"2027-01-31\",null,\"index\"]]]"#;
        assert!(text.contains(calls) && text.contains("accepted.yaml") && !text.contains("Ann"), "{text}");
        let error = expanded(&[("fleet/fleet.yaml", fleet), manifest], "\"fleet\"").unwrap_err();
        assert!(error.contains("fleet.yaml:2:55") && error.contains("does not exist"), "{error}");
        let wrong = accepted.replace("expires", "expire");
        let files = [("fleet/fleet.yaml", fleet), ("fleet/accepted.yaml", wrong.as_str()), manifest];
        let error = expanded(&files, "\"fleet\"").unwrap_err();
        assert!(error.contains("accepted.yaml:1:") && error.contains("did you mean `expires`?"), "{error}");
    }

    #[test]
    fn other_arguments_are_rejected_with_the_usage() {
        for arguments in ["", "fleet", "\"a\" \"b\"", "\"a\", b", "\"a\", \"b\", \"c\""] {
            let error = expanded(&[], arguments).unwrap_err();
            assert!(error.contains("write `include_fleet!("), "{arguments}: {error}");
        }
    }
}
