//! The two streams: data goes to standard output, human-readable output to standard error.

use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;

use capgen_diagnostic::{Diagnostic, public_text, render, visible, visible_json};

use crate::{launcher, progress};

/// Human-readable output, on standard error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Console {
    color: bool,
}

impl Console {
    /// Uses colour only on a terminal that supports it, and not if [`NO_COLOR`](https://no-color.org) is set.
    pub(crate) fn new() -> Self {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self { color: io::stderr().is_terminal() && !set("NO_COLOR") && !dumb }
    }

    /// Prints a line. Paths and names in it are untrusted.
    pub(crate) fn line(&self, line: &str) {
        progress::erase();
        // If standard error is closed, there is no place left to report that.
        let _ = writeln!(io::stderr().lock(), "{}", visible(&launcher::named(&public_text(line))));
    }

    /// Prints a line after a tick, without the secrets of URLs.
    pub(crate) fn tick(&self, line: &str) {
        progress::erase();
        let tick = if self.color { "\x1b[32m✓\x1b[0m" } else { "✓" };
        let _ = writeln!(io::stderr().lock(), "{tick} {}", visible(&public_text(line)));
    }

    /// Prints findings with their snippets.
    pub(crate) fn report(&self, findings: &[Diagnostic]) {
        progress::erase();
        let _ = io::stderr().lock().write_all(render::human(&launcher::named_in(findings), self.color).as_bytes());
    }

    /// Prints findings on one line each.
    pub(crate) fn brief(&self, findings: &[Diagnostic]) {
        progress::erase();
        let _ = io::stderr().lock().write_all(render::brief(&launcher::named_in(findings)).as_bytes());
    }
}

/// Prints data to standard output. A closed pipe is not a failure: a reader such as `head` stops when it has enough.
pub(crate) fn print(text: &str) -> io::Result<()> {
    print_part(text).map(drop)
}

/// Prints a part of the data. Breaks if the pipe is closed, so that the caller does not produce the rest.
pub(crate) fn print_part(text: &str) -> io::Result<ControlFlow<()>> {
    write(text.as_bytes())
}

/// Prints data that is not text.
#[cfg(feature = "amp")]
pub(crate) fn print_bytes(bytes: &[u8]) -> io::Result<()> {
    write(bytes).map(drop)
}

fn write(bytes: &[u8]) -> io::Result<ControlFlow<()>> {
    progress::erase();
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ControlFlow::Break(())),
        result => result.map(ControlFlow::Continue),
    }
}

/// Prints a JSON document or several, one per line, with escapes for characters that a terminal may act on. They can
/// only be in strings.
pub(crate) fn print_json(text: &str) -> io::Result<()> {
    print(&visible_json(text))
}

/// `1 file`, `2 files`.
pub(crate) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
