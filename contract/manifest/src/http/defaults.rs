//! `http` at the root of a manifest: what several capabilities share.

use std::collections::{HashMap, HashSet};

use capgen_schema::{Json, Object};

#[cfg(feature = "parse")]
use super::keys::DEFAULTS;
use super::keys::{OPERATION_KEYS, SHARED};
use super::{Checker, Http, HttpProblem};

/// The defaults for the key `http` of capabilities: `servers`, `security` and `securitySchemes`.
///
/// A capability without `servers` or `security` has those of the root; with an empty list, it has none. Its `security`
/// may name the schemes of the root, and its own, which come first.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct HttpDefaults(Object);

/// The key whose members are inherited one by one, by their names.
const SCHEMES: &str = "securitySchemes";

const SECURITY: &str = "security";

impl HttpDefaults {
    /// The defaults with which these operations need the fewest keys of their own: what most of them have, if at least
    /// two do. Takes time linear in the operations, apart from hashing.
    ///
    /// ```
    /// use capgen_manifest::{Http, HttpDefaults};
    /// let operation = |path: &str| -> Result<Http, Box<dyn std::error::Error>> {
    ///     let text = format!(r#"{{"method": "GET", "path": "{path}", "servers": [{{"url": "https://a.example"}}]}}"#);
    ///     Ok(Http::from_definition(&text.parse()?).map_err(|problems| format!("{problems:?}"))?)
    /// };
    /// let defaults = HttpDefaults::of(&[operation("/a")?, operation("/b")?]);
    /// assert!(defaults.definition().get("servers").is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of<'h>(operations: impl IntoIterator<Item = &'h Http>) -> Self {
        let all: Vec<&Http> = operations.into_iter().collect();
        let mut defaults = Object::new();
        for key in SHARED.iter().map(|key| key.name).filter(|key| *key != SCHEMES) {
            if let Some(value) = usual(all.iter().map(|http| http.get(key))) {
                defaults.push(key.to_owned(), value.clone());
            }
        }
        let schemes = schemes(&all, defaults.get(SECURITY));
        if !schemes.is_empty() {
            defaults.push(SCHEMES.to_owned(), Json::Object(schemes));
        }
        Self(defaults)
    }

    /// The value of the key `http` at the root; empty if there are no defaults.
    pub fn definition(&self) -> &Object {
        &self.0
    }

    /// The value of the key `http` of a capability in a manifest with these defaults.
    pub fn own(&self, http: &Http) -> Json {
        let none = Json::Array(Vec::new());
        let mut own = Object::new();
        for key in OPERATION_KEYS.iter().map(|key| key.name).filter(|key| *key != SCHEMES) {
            let (value, default) = (http.get(key), self.0.get(key));
            if value != default {
                own.push(key.to_owned(), value.unwrap_or(&none).clone());
            }
        }
        let known = members(self.0.get(SCHEMES));
        let is_own = |(name, scheme): &&(String, Json)| known.get(name.as_str()) != Some(&scheme);
        let schemes: Object = entries(http.get(SCHEMES)).filter(is_own).cloned().collect();
        if !schemes.is_empty() {
            own.push(SCHEMES.to_owned(), Json::Object(schemes));
        }
        Json::Object(own)
    }

    /// The problems of a value of the root.
    #[cfg(feature = "parse")]
    pub(crate) fn problems_of_root(value: &Json) -> Vec<HttpProblem> {
        let mut checker = Checker::default();
        checker.value(value, DEFAULTS, "", Http::KEY);
        let schemes = value.get(SCHEMES);
        checker.requirements(value.get(SECURITY), known(schemes, None));
        checker.problems
    }

    /// Defaults whose value has no problems.
    #[cfg(feature = "parse")]
    pub(crate) fn checked(value: &Json) -> Self {
        Self(value.as_object().cloned().unwrap_or_default())
    }

    /// The problems of the value of a capability.
    pub(crate) fn problems(&self, own: &Json) -> Vec<HttpProblem> {
        let mut checker = Checker::default();
        checker.operation(own);
        checker.requirements(own.get(SECURITY), known(own.get(SCHEMES), self.0.get(SCHEMES)));
        checker.problems
    }

    /// The value of a capability, completed by the defaults. It has the schemes that its requirements name, in the
    /// order in which they are declared. `own` has no problems.
    pub(crate) fn complete(&self, own: &Json) -> Http {
        let mut complete = Object::new();
        let is_empty = |value: &Json| value.as_array().is_some_and(<[Json]>::is_empty);
        for key in OPERATION_KEYS.iter().map(|key| key.name).filter(|key| *key != SCHEMES) {
            let value = own.get(key).or_else(|| self.0.get(key));
            if let Some(value) = value.filter(|value| !is_empty(value)) {
                complete.push(key.to_owned(), value.clone());
            }
        }
        let named = named(complete.get(SECURITY));
        let hidden = names(own.get(SCHEMES));
        let second = entries(self.0.get(SCHEMES)).filter(|(name, _)| !hidden.contains(name.as_str()));
        let is_named = |(name, _): &&(String, Json)| named.contains(name.as_str());
        let schemes: Object = entries(own.get(SCHEMES)).chain(second).filter(is_named).cloned().collect();
        if !schemes.is_empty() {
            complete.push(SCHEMES.to_owned(), Json::Object(schemes));
        }
        Http(Json::Object(complete))
    }
}

