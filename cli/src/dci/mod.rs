//! `capgen dci`: dependent capabilities, the contracts of skills.

mod arguments;
mod command;
mod discovery;
mod fmt;
mod graph;
mod input;
mod lint;
mod page;
mod parse;
mod prompt;
mod record;
mod resolve;
mod run;
mod search;
mod show;
mod skill;
mod suggestions;
mod values;

pub(crate) use arguments::Dci;

use crate::console::Console;
use crate::failure::RunResult;
use arguments::Command;

pub(crate) fn run(arguments: &Dci, console: &Console) -> RunResult {
    match &arguments.command {
        Command::Parse(arguments) => parse::run(arguments, console),
        Command::Fmt(arguments) => fmt::run(arguments, console),
        Command::Resolve(arguments) => resolve::run(arguments, console),
        Command::Lint(arguments) => lint::run(arguments, console),
        Command::Search(arguments) => search::run(arguments, console),
        Command::Graph(arguments) => graph::run(arguments, console),
        Command::Skill(arguments) => skill::run(arguments, console),
        Command::Record(arguments) => record::run(arguments, console),
    }
}
