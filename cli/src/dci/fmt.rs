//! `capgen dci fmt`: the canonical text of a contract.

use super::arguments;
use super::input::Input;
use crate::console::{self, Console};
use crate::failure::{RunResult, Verdict};

pub(super) fn run(arguments: &arguments::Fmt, console: &Console) -> RunResult {
    let input = Input::read(&arguments.contract)?;
    input.report(console);
    let Some(contract) = &input.reading.contract else { return Ok(Verdict::Findings) };
    console::print(&format!("{}\n", contract.canonical()))?;
    Ok(Verdict::Fine)
}
