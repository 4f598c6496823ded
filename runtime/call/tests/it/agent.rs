//! The trait and the client of an agent: as generated from a contract, and for capabilities that are declared in Rust.

#[path = "../../../../tests/cases/seed/expected/rust-calls/pr-reviewer.rs"]
mod pr_reviewer;

use std::sync::Arc;
use std::time::Duration;

use crate::fixture::{Fixture, Review, Verdict};
use capgen::Checked;
use capgen::call::{CallOptions, Client, Context, Failure, Handlers, MemoryBroker, PeerTable, Server, Status, code};
use capgen_manifest::{AgentId, TransportSettings};
use pr_reviewer::{
    PrReviewer, PrReviewerClient, ReviewPrRequest, ReviewPrRequestRequired, ReviewPrRequestSeverity, ReviewPrResponse,
    ReviewPrResponseRequired, ReviewPrResponseVerdict, pr_reviewer_handlers,
};

struct Careful;

impl PrReviewer for Careful {
    async fn review_pr(&self, context: Context, request: ReviewPrRequest) -> Result<ReviewPrResponse, Failure> {
        match request.severity {
            ReviewPrRequestSeverity::Low => Err(Failure::new("NOT_WORTH_IT", request.pr_url)),
            ReviewPrRequestSeverity::Med => std::future::pending().await,
            ReviewPrRequestSeverity::High => {
                let (verdict, summary) = (ReviewPrResponseVerdict::Comment, format!("for {}", context.caller()));
                Ok(ReviewPrResponse::new(ReviewPrResponseRequired { verdict, summary }))
            }
        }
    }
}

#[allow(clippy::unwrap_used, reason = "a fixture of tests")]
async fn start(agent: &str, handlers: Handlers) -> (Client, Server) {
    let broker = MemoryBroker::new();
    let server = Server::builder(handlers).listen(Arc::new(broker.connect()), "requests").start().await.unwrap();
    let agent = AgentId::new(agent).unwrap();
    let peers = PeerTable::new().with_transports(&agent, vec![TransportSettings::memory("requests")]);
    let client = Client::builder("concierge").transport(Arc::new(broker.connect())).peers(peers);
    (client.build().await.unwrap(), server)
}

#[tokio::test]
async fn a_generated_client_calls_an_implementation_of_the_generated_trait() {
    let (client, _server) = start("pr-reviewer", pr_reviewer_handlers(Careful)).await;
    let client = PrReviewerClient::new(client);
    let request = |severity| {
        ReviewPrRequest::new(ReviewPrRequestRequired { pr_url: "https://example.com/7".to_owned(), severity })
    };
    let response = client.review_pr(&request(ReviewPrRequestSeverity::High)).await.unwrap();
    assert_eq!(response.summary, "for concierge");
    let error = client.review_pr(&request(ReviewPrRequestSeverity::Low)).await.unwrap_err();
    assert_eq!((error.code.as_str(), error.message.as_str()), ("NOT_WORTH_IT", "https://example.com/7"));
    let options = CallOptions::new().timeout(Duration::from_millis(20));
    let error = client.review_pr_with(&request(ReviewPrRequestSeverity::Med), &options).await.unwrap_err();
    assert_eq!((error.status, error.code.as_str()), (Status::Timeout, code::TIMEOUT));
    let hasty = client.with_options(options);
    let error = hasty.clone().review_pr(&request(ReviewPrRequestSeverity::Med)).await.unwrap_err();
    assert_eq!((error.status, error.code.as_str()), (Status::Timeout, code::TIMEOUT));
}

capgen::agent! {
    /// Reviews pages.
    pub(crate) trait Reviewer = "reviewer", handlers reviewer_handlers, client ReviewerClient {
        /// Review a page.
        fn review(Review), options review_with;
    }
}

struct Strict;

impl Reviewer for Strict {
    async fn review(&self, _: Context, request: Review) -> Result<Checked<Verdict>, Failure> {
        Ok(Checked(Verdict { approved: false, comment: request.url }))
    }
}

#[tokio::test]
async fn the_client_of_a_declared_agent_calls_an_implementation_of_its_trait() {
    let fixture = Fixture::start(reviewer_handlers(Strict)).await;
    let client = ReviewerClient::new(fixture.client.clone());
    let request = Review { url: "https://example.com/7".to_owned(), depth: 3 };
    let Checked(verdict) = client.review(&request).await.unwrap();
    assert_eq!(verdict, Verdict { approved: false, comment: request.url.clone() });
    let options = CallOptions::new().timeout(Duration::from_secs(1));
    assert!(client.review_with(&request, &options).await.is_ok());
    let client = client.with_options(options);
    assert!(client.review(&request).await.is_ok());
    let invalid = Review { url: String::new(), depth: 30 };
    assert_eq!(client.review(&invalid).await.unwrap_err().status, Status::SchemaViolation);
    assert_eq!(fixture.published(), 3);
    let elsewhere = client.with_options(CallOptions::new().peer("other"));
    assert_eq!(elsewhere.review(&request).await.unwrap_err().code, code::NO_PEER);
}

#[test]
fn handlers_of_derived_types_have_the_order_and_the_descriptions_of_properties() {
    let capabilities = crate::fixture::handlers().capabilities().unwrap();
    let source = capabilities[0].input.as_ref().unwrap().source();
    let names: Vec<&str> =
        source.get("properties").and_then(|it| it.as_object()).unwrap().iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["url", "depth"]);
    let loose = capgen::call::Handlers::new("a").with_loose("say", async |_, payload| Ok(payload));
    assert_eq!(loose.capabilities().unwrap()[0].name, "say");
}
