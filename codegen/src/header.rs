//! The comment that every generated file starts with.

use capgen_manifest::{MARK, Options};

use crate::model::Model;
use crate::{Language, Regenerate};

/// The width of the list of capabilities, unless one name is longer.
const WIDTH: usize = 100;

/// The start of the line with the hash of the contract.
const CONTRACT: &str = "// Contract: sha256:";

/// The hash in the header of a generated file, if it has one.
pub(crate) fn contract_hash(text: &str) -> Option<&str> {
    let mut header = text.lines().take_while(|line| !line.is_empty());
    header.find_map(|line| line.strip_prefix(CONTRACT))
}

/// The comments that silence linters and formatters of JavaScript, which may have any rules.
///
/// Prettier reads its pragma, `@noformat`, only in the first comment of a file, and only with its option `checkIgnorePragma`.
const SILENCED: &str = "/* eslint-disable */
// biome-ignore-all lint: generated
// biome-ignore-all format: generated
// biome-ignore-all assist: generated
";

/// The header: comments, then an empty line.
///
/// It contains no absolute path, version or date, so that it is the same on every machine. Nothing in it needs escaping: ids and
/// names of capabilities contain no character that could end a comment, and the command has only printable characters.
pub(crate) fn header(model: &Model<'_>, language: Language, options: &Options, regenerate: &Regenerate) -> String {
    let details = details(model, language, options, regenerate);
    match language {
        Language::Rust => format!("// {MARK}. DO NOT EDIT.\n{details}\n"),
        Language::TypeScript | Language::JavaScript | Language::JavaScriptModule | Language::CommonJs => {
            format!("/* {MARK}. DO NOT EDIT.\n * @noformat\n */\n{details}{SILENCED}\n")
        }
    }
}

/// The lines about the source.
fn details(model: &Model<'_>, language: Language, options: &Options, regenerate: &Regenerate) -> String {
    let manifest = model.manifest;
    let id = &manifest.agent;
    let mut header = format!("// Source: agent://{id}\n");
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
    header.push_str(&format!("{line}\n// Regenerate: {command}\n{CONTRACT}{}\n", model.hashes().contract));
    header
}
