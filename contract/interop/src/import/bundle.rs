//! A document that refers to other files, as one document.
//!
//! Only the caller reads files. This module decides which ones, by the text of the references: never a URL, and never
//! a path that leaves the folder.

use std::collections::HashMap;

use capgen_schema::{Json, LINKED_FILES as FILES, Object, pointer};

use super::Document;
use super::links::{self, Anchors, Links};

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

/// Reads the files that the references of a document lead to, also through each other, as parts of the document: those
/// in `$ref`, and in the `mapping` of a `discriminator`.
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
    let names_itself = open.iter().any(|found| found == path);
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
    if bundle.files.is_empty() && !names_itself {
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

    fn document(self, main: &str, document: Document) -> Document {
        let anchors: Vec<Anchors> = self.files.iter().map(|(_, _, content)| links::anchors(content.json())).collect();
        let place = |path: &str, fragment: &str| self.place(main, &anchors, path, fragment);
        let linked = |file: &str, json: &Json| Links::of(file, file == main, json, &place).linked(json);
        let mut json = linked(main, document.json());
        let files: Object =
            self.files.iter().map(|(file, name, content)| (name.clone(), linked(file, content.json()))).collect();
        if let Json::Object(members) = &mut json
            && !files.is_empty()
        {
            members.set(FILES, Some(Json::Object(files)));
        }
        let files = self.files.into_iter().map(|(_, name, content)| (name, content)).collect();
        Document::of_bundle(json, document, files)
    }

    /// The reference within the bundle to a place of a file; `None` if there is none.
    fn place(&self, main: &str, anchors: &[Anchors], path: &str, fragment: &str) -> Option<String> {
        if path == main {
            return Some(format!("#{fragment}"));
        }
        let index = (*self.known.get(path)?)?;
        let (_, name, _) = self.files.get(index)?;
        let file = pointer::join(&pointer::join("", FILES), name);
        let is_pointer = fragment.is_empty() || fragment.starts_with('/');
        match is_pointer {
            true => Some(format!("#{file}{fragment}")),
            false => Some(format!("#{file}{}", pointer::to_fragment(anchors.get(index)?.get(fragment)?))),
        }
    }
}

/// The paths that the references of a file lead to, in reverse order.
fn paths(file: &str, json: &Json) -> Vec<String> {
    let mut found = Vec::new();
    links::references(json, &mut |reference| {
        let path = reference.split('#').next().unwrap_or_default();
        found.extend(Some(path).filter(|path| !path.is_empty()).and_then(|path| resolved(file, path)));
    });
    found.reverse();
    found
}

/// The path in the folder to which a relative path in `file` leads; `None` if it is a URL or leaves the folder.
pub(super) fn resolved(file: &str, path: &str) -> Option<String> {
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
