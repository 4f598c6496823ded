//! The part of a URL that may be displayed. Messages, excerpts and files that are checked in have no other part.
//!
//! User info, the values of a query and a fragment often are credentials or tokens. Nothing here decides whether a text
//! is a valid URL: secrets are in invalid ones too.

use std::borrow::Cow;

/// The text in place of a secret.
pub(crate) const MASK: &str = "***";

/// A text that is one URL, reference or connection string, whether it is valid or not, without user info, parameters
/// and fragment. A fragment that is a JSON Pointer remains.
///
/// Everything up to the last `@` counts as user info, because a password may contain any character. Parameters start at
/// the first `?`, or at a `;` or `&` before a value with a name.
///
/// ```
/// use capgen_diagnostic::public_url;
/// assert_eq!(public_url("nats://ann:secret@host:4222"), "nats://***@host:4222");
/// assert_eq!(public_url("//ann:secret@host/a.json?token=secret#/definitions/a"), "//***@host/a.json?***#/definitions/a");
/// assert_eq!(public_url("mysql:ann:secret@host"), "mysql:***@host");
/// assert_eq!(public_url("postgres:host=a password=secret"), "postgres:host=a password=***");
/// assert_eq!(public_url("https://host/a"), "https://host/a");
/// ```
pub fn public_url(url: &str) -> Cow<'_, str> {
    // A reference within the same document has no user info.
    let (start, rest) = match user_info(url).filter(|_| !url.starts_with("#/")) {
        Some((start, rest)) => (Some(start), rest),
        None => (None, url),
    };
    let (before, fragment) = rest.split_once('#').map_or((rest, None), |(before, fragment)| (before, Some(fragment)));
    let mut shown = start.map_or(String::new(), |start| format!("{start}{MASK}@"));
    push_without_parameters(&mut shown, before);
    if let Some(fragment) = fragment {
        shown.push('#');
        match fragment {
            // The names of a pointer may have any character.
            pointer if pointer.starts_with('/') && !has_value(pointer) => shown.push_str(pointer),
            pointer if pointer.starts_with('/') => push_without_parameters(&mut shown, pointer),
            "" => {}
            _ => shown.push_str(MASK),
        }
    }
    let shown = named_values(&shown);
    if shown == url { Cow::Borrowed(url) } else { Cow::Owned(shown) }
}

fn push_without_parameters(shown: &mut String, text: &str) {
    let is_start = |(index, c): &(usize, char)| match c {
        '?' => true,
        ';' | '&' => text.get(*index..).is_some_and(has_value),
        _ => false,
    };
    let start = text.char_indices().find(is_start).map_or(text.len(), |(index, c)| index + c.len_utf8());
    let (path, parameters) = text.split_at_checked(start).unwrap_or((text, ""));
    shown.push_str(path);
    shown.push_str(if parameters.is_empty() { "" } else { MASK });
}

/// Whether the text contains a value with a name.
fn has_value(text: &str) -> bool {
    text.contains('=')
}

/// The parts before and after the user info of a URL.
fn user_info(url: &str) -> Option<(&str, &str)> {
    let (before, rest) = url.rsplit_once('@')?;
    // After `//`; without an authority, after the scheme, or at the start.
    let start = match before.find("//") {
        Some(index) => index + "//".len(),
        None => before.find(':').map_or(0, |index| index + 1),
    };
    Some((before.get(..start)?, rest))
}

