//! Writes every `schema.json` from the contract next to it, every `payload.json` from a fixed seed, and the generated
//! code for the benchmark `validation`.

use std::fmt::Write as _;

use capgen_codegen::{Language, generate};
use capgen_manifest::{Manifest, Source, load};
use capgen_testkit::Random;

const WORDS: [&str; 32] = [
    "the", "buffer", "is", "read", "past", "its", "end", "when", "a", "request", "has", "no", "body", "unused",
    "value", "of", "an", "index", "may", "overflow", "check", "before", "slice", "lock", "held", "across", "await",
    "naïve", "clone", "in", "loop", "query",
];

fn main() -> std::io::Result<()> {
    for (name, payload) in
        [("flat", flat()), ("findings", findings()), ("union", union()), ("enums", enums()), ("tree", tree())]
    {
        let folder = format!("{}/{name}", env!("CARGO_MANIFEST_DIR"));
        let contract = std::fs::read_to_string(format!("{folder}/capabilities.yaml"))?;
        let manifest = load(&Source::new("capabilities.yaml", contract)).expect("the contract loads").manifest;
        std::fs::write(format!("{folder}/schema.json"), schema(&manifest) + "\n")?;
        std::fs::write(format!("{folder}/payload.json"), payload + "\n")?;
        for (file, text) in generate(&manifest, &[Language::Rust]) {
            std::fs::write(format!("{}/../validation/src/generated/{file}", env!("CARGO_MANIFEST_DIR")), text)?;
        }
    }
    Ok(())
}

/// The `inputSchema` of the only capability.
fn schema(manifest: &Manifest) -> String {
    let capability = manifest.capabilities.first().expect("it has a capability");
    let schema = capability.input.as_ref().expect("it has an input schema");
    serde_json::to_string_pretty(&schema.source().to_value()).expect("schemas are JSON")
}

/// Random texts.
trait Texts {
    /// A text of `least` to `most` words.
    fn words(&mut self, least: usize, most: usize, between: &str) -> String;
    fn hex(&mut self, digits: usize) -> String;
    fn ascii_words(&mut self, n: usize, between: &str) -> String;
}

impl Texts for Random {
    fn words(&mut self, least: usize, most: usize, between: &str) -> String {
        let n = least + self.below(most - least + 1);
        (0..n).map(|_| self.pick(&WORDS)).collect::<Vec<_>>().join(between)
    }

    fn hex(&mut self, digits: usize) -> String {
        (0..digits).map(|_| char::from(self.pick(b"0123456789abcdef"))).collect()
    }

    fn ascii_words(&mut self, n: usize, between: &str) -> String {
        self.words(n, n, between).replace('ï', "i")
    }
}

fn text(text: &str) -> String {
    serde_json::to_string(text).expect("strings are JSON")
}

fn flat() -> String {
    concat!(
        r#"{"requestId":"7d444840-9dc0-11d1-b245-5ffdce74fad2","customer":"Zoë Lindqvist","email":"zoe.lindqvist@example.com","#,
        r#""subject":"Parcel 4711 was delivered to the wrong door","priority":"high","attempts":2,"#,
        r#""openedAt":"2024-05-17T09:30:00.250+02:00","callback":true}"#
    )
    .to_owned()
}

