//! The progress of long work: one line on a terminal, which disappears at the end. Nowhere else, so that no file and no
//! log of CI has it.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Shorter work shows nothing: a line that disappears at once only flickers.
const DELAY: Duration = Duration::from_secs(1);
/// The time between two updates. Seconds are shown, and counts that change faster cannot be read.
const INTERVAL: Duration = Duration::from_millis(500);
/// The most characters of a line. A longer one could be wrapped, and erasing would leave a part of it; few terminals
/// have fewer than 80 columns.
const MAX_WIDTH: usize = 76;
/// Back to the first column, and erase to the end of the line (ECMA-48: `CR`, `EL`).
const ERASE: &str = "\r\x1b[K";

/// Whether the last line of the terminal is one of progress.
static SHOWN: Mutex<bool> = Mutex::new(false);

/// Work that may be long. The line disappears when this is dropped.
pub(crate) struct Progress {
    done: Arc<AtomicUsize>,
    /// `None` if there is no terminal. Dropping the sender ends the thread.
    ticker: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Starts work with a name, such as `comparing contracts`. `total` is the number of its steps, if it is known.
    pub(crate) fn start(name: &str, total: Option<usize>) -> Self {
        let done = Arc::new(AtomicUsize::new(0));
        // A terminal without cursor movements could not erase the line.
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        if !io::stderr().is_terminal() || (is_dumb && cfg!(unix)) {
            return Self { done, ticker: None };
        }
        let (sender, receiver) = channel::<()>();
        let (name, counted) = (name.to_owned(), Arc::clone(&done));
        let start = Instant::now();
        let ticker = thread::spawn(move || {
            let mut wait = DELAY;
            while receiver.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                wait = INTERVAL;
                show(&line(&name, counted.load(Ordering::Relaxed), total, start.elapsed()));
            }
        });
        Self { done, ticker: Some((sender, ticker)) }
    }

    /// One step is done.
    pub(crate) fn step(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((sender, ticker)) = self.ticker.take() {
            drop(sender);
            // The thread cannot panic, and without it the line only stays.
            let _ = ticker.join();
            erase();
        }
    }
}

/// Removes the line from the terminal, before something else is printed there.
pub(crate) fn erase() {
    let mut shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if *shown {
        let _ = io::stderr().lock().write_all(ERASE.as_bytes());
        *shown = false;
    }
}

fn show(line: &str) {
    let mut shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner);
    // If standard error is closed, there is no place left to report that.
    let _ = write!(io::stderr().lock(), "{ERASE}{line}").and_then(|()| io::stderr().flush());
    *shown = true;
}

/// Such as `comparing contracts: 12 of 300, 4 s`.
fn line(name: &str, done: usize, total: Option<usize>, elapsed: Duration) -> String {
    let count = match (done, total) {
        (0, None) => String::new(),
        (done, None) => format!("{done}, "),
        (done, Some(total)) => format!("{done} of {total}, "),
    };
    let rest = format!(": {count}{} s", elapsed.as_secs());
    let kept = MAX_WIDTH.saturating_sub(rest.len());
    let name: String = capgen_diagnostic::visible(name).chars().take(kept).collect();
    name + &rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_steps_and_the_seconds() {
        let elapsed = Duration::from_millis(4_900);
        assert_eq!(line("comparing contracts", 12, Some(300), elapsed), "comparing contracts: 12 of 300, 4 s");
        assert_eq!(line("reading the log", 0, None, elapsed), "reading the log: 4 s");
        assert_eq!(line("reading the log", 7, None, elapsed), "reading the log: 7, 4 s");
        let long = line(&"x\x1b".repeat(100), 12, Some(300), elapsed);
        assert_eq!(long.chars().count(), MAX_WIDTH);
        assert!(long.ends_with(": 12 of 300, 4 s") && !long.contains('\x1b'), "{long:?}");
    }
}
