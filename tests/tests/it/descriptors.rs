//! The descriptors in generated code contain enough of a contract to write its manifest again.

use capgen::{AgentManifest, TransportSettings};
use capgen_manifest::{Source, load};

macro_rules! contracts {
    ($($module:ident: $path:literal,)*) => {
        $(#[path = $path]
        mod $module;)*

        /// The agent, its capabilities and the hash of the contract, of each generated file.
        const CONTRACTS: &[(&str, &[capgen::Descriptor], &str)] =
            &[$(($module::AGENT, $module::CAPABILITIES, $module::CONTRACT_HASH)),*];
    };
}

contracts! {
    legacy_crm: "../../../generated/legacy-crm.rs",
    notifier: "../../../generated/notifier.rs",
    payments: "../../../generated/payments.rs",
    pr_reviewer: "../../../generated/pr-reviewer.rs",
    reviewer: "../../../generated/reviewer.rs",
    search: "../../../generated/search.rs",
}

#[test]
fn a_manifest_written_from_descriptors_has_the_hash_of_the_contract() {
    for (agent, descriptors, hash) in CONTRACTS {
        let written =
            AgentManifest::new(*agent).transport(TransportSettings::memory("requests")).descriptors(descriptors);
        let text = written.to_manifest().unwrap();
        let loaded = load(&Source::new("capabilities.yaml", text.clone())).unwrap();
        assert_eq!(loaded.manifest.hash().to_string(), *hash, "{agent}");
        assert_eq!(loaded.manifest.capabilities.len(), descriptors.len());
    }
}

#[test]
fn generated_callers_can_call_the_provider_of_their_contract() {
    let settings = capgen_evolve::CallSettings::default();
    for (agent, descriptors, _) in CONTRACTS {
        for descriptor in *descriptors {
            let caller = descriptor.to_owned_descriptor();
            assert_eq!(capgen_evolve::can_call_described(&caller, &caller, &settings), Ok(()), "{agent}");
            // Without a hash, the schemas are compared.
            let mut provider = caller.clone();
            provider.hash = String::new();
            assert_eq!(capgen_evolve::can_call_described(&caller, &provider, &settings), Ok(()), "{agent}");
            provider.min_schema_version = Some("99.0.0".to_owned());
            let is_served = capgen_evolve::can_call_described(&caller, &provider, &settings).is_ok();
            assert_eq!(is_served, caller.version.is_none(), "{agent}");
        }
    }
}

#[test]
fn descriptors_keep_every_key_of_a_capability() {
    for (agent, descriptors, _) in CONTRACTS {
        let root = capgen_tests::folder().join("../examples/fleet");
        let fleet = capgen_manifest::Fleet::open(&root).unwrap();
        let (_, path) = fleet.peers().unwrap().into_iter().find(|(id, _)| id.as_str() == *agent).unwrap();
        let source = capgen_manifest::read_source(&path, "capabilities.yaml").unwrap();
        let contract = load(&source).unwrap().manifest;
        let written =
            AgentManifest::new(*agent).transport(TransportSettings::memory("requests")).descriptors(descriptors);
        for (written, declared) in written.manifest().unwrap().capabilities.into_iter().zip(contract.capabilities) {
            // Descriptors contain schemas in canonical form; the hash compares those.
            let without = |capability: capgen_manifest::Capability| {
                format!("{:?}", capgen_manifest::Capability { input: None, output: None, ..capability })
            };
            assert_eq!(without(written), without(declared));
        }
    }
}
