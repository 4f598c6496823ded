//! The options of `capgen example`.

use clap::Args;

use crate::arguments::SideName;
use crate::one_contract::OneContract;

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Example {
    #[command(flatten)]
    pub(crate) contract: OneContract,
    /// The capability whose payloads to print [default: all of the agent, and each line names its capability and side]
    #[arg(long, value_name = "NAME")]
    pub(crate) capability: Option<String>,
    /// The side of the capability: requests or responses [default: requests; without --capability, both]
    #[arg(long, value_enum)]
    pub(crate) side: Option<SideName>,
    /// How many payloads of a side to print, if there are so many [default: as many as show each part of the schema, at
    /// most 20; with --invalid, one for each constraint]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) count: Option<u16>,
    /// Print other payloads; the same seed always gives the same ones
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Print payloads that each violate one constraint of the schema, with their violations
    #[arg(long, conflicts_with = "seed")]
    pub(crate) invalid: bool,
    /// Print the payloads as one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

const EXAMPLES: &str = "\
Examples:
  capgen example --peer pr-reviewer --capability review-pr
  capgen example --peer pr-reviewer --capability review-pr --side response --count 3
  capgen example --capabilities vendor/search.yaml --capability search --invalid
  capgen example --peer pr-reviewer > fixtures.jsonl

Each payload is one line of JSON. The first is the smallest valid one; each of the others shows optional properties, branches of unions \
and values of enums that those before it do not show. Dates, addresses and other formats have values that most programs accept, if the \
schema allows them.

Without --capability, each line is {\"capability\": ..., \"side\": \"request\" or \"response\", \"payload\": ...}: fixtures for tests of the whole agent.

With --invalid, each line is {\"payload\": ..., \"constraint\": ..., \"expected\": {\"path\", \"keyword\"}, \"violations\": [{\"path\", \"message\", \
\"keyword\"}]}. `constraint` is the JSON Pointer to the keyword of the schema, and `expected` is the violation that shows that it is violated. There is one \
payload for each constraint that a payload can violate: each keyword at each place of the schema. If possible, the payload violates nothing else.

--json prints {\"payloads\": [...]}, whose elements are these lines, or {\"errors\": [...]} if none is found.";
