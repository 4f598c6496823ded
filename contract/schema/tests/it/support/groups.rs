//! The test groups of the JSON Schema Test Suite as they are written: a parser that rounds numbers would change the
//! tests.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::ops::Range;
use std::path::{Path, PathBuf};

use capgen_schema::{JsonBuilder, JsonScalar, JsonTextError, read_json};

/// The files of `draft7/optional` to run. The others are about formats outside the subset, or repeat core tests.
const OPTIONAL: [&str; 19] = [
    "bignum.json",
    "ecmascript-regex.json",
    "float-overflow.json",
    "non-bmp-regex.json",
    "format/date-time.json",
    "format/email.json",
    "format/uri.json",
    "format/uri-reference.json",
    "format/date.json",
    "format/ecmascript-regex.json",
    "format/hostname.json",
    "format/idn-email.json",
    "format/ipv4.json",
    "format/ipv6.json",
    "format/iri.json",
    "format/json-pointer.json",
    "format/regex.json",
    "format/time.json",
    "format/uri-template.json",
];

/// The groups that are not run: they need the tables of IDNA, which the format `hostname` leaves out.
const NOT_RUN: [&str; 1] = ["draft7/optional/format/hostname.json: validation of A-label (punycode) host names"];

/// A schema and its tests.
pub(crate) struct Group {
    /// The file and the description.
    pub(crate) name: String,
    /// JSON text.
    pub(crate) schema: String,
    pub(crate) tests: Vec<Test>,
}

pub(crate) struct Test {
    pub(crate) description: String,
    /// JSON text.
    pub(crate) data: String,
    pub(crate) valid: bool,
}

/// The groups of draft-07 and of the format `uuid`.
pub(crate) fn groups(suite: &Path) -> Vec<Group> {
    files(suite)
        .iter()
        .flat_map(|path| {
            let file = path.strip_prefix(suite).unwrap().display().to_string();
            let text = std::fs::read_to_string(path).unwrap();
            let root = read_json(&text, 0, &mut Builder).unwrap();
            root.items().iter().map(|group| group.to_group(&file, &text)).collect::<Vec<_>>()
        })
        .filter(|group| !NOT_RUN.contains(&group.name.as_str()))
        .collect()
}

fn files(suite: &Path) -> Vec<PathBuf> {
    let draft7 = suite.join("draft7");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&draft7).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    files.extend(OPTIONAL.map(|name| draft7.join("optional").join(name)));
    files.push(suite.join("draft2019-09/optional/format/uuid.json"));
    files
}

/// A value with its place in the text.
struct Node {
    span: Range<usize>,
    data: Data,
}

enum Data {
    String(String),
    Array(Vec<Node>),
    Object(Vec<(String, Node)>),
    Other,
}

impl Node {
    fn items(&self) -> &[Node] {
        if let Data::Array(items) = &self.data { items } else { &[] }
    }

    fn get(&self, name: &str) -> &Node {
        let members = if let Data::Object(members) = &self.data { members.as_slice() } else { &[] };
        members.iter().find(|(n, _)| n == name).map(|(_, member)| member).unwrap()
    }

    fn string(&self, name: &str) -> &str {
        if let Data::String(text) = &self.get(name).data { text } else { "" }
    }

    fn text(&self, text: &str) -> String {
        text.get(self.span.clone()).unwrap().to_owned()
    }

    fn to_group(&self, file: &str, text: &str) -> Group {
        let test = |test: &Node| Test {
            description: test.string("description").to_owned(),
            data: test.get("data").text(text),
            valid: test.get("valid").text(text) == "true",
        };
        let mut schema = self.get("schema").text(text);
        // `uuid` is a format of a later draft. Its tests have a `$schema` of that draft, which must be removed.
        if file.starts_with("draft2019-09") {
            schema = schema.replace(r#""$schema": "https://json-schema.org/draft/2019-09/schema","#, "");
        }
        Group {
            name: format!("{file}: {}", self.string("description")),
            schema,
            tests: self.get("tests").items().iter().map(test).collect(),
        }
    }
}

struct Builder;

impl JsonBuilder for Builder {
    type Value = Node;
    type Members = Vec<(String, Node)>;
    type Error = JsonTextError;

    fn start(&mut self, _: usize, _: usize, _: bool) -> Result<(), JsonTextError> {
        Ok(())
    }

    fn scalar(&mut self, scalar: JsonScalar<'_>, span: Range<usize>) -> Result<Node, JsonTextError> {
        let data = if let JsonScalar::String(text) = scalar { Data::String(text) } else { Data::Other };
        Ok(Node { span, data })
    }

    fn array(&mut self, items: Vec<Node>, span: Range<usize>) -> Node {
        Node { span, data: Data::Array(items) }
    }

    fn member(&mut self, members: &mut Self::Members, name: String, _: Range<usize>, value: Node) {
        members.push((name, value));
    }

    fn object(&mut self, members: Self::Members, span: Range<usize>) -> Result<Node, JsonTextError> {
        Ok(Node { span, data: Data::Object(members) })
    }

    fn fail(&mut self, error: JsonTextError) -> JsonTextError {
        error
    }
}
