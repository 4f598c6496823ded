//! The decision of the user for missing capabilities (policy `offer-emulation`).

use std::io::{self, BufRead, IsTerminal, Read, Write};

use capgen_dci::{Decision, OnMissingRequired, Resolution};
use capgen_diagnostic::visible;

use super::page::listed;

/// Longer answers are not read. The longest one that is valid has 21 bytes; an input without line breaks must not fill
/// the memory.
const MAX_ANSWER: u64 = 1024;
/// After this many other answers, the run is aborted. A user may mistype an answer; the output of a program by mistake
/// must not be asked line by line.
const ATTEMPTS: usize = 3;

/// The decision for a resolution: the one of the options, else the answer of the user if one is needed and there is a
/// terminal, else `abort` (decision 26).
pub(super) fn decision(given: Option<Decision>, resolution: &Resolution) -> io::Result<Decision> {
    let is_needed =
        !resolution.unresolved.is_empty() && resolution.on_missing_required == OnMissingRequired::OfferEmulation;
    match given {
        Some(decision) => Ok(decision),
        None if is_needed && io::stdin().is_terminal() && io::stderr().is_terminal() => {
            ask(&listed(&resolution.unresolved), &mut io::stdin().lock(), &mut io::stderr().lock())
        }
        None => Ok(Decision::Abort),
    }
}

/// Asks until an answer is one of the options. The end of the input means `abort`.
fn ask(missing: &str, input: &mut dyn BufRead, output: &mut dyn Write) -> io::Result<Decision> {
    writeln!(output, "missing: {}", visible(missing))?;
    for _ in 0..ATTEMPTS {
        write!(output, "[e]mulate, [c]ontinue-with-partial or [a]bort? ")?;
        output.flush()?;
        let mut answer = Vec::new();
        input.take(MAX_ANSWER).read_until(b'\n', &mut answer)?;
        match String::from_utf8_lossy(&answer).trim() {
            "e" | "emulate" => return Ok(Decision::Emulate),
            "c" | "continue-with-partial" => return Ok(Decision::ContinueWithPartial),
            "a" | "abort" => return Ok(Decision::Abort),
            _ if answer.is_empty() => break,
            _ => {}
        }
    }
    Ok(Decision::Abort)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(input: &str) -> (Decision, String) {
        let mut output = Vec::new();
        let decision = ask("a\u{1b}[2J", &mut input.as_bytes(), &mut output).unwrap();
        (decision, String::from_utf8(output).unwrap())
    }

    #[test]
    fn an_answer_is_a_name_or_its_first_letter() {
        assert_eq!(answered("e\n").0, Decision::Emulate);
        assert_eq!(answered("continue-with-partial\r\n").0, Decision::ContinueWithPartial);
        assert_eq!(answered("x\n\nc\n").0, Decision::ContinueWithPartial);
        assert_eq!(answered("a").0, Decision::Abort);
    }

    #[test]
    fn anything_else_aborts() {
        assert_eq!(answered("").0, Decision::Abort);
        assert_eq!(answered("x\ny\nz\ne\n").0, Decision::Abort);
        assert_eq!(answered(&"e".repeat(1 << 20)).0, Decision::Abort);
        assert!(!answered("").1.contains('\u{1b}'));
    }
}
