//! The command of a run, to be shown with other options.

use capgen_codegen::regenerate::{quoted_path, quoted_word};
use capgen_dci::{Decision, Profile};

use super::arguments::{Folders, RunArguments};

/// A command line for a POSIX shell.
pub(super) struct Words(String);

impl Words {
    /// `capgen dci` with a subcommand.
    pub(super) fn new(subcommand: &str) -> Self {
        Self(format!("capgen dci {subcommand}"))
    }

    /// Adds an option with a value, which is a word of a shell already.
    fn add(&mut self, flag: &str, value: &str) {
        // A value that starts with a hyphen would be read as an option.
        let separator = if value.starts_with('-') { "=" } else { " " };
        self.0.extend([" --", flag, separator, value]);
    }

    /// Adds an option without a value.
    pub(super) fn switch(&mut self, flag: &str, is_set: bool) {
        if is_set {
            self.0.extend([" --", flag]);
        }
    }

    /// Adds an option with a text, if it is set.
    pub(super) fn text(&mut self, flag: &str, value: Option<&str>) {
        value.into_iter().for_each(|value| self.add(flag, &quoted_word(value)));
    }

    /// Adds the decision, if it is set.
    pub(super) fn decision(&mut self, decision: Option<Decision>) {
        self.text("decision", decision.map(Decision::name));
    }

    fn folders(&mut self, folders: &Folders) {
        if folders.workspace.as_os_str() != "." {
            self.add("workspace", &quoted_path(&folders.workspace));
        }
        folders.installed.iter().for_each(|folder| self.add("installed", &quoted_path(folder)));
        folders.mount.iter().for_each(|folder| self.add("mount", &quoted_path(folder)));
        folders.disable.iter().for_each(|name| self.add("disable", &quoted_word(name)));
        self.switch("no-cache", folders.no_cache);
    }

    /// Adds the options of a run that differ from their defaults.
    pub(super) fn run(&mut self, run: &RunArguments) {
        self.folders(&run.folders);
        run.consumer.iter().for_each(|folder| self.add("consumer", &quoted_path(folder)));
        run.required.iter().for_each(|capability| self.add("require", &quoted_word(capability)));
        self.text("query", run.query.as_deref());
        self.text("mode", run.mode.map(capgen_dci::Mode::name));
        if run.host_runtime != capgen_dci::Host::default().runtime {
            self.text("host-runtime", Some(&run.host_runtime));
        }
        self.text("host-model", run.host_model.as_deref());
        run.policy.iter().for_each(|(key, value)| self.add("policy", &quoted_word(&format!("{key}={value}"))));
        if run.profile != Profile::default() {
            self.text("profile", Some(run.profile.name()));
        }
        run.aliases.iter().for_each(|file| self.add("aliases", &quoted_path(file)));
        self.switch("workspace-aliases", run.workspace_aliases);
        self.switch("allow-probes", run.allow_probes);
        self.switch("verified", run.verified);
    }

    /// The command.
    pub(super) fn line(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;
    use crate::arguments::{Arguments, Command};

    fn repeated(line: &[&str]) -> String {
        let line = ["capgen", "dci", "resolve"].iter().chain(line);
        let arguments = Arguments::try_parse_from(line).unwrap();
        let Some(Command::Dci(dci)) = arguments.command else { panic!("{arguments:?}") };
        let crate::dci::arguments::Command::Resolve(resolve) = dci.command else { panic!("{dci:?}") };
        let mut words = Words::new("resolve");
        words.run(&resolve.run);
        words.line()
    }

    #[test]
    fn the_command_repeats_every_option_that_is_not_a_default() {
        let line = [
            "--workspace",
            "my work",
            "--installed",
            "i",
            "--mount",
            "m",
            "--disable=-x",
            "--no-cache",
            "--consumer",
            "c",
            "--require",
            "a",
            "--require",
            "b",
            "--query",
            "two words",
            "--mode",
            "strict",
            "--host-runtime",
            "zed",
            "--host-model",
            "m/1",
            "--policy",
            "max-candidates=1",
            "--profile",
            "practical",
            "--aliases",
            "f.json",
            "--workspace-aliases",
            "--allow-probes",
            "--verified",
        ];
        let expected = "capgen dci resolve --workspace 'my work' --installed i --mount m --disable=-x --no-cache --consumer c \
             --require a --require b --query 'two words' --mode strict --host-runtime zed --host-model m/1 \
             --policy max-candidates=1 --profile practical --aliases f.json --workspace-aliases --allow-probes --verified";
        assert_eq!(repeated(&line), expected);
        assert_eq!(repeated(&["--require", "a", "--profile", "rfc"]), "capgen dci resolve --require a");
    }

    /// A new option must be repeated, too.
    #[test]
    fn every_option_of_a_run_is_known_here() {
        let known = [
            "workspace",
            "installed",
            "mount",
            "disable",
            "no_cache",
            "consumer",
            "required",
            "query",
            "mode",
            "host_runtime",
            "host_model",
            "policy",
            "profile",
            "aliases",
            "workspace_aliases",
            "allow_probes",
            "verified",
            "decision",
            "now",
            "json",
            "format",
        ];
        let command = Arguments::command();
        let dci = command.find_subcommand("dci").unwrap();
        for name in ["resolve", "graph"] {
            for argument in dci.find_subcommand(name).unwrap().get_arguments() {
                assert!(known.contains(&argument.get_id().as_str()), "{}", argument.get_id());
            }
        }
    }
}
