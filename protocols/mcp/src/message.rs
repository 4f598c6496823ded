//! JSON-RPC 2.0 messages, as the protocol uses them.

use std::fmt;

use capgen_diagnostic::cut_short;
use capgen_schema::{Json, JsonTextError, Object};

use crate::json::{self, object, string};
use crate::recover::{outline, without_lone_surrogates};

/// The most messages of a batch. Only the revision 2025-03-26 has batches. Each may start a call, and a batch keeps all
/// its answers until the last one.
pub(crate) const MAX_BATCH: usize = 32;

/// The longest id of a request, in bytes. Usual ids are numbers or UUIDs of 36 bytes. A server keeps the id of each
/// call that runs.
const MAX_ID: usize = 256;

/// The longest message of an error that is kept, in characters. A message is a sentence or two; a longer one, which a
/// server may choose freely, would only fill logs.
const MAX_ERROR: usize = 2000;

/// The codes of errors: those of JSON-RPC 2.0, section 5.1, and from -32020 on those of the revision 2026-07-28.
pub(crate) mod code {
    pub(crate) const PARSE_ERROR: i64 = -32700;
    pub(crate) const INVALID_REQUEST: i64 = -32600;
    pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
    pub(crate) const INVALID_PARAMS: i64 = -32602;
    pub(crate) const INTERNAL_ERROR: i64 = -32603;
    pub(crate) const HEADER_MISMATCH: i64 = -32020;
    pub(crate) const MISSING_CLIENT_CAPABILITY: i64 = -32021;
    pub(crate) const UNSUPPORTED_REVISION: i64 = -32022;
}

/// The id of a request: a string or an integer, as JSON text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct RequestId(String);

impl RequestId {
    pub(crate) fn number(id: u64) -> Self {
        Self(id.to_string())
    }

    /// The id of a value; `None` if it is not an id.
    pub(crate) fn of(value: &Json) -> Option<Self> {
        let is_id = match value {
            Json::String(text) => text.len() <= MAX_ID,
            Json::Number(number) => number.is_integer(),
            _ => false,
        };
        // A number such as `1e300` is an integer with many digits.
        is_id.then(|| value.to_string()).filter(|text| text.len() <= 6 * MAX_ID).map(Self)
    }

    pub(crate) fn as_text(&self) -> &str {
        &self.0
    }
}

/// An error that the other side sent, or that is sent to it.
#[derive(Clone, PartialEq, Debug)]
pub struct RpcError {
    /// The code, such as -32602.
    pub code: i64,
    /// The message of the other side. It is not trusted: escape it before it goes to a terminal.
    pub message: String,
    /// More about the error.
    pub data: Option<Json>,
}

impl RpcError {
    pub(crate) fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    fn read(value: &Json) -> Option<Self> {
        let code: i64 = value.get("code")?.as_number()?.as_i64()?;
        let message = value.get("message").and_then(Json::as_str).unwrap_or_default();
        Some(Self { code, message: cut_short(message, MAX_ERROR).into_owned(), data: value.get("data").cloned() })
    }

    /// Whether only servers of the revision 2026-07-28 or later send this error.
    pub(crate) fn is_of_stateless_revision(&self) -> bool {
        let codes = [code::HEADER_MISMATCH, code::MISSING_CLIENT_CAPABILITY, code::UNSUPPORTED_REVISION];
        codes.contains(&self.code)
    }
}

impl fmt::Display for RpcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (code {})", self.message, self.code)
    }
}

/// A message.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Message {
    Request {
        id: RequestId,
        method: String,
        params: Object,
    },
    Notification {
        method: String,
        params: Object,
    },
    /// The id is missing if the other side could not read that of the request.
    Response {
        id: Option<RequestId>,
        outcome: Result<Json, RpcError>,
    },
}

/// The kind of a message, as far as its members show it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    Request,
    Response,
    Other,
}

