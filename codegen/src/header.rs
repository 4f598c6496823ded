//! The comment that every generated file starts with.

use capgen_files::MARK;
use capgen_manifest::Options;

use crate::model::Model;
use crate::{Language, Regenerate};

/// The width of the list of capabilities, unless one name is longer. It is that of the generated code below it.
const WIDTH: usize = 100;

/// The start of the line with the hash of the contract, after the sign of the comment.
const CONTRACT: &str = " Contract: sha256:";

/// The hash in the header of a generated file, if it has one.
pub(crate) fn contract_hash(text: &str) -> Option<&str> {
    let mut header = text.lines().take_while(|line| !line.is_empty());
    let comments = || Language::ALL.iter().map(|language| language.target().comment());
    header.find_map(|line| comments().find_map(|comment| line.strip_prefix(comment)?.strip_prefix(CONTRACT)))
}

/// The header: comments, then an empty line.
///
/// It contains no absolute path, version or date, so that it is the same on every machine. Nothing in it needs
/// escaping: ids and names of capabilities contain no character that could end a comment, and the command has only
/// printable characters.
pub(crate) fn header(model: &Model<'_>, language: Language, options: &Options, regenerate: &Regenerate) -> String {
    language.target().header(MARK, &details(model, language, options, regenerate))
}

/// The header of a file that other files share. It is the same for every contract and folder, so it names neither.
pub(crate) fn of_shared(language: Language) -> String {
    let target = language.target();
    let comment = target.comment();
    let details = format!(
        "{comment} Shared by the generated files of this folder that import it; the same for every contract\n\
         {comment} Regenerate: run the commands in the lines `Regenerate` of all of these files\n"
    );
    target.header(MARK, &details)
}

/// The header of the index of a folder.
pub(crate) fn of_index(language: Language) -> String {
    let target = language.target();
    let comment = target.comment();
    let details = format!(
        "{comment} The generated files of this folder\n\
         {comment} Regenerate: run the command in the line `Regenerate` of one of these files\n"
    );
    target.header(MARK, &details)
}

/// The lines about the source.
fn details(model: &Model<'_>, language: Language, options: &Options, regenerate: &Regenerate) -> String {
    let comment = language.target().comment();
    let manifest = model.manifest;
    let id = &manifest.agent;
    let mut header = format!("{comment} Source: agent://{id}\n");
    let mut line = format!("{comment} Capabilities:");
    let labels = manifest.labels();
    let count = labels.len();
    for (index, label) in labels.iter().enumerate() {
        let comma = if index + 1 < count { "," } else { "" };
        if line.len() + label.len() + 2 > WIDTH {
            header.push_str(&line);
            header.push('\n');
            line = format!("{comment}  ");
        }
        line.push_str(&format!(" {label}{comma}"));
    }
    let command = regenerate.line(language, options);
    let contract = model.hashes().contract;
    header.push_str(&format!("{line}\n{comment} Regenerate: {command}\n{comment}{CONTRACT}{contract}\n"));
    header
}
