//! `capgen validate --lines`: one payload per line, one result per line, in constant memory.

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::time::{Duration, Instant};

use super::read::{Line, Reader};
use super::result::{self, PayloadResult, PayloadValidator};
use crate::console::{Console, count};
use crate::failure::{Failure, RunResult, Verdict};

/// How many lines were read, and how many of them are not a valid payload.
#[derive(Clone, Copy, Default)]
struct Tally {
    lines: usize,
    rejected: usize,
}

pub(super) fn run(validator: &PayloadValidator, reader: &mut Reader, json: bool, console: &Console) -> RunResult {
    let mut tally = Tally::default();
    let mut progress = Progress::new();
    let outcome = all(validator, reader, json, &mut tally, &mut progress);
    progress.clear();
    match outcome {
        // The program that reads the results has closed the pipe. That is not an error; the results so far count.
        Err(Failure::Stream(error)) if error.kind() == io::ErrorKind::BrokenPipe => {}
        Err(failure) => return Err(failure),
        Ok(()) => console.line(&format!("{}, {} not valid", count(tally.lines, "payload", "payloads"), tally.rejected)),
    }
    Ok(if tally.rejected == 0 { Verdict::Fine } else { Verdict::Findings })
}

fn all(
    validator: &PayloadValidator,
    reader: &mut Reader,
    json: bool,
    tally: &mut Tally,
    progress: &mut Progress,
) -> Result<(), Failure> {
    let mut stdout = BufWriter::with_capacity(64 << 10, io::stdout().lock());
    loop {
        // The program that writes payloads may be waiting for a result before it sends the next one.
        if reader.would_wait() {
            stdout.flush()?;
        }
        let result = match reader.next_line()? {
            Line::End => break,
            Line::TooLong => PayloadResult::TooLong,
            Line::Text(payload) => validator.validate(payload, tally.lines + 1),
        };
        tally.lines += 1;
        tally.rejected += usize::from(!result.is_valid());
        write(&mut stdout, &result, json, tally.lines)?;
        progress.show(*tally);
    }
    Ok(stdout.flush()?)
}

fn write(out: &mut BufWriter<StdoutLock<'_>>, result: &PayloadResult, json: bool, number: usize) -> io::Result<()> {
    if json {
        result::write_json(&mut *out, result)?;
        return out.write_all(b"\n");
    }
    match result {
        PayloadResult::Valid => writeln!(out, "{number}: valid"),
        PayloadResult::TooLong => writeln!(out, "{number}: {}", result::too_long()),
        PayloadResult::NotJson(reason) => {
            writeln!(out, "{number}: not valid JSON: {}", capgen_diagnostic::visible(reason))
        }
        PayloadResult::Invalid(violations) => {
            writeln!(out, "{number}: not valid: {}", result::lines(violations).join("; "))
        }
    }
}

/// A line on the terminal that shows the progress of a long run.
struct Progress {
    enabled: bool,
    last: Instant,
    shown: bool,
}

impl Progress {
    // The time between two pictures of the progress: a user sees that the run goes on, and a terminal does not flicker.
    const PERIOD: Duration = Duration::from_millis(500);
    /// How many lines pass between two looks at the clock: reading it costs more than validating a small payload.
    const LINES: usize = 256;

    /// Shows progress only on a terminal, and only if the results themselves go elsewhere.
    fn new() -> Self {
        let enabled = io::stderr().is_terminal() && !io::stdout().is_terminal();
        Self { enabled, last: Instant::now(), shown: false }
    }

    fn show(&mut self, tally: Tally) {
        if !self.enabled || !tally.lines.is_multiple_of(Self::LINES) || self.last.elapsed() < Self::PERIOD {
            return;
        }
        (self.last, self.shown) = (Instant::now(), true);
        // Progress is optional: if the terminal is gone, the results still matter.
        let _ = write!(io::stderr().lock(), "\r{} payloads, {} not valid", tally.lines, tally.rejected);
    }

    fn clear(&self) {
        if self.shown {
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
    }
}
