//! The readers of the messages of servers, for fuzzing. They are not part of the interface of the crate.

use capgen_schema::Json;

use crate::client::accepting;
use crate::json::{object, string};
use crate::message::{Message, Received, error_response, notification, response};
use crate::sse::EventReader;

/// The data of the events of a stream that arrives in parts; `None` if one has more than `max` bytes.
#[must_use]
pub fn events(parts: &[&[u8]], max: usize) -> Option<Vec<Vec<u8>>> {
    let mut reader = EventReader::new(max);
    let mut events = Vec::new();
    for part in parts {
        events.extend(reader.push(part).ok()?);
    }
    Some(events)
}

/// The messages of a text, written again. An error is the answer to a text that is not a message.
#[must_use]
pub fn messages(text: &[u8]) -> Vec<Result<String, String>> {
    let messages = match Received::read(text) {
        Received::One(message) => vec![message],
        Received::Batch(messages) => messages,
    };
    messages.into_iter().map(|message| message.as_ref().map(written).map_err(|error| error.answer())).collect()
}

fn written(message: &Message) -> String {
    match message {
        Message::Request { id, method, params } => {
            let id = id.as_text().parse().unwrap_or(Json::Null);
            let params = Json::Object(params.clone());
            object([("jsonrpc", string("2.0")), ("id", id), ("method", string(method.as_str())), ("params", params)])
                .to_string()
        }
        Message::Notification { method, params } => notification(method, Some(Json::Object(params.clone()))),
        Message::Response { id: Some(id), outcome: Ok(result) } => response(id, result),
        Message::Response { id, outcome: Err(error) } => error_response(id.as_ref(), error),
        Message::Response { id: None, outcome: Ok(_) } => "a result without an id".to_owned(),
    }
}

/// Reads the result of a response as that of each request of a client, and returns how many of them accept it.
#[must_use]
pub fn results(text: &[u8]) -> usize {
    match Received::read(text) {
        Received::One(Ok(Message::Response { outcome: Ok(result), .. })) => accepting(&result),
        _ => 0,
    }
}
