//! The texts about an agent: its description, its owner, and the links to both.

use capgen_schema::{Format, Json, Object};

/// Texts about an agent for readers, and for models that choose an agent. They are annotations: no hash of a contract
/// includes them.
///
/// They come from the author of the contract: treat them as untrusted.
///
/// ```
/// use capgen_manifest::{About, Contact, HttpsUrl};
/// let about = About {
///     owner: Some("Team Reviews".to_owned()),
///     contact: Contact::new("reviews@example.com"),
///     documentation: HttpsUrl::new("https://docs.example.com/reviewer"),
///     ..About::default()
/// };
/// let keys: Vec<_> = about.definition().iter().map(|(key, _)| key.clone()).collect();
/// assert_eq!(keys, ["owner", "contact", "documentation"]);
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct About {
    /// The purpose of the agent.
    pub description: Option<String>,
    /// The team or the person that is responsible for the agent; not empty.
    pub owner: Option<String>,
    /// The address of the owner.
    pub contact: Option<Contact>,
    /// A page about the agent.
    pub documentation: Option<HttpsUrl>,
}

/// An absolute URL with the scheme `https` and a host, without user info, of at most 2048 bytes. It has the syntax of
/// RFC 3986, so it has no spaces, quotes, angle brackets or control characters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct HttpsUrl(String);

/// The address of an owner: an email address of at most 254 bytes, or an [`HttpsUrl`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(clippy::exhaustive_enums, reason = "a new kind of address concerns everyone who writes links")]
pub enum Contact {
    /// An email address.
    Email(EmailAddress),
    /// A page, such as a form or a channel.
    Url(HttpsUrl),
}

/// An email address of at most 254 bytes, as the format `email` of JSON Schema has it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EmailAddress(String);

impl About {
    /// The keys in the manifest, in the order in which it is written.
    pub(crate) const KEYS: [&str; 4] = ["description", "owner", "contact", "documentation"];

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The texts that are present, by the keys of the manifest, in the order in which it is written.
    pub fn definition(&self) -> Object {
        let contact = self.contact.as_ref().map(Contact::as_str);
        let documentation = self.documentation.as_ref().map(HttpsUrl::as_str);
        let values = [self.description.as_deref(), self.owner.as_deref(), contact, documentation];
        let members = Self::KEYS.into_iter().zip(values);
        members.filter_map(|(key, value)| Some((key.to_owned(), Json::from(value?)))).collect()
    }

    /// The valid texts among the members of an object, by the keys of the manifest. All other members are ignored.
    ///
    /// ```
    /// use capgen_manifest::About;
    /// let members = r#"{"owner": "Ann", "contact": "javascript:alert(1)", "agent": "shop"}"#.parse()?;
    /// assert_eq!(About::from_json(&members).definition().len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_json(members: &Json) -> Self {
        let text = |key: &str| members.get(key).and_then(Json::as_str).filter(|text| !text.is_empty());
        Self {
            description: text("description").map(str::to_owned),
            owner: text("owner").map(str::to_owned),
            contact: text("contact").and_then(Contact::new),
            documentation: text("documentation").and_then(HttpsUrl::new),
        }
    }
}

impl HttpsUrl {
    /// The longest URL, in bytes: browsers and servers accept as much.
    pub const MAX_LEN: usize = 2048;

    /// The rule that [`new`](Self::new) checks, for messages.
    pub const RULE: &str = "an absolute URL with `https://`, without user info";

    /// Every URL matches this regular expression, which also accepts other texts.
    pub(crate) const PATTERN: &str = r"^https://[^/?#@\s]+([/?#]|$)";

    /// Checks a URL; `None` if `text` is not a valid one.
    ///
    /// ```
    /// use capgen_manifest::HttpsUrl;
    /// assert!(HttpsUrl::new("https://docs.example.com/a?b#c").is_some());
    /// for text in ["http://example.com", "javascript:alert(1)", "https://ann:secret@example.com", "https:///a"] {
    ///     assert!(HttpsUrl::new(text).is_none(), "{text}");
    /// }
    /// ```
    pub fn new(text: &str) -> Option<Self> {
        let rest = text.strip_prefix("https://")?;
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let has_host = !authority.is_empty() && !authority.starts_with(':') && !authority.contains('@');
        (has_host && text.len() <= Self::MAX_LEN && Format::Uri.accepts(text)).then(|| Self(text.to_owned()))
    }

    /// The URL.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl EmailAddress {
    /// The longest address, in bytes, that SMTP delivers to ([RFC 5321 section
    /// 4.5.3.1.3](https://www.rfc-editor.org/rfc/rfc5321#section-4.5.3.1.3), without the angle brackets).
    pub const MAX_LEN: usize = 254;

    /// Checks an address; `None` if `text` is not a valid one.
    pub fn new(text: &str) -> Option<Self> {
        (text.len() <= Self::MAX_LEN && Format::Email.accepts(text)).then(|| Self(text.to_owned()))
    }

    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Contact {
    /// The rule that [`new`](Self::new) checks, for messages.
    pub const RULE: &str = "an email address, or an absolute URL with `https://`";

    /// Every address matches this regular expression, which also accepts other texts.
    pub(crate) const PATTERN: &str = r"^(https://[^/?#@\s]+([/?#]|$)|.+@.)";

    /// Checks an address; `None` if `text` is not a valid one.
    ///
    /// ```
    /// use capgen_manifest::Contact;
    /// assert!(Contact::new("ann@example.com").is_some() && Contact::new("https://example.com/help").is_some());
    /// assert!(Contact::new("Ann").is_none() && Contact::new("mailto:ann@example.com").is_none());
    /// ```
    pub fn new(text: &str) -> Option<Self> {
        HttpsUrl::new(text).map(Self::Url).or_else(|| EmailAddress::new(text).map(Self::Email))
    }

    /// The address as it is written.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Email(email) => email.as_str(),
            Self::Url(url) => url.as_str(),
        }
    }

    /// The URL of a link to the address: that of the page, or one with the scheme `mailto` that has no parameters.
    ///
    /// ```
    /// use capgen_manifest::Contact;
    /// let link = |text| Contact::new(text).map(|contact| contact.link());
    /// assert_eq!(link("ann+a@example.com").as_deref(), Some("mailto:ann+a@example.com"));
    /// assert_eq!(link("a?b&c@example.com").as_deref(), Some("mailto:a%3Fb%26c@example.com"));
    /// ```
    pub fn link(&self) -> String {
        match self {
            Self::Url(url) => url.as_str().to_owned(),
            Self::Email(email) => {
                let mut link = "mailto:".to_owned();
                for byte in email.as_str().bytes() {
                    match byte {
                        b'@' | b'.' | b'+' | b'-' | b'_' => link.push(char::from(byte)),
                        byte if byte.is_ascii_alphanumeric() => link.push(char::from(byte)),
                        byte => link.push_str(&format!("%{byte:02X}")),
                    }
                }
                link
            }
        }
    }
}
