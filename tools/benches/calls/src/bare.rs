//! Requests with bare `async-nats` and `serde_json`, as programs without capgen make them: nothing is validated.

use async_nats::Client;
use bytes::Bytes;
use futures_util::StreamExt as _;
use serde::{Deserialize, Serialize};

use crate::remote::Called;

/// The same payloads as those of the generated code, as plain types.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    pr_url: String,
    severity: Severity,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Severity {
    Low,
    Med,
    High,
}

#[derive(Serialize, Deserialize)]
struct Response {
    verdict: Verdict,
    summary: String,
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
#[serde(rename_all = "kebab-case")]
enum Verdict {
    Approve,
    RequestChanges,
    Comment,
}

/// The messages of a call of capgen: the request and the response.
#[derive(Clone)]
pub(crate) struct Messages(pub(crate) [Bytes; 2]);

fn request() -> Vec<u8> {
    let url = "https://github.com/example/shop/pull/7".to_owned();
    serde_json::to_vec(&Request { pr_url: url, severity: Severity::High }).expect("a request")
}

fn response() -> Vec<u8> {
    let summary = "The change is fine, and it has tests.".to_owned();
    serde_json::to_vec(&Response { verdict: Verdict::Approve, summary }).expect("a response")
}

/// Answers requests: with `messages`, by the second of them instead of the payload alone.
pub(crate) async fn serve(url: &str, subject: &'static str, messages: Option<Messages>) {
    let provider = async_nats::connect(url).await.expect("a connection");
    let mut requests = provider.queue_subscribe(subject, subject.to_owned()).await.expect("a subscription");
    provider.flush().await.expect("a connection");
    tokio::spawn(async move {
        while let Some(message) = requests.next().await {
            let (provider, messages) = (provider.clone(), messages.clone());
            // A task for each request, as servers with concurrent handlers have it; it reads the request and writes the
            // response.
            tokio::spawn(async move {
                let reply = message.reply.clone().expect("a reply address");
                let text = if messages.is_none() { message.payload } else { request().into() };
                let _: Request = serde_json::from_slice(&text).expect("a request");
                let text = Bytes::from(response());
                let text = messages.map_or(text, |Messages([_, response])| Bytes::copy_from_slice(&response));
                provider.publish(reply, text).await.expect("a connection");
            });
        }
    });
}

/// Sends requests: with `messages`, the first of them instead of the payload alone.
pub(crate) fn requests(
    bare: &Client,
    subject: &'static str,
    messages: Option<Messages>,
) -> impl Fn() -> Called + Clone + Send + 'static + use<> {
    let bare = bare.clone();
    move || {
        let (bare, messages) = (bare.clone(), messages.clone());
        Box::pin(async move {
            let text = Bytes::from(request());
            let is_alone = messages.is_none();
            let text = messages.map_or(text, |Messages([request, _])| Bytes::copy_from_slice(&request));
            let answer = bare.request(subject, text).await.expect("an answer");
            let text = if is_alone { answer.payload } else { response().into() };
            let response: Response = serde_json::from_slice(&text).expect("a response");
            assert_eq!(response.verdict, Verdict::Approve);
        })
    }
}
