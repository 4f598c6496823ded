use capgen::{Capability, Payload};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema, Capability)]
#[capability(response = Review, timeout_ms = 0)]
struct ReviewPr {
    url: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Review {
    summary: String,
}

fn call<C: Capability>(request: &C::Request, answer: &str) -> Option<C::Response> {
    println!("{} {:?} {:?}", C::NAME, C::descriptor(), request.to_json());
    C::Response::from_json_str(answer).ok()
}

fn main() {
    let request = ReviewPr::from_json(b"{}");
    let answer = request.ok().and_then(|request| call::<ReviewPr>(&request, "{}"));
    println!("{:?}", answer.map(|review| review.0.summary));
}