/// A text that may contain URLs, such as a message that quotes one, without their user info, their fragments, and the
/// parameters that have values. Values that are named as secrets, such as `password=`, are not displayed wherever they
/// are.
///
/// From the first `://` to the last `@` after it, everything counts as user info, because a password may contain any
/// character. Without `//`, a word such as `me:secret@host` has user info, unless a version follows the `@`.
///
/// ```
/// use capgen_diagnostic::public_text;
/// assert_eq!(public_text("cannot reach `amqp://me:p/#? @ss@host/x`"), "cannot reach `amqp://***@host/x`");
/// assert_eq!(public_text("see `//me:secret@host/`, https://host/a?key=secret."), "see `//***@host/`, https://host/a?***");
/// assert_eq!(public_text("cannot read `me:secret@host`"), "cannot read `me:***@host`");
/// assert_eq!(public_text("pattern a?b=c"), "pattern a?b=c");
/// ```
pub fn public_text(text: &str) -> Cow<'_, str> {
    // Without these, there is no user info, no parameter and no named value.
    if !text.contains("//") && !text.contains(['@', '=']) {
        return Cow::Borrowed(text);
    }
    let mut public = Cow::Borrowed(text);
    if let Some((scheme, rest)) = text.split_once("://")
        && let Some((_, host)) = rest.rsplit_once('@')
    {
        public = Cow::Owned(format!("{scheme}://{MASK}@{host}"));
    }
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>');
    let mut shown = String::with_capacity(public.len());
    for part in public.split_inclusive(is_end) {
        let word = part.trim_end_matches(is_end);
        match public_word(word) {
            Some(public) => shown.push_str(&public),
            None => shown.push_str(word),
        }
        shown.push_str(part.get(word.len()..).unwrap_or_default());
    }
    let shown = named_values(&shown);
    if shown == text { Cow::Borrowed(text) } else { Cow::Owned(shown) }
}

/// A word without the secrets of the URL that it contains; `None` if it has no secrets.
fn public_word(word: &str) -> Option<String> {
    let start = match word.find("://") {
        Some(_) => 0,
        // Not in the middle of a path.
        None => match word.find("//") {
            Some(index) if word.get(..index).is_some_and(|path| path.contains(['/', '.'])) => return None,
            Some(index) => index,
            None => return without_authority(word),
        },
    };
    let (before, url) = word.split_at_checked(start)?;
    let has_user_info = !url.contains("://") && url.contains('@');
    let parameters = url.split_once(['?', ';', '&']).is_some_and(|(_, parameters)| has_value(parameters));
    let fragment = url.split_once('#').is_some_and(|(_, fragment)| !fragment.is_empty() && !fragment.starts_with('/'));
    (has_user_info || parameters || fragment).then(|| format!("{before}{}", public_url(url)))
}

/// A word such as `me:secret@host`, without the password. Not an address of a mail after a scheme, and not a package
/// with a version.
fn without_authority(word: &str) -> Option<String> {
    let (before, host) = word.rsplit_once('@')?;
    let (name, password) = before.split_once(':')?;
    let name_start = name.rfind(|c: char| !c.is_alphanumeric() && !"+.-_%".contains(c)).map_or(0, |index| index + 1);
    let user = name.get(name_start..).unwrap_or_default();
    // `:secret@host` has a password and no user.
    let is_name = (name.is_empty() || !user.is_empty()) && user != "mailto";
    let is_in_path = name.get(..name_start).is_some_and(|before| before.ends_with(['/', '\\']));
    // After a drive letter comes a path, and a scope of packages starts with `@`.
    let is_drive = name.len() == 1 && password.starts_with(['/', '\\']);
    let is_password = !password.is_empty() && !password.starts_with('@') && !is_drive;
    let is_host = host.starts_with(|c: char| c.is_alphanumeric() || "[_".contains(c)) && !is_version(host);
    (is_name && !is_in_path && is_password && is_host).then(|| format!("{name}:{MASK}@{host}"))
}

/// Whether the text starts with a version of one to three numbers, and not with an address, which has four.
fn is_version(text: &str) -> bool {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let numbers = text.get(..end).unwrap_or_default().trim_end_matches('.');
    let is_end = text.get(end..).is_none_or(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == ':'));
    !numbers.is_empty() && numbers.split('.').count() <= 3 && is_end
}

/// The ends of names whose values are secrets, in lower case and without `-` and `_`.
const SECRET_NAMES: [&str; 11] = [
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "accountkey",
    "sharedkey",
    "credentials",
];