/// A text that is not a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Malformed {
    /// The code of the answer: the text is not JSON, has duplicate keys or too many levels; or it is another JSON
    /// value.
    pub(crate) code: i64,
    /// The id that it probably has.
    pub(crate) id: Option<RequestId>,
    pub(crate) shape: Shape,
    /// The error can quote a key of the text.
    pub(crate) reason: String,
}

/// The messages of a text.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Received {
    One(Result<Message, Malformed>),
    Batch(Vec<Result<Message, Malformed>>),
}

impl Received {
    /// Reads a text, which the caller has limited in size.
    pub(crate) fn read(text: &[u8]) -> Self {
        match std::str::from_utf8(text).map(str::parse) {
            Ok(Ok(value)) => Self::of(value),
            Ok(Err(error)) => {
                let error: JsonTextError = error;
                Self::syntax(text, cut_short(&error.to_string(), 200).into_owned())
            }
            Err(_) => Self::syntax(text, "the text is not UTF-8".to_owned()),
        }
    }

    /// Reads a text of a server. Lone surrogates in texts for readers are replaced: a result with one is still a
    /// result.
    pub(crate) fn read_of_server(text: &[u8]) -> Self {
        match Self::read(text) {
            Self::One(Err(malformed)) if malformed.code == code::PARSE_ERROR => {
                let value = std::str::from_utf8(text).ok().and_then(without_lone_surrogates);
                value.map_or(Self::One(Err(malformed)), Self::of)
            }
            received => received,
        }
    }

    /// The messages, one or those of a batch.
    pub(crate) fn into_messages(self) -> impl Iterator<Item = Result<Message, Malformed>> {
        let (one, batch) = match self {
            Self::One(message) => (Some(message), Vec::new()),
            Self::Batch(messages) => (None, messages),
        };
        one.into_iter().chain(batch)
    }

    fn syntax(text: &[u8], reason: String) -> Self {
        let (id, shape) = outline(&String::from_utf8_lossy(text));
        Self::One(Err(Malformed { code: code::PARSE_ERROR, id, shape, reason }))
    }

    fn of(value: Json) -> Self {
        match value {
            Json::Array(items) if items.is_empty() => Self::One(Err(Malformed::other("the batch is empty"))),
            Json::Array(items) if items.len() > MAX_BATCH => {
                Self::One(Err(Malformed::other("the batch has too many messages")))
            }
            Json::Array(items) => Self::Batch(items.into_iter().map(Message::of).collect()),
            value => Self::One(Message::of(value)),
        }
    }
}

impl Message {
    fn of(value: Json) -> Result<Self, Malformed> {
        let Json::Object(mut members) = value else {
            return Err(Malformed::other("a message is an object"));
        };
        let id = members.get("id").map(RequestId::of);
        let has = |name| members.get(name).is_some();
        let shape = match has("method") {
            true => Shape::Request,
            false if has("result") || has("error") => Shape::Response,
            false => Shape::Other,
        };
        let invalid = |reason| Err(Malformed { id: id.clone().flatten(), shape, ..Malformed::other(reason) });
        if members.get("jsonrpc").and_then(Json::as_str) != Some("2.0") {
            return invalid("`jsonrpc` is not \"2.0\"");
        }
        if let Some(method) = members.get("method") {
            let Some(method) = method.as_str().map(str::to_owned) else { return invalid("`method` is not a string") };
            let params = members.get_mut("params").map(|params| std::mem::replace(params, Json::Null));
            let params = match params {
                // Some clients write all members.
                None | Some(Json::Null) => Object::new(),
                Some(Json::Object(params)) => params,
                Some(_) => return invalid("`params` is not an object"),
            };
            return match id {
                None => Ok(Self::Notification { method, params }),
                Some(Some(id)) => Ok(Self::Request { id, method, params }),
                Some(None) => invalid("`id` is not a string of at most 256 bytes or an integer"),
            };
        }
        Self::response(members, id.flatten(), shape)
    }

