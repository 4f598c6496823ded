//! A document that refers to other files, as one document.
//!
//! Only the caller reads files. This module decides which ones, by the text of the references: never a URL, and never
//! a path that leaves the folder.

use std::collections::HashMap;

use capgen_schema::{Json, LINKED_FILES as FILES, Object, pointer};

use super::Document;
use super::links::{self, Anchors, Links};
use super::unread::{NoTarget, NotRead, is_internal, no_target, resolved};

/// At most this many files are read. Documents that are split by operation and component have a few thousand.
const MAX_FILES: usize = 10_000;

/// A file that is a part of a document.
#[derive(Clone, Debug)]
pub(super) struct File {
    /// The path in the folder.
    pub(super) path: String,
    /// The name in the document.
    pub(super) name: String,
    pub(super) content: Document,
}

/// A document with the files that it refers to.
#[derive(Clone, Debug)]
pub(super) struct Bundle {
    /// The path of the document.
    path: String,
    pub(super) document: Box<Document>,
    pub(super) files: Vec<File>,
    /// The indexes of files by their paths, or the reasons why they are not read.
    known: HashMap<String, Result<usize, NotRead>>,
    /// The name in the bundle of a member of the document that has the name of the files.
    renamed: String,
}

/// Reads the files that the references of a document lead to, also through each other, as parts of the document: those
/// in `$ref`, and in the `mapping` of a `discriminator`.
///
/// `path` is that of the document in its folder, with `/` between names. `read` gets such paths, which never leave the
/// folder by their text, and returns the reason if a file is not read. References to such a path, to a URL, and to an
/// absolute path stay as they are, and are errors where they are used.
///
/// Takes time linear in the files.
///
/// # Errors
///
/// The first error of `read`.
pub fn with_files<E>(
    path: &str,
    document: Document,
    mut read: impl FnMut(&str) -> Result<Result<Document, NotRead>, E>,
) -> Result<Document, E> {
    let mut open = paths(path, document.json());
    if !links::have_paths(document.json()) {
        return Ok(document);
    }
    let (mut known, mut files, mut names) = (HashMap::new(), Vec::new(), HashMap::new());
    while let Some(next) = open.pop() {
        if next == path || known.contains_key(&next) {
            continue;
        }
        let found = if files.len() < MAX_FILES { read(&next)? } else { Err(NotRead::TooLarge) };
        let index = match found {
            Ok(content) => {
                open.extend(paths(&next, content.json()));
                files.push(File { path: next.clone(), name: unique_name(&mut names, &next), content });
                Ok(files.len() - 1)
            }
            Err(reason) => Err(reason),
        };
        known.insert(next, index);
    }
    let renamed = free_name(document.json());
    Ok(Bundle { path: path.to_owned(), document: Box::new(document), files, known, renamed }.document())
}

/// A unique name for a file: that of definitions which are whole files.
fn unique_name(names: &mut HashMap<String, usize>, path: &str) -> String {
    let file = path.rsplit('/').next().unwrap_or(path);
    let stem = file.split('.').next().unwrap_or(file);
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let stem: String = stem.chars().map(|c| if is_allowed(c) { c } else { '_' }).collect();
    let count = names.entry(stem.clone()).or_default();
    *count += 1;
    match *count {
        1 => stem,
        // A dot is in no stem, so that the name is unique.
        count => format!("{stem}.{count}"),
    }
}

/// A name that no member of the document has.
fn free_name(document: &Json) -> String {
    // One of the numbers is free, because there are fewer members.
    let mut numbered = (2_u64..).map(|number| format!("{FILES}.{number}"));
    numbered.find(|name| document.get(name).is_none()).unwrap_or_default()
}

