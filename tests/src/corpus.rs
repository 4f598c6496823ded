//! Collections of schemas outside this repository, in the folder named by `CAPGEN_CORPUS`.

use std::path::{Path, PathBuf};

use capgen_manifest::{Data, Node, Source, parse_json};

use crate::Failure;

/// A JSON document with the original text of its parts.
#[derive(Debug)]
pub struct Document {
    source: Source,
    root: Node,
}

/// The path of a part of the corpora. Only tests that run on request call it: the others read nothing outside this
/// repository.
///
/// # Panics
///
/// If `CAPGEN_CORPUS` names no folder with this part.
pub fn path(part: &str) -> PathBuf {
    let folder = std::env::var_os("CAPGEN_CORPUS").expect("CAPGEN_CORPUS names the folder of the corpora");
    let path = Path::new(&folder).join(part);
    assert!(path.exists(), "{} is missing", path.display());
    path
}

/// The JSON files of a folder, sorted by name, each with its name without the extension.
///
/// # Errors
///
/// If a file cannot be read or is not JSON.
pub fn documents(folder: &Path) -> Result<Vec<(String, Document)>, Failure> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)?.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    let named = |path: PathBuf| {
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Ok((name, Document::read(&path)?))
    };
    paths.into_iter().map(named).collect()
}

impl Document {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// If it cannot be read or is not JSON.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        Self::parse(&std::fs::read_to_string(path)?)
    }

    /// Reads a text.
    ///
    /// # Errors
    ///
    /// If it is not JSON.
    pub fn parse(text: &str) -> Result<Self, Failure> {
        let source = Source::new("document.json", text);
        let root = parse_json(&source).map_err(|findings| crate::contract::summary(&findings))?;
        Ok(Self { source, root })
    }

    /// The whole document.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// The original text of a part.
    pub fn text(&self, node: &Node) -> &str {
        self.source.text().get(node.span.clone()).unwrap_or_default()
    }
}

/// The member `key` of an object.
pub fn member<'n>(node: &'n Node, key: &str) -> Option<&'n Node> {
    node.member(key).map(|member| &member.value)
}

/// The text of the member `key`, if it is a string.
pub fn string<'n>(node: &'n Node, key: &str) -> Option<&'n str> {
    match &member(node, key)?.data {
        Data::String(text) => Some(text),
        _ => None,
    }
}

/// The elements of an array; empty if it is not an array.
pub fn elements(node: Option<&Node>) -> &[Node] {
    match node.map(|node| &node.data) {
        Some(Data::Array(items)) => items,
        _ => &[],
    }
}
