//! What was said, as JSON.

/// A string.
pub(crate) fn string(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    json.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => json.extend(['\\', c]),
            c if c < ' ' => json.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => json.push(c),
        }
    }
    json.push('"');
    json
}

/// A list of strings.
pub(crate) fn list(texts: impl Iterator<Item = String>) -> String {
    format!("[{}]", texts.map(|text| string(&text)).collect::<Vec<_>>().join(","))
}

/// An object, of names and JSON texts; `None` where it is empty.
pub(crate) fn object(members: &[(String, String)]) -> Option<String> {
    let members: Vec<String> = members.iter().map(|(name, value)| format!("{}:{value}", string(name))).collect();
    (!members.is_empty()).then(|| format!("{{{}}}", members.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_read_back() {
        for text in ["", "a\"b\\c", "\u{0}\n\t\u{7f}\u{2028}é🦀"] {
            assert_eq!(string(text).parse::<capgen_schema::Json>(), Ok(capgen_schema::Json::String(text.to_owned())));
        }
        assert_eq!(list(["a".to_owned(), "b".to_owned()].into_iter()), r#"["a","b"]"#);
        assert_eq!(object(&[("a".to_owned(), "1".to_owned())]).as_deref(), Some(r#"{"a":1}"#));
        assert_eq!(object(&[]), None);
    }
}
