//! The command with which a user starts the program: messages and help name one that works there.

use std::borrow::Cow;

use capgen_diagnostic::Diagnostic;
use clap::Command;

/// The launcher of the package for npm sets it to `npm`.
const VARIABLE: &str = "CAPGEN_LAUNCHER";
/// Another project owns the package `capgen` of npm, which npx would fetch and run wherever `@capgen/cli` is not
/// installed. With `--no`, it only runs installed programs.
const NPX: &str = "npx --no -- capgen";

fn is_npm() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|launcher| launcher == "npm")
}

/// A message of this program, with its commands as the user has to write them.
pub(crate) fn named(text: &str) -> Cow<'_, str> {
    if is_npm() { Cow::Owned(with_npx(text)) } else { Cow::Borrowed(text) }
}

/// The findings with such messages.
pub(crate) fn named_in(findings: &[Diagnostic]) -> Cow<'_, [Diagnostic]> {
    if !is_npm() {
        return Cow::Borrowed(findings);
    }
    let mut findings = findings.to_vec();
    for finding in &mut findings {
        finding.help = finding.help.take().map(|help| with_npx(&help));
    }
    Cow::Owned(findings)
}

/// The parser of the command line with such a usage and such examples.
pub(crate) fn named_by(command: Command) -> Command {
    if is_npm() { renamed(command).bin_name(NPX) } else { command }
}

fn renamed(mut command: Command) -> Command {
    for (text, set) in [
        (command.get_after_help().cloned(), Command::after_help as fn(Command, String) -> Command),
        (command.get_after_long_help().cloned(), Command::after_long_help),
        (command.get_about().cloned(), Command::about),
        (command.get_long_about().cloned(), Command::long_about),
    ] {
        if let Some(text) = text {
            command = set(command, with_npx(&text.to_string()));
        }
    }
    command.mut_subcommands(renamed)
}

/// Commands are in backquotes, or in the lines of examples.
fn with_npx(text: &str) -> String {
    let text = text.replace("`capgen ", &format!("`{NPX} "));
    let lines = text.split('\n').map(|line| match line.trim_start().strip_prefix("capgen ") {
        Some(rest) if line.starts_with("  ") => format!("  {NPX} {rest}"),
        _ => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::with_npx;

    #[test]
    fn commands_are_those_of_the_installed_package() {
        assert_eq!(
            with_npx("run `capgen lock`, and `capgen` again"),
            "run `npx --no -- capgen lock`, and `capgen` again"
        );
        let examples = "Examples:\n  capgen check    check\n\ncapgen reads manifests.";
        let expected = "Examples:\n  npx --no -- capgen check    check\n\ncapgen reads manifests.";
        assert_eq!(with_npx(examples), expected);
    }
}
