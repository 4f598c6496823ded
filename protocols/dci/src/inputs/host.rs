//! The host of a run.

/// The environment in which the chosen skills are to run, as the caller names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Host {
    /// The runtime, such as `opencode`.
    pub runtime: String,
    /// The model, such as `openai/gpt-5.1`. Without one, a candidate with `M(...)` is compatible only if it accepts
    /// every model (decision 12).
    pub model: Option<String>,
}

impl Default for Host {
    /// The runtime `cli`, and no model (decision 12).
    fn default() -> Self {
        Self { runtime: "cli".to_owned(), model: None }
    }
}
