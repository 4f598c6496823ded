//! `CAP_QUERY`.

use crate::cbor::{Map, Value, encode};
use crate::name::CapabilityName;
use crate::reader::{BodyError, Reader};
use crate::version::Range;

/// The body of a `CAP_QUERY` (section 6.4).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CapQuery {
    /// The descriptors that are wanted.
    pub filter: Filter,
    /// The encoding of `filter` as received, with its unknown keys. Cursors are bound to it (decision 11).
    pub filter_bytes: Vec<u8>,
    /// The maximum number of descriptors of a page; at least 1.
    pub limit: Option<u64>,
    /// The cursor of a previous page.
    pub cursor: Option<String>,
    /// The order; absent means [`Order::NewestFirst`].
    pub order: Option<Order>,
}

/// The filter of a query (section 6.1).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Filter {
    /// The capability. If it is absent, there is a type.
    pub capability: Option<CapabilityName>,
    /// `type`: the legacy name of the capability, which is used only without `capability` (section 6.1). Any text.
    pub type_alias: Option<String>,
    /// The versions that are wanted; absent means all.
    pub version: Option<Range>,
}

/// The order of the descriptors of a query (section 6.5). The names are always in ascending order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Order {
    /// `newest-first`: versions in descending order of precedence.
    #[default]
    NewestFirst,
    /// `oldest-first`: versions in ascending order of precedence.
    OldestFirst,
}

impl Order {
    /// Both orders.
    pub const ALL: [Self; 2] = [Self::NewestFirst, Self::OldestFirst];

    /// `newest-first` or `oldest-first`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NewestFirst => "newest-first",
            Self::OldestFirst => "oldest-first",
        }
    }
}

impl Filter {
    /// The CBOR map.
    #[must_use]
    pub fn to_map(&self) -> Map {
        let texts = [
            ("capability", self.capability.as_ref().map(CapabilityName::as_str)),
            ("type", self.type_alias.as_deref()),
            ("version", self.version.as_ref().map(Range::as_str)),
        ];
        let mut map = Map::new();
        for (key, text) in texts {
            if let Some(text) = text {
                map.insert(key, text);
            }
        }
        map
    }

    fn read<'v>(reader: &mut Reader<'v>, value: &'v Value) -> Option<Self> {
        let map = reader.map(value)?;
        let capability = reader.optional(map, "capability", Reader::parsed);
        // `type` is not examined beside `capability`, whatever it is (decision 21).
        let is_named = map.get("capability").is_some();
        let type_alias = match map.get("type") {
            Some(other) if is_named => other.as_text().map(str::to_owned),
            _ => reader.optional(map, "type", Reader::string),
        };
        if !is_named && map.get("type").is_none() {
            reader.report("expected `capability` or `type`");
        }
        let version = reader.optional(map, "version", Reader::parsed);
        Some(Self { capability, type_alias, version })
    }
}

impl CapQuery {
    /// A query without options.
    #[must_use]
    pub fn new(filter: Filter) -> Self {
        let filter_bytes = encode(&filter.to_map().into());
        Self { filter, filter_bytes, limit: None, cursor: None, order: None }
    }

    /// Reads a body.
    ///
    /// # Errors
    ///
    /// All violations of the CDDL, and a `limit` of 0 (decision 11); of more than 100, the first 100.
    pub fn read(body: &Value) -> Result<Self, Vec<BodyError>> {
        Reader::read(body, |reader, body| {
            let map = reader.map(body)?;
            let filter = reader.required(map, "filter", Filter::read);
            let limit = reader.optional(map, "limit", Reader::positive);
            let cursor = reader.optional(map, "cursor", Reader::string);
            let orders = Order::ALL.map(|order| (order.name(), order));
            let order = reader.optional(map, "order", |reader, value| reader.one_of(value, &orders));
            Some(Self { filter: filter?, filter_bytes: map.get("filter").map(encode)?, limit, cursor, order })
        })
    }

    /// The CBOR map. Its filter is written from `filter`, without unknown keys.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let Self { filter, filter_bytes: _, limit, cursor, order } = self;
        let mut map = Map::new();
        map.insert("filter", filter.to_map());
        if let Some(limit) = limit {
            map.insert("limit", *limit);
        }
        if let Some(cursor) = cursor {
            map.insert("cursor", cursor.as_str());
        }
        if let Some(order) = order {
            map.insert("order", order.name());
        }
        map.into()
    }
}
