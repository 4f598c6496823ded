//! The comment that every generated file starts with.

use capgen_manifest::{MARK, Options};

use crate::model::Model;
use crate::{Language, Regenerate};

/// The width of the list of capabilities, unless one name is longer.
const WIDTH: usize = 100;

/// The header: line comments, which are the same in every language, then an empty line.
///
/// It contains no absolute path, version or date, so that it is the same on every machine. Nothing in it needs escaping: ids and
/// names of capabilities contain no character that could end a comment, and the command has only printable characters.
pub(crate) fn header(model: &Model<'_>, language: Language, options: &Options, regenerate: &Regenerate) -> String {
    let manifest = model.manifest;
    let id = &manifest.agent;
    let mut header = format!("// {MARK}. DO NOT EDIT.\n// Source: agent://{id}\n");
    let mut line = String::from("// Capabilities:");
    let count = manifest.capabilities.len();
    for (index, capability) in manifest.capabilities.iter().enumerate() {
        let comma = if index + 1 < count { "," } else { "" };
        if line.len() + capability.name.len() + 2 > WIDTH {
            header.push_str(&line);
            header.push('\n');
            line = String::from("//  ");
        }
        line.push_str(&format!(" {}{comma}", capability.name));
    }
    let command = regenerate.line(language, options);
    header.push_str(&format!("{line}\n// Regenerate: {command}\n// Contract: sha256:{}\n\n", model.hash));
    header
}
