//! A shop's support desk: it charges an order through the agent `payments`, and asks the agents `pr-reviewer` and `reviewer`
//! to review the change that broke the checkout. Requests are printed instead of sent, and the responses are hard-coded.

#[path = "../../../generated/payments.rs"]
mod payments;
#[path = "../../../generated/pr-reviewer.rs"]
mod pr_reviewer;
#[path = "../../../generated/reviewer.rs"]
mod reviewer;

use capgen::{Capability, InvalidPayload, Payload as _};
use payments::{
    Allocation, AllocationGroup, AllocationGroupRequired, AllocationSeller, AllocationSellerRequired, Card,
    CreatePayment, CreatePaymentRequest, CreatePaymentRequestRequired, CreatePaymentResponse, Money, MoneyRequired,
    PaymentMethod,
};
use pr_reviewer::{
    ReviewPr, ReviewPrRequest, ReviewPrRequestRequired, ReviewPrRequestSeverity, ReviewPrResponse,
    ReviewPrResponseVerdict,
};
use reviewer::{
    Change, ChangeEdited, ReviewChange, ReviewChangeRequest, ReviewChangeRequestRequired, ReviewChangeResponse,
};

const PAID: &str = r#"{"status": "succeeded", "paymentId": "7b0d3f0e-55ba-4e0b-8f0f-0a3c2a7c5f52",
    "settledAt": "2026-03-01T09:30:00Z", "fee": 37}"#;
const REVIEWED: &str = r#"{"verdict": "request-changes", "summary": "The total is computed twice."}"#;
const FOUND: &str = r#"{"verdict": "request-changes", "findings": [
    {"focus": "correctness", "path": "src/total.rs", "line": null, "message": "`unwrap` can end the program: return the error."}]}"#;
/// Invalid in two places: an amount is a whole number, and a currency has three letters.
const BAD_REQUEST: &str = r#"{"idempotencyKey": "8a6e0804-2bd0-4672-b79d-d97027f9071a", "orderId": "SO-2026-000042",
    "amount": {"minorUnits": 12.5, "currency": "EURO"}, "method": {"kind": "card", "token": "tok_4242"}}"#;

#[expect(clippy::print_stdout, reason = "an example prints its results")]
fn main() -> Result<(), InvalidPayload> {
    println!("{}", call::<CreatePayment>(&order())?);
    println!("=> {}\n", outcome(&CreatePaymentResponse::from_json_str(PAID)?));

    let review = ReviewPrRequest::new(ReviewPrRequestRequired {
        pr_url: "https://github.com/example/shop/pull/7".to_owned(),
        severity: ReviewPrRequestSeverity::High,
    });
    println!("{}", call::<ReviewPr>(&review)?);
    println!("=> {}\n", advice(&ReviewPrResponse::from_json_str(REVIEWED)?));

    println!("{}", call::<ReviewChange>(&change())?);
    println!("=> {}\n", report(&ReviewChangeResponse::from_json_str(FOUND)?));

    match CreatePaymentRequest::from_json_str(BAD_REQUEST) {
        Ok(_) => println!("the invalid request was accepted"),
        Err(error) => println!("an invalid request is rejected:\n{error}"),
    }
    Ok(())
}

/// Checks a request and returns the call as text. This works for every capability of every agent: `C::Request` is its type.
fn call<C: Capability>(request: &C::Request) -> Result<String, InvalidPayload> {
    let timeout = C::descriptor().timeout_ms.map_or_else(String::new, |ms| format!(" within {ms} ms"));
    let payload = request.to_json()?;
    Ok(format!(
        "{} of {}{timeout}: {}",
        C::NAME,
        C::descriptor().agent.unwrap_or("?"),
        String::from_utf8_lossy(&payload)
    ))
}

/// 12.50 EUR paid by card and shared between two sellers.
fn order() -> CreatePaymentRequest {
    let seller = |id: &str, basis_points| {
        let seller = AllocationSellerRequired { seller_id: id.to_owned(), basis_points };
        Allocation::Seller(AllocationSeller::new(seller))
    };
    let members = vec![
        seller("0e7f9a51-1b7c-4c8e-9df0-0d6f1f6f7a10", 9_000),
        seller("4d2c7f30-8f0f-4b52-a5a4-6f6f0c1f2b11", 1_000),
    ];
    let group = AllocationGroupRequired { name: "sellers".to_owned(), basis_points: 9_500, members };
    let amount = MoneyRequired { minor_units: 1_250, currency: "EUR".to_owned() };
    let order = CreatePaymentRequest::new(CreatePaymentRequestRequired {
        idempotency_key: "8a6e0804-2bd0-4672-b79d-d97027f9071a".to_owned(),
        amount: Money::new(amount),
        method: PaymentMethod::Card(Card::new("tok_4242")),
        order_id: "SO-2026-000042".to_owned(),
    });
    order.with_allocation(Allocation::Group(AllocationGroup::new(group)))
}

