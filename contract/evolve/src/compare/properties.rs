//! Changes of the properties of a capability apart from its schemas.

use std::collections::BTreeSet;

use capgen_descriptor::VersionSet;
use capgen_manifest::{Capability, Determinism, Http, SideEffects, Skew, capability_keys};
use capgen_schema::Json;

use super::capability::Draft;
use crate::call::{recent_enough, supported};
use crate::{Level, codes};

/// Reports every property that changed. The version is checked by [`super::version`].
pub(super) fn compare(old: &Capability, new: &Capability, draft: &mut Draft) {
    timeout(old, new, draft);
    idempotent(old, new, draft);
    side_effects(old, new, draft);
    determinism(old, new, draft);
    authority(old, new, draft);
    versions(old, new, draft);
    skew(old, new, draft);
    http(old, new, draft);
    if old.description != new.description {
        let said = ("the description changed".to_owned(), &*values(old, new, "description"));
        draft.property_with(codes::TEXT_CHANGED, Level::Cosmetic, "description", said, None);
    }
    others(old, new, draft);
}

/// The old and the new value of a key, for a message that does not contain them.
fn values(old: &Capability, new: &Capability, key: &str) -> String {
    let value = |capability: &Capability| capability.definition().get(key).cloned().unwrap_or(Json::Null);
    Json::Array(vec![value(old), value(new)]).canonical()
}

fn timeout(old: &Capability, new: &Capability, draft: &mut Draft) {
    if old.timeout_ms == new.timeout_ms {
        return;
    }
    let shown = |timeout: Option<u64>| timeout.map_or_else(|| "none".to_owned(), |ms| format!("{ms} ms"));
    let text = format!("`timeoutMs` changed from {} to {}", shown(old.timeout_ms), shown(new.timeout_ms));
    // Without a timeout, a caller decides how long it waits.
    let is_lowered = new.timeout_ms.is_some_and(|after| old.timeout_ms.is_none_or(|before| after < before));
    if is_lowered {
        let help = "callers wait for a shorter time: make sure that every response arrives within it".to_owned();
        draft.property(codes::TIMEOUT_LOWERED, Level::Risky, "timeoutMs", text, Some(help));
    } else {
        draft.property(codes::PROPERTY_CHANGED, Level::Safe, "timeoutMs", text, None);
    }
}

fn idempotent(old: &Capability, new: &Capability, draft: &mut Draft) {
    match (old.idempotent == Some(true), new.idempotent == Some(true)) {
        (true, false) => {
            let text = "the capability is no longer idempotent".to_owned();
            let help = "callers may repeat a call that they get no response to: offer it under another name".to_owned();
            draft.property(codes::IDEMPOTENT_WITHDRAWN, Level::Breaking, "idempotent", text, Some(help));
        }
        (false, true) => {
            let text = "the capability is now idempotent".to_owned();
            draft.property(codes::PROPERTY_CHANGED, Level::Safe, "idempotent", text, None);
        }
        _ => {}
    }
}

fn side_effects(old: &Capability, new: &Capability, draft: &mut Draft) {
    if old.side_effects == new.side_effects {
        return;
    }
    // An absent value promises nothing, so it ranks as the widest.
    let rank = |effects: Option<SideEffects>| match effects {
        Some(SideEffects::Pure) => 0,
        Some(SideEffects::Idempotent) => 1,
        Some(SideEffects::External) | None => 2,
    };
    let shown = |effects: Option<SideEffects>| effects.map_or("none", SideEffects::name);
    let text = format!("`sideEffects` changed from {} to {}", shown(old.side_effects), shown(new.side_effects));
    if rank(new.side_effects) > rank(old.side_effects) {
        let help = "callers rely on the narrower effects: offer the call under another name".to_owned();
        draft.property(codes::SIDE_EFFECTS_WIDENED, Level::Breaking, "sideEffects", text, Some(help));
    } else {
        draft.property(codes::PROPERTY_CHANGED, Level::Safe, "sideEffects", text, None);
    }
}