    /// An error about a request whose id could not be read has no id, or `null`.
    fn response(mut members: Object, id: Option<RequestId>, shape: Shape) -> Result<Self, Malformed> {
        let result = members.get_mut("result").map(|result| std::mem::replace(result, Json::Null));
        let outcome = match (result, members.get("error").map(RpcError::read)) {
            (Some(result), None) if id.is_some() => Ok(result),
            (None, Some(Some(error))) => Err(error),
            _ => return Err(Malformed { id, shape, ..Malformed::other("it is neither a request nor a response") }),
        };
        Ok(Self::Response { id, outcome })
    }
}

impl Malformed {
    fn other(reason: &str) -> Self {
        Self { code: code::INVALID_REQUEST, id: None, shape: Shape::Other, reason: reason.to_owned() }
    }

    /// The answer to the sender. The id of a response is not that of a request of the sender.
    pub(crate) fn answer(&self) -> String {
        let id = self.id.as_ref().filter(|_| self.shape != Shape::Response);
        let name = if self.code == code::PARSE_ERROR { "Parse error" } else { "Invalid request" };
        error_response(id, &RpcError::new(self.code, format!("{name}: {}", self.reason)))
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.code == code::PARSE_ERROR { "not valid JSON" } else { "not a message of the protocol" };
        write!(f, "{kind}: {}", self.reason)
    }
}

/// The text of a request.
pub(crate) fn request(id: u64, method: &str, params: Json) -> String {
    let id = id.to_string().parse().unwrap_or(Json::Null);
    object([("jsonrpc", string("2.0")), ("id", id), ("method", string(method)), ("params", params)]).to_string()
}

/// The text of a notification.
pub(crate) fn notification(method: &str, params: Option<Json>) -> String {
    let Json::Object(mut message) = object([("jsonrpc", string("2.0")), ("method", string(method))]) else {
        return String::new();
    };
    message.set("params", params);
    Json::Object(message).to_string()
}

/// The text of a response.
pub(crate) fn response(id: &RequestId, result: &Json) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{},"result":{}}}"#, id.as_text(), result)
}

