//! The types of generated Rust as a program uses them: their traits, and each type as a payload of its own.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Debug;
use std::hash::Hash;

use capgen::{NotInEnum, Payload};
use serde_json::json;

#[path = "../../cases/externally-tagged/expected/rust/externally-tagged.rs"]
mod externally_tagged;
#[path = "../../cases/odd-names/expected/rust/odd-names.rs"]
mod odd_names;
#[path = "../../cases/optional-and-nullable/expected/rust/optional-and-nullable.rs"]
mod optional_and_nullable;
#[path = "../../../generated/payments.rs"]
mod payments;

use payments::{
    Card, CreatePaymentRequest, CreatePaymentResponse, CreatePaymentResponseDeclined, Money, PaymentMethod,
    RefundPaymentRequestReason as Reason,
};

fn price(minor_units: u64, currency: &str) -> Money {
    Money::new(payments::MoneyRequired { minor_units, currency: currency.to_owned() })
}

fn has_eq_and_hash<T: Eq + Hash>() {}

#[test]
fn types_without_numbers_are_keys_of_hash_maps() {
    has_eq_and_hash::<PaymentMethod>();
    has_eq_and_hash::<payments::Allocation>();
    has_eq_and_hash::<payments::RefundPaymentRequest>();
    let prices = HashSet::from([price(5, "EUR"), price(5, "EUR"), price(5, "USD")]);
    assert_eq!(prices.len(), 2);
}

#[test]
fn enums_convert_from_and_to_strings() {
    assert_eq!("duplicate".parse(), Ok(Reason::Duplicate));
    assert_eq!(Reason::try_from("fraud"), Ok(Reason::Fraud));
    assert_eq!((Reason::Fraud.as_ref(), Reason::Fraud.to_string()), ("fraud", "fraud".to_owned()));
    let error: NotInEnum = Reason::try_from("other").unwrap_err();
    let listed = r#"value not in enum ["customer-request","duplicate","fraud","goods-damaged"]"#;
    assert_eq!(error.to_string(), listed);
}

#[test]
fn enums_are_ordered_as_in_the_schema() {
    let reasons: BTreeSet<Reason> = Reason::all().iter().rev().copied().collect();
    assert_eq!(reasons.into_iter().collect::<Vec<_>>(), Reason::all());
    assert!(Reason::CustomerRequest < Reason::Duplicate);
}

#[test]
fn variants_and_newtypes_convert_from_their_payloads() {
    let card = Card::new("tok_12345678");
    assert_eq!(PaymentMethod::from(card.clone()), PaymentMethod::Card(card));
}

