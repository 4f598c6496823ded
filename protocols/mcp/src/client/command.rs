//! Starting and ending a server that is a child process.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;

use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

use crate::error::McpError;

/// The command that starts a server. The server is killed when its client is dropped; on Unix, with the processes that
/// it has started, unless they have left its process group.
#[derive(Clone)]
pub struct ServerCommand {
    program: OsString,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    has_own_environment: bool,
    directory: Option<PathBuf>,
    pub(super) stderr: Option<Arc<Sink>>,
    start: Option<Arc<dyn Fn() + Send + Sync>>,
}

/// Receives the lines of standard error.
pub(super) type Sink = dyn Fn(&str) + Send + Sync;

impl ServerCommand {
    /// A program, found in `PATH` if it has no slash. It gets the environment of this process.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            environment: Vec::new(),
            has_own_environment: false,
            directory: None,
            stderr: None,
            start: None,
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Sets a variable of the environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// Gives the server only the variables of [`env`](Self::env), so that it does not see those of this process.
    #[must_use]
    pub fn only_own_env(self) -> Self {
        Self { has_own_environment: true, ..self }
    }

    /// Sets the working directory.
    #[must_use]
    pub fn directory(self, directory: impl Into<PathBuf>) -> Self {
        Self { directory: Some(directory.into()), ..self }
    }

    /// Passes each line of standard error to a function; without one, standard error is discarded. The text is not
    /// trusted.
    #[must_use]
    pub fn on_stderr(self, sink: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { stderr: Some(Arc::new(sink)), ..self }
    }

    /// Calls a function before each start. A server that ends at the first request is started again, because some of
    /// older revisions do.
    #[must_use]
    pub fn on_start(self, start: impl Fn() + Send + Sync + 'static) -> Self {
        Self { start: Some(Arc::new(start)), ..self }
    }

    pub(super) fn spawn(&self) -> Result<(Process, Pipes), McpError> {
        if let Some(start) = &self.start {
            start();
        }
        let mut command = Command::new(&self.program);
        if self.has_own_environment {
            command.env_clear();
        }
        command.args(&self.arguments).envs(self.environment.iter().map(|(name, value)| (name, value)));
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        command.stderr(if self.stderr.is_some() { Stdio::piped() } else { Stdio::null() });
        // A launcher such as `npx` starts the server as a process of its own.
        #[cfg(unix)]
        command.process_group(0);
        let program = self.program.to_string_lossy();
        let child = command.spawn();
        let mut child = child.map_err(|error| McpError::Connect(format!("`{program}` does not start: {error}")))?;
        let (pipes, stderr) = (child.stdin.take().zip(child.stdout.take()), child.stderr.take());
        let Some((stdin, stdout)) = pipes else { return Err(McpError::Connect("the server has no pipes".to_owned())) };
        Ok((Process::new(child), Pipes { stdin, stdout, stderr }))
    }
}

/// The pipes to a server.
pub(super) struct Pipes {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: Option<ChildStderr>,
}

/// A running server. Dropping it kills its process group.
pub(super) struct Process {
    child: Child,
    /// `None` after the group was killed: another one may have the id then.
    #[cfg(unix)]
    group: Option<rustix::process::Pid>,
}

impl Process {
    fn new(child: Child) -> Self {
        // The first process of a group has its id.
        #[cfg(unix)]
        let group = child.id().and_then(|id| rustix::process::Pid::from_raw(i32::try_from(id).ok()?));
        Self {
            child,
            #[cfg(unix)]
            group,
        }
    }

    /// Waits until the server ends, and kills the processes that it leaves behind. `None` if its status is unknown.
    /// Cancel safe.
    pub(super) async fn wait(&mut self) -> Option<ExitStatus> {
        let status = self.child.wait().await;
        self.kill_group();
        status.ok()
    }

    pub(super) async fn kill(&mut self) {
        self.kill_group();
        // It fails only if the process has ended.
        let _ = self.child.kill().await;
    }

    #[cfg(unix)]
    fn kill_group(&mut self) {
        if let Some(group) = self.group.take() {
            // It fails if no process is left.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }

    #[cfg(not(unix))]
    fn kill_group(&mut self) {}
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill_group();
    }
}

impl fmt::Debug for ServerCommand {
    /// Leaves out the arguments and the environment, which may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerCommand").field("program", &self.program).finish_non_exhaustive()
    }
}
