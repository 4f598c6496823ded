//! Suggestions for unknown subcommands.

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Error};

use crate::arguments::Arguments;

/// Names that other tools use for our subcommands.
const SYNONYMS: &[(&str, &str)] = &[
    ("build", "gen"),
    ("codegen", "gen"),
    ("compile", "gen"),
    ("generate", "gen"),
    ("create", "init"),
    ("new", "init"),
    ("error", "explain"),
    ("completion", "completions"),
    ("lint", "check"),
    ("test", "validate"),
    ("breaking", "diff"),
    ("compare", "diff"),
    ("verify", "gen --check"),
];

/// Adds the subcommand to use to an error about an unknown one: that of a synonym, otherwise clap's suggestion of a
/// similar name, otherwise all of them.
pub(crate) fn with_subcommands(mut error: Error) -> Error {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return error;
    }
    let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) else { return error };
    if let Some((_, subcommand)) = SYNONYMS.iter().find(|(synonym, _)| synonym.eq_ignore_ascii_case(name)) {
        let suggested = ContextValue::Strings(vec![(*subcommand).to_owned()]);
        error.insert(ContextKind::SuggestedSubcommand, suggested);
    } else if error.get(ContextKind::SuggestedSubcommand).is_none() {
        let command = Arguments::command();
        let names: Vec<_> = command.get_subcommands().map(|command| format!("'{}'", command.get_name())).collect();
        let all = StyledStr::from(format!("the subcommands are {}", names.join(", ")));
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![all]));
    }
    error
}
