//! Reading and checking messages, in the order of decision 2.

use super::{Did, Message, MessageId, MessageType, Recipients, Rejection, ResolveKey};
use crate::Code;
use crate::cbor::{Limits, Map, Value, decode};

/// The most milliseconds between `ts` and the time in `id`. `specs/amp-envelope.md` defines it for `id`. A message so
/// expires that much later than its id says.
pub(crate) const ID_TOLERANCE_MS: u64 = 1000;

/// The most milliseconds between `ts` and now, if the clock of the sender is ahead. `specs/amp-envelope.md` defines it
/// for `ttl`.
const CLOCK_TOLERANCE: u64 = 30_000;

/// A message of the right form, whose times and signature have not been checked.
#[derive(Clone, Debug)]
pub struct Unverified {
    message: Message,
    signature: [u8; 64],
}

/// Decodes a message and checks its form (decisions 1 and 2). Cost: see [`decode`].
///
/// # Errors
///
/// The first failure of: decoding (1001), and those of [`Unverified::read`].
pub fn decode_message(bytes: &[u8], limits: &Limits) -> Result<Unverified, Rejection> {
    Unverified::read(decode(bytes, limits)?)
}

/// Decodes a message and checks all of its envelope: its form, its times and its signature, in the order of decision 2.
///
/// # Errors
///
/// Those of [`decode_message`], [`Unverified::check_time`] and [`Unverified::verify`], in this order.
pub(crate) fn open_message(
    bytes: &[u8],
    limits: &Limits,
    now: u64,
    keys: &dyn ResolveKey,
) -> Result<Message, Rejection> {
    let message = decode_message(bytes, limits)?;
    message.check_time(now)?;
    message.verify(keys)
}

impl Unverified {
    /// Checks the form of a decoded message. Unknown text keys are ignored, and are not kept.
    ///
    /// # Errors
    ///
    /// The first failure of: `v` (1004), presence and types of the fields (1001), `typ` (1005), the time in `id`
    /// (1003).
    pub fn read(value: Value) -> Result<Self, Rejection> {
        let Value::Map(map) = value else { return Err(invalid("a message is a map")) };
        let mut fields = Fields(map);
        if fields.unsigned("v")? != 1 {
            return Err(Rejection::new(Code::UnsupportedVersion, "`v` is not 1"));
        }
        let (code, read) = fields.shape()?;
        let kind = MessageType::from_code(code)
            .ok_or_else(|| Rejection::new(Code::UnknownType, "`typ` is not a type of AMP RFC 001"))?;
        let message = Message { kind, ..read.message };
        if message.id.time().abs_diff(message.ts) > ID_TOLERANCE_MS {
            let text = "the time in `id` differs from `ts` by more than a second";
            return Err(Rejection::new(Code::InvalidTimestamp, text));
        }
        Ok(Self { message, ..read })
    }

    /// The message as it claims to be.
    #[must_use]
    pub const fn message(&self) -> &Message {
        &self.message
    }

    /// Checks that the message has not expired and is not from the future. `now` is in Unix milliseconds.
    ///
    /// # Errors
    ///
    /// 1003, if `now > ts + ttl` or `ts > now + 30 s`.
    pub fn check_time(&self, now: u64) -> Result<(), Rejection> {
        let Message { ts, ttl, .. } = self.message;
        let reject = |text: &str| Err(Rejection::new(Code::InvalidTimestamp, text));
        if now > ts.saturating_add(ttl) {
            reject("the message has expired")
        } else if ts > now.saturating_add(CLOCK_TOLERANCE) {
            reject("`ts` is more than 30 seconds in the future")
        } else {
            Ok(())
        }
    }

    /// Checks the signature. It costs one Ed25519 verification and one encoding of the body.
    ///
    /// # Errors
    ///
    /// 1002, if the key of the sender is unknown or the signature is invalid.
    pub fn verify(self, keys: &dyn ResolveKey) -> Result<Message, Rejection> {
        self.verify_bytes(keys).map(|(message, _)| message)
    }

