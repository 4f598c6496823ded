//! The warning about capabilities that require roles or scopes.

use capgen_descriptor::CAPABILITY_KEYS;

use crate::{Capability, Diagnostic, Fleet, LoadedContract, codes};

/// A warning ([`codes::AUTHORIZATION`]) for each contract with a capability that has `requiredRoles` or
/// `requiredScopes`, because a server of it does not start unless it knows who has them. There is none if `fleet.yaml`
/// has the key `grants`: even an empty one shows that its author has decided. Without the file, there is no place for
/// that decision, so a check that treats warnings as errors could not pass; the server reports it when it starts.
///
/// ```no_run
/// use capgen_manifest::{Selection, check_requirements};
/// # fn example() -> Result<(), Vec<capgen_manifest::Diagnostic>> {
/// let selection = Selection { all: true, start: ".".into(), ..Selection::default() };
/// let contracts = selection.locate().load()?;
/// for finding in check_requirements(&contracts, selection.fleet()?.as_ref()) {
///     println!("{}", finding.message);
/// }
/// # Ok(())
/// # }
/// ```
pub fn check_requirements(contracts: &[LoadedContract], fleet: Option<&Fleet>) -> Vec<Diagnostic> {
    let is_open = fleet.is_some_and(|fleet| fleet.file().is_some() && fleet.grants().is_none());
    if is_open { contracts.iter().filter_map(finding).collect() } else { Vec::new() }
}

fn finding(contract: &LoadedContract) -> Option<Diagnostic> {
    let capabilities = contract.manifest.capabilities.iter().enumerate();
    let all: Vec<(usize, &str, &Capability)> =
        capabilities.filter_map(|(index, capability)| Some((index, key(capability)?, capability))).collect();
    let (index, key, _) = all.first()?;
    let mut names: Vec<String> = all.iter().map(|(_, _, capability)| format!("`{}`", capability.name)).collect();
    // The versions of a capability are next to each other, or at least named once if they are.
    names.dedup();
    let agent = &contract.manifest.agent;
    let message =
        format!("a server of agent `{agent}` does not start unless it knows who has the required roles and scopes");
    let pointer = format!("/capabilities/{index}/{key}");
    let label = contract.label(&pointer, "");
    let mut finding = Diagnostic::new(codes::AUTHORIZATION, message).at(&label.source, label.span, "");
    finding.pointer = Some(pointer);
    finding = finding.note(format!("callers need them for {}", names.join(", ")));
    Some(finding.help(
        "give `grants` in `fleet.yaml` or in the program, verify tokens by a JWKS, decide with `authorize`, or call \
         `without_authorization()`; the key `grants: {}` in `fleet.yaml` states that programs decide",
    ))
}

/// The key that has requirements.
fn key(capability: &Capability) -> Option<&'static str> {
    let field = match (capability.required_roles.is_empty(), capability.required_scopes.is_empty()) {
        (false, _) => "required_roles",
        (true, false) => "required_scopes",
        (true, true) => return None,
    };
    CAPABILITY_KEYS.iter().find(|key| key.field == field).map(|key| key.name)
}
