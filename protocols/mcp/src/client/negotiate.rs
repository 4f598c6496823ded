//! Agreeing on a revision with a server ("Versioning and Compatibility" of the revision 2026-07-28): which request
//! comes next, by the answer to the last one. No IO.

use capgen_schema::Json;

use crate::error::McpError;
use crate::json::{empty, object, string};
use crate::message::{RpcError, code};
use crate::meta::{self, Implementation};
use crate::revision::Revision;

/// The properties that a server states in the negotiation. None of them is trusted.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct ServerInfo {
    /// The name and version of the server.
    pub implementation: Implementation,
    /// The agreed revision.
    pub revision: Revision,
    /// Whether the server has tools.
    pub has_tools: bool,
    /// A text about the server for models.
    pub instructions: Option<String>,
}

/// The answer to a request of the negotiation.
#[derive(Debug)]
pub(crate) enum Answer {
    Result(Json),
    /// Also in the body of an HTTP response with another status than 200.
    Error(RpcError),
    /// An HTTP status without a message of the protocol.
    Status(u16),
    /// No answer in time, or none that can be read.
    Unusable(McpError),
    /// The server ended.
    End(String),
}

/// The next step.
#[derive(PartialEq, Debug)]
pub(crate) enum Step {
    /// Shake hands; the server may have to be started again.
    Initialize(Revision),
    Done(ServerInfo),
    Fail(McpError),
}

/// The parameters of `server/discover`.
pub(crate) fn discover_params(client: &Implementation) -> Json {
    object([("_meta", meta::of_request(Revision::V2026_07_28, client, None))])
}

/// The parameters of `initialize`.
pub(crate) fn initialize_params(revision: Revision, client: &Implementation) -> Json {
    object([
        ("protocolVersion", string(revision.as_str())),
        ("capabilities", empty()),
        ("clientInfo", client.to_json()),
    ])
}

/// The step after the answer to `server/discover`.
///
/// Only a result, or an error that older servers do not know, shows that a server is of the revision 2026-07-28 or
/// later. Anything else comes from an older server: an error with any code, an HTTP status, silence, or its end.
pub(crate) fn after_discover(answer: Answer) -> Step {
    match answer {
        Answer::Result(result) => match result.get("supportedVersions").and_then(Json::as_array) {
            Some(versions) => choose(versions, Some(discovered(&result))),
            None => Step::Initialize(Revision::NEWEST_WITH_HANDSHAKE),
        },
        Answer::Error(error) if error.code == code::UNSUPPORTED_REVISION => {
            let supported = error.data.as_ref().and_then(|data| data.get("supported")).and_then(Json::as_array);
            match supported {
                Some(versions) => choose(versions, None),
                None => Step::Fail(McpError::Server(error)),
            }
        }
        Answer::Error(error) if error.is_of_stateless_revision() => Step::Fail(McpError::Server(error)),
        Answer::Status(status @ (401 | 403 | 407 | 429 | 500..)) => Step::Fail(McpError::Http(status)),
        Answer::Error(_) | Answer::Status(_) | Answer::Unusable(_) | Answer::End(_) => {
            Step::Initialize(Revision::NEWEST_WITH_HANDSHAKE)
        }
    }
}

/// The step for the revisions that a server supports: the newest that this crate knows. `discovered` is the answer of a
/// server that accepted the revision 2026-07-28.
fn choose(versions: &[Json], discovered: Option<ServerInfo>) -> Step {
    let is_supported = |revision: &Revision| versions.iter().any(|version| version.as_str() == Some(revision.as_str()));
    match (Revision::ALL.into_iter().find(is_supported), discovered) {
        (Some(revision), Some(info)) if revision.is_stateless() => Step::Done(info),
        (Some(revision), _) if !revision.is_stateless() => Step::Initialize(revision),
        _ => {
            let names = versions.iter().filter_map(Json::as_str).take(20);
            Step::Fail(McpError::NoCommonRevision(
                names.map(|name| capgen_diagnostic::cut_short(name, 40).into_owned()).collect(),
            ))
        }
    }
}

fn discovered(result: &Json) -> ServerInfo {
    // A draft of the revision had `serverInfo` as a member of the result.
    let of_meta = result.get("_meta").and_then(|meta| meta.get(meta::SERVER_INFO));
    info(result, Revision::V2026_07_28, of_meta.or_else(|| result.get("serverInfo")))
}

fn info(result: &Json, revision: Revision, implementation: Option<&Json>) -> ServerInfo {
    ServerInfo {
        implementation: Implementation::read(implementation),
        revision,
        has_tools: result.get("capabilities").is_some_and(|capabilities| capabilities.get("tools").is_some()),
        instructions: result.get("instructions").and_then(Json::as_str).map(str::to_owned),
    }
}