fn determinism(old: &Capability, new: &Capability, draft: &mut Draft) {
    let is_deterministic = |capability: &Capability| capability.determinism == Some(Determinism::Deterministic);
    match (is_deterministic(old), is_deterministic(new)) {
        (true, false) => {
            let text = "equal requests may now get different responses".to_owned();
            let help = "callers may keep responses for equal requests".to_owned();
            draft.property(codes::DETERMINISM_WITHDRAWN, Level::Risky, "determinism", text, Some(help));
        }
        _ if old.determinism != new.determinism => {
            let said = ("`determinism` changed".to_owned(), &*values(old, new, "determinism"));
            draft.property_with(codes::PROPERTY_CHANGED, Level::Safe, "determinism", said, None);
        }
        _ => {}
    }
}

fn authority(old: &Capability, new: &Capability, draft: &mut Draft) {
    for (key, one, before, after) in [
        ("requiredRoles", "role", &old.required_roles, &new.required_roles),
        ("requiredScopes", "scope", &old.required_scopes, &new.required_scopes),
    ] {
        for name in after.iter().filter(|name| !before.contains(name)) {
            let text = format!("callers now need the {one} {name:?}");
            let help = format!("callers without the {one} are refused: grant it before this version is released");
            draft.property(codes::AUTHORITY_ADDED, Level::Breaking, key, text, Some(help));
        }
        for name in before.iter().filter(|name| !after.contains(name)) {
            let text = format!("callers no longer need the {one} {name:?}");
            draft.property(codes::PROPERTY_CHANGED, Level::Safe, key, text, None);
        }
    }
}

/// Whether callers with another contract are served.
fn skew(old: &Capability, new: &Capability, draft: &mut Draft) {
    if old.skew == new.skew {
        return;
    }
    let shown = |skew: Option<Skew>| skew.map_or("none", Skew::name);
    let text = format!("`skew` changed from {} to {}", shown(old.skew), shown(new.skew));
    if new.skew.unwrap_or_default() > old.skew.unwrap_or_default() {
        let help = "deploy all callers with the new contract before this version is released".to_owned();
        draft.property(codes::SKEW_STRICTER, Level::Risky, "skew", text, Some(help));
    } else {
        draft.property(codes::PROPERTY_CHANGED, Level::Safe, "skew", text, None);
    }
}

/// The operation of HTTP. Callers over the transports of the agent do not use it.
fn http(old: &Capability, new: &Capability, draft: &mut Draft) {
    if old.http == new.http {
        return;
    }
    let content = values(old, new, Http::KEY);
    let (Some(before), after) = (&old.http, &new.http) else {
        let text = "an operation of HTTP is now described".to_owned();
        return draft.property_with(codes::PROPERTY_CHANGED, Level::Safe, Http::KEY, (text, &content), None);
    };
    let changed = match after {
        Some(after) => changed_parts(before, after),
        None => vec!["it is no longer described".to_owned()],
    };
    if changed.is_empty() {
        let text = "the texts of the operation of HTTP changed".to_owned();
        return draft.property_with(codes::TEXT_CHANGED, Level::Cosmetic, Http::KEY, (text, &content), None);
    }
    let text = format!("the operation of HTTP changed: {}", changed.join(", "));
    let help = "programs that call it over HTTP have to follow: offer the old one until they do".to_owned();
    draft.property_with(codes::HTTP_CHANGED, Level::Risky, Http::KEY, (text, &content), Some(help));
}

/// The keys whose values differ apart from texts for readers.
fn changed_parts(before: &Http, after: &Http) -> Vec<String> {
    let names = [before, after].into_iter().filter_map(|http| http.definition().as_object());
    let names: BTreeSet<&str> = names.flatten().map(|(name, _)| name.as_str()).collect();
    let value = |http: &Http, name: &str| http.get(name).map(without_texts);
    let differs = |name: &&str| value(before, name) != value(after, name);
    names.into_iter().filter(differs).map(|name| format!("`{name}`")).collect()
}

