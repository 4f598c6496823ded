//! A server that runs as a child process: JSON-RPC messages, one a line, on its standard input and output.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use capgen_schema::Json;
use tokio::io::{AsyncRead, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::{Outbound, cancelled};
use crate::error::McpError;
use crate::lines::{Line, Lines};
use crate::message::{Message, Received, RequestId, RpcError, code, error_response, response};

/// The messages that wait until the server reads.
const OUTGOING: usize = 64;

/// The most lines in a row that are not messages. Many servers print a few texts, which the protocol forbids.
const MAX_OTHER_LINES: usize = 1000;

/// The longest line of standard error that is passed on, in bytes; longer ones are left out.
const MAX_STDERR_LINE: usize = 16 * 1024;

/// How long a server may take to end after its standard input was closed.
const GRACE: Duration = Duration::from_secs(2);

/// The command that starts a server. The server is killed when its client is dropped.
#[derive(Clone)]
pub struct ServerCommand {
    program: OsString,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    has_own_environment: bool,
    directory: Option<PathBuf>,
    stderr: Option<Arc<Sink>>,
}

/// Receives the lines of standard error.
type Sink = dyn Fn(&str) + Send + Sync;

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

    /// Passes each line of standard error to a function; without one, standard error is discarded. The text is not trusted.
    #[must_use]
    pub fn on_stderr(self, sink: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { stderr: Some(Arc::new(sink)), ..self }
    }

    fn spawn(&self) -> Result<Child, McpError> {
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
        let program = self.program.to_string_lossy();
        command.spawn().map_err(|error| McpError::Connect(format!("`{program}` does not start: {error}")))
    }
}

impl fmt::Debug for ServerCommand {
    /// Leaves out the arguments and the environment, which may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerCommand").field("program", &self.program).finish_non_exhaustive()
    }
}

/// A running server.
pub(super) struct StdioChannel {
    pending: Arc<Pending>,
    /// `None` after the end, so that the standard input of the server is closed.
    outgoing: Mutex<Option<mpsc::Sender<String>>>,
    child: tokio::sync::Mutex<Child>,
    tasks: Vec<JoinHandle<()>>,
}

/// The requests that wait for an answer.
#[derive(Default)]
struct Pending(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    requests: HashMap<RequestId, oneshot::Sender<Result<Json, RpcError>>>,
    end: Option<McpError>,
}

/// A request that waits. Dropping it without an answer cancels the request.
struct Slot<'a> {
    channel: &'a StdioChannel,
    id: RequestId,
    answer: oneshot::Receiver<Result<Json, RpcError>>,
    /// Whether the server gets a notification of that.
    is_cancellable: bool,
}

impl Pending {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends all requests.
    fn end(&self, error: McpError) {
        let mut waiting = self.lock();
        waiting.end.get_or_insert(error);
        waiting.requests.clear();
    }
}

impl StdioChannel {
    pub(super) fn spawn(command: &ServerCommand, max_message: usize) -> Result<Self, McpError> {
        let mut child = command.spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let Some((stdin, stdout)) = pipes else { return Err(McpError::Connect("the server has no pipes".to_owned())) };
        let (outgoing, messages) = mpsc::channel(OUTGOING);
        let pending = Arc::new(Pending::default());
        let mut tasks = vec![
            tokio::spawn(write(stdin, messages)),
            tokio::spawn(read(stdout, max_message, Arc::clone(&pending), outgoing.downgrade())),
        ];
        if let Some((stderr, sink)) = child.stderr.take().zip(command.stderr.clone()) {
            tasks.push(tokio::spawn(pass_on(stderr, sink)));
        }
        let outgoing = Mutex::new(Some(outgoing));
        Ok(Self { pending, outgoing, child: tokio::sync::Mutex::new(child), tasks })
    }

