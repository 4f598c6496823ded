//! Model to `capabilities.yaml`.

mod block;
mod scalar;

use std::borrow::Cow;

use capgen_descriptor::{Determinism, SideEffects, Skew, capability_keys};
use capgen_diagnostic::visible;
use capgen_schema::{Json, Object};
use semver::Version;

use crate::keys::{ERRORS, HTTP};
use crate::{AgentId, Capability, DeclaredError, Http, HttpDefaults, Manifest, Side, TransportSettings};

/// A key with its value.
type Member<'m> = (&'m str, Cow<'m, Json>);

/// The indentation of the members of a transport or a capability.
const INDENT: usize = 4;

impl Manifest {
    /// The manifest as `capabilities.yaml`: in block style, with keys in a fixed order and the schemas last. Inside a
    /// schema, the order is that of the schema. The same manifest always gives the same text. Takes time linear in the
    /// text.
    ///
    /// The text loads as an equal manifest, with every string and every digit, if the manifest follows the rules of its
    /// fields (names, ids, [`TransportSettings::check`], no empty lists and strings) and the text is within the limits
    /// of the reader (32 MiB, 2,000,000 values, 256 levels). A string is written without quotes only if YAML 1.1 and
    /// YAML 1.2 both read it as a string.
    ///
    /// The text contains the credentials of the transports.
    ///
    /// ```
    /// use capgen_manifest::{AgentId, Capability, Manifest, TransportSettings};
    /// use capgen_schema::Schema;
    /// let transport = TransportSettings {
    ///     kind: "memory".to_owned(),
    ///     settings: r#"{"topics": {"requests": "agents.reviewer"}}"#.parse()?,
    /// };
    /// let capability = Capability {
    ///     version: Some("1.0.0".parse()?),
    ///     input: Some(Schema::parse_text(r#"{"type": "string", "enum": ["yes", "later"]}"#)?),
    ///     ..Capability::new("review")
    /// };
    /// let agent = AgentId::new("reviewer").ok_or("an invalid id")?;
    /// let mut manifest = Manifest::new(agent, vec![transport], vec![capability]);
    /// manifest.about.owner = Some("Team Reviews".to_owned());
    /// assert_eq!(manifest.to_yaml(), r#"version: 1
    /// agent: agent://reviewer
    /// owner: Team Reviews
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

    /// The text of [`to_yaml`](Self::to_yaml) after a comment, each line of which gets a `#`. Nothing is written for an
    /// empty comment. Invisible and misleading characters, such as control characters, are escaped as in Rust
    /// (`\u{1b}`).
    pub fn to_yaml_with_comment(&self, comment: &str) -> String {
        let mut out = String::new();
        push_comment(&mut out, comment);
        out.push_str("version: 1\n");
        block::push_member(&mut out, "agent", &text(&format!("{}{}", AgentId::SCHEME, self.agent)), 0);
        for (key, value) in &self.about.definition() {
            block::push_member(&mut out, key, value, 0);
        }
        push_list(&mut out, "transports", self.transports.iter().map(transport));
        let defaults = HttpDefaults::of(self.capabilities.iter().filter_map(|capability| capability.http.as_ref()));
        if !defaults.definition().is_empty() {
            block::push_member(&mut out, HTTP.name, &Json::Object(defaults.definition().clone()), 0);
        }
        let members = |capability| Capability::members(capability, |http| Cow::Owned(defaults.own(http)));
        push_list(&mut out, "capabilities", self.capabilities.iter().map(members));
        out
    }
}

fn push_comment(out: &mut String, comment: &str) {
    for line in comment.lines() {
        out.push('#');
        if !line.trim_end().is_empty() {
            out.push(' ');
        }
        out.push_str(&visible(line.trim_end()));
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

macro_rules! capability_members {
    ($($(#[$doc:meta])* $field:ident ($with:ident): $type:ident = $name:literal, $example:literal;)*) => {
        impl Capability {
            /// The name, the keys of the table in its order, the errors, `http` in the given form, and the schemas.
            fn members<'m>(&'m self, form: impl FnOnce(&'m Http) -> Cow<'m, Json>) -> Vec<Member<'m>> {
                let mut members: Vec<Member<'m>> = vec![("name", Cow::Owned(text(&self.name)))];
                $(members.extend(self.$field.to_json().map(|value| ($name, Cow::Owned(value))));)*
                if !self.errors.is_empty() {
                    let errors = self.errors.iter().map(DeclaredError::definition).collect();
                    members.push((ERRORS.name, Cow::Owned(Json::Array(errors))));
                }
                members.extend(self.http.as_ref().map(|http| (HTTP.name, form(http))));
                // Last, because they are long.
                for side in Side::ALL {
                    members.extend(self.schema(side).map(|s| (side.schema_key(), Cow::Borrowed(s.source()))));
                }
                members
            }
        }
    };
}

capability_keys!(capability_members);

impl Capability {
    /// Everything that a manifest declares about the capability, by key: `name`, the optional keys, and the schemas as
    /// they are written, with their annotations. The key `http` is complete, without defaults elsewhere. It is the same
    /// for a capability declared in YAML, in JSON and in Rust.
    ///
    /// ```
    /// use capgen_manifest::Capability;
    /// let search = Capability { description: Some("Searches.".to_owned()), ..Capability::new("search") };
    /// let keys: Vec<_> = search.definition().iter().map(|(key, _)| key.clone()).collect();
    /// assert_eq!(keys, ["name", "description"]);
    /// ```
    pub fn definition(&self) -> Object {
        let mut definition = Object::new();
        for (key, value) in self.members(|http| Cow::Borrowed(http.definition())) {
            definition.push(key.to_owned(), value.into_owned());
        }
        definition
    }
}

/// A value of a key; `None` if the key is left out.
trait ToJson {
    fn to_json(&self) -> Option<Json>;
}

impl ToJson for Option<String> {
    fn to_json(&self) -> Option<Json> {
        self.as_deref().map(text)
    }
}

impl ToJson for Option<Version> {
    fn to_json(&self) -> Option<Json> {
        self.as_ref().map(|version| text(&version.to_string()))
    }
}

impl ToJson for Option<u64> {
    fn to_json(&self) -> Option<Json> {
        self.map(|number| Json::Number(number.into()))
    }
}

impl ToJson for Option<bool> {
    fn to_json(&self) -> Option<Json> {
        self.map(Json::Bool)
    }
}

impl ToJson for Option<SideEffects> {
    fn to_json(&self) -> Option<Json> {
        self.map(|effects| text(effects.name()))
    }
}

impl ToJson for Option<Determinism> {
    fn to_json(&self) -> Option<Json> {
        self.map(|class| text(class.name()))
    }
}

impl ToJson for Option<Skew> {
    fn to_json(&self) -> Option<Json> {
        self.map(|policy| text(policy.name()))
    }
}

/// Lists of texts. An empty list is left out: the reader rejects it.
impl<T: ToString> ToJson for Vec<T> {
    fn to_json(&self) -> Option<Json> {
        (!self.is_empty()).then(|| Json::Array(self.iter().map(|item| text(&item.to_string())).collect()))
    }
}

fn text(text: &str) -> Json {
    Json::String(text.to_owned())
}
