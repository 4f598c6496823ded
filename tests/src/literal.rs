//! JSON values as TypeScript.

use capgen_schema::Json;

/// A value as a literal expression.
pub fn expression(value: &Json) -> String {
    write(value, &|name| format!("[{name}]"))
}

/// The type that contains only this value. A value of this type is not a fresh literal, so the compiler does not check
/// for excess properties.
pub fn type_of(value: &Json) -> String {
    write(value, &str::to_owned)
}

fn write(value: &Json, proto: &impl Fn(&str) -> String) -> String {
    match value {
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| write(item, proto)).collect();
            format!("[{}]", items.join(", "))
        }
        Json::Object(members) => {
            let member = |(name, value): &(String, Json)| {
                let quoted = Json::String(name.clone()).canonical();
                // In an expression, the plain name would set the prototype.
                let key = if name == "__proto__" { proto(&quoted) } else { quoted };
                format!("{key}: {}", write(value, proto))
            };
            let members: Vec<String> = members.iter().map(member).collect();
            format!("{{{}}}", members.join(", "))
        }
        scalar => scalar.canonical(),
    }
}
