//! Definitions with the same name in several schemas of a contract.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use crate::common::short;
use capgen_manifest::{Definitions, Source, load};

const HEAD: &str = "version: 1\nagent: agent://a\ntransports: [{kind: memory, topics: {requests: r}}]\n";

#[test]
fn definitions_of_one_name_that_differ_are_a_warning_at_both_places() {
    let text = format!(
        r##"{HEAD}capabilities:
  - name: create-payment
    inputSchema:
      $ref: "#/definitions/Order"
      definitions:
        Order: {{ items: {{ $ref: "#/definitions/Money" }} }}
        Money: {{ type: integer, description: Cents. }}
  - name: list-payments
    inputSchema:
      $ref: "#/definitions/Money"
      definitions:
        Money: {{ description: The amount., type: integer }}
    outputSchema:
      $ref: "#/definitions/Order"
      definitions:
        Order: {{ items: {{ $ref: "#/definitions/Money" }} }}
        Money: {{ type: number }}
"##
    );
    let contract = load(&Source::new("capabilities.yaml", text)).unwrap();
    assert_eq!(
        short(&contract.warnings),
        "W0202 19:9 definitions with the name `Order` differ\n  19: equal, but refers to definitions that differ\n  \
         9: the other definition\n  at: capability `list-payments`, outputSchema, /definitions/Order\n  \
         help: make them equal, or rename one; otherwise the name of each generated type starts with the capability and the side\n\
         W0202 20:9 definitions with the name `Money` differ\n  20: differs from the other\n  10: the other definition\n  \
         at: capability `list-payments`, outputSchema, /definitions/Money\n  \
         help: make them equal, or rename one; otherwise the name of each generated type starts with the capability and the side\n",
    );
}

#[test]
fn definitions_are_compared_in_linear_time() {
    let text = |definitions: usize, capabilities: usize| {
        let mut text = format!("{HEAD}capabilities:\n");
        for capability in 0..capabilities {
            let _ = write!(
                text,
                "  - name: c{capability}\n    inputSchema:\n      $ref: \"#/definitions/d0\"\n      definitions:\n"
            );
            for i in 0..definitions {
                // A ring in which a single text differs, so that every definition differs because of a distant one.
                let leaf = if i + 1 == definitions { capability % 2 } else { 0 };
                let (next, far) = ((i + 1) % definitions, (i * 7) % definitions);
                let _ = writeln!(
                    text,
                    "        d{i}: {{ minItems: {leaf}, items: {{ $ref: \"#/definitions/d{next}\" }}, additionalProperties: {{ $ref: \"#/definitions/d{far}\" }} }}"
                );
            }
        }
        text
    };
    for (definitions, capabilities) in [(1500, 3), (3, 1500), (60, 60)] {
        let contract = load(&Source::new("capabilities.yaml", text(definitions, capabilities))).unwrap();
        assert_eq!(contract.warnings.len(), definitions.min(1000));
        let start = Instant::now();
        let all = Definitions::of(&contract.manifest);
        assert!(all.iter().all(|definition| !definition.is_shared && definition.first.capability < 2));
        let elapsed = start.elapsed();
        assert!(elapsed < Duration::from_secs(5), "{definitions} x {capabilities}: {elapsed:?}");
    }
}
