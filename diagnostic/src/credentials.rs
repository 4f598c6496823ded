//! Finds the lines of a source that may contain a credential. They are never displayed.
//!
//! The search works on lines, not on the tree, because a source that is not valid YAML has errors to display too. If in
//! doubt, a line is hidden.

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

/// The effect of the previous lines on the next one.
enum State {
    Open,
    /// The key of a credential ended a line. The next line contains the value, unless it starts a mapping.
    Pending(usize),
    /// All lines with a deeper indentation belong to a credential.
    Hidden(usize),
}

/// Whether each line may contain a credential: the value of a key such as `password`, everything below `sasl`, or a URL
/// with user info. A schema (`token: { type: string }`) is not a credential.
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

/// The first of [`WORDS`] in the key at the end of `text`.
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

/// Whether a value in flow style looks like a schema.
fn is_schema(value: &str) -> bool {
    let Some(inside) = value.strip_prefix('{') else { return matches!(value, "true," | "false," | "true" | "false") };
    let key = inside.trim_start().trim_start_matches(['"', '\'']);
    ["type", "$ref", "description", "enum", "oneOf", "anyOf", "allOf", "format"].iter().any(|word| {
        let rest = key.strip_prefix(word).unwrap_or_default();
        rest.trim_start_matches(['"', '\'']).trim_start().starts_with(':')
    })
}

/// The length in bytes of the user info, which ends at the last `@` of the authority; `None` if there is none.
pub(crate) fn user_info(after_scheme: &str) -> Option<usize> {
    let end = after_scheme.find(|c: char| c.is_whitespace() || "/?#\"'`<>".contains(c)).unwrap_or(after_scheme.len());
    after_scheme.get(..end)?.rfind('@')
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
    fn schemas_are_not_credentials() {
        check("maxTokens: 5\ntoken: { type: string }\ntoken:\n  type: strng\n", &[false; 5]);
        check("\"token\": {\n  \"type\": \"strng\"\n}", &[false; 3]);
        check("description: the password for it", &[false]);
    }
}
