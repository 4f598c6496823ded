//! The types of messages.

use std::fmt;

/// Declares the types with their codes and names in one table.
macro_rules! types {
    ($($variant:ident = $code:literal, $name:literal;)+) => {
        /// A type of AMP RFC 001. The variants have the names of the RFC.
        ///
        /// A provider of capabilities uses the types that `specs/amp-envelope.md` lists. The others are known, so that
        /// their messages are verified and not rejected (decision 2).
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        pub enum MessageType {
            $(#[doc = concat!("`", $name, "`, ", stringify!($code), ".")] $variant,)+
        }

        impl MessageType {
            /// Every type, by its code.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The code in the field `typ`.
            #[must_use]
            pub const fn code(self) -> u8 {
                match self {
                    $(Self::$variant => $code,)+
                }
            }

            /// The name in the RFC: `CAP_QUERY`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// The type with this code; `None` if AMP RFC 001 does not assign the code.
            #[must_use]
            pub const fn from_code(code: u64) -> Option<Self> {
                match code {
                    $($code => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

types! {
    Ping = 0x01, "PING";
    Pong = 0x02, "PONG";
    Ack = 0x03, "ACK";
    ProcOk = 0x04, "PROC_OK";
    ProcFail = 0x05, "PROC_FAIL";
    ContactRequest = 0x06, "CONTACT_REQUEST";
    ContactResponse = 0x07, "CONTACT_RESPONSE";
    ContactRevoke = 0x08, "CONTACT_REVOKE";
    Processing = 0x09, "PROCESSING";
    Progress = 0x0a, "PROGRESS";
    InputRequired = 0x0b, "INPUT_REQUIRED";
    Error = 0x0f, "ERROR";
    Message = 0x10, "MESSAGE";
    Request = 0x11, "REQUEST";
    Response = 0x12, "RESPONSE";
    StreamStart = 0x13, "STREAM_START";
    StreamData = 0x14, "STREAM_DATA";
    StreamEnd = 0x15, "STREAM_END";
    Batch = 0x16, "BATCH";
    CapQuery = 0x20, "CAP_QUERY";
    CapDeclare = 0x21, "CAP_DECLARE";
    CapInvoke = 0x22, "CAP_INVOKE";
    CapResult = 0x23, "CAP_RESULT";
    DocSend = 0x30, "DOC_SEND";
    DocRequest = 0x31, "DOC_REQUEST";
    CredIssue = 0x40, "CRED_ISSUE";
    CredRequest = 0x41, "CRED_REQUEST";
    CredPresent = 0x42, "CRED_PRESENT";
    CredVerify = 0x43, "CRED_VERIFY";
    DelegGrant = 0x50, "DELEG_GRANT";
    DelegRevoke = 0x51, "DELEG_REVOKE";
    DelegQuery = 0x52, "DELEG_QUERY";
    Presence = 0x60, "PRESENCE";
    PresenceQuery = 0x61, "PRESENCE_QUERY";
    PresenceSub = 0x62, "PRESENCE_SUB";
    PresenceUnsub = 0x63, "PRESENCE_UNSUB";
    Hello = 0x70, "HELLO";
    HelloAck = 0x71, "HELLO_ACK";
    HelloReject = 0x72, "HELLO_REJECT";
}

/// The name.
impl fmt::Display for MessageType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
