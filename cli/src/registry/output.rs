//! Machine output: canonical JSON on standard output, one value per line.

use std::io::{self, IsTerminal};
use std::ops::ControlFlow;

use capgen_diagnostic::visible_json;
use capgen_registry::canonical;
use clap::Args;
use serde::Serialize;

use crate::console::print_part;

/// The bytes that are printed at once, so that a large document takes few system calls and little memory.
const CHUNK: usize = 1 << 16;

/// The form of the output of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output {
    /// Whether standard output is a terminal.
    pub(super) terminal: bool,
    /// Whether the output is text and tables instead of JSON.
    pub(super) human: bool,
}

/// The option of commands that other programs use.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct OutputForm {
    /// Print JSON on a terminal, too
    #[arg(long)]
    json: bool,
}

impl OutputForm {
    /// The form of the output: JSON, unless a person reads it on a terminal.
    pub(super) fn output(self) -> Output {
        Output::json_or_text(self.json)
    }
}

impl Output {
    /// The form of a command that other programs use: JSON, unless a person reads it on a terminal.
    pub(super) fn json_or_text(json: bool) -> Self {
        let terminal = io::stdout().is_terminal();
        Self { terminal, human: terminal && !json }
    }

    /// The form of a command that people use: text and tables, unless they ask for JSON.
    pub(super) fn text_or_json(json: bool) -> Self {
        Self { terminal: io::stdout().is_terminal(), human: !json }
    }

    /// Prints canonical JSON as one line, from its parts. Breaks if the pipe is closed.
    pub(super) fn parts(self, parts: impl Iterator<Item = String>) -> io::Result<ControlFlow<()>> {
        let mut text = String::new();
        for part in parts.chain(["\n".to_owned()]) {
            text.push_str(&part);
            if text.len() < CHUNK && !text.ends_with('\n') {
                continue;
            }
            let flow = if self.terminal { print_part(&visible_json(&text))? } else { print_part(&text)? };
            if flow.is_break() {
                return Ok(flow);
            }
            text.clear();
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Prints a value as one line. Breaks if the pipe is closed.
    pub(super) fn value(self, value: &impl Serialize) -> io::Result<ControlFlow<()>> {
        self.line(&canonical(&serde_json::to_value(value).unwrap_or_default()))
    }

    /// Prints canonical JSON as one line. Breaks if the pipe is closed.
    ///
    /// A terminal may act on some characters, so they are escaped there, and only there: elsewhere, the bytes are
    /// canonical.
    pub(super) fn line(self, json: &str) -> io::Result<ControlFlow<()>> {
        self.parts(std::iter::once(json.to_owned()))
    }
}
