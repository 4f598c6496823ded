//! `capgen amp query`: the descriptors of a provider.

use capgen_amp::body::{CapDeclare, CapQuery, Filter};
use capgen_amp::descriptor::Descriptor;
use capgen_amp::requester::Answer;
use capgen_time::{Clock as _, SystemClock};
use serde_json::json;

use super::exchange::{Client, Failed};
use super::{Query, runtime};
use crate::console::{self, Console};
use crate::failure::{RunResult, Verdict};

/// The most descriptors that are read: a provider could return pages without end. More are an error, as a part would
/// look complete.
const MAX_DESCRIPTORS: usize = 100_000;

pub(in crate::amp) fn run(arguments: &Query, console: &Console) -> RunResult {
    let mut client = Client::new(&arguments.requester, console)?;
    let json = arguments.requester.json;
    let descriptors = match runtime()?.block_on(pages(arguments, &mut client)) {
        Ok(descriptors) => descriptors,
        Err(failed) => return failed.report(json, console),
    };
    if json {
        let all: Vec<_> = descriptors.iter().map(|descriptor| descriptor.to_value().to_diagnostic()).collect();
        console::print_json(&format!("{}\n", json!({ "capabilities": all })))?;
    } else {
        let ids: Vec<_> = descriptors.iter().map(|descriptor| format!("{}\n", descriptor.id)).collect();
        console::print(&ids.concat())?;
    }
    Ok(Verdict::Fine)
}

/// The descriptors of all pages.
async fn pages(arguments: &Query, client: &mut Client<'_>) -> Result<Vec<Descriptor>, Failed> {
    let Query { requester, capability, type_alias, version, limit, order } = arguments;
    let filter = Filter { capability: capability.clone(), type_alias: type_alias.clone(), version: version.clone() };
    let mut query = CapQuery { limit: *limit, order: *order, ..CapQuery::new(filter) };
    let mut descriptors = Vec::new();
    loop {
        let random = client.random();
        let exchange =
            client.requester.query(requester.to.clone(), &query, requester.timeout, SystemClock.now_ms(), random);
        let Answer::Declared(CapDeclare { capabilities, cursor }) = client.answer(exchange).await? else {
            return Err(Failed::unexpected());
        };
        let is_asked = |descriptor: &Descriptor| capability.as_ref().is_none_or(|name| descriptor.id.name == *name);
        if !capabilities.iter().all(is_asked) {
            return Err(Failed::bad_answer("a descriptor is of another capability"));
        }
        descriptors.extend(capabilities);
        if cursor.is_some() && cursor == query.cursor {
            return Err(Failed::bad_answer("a page has the cursor of the page before it"));
        }
        if cursor.is_some() && descriptors.len() >= MAX_DESCRIPTORS {
            return Err(Failed::bad_answer(&format!("there are more than {MAX_DESCRIPTORS} descriptors")));
        }
        query.cursor = cursor;
        if query.cursor.is_none() {
            return Ok(descriptors);
        }
    }
}
