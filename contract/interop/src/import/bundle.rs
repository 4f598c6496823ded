//! A document that refers to other files, as one document.
//!
//! Only the caller reads files. This module decides which ones, by the text of the references: never a URL, and never
//! a path that leaves the folder.

use std::collections::HashMap;

use capgen_schema::{Json, Object, pointer};

use super::Document;

/// The member of a document that has the other files.
pub(crate) const FILES: &str = "x-capgen-files";

/// At most this many files are read. Documents that are split by operation and component have a few thousand.
const MAX_FILES: usize = 10_000;

/// At most this many bytes of references are followed in a file name: longer ones are not paths.
const MAX_PATH: usize = 1024;

/// The files that are read so far.
struct Bundle {
    /// The indexes of files by their paths; `None` if a path leads nowhere.
    known: HashMap<String, Option<usize>>,
    /// The path of each file, its name in the document, and its content.
    files: Vec<(String, String, Document)>,
    names: HashMap<String, usize>,
}

/// Reads the files that the references of a document lead to, also through each other, as parts of the document.
///
/// `path` is that of the document in its folder, with `/` between names. `read` gets such paths, which never leave the
/// folder by their text; it returns `None` for one that does not exist or that must not be read. References to such a
/// path, to a URL, and to an absolute path stay as they are, and are errors where they are used.
///
/// Takes time linear in the files.
///
/// # Errors
///
/// The first error of `read`.
pub fn with_files<E>(
    path: &str,
    document: Document,
    mut read: impl FnMut(&str) -> Result<Option<Document>, E>,
) -> Result<Document, E> {
    let mut bundle = Bundle { known: HashMap::new(), files: Vec::new(), names: HashMap::new() };
    let mut open = paths(path, document.json());
    while let Some(next) = open.pop() {
        if next == path || bundle.known.contains_key(&next) || bundle.files.len() >= MAX_FILES {
            continue;
        }
        let found = read(&next)?;
        let index = found.as_ref().map(|_| bundle.files.len());
        bundle.known.insert(next.clone(), index);
        if let Some(found) = found {
            open.extend(paths(&next, found.json()));
            let name = bundle.name(&next);
            bundle.files.push((next, name, found));
        }
    }
    if bundle.files.is_empty() {
        return Ok(document);
    }
    Ok(bundle.document(path, document))
}

impl Bundle {
    /// A unique name for a file: that of definitions which are whole files.
    fn name(&mut self, path: &str) -> String {
        let file = path.rsplit('/').next().unwrap_or(path);
        let stem = file.split('.').next().unwrap_or(file);
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let stem: String = stem.chars().map(|c| if is_allowed(c) { c } else { '_' }).collect();
        let count = self.names.entry(stem.clone()).or_default();
        *count += 1;
        match *count {
            1 => stem,
            // A dot is in no stem, so that the name is unique.
            count => format!("{stem}.{count}"),
        }
    }

    fn document(self, path: &str, document: Document) -> Document {
        let mut files = Object::new();
        for (file, name, content) in &self.files {
            files.push(name.clone(), self.linked(path, file, content.json()));
        }
        let mut json = self.linked(path, path, document.json());
        if let Json::Object(members) = &mut json {
            members.set(FILES, Some(Json::Object(files)));
        }
        let files = self.files.into_iter().map(|(_, name, content)| (name, content)).collect();
        Document::of_bundle(json, document, files)
    }

    /// The content of a file with references to places of the bundle.
    fn linked(&self, main: &str, file: &str, json: &Json) -> Json {
        match json {
            Json::Array(items) => Json::Array(items.iter().map(|item| self.linked(main, file, item)).collect()),
            Json::Object(members) => {
                let member = |(name, value): &(String, Json)| {
                    let reference = value.as_str().filter(|_| name == "$ref");
                    let link = reference.and_then(|reference| self.link(main, file, reference));
                    (name.clone(), link.map_or_else(|| self.linked(main, file, value), Json::String))
                };
                Json::Object(members.iter().map(member).collect())
            }
            scalar => scalar.clone(),
        }
    }

    /// The reference to a place of the bundle; `None` if the reference leads elsewhere, or stays.
    fn link(&self, main: &str, file: &str, reference: &str) -> Option<String> {
        let (path, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let path = if path.is_empty() { file.to_owned() } else { resolved(file, path)? };
        if path == main {
            return (file != main).then(|| format!("#{fragment}"));
        }
        let (_, name, _) = self.files.get((*self.known.get(&path)?)?)?;
        // An anchor of another file has no pointer.
        let is_pointer = fragment.is_empty() || fragment.starts_with('/');
        is_pointer.then(|| format!("#{}{fragment}", pointer::join(&pointer::join("", FILES), name)))
    }
}

/// The paths that the references of a file lead to, in reverse order.
fn paths(file: &str, json: &Json) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![json];
    while let Some(json) = open.pop() {
        match json {
            Json::Object(members) => {
                let reference = members.get("$ref").and_then(Json::as_str);
                let path = reference.map(|reference| reference.split('#').next().unwrap_or_default());
                found.extend(path.filter(|path| !path.is_empty()).and_then(|path| resolved(file, path)));
                open.extend(members.iter().rev().map(|(_, value)| value));
            }
            Json::Array(items) => open.extend(items.iter().rev()),
            _ => {}
        }
    }
    found.reverse();
    found
}

/// The path in the folder to which a relative path in `file` leads; `None` if it is a URL or leaves the folder.
fn resolved(file: &str, path: &str) -> Option<String> {
    let is_elsewhere = path.starts_with('/') || path.contains([':', '\\', '?', '%', '\0']) || path.len() > MAX_PATH;
    if is_elsewhere {
        return None;
    }
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => _ = parts.pop()?,
            "" => return None,
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_in_the_folder() {
        assert_eq!(resolved("a.yaml", "./b/c.yaml").as_deref(), Some("b/c.yaml"));
        assert_eq!(resolved("b/c.yaml", "../a.yaml").as_deref(), Some("a.yaml"));
        assert_eq!(resolved("b/c.yaml", "d.yaml").as_deref(), Some("b/d.yaml"));
        for outside in
            ["../a.yaml", "/etc/passwd", "http://x/a", "file:a", "b/../../a", "C:\\a", "..", "b//c", "%2e%2e/a"]
        {
            assert_eq!(resolved("a.yaml", outside), None, "{outside}");
        }
    }
}
