//! `capgen dci resolve`: choosing providers, and the report about it.

use capgen_dci::{Circumstances, Report};
use capgen_time::{Clock as _, SystemClock};

use super::arguments::RunArguments;
use super::command::Words;
use super::run::Run;
use super::show::{self, View};
use super::suggestions::{self, Known};
use super::{arguments, prompt};
use crate::console::{Console, print, print_json};
use crate::failure::{RunResult, Verdict};
use crate::times;

pub(super) fn run(arguments: &arguments::Resolve, console: &Console) -> RunResult {
    let run = Run::load(&arguments.run)?;
    let inputs = run.inputs();
    let mut known = Known::default();
    let resolution = run.resolve(&inputs, &mut known)?;
    run.warn(&resolution, arguments.json, console);
    let decision = prompt::decision(arguments.decision, &resolution)?;
    let command = |run: &RunArguments| {
        let mut words = Words::new("resolve");
        words.run(run);
        words.decision(arguments.decision);
        words.text("now", arguments.now.as_deref());
        words.switch("json", arguments.json);
        words
    };
    let output = (arguments.json, console);
    suggestions::report((&run, &arguments.run), &resolution, decision, &mut known, output, command);
    if arguments.json {
        let now = arguments.now.clone().unwrap_or_else(|| times::format_time(SystemClock.now_ms()));
        let circumstances = Circumstances {
            sources: run.workspace.sources.clone(),
            rejections: &run.workspace.rejections,
            decision,
            generated_at: &now,
        };
        let report = Report::new(&run.workspace.corpus, &inputs, &resolution, &circumstances);
        let text = serde_json::to_string_pretty(&report).map_err(std::io::Error::from)?;
        print_json(&format!("{text}\n"))?;
    } else {
        let (corpus, exclusions) = (&run.workspace.corpus, run.workspace.rejections.as_slice());
        let (aliases, verified) = (inputs.aliases, run.workspace.verified(&resolution));
        print(&show::text(&View { corpus, aliases, resolution: &resolution, decision, exclusions, verified }))?;
    }
    Ok(if resolution.outcome(decision).is_success() { Verdict::Fine } else { Verdict::Findings })
}
