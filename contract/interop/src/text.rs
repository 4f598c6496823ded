//! JSON as text for readers: indented, in the order of the members, with every digit of its numbers.

use capgen_schema::{Json, Object};

/// The text of a document, with two spaces for each level and a line break at the end. Takes time linear in the text.
///
/// ```
/// let json = r#"{"b": [1, 2], "a": {}}"#.parse()?;
/// assert_eq!(capgen_interop::pretty(&json), "{\n  \"b\": [\n    1,\n    2\n  ],\n  \"a\": {}\n}\n");
/// # Ok::<(), capgen_schema::JsonTextError>(())
/// ```
pub fn pretty(json: &Json) -> String {
    let mut out = String::new();
    write(&mut out, json, 0);
    out.push('\n');
    out
}

fn write(out: &mut String, json: &Json, level: usize) {
    match json {
        Json::Array(items) if !items.is_empty() => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                line(out, level + 1, index);
                write(out, item, level + 1);
            }
            end(out, level, ']');
        }
        Json::Object(members) if !members.is_empty() => object(out, members, level),
        // Scalars and empty containers have the same text in every layout.
        scalar => out.push_str(&scalar.canonical()),
    }
}

fn object(out: &mut String, members: &Object, level: usize) {
    out.push('{');
    for (index, (key, value)) in members.iter().enumerate() {
        line(out, level + 1, index);
        out.push_str(&Json::from(key.as_str()).canonical());
        out.push_str(": ");
        write(out, value, level + 1);
    }
    end(out, level, '}');
}

fn line(out: &mut String, level: usize, index: usize) {
    out.push_str(if index == 0 { "\n" } else { ",\n" });
    out.push_str(&"  ".repeat(level));
}

fn end(out: &mut String, level: usize, bracket: char) {
    out.push('\n');
    out.push_str(&"  ".repeat(level));
    out.push(bracket);
}
