//! `capgen registry`: the capability registry, a projection of events.

mod append;
mod arguments;
mod config;
mod events;
mod explain;
mod find;
mod fold;
mod input;
mod key;
mod line;
mod log;
mod merge;
mod monitor;
mod output;
mod register;
mod snapshot;
mod step;
mod tail;
mod verify;
mod watch;

pub(crate) use arguments::Registry;

use crate::console::Console;
use crate::failure::RunResult;
use arguments::Command;

pub(crate) fn run(arguments: &Registry, console: &Console) -> RunResult {
    match &arguments.command {
        Command::Append(arguments) => append::run(arguments, console),
        Command::Fold(arguments) => fold::run(arguments, console),
        Command::Key(arguments) => key::run(arguments, console),
        Command::Merge(arguments) => merge::run(arguments),
        Command::Find(arguments) => find::run(arguments, console),
        Command::Resolve(arguments) => explain::resolve(arguments, console),
        Command::Explain(arguments) => explain::run(arguments, console),
        Command::Step(arguments) => step::run(arguments, console),
        Command::Snapshot(arguments) => snapshot::run(arguments, console),
        Command::Tail(arguments) => tail::run(arguments),
        Command::Register(arguments) => register::run(arguments, console),
        Command::Monitor(arguments) => monitor::run(arguments, console),
        Command::Watch(arguments) => watch::run(arguments),
        Command::Verify(arguments) => verify::run(arguments, console),
    }
}
