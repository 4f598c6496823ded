//! `capgen explain`: the explanation of a code. This is where the pages of all crates come together.

use capgen_diagnostic::{Diagnostic, Explanation, Explanations};
use clap::Args;

use crate::codes;
use crate::console;
use crate::failure::{Failure, RunResult, Verdict};
use crate::run_time::{self, Page};

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Explain {
    /// Code of an error or a warning, such as E0107, or one that programs report while they run, such as
    /// EAGENTRPC_TIMEOUT, 4004 (AMP) or no-compatible-version (registry)
    #[arg(required_unless_present_any = ["list", "all"], num_args = 1..)]
    code: Vec<String>,
    /// List every code with its title
    #[arg(long, conflicts_with = "code")]
    list: bool,
    /// Print the explanation of every code as one Markdown page
    #[arg(long, conflicts_with_all = ["code", "list"])]
    all: bool,
}

const EXAMPLES: &str = "\
Examples:
  capgen explain E0107
  capgen explain EAGENTRPC_TIMEOUT
  capgen explain 4004                    the error of AMP
  capgen explain timeout                 a name of several systems: the page of each one
  capgen explain AMP 5003                that of one system
  capgen explain --list";

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

pub(crate) fn run(arguments: &Explain) -> RunResult {
    let explanations = explanations();
    let text = if !arguments.code.is_empty() {
        let code = arguments.code.join(" ");
        explained(&code, &explanations).ok_or_else(|| unknown(&code, &explanations))?
    } else if arguments.all {
        explanations.page() + &run_time_page()
    } else {
        explanations.iter().map(line).chain(run_time::pages().map(run_time_line)).collect()
    };
    console::print(&text)?;
    Ok(Verdict::Fine)
}

/// The page of a code, or those of every code with this name.
fn explained(code: &str, explanations: &Explanations) -> Option<String> {
    if let Some(explanation) = explanations.get(code) {
        return Some(explanation.text().to_owned());
    }
    let pages: Vec<String> = run_time::find(code).into_iter().map(Page::text).collect();
    (!pages.is_empty()).then(|| pages.join("\n"))
}

/// The part of the page of all codes about those that programs report while they run.
fn run_time_page() -> String {
    let mut page = String::from(
        "\n# Run-time codes\n\nPrograms report these codes while they run: `EAGENTRPC_` and `EVERSION_` are errors of [calls](calls.md), \
         `MCP_` errors of calls of\n[MCP servers](mcp.md), the numbers are those of [AMP](amp.md), and the words in small letters are \
         reasons of the\n[registry](registry.md). A provider may use other codes for failures of its own. `capgen explain <code>` prints \
         the same text as this page;\nif several systems use a name, such as `timeout`, it prints the page of each one.\n\n\
         | code | meaning |\n|---|---|\n",
    );
    run_time::pages().for_each(|entry| page.push_str(&format!("| {} | {} |\n", entry.heading, entry.title)));
    run_time::pages().for_each(|entry| page.push_str(&format!("\n#{}", entry.text())));
    page
}

fn run_time_line(page: Page) -> String {
    format!("{}  {}\n", page.heading, page.title)
}

fn line(explanation: &Explanation) -> String {
    format!("{}  {}\n", explanation.code().as_str(), explanation.title())
}

fn unknown(code: &str, explanations: &Explanations) -> Failure {
    let finding = Diagnostic::new(codes::UNKNOWN_CODE, format!("there is no code {code:?}"));
    Failure::Findings(vec![match explanations.nearest(code).or_else(|| run_time::near(code)) {
        Some(near) => finding.help(format!("did you mean `{near}`? `capgen explain --list` lists all codes")),
        None => finding.help("`capgen explain --list` lists all codes"),
    }])
}
