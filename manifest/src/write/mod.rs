//! Model to `capabilities.yaml`.

mod block;
mod scalar;

use std::borrow::Cow;

use capgen_diagnostic::is_unsafe;
use capgen_schema::{Json, Object, Schema};

use crate::{AgentId, Capability, Determinism, Manifest, SideEffects, TransportSettings};

/// A key with its value.
type Member<'m> = (&'m str, Cow<'m, Json>);

/// How far the members of a transport or a capability are indented.
const INDENT: usize = 4;

impl Manifest {
    /// The text of a `capabilities.yaml` that says this: block style, keys in a fixed order with the schemas last, and what is
    /// inside of a schema in its own order. The same manifest always gives the same text. Takes time linear in the text.
    ///
    /// Where the manifest keeps the rules of its fields (names, ids, [`TransportSettings::check`], no empty list and no empty text)
    /// and the text the limits of the reader (32 MiB, 2,000,000 values, 256 levels), the text loads, and as an equal manifest:
    /// every string and every digit is kept. A text is plain only where YAML 1.1 and YAML 1.2 both read it as a string.
    ///
    /// The text holds the credentials of the transports.
    ///
    /// ```
    /// use capgen_manifest::{AgentId, Capability, Manifest, TransportSettings};
    /// use capgen_schema::Schema;
    /// let manifest = Manifest {
    ///     agent: AgentId::new("reviewer").ok_or("no id")?,
    ///     transports: vec![TransportSettings {
    ///         kind: "memory".to_owned(),
    ///         settings: r#"{"topics": {"requests": "agents.reviewer"}}"#.parse()?,
    ///     }],
    ///     capabilities: vec![Capability {
    ///         version: Some("1.0.0".parse()?),
    ///         input: Some(Schema::parse_text(r#"{"type": "string", "enum": ["yes", "later"]}"#)?),
    ///         ..Capability::new("review")
    ///     }],
    /// };
    /// assert_eq!(manifest.to_yaml(), r#"version: 1
    /// agent: agent://reviewer
    /// transports:
    ///   - kind: memory
    ///     topics:
    ///       requests: agents.reviewer
    /// capabilities:
    ///   - name: review
    ///     version: "1.0.0"
    ///     inputSchema:
    ///       type: string
    ///       enum: ["yes", later]
    /// "#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_yaml(&self) -> String {
        self.to_yaml_with_comment("")
    }

    /// The text of [`to_yaml`](Self::to_yaml) below a comment, of which each line gets its `#`. An empty comment is none.
    /// Characters that do not show as what they are, such as control characters, are written as in Rust (`\u{1b}`).
    pub fn to_yaml_with_comment(&self, comment: &str) -> String {
        let mut out = String::new();
        push_comment(&mut out, comment);
        out.push_str("version: 1\n");
        block::push_member(&mut out, "agent", &text(&format!("{}{}", AgentId::SCHEME, self.agent)), 0);
        push_list(&mut out, "transports", self.transports.iter().map(transport));
        push_list(&mut out, "capabilities", self.capabilities.iter().map(capability));
        out
    }
}

fn push_comment(out: &mut String, comment: &str) {
    for line in comment.lines() {
        out.push('#');
        if !line.trim_end().is_empty() {
            out.push(' ');
        }
        for c in line.trim_end().chars() {
            if is_unsafe(c) || scalar::is_noncharacter(c) { out.extend(c.escape_unicode()) } else { out.push(c) }
        }
        out.push('\n');
    }
}

fn push_list<'m>(out: &mut String, key: &str, entries: impl ExactSizeIterator<Item = Vec<Member<'m>>>) {
    let is_empty = entries.len() == 0;
    out.push_str(key);
    out.push_str(if is_empty { ": []\n" } else { ":\n" });
    for entry in entries {
        for (i, (key, value)) in entry.iter().enumerate() {
            out.push_str(if i == 0 { "  - " } else { "    " });
            block::push_member(out, key, value, INDENT);
        }
    }
}

fn transport(transport: &TransportSettings) -> Vec<Member<'_>> {
    let settings = transport.settings.as_object().into_iter().flat_map(Object::iter).filter(|(key, _)| key != "kind");
    let settings = settings.map(|(key, value)| (key.as_str(), Cow::Borrowed(value)));
    std::iter::once(("kind", Cow::Owned(text(&transport.kind)))).chain(settings).collect()
}

fn capability(capability: &Capability) -> Vec<Member<'_>> {
    let words = |text: &Option<String>| text.as_deref().map(self::text);
    let version = |version: &Option<semver::Version>| version.as_ref().map(|v| text(&v.to_string()));
    let members = [
        ("name", Some(text(&capability.name))),
        ("id", words(&capability.id)),
        ("description", words(&capability.description)),
        ("version", version(&capability.version)),
        ("timeoutMs", capability.timeout_ms.map(|ms| Json::Number(ms.into()))),
        ("idempotent", capability.idempotent.map(Json::Bool)),
        ("since", words(&capability.since)),
        ("skill", words(&capability.skill)),
        ("supportedVersions", texts(&capability.supported_versions)),
        ("deprecatedVersions", texts(&capability.deprecated_versions)),
        ("minSchemaVersion", version(&capability.min_schema_version)),
        ("tags", texts(&capability.tags)),
        ("sideEffects", capability.side_effects.map(SideEffects::name).map(text)),
        ("determinism", capability.determinism.map(Determinism::name).map(text)),
        ("latency", words(&capability.latency)),
        ("requiredRoles", texts(&capability.required_roles)),
        ("requiredScopes", texts(&capability.required_scopes)),
    ];
    let members = members.into_iter().filter_map(|(key, value)| Some((key, Cow::Owned(value?))));
    let schemas = [("inputSchema", &capability.input), ("outputSchema", &capability.output)];
    let schemas =
        schemas.into_iter().filter_map(|(key, s)| Some((key, Cow::Borrowed(s.as_ref().map(Schema::source)?))));
    members.chain(schemas).collect()
}

fn text(text: &str) -> Json {
    Json::String(text.to_owned())
}

/// `None` for no texts.
fn texts(texts: &[String]) -> Option<Json> {
    (!texts.is_empty()).then(|| Json::Array(texts.iter().map(|t| text(t)).collect()))
}
