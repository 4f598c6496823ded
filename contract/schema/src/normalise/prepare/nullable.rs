//! `nullable: true`. OpenAPI 3.0 defines it only next to `type`, and the drafts of JSON Schema not at all. Authors
//! write it in other places as well, and mean that null is allowed.

use super::super::lossy::Reading;
use super::super::places::is_container;
use super::super::tree::Origin;
use super::super::walk::asserts;
use super::{Position, Rewriting};
use crate::{Json, Object};

/// Keywords that reject null whatever `type` allows.
const COMBINATIONS: [&str; 5] = ["$ref", "allOf", "anyOf", "oneOf", "const"];

const ALONE: &str = "`nullable` alone in a union is read as the type null";
const NO_EFFECT: &str = "`nullable` without `type` has no effect here";
const BESIDE: &str = "`nullable` is read as: null is allowed, although other keywords next to it reject null";
const FOREIGN: &str = "`nullable` is a keyword of OpenAPI 3.0; it is read as: null is allowed";

/// Whether keywords next to `nullable: true` reject null.
pub(in super::super) fn is_beside_a_combination(object: &Object) -> bool {
    let rejects = |name: &&str| object.get(name).is_some();
    object.get("nullable") == Some(&Json::Bool(true)) && (COMBINATIONS.iter().any(rejects) || lacks_null(object))
}

fn lacks_null(object: &Object) -> bool {
    object.get("enum").and_then(Json::as_array).is_some_and(|values| !values.contains(&Json::Null))
}

/// Whether a branch of a union is obviously the type null.
fn is_null(schema: &Json) -> bool {
    schema.get("type").and_then(Json::as_str) == Some("null")
}

/// Keywords that stay outside when a schema becomes a branch of `anyOf`.
fn is_outer(name: &str) -> bool {
    is_container(name) || ["$schema", "$id"].contains(&name) || !asserts(name)
}

fn null() -> Json {
    Json::Object([("type".to_owned(), Json::from("null"))].into_iter().collect())
}

impl Rewriting {
    /// The schema with its `nullable` expressed by other keywords, apart from one that only changes `type`.
    pub(super) fn nullable(&mut self, mut out: Object, origin: &Origin, position: Position) -> Object {
        if out.get("nullable") != Some(&Json::Bool(true)) {
            return out;
        }
        let place = || origin.join("nullable").pointer();
        let is_alone = out.iter().all(|(name, _)| name == "nullable" || is_outer(name));
        if is_alone {
            out.set("nullable", None);
            match position {
                Position::Union => {
                    out.set("type", Some(Json::from("null")));
                    self.note(Reading::Nullable, place(), ALONE);
                }
                Position::Conjunction => self.note(Reading::Nullable, place(), NO_EFFECT),
                Position::Other => {}
            }
        } else if COMBINATIONS.iter().any(|name| out.get(name).is_some()) {
            return self.beside_a_combination(out, origin);
        } else if lacks_null(&out) {
            if let Some(Json::Array(values)) = out.get_mut("enum") {
                values.push(Json::Null);
            }
            self.note(Reading::Nullable, place(), BESIDE);
        } else if out.get("type").is_some() && !self.is_openapi_3_0 {
            self.note(Reading::Nullable, place(), FOREIGN);
        }
        out
    }

    fn beside_a_combination(&mut self, mut out: Object, origin: &Origin) -> Object {
        let branches = |name| out.get(name).and_then(Json::as_array).unwrap_or_default();
        if branches("anyOf").iter().chain(branches("oneOf")).any(is_null) {
            out.set("nullable", None);
            return out;
        }
        let is_alone = out.iter().all(|(name, _)| ["anyOf", "nullable"].contains(&name.as_str()) || is_outer(name));
        // A reference below would find another schema. The translation rejects the keyword.
        let may_move = is_alone || origin.is_root() || !self.is_referenced_below(&origin.pointer());
        let is_moved = may_move && (is_alone || self.moves.push(origin, "/anyOf/0"));
        if !is_moved {
            return out;
        }
        out.set("nullable", None);
        self.note(Reading::Nullable, origin.join("nullable").pointer(), BESIDE);
        if let (true, Some(Json::Array(branches))) = (is_alone, out.get_mut("anyOf")) {
            branches.push(null());
            return out;
        }
        let (outer, inner): (Vec<_>, Vec<_>) = out.iter().cloned().partition(|(name, _)| is_outer(name));
        let mut out: Object = outer.into_iter().collect();
        out.push("anyOf".to_owned(), Json::Array(vec![Json::Object(inner.into_iter().collect()), null()]));
        out
    }
}
