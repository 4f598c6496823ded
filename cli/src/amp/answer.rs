//! `capgen amp answer`: a provider that answers one message.

use capgen_amp::cbor::Limits;
use capgen_amp::provider::{Input, Output, Provider, Settings, Start, State, Ticket};
use capgen_time::{Clock as _, SystemClock};

use super::arguments::{Answer, ProviderOptions};
use super::{input, provider, rejected, violated};
use crate::console::{self, Console};
use crate::failure::{RunResult, Verdict};

pub(super) fn run(arguments: &Answer, console: &Console) -> RunResult {
    let now = arguments.now.unwrap_or_else(|| SystemClock.now_ms());
    let (provider, state) = provider::load(&arguments.provider, now, console)?;
    // Nothing is remembered after this message, so its `ttl` may be of any length (decision 22).
    let mut settings = Settings::default();
    settings.max_ttl_ms = u64::MAX;
    let provider = provider.with_settings(settings);
    let bytes = input::read(&arguments.file, Limits::default().bytes)?;
    let exchange = Exchange { provider, now, options: &arguments.provider };
    exchange.run(state, &bytes, console)
}

/// One message and its answer.
struct Exchange<'a> {
    provider: Provider,
    now: u64,
    options: &'a ProviderOptions,
}

impl Exchange<'_> {
    /// Answers the message. An invocation that starts also ends.
    fn run(&self, mut state: State, bytes: &[u8], console: &Console) -> RunResult {
        let mut input = Some(Input::Message { bytes, ticket: Ticket(0), principal: None });
        let mut verdict = Verdict::Fine;
        while let Some(next) = input.take() {
            // Only an outcome of an unknown invocation is impossible, and this one was started.
            let outputs = self.provider.step(&mut state, next, self.now).unwrap_or_default();
            for output in outputs {
                match output {
                    Output::Send { message, .. } => console::print_bytes(&message)?,
                    Output::Start(start) => input = Some(self.handle(*start)),
                    Output::Rejected { rejection, .. } => verdict = rejected(&rejection, console)?,
                    Output::Ignored { .. } => console.line("a message of this type is not answered"),
                    Output::InvalidResult { id, violations } => violated(&id, &violations, console),
                    Output::Stop(_)
                    | Output::Drained
                    | Output::Record(_)
                    | Output::Ended { .. }
                    | Output::Refused(_) => {}
                }
            }
        }
        Ok(verdict)
    }

    /// The handler.
    fn handle(&self, start: Start) -> Input<'static> {
        let outcome = provider::outcome(self.options, start.params);
        Input::Finished { invocation: start.invocation, outcome }
    }
}
