//! `capgen explain`: the explanation of a code. This is where the pages of all crates come together.

use capgen_diagnostic::{Diagnostic, Explanation, Explanations};

use crate::arguments::Explain;
use crate::codes;
use crate::console;
use crate::failure::{Failure, Outcome, Verdict};

/// The explanations of all crates.
pub(crate) fn explanations() -> Explanations {
    Explanations::new(&[
        capgen_schema::codes::EXPLANATIONS,
        capgen_manifest::codes::EXPLANATIONS,
        capgen_codegen::codes::EXPLANATIONS,
        capgen_evolve::codes::EXPLANATIONS,
        #[cfg(feature = "dci")]
        capgen_dci::codes::EXPLANATIONS,
        capgen_interop::codes::EXPLANATIONS,
        codes::EXPLANATIONS,
    ])
}

pub(crate) fn run(arguments: &Explain) -> Outcome {
    let explanations = explanations();
    let text = match &arguments.code {
        Some(code) => explanations.get(code).ok_or_else(|| unknown(code, &explanations))?.text().to_owned(),
        None if arguments.all => explanations.page(),
        None => explanations.iter().map(line).collect(),
    };
    console::print(&text)?;
    Ok(Verdict::Fine)
}

fn line(explanation: &Explanation) -> String {
    format!("{}  {}\n", explanation.code().as_str(), explanation.title())
}

fn unknown(code: &str, explanations: &Explanations) -> Failure {
    let finding = Diagnostic::new(codes::UNKNOWN_CODE, format!("there is no code {code:?}"));
    Failure::Findings(vec![match explanations.nearest(code) {
        Some(near) => finding.help(format!("did you mean `{near}`? `capgen explain --list` lists all codes")),
        None => finding.help("`capgen explain --list` lists all codes"),
    }])
}
