//! Whether one message answers another.

use super::{Message, MessageType, Rejection};
use crate::Code;

/// The types that report on a request: they answer every request.
const REPORTS: [MessageType; 7] = [
    MessageType::Ack,
    MessageType::ProcOk,
    MessageType::ProcFail,
    MessageType::Processing,
    MessageType::Progress,
    MessageType::InputRequired,
    MessageType::Error,
];

/// Checks that a message answers a request (RFC 004, sections 6.2, 7.1 and 9; decision 4).
///
/// `reply_to` must be the id of the request, `from` one of its recipients, the sender of the request one of the
/// recipients of the answer, and `thread_id` the same. `CAP_DECLARE` only answers `CAP_QUERY`, and `CAP_RESULT` only
/// `CAP_INVOKE`; a capability request has no other answers apart from reports such as `ACK`, `PROGRESS` and `ERROR`.
/// Signatures and bodies are not checked.
///
/// # Errors
///
/// 4001, with the first rule that the answer violates.
pub fn answers(answer: &Message, request: &Message) -> Result<(), Rejection> {
    let problem = if answer.reply_to != Some(request.id) {
        "`reply_to` is not the id of the request"
    } else if !request.to.includes(&answer.from) {
        "`from` is not a recipient of the request"
    } else if !answer.to.includes(&request.from) {
        "`to` does not contain the sender of the request"
    } else if answer.thread_id != request.thread_id {
        "`thread_id` is not that of the request"
    } else if !is_answer(answer.kind, request.kind) {
        "a message of this type does not answer the request"
    } else {
        return Ok(());
    };
    Err(Rejection::new(Code::BadRequest, problem))
}

fn is_answer(answer: MessageType, request: MessageType) -> bool {
    match answer {
        MessageType::CapDeclare => request == MessageType::CapQuery,
        MessageType::CapResult => request == MessageType::CapInvoke,
        report if REPORTS.contains(&report) => true,
        _ => !matches!(request, MessageType::CapQuery | MessageType::CapInvoke),
    }
}
