use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ticket {
    pub request_id: String,
    pub customer: String,
    pub email: Option<String>,
    pub subject: String,
    pub priority: Priority,
    pub attempts: u64,
    pub opened_at: Option<String>,
    pub callback: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    Low,
    Normal,
    High,
    Urgent,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    pub repository: String,
    pub commit: String,
    pub findings: Vec<Finding>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    pub rule: String,
    pub severity: Severity,
    pub message: String,
    pub location: Location,
    pub suggestion: Option<Suggestion>,
    pub tags: Option<Vec<String>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Info,
    Low,
    Medium,
    High,
    Critical,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Location {
    pub path: String,
    pub line: u64,
    pub column: u64,
    pub end_line: Option<u64>,
    pub end_column: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Suggestion {
    pub replacement: String,
    pub confidence: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stream {
    pub stream: String,
    pub events: Vec<Event>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Event {
    Opened { ticket: u64, subject: String, customer: String },
    Assigned { ticket: u64, assignee: String, team: Option<String> },
    Commented { ticket: u64, author: String, text: String, internal: bool },
    Escalated { ticket: u64, level: u64, reason: String, notify: Option<Vec<String>> },
    Closed { ticket: u64, resolution: Resolution, hours: f64 },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Resolution {
    Fixed,
    Duplicate,
    Declined,
    Expired,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Catalogue {
    pub products: Vec<Product>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Product {
    pub sku: String,
    pub gtin: String,
    pub slug: String,
    pub version: String,
    pub origin: String,
    pub contact: Option<String>,
    pub colour: Colour,
    pub size: Size,
    pub fit: Fit,
    pub material: Material,
    pub season: Season,
    pub audience: Audience,
    pub category: Category,
    pub care: Care,
    pub status: Status,
    pub availability: Availability,
    pub currency: Currency,
    pub tax_class: TaxClass,
    pub shipping: Shipping,
    pub returns: Returns,
}

macro_rules! members {
    ($case:literal: $($name:ident { $($member:ident),* })*) => {$(
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = $case)]
        pub enum $name { $($member),* }
    )*};
}

members! {
    "kebab-case":
    Colour { Black, White, Grey, Red, Orange, Yellow, Green, Blue, Purple, Pink, Brown, Natural }
    Size { Xxs, Xs, S, M, L, Xl, Xxl }
    Fit { Slim, Regular, Relaxed, Oversized }
    Material { Cotton, Linen, Wool, Silk, Polyester, Nylon, Leather, Denim }
    Season { Spring, Summer, Autumn, Winter, AllYear }
    Audience { Women, Men, Unisex, Children, Babies }
    Category { Shirts, Trousers, Dresses, Skirts, Jackets, Coats, Shoes, Bags, Hats, Gloves, Scarves, Belts }
    Care { MachineWash, HandWash, DryClean, DoNotWash }
    Status { Draft, InReview, Approved, Published, Withdrawn }
    Availability { InStock, LowStock, BackOrder, SoldOut, Discontinued, PreOrder }
    TaxClass { Standard, Reduced, Zero, Exempt }
    Shipping { Letter, Parcel, Bulky, Freight, Pickup }
    Returns { Free, Paid, None, ExchangeOnly }
}

members! {
    "UPPERCASE":
    Currency { Eur, Usd, Gbp, Chf, Sek, Nok, Dkk, Pln, Czk, Jpy }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Node {
    pub name: String,
    pub value: f64,
    pub children: Vec<Node>,
}