    fn outgoing(&self) -> Option<mpsc::Sender<String>> {
        self.outgoing.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sends a request and waits for its answer.
    pub(super) async fn request(&self, request: &Outbound) -> Result<Result<Json, RpcError>, McpError> {
        let (sender, answer) = oneshot::channel();
        let id = RequestId::number(request.id);
        {
            let mut waiting = self.pending.lock();
            if let Some(end) = &waiting.end {
                return Err(end.clone());
            }
            waiting.requests.insert(id.clone(), sender);
        }
        let mut slot = Slot { channel: self, id, answer, is_cancellable: request.is_cancellable };
        let exchange = async {
            self.send(request.text.clone()).await?;
            (&mut slot.answer).await.map_err(|_| self.end())
        };
        match timeout(request.timeout, exchange).await {
            Err(_) => Err(McpError::Timeout),
            Ok(Err(McpError::Closed(reason))) => Err(McpError::Closed(self.explained(reason).await)),
            Ok(answer) => answer,
        }
    }

    /// Sends a message.
    pub(super) async fn send(&self, text: String) -> Result<(), McpError> {
        let Some(outgoing) = self.outgoing() else { return Err(closed()) };
        outgoing.send(text).await.map_err(|_| self.end())
    }

    fn end(&self) -> McpError {
        self.pending.lock().end.clone().unwrap_or_else(closed)
    }

    /// The reason of an end, with the status of the process.
    async fn explained(&self, reason: String) -> String {
        let mut child = self.child.lock().await;
        match timeout(Duration::from_millis(200), child.wait()).await {
            Ok(Ok(status)) => format!("{reason} ({status})"),
            _ => reason,
        }
    }

    /// Closes the standard input of the server, and waits for its end. A server that does not end soon is killed.
    pub(super) async fn close(&self) {
        drop(self.outgoing.lock().unwrap_or_else(PoisonError::into_inner).take());
        self.pending.end(McpError::Closed("the client was closed".to_owned()));
        let mut child = self.child.lock().await;
        if timeout(GRACE, child.wait()).await.is_err() {
            // It fails only if the process has ended.
            let _ = child.kill().await;
        }
    }
}

impl Drop for StdioChannel {
    fn drop(&mut self) {
        // The pipes may be open in processes that the server has started.
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        let was_waiting = self.channel.pending.lock().requests.remove(&self.id).is_some();
        if was_waiting
            && self.is_cancellable
            && let Some(outgoing) = self.channel.outgoing()
        {
            // If there is no room, the server is busy, and does not learn that the answer is not needed.
            let _ = outgoing.try_send(cancelled(self.id.as_text()));
        }
    }
}

fn closed() -> McpError {
    McpError::Closed("the server ended".to_owned())
}

/// Writes messages until there are no more senders, or the server ends.
async fn write(mut stdin: ChildStdin, mut messages: mpsc::Receiver<String>) {
    while let Some(mut message) = messages.recv().await {
        message.push('\n');
        if stdin.write_all(message.as_bytes()).await.is_err() || stdin.flush().await.is_err() {
            return;
        }
    }
}

/// Reads messages until the server ends.
async fn read(stdout: impl AsyncRead + Unpin, max: usize, pending: Arc<Pending>, outgoing: mpsc::WeakSender<String>) {
    let mut lines = Lines::new(stdout, max);
    let mut others = 0;
    let end = loop {
        let line = match lines.next().await {
            Ok(Some(Line::Text(line))) => line,
            Ok(Some(Line::TooLong)) => break McpError::Limit(format!("a message of more than {max} bytes")),
            Ok(None) | Err(_) => break closed(),
        };
        let messages = match Received::read(&line) {
            Received::One(message) => vec![message],
            Received::Batch(messages) => messages,
        };
        for message in messages {
            match message {
                Err(_) => others += 1,
                Ok(message) => {
                    others = 0;
                    receive(&pending, &outgoing, message);
                }
            }
        }
        if others > MAX_OTHER_LINES {
            break McpError::Protocol("its standard output contains other texts than messages".to_owned());
        }
    };
    pending.end(end);
}

fn receive(pending: &Pending, outgoing: &mpsc::WeakSender<String>, message: Message) {
    match message {
        Message::Response { id: Some(id), outcome } => {
            // An answer that no request waits for is late.
            if let Some(sender) = pending.lock().requests.remove(&id) {
                let _ = sender.send(outcome);
            }
        }
        Message::Request { id, method, .. } => {
            // A server that does not read its answers gets none.
            let _ = outgoing.upgrade().map(|outgoing| outgoing.try_send(answer(&id, &method)));
        }
        // Nothing here depends on the notifications of a server: progress, texts for logs, changes of its tools.
        Message::Response { id: None, .. } | Message::Notification { .. } => {}
    }
}

/// The answer to a request of a server. This client has no roots, models or users.
pub(super) fn answer(id: &RequestId, method: &str) -> String {
    if method == "ping" {
        return response(id, &crate::json::empty());
    }
    error_response(Some(id), &RpcError::new(code::METHOD_NOT_FOUND, "Method not found"))
}

async fn pass_on(stderr: impl AsyncRead + Unpin, sink: Arc<Sink>) {
    let mut lines = Lines::new(stderr, MAX_STDERR_LINE);
    while let Ok(Some(line)) = lines.next().await {
        if let Line::Text(line) = line {
            sink(String::from_utf8_lossy(&line).trim_end());
        }
    }
}
