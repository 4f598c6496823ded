//! Addresses as subjects of NATS.

use capgen_call::TransportError;

/// Checks an address to which a message is sent, or to which it asks for replies.
///
/// Both may come from a peer. Subjects of the server itself begin with `$`: an agent that publishes to
/// `$JS.API.STREAM.DELETE.x` because a request names it as the reply address would delete a stream with its own
/// permissions.
///
/// # Errors
///
/// [`Unsupported`](TransportError::Unsupported): the address has an empty token, a wildcard, white space or a control
/// character, or begins with `$`. The error shows at most 80 characters of it.
pub fn check(address: &str) -> Result<(), TransportError> {
    if is_literal(address) { Ok(()) } else { Err(invalid(address)) }
}

/// Checks an address from which messages are received: a literal one, or one that ends with `.*`.
pub(crate) fn check_pattern(address: &str) -> Result<(), TransportError> {
    check(address.strip_suffix(".*").unwrap_or(address))
}

/// Tokens between dots; no wildcards, no white space or control characters, and none of the server's own subjects.
fn is_literal(address: &str) -> bool {
    !address.starts_with('$') && address.split('.').all(is_token)
}

fn is_token(token: &str) -> bool {
    !matches!(token, "" | "*" | ">") && !token.bytes().any(|byte| byte <= b' ' || byte == 0x7f)
}

fn invalid(address: &str) -> TransportError {
    // The address may come from a peer and may be long.
    let shown: String = address.chars().take(80).collect();
    TransportError::Unsupported(format!("{shown:?} is not a subject that messages can be sent to"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_literal_subjects_outside_of_the_server_s_own() {
        for good in ["a", "agents.pr-reviewer.requests", "_INBOX.x.1", "ä.b", "a.b*c"] {
            assert!(check(good).is_ok(), "{good}");
        }
        for bad in
            ["", ".", "a.", ".a", "a..b", "a b", "a\r\nPUB x", "a\tb", "a.*", "*", ">", "a.>", "$JS.API.INFO", "\u{7f}"]
        {
            assert!(check(bad).is_err(), "{bad}");
        }
        assert!(check_pattern("a.*").is_ok());
        for bad in ["*", ".*", "a.*.*", "a.*.b", "a.>", "$SYS.*", "$SRV.PING"] {
            assert!(check_pattern(bad).is_err(), "{bad}");
        }
    }
}
