//! The command with which a user starts the program: messages and help name one that works there.

use std::borrow::Cow;

use capgen_diagnostic::Diagnostic;
use clap::Command;

/// The launchers set it to their names.
const VARIABLE: &str = "CAPGEN_LAUNCHER";
/// The launchers, and the command that a user writes instead of `capgen`.
///
/// Another project owns the package `capgen` of npm, which npx would fetch and run wherever `@capgen/cli` is not
/// installed. With `--no`, it only runs installed programs.
const LAUNCHERS: [(&str, &str); 2] = [("npm", "npx --no -- capgen"), ("cargo", "cargo capgen")];

/// The command of the launcher, if there is one.
fn launcher() -> Option<&'static str> {
    let name = std::env::var_os(VARIABLE)?;
    LAUNCHERS.iter().find(|(launcher, _)| name == *launcher).map(|(_, command)| *command)
}

/// A message of this program, with its commands as the user has to write them.
pub(crate) fn named(text: &str) -> Cow<'_, str> {
    launcher().map_or(Cow::Borrowed(text), |command| Cow::Owned(with_command(text, command)))
}

/// The findings with such messages.
pub(crate) fn named_in(findings: &[Diagnostic]) -> Cow<'_, [Diagnostic]> {
    let Some(command) = launcher() else { return Cow::Borrowed(findings) };
    let mut findings = findings.to_vec();
    for finding in &mut findings {
        finding.help = finding.help.take().map(|help| with_command(&help, command));
    }
    Cow::Owned(findings)
}

/// The parser of the command line with such a usage and such examples.
pub(crate) fn named_by(command: Command) -> Command {
    match launcher() {
        Some(name) => renamed(command, name).bin_name(name),
        None => command,
    }
}

fn renamed(mut command: Command, name: &str) -> Command {
    for (text, set) in [
        (command.get_after_help().cloned(), Command::after_help as fn(Command, String) -> Command),
        (command.get_after_long_help().cloned(), Command::after_long_help),
        (command.get_about().cloned(), Command::about),
        (command.get_long_about().cloned(), Command::long_about),
    ] {
        if let Some(text) = text {
            command = set(command, with_command(&text.to_string(), name));
        }
    }
    command.mut_subcommands(|command| renamed(command, name))
}

/// Commands are in backquotes, after `For example:`, or in the lines of examples.
fn with_command(text: &str, command: &str) -> String {
    let before = ["`", "For example: "];
    let text = before.iter().fold(text.to_owned(), |text, before| {
        text.replace(&format!("{before}capgen "), &format!("{before}{command} "))
    });
    let lines = text.split('\n').map(|line| match line.trim_start().strip_prefix("capgen ") {
        Some(rest) if line.starts_with("  ") => format!("  {command} {rest}"),
        _ => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::{LAUNCHERS, with_command};

    #[test]
    fn commands_are_those_of_the_launcher() {
        for (_, command) in LAUNCHERS {
            assert_eq!(
                with_command("run `capgen lock`, and `capgen` again", command),
                format!("run `{command} lock`, and `capgen` again")
            );
            let examples = "Examples:\n  capgen check    check\n\ncapgen reads manifests.";
            let expected = format!("Examples:\n  {command} check    check\n\ncapgen reads manifests.");
            assert_eq!(with_command(examples, command), expected);
        }
    }
}
