//! The comment at the start of an imported manifest.

use std::path::{Path, PathBuf};

use capgen_codegen::regenerate::{Locator, quoted_path};
use capgen_diagnostic::shortened;
use capgen_files::MARK;

use crate::input;

/// The most characters of a name in the header. The name is that of a server, which may choose any text, and is in one
/// line of a comment.
const MAX_NAME: usize = 100;

/// Where a manifest comes from.
#[derive(Debug)]
pub(crate) struct Header {
    /// The imported things in words.
    pub(super) format: &'static str,
    /// The name of the server, which is untrusted.
    pub(super) server: Option<String>,
    /// Its version.
    pub(super) version: Option<String>,
}

/// The mark in the first line of an imported manifest.
pub(super) fn mark() -> String {
    format!("{MARK} import")
}

impl Header {
    /// The comment: the source, and the command that imports it again. It has no date and no absolute path, so that it
    /// is the same on every machine. `words` are the other options of the command, each after a space.
    pub(crate) fn text(&self, format: &str, files: &[PathBuf], words: &str, out: Option<&Path>) -> String {
        let mut text = format!("{} from {}. DO NOT EDIT: import again instead.\n", mark(), self.format);
        if let Some(server) = &self.server {
            let version = self.version.iter().map(|version| format!(" {}", shortened(version, MAX_NAME)));
            text.extend(["Server: ".to_owned(), shortened(server, MAX_NAME)].into_iter().chain(version));
            text.push('\n');
        }
        let out = out.filter(|out| !input::is_stdin(out));
        let paths: Vec<PathBuf> = files.iter().map(|file| source_path(file, out)).collect();
        if paths.is_empty() {
            return text;
        }
        let shown: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        text.push_str(&format!("Source: {}\n", shown.join(", ")));
        let mut command = format!("capgen import {format}");
        paths.iter().for_each(|path| command.extend([" ", &quoted_path(path)]));
        command.push_str(words);
        if let Some(name) = out.and_then(Path::file_name) {
            command.push_str(&format!(" --out {} # in the folder of this file", quoted_path(Path::new(name))));
        }
        text.push_str(&format!("Import again: {command}\n"));
        text
    }
}

/// The comment of a manifest that a program makes: the mark, and the file of the program.
pub(super) fn of_program(program: Option<&Path>, out: &Path) -> String {
    let mut text = format!("{} from a program. DO NOT EDIT: change the program instead.\n", mark());
    if let Some(program) = program {
        let out = Some(out).filter(|out| !input::is_stdin(out));
        text.push_str(&format!("Source: {}\n", source_path(program, out).display()));
    }
    text
}

/// An option that names a folder, after a space.
pub(super) fn folder_option(name: &str, folder: &Path, out: &Path) -> String {
    let out = Some(out).filter(|out| !input::is_stdin(out));
    format!(" --{name} {}", quoted_path(&source_path(folder, out)))
}

/// The path of the source from the folder of the output; only its name if there is no such path that is the same on
/// every machine.
fn source_path(file: &Path, out: Option<&Path>) -> PathBuf {
    if input::is_stdin(file) {
        return file.to_owned();
    }
    let folder = out.and_then(Path::parent).unwrap_or(Path::new(""));
    let relative = Locator::new(folder).relative_path(file);
    relative.or_else(|| Some(PathBuf::from(file.file_name()?))).unwrap_or_default()
}
