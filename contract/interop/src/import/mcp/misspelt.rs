//! The member with the schema of the arguments, if it has another name than its form requires.

use capgen_diagnostic::nearest;
use capgen_schema::Json;

/// The members with a schema of arguments.
const NAMES: [&str; 4] = ["inputSchema", "input_schema", "parameters", "parametersJsonSchema"];

/// Other names of that member, which programs use.
const OTHERS: [&str; 11] = [
    "args",
    "argsSchema",
    "args_schema",
    "arguments",
    "input",
    "inputs",
    "jsonSchema",
    "json_schema",
    "params",
    "parameterSchema",
    "schema",
];

/// The usual other members of tools, some of which have similar names.
const USUAL: [&str; 16] = [
    "_meta",
    "annotations",
    "behavior",
    "cache_control",
    "description",
    "execution",
    "function",
    "icons",
    "name",
    "outputSchema",
    "output_schema",
    "response",
    "responseJsonSchema",
    "strict",
    "title",
    "type",
];

/// The name of the member that probably has the schema of the arguments, and the name that it should have if it is
/// similar.
pub(super) fn member(tool: &Json) -> Option<(&str, Option<&'static str>)> {
    let is_other = |name: &str| !USUAL.contains(&name) && !NAMES.contains(&name);
    let others = || tool.as_object().into_iter().flatten().filter(|(name, _)| is_other(name));
    let with_value = others().filter(|(_, value)| value.as_object().is_some());
    let near = with_value.clone().find_map(|(name, _)| Some((name.as_str(), Some(nearest(name, NAMES)?))));
    near.or_else(|| {
        with_value.clone().find(|(name, _)| OTHERS.contains(&name.as_str())).map(|(name, _)| (name.as_str(), None))
    })
}

/// Whether a tool has objects in unusual members, one of which may be the schema of its arguments.
pub(super) fn has_unknown_objects(tool: &Json) -> bool {
    let is_unknown = |(name, value): &(String, Json)| value.as_object().is_some() && !USUAL.contains(&name.as_str());
    tool.as_object().is_some_and(|members| members.iter().any(is_unknown))
}
