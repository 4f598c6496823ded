//! Which lines of a source may hold a credential. They are never shown.
//!
//! It looks at lines, not at the tree, because a source that is no YAML has errors to show too; where in doubt, it hides.

use super::escape::user_info;

/// Parts of keys whose values are credentials, without `_` and `-`.
const WORDS: [&str; 12] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "sasl",
    "token",
    "credential",
    "bearer",
    "authorization",
    "apikey",
    "accesskey",
    "privatekey",
];

/// What the lines before say about the next one.
enum State {
    Open,
    /// A credential's key ended a line: the next line has the value, unless it starts a mapping.
    Pending(usize),
    /// Everything that is indented deeper belongs to a credential.
    Hidden(usize),
}

/// For each line whether it may hold a credential: the value of a key such as `password`, everything below `sasl`, or
/// a URL with user info. A schema (`token: { type: string }`) is no credential.
pub(crate) fn hidden_lines(text: &str) -> Vec<bool> {
    let mut state = State::Open;
    text.split('\n').map(|line| has_user_info(line) | is_hidden(line, &mut state)).collect()
}

fn is_hidden(line: &str, state: &mut State) -> bool {
    let content = line.trim();
    if content.is_empty() {
        return false;
    }
    let spaces = line.len() - line.trim_start().len();
    let is_item = content.starts_with('-');
    match *state {
        State::Hidden(indent) if spaces > indent || (is_item && spaces == indent) => return true,
        State::Pending(indent) if !starts_mapping(content) => {
            *state = State::Hidden(indent);
            return true;
        }
        _ => *state = State::Open,
    }
    let indent = line.len() - line.trim_start_matches([' ', '\t', '-', '?']).len();
    let mut hidden = false;
    if content.strip_prefix("? ").is_some_and(|key| credential_word(key).is_some()) {
        *state = State::Pending(indent);
    }
    for (at, _) in content.match_indices(':') {
        let (key, value) = content.split_at(at);
        let Some(word) = credential_word(key) else { continue };
        let value = value.trim_start_matches(':').trim_start();
        if word != "sasl" && is_schema(value) {
            continue;
        }
        let is_absent = matches!(value, "" | "{" | "[");
        let opens = is_absent || value.starts_with(['#', '&', '!']);
        *state = if opens && word != "sasl" { State::Pending(indent) } else { State::Hidden(indent) };
        hidden |= !is_absent;
    }
    hidden
}

/// Which of [`WORDS`] the key at the end of `text` has.
fn credential_word(text: &str) -> Option<&'static str> {
    let text = text.trim_end().trim_end_matches(['"', '\'']);
    let rest = text.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let key = text.get(rest.len()..).filter(|key| !key.is_empty())?;
    let key = key.to_ascii_lowercase().replace(['_', '-'], "");
    // `maxTokens` is a count.
    if key.ends_with("tokens") { None } else { WORDS.into_iter().find(|word| key.contains(word)) }
}

/// Whether the content of a line starts with a key.
fn starts_mapping(content: &str) -> bool {
    let content = content.trim_start_matches(['{', '[', '-', ' ', '}', ']', ',']);
    let quote = content.chars().next().filter(|c| matches!(c, '"' | '\''));
    let name = quote.map_or(content, |quote| content.strip_prefix(quote).unwrap_or(content));
    let rest = name.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "_.$/-".contains(c));
    let has_name = rest.len() < name.len();
    let rest = quote.map_or(Some(rest), |quote| rest.strip_prefix(quote));
    let is_key = rest.filter(|_| has_name).and_then(|rest| rest.trim_start().strip_prefix(':'));
    content.is_empty() || is_key.is_some_and(|after| after.is_empty() || after.starts_with(char::is_whitespace))
}

/// Whether a value in flow style is a schema.
fn is_schema(value: &str) -> bool {
    let Some(inside) = value.strip_prefix('{') else { return matches!(value, "true," | "false," | "true" | "false") };
    let key = inside.trim_start().trim_start_matches(['"', '\'']);
    ["type", "$ref", "description", "enum", "oneOf", "anyOf", "allOf", "format"].iter().any(|word| {
        let rest = key.strip_prefix(word).unwrap_or_default();
        rest.trim_start_matches(['"', '\'']).trim_start().starts_with(':')
    })
}

fn has_user_info(line: &str) -> bool {
    line.match_indices("://").any(|(at, scheme)| line.get(at + scheme.len()..).and_then(user_info).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[bool]) {
        assert_eq!(hidden_lines(text), expected, "{text}");
    }

    #[test]
    fn values_of_credential_keys_are_hidden() {
        check("a: 1\npassword: x\nb: 2", &[false, true, false]);
        check("  - clientSecret: |\n      one\n      two\n    b: 2", &[true, true, true, false]);
        check("\"apiKey\":\n\"x: y\",\nb", &[false, true, false]);
        check("accessTokens:\n- x\naccessToken:\n- x\n- y", &[false, false, false, true, true]);
        check("? password\n: x\nb: 1", &[false, true, false]);
        check("{\"a\": 1, \"password\": \"x\"}", &[true]);
        check("TOKEN : x", &[true]);
    }

    #[test]
    fn everything_below_sasl_is_hidden() {
        check("sasl:\n  mechanism: plain\n  username: me\ntopics: a", &[false, true, true, false]);
        check("sasl: { mechanism: plain }", &[true]);
        check("\"sasl\": {\n  \"username\": \"me\"\n},", &[false, true, false]);
    }

    #[test]
    fn urls_with_user_info_are_hidden() {
        check("url: amqp://me:secret@host\nurl: amqp://host/@", &[true, false]);
    }

    #[test]
    fn a_schema_is_no_credential() {
        check("maxTokens: 5\ntoken: { type: string }\ntoken:\n  type: strng\n", &[false; 5]);
        check("\"token\": {\n  \"type\": \"strng\"\n}", &[false; 3]);
        check("description: the password for it", &[false]);
    }
}
