//! The two streams: data on standard output, all that is for people on standard error.

use std::io::{self, IsTerminal, Write};

use capgen_manifest::{Diagnostic, render};

/// What is for people.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Console {
    color: bool,
}

impl Console {
    /// Colour only on a terminal that has it, and where [`NO_COLOR`](https://no-color.org) is not set.
    pub(crate) fn new() -> Self {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self { color: io::stderr().is_terminal() && !set("NO_COLOR") && !dumb }
    }

    /// A line for people.
    pub(crate) fn say(&self, line: &str) {
        // Whoever closed standard error does not want to hear of it.
        let _ = writeln!(io::stderr().lock(), "{line}");
    }

    /// A line that begins with a tick.
    pub(crate) fn tick(&self, line: &str) {
        if self.color {
            self.say(&format!("\x1b[32m✓\x1b[0m {line}"));
        } else {
            self.say(&format!("✓ {line}"));
        }
    }

    /// Findings with their snippets.
    pub(crate) fn report(&self, findings: &[Diagnostic]) {
        let _ = io::stderr().lock().write_all(render::human(findings, self.color).as_bytes());
    }
}

/// Data. A reader that is gone, such as `head`, has all that it wants: that is no failure.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// `1 file`, `2 files`.
pub(crate) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
