//! The implementations that compare schemas: from two schemas as JSON values to the answer.

use std::sync::mpsc;
use std::time::Duration;

use capgen_schema::{Containment, Json, Schema, Steps, contains};
use cpu_time::ThreadTime;
use jsoncompat::{CompatibilityResult, Role, SchemaDocument, SchemaOptions};
use jsonschema::Draft;
use jsonschema::canonical;
use serde_json::Value;

/// The names of the engines, in the order of the tables.
pub const NAMES: [&str; 3] = ["capgen", "jsoncompat", "jsonschema"];

/// A question: two schemas, as each engine reads them.
#[derive(Clone)]
pub struct Question {
    pub name: String,
    pub smaller: (Json, Value),
    pub larger: (Json, Value),
}

/// An answer and its CPU time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Answer {
    /// `None` if the engine is undecided, fails, or takes too long.
    pub contains: Option<bool>,
    pub time: Duration,
}

/// The longest time that an engine gets.
const MAX_TIME: Duration = Duration::from_secs(20);

impl Question {
    pub fn new(name: &str, smaller: &Json, larger: &Json) -> Self {
        let both = |json: &Json| (json.clone(), json.to_value());
        Self { name: name.to_owned(), smaller: both(smaller), larger: both(larger) }
    }

    /// Asks an engine in a thread of its own, which is left behind if it takes too long.
    pub fn ask(&self, engine: usize) -> Answer {
        let (question, (sender, receiver)) = (self.clone(), mpsc::channel());
        let work = move || {
            let start = ThreadTime::now();
            let contains = question.answer(engine);
            sender.send(Answer { contains, time: start.elapsed() })
        };
        std::thread::Builder::new().stack_size(64 << 20).spawn(work).expect("a thread");
        receiver.recv_timeout(MAX_TIME).unwrap_or(Answer { contains: None, time: MAX_TIME })
    }

    fn answer(&self, engine: usize) -> Option<bool> {
        match engine {
            0 => {
                let (larger, smaller) = (Schema::parse(&self.larger.0).ok()?, Schema::parse(&self.smaller.0).ok()?);
                match contains(&larger, &smaller, Steps::default()) {
                    Containment::Yes => Some(true),
                    Containment::No(_) => Some(false),
                    Containment::Undecided(_) => None,
                }
            }
            1 => {
                let options = SchemaOptions { assert_formats: Some(true), ..SchemaOptions::default() };
                let document = |schema| SchemaDocument::from_json_with_options(schema, &options).ok();
                let (larger, smaller) = (document(&self.larger.1)?, document(&self.smaller.1)?);
                match jsoncompat::analyze_compat(&larger, &smaller, Role::Serializer).ok()? {
                    CompatibilityResult::Compatible => Some(true),
                    CompatibilityResult::Incompatible { .. } => Some(false),
                    CompatibilityResult::Unknown { .. } => None,
                }
            }
            _ => {
                let options = || canonical::options().with_draft(Draft::Draft7).should_validate_formats(true);
                let canonical = |schema| options().canonicalize(schema).ok();
                match canonical(&self.larger.1)?.covers(&canonical(&self.smaller.1)?).ok()? {
                    canonical::Containment::Yes => Some(true),
                    canonical::Containment::No => Some(false),
                    canonical::Containment::Unknown => None,
                }
            }
        }
    }
}
