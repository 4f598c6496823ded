//! `capgen amp invoke`: one invocation of a capability.

use capgen_amp::body::{CapInvoke, Hints, NameOrType, Target};
use capgen_amp::cbor::{Limits, Value};
use capgen_diagnostic::Diagnostic;
use capgen_schema::ExactPayload;
use capgen_time::{Clock as _, SystemClock};
use serde_json::json;

use super::exchange::{Client, Failed};
use super::{Invoke, runtime};
use crate::amp::input;
use crate::codes;
use crate::console::{self, Console};
use crate::failure::{Failure, RunResult, Verdict};

pub(in crate::amp) fn run(arguments: &Invoke, console: &Console) -> RunResult {
    let Invoke { requester, .. } = arguments;
    let mut client = Client::new(requester, console)?;
    let invoke =
        CapInvoke { target: target(arguments), params: params(arguments)?, timeout_ms: Some(requester.timeout.max(1)) };
    let random = client.random();
    let exchange =
        client.requester.invoke(requester.to.clone(), &invoke, None, requester.timeout, SystemClock.now_ms(), random);
    let result = match runtime()?.block_on(client.answer(exchange)) {
        // As JSON, not as a view of CBOR: an object with the key `$ref` is such an object.
        Ok(answer) => match answer.to_json() {
            Some(result) => result,
            None => return Failed::unexpected().report(requester.json, console),
        },
        Err(failed) => return failed.report(requester.json, console),
    };
    let document = if requester.json { json!({ "result": result }) } else { result };
    console::print_json(&format!("{document}\n"))?;
    Ok(Verdict::Fine)
}

/// The capability, and its version or the hints.
fn target(arguments: &Invoke) -> Target {
    let Invoke { id, capability, type_alias, version, preferred, acceptable, range, .. } = arguments;
    if let Some(id) = id {
        return Target::Id(id.clone());
    }
    let capability = match capability {
        Some(name) => NameOrType::Name(name.clone()),
        None => NameOrType::Type(type_alias.clone().unwrap_or_default()),
    };
    match version {
        Some(version) => Target::Version { capability, version: version.clone() },
        None => {
            let hints = Hints { preferred: preferred.clone(), acceptable: acceptable.clone(), range: range.clone() };
            Target::Negotiate { capability, hints }
        }
    }
}

fn params(arguments: &Invoke) -> Result<Value, Failure> {
    let limit = Limits::default().bytes;
    let bytes = input::read(&arguments.params, limit)?;
    if bytes.len() > limit {
        return Err(input::failed(&arguments.params, &format!("it is longer than {limit} bytes")));
    }
    match ExactPayload::parse(&bytes) {
        Ok(payload) if payload.is_rounded() => {
            Err(input::failed(&arguments.params, "it contains a number that a message cannot represent exactly"))
        }
        Ok(payload) => Ok(Value::from_json(payload.value())),
        Err(error) => {
            let shown = crate::validate::shown_payload(&arguments.params);
            let message = format!("{shown} is not valid JSON: {error}");
            Err(vec![Diagnostic::new(codes::NOT_JSON, message)].into())
        }
    }
}
