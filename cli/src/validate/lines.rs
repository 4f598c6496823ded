//! `capgen validate --lines`: one payload a line, one result a line, in constant memory.

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::time::{Duration, Instant};

use super::judge::{self, Judge, Judgement};
use super::read::{Line, Reader};
use crate::console::{Console, count};
use crate::failure::{Failure, Outcome, Verdict};

/// How many lines were read, and how many of them hold no valid payload.
#[derive(Clone, Copy, Default)]
struct Tally {
    lines: usize,
    refused: usize,
}

pub(super) fn run(judge: &Judge, reader: &mut Reader, json: bool, console: &Console) -> Outcome {
    let mut tally = Tally::default();
    let mut progress = Progress::new();
    let result = all(judge, reader, json, &mut tally, &mut progress);
    progress.clear();
    match result {
        // The reader of the results has all that it wants; what was found until then counts.
        Err(Failure::Stream(error)) if error.kind() == io::ErrorKind::BrokenPipe => {}
        Err(failure) => return Err(failure),
        Ok(()) => console.say(&format!("{}, {} not valid", count(tally.lines, "payload", "payloads"), tally.refused)),
    }
    Ok(if tally.refused == 0 { Verdict::Fine } else { Verdict::Findings })
}

fn all(
    judge: &Judge,
    reader: &mut Reader,
    json: bool,
    tally: &mut Tally,
    progress: &mut Progress,
) -> Result<(), Failure> {
    let mut stdout = BufWriter::with_capacity(64 << 10, io::stdout().lock());
    loop {
        // Whoever writes a payload may be waiting for its result.
        if reader.would_wait() {
            stdout.flush()?;
        }
        let judgement = match reader.next_line()? {
            Line::End => break,
            Line::TooLong => Judgement::TooLong,
            Line::Text(payload) => judge.judge(payload),
        };
        tally.lines += 1;
        tally.refused += usize::from(!judgement.is_valid());
        write(&mut stdout, &judgement, json, tally.lines)?;
        progress.show(*tally);
    }
    Ok(stdout.flush()?)
}

fn write(out: &mut BufWriter<StdoutLock<'_>>, judgement: &Judgement, json: bool, number: usize) -> io::Result<()> {
    if json {
        judge::write_json(&mut *out, judgement)?;
        return out.write_all(b"\n");
    }
    match judgement {
        Judgement::Valid => writeln!(out, "{number}: valid"),
        Judgement::TooLong => writeln!(out, "{number}: {}", judge::too_long()),
        Judgement::NotJson(reason) => writeln!(out, "{number}: {}", judge::visible(reason)),
        Judgement::Invalid(violations) => {
            let all: Vec<_> = violations.iter().map(judge::plain).collect();
            writeln!(out, "{number}: not valid: {}", all.join("; "))
        }
    }
}

/// A line on the terminal that says how far a long run is.
struct Progress {
    wanted: bool,
    last: Instant,
    shown: bool,
}

impl Progress {
    const PERIOD: Duration = Duration::from_millis(500);
    /// Looking at the clock costs more than a small payload.
    const LINES: usize = 256;

    /// Only on a terminal, and only where the results do not show how far it is.
    fn new() -> Self {
        let wanted = io::stderr().is_terminal() && !io::stdout().is_terminal();
        Self { wanted, last: Instant::now(), shown: false }
    }

    fn show(&mut self, tally: Tally) {
        if !self.wanted || !tally.lines.is_multiple_of(Self::LINES) || self.last.elapsed() < Self::PERIOD {
            return;
        }
        (self.last, self.shown) = (Instant::now(), true);
        // A terminal that is gone has no one to tell.
        let _ = write!(io::stderr().lock(), "\r{} payloads, {} not valid", tally.lines, tally.refused);
    }

    fn clear(&self) {
        if self.shown {
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
    }
}
