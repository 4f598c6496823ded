//! The texts about an agent: `description`, `owner`, `contact` and `documentation`.

use capgen_manifest::{About, Contact, Diagnostic, HttpsUrl, Manifest, Source, load};

use crate::common::short;

const REST: &str = "transports: [{ kind: memory, topics: { requests: a } }]\ncapabilities: [{ name: x }]\n";

fn read(keys: &str) -> Result<Manifest, Vec<Diagnostic>> {
    let text = format!("version: 1\nagent: agent://a\n{keys}{REST}");
    load(&Source::new("capabilities.yaml", text)).map(|contract| contract.manifest)
}

#[test]
fn every_text_is_read_and_written_and_no_hash_includes_it() {
    let keys = "description: |\n  Reviews.\n\n  All of them.\nowner: Team \\\ncontact: ann+a@example.com\n\
                documentation: https://docs.example.com/a?b#c\n";
    let manifest = read(keys).unwrap();
    let about = About {
        description: Some("Reviews.\n\nAll of them.\n".to_owned()),
        owner: Some("Team \\".to_owned()),
        contact: Contact::new("ann+a@example.com"),
        documentation: HttpsUrl::new("https://docs.example.com/a?b#c"),
    };
    assert_eq!(manifest.about, about);
    let text = manifest.to_yaml();
    assert!(text.starts_with("version: 1\nagent: agent://a\ndescription: |\n  Reviews."), "{text}");
    let again = load(&Source::new("capabilities.yaml", text.as_str())).unwrap().manifest;
    assert_eq!((again.to_yaml(), again.about), (text, about));
    assert_eq!(manifest.hashes(), read("").unwrap().hashes());
}

#[test]
fn all_invalid_texts_are_reported_at_once_without_their_values() {
    let long = format!("https://example.com/{}", "a".repeat(HttpsUrl::MAX_LEN));
    let keys = format!("description: [a]\nowner: ''\ncontact: mailto:ann@example.com\ndocumentation: {long}\n");
    assert_eq!(
        short(&read(&keys).unwrap_err()),
        "E0203 3:14 `description` must be a string\n  3: a list\n  help: write one string, without brackets or `-`\n\
         E0214 4:8 `owner` must not be empty\n\
         E0230 5:10 `contact` must be an email address, or an absolute URL with `https://`\n  \
         help: write the email address without `mailto:`\n\
         E0230 6:16 `documentation` must be an absolute URL with `https://`, without user info\n  \
         help: write a URL such as `https://docs.example.com/agent`\n"
    );
}

#[test]
fn only_addresses_that_are_safe_as_links_are_accepted() {
    let urls = [
        ("https://example.com", true),
        ("https://example.com:8443/a/b?c=d#e", true),
        ("https://[::1]/", true),
        ("https://xn--bcher-kva.example/", true),
        ("http://example.com", false),
        ("HTTPS://example.com", false),
        ("javascript:alert(1)", false),
        ("data:text/html,a", false),
        ("//example.com", false),
        ("example.com", false),
        ("https:", false),
        ("https://", false),
        ("https:///a", false),
        ("https://:80", false),
        ("https://ann:secret@example.com", false),
        ("https://example.com/ a", false),
        ("https://example.com/\u{202e}", false),
        ("https://example.com/\"onclick=", false),
        ("https://example.com/<script>", false),
        (" https://example.com", false),
        ("https://example.com\n", false),
    ];
    for (text, is_valid) in urls {
        assert_eq!(HttpsUrl::new(text).is_some(), is_valid, "{text}");
        assert_eq!(Contact::new(text).is_some(), is_valid, "{text}");
    }
    let link = |text: &str| Contact::new(text).map(|contact| contact.link());
    assert_eq!(link("ann@example.com").as_deref(), Some("mailto:ann@example.com"));
    assert_eq!(link("a?cc=b&c%d@example.com").as_deref(), Some("mailto:a%3Fcc%3Db%26c%25d@example.com"));
    for text in ["", "ann", "ann@", "@example.com", "Ann <ann@example.com>", "ann@example.com\nbcc: b@example.com"] {
        assert_eq!(link(text), None, "{text}");
    }
}
