//! Queries: the page of descriptors that answers a `CAP_QUERY` (sections 6.1 and 6.5).

use std::sync::Arc;

use super::Provider;
use super::access::Access;
use super::cursor::{Cursor, LIFETIME_MS, QueryContext};
use super::invoke::{not_found, visible_name};
use super::refusal::Refusal;
use super::snapshots::Snapshots;
use crate::body::{Body, CapDeclare, CapQuery, Order};
use crate::catalogue::{Catalogue, Published};
use crate::code::Code;
use crate::message::Message;
use crate::name::CapabilityName;
use crate::version::Range;

/// The number of descriptors of a page if the query has no `limit` (decision 11): more than most agents publish, and
/// usually less than 100 kB.
const DEFAULT_LIMIT: u64 = 100;

/// A larger `limit` is treated as this one (decision 11). A page of so many usual descriptors has about [`MAX_BYTES`].
const MAX_LIMIT: u64 = 1000;

/// A page ends before its descriptors have more bytes than this, so that it fits into a message that every carrier
/// accepts. It has one descriptor at least.
const MAX_BYTES: usize = 512 * 1024;

/// Answers a query.
pub(crate) fn answer(
    provider: &Provider,
    snapshots: Result<&Snapshots, Refusal>,
    message: &Message,
    access: Access<'_>,
    now: u64,
) -> Result<CapDeclare, Refusal> {
    let query = read_body(provider, message)?;
    let context = QueryContext {
        caller: access.caller(),
        filter: &query.filter_bytes,
        order: query.order.unwrap_or(Order::NewestFirst),
    };
    // Before the name: an invalid cursor is reported even if the name is unknown (decision 11).
    let cursor = read_cursor(provider, &query, &context, now)?;
    let (catalogue, position) = start(snapshots?, cursor, now)?;
    let name = resolve(provider, &catalogue, access, &query).ok_or_else(not_found)?;
    let versions = Versions::new(catalogue.versions(&name), access, &name, context.order);
    if versions.next_visible(0).is_none() {
        return Err(not_found());
    }
    let versions = versions.in_range(query.filter.version.as_ref());
    let first = versions.next_visible(position);
    let Some(first) = first else {
        return Err(Refusal::new(Code::VersionMismatch, "no version of the capability is in the requested range"));
    };
    let (page, next) = versions.page(first, query.limit.unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT));
    let snapshot = Snapshots::id(&catalogue);
    let write = |position: u64| provider.cursors.write(Cursor { issued: now, snapshot, position }, &context);
    Ok(CapDeclare { capabilities: page, cursor: next.map(write) })
}

fn read_body(provider: &Provider, message: &Message) -> Result<CapQuery, Refusal> {
    match Body::read(message.kind, &message.body, provider.policy.aliases()) {
        Ok(Body::Query(query)) => Ok(query),
        Ok(_) => Err(Refusal::new(Code::BadRequest, "the message is not a query")),
        Err(errors) => Err(Refusal::body(&errors)),
    }
}

/// The cursor of a query, if it has one. It is checked before anything that is published (decision 11).
fn read_cursor(
    provider: &Provider,
    query: &CapQuery,
    context: &QueryContext<'_>,
    now: u64,
) -> Result<Option<Cursor>, Refusal> {
    let Some(text) = &query.cursor else { return Ok(None) };
    let cursor = provider.cursors.read(text, context).filter(|cursor| now <= cursor.issued.saturating_add(LIFETIME_MS));
    cursor.map(Some).ok_or_else(invalid_cursor)
}

/// The snapshot to read, and the index at which the page starts.
fn start(snapshots: &Snapshots, cursor: Option<Cursor>, now: u64) -> Result<(Arc<Catalogue>, u64), Refusal> {
    let Some(cursor) = cursor else { return Ok((snapshots.current(), 0)) };
    Ok((snapshots.find(&cursor.snapshot, now).ok_or_else(invalid_cursor)?, cursor.position))
}

fn invalid_cursor() -> Refusal {
    Refusal::new(Code::BadRequest, "the cursor is invalid, has expired, or belongs to another query")
}

/// The name for which a query asks, if it can be found. `capability` takes precedence over `type`.
fn resolve(provider: &Provider, catalogue: &Catalogue, access: Access<'_>, query: &CapQuery) -> Option<CapabilityName> {
    if let Some(name) = &query.filter.capability {
        return Some(name.clone());
    }
    let text = query.filter.type_alias.as_deref()?;
    provider.policy.aliases().resolve(text).or_else(|| visible_name(catalogue, access, text))
}

/// The versions of a capability in the order of a query, with those that the caller may not invoke.
struct Versions<'a> {
    /// In ascending order.
    published: &'a [Published],
    access: Access<'a>,
    name: &'a CapabilityName,
    order: Order,
}

impl<'a> Versions<'a> {
    const fn new(published: &'a [Published], access: Access<'a>, name: &'a CapabilityName, order: Order) -> Self {
        Self { published, access, name, order }
    }

    /// The versions in a range. They are neighbours, because every comparator is a bound in the order of precedence, so
    /// that two binary searches find them: the cost does not depend on the page.
    fn in_range(self, range: Option<&Range>) -> Self {
        let Some(range) = range else { return self };
        let start = self.published.partition_point(|published| range.is_above(published.version()));
        let end = self.published.partition_point(|published| !range.is_below(published.version()));
        Self { published: self.published.get(start..end).unwrap_or_default(), ..self }
    }

    /// The version at a place in the order of the query.
    fn at(&self, position: u64) -> Option<&'a Published> {
        let position = usize::try_from(position).ok()?;
        match self.order {
            Order::OldestFirst => self.published.get(position),
            Order::NewestFirst => self.published.get(self.published.len().checked_sub(position)?.checked_sub(1)?),
        }
    }

    /// The first place from this one on that has a version which the caller may invoke (decision 10).
    fn next_visible(&self, position: u64) -> Option<u64> {
        (position..)
            .map_while(|position| Some((position, self.at(position)?)))
            .find_map(|(position, published)| self.access.may_use(self.name, published.version()).then_some(position))
    }

    /// The descriptors from a place on, and the place of the next page, if there is one.
    fn page(&self, first: u64, limit: u64) -> (Vec<crate::descriptor::Descriptor>, Option<u64>) {
        let (mut page, mut bytes, mut next) = (Vec::new(), 0, Some(first));
        let mut remaining = limit;
        while let Some((position, published)) = next.and_then(|position| Some((position, self.at(position)?))) {
            bytes += published.size;
            if remaining == 0 || (bytes > MAX_BYTES && !page.is_empty()) {
                return (page, Some(position));
            }
            remaining -= 1;
            page.push(published.descriptor().clone());
            next = self.next_visible(position + 1);
        }
        (page, None)
    }
}