/// The step after the answer to `initialize`.
pub(crate) fn after_initialize(answer: Answer) -> Step {
    let result = match answer {
        Answer::Result(result) => result,
        Answer::Error(error) => return Step::Fail(McpError::Server(error)),
        Answer::Status(status) => return Step::Fail(McpError::Http(status)),
        Answer::Unusable(error) => return Step::Fail(error),
        Answer::End(reason) => return Step::Fail(McpError::Closed(reason)),
    };
    let Some(version) = result.get("protocolVersion").and_then(Json::as_str) else {
        return Step::Fail(McpError::Protocol("the answer to `initialize` has no `protocolVersion`".to_owned()));
    };
    match Revision::from_name(version) {
        Some(revision) if !revision.is_stateless() => Step::Done(info(&result, revision, result.get("serverInfo"))),
        _ => Step::Fail(McpError::NoCommonRevision(vec![capgen_diagnostic::cut_short(version, 40).into_owned()])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(text: &str) -> Answer {
        Answer::Result(text.parse().unwrap())
    }

    fn error(code: i64, data: Option<&str>) -> Answer {
        let data = data.map(|data| data.parse().unwrap());
        Answer::Error(RpcError { code, message: String::new(), data })
    }

    const FALLBACK: Step = Step::Initialize(Revision::V2025_11_25);

    #[test]
    fn a_server_of_the_newest_revision_needs_no_handshake() {
        let step = after_discover(result(
            r#"{"resultType":"complete","supportedVersions":["2027-01-01","2026-07-28"],"capabilities":{"tools":{}},
                "_meta":{"io.modelcontextprotocol/serverInfo":{"name":"a","version":"1"}},"ttlMs":0,"cacheScope":"private"}"#,
        ));
        let Step::Done(info) = step else { panic!("{step:?}") };
        assert_eq!((info.revision, info.has_tools), (Revision::V2026_07_28, true));
        assert_eq!(info.implementation, Implementation::new("a", "1"));
    }

    #[test]
    fn whatever_an_older_server_does_leads_to_the_handshake() {
        for answer in [
            error(-32601, None),
            error(-32602, None),
            error(-32000, None),
            error(0, None),
            Answer::Unusable(McpError::Timeout(None)),
            Answer::Unusable(McpError::Protocol(String::new())),
            Answer::End("exit status 1".to_owned()),
            Answer::Status(400),
            Answer::Status(404),
            Answer::Status(405),
            result("{}"),
        ] {
            let text = format!("{answer:?}");
            assert_eq!(after_discover(answer), FALLBACK, "{text}");
        }
    }

    #[test]
    fn errors_of_newer_servers_do_not_lead_to_the_handshake() {
        for code in [-32020, -32021, -32022] {
            let step = after_discover(error(code, None));
            assert!(matches!(step, Step::Fail(McpError::Server(_))), "{step:?}");
        }
        let other = r#"{"supported":["2027-01-01"],"requested":"2026-07-28"}"#;
        let step = after_discover(error(-32022, Some(other)));
        assert_eq!(step, Step::Fail(McpError::NoCommonRevision(vec!["2027-01-01".to_owned()])));
        let both = r#"{"supported":["2027-01-01","2025-06-18"],"requested":"2026-07-28"}"#;
        assert_eq!(after_discover(error(-32022, Some(both))), Step::Initialize(Revision::V2025_06_18));
        // It contradicts itself.
        let same = r#"{"supported":["2026-07-28"]}"#;
        assert!(matches!(after_discover(error(-32022, Some(same))), Step::Fail(_)));
        for status in [401, 403, 500, 503] {
            assert_eq!(after_discover(Answer::Status(status)), Step::Fail(McpError::Http(status)));
        }
    }

    #[test]
    fn the_handshake_accepts_every_revision_that_has_one() {
        for revision in Revision::ALL {
            let answer =
                format!(r#"{{"protocolVersion":"{revision}","capabilities":{{}},"serverInfo":{{"name":"a"}}}}"#);
            match after_initialize(result(&answer)) {
                Step::Done(info) => assert_eq!((info.revision, info.has_tools), (revision, false)),
                step => assert!(revision.is_stateless() && matches!(step, Step::Fail(_)), "{step:?}"),
            }
        }
        for answer in [
            result("{}"),
            result("[]"),
            result(r#"{"protocolVersion":"1.0"}"#),
            error(1, None),
            Answer::Unusable(McpError::Timeout(None)),
        ] {
            let text = format!("{answer:?}");
            assert!(matches!(after_initialize(answer), Step::Fail(_)), "{text}");
        }
    }
}
