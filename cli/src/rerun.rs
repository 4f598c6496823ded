//! The command that updates the files that `capgen gen --check` found to be out of date.

use capgen_codegen::Assume;
use capgen_codegen::regenerate::{quoted_path, quoted_word};

use crate::generate::{DEFAULT_OUT, Generate};
use crate::repository;

/// The help of a finding: the command of this run, without the options that only control checking and printing, and the
/// folder in which to run it.
pub(crate) fn fix(arguments: &Generate) -> String {
    format!("run `capgen gen{}` in {}, and check in the result", words(arguments), repository::current_folder())
}

/// The options that select contracts and determine their output, each after a space.
fn words(arguments: &Generate) -> String {
    let contracts = &arguments.contracts;
    let mut words = String::new();
    let mut add = |flag: &str, value: String| words.extend([" --", flag, " ", &value]);
    contracts.peer.iter().for_each(|id| add("peer", quoted_word(id)));
    contracts.capabilities.iter().for_each(|path| add("capabilities", quoted_path(path)));
    contracts.root.iter().for_each(|root| add("root", quoted_path(root)));
    arguments.imported.mcp.iter().for_each(|file| add("mcp", quoted_path(file)));
    words.push_str(&arguments.imported.conversion().words());
    let mut add = |flag: &str, value: String| words.extend([" --", flag, " ", &value]);
    if arguments.out.as_os_str() != DEFAULT_OUT {
        add("out", quoted_path(&arguments.out));
    }
    if !arguments.lang.is_empty() {
        add("lang", arguments.lang.iter().map(|language| language.name()).collect::<Vec<_>>().join(","));
    }
    let mut switch = |flag: &str, value: Option<bool>| match value {
        Some(true) => words.extend([" --", flag]),
        Some(false) => words.extend([" --", flag, "=false"]),
        None => {}
    };
    switch("merge-nullable", arguments.merge_nullable);
    switch("plain-arrays", arguments.plain_arrays);
    switch("calls", arguments.calls);
    if !arguments.history.is_empty() {
        let files: Vec<String> = arguments.history.iter().map(|path| quoted_path(path)).collect();
        words.extend([" --history ", &files.join(" ")]);
    }
    let mut add = |flag: &str, value: String| words.extend([" --", flag, " ", &value]);
    arguments.assume.iter().for_each(|assume| add("assume", Assume::from(*assume).name().to_owned()));
    arguments.accepted.iter().for_each(|path| add("accepted", quoted_path(path)));
    let mut switch = |flag: &str, value: Option<bool>| match value {
        Some(true) => words.extend([" --", flag]),
        Some(false) => words.extend([" --", flag, "=false"]),
        None => {}
    };
    switch("standard-schema", arguments.standard_schema);
    switch("single-file", arguments.single_file);
    let mut add = |flag: &str, value: String| words.extend([" --", flag, " ", &value]);
    arguments.import_extension.iter().for_each(|extension| add("import-extension", extension.name().to_owned()));
    arguments.runtime_path.iter().for_each(|path| add("runtime-path", quoted_word(path.as_str())));
    if contracts.all {
        words.insert_str(0, " --all");
    }
    words
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::words;
    use crate::arguments::Arguments;

    fn repeated(line: &[&str]) -> String {
        let arguments = Arguments::try_parse_from(["capgen"].iter().chain(line)).unwrap();
        words(&arguments.generate)
    }

    #[test]
    fn the_command_has_the_options_that_determine_the_output() {
        let line = [
            "--all",
            "--peer",
            "a",
            "--capabilities",
            "my file.yaml",
            "--root",
            "..",
            "--out",
            "x",
            "--lang",
            "ts,rust",
        ];
        let expected = " --all --peer a --capabilities 'my file.yaml' --root .. --out x --lang typescript,rust";
        assert_eq!(repeated(&line), expected);
        assert_eq!(repeated(&["--peer", "a", "--check", "--json"]), " --peer a");
        let line = ["--peer", "a", "--merge-nullable", "--plain-arrays=false", "--calls", "--standard-schema=false"];
        let expected = " --peer a --merge-nullable --plain-arrays=false --calls --standard-schema=false";
        assert_eq!(repeated(&line), expected);
        let line = ["--peer", "a", "--import-extension", "ts", "--single-file=false"];
        assert_eq!(repeated(&line), " --peer a --single-file=false --import-extension ts");
        let line = ["--peer", "a", "--runtime-path", "::r#gen"];
        assert_eq!(repeated(&line), " --peer a --runtime-path '::r#gen'");
        let line = ["--peer", "a", "--calls", "--history", "v1.yaml", "my v2.yaml"];
        assert_eq!(repeated(&line), " --peer a --calls --history v1.yaml 'my v2.yaml'");
        let line = ["--peer", "a", "--history", "git", "--accepted", "my a.yaml", "--assume", "capgen-peer"];
        let expected = " --peer a --history git --assume capgen-peer --accepted 'my a.yaml'";
        assert_eq!(repeated(&line), expected);
        let line = ["--mcp", "my tools.json", "--agent", "files", "--skip", "--lossy", "--out", "x"];
        assert_eq!(repeated(&line), " --mcp 'my tools.json' --lossy --skip --agent files --out x");
        let line = ["--mcp", "tools.json", "--formats", "annotate=date-time,time"];
        assert_eq!(repeated(&line), " --mcp tools.json --formats annotate=date-time,time");
    }

    /// A new option must be repeated, or be added to this list because it does not change the files.
    #[test]
    fn every_option_of_gen_is_repeated_or_does_not_change_the_files() {
        let without_effect = ["json", "check", "diff", "format", "watch", "help", "version"];
        let repeated = [
            "peer",
            "all",
            "capabilities",
            "root",
            "mcp",
            "agent",
            "lossy",
            "skip",
            "formats",
            "out",
            "lang",
            "merge_nullable",
            "plain_arrays",
            "calls",
            "history",
            "assume",
            "accepted",
            "standard_schema",
            "single_file",
            "import_extension",
            "runtime_path",
        ];
        let command = Arguments::command();
        let command = command.find_subcommand("gen").unwrap();
        for argument in command.get_arguments() {
            let id = argument.get_id().as_str();
            assert!(without_effect.contains(&id) || repeated.contains(&id), "{id}");
        }
    }
}
