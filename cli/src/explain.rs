//! `capgen explain`

use capgen_manifest::{Diagnostic, Explanation, explain, explanations, nearest};

use crate::arguments::Explain;
use crate::codes;
use crate::console;
use crate::failure::{Failure, Outcome, Verdict};

pub(crate) fn run(arguments: &Explain) -> Outcome {
    let text = match &arguments.code {
        None => explanations().iter().map(line).collect(),
        Some(code) => explain(code).ok_or_else(|| unknown(code))?.text.to_owned(),
    };
    console::print(&text)?;
    Ok(Verdict::Fine)
}

fn line(explanation: &Explanation) -> String {
    format!("{}  {}\n", explanation.code, explanation.title())
}

fn unknown(code: &str) -> Failure {
    let finding = Diagnostic::new(codes::UNKNOWN_CODE, format!("there is no code {code:?}"));
    Failure::Findings(vec![match nearest(code, explanations().iter().map(|e| e.code)) {
        Some(near) => finding.help(format!("did you mean `{near}`? `capgen explain --list` shows all")),
        None => finding.help("`capgen explain --list` shows all"),
    }])
}
