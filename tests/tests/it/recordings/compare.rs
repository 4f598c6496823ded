//! Whether peers of today behave as the recorded ones did.
//!
//! Every member of a message, an error and an outcome is equal, with these exceptions, which old peers do not notice:
//!
//! - ids and random parts of traces differ
//! - there may be more headers whose names start with `capgen-`, and more members in the payload of an error
//! - messages differ if the code is one of the protocol; the message of a handler's failure is the handler's own
//! - `EVERSION_SKEW` may be retryable: the same call may reach another version of the provider
//!
//! Everything else that differs on purpose is a row of `differences.rs`.

use serde_json::{Map, Value, json};

use super::wire::is_error;

/// The difference between a recorded value and one of today, if it matters.
pub(crate) type Compared = Result<(), String>;

fn equal(place: &str, recorded: &Value, now: &Value) -> Compared {
    if recorded == now { Ok(()) } else { Err(format!("{place}: {recorded} was recorded, and now it is {now}")) }
}

/// Compares the members of two objects by a rule, except some that are compared elsewhere.
fn members(
    place: &str,
    [recorded, now]: [&Value; 2],
    except: &[&str],
    rule: impl Fn(&str, &Value, &Value) -> Compared,
) -> Compared {
    let empty = Map::new();
    let [recorded, now] = [recorded, now].map(|value| value.as_object().unwrap_or(&empty));
    for name in recorded.keys().filter(|name| !except.contains(&name.as_str())) {
        rule(&format!("{place}/{name}"), &recorded[name], now.get(name).unwrap_or(&Value::Null))?;
    }
    Ok(())
}

/// Whether there are no other members.
fn no_more(place: &str, recorded: &Value, now: &Value, may_be_new: impl Fn(&str) -> bool) -> Compared {
    let names = now.as_object().into_iter().flat_map(Map::keys);
    match names.into_iter().find(|name| recorded.get(name.as_str()).is_none() && !may_be_new(name)) {
        Some(name) => Err(format!("{place}/{name}: it is new, and has the value {}", now[name])),
        None => Ok(()),
    }
}

/// Whether a code belongs to the protocol. Then programs use the code, and not the message beside it.
fn is_of_protocol(code: &Value) -> bool {
    code.as_str().is_some_and(|code| code.starts_with("EAGENTRPC_") || code == "EVERSION_SKEW")
}

/// The message of an error, which is equal if a handler wrote it.
fn message(place: &str, code: &Value, recorded: &Value, now: &Value) -> Compared {
    if !is_of_protocol(code) {
        return equal(place, recorded, now);
    }
    if now.is_string() { Ok(()) } else { Err(format!("{place}: there is no text")) }
}

/// The finding of contracts that differ. Its message and its help may be written in another way.
fn finding(place: &str, recorded: &Value, now: &Value) -> Compared {
    members(place, [recorded, now], &["message", "help"], equal)
}

/// Whether the same call may succeed later, by the default of old callers if a provider does not state it.
fn is_retryable(error: &Value) -> bool {
    let by_default = ["TIMEOUT", "ABANDONED", "BUSY", "NO_PEER"].map(|code| format!("EAGENTRPC_{code}"));
    let code = error["code"].as_str().unwrap_or_default();
    error["retryable"].as_bool().unwrap_or_else(|| by_default.iter().any(|other| other == code))
}

fn retryable(place: &str, [recorded, now]: [&Value; 2], read: impl Fn(&Value) -> Value) -> Compared {
    let may_be = recorded["code"] == json!("EVERSION_SKEW") || now["code"] == json!("EVERSION_SKEW");
    if may_be { Ok(()) } else { equal(place, &read(recorded), &read(now)) }
}

fn error(place: &str, recorded: &Value, now: &Value) -> Compared {
    members(place, [recorded, now], &["message", "finding", "retryable"], equal)?;
    message(&format!("{place}/message"), &recorded["code"], &recorded["message"], &now["message"])?;
    retryable(&format!("{place}/retryable"), [recorded, now], |error| is_retryable(error).into())?;
    finding(&format!("{place}/finding"), &recorded["finding"], &now["finding"])
}

/// Compares responses.
fn response(place: &str, recorded: &Value, now: &Value) -> Compared {
    members(place, [recorded, now], &["headers", "payload"], equal)?;
    no_more(place, recorded, now, |name| name == "headers")?;
    let (headers, place_of_headers) = ([&recorded["headers"], &now["headers"]], format!("{place}/headers"));
    members(&place_of_headers, headers, &[], equal)?;
    // Old callers send the request again if an error has `capgen-needs`, and `capgen-status` is `ok` by default.
    let may_be_new = |name: &str| match name {
        "capgen-status" => now["headers"][name] == json!("ok"),
        "capgen-needs" => !is_error(now),
        name => name.starts_with("capgen-"),
    };
    no_more(&place_of_headers, headers[0], headers[1], may_be_new)?;
    let compare = if is_error(recorded) { error } else { equal };
    compare(&format!("{place}/payload"), &recorded["payload"], &now["payload"])
}