fn findings() -> String {
    let random = &mut Random::new(1);
    let items: Vec<String> = (0..100).map(|_| finding(random)).collect();
    let commit = random.hex(40);
    format!(r#"{{"repository":"acme/shop","commit":"{commit}","findings":[{}]}}"#, items.join(","))
}

fn finding(random: &mut Random) -> String {
    let rule = random.ascii_words(3, "-");
    let severity = random.pick(&["info", "low", "medium", "high", "critical"]);
    let mut message = random.words(8, 24, " ");
    if random.one_in(4) {
        // Messages of tools quote names, which need escapes in JSON.
        let _ = write!(message, ": \"{}\"", random.pick(&WORDS));
    }
    let path = format!("src/{}/{}.rs", random.ascii_words(2, "/"), random.ascii_words(1, ""));
    let (line, column) = (1 + random.below(900), 1 + random.below(100));
    let mut location = format!(r#"{{"path":"{path}","line":{line},"column":{column}"#);
    if random.one_in(2) {
        let _ = write!(location, r#","endLine":{},"endColumn":{}"#, line + random.below(4), column + random.below(20));
    }
    let mut json =
        format!(r#"{{"rule":"{rule}","severity":"{severity}","message":{},"location":{location}}}"#, text(&message));
    if random.one_in(3) {
        let replacement = format!("let {} = {};\n", random.ascii_words(1, ""), random.ascii_words(3, "."));
        let confidence = 1 + random.below(99);
        let _ =
            write!(json, r#","suggestion":{{"replacement":{},"confidence":0.{confidence:02}}}"#, text(&replacement));
    }
    if random.one_in(2) {
        let _ = write!(json, r#","tags":["{}","{}"]"#, random.ascii_words(1, ""), random.ascii_words(1, ""));
    }
    json + "}"
}

fn union() -> String {
    let random = &mut Random::new(2);
    let items: Vec<String> = (0..100).map(|_| event(random)).collect();
    format!(r#"{{"stream":"tickets-eu","events":[{}]}}"#, items.join(","))
}

fn event(random: &mut Random) -> String {
    let people = ["amara", "bogdan", "chiara", "dmitri", "elif", "farid", "grace"];
    let ticket = 1000 + random.below(90_000);
    match random.below(5) {
        0 => format!(
            r#"{{"kind":"opened","ticket":{ticket},"subject":{},"customer":"{}"}}"#,
            text(&random.words(3, 9, " ")),
            random.pick(&["Zoë Lindqvist", "Acme Ltd", "J. Ortega", "Nakamura & Co"]),
        ),
        1 => {
            let team = if random.one_in(2) { r#","team":"second-line""# } else { "" };
            format!(r#"{{"kind":"assigned","ticket":{ticket},"assignee":"{}"{team}}}"#, random.pick(&people))
        }
        2 => format!(
            r#"{{"kind":"commented","ticket":{ticket},"author":"{}","text":{},"internal":{}}}"#,
            random.pick(&people),
            text(&format!("{}.\n{}.", random.words(5, 20, " "), random.words(3, 12, " "))),
            random.one_in(3),
        ),
        3 => {
            let notify = format!(r#","notify":["{}","{}"]"#, random.pick(&people), random.pick(&people));
            format!(
                r#"{{"kind":"escalated","ticket":{ticket},"level":{},"reason":{}{}}}"#,
                1 + random.below(3),
                text(&random.words(4, 12, " ")),
                if random.one_in(2) { &notify } else { "" },
            )
        }
        _ => format!(
            r#"{{"kind":"closed","ticket":{ticket},"resolution":"{}","hours":{}.{}}}"#,
            random.pick(&["fixed", "duplicate", "declined", "expired"]),
            random.below(200),
            1 + random.below(9),
        ),
    }
}

const ENUMS: [(&str, &[&str]); 14] = [
    (
        "colour",
        &["black", "white", "grey", "red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "natural"],
    ),
    ("size", &["xxs", "xs", "s", "m", "l", "xl", "xxl"]),
    ("fit", &["slim", "regular", "relaxed", "oversized"]),
    ("material", &["cotton", "linen", "wool", "silk", "polyester", "nylon", "leather", "denim"]),
    ("season", &["spring", "summer", "autumn", "winter", "all-year"]),
    ("audience", &["women", "men", "unisex", "children", "babies"]),
    (
        "category",
        &[
            "shirts", "trousers", "dresses", "skirts", "jackets", "coats", "shoes", "bags", "hats", "gloves",
            "scarves", "belts",
        ],
    ),
    ("care", &["machine-wash", "hand-wash", "dry-clean", "do-not-wash"]),
    ("status", &["draft", "in-review", "approved", "published", "withdrawn"]),
    ("availability", &["in-stock", "low-stock", "back-order", "sold-out", "discontinued", "pre-order"]),
    ("currency", &["EUR", "USD", "GBP", "CHF", "SEK", "NOK", "DKK", "PLN", "CZK", "JPY"]),
    ("taxClass", &["standard", "reduced", "zero", "exempt"]),
    ("shipping", &["letter", "parcel", "bulky", "freight", "pickup"]),
    ("returns", &["free", "paid", "none", "exchange-only"]),
];

fn enums() -> String {
    let random = &mut Random::new(3);
    let items: Vec<String> = (0..40).map(|_| product(random)).collect();
    format!(r#"{{"products":[{}]}}"#, items.join(","))
}

fn product(random: &mut Random) -> String {
    let mut json = format!(
        r#"{{"sku":"{}-{:06}","gtin":"{:013}","slug":"{}","version":"{}{}.{}.{}","origin":"{}""#,
        random.pick(&["TSH", "JKT", "SHO", "BAG"]),
        random.below(1_000_000),
        random.below(10_000_000_000_000),
        random.ascii_words(4, "-"),
        random.pick(&["v", ""]),
        random.below(10),
        random.below(30),
        random.below(100),
        random.pick(&["PT", "IT", "BD", "VN", "TR"]),
    );
    if random.one_in(2) {
        let _ = write!(json, r#","contact":"{}@example.com""#, random.ascii_words(2, "."));
    }
    for (name, members) in ENUMS {
        let _ = write!(json, r#","{name}":"{}""#, random.pick(members));
    }
    json + "}"
}

fn tree() -> String {
    let random = &mut Random::new(10);
    node(random, 0)
}

/// The deeper a node, the fewer children it has; at the eighth level it has none.
fn node(random: &mut Random, depth: usize) -> String {
    let children = match depth {
        0 => 4,
        1..=6 => 1 + random.below(3 + usize::from(depth < 4)),
        _ => 0,
    };
    let children: Vec<String> = (0..children).map(|_| node(random, depth + 1)).collect();
    let name = random.ascii_words(1, "");
    let value = random.below(100_000);
    let value = if random.one_in(2) { format!("{value}") } else { format!("{}.{:02}", value / 100, value % 100) };
    format!(r#"{{"name":"{name}","value":{value},"children":[{}]}}"#, children.join(","))
}
