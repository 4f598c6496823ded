//! A provider in a process of its own, which can be killed.

use std::path::PathBuf;
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{ChildStdout, Command};

use crate::World;
use crate::table::Kind;
use crate::world::End;

/// The process.
pub(crate) struct Child {
    process: tokio::process::Child,
    /// `None` if they are read elsewhere.
    lines: Option<Output>,
}

/// The lines that it prints.
pub(crate) type Output = Lines<BufReader<ChildStdout>>;

impl Child {
    /// Starts the program `provider`, whose handlers never end.
    pub(crate) async fn start(world: &World) -> Self {
        let url = world.proxy(End::Provider).url();
        let arguments: &[&str] = if world.kind == Kind::JetStream { &[&url, "at-least-once"] } else { &[&url] };
        Self::spawn("provider", arguments).await
    }

    /// Starts a program of this package, and waits until it prints `ready`.
    pub(crate) async fn spawn(name: &str, arguments: &[&str]) -> Self {
        let mut command = Command::new(program(name));
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut process = command.spawn().expect("a provider");
        let lines = BufReader::new(process.stdout.take().expect("its output")).lines();
        let mut child = Self { process, lines: Some(lines) };
        assert_eq!(child.line().await, "ready");
        child
    }

    /// The lines that it prints from now on.
    pub(crate) fn lines(&mut self) -> Output {
        self.lines.take().expect("its output")
    }

    async fn line(&mut self) -> String {
        let lines = self.lines.as_mut().expect("its output");
        lines.next_line().await.expect("a line").expect("the provider runs")
    }

    /// Waits until its handler runs, and returns the number of runs.
    pub(crate) async fn has_started_a_run(&mut self) -> u32 {
        assert_eq!(self.line().await, "run");
        1
    }

    /// Ends it with SIGKILL.
    pub(crate) async fn kill(mut self) {
        self.process.kill().await.expect("killing the provider");
    }
}

/// The program, next to the folder of the test program.
fn program(name: &str) -> PathBuf {
    let mut path = std::env::current_exe().expect("the test program");
    path.pop();
    if path.ends_with("deps") {
        path.pop();
    }
    path.join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}
