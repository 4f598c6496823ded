//! The patterns that replace formats are equivalent to the formats.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use capgen_schema::{Format, Json, Schema, Validator, normalise};
use proptest::prelude::*;
use serde_json::json;

fn validator(format: &str) -> Validator {
    let output = normalise(&Json::try_from(&json!({"type": "string", "format": format})).unwrap()).unwrap();
    let schema = Schema::parse(&output).unwrap();
    assert!(schema.warnings().is_empty(), "{:?}", schema.warnings());
    Validator::new(&schema)
}

#[test]
fn dates_are_the_dates_of_date_times() {
    let validator = validator("date");
    let check = |date: &str| {
        let begins = Format::DateTime.accepts(&format!("{date}T00:00:00Z"));
        assert_eq!(validator.is_valid(&json!(date)), begins, "{date}");
    };
    for year in (0..10_000).filter(|year| year % 100 < 9 || year % 97 == 0 || year % 4 == 0) {
        check(&format!("{year:04}-02-29"));
    }
    for month in 0..=13 {
        for day in 0..=32 {
            check(&format!("2023-{month:02}-{day:02}"));
            check(&format!("2024-{month:02}-{day:02}"));
        }
    }
    for other in ["", "2024-1-1", "2024-01-01 ", "2024-01-01\n", "24-01-01", "+2024-01-01", "2024/01/01", "２024-01-01"]
    {
        check(other);
    }
}

/// Valid addresses, and texts that are nearly valid.
fn address() -> impl Strategy<Value = String> {
    let octet = prop_oneof!["[0-9]{1,3}", "25[0-9]", "0[0-9]", Just("0".to_owned())];
    let v4 = prop::collection::vec(octet, 3..=5).prop_map(|octets| octets.join("."));
    let group = prop_oneof![4 => "[0-9a-fA-F]{1,4}", 1 => "[0-9a-g]{0,5}"];
    let groups = (0..9_usize).prop_flat_map(move |most| prop::collection::vec(group.clone(), 0..=most));
    let v6 = (groups.clone(), prop::option::of(groups), prop::option::of(v4.clone())).prop_map(|(head, tail, v4)| {
        let mut text = head.join(":");
        if let Some(tail) = tail {
            text.push_str("::");
            text.push_str(&tail.join(":"));
        }
        match v4 {
            Some(v4) if text.is_empty() || text.ends_with(':') => text + &v4,
            Some(v4) => text + ":" + &v4,
            None => text,
        }
    });
    let exact = any::<[u16; 8]>().prop_map(|groups| Ipv6Addr::from(groups).to_string());
    let sparse = prop::collection::vec(prop_oneof![Just(0_u16), Just(0), any::<u16>()], 8)
        .prop_map(|groups| Ipv6Addr::from(<[u16; 8]>::try_from(groups).unwrap()).to_string());
    prop_oneof![v4, v6, exact, sparse, "[0-9a-f:.]{0,20}"]
}

#[test]
fn addresses_are_those_that_the_standard_library_parses() {
    let (v4, v6, ip) = (validator("ipv4"), validator("ipv6"), validator("ip"));
    let check = |text: &str| {
        let value = json!(text);
        assert_eq!(v4.is_valid(&value), text.parse::<Ipv4Addr>().is_ok(), "ipv4 {text:?}");
        assert_eq!(v6.is_valid(&value), text.parse::<Ipv6Addr>().is_ok(), "ipv6 {text:?}");
        assert_eq!(ip.is_valid(&value), text.parse::<IpAddr>().is_ok(), "ip {text:?}");
    };
    for text in
        ["", "::", "::1", "1::", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1:2:3:4:5:6:7::8", "1:2:3:4:5:6:1.2.3.4"]
    {
        check(text);
    }
    for text in ["::1.2.3.4", "1.2.3.4::", "1::1.2.3.4", "fe80::1%eth0", "1::2::3", ":::", "1.2.3.4\n", "01.2.3.4"] {
        check(text);
    }
    proptest!(ProptestConfig::with_cases(20_000), |(text in address())| check(&text));
}
