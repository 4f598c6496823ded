//! JSON values as TypeScript.

use capgen_schema::Json;

/// A value as a literal expression.
pub fn expression(value: &Json) -> String {
    write(value, &|name| format!("[{name}]"))
}

/// The type that only the value has. A value of this type is no fresh literal: the compiler does not look for members in
/// excess.
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
                // As a plain name in an expression it would set the prototype.
                let key = if name == "__proto__" { proto(&quoted) } else { quoted };
                format!("{key}: {}", write(value, proto))
            };
            let members: Vec<String> = members.iter().map(member).collect();
            format!("{{{}}}", members.join(", "))
        }
        scalar => scalar.canonical(),
    }
}
