//! The transports of an agent in a lock: where its callers connect to, without secrets.

use std::collections::BTreeMap;

use capgen_diagnostic::public_url;
use capgen_manifest::TransportSettings;
use capgen_schema::Json;

/// The settings of a transport that decide where callers connect to: the kind, the addresses and the channels. By key: texts as they
/// are, and other values as canonical JSON text. URLs have no user info, query values or fragments, and credentials are left out: a lock is checked in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LockedTransport(pub BTreeMap<String, String>);

/// The setting that has credentials only.
const CREDENTIALS: &str = "sasl";

impl LockedTransport {
    /// The settings of a transport.
    ///
    /// ```
    /// use capgen_evolve::LockedTransport;
    /// use capgen_manifest::TransportSettings;
    /// let nats = TransportSettings::nats(&["nats://ann:secret@broker:4222"], "shop.requests");
    /// let locked = LockedTransport::of(&nats);
    /// assert_eq!(locked.0["servers"], r#"["nats://***@broker:4222"]"#);
    /// ```
    pub fn of(transport: &TransportSettings) -> Self {
        let settings = transport.settings.as_object().into_iter().flatten();
        let settings = settings.filter(|(key, _)| !matches!(key.as_str(), CREDENTIALS | "kind"));
        let mut locked: BTreeMap<String, String> =
            settings.map(|(key, value)| (key.clone(), text(public(value)))).collect();
        locked.insert("kind".to_owned(), transport.kind.clone());
        Self(locked)
    }
}

/// The text of a setting. The type of each setting is fixed, so no two values of one have the same text.
fn text(value: Json) -> String {
    match value {
        Json::String(text) => text,
        other => other.canonical(),
    }
}

/// A value whose texts have no secrets of URLs. The recursion is as deep as the manifest, which the loader limits.
fn public(value: &Json) -> Json {
    match value {
        Json::String(text) => public_url(text).into_owned().as_str().into(),
        Json::Array(items) => Json::Array(items.iter().map(public).collect()),
        Json::Object(members) => {
            Json::Object(members.iter().map(|(key, value)| (key.clone(), public(value))).collect())
        }
        other => other.clone(),
    }
}

/// The settings that differ, as pointers from the manifest, such as `/transports/0/url`. The order of transports counts: callers use the
/// first one that they can.
pub(super) fn changes(old: &[LockedTransport], new: &[LockedTransport]) -> Vec<String> {
    let mut changed = Vec::new();
    for index in 0..old.len().max(new.len()) {
        let (before, after) = match (old.get(index), new.get(index)) {
            (Some(before), Some(after)) => (&before.0, &after.0),
            _ => {
                changed.push(format!("/transports/{index}"));
                continue;
            }
        };
        let keys: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        let differs = keys.into_iter().filter(|key| before.get(*key) != after.get(*key));
        changed.extend(differs.map(|key| capgen_schema::pointer::join(&format!("/transports/{index}"), key)));
    }
    changed
}
