//! The schema of a side as an expression, in a form that becomes draft-07 or 2020-12.
//!
//! The subset of capgen has the same meaning in both, except for the keyword of the definitions, `dependentRequired`,
//! and the positions of arrays. So the keyword of the definitions, the references that contain it, and the keywords of
//! positions are filled in when a program asks for the schema.

use capgen_schema::{Json, Object, Schema, definition_name, fragment_token, is_standard_format};

use crate::typescript::syntax::{BinaryOperator, Expression, Literal, Local, Number};
use crate::typescript::validator::internal::array;

/// Keywords that are left out: those that only structure the document, and comments for its authors. An `$id` would be
/// the same for both forms, and identify neither.
const OMITTED: [&str; 4] = ["$schema", "$id", "$comment", "definitions"];

/// An array of the schema and, if there are any, its definitions. References to definitions start with
/// [`Local::References`]. Without a schema, every value is accepted.
pub(super) fn parts(schema: Option<&Schema>) -> Expression {
    let source = schema.map(Schema::source);
    let root = match source {
        None | Some(Json::Bool(true)) => Expression::Object(Vec::new()),
        // The result of `jsonSchema` must be an object.
        Some(Json::Bool(false)) => Expression::Object(vec![("not".to_owned(), Expression::Object(Vec::new()))]),
        Some(source) => self::schema(source),
    };
    let definitions = source.and_then(|source| source.get("definitions")?.as_object());
    let definitions = definitions.filter(|members| members.iter().next().is_some());
    let definitions = definitions.map(|members| schemas(members.iter()));
    Expression::Array(std::iter::once(root).chain(definitions).collect())
}

/// Whether a schema may have a list of schemas for the positions of an array.
pub(super) fn has_positions(parts: &Expression) -> bool {
    match parts {
        Expression::Object(members) => members
            .iter()
            .any(|(name, value)| has_positions(value) || (name == "items" && matches!(value, Expression::Array(_)))),
        Expression::Array(items) => items.iter().any(has_positions),
        _ => false,
    }
}

/// A subschema. The recursion is bounded, because the loader limits the nesting of subschemas.
fn schema(source: &Json) -> Expression {
    let Json::Object(members) = source else { return value(source) };
    let dependent = members.get(DEPENDENT).and_then(Json::as_object).map(conditions).unwrap_or_default();
    let is_kept =
        |name: &str| !OMITTED.contains(&name) && name != DEPENDENT && (name != "allOf" || dependent.is_empty());
    let kept = members.iter().filter(|(name, _)| is_kept(name));
    let mut kept: Vec<(String, Expression)> =
        kept.map(|(name, value)| (name_of(name, value).to_owned(), keyword(name, value))).collect();
    if !dependent.is_empty() {
        let own = members.get("allOf").and_then(Json::as_array).unwrap_or_default();
        kept.push(("allOf".to_owned(), array(own.iter().chain(&dependent).map(schema).collect())));
    }
    Expression::Object(kept)
}

/// The name of a keyword: other programs know formats by `format`, and do not check those that no draft defines.
fn name_of<'j>(name: &'j str, value: &Json) -> &'j str {
    let is_format = name == "x-format" && value.as_str().is_some_and(|format| !is_standard_format(format));
    if is_format { "format" } else { name }
}

/// The keyword that draft-07 has with another name. In this form, other keywords express it.
const DEPENDENT: &str = "dependentRequired";

/// `dependentRequired` as branches of `allOf`: an object lacks a property, or has those that the property requires.
fn conditions(members: &Object) -> Vec<Json> {
    let object = |name: &str, value| Json::Object([(name.to_owned(), value)].into_iter().collect());
    let condition = |(name, required): &(String, Json)| {
        let lacks = object("not", object("required", Json::Array(vec![Json::from(name.as_str())])));
        object("anyOf", Json::Array(vec![lacks, object("required", required.clone())]))
    };
    members.iter().map(condition).collect()
}

fn schemas<'j>(members: impl Iterator<Item = &'j (String, Json)>) -> Expression {
    Expression::Object(members.map(|(name, source)| (name.clone(), schema(source))).collect())
}

fn keyword(name: &str, source: &Json) -> Expression {
    match (name, source) {
        ("$ref", Json::String(reference)) => {
            // The loader accepts only references to definitions.
            let token = definition_name(reference).map(|name| fragment_token(&name)).unwrap_or_default();
            Expression::from(Local::References).binary(BinaryOperator::Plus, Expression::string(&token))
        }
        ("properties", Json::Object(members)) => schemas(members.iter()),
        ("patternProperties", Json::Object(members)) => schemas(members.iter()),
        ("oneOf" | "anyOf" | "allOf", Json::Array(branches)) => array(branches.iter().map(schema).collect()),
        ("items", Json::Array(positions)) => array(positions.iter().map(schema).collect()),
        ("items" | "additionalItems" | "additionalProperties" | "contains", source) => schema(source),
        ("not" | "if" | "then" | "else", source) => schema(source),
        (_, source) => value(source),
    }
}

/// A value, with numbers as JavaScript reads them from JSON. A number beyond the largest one becomes that one, because
/// an infinity is not JSON.
fn value(source: &Json) -> Expression {
    match source {
        Json::Array(items) => array(items.iter().map(value).collect()),
        Json::Object(members) => {
            Expression::Object(members.iter().map(|(name, member)| (name.clone(), value(member))).collect())
        }
        Json::Number(number) => {
            Expression::Literal(Literal::Number(Number::new(number.as_f64().clamp(f64::MIN, f64::MAX))))
        }
        scalar => Literal::of(scalar).map_or(Expression::Undefined, Expression::Literal),
    }
}
