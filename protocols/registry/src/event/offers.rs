//! Known payloads of registrations, so that equal ones are checked once and share memory.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::sync::Arc;

use super::Offer;
use super::payload_text::SchemaTexts;

/// The limit of remembered payloads, in bytes. States that contain the payloads share them with this table, so it
/// concerns only those that are in no state any more. At least 128 payloads fit, as a registration has at most 256 KiB.
const MAX_REMEMBERED: usize = 32 << 20;

/// Checked payloads.
#[derive(Default, Debug)]
pub(crate) struct Offers {
    /// By the hash of their text. The keys of the hash are random, because payloads come from strangers.
    by_text: HashMap<u64, Arc<Offer>>,
    keys: RandomState,
    bytes: usize,
    schemas: SchemaTexts,
}

impl Offers {
    /// The offer of a payload, by its canonical text.
    pub(crate) fn get(&self, text: &str) -> Option<Arc<Offer>> {
        self.by_text.get(&self.keys.hash_one(text)).filter(|offer| offer.payload.is(text)).cloned()
    }

    /// Remembers an offer, which shares its schemas from now on.
    pub(crate) fn remember(&mut self, mut offer: Offer) -> Arc<Offer> {
        if self.bytes > MAX_REMEMBERED {
            self.by_text = HashMap::new();
            self.bytes = 0;
        }
        offer.payload.share(&mut self.schemas);
        let text = offer.payload.text();
        let offer = Arc::new(offer);
        self.bytes += text.len();
        self.by_text.insert(self.keys.hash_one(&*text), offer.clone());
        offer
    }
}
