//! JSON Web Tokens ([RFC 7519](https://www.rfc-editor.org/rfc/rfc7519)) of requests, verified by the keys of their
//! issuers. Programs use it as `capgen::identity`, with the feature `jwt`.
//!
//! The rules are those of [RFC 8725](https://www.rfc-editor.org/rfc/rfc8725) and
//! [RFC 9068](https://www.rfc-editor.org/rfc/rfc9068): the algorithm is one of a list, and that of the key; the issuer,
//! the audience and the expiry are required; and no key comes from the token. Tokens are in no error and no log.
//!
//! ```no_run
//! # async fn example(keys: capgen_call::Keys, handlers: capgen_call::Handlers) -> Result<(), Box<dyn std::error::Error>> {
//! use std::sync::Arc;
//! use capgen_call::{MemoryBroker, Server};
//! use capgen_identity::{HttpsJwks, Issuer, JwtVerifier};
//!
//! let jwks = HttpsJwks::new("https://login.example.com/jwks.json")?;
//! let tokens = JwtVerifier::new("trips").issuer(Issuer::new("https://login.example.com", jwks));
//! let server = Server::builder(handlers).listen(MemoryBroker::new().connect(), "agents.trips");
//! let server = server.keys(keys).tokens(Arc::new(tokens)).start().await?;
//! # Ok(())
//! # }
//! ```
//!
//! # Reading order
//!
//! For contributors. `key.rs` is a key of an issuer and the check of a signature, and `jwks.rs` reads a set of them.
//! `token.rs` splits a token, and `claims.rs` checks its statements. `fetch.rs` is the trait of the sources of sets,
//! and `https.rs` gets one over HTTPS; `cache.rs` keeps it. `verifier.rs` puts them together.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod cache;
mod claims;
mod fetch;
#[cfg(feature = "https")]
mod https;
mod jwks;
mod key;
mod token;
mod verifier;

pub use fetch::{FetchError, FetchJwks, MAX_JWKS};
#[cfg(feature = "https")]
pub use https::{HttpsJwks, InvalidJwksUrl};
pub use key::Algorithm;
pub use verifier::{Issuer, JwtVerifier};