    /// As [`verify`](Self::verify), and also returns the bytes that the signature covers.
    pub(crate) fn verify_bytes(self, keys: &dyn ResolveKey) -> Result<(Message, Vec<u8>), Rejection> {
        let reject = |text: &str| Rejection::new(Code::InvalidSignature, text);
        let key = keys.key(&self.message.from).ok_or_else(|| reject("the key of the sender is unknown"))?;
        let signed = self.message.signed_bytes();
        if key.verify_strict(&signed, &self.signature) {
            Ok((self.message, signed))
        } else {
            Err(reject("the signature is invalid"))
        }
    }

    /// The message, although its signature may be invalid: for displaying it.
    #[must_use]
    pub fn into_unchecked(self) -> Message {
        self.message
    }
}

/// The fields of a message that have not been read.
struct Fields(Map);

impl Fields {
    /// Everything apart from `v`. The type is a placeholder until its code has been checked.
    fn shape(&mut self) -> Result<(u64, Unverified), Rejection> {
        if self.0.iter().any(|(key, _)| key.as_text().is_none()) {
            return Err(invalid("a key of the message is not text"));
        }
        if self.0.get("enc").is_some() {
            return Err(invalid("encrypted messages are not supported"));
        }
        let code = self.unsigned("typ")?;
        let signature = self.bytes("sig")?.ok_or_else(|| missing("sig"))?;
        let message = Message {
            id: MessageId::from(self.bytes("id")?.ok_or_else(|| missing("id"))?),
            kind: MessageType::Error,
            ts: self.unsigned("ts")?,
            ttl: self.unsigned("ttl")?,
            from: self.from()?,
            to: self.to()?,
            reply_to: self.bytes("reply_to")?.map(MessageId::from),
            thread_id: self.thread_id()?,
            ext: self.ext()?,
            body: self.0.remove("body").ok_or_else(|| missing("body"))?,
        };
        Ok((code, Unverified { message, signature }))
    }

    fn unsigned(&self, name: &str) -> Result<u64, Rejection> {
        let value = self.0.get(name).ok_or_else(|| missing(name))?;
        value.as_unsigned().ok_or_else(|| mistyped(name, "an unsigned integer"))
    }

    /// A byte string of a fixed size, which may be missing.
    fn bytes<const N: usize>(&self, name: &str) -> Result<Option<[u8; N]>, Rejection> {
        let Some(value) = self.0.get(name) else { return Ok(None) };
        let bytes = value.as_bytes().and_then(|bytes| bytes.try_into().ok());
        bytes.map(Some).ok_or_else(|| mistyped(name, &format!("a byte string of {N} bytes")))
    }

    fn from(&mut self) -> Result<Did, Rejection> {
        did(self.0.remove("from").ok_or_else(|| missing("from"))?).ok_or_else(|| mistyped("from", "a DID"))
    }

    fn to(&mut self) -> Result<Recipients, Rejection> {
        let recipients = match self.0.remove("to").ok_or_else(|| missing("to"))? {
            Value::Array(elements) if elements.is_empty() => None,
            Value::Array(elements) => elements.into_iter().map(did).collect::<Option<_>>().map(Recipients::Many),
            value => did(value).map(Recipients::One),
        };
        recipients.ok_or_else(|| mistyped("to", "a DID, or an array of at least one DID"))
    }

    fn thread_id(&mut self) -> Result<Option<Vec<u8>>, Rejection> {
        match self.0.remove("thread_id") {
            None => Ok(None),
            Some(Value::Bytes(bytes)) => Ok(Some(bytes)),
            Some(_) => Err(mistyped("thread_id", "a byte string")),
        }
    }

    fn ext(&mut self) -> Result<Option<Map>, Rejection> {
        match self.0.remove("ext") {
            None => Ok(None),
            Some(Value::Map(map)) => Ok(Some(map)),
            Some(_) => Err(mistyped("ext", "a map")),
        }
    }
}

fn did(value: Value) -> Option<Did> {
    if let Value::Text(text) = value { Did::from_text(text).ok() } else { None }
}

fn invalid(text: impl Into<String>) -> Rejection {
    Rejection::new(Code::InvalidMessage, text)
}

fn missing(name: &str) -> Rejection {
    invalid(format!("`{name}` is missing"))
}

fn mistyped(name: &str, expected: &str) -> Rejection {
    invalid(format!("`{name}` must be {expected}"))
}
