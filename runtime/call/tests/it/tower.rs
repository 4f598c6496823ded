//! Clients and handlers as services of tower.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::string_slice, reason = "a test fails by panicking")]

use std::time::Duration;

use crate::fixture::{Fixture, manifest};
use capgen::call::tower::{JsonCall, JsonCallError, ServedCall};
use capgen::call::{CallOptions, CallResult, Failure, Handlers, Status};
use serde_json::{Value, json};
use tower::{Service, ServiceBuilder, ServiceExt as _, service_fn};

#[tokio::test]
async fn a_client_and_a_handler_can_be_wrapped_in_layers() {
    let service = ServiceBuilder::new().concurrency_limit(1).service(service_fn(async |call: ServedCall| {
        assert_eq!(call.context.caller(), "concierge");
        Ok::<Value, Failure>(json!({"approved": true, "comment": call.payload["url"]}))
    }));
    let capability = manifest().capabilities.remove(0);
    let fixture = Fixture::start(Handlers::new("reviewer").with_service(&capability, service)).await;
    let call = JsonCall {
        peer: "agent://reviewer".to_owned(),
        capability: "review".to_owned(),
        payload: json!({"url": "x", "depth": 1}),
        options: CallOptions::new(),
    };
    let client = ServiceBuilder::new().timeout(Duration::from_secs(10)).service(fixture.client.clone());
    let result = client.oneshot(call.clone()).await.unwrap();
    assert_eq!((result.status, result.response), (Status::Ok, Some(json!({"approved": true, "comment": "x"}))));

    let mut client: tower::util::BoxCloneService<JsonCall, CallResult, JsonCallError> =
        tower::util::BoxCloneService::new(fixture.client.clone());
    let invalid = JsonCall { payload: json!(1), ..call };
    let JsonCallError(result) = client.ready().await.unwrap().call(invalid).await.unwrap_err();
    assert_eq!(result.status, Status::SchemaViolation);
}