/// Compares the results of a provider: its answers, and the payloads that reached its handler.
pub(crate) fn provided(recorded: &Value, now: &Value) -> Compared {
    let [answers, answers_now] = [recorded, now].map(|result| result["answers"].as_array().unwrap());
    for (index, (recorded, now)) in answers.iter().zip(answers_now).enumerate() {
        let place = format!("/answers/{index}");
        let compare = if recorded.is_null() || now.is_null() { equal } else { response };
        compare(&place, recorded, now)?;
    }
    equal("/handled", &recorded["handled"], &now["handled"])
}

/// Compares the outcomes of a caller.
pub(crate) fn called(recorded: &Value, now: &Value) -> Compared {
    let [outcomes, outcomes_now] = [recorded, now].map(|result| result["outcomes"].as_array().unwrap());
    for (index, (recorded, now)) in outcomes.iter().zip(outcomes_now).enumerate() {
        let place = format!("/outcomes/{index}");
        members(&place, [recorded, now], &["message", "finding", "retryable"], equal)?;
        no_more(&place, recorded, now, |_| false)?;
        message(&format!("{place}/message"), &recorded["code"], &recorded["message"], &now["message"]).or_else(
            |error| if recorded.get("message").is_none() && now.get("message").is_none() { Ok(()) } else { Err(error) },
        )?;
        retryable(&format!("{place}/retryable"), [recorded, now], |outcome| outcome["retryable"].clone())?;
        finding(&format!("{place}/finding"), &recorded["finding"], &now["finding"])?;
    }
    Ok(())
}

/// Compares the deadlines of requests. The rest of the time of another call depends on the time that passed.
fn deadline(recorded: &Value, now: &Value) -> Compared {
    let [then, later] = [recorded, now].map(|request| request["deadline"].as_u64());
    match (then, later) {
        (Some(then), Some(later)) if recorded["causedBy"].is_string() && later <= then && then - later < 1000 => Ok(()),
        _ => equal("/deadline", &recorded["deadline"], &now["deadline"]),
    }
}

/// Compares requests.
pub(crate) fn request(recorded: &Value, now: &Value) -> Compared {
    members("", [recorded, now], &["correlationId", "replyTo", "headers", "deadline"], equal)?;
    deadline(recorded, now)?;
    no_more("", recorded, now, |name| name == "headers")?;
    equal("/replyTo", &recorded["replyTo"].is_string().into(), &now["replyTo"].is_string().into())?;
    let headers = [&recorded["headers"], &now["headers"]];
    no_more("/headers", headers[0], headers[1], |name| name.starts_with("capgen-"))?;
    members("/headers", headers, &[], |place, recorded_value, value| match place {
        "/headers/traceparent" => {
            let form = |value: &Value| value.as_str().unwrap_or_default().split('-').map(str::len).collect::<Vec<_>>();
            equal(place, &form(recorded_value).into(), &form(value).into())
        }
        // The client's own key is the `correlationId`.
        "/headers/idempotency-key" if *recorded_value == recorded["correlationId"] => {
            equal(place, &now["correlationId"], value)
        }
        "/headers/capgen-descriptor" => {
            let read = |value: &Value| serde_json::from_str(value.as_str().unwrap_or_default()).unwrap_or(Value::Null);
            equal(place, &read(recorded_value), &read(value))
        }
        // Such names belong to the protocol: a client may leave out what its user sets.
        place if place.starts_with("/headers/capgen-") && *recorded_value == json!("of the user") => Ok(()),
        place => equal(place, recorded_value, value),
    })
}

#[test]
fn changes_that_old_peers_notice_are_found() {
    let ok = json!({"kind": "response", "correlationId": "c", "payload": 1});
    let failed = json!({
        "kind": "response", "correlationId": "c", "headers": {"capgen-status": "error"},
        "payload": {"code": "EAGENTRPC_BUSY", "message": "m"},
    });
    let changed = |value: &Value, pointer: &str, new: Value| {
        let mut value = value.clone();
        super::differences::set(&mut value, pointer, Some(new));
        value
    };
    for (recorded, pointer, new, is_allowed) in [
        (&ok, "/headers", json!({"capgen-skew": "{}", "capgen-status": "ok", "capgen-needs": "descriptor"}), true),
        (&ok, "/headers", json!({"x": "y"}), false),
        (&ok, "/headers", json!({"capgen-status": "error"}), false),
        (&ok, "/payload", json!(2), false),
        (&ok, "/instance", json!("i"), false),
        (&ok, "/correlationId", json!("d"), false),
        (&failed, "/payload/effect", json!("none"), true),
        (&failed, "/payload/message", json!("another"), true),
        (&failed, "/payload/message", json!(1), false),
        (&failed, "/payload/retryable", json!(true), true),
        (&failed, "/payload/retryable", json!(false), false),
        (&failed, "/payload/code", json!("EAGENTRPC_LIMIT"), false),
        (&failed, "/headers/capgen-needs", json!("descriptor"), false),
    ] {
        let now = changed(recorded, pointer, new);
        assert_eq!(response("", recorded, &now).is_ok(), is_allowed, "{now}");
    }
    let own = changed(&failed, "/payload/code", json!("NOT_FOUND"));
    assert!(response("", &own, &changed(&own, "/payload/message", json!("another"))).is_err());
}
