//! `capgen init`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::process::Command;

use crate::common::{Fleet, loose};
use serde_json::Value;

const MANIFEST: &str = "agents/payments/capabilities.yaml";

/// A folder without a fleet.
fn empty() -> Fleet {
    let fleet = Fleet::new(&[]);
    fs::remove_dir(fleet.path("agents")).unwrap();
    fleet
}

/// Runs the program with arguments that contain white space.
fn run_exactly(fleet: &Fleet, arguments: &[&str]) -> (i32, String) {
    let output = fleet.command("init").args(arguments).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// The schema that the first line of a file names, from the folder of that file.
fn schema(fleet: &Fleet, path: &str) -> Value {
    let text = fleet.read(path);
    let schema = text.lines().next().unwrap().strip_prefix("# yaml-language-server: $schema=").unwrap().to_owned();
    let folder = fleet.path(path).parent().unwrap().to_owned();
    serde_json::from_str(&fs::read_to_string(folder.join(schema)).unwrap()).unwrap()
}

#[test]
fn every_first_manifest_passes_the_checks_and_generates_code() {
    for transport in ["memory", "mqtt", "kafka", "nats", "sqs", "amqp", "mcp"] {
        let fleet = empty();
        let arguments = format!("init --agent payments --capability pay --capability refund --transport {transport}");
        let run = fleet.run(&arguments).ended(0);
        assert!(run.stderr.contains("✓ wrote agents/payments/capabilities.yaml\n"), "{run:?}");
        let run = fleet.run("check --strict").ended(0);
        assert_eq!(run.stderr, "✓ checked 1 contract: 0 errors, 0 warnings\n");
        fleet.run("--peer payments").ended(0);
        assert!(fleet.read("generated/payments.ts").contains("RefundRequest"));
        assert!(fleet.read(MANIFEST).contains(&format!("kind: {transport}\n")));
        assert_eq!(fleet.read(MANIFEST).matches("version: \"1.0.0\"\n").count(), 2);
        assert_eq!(schema(&fleet, MANIFEST)["title"], "capabilities.yaml");
    }
}

#[test]
fn a_fleet_has_a_list_of_its_agents() {
    let fleet = empty();
    // In YAML, this id is a number.
    fleet.run("init --agent 1.0 --capability ping --fleet").ended(0);
    assert_eq!(schema(&fleet, "fleet.yaml")["title"], "fleet.yaml");
    let text = fleet.read("fleet.yaml");
    assert!(text.contains("agents:\n  - { id: \"1.0\", path: \"agents/1.0\" }\n"), "{text}");
    fleet.run("check --strict").ended(0);
    fleet.run("--peer 1.0 --out other").ended(0);
    // The schema is there already.
    let run = fleet.run("init --agent payments --capability pay").ended(0);
    assert!(run.stderr.starts_with("✓ wrote agents/payments/capabilities.yaml\nnext: "), "{run:?}");
    assert!(fleet.run("check --strict").ended(0).stderr.contains("2 contracts"));
}

#[test]
fn a_fleet_generates_the_languages_of_the_packages_beside_it() {
    let both = "lang: [rust, typescript]";
    for (packages, expected) in [
        (&[][..], both),
        (&["Cargo.toml"][..], "lang: [rust]"),
        (&["package.json"][..], "lang: [typescript]"),
        (&["Cargo.toml", "package.json"][..], both),
    ] {
        let fleet = empty();
        packages.iter().for_each(|name| fleet.write(name, ""));
        let run = fleet.run("init --agent payments --capability pay --fleet").ended(0);
        assert!(run.stderr.ends_with("then generate code with `capgen gen`\n"), "{run:?}");
        let text = fleet.read("fleet.yaml");
        assert!(text.contains(&format!("{{ peers: all, {expected}, out: generated }}\n")), "{text}");
        fleet.run("gen").ended(0);
        let written = ["rs", "ts"].map(|extension| fleet.path(&format!("generated/payments.{extension}")).exists());
        let is_expected = ["rust", "typescript"].map(|language| expected.contains(language));
        assert_eq!(written, is_expected);
        fleet.run("gen --check").ended(0);
        // `all` includes the agents below `agents/` that the list does not name.
        fleet.run("init --agent search --capability find").ended(0);
        assert!(fleet.run("gen --check").ended(1).stderr.contains("search"));
    }
    let fleet = empty();
    fs::create_dir(fleet.path("a fleet")).unwrap();
    let (_, stderr) = run_exactly(&fleet, &["--agent", "a", "--capability", "b", "--fleet", "--root", "a fleet"]);
    assert_eq!(next_command(&stderr), "gen --root 'a fleet'");
}

#[test]
fn defaults_replace_missing_options_only_on_request() {
    let fleet = empty();
    let run = fleet.run("init").ended(2);
    assert!(run.stderr.contains("pass --agent <ID> and --capability <NAME>, or `--yes`"), "{run:?}");
    fleet.run("init --agent payments").ended(2);
    assert_eq!(fleet.names(""), [""; 0]);
    fs::create_dir(fleet.path("My Shop")).unwrap();
    fleet.run("init --yes --out ./My").ended(0);
    let output = fleet.command("init --yes").current_dir(fleet.path("My Shop")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(fleet.read("My Shop/agents/My-Shop/capabilities.yaml").contains("agent: agent://My-Shop\n"));
}

#[test]
fn a_manifest_can_be_anywhere() {
    let fleet = empty();
    let run = fleet.run("init --agent search --capability find --out vendor/a/search.yaml").ended(0);
    assert!(run.stderr.contains("capgen --capabilities vendor/a/search.yaml"), "{run:?}");
    assert_eq!(schema(&fleet, "vendor/a/search.yaml")["title"], "capabilities.yaml");
    fleet.run("check --strict vendor/a/search.yaml").ended(0);
    fleet.run("init --agent a --capability b --out c.yaml --fleet").ended(2);
}

#[test]
fn the_fleet_is_that_of_the_nearest_parent() {
    let fleet = Fleet::new(&["A"]);
    fs::create_dir_all(fleet.path("services/shop")).unwrap();
    let run = |agent: &str| {
        let mut command = fleet.command(&format!("init --agent {agent} --capability b"));
        let output = command.current_dir(fleet.path("services/shop")).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (status, stderr) = run("a");
    assert!(status == 1 && stderr.contains("error[E0973]"), "{stderr}");
    let (status, stderr) = run("payments");
    assert!(status == 0 && stderr.contains("✓ wrote ../../agents/payments/capabilities.yaml\n"), "{stderr}");
    assert_eq!((next_command(&stderr), fleet.names("services/shop")), ("--peer payments", Vec::new()));
    fleet.run("check --strict").ended(0);
}

#[test]
fn the_manifest_is_a_yaml_file() {
    let fleet = empty();
    fs::create_dir(fleet.path("present")).unwrap();
    for (out, is_json, instead) in [
        ("a/x.json", true, "a/x.yaml"),
        ("x.JSON", true, "x.yaml"),
        ("my x.json", true, "'my x.yaml'"),
        ("d/", false, "d/capabilities.yaml"),
        ("d/.", false, "d/capabilities.yaml"),
        ("present", false, "present/capabilities.yaml"),
        (".", false, "capabilities.yaml"),
        ("./", false, "capabilities.yaml"),
        ("..", false, "../capabilities.yaml"),
    ] {
        let (status, stderr) = run_exactly(&fleet, &["--agent", "a", "--capability", "b", "--out", out]);
        let reason = if is_json { "would be read as JSON" } else { "is a folder, but `--out` needs a file" };
        let message = format!("error[E0971]: `{out}` {reason}");
        assert!(status == 1 && stderr.contains(&message), "{out}: {stderr}");
        assert!(stderr.contains(&format!("name a YAML file, such as `--out {instead}`")), "{out}: {stderr}");
    }
    // All invalid values are reported at once.
    let run = fleet.run("init --agent a/b --capability c --out x.json").ended(1);
    assert_eq!(run.stderr.matches("error[E0971]").count(), 2, "{run:?}");
    assert_eq!((fleet.names(""), fleet.names("present")), (vec!["present".to_owned()], Vec::new()));
    fleet.run("init --agent a --capability b --out x.yml").ended(0);
}

#[test]
fn the_manifest_is_not_for_standard_output() {
    let fleet = empty();
    for arguments in ["init --agent a --capability b --out -", "init --yes --out=-"] {
        let run = fleet.run(arguments).ended(2);
        assert!(run.stderr.contains("`--out -` is not a file") && run.stderr.contains("--out <FILE>"), "{run:?}");
    }
    assert_eq!(fleet.names(""), [""; 0]);
}

#[test]
fn ids_that_differ_only_in_case_are_a_conflict() {
    let fleet = Fleet::new(&["A"]);
    fleet.write("services/Shop/capabilities.yaml", &loose("Shop"));
    fleet.write("fleet.yaml", "agents: [{ id: Shop, path: services/Shop }, { id: shop, path: services/shop.yaml }]\n");
    for (arguments, other) in [
        ("--agent a", "agents/A/capabilities.yaml"),
        ("--agent a --out agents/a/capabilities.yaml", "agents/A/capabilities.yaml"),
        ("--agent sHOP", "services/Shop/capabilities.yaml"),
        ("--agent shop --out services/shop.yaml", "services/Shop/capabilities.yaml"),
    ] {
        let run = fleet.run(&format!("init --capability b {arguments}")).ended(1);
        assert!(run.stderr.contains("error[E0973]") && run.stderr.contains("differ only in case"), "{run:?}");
        assert!(run.stderr.contains(other) && run.stderr.contains("choose another agent"), "{run:?}");
    }
    assert_eq!((fleet.names("agents"), fleet.names("services")), (vec!["A".to_owned()], vec!["Shop".to_owned()]));
    // The fleet does not contain this manifest.
    fleet.run("init --agent a --capability b --out vendor/a.yaml").ended(0);
    fleet.write("fleet.yaml", "agents: []\n");
    fleet.run("init --agent b --capability b").ended(0);
    fleet.run("check --strict").ended(0);
}

#[test]
fn a_manifest_in_the_fleet_has_the_id_that_the_fleet_expects() {
    let fleet = Fleet::new(&[]);
    fleet.write("fleet.yaml", "agents: [{ id: search, path: agents/find }, { id: pay, path: services/pay.yaml }]\n");
    for (arguments, owner) in [
        ("--agent find", "search"),
        ("--agent a --out agents/b/capabilities.yaml", "b"),
        ("--agent a --out ./services/../services/pay.yaml", "pay"),
        ("--agent a --out agents/find/capabilities.yml", "search"),
    ] {
        let run = fleet.run(&format!("init --capability c {arguments}")).ended(1);
        let message = format!("is the manifest of the agent `{owner}` in the fleet, not of `");
        assert!(run.stderr.contains("error[E0973]") && run.stderr.contains(&message), "{run:?}");
    }
    assert_eq!(fleet.names("agents"), [""; 0]);
    for (agent, out) in [("search", "agents/find/capabilities.yml"), ("pay", "services/pay.yaml")] {
        fleet.run(&format!("init --agent {agent} --capability c --out {out}")).ended(0);
    }
    // From a folder of the fleet.
    fs::create_dir(fleet.path("agents/b")).unwrap();
    let from_folder = |agent: &str| {
        let mut command = fleet.command(&format!("init --agent {agent} --capability c --out capabilities.yaml"));
        command.current_dir(fleet.path("agents/b")).output().unwrap().status.code().unwrap()
    };
    assert_eq!((from_folder("a"), from_folder("b")), (1, 0));
    assert!(fleet.run("check --strict").ended(0).stderr.contains("3 contracts"));
    // A broken `fleet.yaml` does not matter to a manifest that is not in the fleet.
    fleet.write("fleet.yaml", "agnets: []\n");
    fleet.run("init --agent a --capability b --out vendor/a.yaml").ended(0);
}

/// The command after `next:` in the output, without `capgen`.
fn next_command(stderr: &str) -> &str {
    stderr.split_once("generate code with `capgen ").unwrap().1.trim_end().strip_suffix('`').unwrap()
}

#[test]
fn the_next_command_works_in_a_shell() {
    for (arguments, expected) in [
        (["--root", "r"], "--peer a --root r"),
        (["--root", "my $HOME"], "--peer a --root 'my $HOME'"),
        (["--root", "it's"], "--peer a --root 'it'\\''s'"),
        (["--root", "./-r"], "--peer a --root ./-r"),
        (["--root=-r", "--yes"], "--peer a --root ./-r"),
        (["--out", "my shop/a;b.yaml"], "--capabilities 'my shop/a;b.yaml'"),
        (["--out=-x.yaml", "--yes"], "--capabilities ./-x.yaml"),
        (["--fleet", "--yes"], "gen"),
    ] {
        let fleet = empty();
        let (status, stderr) = run_exactly(&fleet, &[&["--agent", "a", "--capability", "b"], &arguments[..]].concat());
        assert_eq!((status, next_command(&stderr)), (0, expected), "{stderr}");
        if cfg!(unix) {
            let script = format!("\"$0\" {expected}");
            let mut command = Command::new("sh");
            command.args(["-c", &script, env!("CARGO_BIN_EXE_capgen")]).current_dir(fleet.path(""));
            let output = command.output().unwrap();
            assert!(output.status.success(), "{expected}: {output:?}");
        }
    }
}

#[test]
fn no_file_is_overwritten() {
    let fleet = Fleet::new(&["payments"]);
    fleet.write("fleet.yaml", "agents: []\n");
    let run = fleet.run("init --agent payments --capability pay --fleet").ended(1);
    assert_eq!(run.stderr.matches("error[E0972]").count(), 2, "{run:?}");
    assert_eq!((fleet.read(MANIFEST), fleet.read("fleet.yaml")), (loose("payments"), "agents: []\n".to_owned()));
    assert!(!fleet.path(".capgen").exists());
    // A manifest in the other notation.
    fleet.write("agents/search/capabilities.json", "{}");
    let run = fleet.run("init --agent search --capability find").ended(1);
    assert!(run.stderr.contains("`agents/search/capabilities.json` exists already"), "{run:?}");
    // A schema of another version.
    fleet.write(".capgen/capabilities.schema.json", "{}");
    let run = fleet.run("init --agent a --capability b").ended(0);
    assert!(run.stderr.contains("kept .capgen/capabilities.schema.json"), "{run:?}");
    assert_eq!(fleet.read(".capgen/capabilities.schema.json"), "{}");
}

#[test]
fn the_path_in_the_fleet_file_counts() {
    let fleet = Fleet::new(&[]);
    fleet.write("fleet.yaml", "agents: [{ id: payments, path: services/payments }, { id: a, path: ./agents/a/ }]\n");
    let run = fleet.run("init --agent payments --capability pay").ended(1);
    assert!(run.stderr.contains("error[E0973]") && run.stderr.contains("`services/payments`"), "{run:?}");
    fleet.run("init --agent payments --capability pay --out services/payments/capabilities.yaml").ended(0);
    fleet.run("init --agent a --capability b").ended(0);
    assert!(fleet.run("check --strict").ended(0).stderr.contains("2 contracts"));
    fleet.write("fleet.yaml", "agnets: []\n");
    assert!(fleet.run("init --agent b --capability b").ended(1).stderr.contains("error[E0201]"));
}

#[test]
fn all_invalid_values_are_reported_and_nothing_is_written() {
    let fleet = empty();
    let run = fleet.run("init --agent a/../../b --capability ok --capability=-x --transport natss").ended(1);
    assert_eq!(run.stderr.matches("error[E0971]").count(), 3, "{run:?}");
    assert!(run.stderr.contains("did you mean `nats`?"), "{run:?}");
    for names in ["--capability a --capability a", "--capability a-b --capability A_b"] {
        fleet.run(&format!("init --agent a {names}")).ended(1);
    }
    fleet.run("init --agent nul --capability a").ended(1);
    assert_eq!(fleet.names(""), [""; 0]);
}

#[test]
fn hostile_values_are_neither_yaml_nor_terminal_commands() {
    for hostile in [
        "a: b",
        "a\nb: c",
        "- a",
        "a #",
        "\"",
        "'",
        "{}",
        "[a]",
        "!!str a",
        "&a",
        "*a",
        "..",
        ".",
        "",
        " ",
        "\u{1b}[2J",
        "é",
    ] {
        let fleet = empty();
        let (status, stderr) = run_exactly(&fleet, &[&format!("--agent={hostile}"), "--capability", "ok"]);
        assert!(status == 1 && stderr.contains("error[E0971]") && !stderr.contains('\u{1b}'), "{hostile:?}: {stderr}");
        let (status, _) = run_exactly(&fleet, &["--agent", "ok", &format!("--capability={hostile}")]);
        assert_eq!(status, 1, "{hostile:?}");
        assert_eq!(fleet.names(""), [""; 0]);
    }
    // Names that YAML reads as other types, unless they are quoted.
    for name in ["null", "true", "no", "0x1", "1e3", "007", "2001-01-01", "y"] {
        let fleet = empty();
        fleet.run(&format!("init --agent {name} --capability {name} --fleet")).ended(0);
        fleet.run("check --strict").ended(0);
        fleet.run(&format!("--peer {name}")).ended(0);
    }
}

#[cfg(unix)]
#[test]
fn if_a_folder_cannot_be_created_nothing_is_left() {
    let fleet = empty();
    fleet.write("root/.capgen", "a file");
    let run = fleet.run("init --agent a --capability b --root root").ended(1);
    assert!(run.stderr.contains("error[E0974]"), "{run:?}");
    assert_eq!(fleet.names("root"), [".capgen"]);
    // A link that leads nowhere.
    fs::create_dir_all(fleet.path("agents/a")).unwrap();
    std::os::unix::fs::symlink("nowhere", fleet.path(&MANIFEST.replace("payments", "a"))).unwrap();
    fleet.run("init --agent a --capability b").ended(1);
    assert!(!fleet.path("agents/a/nowhere").exists());
}

/// Answers questions on a pseudo-terminal. The first argument is the program, the others are answers; `^C` interrupts.
const TERMINAL: &str = r#"
import os, pty, signal, sys
child, terminal = pty.fork()
if child == 0:
    # A shell without a terminal starts commands in the background with this signal ignored, which processes inherit.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.execv(sys.argv[1], [sys.argv[1], "init"])
output = b""
def read():
    global output
    try:
        data = os.read(terminal, 4096)
    except OSError:
        data = b""
    output += data
    return data
for answer in sys.argv[2:]:
    seen = len(output)
    while not output[seen:].rstrip(b" ").endswith(b":") and read():
        pass
    os.write(terminal, b"\x03" if answer == "^C" else answer.encode() + b"\n")
while read():
    pass
_, status = os.waitpid(child, 0)
print(status)
sys.stdout.write(output.decode())
"#;

/// The status and the output of a run on a terminal; `None` without Python.
#[expect(clippy::print_stderr, clippy::panic, reason = "a part of tests")]
fn on_terminal(fleet: &Fleet, answers: &[&str]) -> Option<(String, String)> {
    let mut command = Command::new("python3");
    command.args(["-c", TERMINAL, env!("CARGO_BIN_EXE_capgen")]).args(answers).current_dir(fleet.path(""));
    let Some(output) = command.output().ok().filter(|_| cfg!(unix)) else {
        eprintln!("skipped: there is no python3, or no pseudo-terminal");
        return None;
    };
    let text = String::from_utf8(output.stdout).unwrap();
    let (status, text) = text.split_once('\n').unwrap_or_else(|| panic!("{:?}", String::from_utf8(output.stderr)));
    Some((status.to_owned(), text.to_owned()))
}

#[test]
fn a_terminal_is_asked() {
    let fleet = empty();
    let answers = ["pay ments", "payments", "pay", "", "nats", "yes"];
    let Some((status, output)) = on_terminal(&fleet, &answers) else { return };
    assert_eq!(status, "0", "{output}");
    assert!(output.contains("an id consists of") && output.contains("Transport (memory, mqtt"), "{output}");
    assert!(fleet.read(MANIFEST).contains("  - name: pay\n"));
    fleet.run("check --strict").ended(0);
    fleet.run("--peer payments").ended(0);
}

#[test]
fn an_interrupted_dialogue_leaves_nothing() {
    for answers in [&["^C"][..], &["a", "^C"], &["a", "b", "", "memory", "^C"], &["a", "b", "", "memory", "no"]] {
        let fleet = empty();
        let Some((status, output)) = on_terminal(&fleet, answers) else { return };
        assert!(status != "0" && output.starts_with("Agent id ["), "{status}: {output}");
        assert_eq!(fleet.names(""), [""; 0], "{output}");
    }
}