/// The value without descriptions, also those of scopes. The checks of `http` bound the recursion.
fn without_texts(value: &Json) -> Json {
    let member = |(name, value): &(String, Json)| match (name.as_str(), value) {
        ("description", Json::String(_)) => None,
        ("scopes", Json::Object(scopes)) => {
            let names = scopes.iter().map(|(scope, _)| (scope.clone(), Json::Null));
            Some((name.clone(), Json::Object(names.collect())))
        }
        _ => Some((name.clone(), without_texts(value))),
    };
    match value {
        Json::Object(members) => Json::Object(members.iter().filter_map(member).collect()),
        Json::Array(items) => Json::Array(items.iter().map(without_texts).collect()),
        scalar => scalar.clone(),
    }
}

/// The versions of callers that the provider serves.
fn versions(old: &Capability, new: &Capability, draft: &mut Draft) {
    let has_list = !(old.supported_versions.is_empty() && new.supported_versions.is_empty());
    if old.min_schema_version == new.min_schema_version && !has_list {
        return;
    }
    let served = recent_enough(old).intersection(&supported(old));
    // A version that both keys exclude now is reported for both.
    let too_old = served.difference(&recent_enough(new));
    let unsupported = served.difference(&supported(new));
    if old.min_schema_version != new.min_schema_version {
        let shown =
            |version: &Option<semver::Version>| version.as_ref().map_or_else(|| "none".to_owned(), ToString::to_string);
        let (before, after) = (&old.min_schema_version, &new.min_schema_version);
        let text = format!("`minSchemaVersion` changed from {} to {}", shown(before), shown(after));
        withdrawn(old, "minSchemaVersion", text, &too_old, draft);
    }
    // Also if the key is the same: the old version was served because it was the provider's own.
    if !unsupported.is_empty() {
        let text = format!("`supportedVersions` now excludes {unsupported}");
        withdrawn(old, "supportedVersions", text, &unsupported, draft);
    }
    if old.supported_versions == new.supported_versions {
        return;
    }
    let added = supported(new).difference(&supported(old));
    let text = match (added.is_empty(), unsupported.is_empty()) {
        (false, _) => format!("`supportedVersions` now includes {added}"),
        (true, true) => "`supportedVersions` changed, but no version of callers is refused because of it".to_owned(),
        (true, false) => return,
    };
    let said = (text, &*values(old, new, "supportedVersions"));
    draft.property_with(codes::PROPERTY_CHANGED, Level::Safe, "supportedVersions", said, None);
}

/// Reports a change of a key after which these versions of callers are refused.
fn withdrawn(old: &Capability, key: &str, text: String, lost: &VersionSet, draft: &mut Draft) {
    let refused = old.version.as_ref().filter(|version| lost.contains(version));
    match refused {
        Some(version) => {
            let text = format!("callers with the old version {version} are refused: {text}");
            let help = "serve this version until no caller uses it".to_owned();
            draft.property(codes::OLD_VERSION_REFUSED, Level::Breaking, key, text, Some(help));
        }
        None if !lost.is_empty() => {
            let help = "serve these versions until no caller uses them".to_owned();
            draft.property(codes::VERSIONS_WITHDRAWN, Level::Risky, key, text, Some(help));
        }
        None => draft.property(codes::PROPERTY_CHANGED, Level::Safe, key, text, None),
    }
}

/// The keys that the functions above and [`super::version`] compare.
const COMPARED: &[&str] = &[
    "description",
    "version",
    "timeoutMs",
    "idempotent",
    "supportedVersions",
    "minSchemaVersion",
    "sideEffects",
    "determinism",
    "requiredRoles",
    "requiredScopes",
    "skew",
];

macro_rules! changed_keys {
    ($($(#[$doc:meta])* $field:ident ($with:ident): $type:ident = $name:literal, $example:literal;)*) => {
        /// The names of the keys whose values differ.
        fn changed_keys(old: &Capability, new: &Capability) -> Vec<&'static str> {
            [$(($name, old.$field != new.$field)),*].into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
        }
    };
}

capability_keys!(changed_keys);

/// The keys without a rule of their own, such as `tags`.
fn others(old: &Capability, new: &Capability, draft: &mut Draft) {
    for key in changed_keys(old, new).into_iter().filter(|key| !COMPARED.contains(key)) {
        let said = (format!("`{key}` changed"), &*values(old, new, key));
        draft.property_with(codes::PROPERTY_CHANGED, Level::Safe, key, said, None);
    }
}
