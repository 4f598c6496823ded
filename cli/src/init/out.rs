//! The path of `--out`, which must name a YAML file.

use std::path::{Path, PathBuf};

use capgen_codegen::regenerate::quoted_path;
use capgen_diagnostic::{Diagnostic, quoted};
use capgen_manifest::shown;
use clap::error::ErrorKind;

use super::files::MANIFEST;
use crate::codes;
use crate::failure::Failure;
use crate::input;

/// Rejects standard output: a manifest is written together with the schema that it names.
pub(super) fn reject_stdout(out: Option<&Path>) -> Result<(), Failure> {
    if !out.is_some_and(input::is_stdin) {
        return Ok(());
    }
    let message =
        "`--out -` is not a file, and a manifest is written beside its schema for editors: pass `--out <FILE>`";
    Err(Failure::usage(ErrorKind::ValueValidation, message))
}

/// The reason that a path cannot be that of a manifest.
pub(super) fn problem(out: &Path) -> Option<Diagnostic> {
    let text = out.to_string_lossy();
    let last = text.rsplit(std::path::is_separator).next().unwrap_or_default();
    let (message, instead) = if matches!(last, "" | "." | "..") || out.is_dir() {
        (
            format!("{} is a folder, but `--out` needs a file", quoted(&text)),
            out.components().collect::<PathBuf>().join(MANIFEST),
        )
    } else if out.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json")) {
        (format!("{} would be read as JSON, but the manifest is YAML", quoted(&text)), out.with_extension("yaml"))
    } else {
        return None;
    };
    let instead = quoted_path(Path::new(&shown(&instead)));
    Some(Diagnostic::new(codes::INIT_VALUE, message).help(format!("name a YAML file, such as `--out {instead}`")))
}