/// The text with `***` in place of each value that follows the name of a secret and `=`.
fn named_values(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some((before, value)) = rest.split_once('=') {
        shown.push_str(before);
        shown.push('=');
        rest = value;
        if is_secret_name(before) {
            let length = length_of_value(value);
            let masked = value.get(..length).filter(|value| !value.is_empty()).map_or("", |_| MASK);
            shown.push_str(masked);
            rest = value.get(length..).unwrap_or_default();
        }
    }
    shown.push_str(rest);
    shown
}

fn is_secret_name(before: &str) -> bool {
    // Longer than the names of settings, so that a text without spaces takes linear time.
    const MAX_NAME: usize = 40;
    let word = before.trim_end_matches(' ').chars().rev().take(MAX_NAME);
    let word = word.take_while(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c));
    let name: String = word.filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let name: String = name.chars().rev().collect();
    SECRET_NAMES.iter().any(|secret| name.ends_with(secret))
}

/// The bytes of a value: a quoted text, or up to a space, a quote or a separator. Spaces may come before it.
fn length_of_value(text: &str) -> usize {
    let start = text.len() - text.trim_start_matches([' ', '\\']).len();
    let (before, value) = text.split_at_checked(start).unwrap_or(("", text));
    let end = match value.chars().next() {
        Some('{') => value.find('}').map(|index| index + 1),
        // A message may have escaped the quotes.
        Some(quote @ ('\'' | '"')) if before.ends_with('\\') => {
            value.get(1..).and_then(|rest| rest.find(&format!("\\{quote}"))).map(|index| index + 3)
        }
        Some(quote @ ('\'' | '"')) => end_of_quoted(value, quote),
        _ => value.find(|c: char| c.is_whitespace() || "\"'`<>&;,)]}#".contains(c)),
    };
    start + end.unwrap_or(value.len())
}

