//! The three ways to types, as source texts.

use std::fmt::Write as _;

use capgen_codegen::{Language, generate};
use capgen_manifest::{Source, load};

use crate::fleet;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contender {
    /// Structs and enums with `derive(Serialize, Deserialize)`, which check nothing but JSON types.
    Plain,
    /// What capgen generates.
    Capgen,
    /// What typify generates, one type space for all schemas.
    Typify,
}

impl Contender {
    pub(crate) const ALL: [Self; 3] = [Self::Plain, Self::Capgen, Self::Typify];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Capgen => "capgen",
            Self::Typify => "typify",
        }
    }

    /// The dependencies of the crate that holds the types, as lines of its Cargo.toml.
    pub(crate) fn dependencies(self) -> String {
        let own = match self {
            Self::Plain => String::new(),
            Self::Capgen => {
                format!("capgen = {{ path = {:?} }}\n", concat!(env!("CARGO_MANIFEST_DIR"), "/../../runtime"))
            }
            Self::Typify => "regress = \"0.11\"\nuuid = { version = \"1\", features = [\"serde\"] }\n".to_owned(),
        };
        format!("serde = {{ version = \"1\", features = [\"derive\"] }}\nserde_json = \"1\"\n{own}")
    }

    /// The types of the first `n` capabilities.
    pub(crate) fn types(self, n: usize) -> String {
        match self {
            Self::Plain => (0..n).map(plain).collect(),
            Self::Capgen => capgen(n),
            Self::Typify => typify(n),
        }
    }

    /// A program that reads and writes one payload of the capability whose number it is given: every type is used.
    pub(crate) fn program(self, n: usize) -> String {
        let mut text = format!(
            "use {}::*;\nuse std::io::Read as _;\n\nfn main() {{\n    let which: usize = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(0);
    let mut bytes = Vec::new();\n    let _ = std::io::stdin().read_to_end(&mut bytes);\n    let written = match which {{\n",
            self.package(n)
        );
        for i in 0..n {
            let _ = writeln!(text, "        {i} => again::<Capability{i}Request>(&bytes),");
        }
        let again = match self {
            Self::Capgen => {
                "again<T: capgen::Payload>(bytes: &[u8]) -> Option<Vec<u8>> {\n    T::from_json(bytes).ok()?.to_json().ok()"
            }
            Self::Plain | Self::Typify => {
                "again<T: serde::de::DeserializeOwned + serde::Serialize>(bytes: &[u8]) -> Option<Vec<u8>> {\n    \
                 serde_json::to_vec(&serde_json::from_slice::<T>(bytes).ok()?).ok()"
            }
        };
        text + "        _ => None,\n    };\n    println!(\"{written:?}\");\n}\n\nfn " + again + "\n}\n"
    }

    pub(crate) fn package(self, n: usize) -> String {
        format!("{}_{n}", self.name())
    }
}

/// What somebody would write by hand for [`fleet::schema`].
fn plain(i: usize) -> String {
    format!(
        r#"/// Payload {i} of the fleet.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Capability{i}Request {{
    /// Who asks.
    pub id: String,
    pub subject: String,
    pub severity: Capability{i}RequestSeverity,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count{i}: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<String>>,
    pub owner: Capability{i}RequestOwner,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}}

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Capability{i}RequestSeverity {{
    Low,
    Med,
    High,
}}

#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Capability{i}RequestOwner {{
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
}}

"#
    )
}

fn capgen(n: usize) -> String {
    let loaded = load(&Source::new("capabilities.yaml", fleet::manifest_yaml(n))).expect("the bench's manifest loads");
    generate(&loaded.manifest, &[Language::Rust]).into_values().collect()
}

fn typify(n: usize) -> String {
    let mut space = typify::TypeSpace::new(&typify::TypeSpaceSettings::default());
    for i in 0..n {
        let mut root: schemars::schema::RootSchema = serde_json::from_str(&fleet::schema(i)).expect("a schema");
        root.schema.metadata().title = Some(format!("Capability{i}Request"));
        space.add_root_schema(root).expect("typify takes the schema");
    }
    prettyplease::unparse(&syn::parse2(space.to_stream()).expect("typify emits Rust"))
}
