//! Questions on a terminal, one line each, for the options that are missing.

use std::io::{self, BufRead, Read, Write};
use std::path::Path;

use capgen_diagnostic::visible;
use capgen_manifest::{TransportSettings, shown};

use super::{Choices, Init, MAX_CAPABILITIES, agent_problem, capability_problem, transport_problem};

/// The longest answer, in bytes. The longest valid one is far shorter.
const MAX_ANSWER: u64 = 4096;

/// Asks for each option that is missing. An empty answer is the default.
pub(super) fn ask(
    arguments: &Init,
    defaults: Choices,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> io::Result<Choices> {
    let agent = match &arguments.agent {
        Some(agent) => agent.clone(),
        None => valid("Agent id", &defaults.agent, agent_problem, input, output)?,
    };
    let capabilities = match arguments.capability.as_slice() {
        [] => capabilities(&defaults, input, output)?,
        capabilities => capabilities.to_vec(),
    };
    let transport = match &arguments.transport {
        Some(transport) => transport.clone(),
        None => {
            let question = format!("Transport ({})", TransportSettings::kinds().join(", "));
            valid(&question, &defaults.transport, transport_problem, input, output)?
        }
    };
    Ok(Choices { agent, capabilities, transport })
}

/// Asks for names until an empty answer.
fn capabilities(defaults: &Choices, input: &mut impl BufRead, output: &mut impl Write) -> io::Result<Vec<String>> {
    let default = defaults.capabilities.first().map_or("", String::as_str);
    let mut names = vec![valid("Capability", default, capability_problem, input, output)?];
    while names.len() < MAX_CAPABILITIES {
        let problem = |text: &str| match text {
            "" => None,
            text if names.iter().any(|name| name == text) => Some("there is one with this name".to_owned()),
            text => capability_problem(text),
        };
        let name = valid("Another capability (empty: no more)", "", problem, input, output)?;
        if name.is_empty() {
            break;
        }
        names.push(name);
    }
    Ok(names)
}

/// Asks whether to create these files.
pub(super) fn confirm<'p>(
    paths: impl Iterator<Item = &'p Path>,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> io::Result<bool> {
    let paths: Vec<String> = paths.map(shown).collect();
    let question = format!("Write {}? (yes, no)", paths.join(", "));
    let problem = |text: &str| truth(text).is_none().then(|| "answer `yes` or `no`".to_owned());
    let answer = valid(&question, "yes", problem, input, output)?;
    Ok(truth(&answer) == Some(true))
}

fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "y" | "yes" => Some(true),
        "n" | "no" => Some(false),
        _ => None,
    }
}

/// Asks until there is an answer without a problem.
fn valid(
    question: &str,
    default: &str,
    problem: impl Fn(&str) -> Option<String>,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> io::Result<String> {
    let shown = if default.is_empty() { String::new() } else { format!(" [{default}]") };
    loop {
        write!(output, "{}{}: ", visible(question), visible(&shown))?;
        output.flush()?;
        let line = line(input)?;
        let answer = if line.trim().is_empty() { default } else { line.trim() };
        match problem(answer) {
            None => return Ok(answer.to_owned()),
            Some(problem) => writeln!(output, "  {}", visible(&problem))?,
        }
    }
}

/// The next line. Fails at the end of the input.
fn line(input: &mut impl BufRead) -> io::Result<String> {
    let mut line = Vec::new();
    input.take(MAX_ANSWER).read_until(b'\n', &mut line)?;
    if line.last() == Some(&b'\n') {
        return Ok(String::from_utf8_lossy(&line).into_owned());
    }
    let is_long = line.len() as u64 == MAX_ANSWER;
    let message = if is_long { "the answer is too long" } else { "the input ended" };
    Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{message}; nothing was written")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(arguments: &Init, answers: &str) -> (io::Result<Choices>, String) {
        let defaults = Choices {
            agent: "shop".to_owned(),
            capabilities: vec!["hello".to_owned()],
            transport: "memory".to_owned(),
        };
        let mut output = Vec::new();
        let choices = ask(arguments, defaults, &mut answers.as_bytes(), &mut output);
        (choices, String::from_utf8(output).unwrap())
    }

    fn nothing() -> Init {
        Init { agent: None, capability: Vec::new(), transport: None, root: None, out: None, fleet: false, yes: false }
    }

    #[test]
    fn empty_answers_are_the_defaults() {
        let (choices, output) = asked(&nothing(), "\n\n\n\n");
        let choices = choices.unwrap();
        assert_eq!((choices.agent.as_str(), choices.transport.as_str()), ("shop", "memory"));
        assert_eq!(choices.capabilities, ["hello"]);
        assert!(output.starts_with("Agent id [shop]: Capability [hello]: Another capability"), "{output}");
    }

    #[test]
    fn invalid_answers_are_explained_and_asked_again() {
        let (choices, output) =
            asked(&nothing(), "a b\npay ments\n  payments  \n-\npay\npay\nrefund\n\nhttp\nnatss\nnats\n");
        let choices = choices.unwrap();
        assert_eq!((choices.agent.as_str(), choices.transport.as_str()), ("payments", "nats"));
        assert_eq!(choices.capabilities, ["pay", "refund"]);
        for part in [
            "an id consists of",
            "a name consists of",
            "there is one with this name",
            "the kinds are",
            "did you mean `nats`?",
        ] {
            assert!(output.contains(part), "{part}: {output}");
        }
    }

    #[test]
    fn options_are_not_asked_for() {
        let arguments = Init {
            agent: Some("x".to_owned()),
            capability: vec!["a".to_owned()],
            transport: Some("mcp".to_owned()),
            ..nothing()
        };
        assert_eq!(asked(&arguments, "").1, "");
    }

    #[test]
    fn the_end_of_the_input_and_endless_lines_are_errors() {
        for answers in ["", "a", "a\nb\n", &"x".repeat(5000)] {
            assert!(asked(&nothing(), answers).0.is_err(), "{answers}");
        }
    }

    #[test]
    fn only_a_clear_answer_confirms() {
        for (answers, expected) in [("\n", true), ("Y\n", true), ("no\n", false), ("what\nn\n", false)] {
            let paths = [Path::new("a")].into_iter();
            assert_eq!(confirm(paths, &mut answers.as_bytes(), &mut Vec::new()).unwrap(), expected);
        }
    }
}
