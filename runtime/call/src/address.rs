//! Addresses that are derived from the address of requests.

/// The part of an address that is for control messages.
const CONTROL: &str = "control";

/// The digits of a contract's hash in an address: enough for hashes that differ, and short enough for every broker.
const CONTRACT_DIGITS: usize = 32;

/// The address of messages that control the requests to an address, such as cancels. All instances of an agent receive
/// them.
pub(crate) fn control(kind: &str, address: &str) -> String {
    join(kind, address, CONTROL)
}

/// The address of control messages for one instance, given its id.
pub(crate) fn control_of_instance(kind: &str, address: &str, instance: &str) -> String {
    join(kind, &control(kind, address), instance)
}

/// The address of requests for the instances of an agent that serve a contract, given its hash in hexadecimal.
pub(crate) fn of_contract(kind: &str, address: &str, hash: &str) -> String {
    join(kind, &join(kind, address, "contract"), hash.get(..CONTRACT_DIGITS).unwrap_or(hash))
}

/// An address with another part, given the kind of its transport.
fn join(kind: &str, address: &str, part: &str) -> String {
    let separator = if kind == "mqtt" { '/' } else { '.' };
    format!("{address}{separator}{part}")
}

/// The last token of an address, and the part before its dot; `None` without a dot. Tokens are short, so that looking
/// at single bytes from the end takes less time than `rsplit_once`.
pub(crate) fn last_token(address: &str) -> Option<(&str, &str)> {
    let dot = address.bytes().rposition(|byte| byte == b'.')?;
    Some((address.get(..dot)?, address.get(dot + 1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_the_separator_of_their_transport() {
        assert_eq!(control("nats", "agents.trips"), "agents.trips.control");
        assert_eq!(control_of_instance("memory", "trips", "i"), "trips.control.i");
        let hash = "0123456789abcdef".repeat(4);
        assert_eq!(of_contract("nats", "trips", &hash), "trips.contract.0123456789abcdef0123456789abcdef");
        assert_eq!(control_of_instance("mqtt", "agents/trips", "i"), "agents/trips/control/i");
    }
}
