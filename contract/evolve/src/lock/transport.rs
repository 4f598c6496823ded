//! The transports of an agent in a lock: where its callers connect to, without secrets.

use std::collections::BTreeMap;

use capgen_diagnostic::public_url;
use capgen_manifest::TransportSettings;
use capgen_schema::{Hash, Json};

/// The settings of a transport that decide where callers connect to: the kind, the addresses and the channels. By key:
/// texts as they are, and other values as canonical JSON text. URLs have no user info, query values or fragments, and
/// credentials are left out: a lock is checked in.
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
        Json::String(text) => address(text).as_str().into(),
        Json::Array(items) => Json::Array(items.iter().map(public).collect()),
        Json::Object(members) => {
            Json::Object(members.iter().map(|(key, value)| (key.clone(), public(value))).collect())
        }
        other => other.clone(),
    }
}

/// A URL without secrets. Two that lead to different hosts never have the same text.
fn address(url: &str) -> String {
    let shown = public_url(url).into_owned();
    match masked_authority(url) {
        Some(authority) => format!("{shown} to {}", Hash::of(authority)),
        None => shown,
    }
}

/// The host and the port of a URL (RFC 3986, 3.2) if they are within the part that `***` replaces: an `@` in a path, a
/// query or a fragment is not the end of user info, but may be meant as such by someone whose password contains a `/`.
/// So it is not displayed, either. A backslash ends the authority, too, as in the URLs of the WHATWG. A text whose port
/// is not a number, such as a user with the start of a password, leads to no host.
fn masked_authority(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("//")?;
    let (authority, after) = rest.split_at_checked(rest.find(['/', '?', '#', '\\'])?)?;
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let port = host.rsplit_once(':').map_or("", |(_, port)| port);
    let is_host = host.ends_with(']') || port.bytes().all(|byte| byte.is_ascii_digit());
    (is_host && after.contains('@')).then_some(host)
}

/// The settings that differ, as pointers from the manifest, such as `/transports/0/url`. The order of transports
/// counts: callers use the first one that they can.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_different_hosts_differ_and_secrets_do_not_matter() {
        let [first, second] = ["mqtts://ann:secret@broker/", "mqtts://bob:other@broker/"].map(address);
        assert_eq!((first.as_str(), &first), ("mqtts://***@broker/", &second));
        let hosts = ["broker", "evil", "evil:1", "ann@evil"];
        let ends = ["/@broker/", "?@broker/", "#@broker/", r"\@broker/", "/a/b@broker/"];
        for end in ends {
            let mut texts: Vec<String> = hosts.iter().map(|host| address(&format!("mqtts://{host}{end}"))).collect();
            assert!(texts.iter().all(|text| !text.contains("evil") && *text != first), "{texts:?}");
            assert_eq!(texts.pop(), Some(address(&format!("mqtts://bob:secret@evil{end}"))));
            texts.dedup();
            assert_eq!(texts.len(), 3, "{texts:?}");
        }
        let [first, second] = ["[::1]", "[::2]"].map(|host| address(&format!("mqtts://{host}/@broker/")));
        assert_ne!(first, second);
    }

    #[test]
    fn parts_of_passwords_are_not_hashed() {
        assert_eq!(address("mqtts://ann:sec/ret@broker/"), "mqtts://***@broker/");
        assert_eq!(address("mqtts://ann:sec/other@broker/"), "mqtts://***@broker/");
    }
}
