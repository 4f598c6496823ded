//! A watching process.

use std::io::{BufRead, BufReader};
use std::process::Child;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::common::Fleet;

/// A watching process, and the lines that it prints. Dropping it ends the process.
pub(crate) struct Watching {
    child: Child,
    lines: Receiver<String>,
}

impl Watching {
    /// Starts the process, and waits until it watches.
    pub(crate) fn start(fleet: &Fleet, arguments: &str) -> Self {
        let mut child = fleet.command(arguments).spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || stderr.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let watching = Self { child, lines };
        watching.until("watching ");
        watching
    }

    pub(crate) fn next(&self) -> String {
        // Only a process that hangs takes this long.
        self.lines.recv_timeout(Duration::from_secs(60)).unwrap()
    }

    /// A line that was printed already.
    pub(crate) fn printed(&self) -> Option<String> {
        self.lines.try_recv().ok()
    }

    /// The lines up to one with this text.
    pub(crate) fn until(&self, text: &str) -> Vec<String> {
        self.until_any(&[text])
    }

    /// The lines up to one with one of these texts.
    pub(crate) fn until_any(&self, texts: &[&str]) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            lines.push(self.next());
            if texts.iter().any(|text| lines.last().unwrap().contains(text)) {
                return lines;
            }
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        // It may have ended, if the test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
