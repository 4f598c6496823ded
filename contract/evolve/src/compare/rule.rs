//! Which rule a change of a schema falls under.

use capgen_diagnostic::Code;
use capgen_manifest::Side;

use super::change::Kind;
use crate::{Level, codes};

/// The rule and the level of a change that makes the receiver reject a payload.
pub(super) fn breaking(kind: Kind, side: Side) -> (Code, Level) {
    let (request, response) = match kind {
        Kind::SideTyped => (codes::REQUEST_TYPED, codes::RESPONSE_WIDENED),
        Kind::SideUntyped => (codes::REQUEST_NARROWED, codes::RESPONSE_UNTYPED),
        Kind::Type | Kind::Widened => (codes::REQUEST_TYPE_NARROWED, codes::RESPONSE_TYPE_WIDENED),
        Kind::Members => (codes::REQUEST_VALUE_REMOVED, codes::RESPONSE_VALUE_ADDED),
        Kind::Bound => (codes::REQUEST_BOUND_TIGHTENED, codes::RESPONSE_BOUND_LOOSENED),
        Kind::Text => (codes::REQUEST_TEXT_CONSTRAINED, codes::RESPONSE_TEXT_RELAXED),
        Kind::PropertyRemoved => (codes::REQUEST_PROPERTY_REMOVED, codes::RESPONSE_PROPERTY_REMOVED),
        Kind::PropertyAdded => (codes::REQUEST_PROPERTY_DECLARED, codes::RESPONSE_PROPERTY_ADDED),
        Kind::Required => (codes::REQUEST_PROPERTY_REQUIRED, codes::RESPONSE_WIDENED),
        Kind::Optional => (codes::REQUEST_NARROWED, codes::RESPONSE_PROPERTY_OPTIONAL),
        Kind::Rest => (codes::REQUEST_OBJECT_CLOSED, codes::RESPONSE_OBJECT_OPENED),
        Kind::Branches => (codes::REQUEST_BRANCH_REMOVED, codes::RESPONSE_BRANCH_ADDED),
        Kind::Replaced | Kind::Default | Kind::Annotation => (codes::REQUEST_NARROWED, codes::RESPONSE_WIDENED),
    };
    (if side == Side::Request { request } else { response }, Level::Breaking)
}

/// The rule and the level of a change after which the receiver still accepts every payload.
pub(super) fn accepted(kind: Kind, side: Side) -> (Code, Level) {
    match (kind, side) {
        (Kind::Default, _) => (codes::DEFAULT_CHANGED, Level::Risky),
        (Kind::Annotation, _) => (codes::TEXT_CHANGED, Level::Cosmetic),
        (Kind::PropertyRemoved, _) => (codes::PROPERTY_REMOVED, Level::Risky),
        (Kind::Widened, Side::Request) => (codes::REQUEST_INTEGER_WIDENED, Level::Risky),
        (Kind::SideUntyped, Side::Request) => (codes::REQUEST_UNTYPED, Level::Risky),
        (_, Side::Request) => (codes::REQUEST_COMPATIBLE, Level::Safe),
        (_, Side::Response) => (codes::RESPONSE_COMPATIBLE, Level::Safe),
    }
}