/// The value that most have, if at least two do; `None` also if most have none.
fn usual<'j>(values: impl Iterator<Item = Option<&'j Json>>) -> Option<&'j Json> {
    let mut counts: HashMap<String, (usize, usize, &Json)> = HashMap::new();
    let mut without = 0;
    for (index, value) in values.enumerate() {
        match value {
            Some(value) => counts.entry(value.canonical()).or_insert((0, index, value)).0 += 1,
            None => without += 1,
        }
    }
    let most = counts.into_values().max_by_key(|(count, index, _)| (*count, std::cmp::Reverse(*index)));
    most.filter(|(count, ..)| *count > 1 && *count >= without).map(|(.., value)| value)
}

/// The schemes that several capabilities have, and those that the default requirements name: of each name the first.
fn schemes(all: &[&Http], security: Option<&Json>) -> Object {
    let mut first: HashMap<&str, (usize, &Json)> = HashMap::new();
    let mut order: Vec<&str> = Vec::new();
    for (name, scheme) in all.iter().filter_map(|http| http.get(SCHEMES)?.as_object()).flatten() {
        let known = first.entry(name.as_str()).or_insert_with(|| {
            order.push(name.as_str());
            (0, scheme)
        });
        known.0 += usize::from(known.1 == scheme);
    }
    let named = named(security);
    let shared = order.into_iter().filter_map(|name| {
        let (count, scheme) = first.get(name)?;
        (*count > 1 || named.contains(name)).then(|| (name.to_owned(), (*scheme).clone()))
    });
    shared.collect()
}

/// The names of the schemes in requirements.
fn named(security: Option<&Json>) -> HashSet<&str> {
    let requirements = security.and_then(Json::as_array).unwrap_or_default();
    requirements.iter().filter_map(Json::as_object).flatten().map(|(name, _)| name.as_str()).collect()
}

fn entries(value: Option<&Json>) -> impl Iterator<Item = &(String, Json)> {
    value.and_then(Json::as_object).into_iter().flatten()
}

fn members(value: Option<&Json>) -> HashMap<&str, &Json> {
    entries(value).map(|(name, value)| (name.as_str(), value)).collect()
}

fn names(value: Option<&Json>) -> HashSet<&str> {
    members(value).into_keys().collect()
}

/// Whether one of two mappings of schemes has a name.
fn known<'j>(own: Option<&'j Json>, root: Option<&'j Json>) -> impl Fn(&str) -> bool + use<'j> {
    let (own, root) = (names(own), names(root));
    move |name| own.contains(name) || root.contains(name)
}
