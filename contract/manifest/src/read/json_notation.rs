//! Help texts for manifests in JSON. Help is written for YAML, so its snippets are translated: `type: string` becomes
//! `"type": "string"`.

/// The help with its snippets in JSON. A snippet is a text between backticks.
pub(crate) fn in_json(help: &str) -> String {
    let part = |(index, part): (usize, &str)| match part {
        snippet if index % 2 == 1 => snippet_in_json(snippet).unwrap_or_else(|| snippet.to_owned()),
        prose => prose.to_owned(),
    };
    help.split('`').enumerate().map(part).collect::<Vec<_>>().join("`")
}

/// A part of a snippet.
#[derive(Clone, Copy, PartialEq)]
enum Token<'t> {
    /// A bracket, or a comma.
    Mark(char),
    /// The colon after a key.
    Colon,
    /// A text in double quotes, with its quotes.
    Quoted(&'t str),
    /// A text in single quotes, without its quotes.
    Single(&'t str),
    /// A text without quotes.
    Plain(&'t str),
}

/// A snippet in JSON; `None` if it is not a mapping in YAML, or is JSON already.
fn snippet_in_json(snippet: &str) -> Option<String> {
    let (is_element, text) = match snippet.strip_prefix("- ") {
        Some(element) => (true, element),
        None => (false, snippet),
    };
    let tokens = tokens(text)?;
    if !tokens.contains(&Token::Colon) {
        return None;
    }
    let text = written(&tokens);
    // The element of a list in YAML needs no braces.
    Some(if is_element && !text.starts_with('{') { format!("{{{text}}}") } else { text })
}

fn tokens(text: &str) -> Option<Vec<Token<'_>>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            '{' | '}' | '[' | ']' | ',' => (Token::Mark(first), 1),
            ':' => (Token::Colon, 1),
            '"' => {
                let length = quoted_length(rest)?;
                (Token::Quoted(rest.get(..length)?), length)
            }
            '\'' => {
                let length = rest.get(1..)?.find('\'')? + 2;
                (Token::Single(rest.get(1..length - 1)?), length)
            }
            _ => {
                let length = plain_length(rest);
                (Token::Plain(rest.get(..length)?.trim_end()), length)
            }
        };
        tokens.push(token);
        rest = rest.get(length..)?.trim_start();
    }
    Some(tokens)
}

/// The length of a text in double quotes.
fn quoted_length(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The length of a text without quotes. It ends before a bracket, a comma, or a colon with a space.
fn plain_length(text: &str) -> usize {
    let is_end = |(at, c): (usize, char)| match c {
        '{' | '}' | '[' | ']' | ',' => true,
        ':' => text.get(at + 1..).is_some_and(|after| after.is_empty() || after.starts_with(' ')),
        _ => false,
    };
    text.char_indices().find(|part| is_end(*part)).map_or(text.len(), |(at, _)| at)
}

fn written(tokens: &[Token<'_>]) -> String {
    let mut text = String::new();
    for (index, token) in tokens.iter().enumerate() {
        let is_key = tokens.get(index + 1) == Some(&Token::Colon);
        match token {
            Token::Mark(',') => text.push_str(", "),
            Token::Mark(mark) => text.push(*mark),
            Token::Colon => text.push_str(": "),
            Token::Quoted(quoted) => text.push_str(quoted),
            Token::Single(single) => text.push_str(&in_quotes(single)),
            Token::Plain(plain) if !is_key && is_json(plain) => text.push_str(plain),
            Token::Plain(plain) => text.push_str(&in_quotes(plain)),
        }
    }
    text
}

fn in_quotes(text: &str) -> String {
    capgen_schema::Json::String(text.to_owned()).canonical()
}

/// Whether a value without quotes is the same in JSON, or a placeholder for any value.
fn is_json(plain: &str) -> bool {
    matches!(plain, "..." | "true" | "false" | "null") || plain.parse::<capgen_schema::Number>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snippets_are_translated_and_prose_is_not() {
        let cases = [
            ("add `version: 1`", r#"add `"version": 1`"#),
            ("write `{ type: string }`: a schema", r#"write `{"type": "string"}`: a schema"#),
            ("add `agent: agent://<id>`", r#"add `"agent": "agent://<id>"`"#),
            ("write `enum: [...]`", r#"write `"enum": [...]`"#),
            ("write `oneOf: [{...}, {...}]`", r#"write `"oneOf": [{...}, {...}]`"#),
            ("write `type: [string, \"null\"]`", r#"write `"type": ["string", "null"]`"#),
            (
                "an element such as `- { kind: memory, topics: { requests: <name> } }`",
                r#"an element such as `{"kind": "memory", "topics": {"requests": "<name>"}}`"#,
            ),
            ("write `- name: <name>` instead", r#"write `{"name": "<name>"}` instead"#),
            (r"write `pattern: '^\d+$'`", r#"write `"pattern": "^\\d+$"`"#),
            ("write `minimum`, or `{}`", "write `minimum`, or `{}`"),
            (r##"write `"$ref": "#/definitions/<name>"`"##, r##"write `"$ref": "#/definitions/<name>"`"##),
            ("write `additionalProperties: false`", r#"write `"additionalProperties": false`"#),
            ("did you mean `agent`?", "did you mean `agent`?"),
            ("write `agent://shop`", "write `agent://shop`"),
        ];
        for (help, expected) in cases {
            assert_eq!(in_json(help), expected);
        }
    }
}