#[test]
fn optional_properties_are_set_after_new() {
    let required = payments::RefundPaymentRequestRequired {
        idempotency_key: "key".to_owned(),
        payment_id: "payment".to_owned(),
        reason: Reason::Fraud,
    };
    let refund = payments::RefundPaymentRequest::new(required).with_minor_units(5).with_note("why");
    assert_eq!((refund.minor_units, refund.note.as_deref()), (Some(5), Some("why")));
    // `null` is a value, so these setters take an `Option`.
    let required = optional_and_nullable::UpdateRequestRequired { required: "x".to_owned(), nullable: None };
    let update = optional_and_nullable::UpdateRequest::new(required)
        .with_optional_nullable(None)
        .with_pydantic(Some("y".into()));
    assert_eq!((update.optional_nullable, update.pydantic), (Some(None), Some(Some("y".to_owned()))));
    let required = odd_names::N2ndTryOfItRequestRequired {
        class: "class".to_owned(),
        index: "index".to_owned(),
        proto: "proto".to_owned(),
    };
    let odd = odd_names::N2ndTryOfItRequest::new(required).with_type("t").with_self("s").with_reader("r");
    assert_eq!((odd.r#type.as_deref(), odd.self_.as_deref(), odd.reader.as_deref()), (Some("t"), Some("s"), Some("r")));
}

fn rejected<T: Payload + Debug>(json: &str) -> Vec<String> {
    let error = T::from_json(json.as_bytes()).unwrap_err();
    error.violations().iter().map(|violation| format!("{}: {}", violation.path, violation.message)).collect()
}

#[test]
fn a_nested_type_is_read_and_validated_alone() {
    let money = Money::from_json(br#"{"minorUnits": 1250, "currency": "EUR"}"#).unwrap();
    assert_eq!(money, price(1250, "EUR"));
    assert_eq!(money.to_json().unwrap(), br#"{"minorUnits":1250,"currency":"EUR"}"#);
    assert_eq!(
        rejected::<Money>(r#"{"minorUnits": 0, "currency": "euro"}"#),
        [r#"/currency: must match the pattern "^[A-Z]{3}$", got "euro""#, "/minorUnits: must be greater than 0, got 0"]
    );
    let wrong = price(0, "EUR").validate().unwrap_err();
    assert_eq!(wrong.to_string(), "/minorUnits: must be greater than 0, got 0");
    assert!(Money::validator().unwrap().is_valid(&json!({"minorUnits": 1, "currency": "EUR"})));
}

#[test]
fn enums_and_branches_are_payloads() {
    assert_eq!(Reason::from_json(br#""fraud""#).unwrap(), Reason::Fraud);
    assert_eq!(
        rejected::<Reason>("1"),
        [r#": value not in enum ["customer-request","duplicate","fraud","goods-damaged"]"#]
    );
    assert_eq!(
        rejected::<CreatePaymentResponseDeclined>(r#"{"status": "declined", "retryable": 1}"#),
        ["/code: missing required property \"code\"", "/retryable: expected boolean, got integer"]
    );
    // The branch alone, not the union that contains it.
    let other = r#"{"status": "requires-action", "paymentId": "a", "redirectUrl": "b"}"#;
    assert!(!rejected::<CreatePaymentResponseDeclined>(other).is_empty());
    assert!(
        CreatePaymentResponse::from_json(br#"{"status": "declined", "code": "expired-card", "retryable": true}"#)
            .is_ok()
    );
}

#[derive(Debug, serde::Deserialize)]
struct Invoice {
    #[expect(dead_code, reason = "only read")]
    total: Money,
}

#[derive(Debug, serde::Deserialize)]
struct Loose {
    #[expect(dead_code, reason = "only read")]
    left: externally_tagged::DrawResponseEitherLeft,
}

#[test]
fn types_read_through_serde_report_where_they_are_wrong() {
    let error = serde_json::from_str::<Money>(r#"{"minorUnits": 0, "currency": "EUR"}"#).unwrap_err().to_string();
    assert!(error.starts_with("/minorUnits: must be greater than 0"), "{error}");
    let error = serde_json::from_str::<Invoice>(r#"{"total": {"minorUnits": 1, "currency": "euro"}}"#).unwrap_err();
    assert!(error.to_string().starts_with(r#"/currency: must match the pattern "^[A-Z]{3}$""#), "{error}");
    assert!(!error.to_string().contains("euro"), "{error}");
    let error = serde_json::from_str::<CreatePaymentRequest>("{}").unwrap_err().to_string();
    assert!(error.contains("/orderId: missing required property") && error.contains("/amount: missing"), "{error}");
}

#[test]
fn types_without_a_schema_of_their_own_report_the_first_mistake() {
    let error = serde_json::from_str::<Loose>(r#"{"left": {"left": 1, "note": "x"}}"#).unwrap_err().to_string();
    assert!(error.starts_with("/left: "), "{error}");
}

/// Every bound of the schema is exact, although the generated code compares binary64s.
#[test]
fn exclusive_bounds_are_exact() {
    let request = |rate: &str| {
        let json = format!(
            r#"{{"idempotencyKey": "123e4567-e89b-12d3-a456-426614174000", "amount": {{"minorUnits": 1, "currency": "EUR"}},
                "method": {{"kind": "card", "token": "tok_12345678"}}, "orderId": "SO-2026-000042", "discountRate": {rate}}}"#
        );
        CreatePaymentRequest::from_json_str(&json).map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(request("0"), Ok(()));
    assert_eq!(request("0.9999999999999999"), Ok(()));
    assert_eq!(request("1"), Err("/discountRate: must be less than 1, got 1".to_owned()));
    assert_eq!(request("1.0"), Err("/discountRate: must be less than 1, got 1".to_owned()));
}