/// A discriminated union is an enum, so the compiler requires every case.
fn outcome(response: &CreatePaymentResponse) -> String {
    match response {
        CreatePaymentResponse::Succeeded(paid) => format!("paid at {}, less a fee of {}", paid.settled_at, paid.fee),
        CreatePaymentResponse::RequiresAction(action) => format!("the customer confirms at {}", action.redirect_url),
        CreatePaymentResponse::Declined(declined) if declined.retryable => format!("try again: {}", declined.code),
        CreatePaymentResponse::Declined(declined) => format!("declined: {}", declined.code),
    }
}

fn advice(response: &<ReviewPr as Capability>::Response) -> String {
    let verdict = match response.verdict {
        ReviewPrResponseVerdict::Approve => "merge it",
        ReviewPrResponseVerdict::RequestChanges => "send it back",
        ReviewPrResponseVerdict::Comment => "read the comments",
    };
    format!("{verdict}: {}", response.summary)
}

/// A request to an agent whose contract is declared in Rust. Callers do not see the difference.
fn change() -> ReviewChangeRequest {
    let edited = ChangeEdited::new("-total()?\n+total().unwrap()");
    let files = [("src/total.rs".to_owned(), Change::Edited(edited))];
    ReviewChangeRequest::new(ReviewChangeRequestRequired {
        repository: "https://github.com/example/shop".to_owned(),
        files: files.into(),
    })
}

fn report(response: &ReviewChangeResponse) -> String {
    let findings = response.findings.iter().map(|finding| format!("{}: {}", finding.path, finding.message));
    findings.collect::<Vec<_>>().join("\n   ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_follows_the_contract_and_reads_back() {
        let text = String::from_utf8(order().to_json().unwrap()).unwrap();
        assert!(text.contains(r#""amount":{"minorUnits":1250,"currency":"EUR"}"#), "{text}");
        assert!(text.contains(r#""method":{"kind":"card","token":"tok_4242"}"#), "{text}");
        assert_eq!(CreatePaymentRequest::from_json_str(&text).unwrap(), order());
    }

    #[test]
    fn the_status_of_a_response_selects_the_variant() {
        for (response, expected) in [
            (PAID, "paid at 2026-03-01T09:30:00Z, less a fee of 37"),
            (r#"{"status": "declined", "code": "expired-card", "retryable": false}"#, "declined: expired-card"),
            (
                r#"{"status": "declined", "code": "provider-unavailable", "retryable": true}"#,
                "try again: provider-unavailable",
            ),
            (
                r#"{"status": "requires-action", "paymentId": "7b0d3f0e-55ba-4e0b-8f0f-0a3c2a7c5f52",
                    "redirectUrl": "https://bank.example/3ds"}"#,
                "the customer confirms at https://bank.example/3ds",
            ),
        ] {
            assert_eq!(outcome(&CreatePaymentResponse::from_json_str(response).unwrap()), expected);
        }
    }

    #[test]
    fn invalid_payloads_are_rejected() {
        for bad in [
            BAD_REQUEST,
            r#"{"idempotencyKey": "", "orderId": "", "amount": null, "method": {"kind": "card", "token": ""}}"#,
            r#"{"idempotencyKey": "", "orderId": "", "method": {"kind": "cash"}}"#,
        ] {
            assert!(CreatePaymentRequest::from_json_str(bad).is_err(), "{bad}");
        }
        assert!(CreatePaymentResponse::from_json_str(r#"{"status": "lost"}"#).is_err());
    }

    #[test]
    fn all_violations_are_reported_at_once() {
        let error = CreatePaymentRequest::from_json_str(BAD_REQUEST).unwrap_err();
        let paths: Vec<&str> = error.violations().iter().map(|violation| violation.path.as_str()).collect();
        assert_eq!(paths, ["/amount/currency", "/amount/minorUnits"]);
    }

    #[test]
    fn a_value_that_violates_the_schema_is_not_sent() {
        let mut order = order();
        order.amount.currency = "euro".to_owned();
        let error = call::<CreatePayment>(&order).unwrap_err();
        assert_eq!(error.violations()[0].path, "/amount/currency");
    }

    #[test]
    fn a_capability_has_the_descriptor_of_its_contract() {
        assert_eq!(CreatePayment::DESCRIPTOR.version, Some("2.1.0"));
        assert_eq!(pr_reviewer::CAPABILITIES, [ReviewPr::DESCRIPTOR]);
        assert_ne!(payments::CONTRACT_HASH, pr_reviewer::CONTRACT_HASH);
    }
}