/// The end of a text that starts with a quote. In it, a backslash or another quote escapes a quote.
fn end_of_quoted(value: &str, quote: char) -> Option<usize> {
    let mut characters = value.char_indices().skip(1).peekable();
    while let Some((index, c)) = characters.next() {
        if c == '\\' {
            characters.next();
        } else if c == quote && characters.next_if(|(_, next)| *next == quote).is_none() {
            return Some(index + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each form of a URL with a secret, and the part that is displayed.
    const FORMS: &[(&str, &str)] = &[
        ("mysql://user:s3cret@host/db", "mysql://***@host/db"),
        ("https://s3cret@host", "https://***@host"),
        ("https://user:s3cr@et@host/a", "https://***@host/a"),
        ("https://user:s3cret/#?@host/a", "https://***@host/a"),
        ("//u:s3cret@h/", "//***@h/"),
        ("//s3cret@h", "//***@h"),
        ("mysql:user:s3cret@host", "mysql:***@host"),
        ("user:s3cret@host", "user:***@host"),
        ("s3cret@host", "***@host"),
        ("https://host/a?token=s3cret", "https://host/a?***"),
        ("https://host/a?s3cret", "https://host/a?***"),
        ("https://host/a?a=b#/definitions/x", "https://host/a?***#/definitions/x"),
        ("https://host/a#access_token=s3cret", "https://host/a#***"),
        ("https://host/a#s3cret?x", "https://host/a#***"),
        ("a.json?token=s3cret", "a.json?***"),
        ("?token=s3cret", "?***"),
        ("//h/a?token=s3cret#s3cret", "//h/a?***#***"),
        ("https://u:s3cret@[::1]:80/a?b=s3cret", "https://***@[::1]:80/a?***"),
        ("urn:x?+key=s3cret", "urn:x?***"),
        ("https://host/a;token=s3cret", "https://host/a;***"),
        ("https://host/a&key=s3cret", "https://host/a&***"),
        ("https://host/a#/definitions/A?token=s3cret", "https://host/a#/definitions/A?***"),
        ("#/definitions/A?token=s3cret", "#/definitions/A?***"),
        ("#/definitions/A&key=s3cret", "#/definitions/A&***"),
        ("postgres:host=h password=s3cret dbname=x", "postgres:host=h password=*** dbname=x"),
        ("host=h user=u password='a s3cret\\' s3cret' port=1", "host=h user=u password=*** port=1"),
        ("Server=h;Database=d;Password=s3cret", "Server=h;***"),
    ];

    #[test]
    fn no_form_of_a_url_displays_its_secret() {
        for (url, expected) in FORMS {
            assert_eq!(public_url(url), *expected);
            assert!(!expected.contains("s3cret"), "{expected}");
            assert_eq!(public_url(expected), *expected, "a second time");
        }
    }

    #[test]
    fn a_url_without_secrets_is_displayed_as_it_is() {
        for url in [
            "https://host:80/a/b",
            "a;b&c",
            "#/properties/a=b",
            "#/definitions/a?b",
            "#/definitions/a@b?c",
            "a.json#/definitions/x",
            "nats://h",
            "",
            "a",
            "x#",
            "x?",
        ] {
            assert!(matches!(public_url(url), Cow::Borrowed(shown) if shown == url), "{url}");
        }
    }

    #[test]
    fn no_text_displays_the_secret_of_a_url_with_an_authority_or_a_named_value() {
        let is_found = |url: &&str| url.contains("//") && !url.contains("?s3cret");
        for url in FORMS.iter().map(|(url, _)| *url).filter(is_found) {
            for text in
                [format!("cannot read `{url}`: no such file"), format!("\"{url}\""), format!("'{url}'"), url.to_owned()]
            {
                let shown = public_text(&text).into_owned();
                assert!(!shown.contains("s3cret"), "{text}: {shown}");
            }
        }
    }

    #[test]
    fn no_text_displays_a_password_without_an_authority_or_a_named_secret() {
        for (text, expected) in [
            ("cannot read `me:s3cret@host`: no such file", "cannot read `me:***@host`: no such file"),
            ("'mysql:me:s3cret@10.0.0.1'", "'mysql:***@10.0.0.1'"),
            ("--log=me:s3cret@h", "--log=me:***@h"),
            ("--log=mysql:me:s3cret@[::1]/db", "--log=mysql:***@[::1]/db"),
            ("dbname=x password=s3cret", "dbname=x password=***"),
            ("sslpassword='s3cret s3cret', user=a", "sslpassword=***, user=a"),
            ("`#/definitions/A?access_token=s3cret`", "`#/definitions/A?access_token=***`"),
            ("X-API-Key=s3cret\n", "X-API-Key=***\n"),
            ("client_secret=s3cret&a=b", "client_secret=***&a=b"),
            ("cannot read `host=h password=\"s3cret s3cret\"`", "cannot read `host=h password=***`"),
            ("no code \"password=\\\"s3cret\\\"\"", "no code \"password=***\""),
            ("Pwd=\"s3cret\";x", "Pwd=***;x"),
            ("Password={s3cret;s3cret};x", "Password=***;x"),
            ("password='s3cret''s3cret' a", "password=*** a"),
            ("Password = s3cret;x", "Password =***;x"),
            ("AccountName=a;AccountKey=s3cret;EndpointSuffix=core", "AccountName=a;AccountKey=***;EndpointSuffix=core"),
            ("`:s3cret@h:6379`", "`:***@h:6379`"),
            ("https:/u:s3cret@h/x", "https:***@h/x"),
            ("me:/s3cret@h", "me:***@h"),
            ("u:s3cret@_h", "u:***@_h"),
        ] {
            assert_eq!(public_text(text), expected);
            assert_eq!(public_text(expected), expected, "a second time");
        }
    }

    #[test]
    fn texts_without_secrets_of_urls_are_displayed_as_they_are() {
        for text in [
            "// a comment by me@host",
            "a?b=c",
            "https://a/b",
            "x",
            "npm:zod@4.1.0",
            "npm:@scope/name@1.0.0-rc.1",
            "C:\\Users\\me@corp\\a.yaml",
            "./a:b@c",
            "mailto:me@host",
            "at me@host: no such file",
            "tokens=5",
            "password=",
            "password",
        ] {
            assert_eq!(public_text(text), text);
        }
    }
}