impl Bundle {
    /// The document with the files as one of its members.
    fn document(self) -> Document {
        let anchors: Vec<Anchors> = self.files.iter().map(|file| links::anchors(file.content.json())).collect();
        let place = |path: &str, fragment: &str| self.place(&anchors, path, fragment);
        let linked = |file: &str, json: &Json| Links::of(file, file == self.path, json, &place).linked(json);
        let mut json = linked(&self.path, self.document.json());
        let files: Object =
            self.files.iter().map(|file| (file.name.clone(), linked(&file.path, file.content.json()))).collect();
        if let Json::Object(members) = &mut json
            && !files.is_empty()
        {
            if members.get(FILES).is_some() {
                let own = |(name, value): &(String, Json)| {
                    let name = if name == FILES { &self.renamed } else { name };
                    (name.clone(), value.clone())
                };
                *members = members.iter().map(own).collect();
            }
            members.push(FILES.to_owned(), Json::Object(files));
        }
        Document::of_bundle(json, self)
    }

    /// The reference within the bundle to a place of a file; `None` if there is none.
    fn place(&self, anchors: &[Anchors], path: &str, fragment: &str) -> Option<String> {
        if path == self.path {
            let own = fragment.strip_prefix('/').filter(|_| !self.files.is_empty() && is_internal(fragment));
            let Some(own) = own else { return Some(format!("#{fragment}")) };
            let below = own.split_once('/').map_or(String::new(), |(_, below)| format!("/{below}"));
            return Some(format!("#/{}{below}", self.renamed));
        }
        let index = *self.known.get(path)?.as_ref().ok()?;
        let file = pointer::join(&pointer::join("", FILES), &self.files.get(index)?.name);
        let is_pointer = fragment.is_empty() || fragment.starts_with('/');
        match is_pointer {
            true => Some(format!("#{file}{fragment}")),
            false => Some(format!("#{file}{}", pointer::to_fragment(anchors.get(index)?.get(fragment)?))),
        }
    }

    /// The file that a pointer leads into, with its index, and the pointer in it. The document itself has no file.
    pub(super) fn file(&self, pointer: &str) -> (usize, Option<&File>, String) {
        let mut tokens = pointer::tokens(pointer);
        let first = tokens.next();
        let rest = |tokens: &mut dyn Iterator<Item = String>| {
            tokens.fold(String::new(), |rest, token| pointer::join(&rest, &token))
        };
        if first.as_ref() == Some(&self.renamed) {
            let own = pointer::join("", FILES);
            return (0, None, format!("{own}{}", rest(&mut tokens)));
        }
        let name = (first.as_deref() == Some(FILES)).then(|| tokens.next()).flatten();
        let found = self.files.iter().enumerate().find(|(_, file)| name.as_ref() == Some(&file.name));
        match found {
            Some((index, file)) => (index + 1, Some(file), rest(&mut tokens)),
            None => (0, None, pointer.to_owned()),
        }
    }

    /// The reference at a place as its author wrote it.
    pub(super) fn reference(&self, pointer: &str) -> Option<&str> {
        let (_, file, at) = self.file(pointer);
        let value = file.map_or(self.document.json(), |file| file.content.json()).pointer(&at)?;
        value.as_str().or_else(|| value.get("$ref")?.as_str())
    }

    /// The reason why the reference at a place has no target; `None` if there is no reference, or if its message has
    /// nothing that only the bundle has.
    pub(super) fn no_target(&self, pointer: &str) -> Option<NoTarget> {
        let (_, file, _) = self.file(pointer);
        let reference = self.reference(pointer)?;
        let (path, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        if file.is_none() && path.is_empty() && !is_internal(fragment) {
            return None;
        }
        let content = |path: &str| {
            if path == self.path {
                return Some(Ok(self.document.json()));
            }
            let found = self.known.get(path)?.as_ref();
            found
                .map(|index| self.files.get(*index).map(|file| file.content.json()))
                .map_or_else(|e| Some(Err(e)), |json| json.map(Ok))
        };
        let path = file.map_or(self.path.as_str(), |file| &file.path);
        let json = file.map_or(self.document.json(), |file| file.content.json());
        Some(no_target((path, json), reference, content))
    }
}

/// The paths that the references of a file lead to, in reverse order.
fn paths(file: &str, json: &Json) -> Vec<String> {
    let mut found = Vec::new();
    links::references(json, &mut |reference| {
        let path = reference.split('#').next().unwrap_or_default();
        found.extend(Some(path).filter(|path| !path.is_empty()).and_then(|path| resolved(file, path).ok()));
    });
    found.reverse();
    found
}
