//! A server that runs as a child process: JSON-RPC messages, one a line, on its standard input and output.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use capgen_diagnostic::cut_short;
use capgen_schema::Json;
use tokio::io::{AsyncRead, AsyncWriteExt as _};
use tokio::process::ChildStdin;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::command::{Pipes, Process, ServerCommand, Sink};
use super::{Outbound, cancelled};
use crate::error::McpError;
use crate::lines::{Line, Lines};
use crate::message::{Malformed, Message, Received, RequestId, RpcError, Shape, code, error_response, response};

/// The messages that wait until the server reads. Further calls wait for a place, so a server that does not read does
/// not fill the memory of its client.
const OUTGOING: usize = 64;

/// The most lines in a row that are not messages. Many servers print a few texts, which the protocol forbids. A program
/// that never prints a message would otherwise be read without end.
const MAX_OTHER_LINES: usize = 1000;

/// The longest line of standard error that is passed on, in bytes; longer ones are left out. Lines of logs are far
/// shorter; a server that prints no line breaks must not fill the memory.
const MAX_STDERR_LINE: usize = 16 * 1024;

/// How long a server may take to end after its standard input was closed. Then it is killed. Most programs end at once,
/// and a client that is closed must not wait for long for the others.
const GRACE: Duration = Duration::from_secs(2);

/// How long a server that has closed its output may take to end, and its standard error after that. Both usually end at
/// once; a longer wait would only delay the error for a better reason.
const END: Duration = Duration::from_millis(200);

/// A running server.
pub(super) struct StdioChannel {
    pending: Arc<Pending>,
    /// `None` after the end, so that the standard input of the server is closed.
    outgoing: Mutex<Option<mpsc::Sender<String>>>,
    running: tokio::sync::Mutex<Running>,
    tasks: [JoinHandle<()>; 2],
}

/// The process of a server, and the task that passes on its standard error.
struct Running {
    process: Process,
    stderr: Option<JoinHandle<()>>,
}

/// The requests that wait for an answer.
#[derive(Default)]
struct Pending(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    requests: HashMap<RequestId, oneshot::Sender<Answer>>,
    /// The id of the last request.
    last: u64,
    other: OtherLines,
    end: Option<McpError>,
}

/// The lines that are no messages, and answers to no request.
#[derive(Default)]
struct OtherLines {
    count: u64,
    /// The last one, in words.
    last: String,
}

/// The answer to a request; an error if it cannot be read.
type Answer = Result<Result<Json, RpcError>, McpError>;

/// A request that waits. Dropping it without an answer cancels the request.
struct Slot<'a> {
    channel: &'a StdioChannel,
    id: RequestId,
    answer: oneshot::Receiver<Answer>,
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

    /// Passes an answer to its request.
    fn answer(&self, id: &RequestId, outcome: Result<Json, RpcError>) {
        let mut waiting = self.lock();
        let sender = waiting.requests.remove(id);
        if let Some(sender) = sender {
            let _ = sender.send(Ok(outcome));
            return;
        }
        let text = id.as_text();
        // Some servers convert the id to a string.
        let number = text.trim_matches('"').parse().ok();
        match number.and_then(|number| waiting.requests.remove(&RequestId::number(number))) {
            Some(sender) => {
                let reason = format!("the id of its answer is the string {text}, and not the number of the request");
                let _ = sender.send(Err(McpError::Protocol(reason)));
            }
            // The request was cancelled, or has ended at its timeout.
            None if number.is_some_and(|number| number <= waiting.last) => {}
            None => waiting.other.add(format!("an answer to the id {}, which no request has", cut_short(text, 50))),
        }
    }

    /// Reports a text that is not a message: to its request, or to those that end at their timeout.
    fn malformed(&self, malformed: &Malformed) {
        let mut waiting = self.lock();
        let id = malformed.id.as_ref().filter(|_| malformed.shape != Shape::Request);
        match id.and_then(|id| waiting.requests.remove(id)) {
            Some(sender) => drop(sender.send(Err(McpError::unread(malformed)))),
            None => waiting.other.add(malformed.to_string()),
        }
    }
}