/// The text of a response that is an error.
pub(crate) fn error_response(id: Option<&RequestId>, error: &RpcError) -> String {
    let Json::Object(mut body) =
        object([("code", json::integer(error.code)), ("message", string(error.message.as_str()))])
    else {
        return String::new();
    };
    body.set("data", error.data.clone());
    let id = id.map_or("null", RequestId::as_text);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{}}}"#, Json::Object(body))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn one(text: &str) -> Result<Message, Malformed> {
        match Received::read(text.as_bytes()) {
            Received::One(message) => message,
            Received::Batch(_) => panic!("a batch"),
        }
    }

    #[test]
    fn the_three_kinds_of_messages_are_read() {
        let id = |text: &str| RequestId::of(&text.parse().unwrap()).unwrap();
        let read = one(r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#).unwrap();
        assert_eq!(read, Message::Request { id: id("\"a\""), method: "ping".to_owned(), params: Object::new() });
        let read = one(r#"{"jsonrpc":"2.0","method":"x","params":{"a":1}}"#).unwrap();
        assert!(matches!(read, Message::Notification { method, params } if method == "x" && params.len() == 1));
        let read = one(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#).unwrap();
        assert_eq!(read, Message::Response { id: Some(RequestId::number(7)), outcome: Ok(json::empty()) });
        let read = one(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}"#).unwrap();
        let error = RpcError::new(code::PARSE_ERROR, "no");
        assert_eq!(read, Message::Response { id: None, outcome: Err(error) });
    }

    #[test]
    fn written_messages_are_read_again() {
        let params = r#"{"name":"x","arguments":{"n":12345678901234567890,"s":"a\nb"}}"#.parse::<Json>().unwrap();
        let text = request(3, "tools/call", params.clone());
        assert!(!text.contains('\n'), "{text}");
        let Json::Object(params) = params else { panic!("not an object") };
        let method = "tools/call".to_owned();
        assert_eq!(one(&text), Ok(Message::Request { id: RequestId::number(3), method, params }));
        let error = RpcError { code: 5, message: "a\u{2028}".to_owned(), data: Some(string("d")) };
        let id = RequestId::number(1);
        let read = one(&error_response(Some(&id), &error));
        assert_eq!(read, Ok(Message::Response { id: Some(id), outcome: Err(error) }));
    }

    #[test]
    fn other_texts_are_answered_with_the_code_of_json_rpc() {
        for (text, code) in [
            ("", "-32700"),
            ("{", "-32700"),
            ("\u{feff}{}", "-32700"),
            (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, "-32700"),
            ("1", "-32600"),
            ("[]", "-32600"),
            ("{}", "-32600"),
            (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, "-32600"),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, "-32600"),
            (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, "-32600"),
            (r#"{"jsonrpc":"2.0","id":1,"method":3}"#, "-32600"),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, "-32600"),
            (r#"{"jsonrpc":"2.0","id":1}"#, "-32600"),
            (r#"{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":""}}"#, "-32600"),
            (r#"{"jsonrpc":"2.0","id":1,"error":"x"}"#, "-32600"),
        ] {
            let answer = one(text).unwrap_err().answer();
            assert!(answer.contains(&format!(r#""code":{code}"#)), "{text}: {answer}");
        }
        let deep =
            format!(r#"{{"jsonrpc":"2.0","method":"x","params":{{"a":{}1{}}}}}"#, "[".repeat(9999), "]".repeat(9999));
        assert!(one(&deep).unwrap_err().code == code::PARSE_ERROR);
        let many = format!("[{}1]", "1,".repeat(MAX_BATCH));
        assert!(one(&many).unwrap_err().code == code::INVALID_REQUEST);
    }

    #[test]
    fn the_id_of_an_invalid_request_is_in_the_answer() {
        for text in [
            r#"{"jsonrpc":"2.0","id":"q","method":"ping","params":{"a":"\ud83d"}}"#,
            r#"{"jsonrpc":"2.0","id":"q","method":"ping","params":{"a":1e400}}"#,
            r#"{"jsonrpc":"2.0","id":"q","method":"ping","params":{"a":1,"a":1}}"#,
        ] {
            let answer = one(text).unwrap_err().answer();
            assert!(answer.contains(r#""id":"q""#) && answer.contains("-32700"), "{answer}");
        }
        let answer = one(r#"{"jsonrpc":"2.0","id":"q","result":1e400}"#).unwrap_err().answer();
        assert!(answer.contains(r#""id":null"#), "the id of a response is another one: {answer}");
        let answer = one(r#"{"jsonrpc":"2.0","id":"q","method":"ping","params":1}"#).unwrap_err().answer();
        assert!(answer.contains(r#""id":"q""#), "{answer}");
        let answer = one(&format!(r#"{{"id":"{}"}}"#, "q".repeat(MAX_ID + 1))).unwrap_err().answer();
        assert!(answer.contains(r#""id":null"#), "{answer}");
    }

    /// Reads a text as messages, and checks that each answer to it is a message on one line.
    fn check_message(bytes: &[u8]) {
        let messages = match Received::read(bytes) {
            Received::One(message) => vec![message],
            Received::Batch(messages) => messages,
        };
        for message in messages {
            let answer = match message {
                Err(malformed) => malformed.answer(),
                Ok(Message::Request { id, .. }) => response(&id, &json::empty()),
                Ok(Message::Response { id, outcome: Err(error) }) => error_response(id.as_ref(), &error),
                Ok(_) => continue,
            };
            let read = Received::read(answer.as_bytes());
            assert!(matches!(read, Received::One(Ok(Message::Response { .. }))) && !answer.contains('\n'), "{answer}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            check_message(&bytes);
        }

        #[test]
        fn no_text_like_a_message_makes_the_reader_panic(
            text in r#"\[?\{"jsonrpc":"2.0",("id":([0-9e.-]{1,4}|"."|null),)?"(method|result|error)":("x"|[0-9]|\{"code":-?[0-9]\}),"params":.{0,20}\}\]?"#,
        ) {
            check_message(text.as_bytes());
        }
    }
}
