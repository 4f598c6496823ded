//! A typed value must write back every declared property that it read, with an equal value.

use capgen_schema::{Assertions, Json, Kind, NodeId, Number, Schema, Validator};

/// Checks that the difference between the value that was read and the value that was written is allowed.
///
/// # Errors
///
/// The path and the reason, if it is not.
pub fn compare(schema: &Schema, before: &Json, after: &Json) -> Result<(), String> {
    Oracle { schema, validator: Validator::new(schema) }.compare(&[schema.root()], before, after, "")
}

/// A schema, and a validator for each of its parts.
struct Oracle<'a> {
    schema: &'a Schema,
    validator: Validator,
}

impl<'a> Oracle<'a> {
    /// The assertions that apply to a value: those of the nodes, of the targets of their references, and of the
    /// branches of unions that the value matches.
    fn assertions(&self, nodes: &[NodeId], value: &Json) -> Vec<&'a Assertions> {
        let mut stack = nodes.to_vec();
        let mut found = Vec::new();
        while let Some(id) = stack.pop() {
            match &self.schema.node(id).kind {
                Kind::Bool(_) => {}
                Kind::Ref(target) => stack.push(*target),
                Kind::Assertions(group) => {
                    found.push(group.as_ref());
                    stack.extend(group.all_of.iter().flatten());
                    let branches = group.one_of.iter().chain(&group.any_of).flatten();
                    stack.extend(branches.filter(|branch| self.matches(**branch, value)));
                    if let Some(condition) = group.if_ {
                        let is_met = self.matches(condition, value);
                        stack.extend(if is_met { group.then } else { group.else_ });
                    }
                }
            }
        }
        found
    }

    fn matches(&self, node: NodeId, value: &Json) -> bool {
        self.validator.at(&self.schema.node(node).pointer).is_some_and(|part| part.is_valid(&value.to_value()))
    }

    /// The recursive part of [`compare`]. `nodes` are the schemas of the value at `path`.
    fn compare(&self, nodes: &[NodeId], before: &Json, after: &Json, path: &str) -> Result<(), String> {
        let groups = self.assertions(nodes, before);
        match (before, after) {
            (Json::Object(old), Json::Object(new)) => {
                if let Some((name, _)) = new.iter().find(|(name, _)| old.get(name).is_none()) {
                    return Err(format!("{path}/{name}: was added"));
                }
                for (name, value) in old {
                    let path = format!("{path}/{name}");
                    let below: Vec<NodeId> = groups.iter().filter_map(|group| property(group, name)).collect();
                    let required = groups.iter().any(|group| group.required.contains(name));
                    match new.get(name) {
                        Some(written) => self.compare(&below, value, written, &path)?,
                        None if below.is_empty() && !required => {}
                        None => return Err(format!("{path}: was lost")),
                    }
                }
                Ok(())
            }
            (Json::Array(old), Json::Array(new)) if old.len() == new.len() => {
                let items = |i| groups.iter().filter_map(|group| group.item_at(i)).collect::<Vec<NodeId>>();
                let mut pairs = old.iter().zip(new).enumerate();
                pairs.try_for_each(|(i, (old, new))| self.compare(&items(i), old, new, &format!("{path}/{i}")))
            }
            _ if before == after || is_rounding(before, after) => Ok(()),
            _ => Err(format!("{path}: {} became {}", before.canonical(), after.canonical())),
        }
    }
}

/// Whether `after` is the exact value of the binary64 that `before`, a shorter decimal, is read as, or has the binary64
/// of a number with more digits than binary64.
fn is_rounding(before: &Json, after: &Json) -> bool {
    let (Json::Number(before), Json::Number(after)) = (before, after) else { return false };
    let exact = Number::exact(before.as_f64());
    let is_exact_value = before.is_integer() && exact.is_some_and(|exact| exact != *before && exact == *after);
    let is_64_bit = before.as_i64().is_some() || before.as_u64().is_some();
    let is_rounded = !is_64_bit && !before.is_representable() && before.as_f64() == after.as_f64();
    is_exact_value || is_rounded
}

/// The schema of a property in a group of assertions.
fn property(group: &Assertions, name: &str) -> Option<NodeId> {
    let declared = group.properties.iter().find(|(n, _)| n == name).map(|(_, node)| *node);
    declared.or_else(|| group.patterns_of(name).next()).or(group.additional_properties)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_may_only_be_written_as_the_exact_value_of_its_binary64() {
        let schema = Schema::parse_text(r#"{"type":"number"}"#).unwrap();
        for (before, after, is_kept) in [
            ("1.152921504606847e18", "1152921504606846976", true),
            ("1152921504606846976", "1152921504606847000", false),
            ("0.4", "0", false),
            ("0.4", "4e-1", true),
            ("-9223372036854776000", "-9223372036854775808", true),
            ("0.10000000000000000001", "0.1", true),
            ("0.10000000000000000001", "0.2", false),
        ] {
            let [before, after] = [before, after].map(|text| text.parse::<Json>().unwrap());
            assert_eq!(compare(&schema, &before, &after).is_ok(), is_kept, "{before:?} {after:?}");
        }
    }
}
