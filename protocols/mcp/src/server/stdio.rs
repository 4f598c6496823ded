//! One client on a pair of pipes: JSON-RPC messages, one a line.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use capgen_net::Caller;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{mpsc, oneshot};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::timeout;

use super::McpServer;
use super::batch::Answers;
use super::plan::{Plan, Session, Task};
use super::run::Sender;
use crate::lines::{Line, Lines};
use crate::message::{Malformed, Message, Received, RequestId, RpcError, code, error_response};
use crate::revision::Revision;

/// The answers that wait until the client reads. Further calls wait with their answers, so a client that does not read
/// keeps no more than [`MAX_CALLS`] of them in memory.
const OUTGOING: usize = 16;

/// The calls that run, or whose answers wait. A client that sends more gets errors. Far more than a client has at a
/// time; each has a task, and its message in memory.
const MAX_CALLS: usize = 256;

/// The time for the last answers after the client has closed its side. A client that has ended reads nothing more, and
/// the process must not wait for it.
const GRACE: Duration = Duration::from_secs(5);

/// The caller at the other end of the pipes, which started this process.
const STDIO: &str = "stdio";

/// The calls of the client.
type Running = Arc<Mutex<BTreeMap<RequestId, AbortHandle>>>;

struct Connection<'a> {
    server: &'a McpServer,
    session: Session,
    running: Running,
    calls: JoinSet<()>,
    outgoing: mpsc::Sender<String>,
}

impl McpServer {
    /// Serves one client on a pair of pipes, such as `tokio::io::stdin()` and `tokio::io::stdout()`, until it closes
    /// its side. Calls that run then have 5 s to end.
    ///
    /// # Errors
    ///
    /// The input cannot be read. Errors of the output end the connection.
    pub async fn serve<R, W>(&self, input: R, output: W) -> io::Result<()>
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let (outgoing, answers) = mpsc::channel(OUTGOING);
        let mut writer = super::run::Owned(tokio::spawn(write(output, answers)));
        let mut connection =
            Connection { server: self, session: None, running: Running::default(), calls: JoinSet::new(), outgoing };
        let mut lines = Lines::new(input, self.limits().max_message);
        let end = loop {
            tokio::select! {
                line = lines.next() => match line {
                    Ok(Some(line)) => connection.receive(line).await,
                    Ok(None) => break Ok(()),
                    Err(error) => break Err(error),
                },
                // The client does not read any more.
                _ = &mut writer.0 => return Ok(()),
            }
        };
        let Connection { mut calls, outgoing, .. } = connection;
        drop(outgoing);
        let finish = async {
            while calls.join_next().await.is_some() {}
            let _ = (&mut writer.0).await;
        };
        let _ = timeout(GRACE, finish).await;
        end
    }
}

impl Connection<'_> {
    async fn receive(&mut self, line: Line) {
        let max = self.server.limits().max_message;
        let text = match line {
            Line::Text(text) if text.iter().all(u8::is_ascii_whitespace) => return,
            Line::Text(text) => text,
            Line::TooLong => {
                let error = RpcError::new(code::INVALID_REQUEST, format!("the message has more than {max} bytes"));
                return self.send(error_response(None, &error)).await;
            }
        };
        // Ended calls are forgotten.
        while self.calls.try_join_next().is_some() {}
        match Received::read(&text) {
            Received::One(message) => self.message(message).await,
            Received::Batch(messages) => self.batch(messages).await,
        }
    }

    async fn message(&mut self, message: Result<Message, Malformed>) {
        // Nothing answers a response that is invalid.
        match self.server.agent().plan(message, &mut self.session) {
            Plan::Nothing => {}
            Plan::Answer { text, .. } => self.send(text).await,
            Plan::Cancel(id) => self.cancel(&id),
            Plan::Run(task) => match self.refusal(&task.id) {
                Some(refusal) => self.send(error_response(Some(&task.id), &refusal)).await,
                None => self.start(task, None),
            },
        }
    }

    fn cancel(&self, id: &RequestId) {
        if let Some(call) = self.running().remove(id) {
            call.abort();
        }
    }

    /// Starts a request, whose answer goes to its place in a batch, or to the client.
    fn start(&mut self, task: Task, place: Option<oneshot::Sender<String>>) {
        let (runner, outgoing, running) = (self.server.runner(), self.outgoing.clone(), Arc::clone(&self.running));
        let (id, all) = (task.id.clone(), Arc::clone(&self.running));
        // Locked until the id is inserted, so that the call cannot end before.
        let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = id.clone();
        let principal = self.server.0.principal.clone();
        let call = self.calls.spawn(async move {
            let sender = Sender { caller: Caller::Named(STDIO.into()), principal };
            let text = runner.run(task, sender).await;
            running.lock().unwrap_or_else(PoisonError::into_inner).remove(&ended);
            match place {
                Some(place) => drop(place.send(text)),
                None => drop(outgoing.send(text).await),
            }
        });
        all.insert(id, call);
    }

    /// The messages of a batch, which only the revision 2025-03-26 has, with one array of answers. It does not wait for
    /// the calls.
    async fn batch(&mut self, messages: Vec<Result<Message, Malformed>>) {
        if self.session != Some(Revision::V2025_03_26) {
            let error = RpcError::new(code::INVALID_REQUEST, "the revision has no batches");
            return self.send(error_response(None, &error)).await;
        }
        let (mut answers, mut has_calls) = (Answers::default(), false);
        for message in messages {
            match self.server.agent().plan_in_batch(message, self.session) {
                Plan::Nothing => {}
                Plan::Answer { text, .. } => answers.push(text),
                Plan::Cancel(id) => self.cancel(&id),
                Plan::Run(task) => match self.refusal(&task.id) {
                    Some(refusal) => answers.push(error_response(Some(&task.id), &refusal)),
                    None => {
                        has_calls = true;
                        self.start(task, Some(answers.place()));
                    }
                },
            }
        }
        let outgoing = self.outgoing.clone();
        let answer = async move {
            if let Some(answers) = answers.text().await {
                let _ = outgoing.send(answers).await;
            }
        };
        // Without calls, the answer is waited for like every other one.
        if has_calls {
            self.calls.spawn(answer);
        } else {
            answer.await;
        }
    }

    fn refusal(&self, id: &RequestId) -> Option<RpcError> {
        if self.running().contains_key(id) {
            return Some(RpcError::new(code::INVALID_REQUEST, "another request with this id is running"));
        }
        // With those whose answers wait until the client reads.
        (self.calls.len() >= MAX_CALLS).then(|| RpcError::new(code::INTERNAL_ERROR, "too many calls are running"))
    }

    fn running(&self) -> MutexGuard<'_, BTreeMap<RequestId, AbortHandle>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends an answer. Waits while the client does not read, so that it can send nothing more either.
    async fn send(&self, text: String) {
        let _ = self.outgoing.send(text).await;
    }
}

async fn write(mut output: impl AsyncWrite + Unpin, mut answers: mpsc::Receiver<String>) {
    while let Some(mut answer) = answers.recv().await {
        answer.push('\n');
        if output.write_all(answer.as_bytes()).await.is_err() || output.flush().await.is_err() {
            return;
        }
    }
}