impl OtherLines {
    fn add(&mut self, last: String) {
        self.count = self.count.saturating_add(1);
        self.last = last;
    }

    /// The text in the errors of timeouts.
    fn text(&self) -> Option<String> {
        let Self { count, last } = self;
        match count {
            0 => None,
            1 => Some(format!("a line of its output is not an answer: it is {last}")),
            _ => Some(format!("{count} lines of its output are not answers: the last is {last}")),
        }
    }
}

impl StdioChannel {
    pub(super) fn spawn(command: &ServerCommand, max_message: usize) -> Result<Self, McpError> {
        let (process, Pipes { stdin, stdout, stderr }) = command.spawn()?;
        let (outgoing, messages) = mpsc::channel(OUTGOING);
        let pending = Arc::new(Pending::default());
        let tasks = [
            tokio::spawn(write(stdin, messages)),
            tokio::spawn(read(stdout, max_message, Arc::clone(&pending), outgoing.downgrade())),
        ];
        let stderr = stderr.zip(command.stderr.clone()).map(|(stderr, sink)| tokio::spawn(pass_on(stderr, sink)));
        let (outgoing, running) = (Mutex::new(Some(outgoing)), tokio::sync::Mutex::new(Running { process, stderr }));
        Ok(Self { pending, outgoing, running, tasks })
    }

    fn outgoing(&self) -> Option<mpsc::Sender<String>> {
        self.outgoing.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sends a request and waits for its answer.
    pub(super) async fn request(&self, request: &Outbound) -> Answer {
        let (sender, answer) = oneshot::channel();
        let id = RequestId::number(request.id);
        {
            let mut waiting = self.pending.lock();
            if let Some(end) = &waiting.end {
                return Err(end.clone());
            }
            waiting.last = waiting.last.max(request.id);
            waiting.requests.insert(id.clone(), sender);
        }
        let mut slot = Slot { channel: self, id, answer, is_cancellable: request.is_cancellable };
        let exchange = async {
            self.send(request.text.clone()).await?;
            (&mut slot.answer).await.unwrap_or_else(|_| Err(self.end()))
        };
        match timeout(request.timeout, exchange).await {
            Err(_) => Err(McpError::Timeout(self.pending.lock().other.text())),
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

    /// The reason of an end, with the status of the process. Waits for the end of standard error.
    async fn explained(&self, reason: String) -> String {
        let Running { process, stderr } = &mut *self.running.lock().await;
        let Ok(status) = timeout(END, process.wait()).await else { return reason };
        if let Some(stderr) = stderr.take_if(|stderr| !stderr.is_finished()) {
            let abort = stderr.abort_handle();
            if timeout(END, stderr).await.is_err() {
                abort.abort();
            }
        }
        status.map_or(reason.clone(), |status| format!("{reason} ({status})"))
    }

    /// Closes the standard input of the server, and waits for its end. A server that does not end soon is killed.
    pub(super) async fn close(&self) {
        drop(self.outgoing.lock().unwrap_or_else(PoisonError::into_inner).take());
        self.pending.end(McpError::Closed("the client was closed".to_owned()));
        let process = &mut self.running.lock().await.process;
        if timeout(GRACE, process.wait()).await.is_err() {
            process.kill().await;
        }
    }
}

impl Drop for StdioChannel {
    fn drop(&mut self) {
        // The pipes may be open in processes that the server has started.
        self.tasks.iter().chain(&self.running.get_mut().stderr).for_each(JoinHandle::abort);
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
        for message in Received::read_of_server(&line).into_messages() {
            match message {
                Err(malformed) => {
                    others += 1;
                    pending.malformed(&malformed);
                }
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
        Message::Response { id: Some(id), outcome } => pending.answer(&id, outcome),
        Message::Request { id, method, .. } => {
            // A server that does not read its answers gets none.
            let _ = outgoing.upgrade().map(|outgoing| outgoing.try_send(answer(&id, &method)));
        }
        Message::Response { id: None, .. } => pending.lock().other.add("an answer without an id".to_owned()),
        // Nothing here depends on the notifications of a server: progress, texts for logs, changes of its tools.
        Message::Notification { .. } => {}
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
