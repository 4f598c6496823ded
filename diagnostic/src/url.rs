//! The part of a URL that may be displayed. Messages, excerpts and files that are checked in have no other part.
//!
//! User info, the values of a query and a fragment often are credentials or tokens. Nothing here decides whether a text is a valid URL:
//! secrets are in invalid ones too.

use std::borrow::Cow;

/// The text in place of a secret.
pub(crate) const MASK: &str = "***";

/// A text that is one URL or reference, whether it is valid or not, without user info, query and fragment. A fragment that is a JSON
/// Pointer remains.
///
/// Everything up to the last `@` counts as user info, because a password may contain any character.
///
/// ```
/// use capgen_diagnostic::public_url;
/// assert_eq!(public_url("nats://ann:secret@host:4222"), "nats://***@host:4222");
/// assert_eq!(public_url("//ann:secret@host/a.json?token=secret#/definitions/a"), "//***@host/a.json?***#/definitions/a");
/// assert_eq!(public_url("mysql:ann:secret@host"), "mysql:***@host");
/// assert_eq!(public_url("https://host/a"), "https://host/a");
/// ```
pub fn public_url(url: &str) -> Cow<'_, str> {
    // A reference within the same document.
    if url.starts_with("#/") {
        return Cow::Borrowed(url);
    }
    let (start, rest) = match user_info(url) {
        Some((start, rest)) => (Some(start), rest),
        None => (None, url),
    };
    let (before, fragment) = rest.split_once('#').map_or((rest, None), |(before, fragment)| (before, Some(fragment)));
    let (path, query) = before.split_once('?').map_or((before, None), |(path, query)| (path, Some(query)));
    let is_secret = |part: Option<&str>| part.is_some_and(|part| !part.is_empty());
    let is_hidden = is_secret(fragment.filter(|fragment| !fragment.starts_with('/')));
    if start.is_none() && !is_secret(query) && !is_hidden {
        return Cow::Borrowed(url);
    }
    let mut shown = start.map_or(String::new(), |start| format!("{start}{MASK}@"));
    shown.push_str(path);
    if let Some(query) = query {
        shown.push('?');
        shown.push_str(if query.is_empty() { "" } else { MASK });
    }
    if let Some(fragment) = fragment {
        shown.push('#');
        shown.push_str(if is_hidden { MASK } else { fragment });
    }
    Cow::Owned(shown)
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

/// A text that may contain URLs, such as a message that quotes one, without their user info, their fragments, and the queries that
/// have values.
///
/// From the first `://` to the last `@` after it, everything counts as user info, because a password may contain any character.
///
/// ```
/// use capgen_diagnostic::public_text;
/// assert_eq!(public_text("cannot reach `amqp://me:p/#? @ss@host/x`"), "cannot reach `amqp://***@host/x`");
/// assert_eq!(public_text("see `//me:secret@host/`, https://host/a?key=secret."), "see `//***@host/`, https://host/a?***");
/// assert_eq!(public_text("pattern a?b=c"), "pattern a?b=c");
/// ```
pub fn public_text(text: &str) -> Cow<'_, str> {
    if !text.contains("//") {
        return Cow::Borrowed(text);
    }
    let mut text = Cow::Borrowed(text);
    if let Some((scheme, rest)) = text.split_once("://")
        && let Some((_, host)) = rest.rsplit_once('@')
    {
        text = Cow::Owned(format!("{scheme}://{MASK}@{host}"));
    }
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>');
    let mut shown = String::with_capacity(text.len());
    for part in text.split_inclusive(is_end) {
        let word = part.trim_end_matches(is_end);
        match public_word(word) {
            Some(public) => shown.push_str(&public),
            None => shown.push_str(word),
        }
        shown.push_str(part.get(word.len()..).unwrap_or_default());
    }
    if shown == *text { text } else { Cow::Owned(shown) }
}

/// A word without the secrets of the URL that it contains; `None` if it has no secrets.
fn public_word(word: &str) -> Option<String> {
    let start = match word.find("://") {
        Some(_) => 0,
        // Not in the middle of a path.
        None => word.find("//").filter(|index| !word.get(..*index).is_some_and(|path| path.contains(['/', '.'])))?,
    };
    let (before, url) = word.split_at_checked(start)?;
    let has_user_info = !url.contains("://") && url.contains('@');
    let query = url.split_once('?').is_some_and(|(_, query)| query.contains('='));
    let fragment = url.split_once('#').is_some_and(|(_, fragment)| !fragment.is_empty() && !fragment.starts_with('/'));
    (has_user_info || query || fragment).then(|| format!("{before}{}", public_url(url)))
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
        for url in
            ["https://host:80/a/b", "#/definitions/a@b?c", "a.json#/definitions/x", "nats://h", "", "a", "x#", "x?"]
        {
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
    fn texts_without_secrets_of_urls_are_displayed_as_they_are() {
        for text in ["// a comment by me@host", "a?b=c", "https://a/b", "x"] {
            assert_eq!(public_text(text), text);
        }
    }
}
