//! The default name of a capability: the name of the type in kebab case.

/// The words of a Rust name in lower case, separated by `-`. A word starts at an uppercase letter after a lowercase
/// letter, at the last of several uppercase letters before a lowercase letter, and after `_`. A digit belongs to the
/// word before it.
pub(crate) fn kebab(name: &str) -> String {
    let mut kebab = String::with_capacity(name.len() + 4);
    let mut characters = name.trim_start_matches("r#").chars().peekable();
    // Whether the letter before is lowercase; `None` at the start of a word.
    let mut small = None;
    while let Some(c) = characters.next() {
        if !c.is_alphanumeric() {
            small = None;
            continue;
        }
        let before_small = characters.peek().is_some_and(|next| next.is_lowercase());
        let starts = match small {
            None => true,
            Some(true) => c.is_uppercase(),
            Some(false) => c.is_uppercase() && before_small,
        };
        if starts && !kebab.is_empty() {
            kebab.push('-');
        }
        kebab.extend(c.to_lowercase());
        small = if c.is_lowercase() || c.is_uppercase() { Some(c.is_lowercase()) } else { small.or(Some(true)) };
    }
    kebab
}

#[cfg(test)]
mod tests {
    use super::kebab;

    #[test]
    fn names_of_types_are_converted_to_kebab_case() {
        for (name, expected) in [
            ("ReviewPr", "review-pr"),
            ("HTTPCheck", "http-check"),
            ("CheckHTTP", "check-http"),
            ("V2Api", "v2-api"),
            ("Http2", "http2"),
            ("Http2Check", "http2-check"),
            ("X509Cert", "x509-cert"),
            ("Sha256sum", "sha256sum"),
            ("OAuth2Login", "o-auth2-login"),
            ("A", "a"),
            ("ABc", "a-bc"),
            ("A1B", "a1b"),
            ("review_pr", "review-pr"),
            ("Review_Pr", "review-pr"),
            ("_Hidden", "hidden"),
            ("__", ""),
            ("r#type", "type"),
            ("ÜberPrüfung", "über-prüfung"),
        ] {
            assert_eq!(kebab(name), expected, "{name}");
        }
    }
}
