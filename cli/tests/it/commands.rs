//! `capgen check`, `explain`, `completions`, help pages and incorrect usage.

use std::path::Path;
use std::process::Command;

use crate::common;
use crate::common::{Fleet, REVIEWER};

#[test]
fn check_without_arguments_reads_the_whole_fleet() {
    let fleet = Fleet::new(&["a", "pr-reviewer"]);
    let run = fleet.run("check").ended(0);
    assert_eq!(run.stderr, "✓ checked 2 contracts: 0 errors, 0 warnings\n");
    fleet.write("agents/a/capabilities.yaml", "version: 1\n");
    fleet.run("check").ended(1);
    fleet.run("check agents/pr-reviewer/capabilities.yaml").ended(0);
    fleet.run("check --peer pr-reviewer").ended(0);
    assert!(!fleet.path("generated").exists());
}

#[test]
fn cargo_runs_the_program_as_its_subcommand() {
    let fleet = Fleet::new(&["pr-reviewer"]);
    let subcommand = Path::new(env!("CARGO_BIN_EXE_cargo-capgen"));
    let run = |command: &mut Command| {
        let output = command.current_dir(fleet.path("")).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let paths = subcommand.parent().map(Path::to_owned).into_iter();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(paths.chain(std::env::split_paths(&path))).unwrap();
    let cargo = || {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.env("PATH", &path).arg("capgen");
        cargo
    };
    let (status, stderr) = run(cargo().args(["check", "--peer", "pr-reviewer"]));
    assert_eq!((status, stderr.as_str()), (Some(0), "✓ checked 1 contract: 0 errors, 0 warnings\n"));
    // Statuses are those of the program, and its messages name the command that the user can repeat.
    let (status, stderr) = run(cargo().args(["check", "--peer", "pr-reviewr"]));
    assert!(status == Some(1) && stderr.contains("did you mean `pr-reviewer`?"), "{stderr}");
    let (status, stderr) = run(cargo().arg("gen"));
    assert!(status == Some(2) && stderr.contains("For example: cargo capgen --peer"), "{stderr}");
    // Without Cargo, its name is not an argument.
    assert_eq!(run(Command::new(subcommand).args(["check", "--peer", "pr-reviewer"])).0, Some(0));
    let (status, stderr) = run(Command::new(subcommand).args(["capgen", "capgen"]));
    assert!(status == Some(2) && stderr.contains("unrecognized subcommand 'capgen'"), "{stderr}");
}

#[test]
fn strict_fails_on_warnings() {
    let fleet = Fleet::new(&["pr-reviewer"]);
    fleet.write("agents/pr-reviewer/capabilities.yaml", &REVIEWER.replace("[low, med, high]", "[low, low]"));
    assert!(fleet.run("check").ended(0).stderr.contains("warning[W0101]"));
    fleet.run("check --strict").ended(1);
}

#[test]
fn check_warns_about_an_address_that_another_agent_derives_from_its_own() {
    let fleet = Fleet::new(&[]);
    let write = |agent: &str, subject: &str| {
        let transport = format!("{{ kind: nats, servers: [\"nats://n:4222\"], subjects: {{ requests: {subject} }} }}");
        let text = format!("version: 1\nagent: agent://{agent}\ntransports: [{transport}]\n");
        fleet.write(&format!("agents/{agent}/capabilities.yaml"), &(text + "capabilities: [{ name: ping }]\n"));
    };
    write("trips", "agents.trips");
    for (subject, part) in [
        ("agents.trips.control", Some("`.control` for cancels")),
        (
            "agents.trips.contract.0123456789abcdef0123456789abcdef",
            Some("`.contract` for requests for a certain contract"),
        ),
        ("agents.trips.events.booked.7", Some("`.events` for events")),
        ("agents.trips.desk", None),
        ("agents.trips", None),
    ] {
        write("desk", subject);
        let run = fleet.run("check").ended(0);
        assert_eq!(run.stderr.contains("W0203"), part.is_some(), "{run:?}");
        let Some(part) = part else { continue };
        assert!(run.stderr.contains("an address of agent `desk` belongs to agent `trips`"), "{run:?}");
        assert!(run.stderr.contains("agents/desk/capabilities.yaml") && run.stderr.contains(part), "{run:?}");
        // Settings of transports may be credentials.
        assert!(!run.stderr.contains(subject), "{run:?}");
        fleet.run("check --strict").ended(1);
        fleet.run("check --strict --peer desk").ended(0);
    }
}

#[test]
fn check_warns_once_about_an_agent_whose_roles_no_one_has() {
    let fleet = Fleet::new(&[]);
    let text = "version: 1\nagent: agent://trips\ntransports: [{ kind: memory, topics: { requests: trips } }]\n\
                capabilities: [{ name: ping }, { name: book, requiredRoles: [booker] }, { name: cancel, requiredScopes: [a] }]\n";
    fleet.write("agents/trips/capabilities.yaml", text);
    // Without `fleet.yaml`, there is no place to state that this is done.
    fleet.run("check --strict").ended(0);
    let listed = "agents: [{ id: trips, path: agents/trips }]\n";
    fleet.write("fleet.yaml", listed);
    let run = fleet.run("check").ended(0);
    assert_eq!(run.stderr.matches("W0204").count(), 1, "{run:?}");
    assert!(run.stderr.contains("agents/trips/capabilities.yaml:4:61"), "{run:?}");
    assert!(run.stderr.contains("callers need them for `book`, `cancel`"), "{run:?}");
    for way in ["`grants`", "JWKS", "`authorize`", "`without_authorization()`"] {
        assert!(run.stderr.contains(way), "{run:?}");
    }
    fleet.run("check --strict").ended(1);
    for grants in ["grants: {}\n", "grants: { concierge: { roles: [booker] } }\n"] {
        fleet.write("fleet.yaml", &format!("{listed}{grants}"));
        fleet.run("check --strict").ended(0);
        fleet.run("check --strict agents/trips/capabilities.yaml").ended(0);
    }
}

#[test]
fn machine_readable_formats_go_to_standard_output() {
    let fleet = Fleet::new(&["pr-reviewer"]);
    fleet.write("agents/pr-reviewer/capabilities.yaml", &REVIEWER.replace("type: string,", "type: strnig,"));
    for (format, start) in [("json", "{\"code\":\"E0105\""), ("github", "::error "), ("sarif", "{")] {
        let run = fleet.run(&format!("check --format {format}")).ended(1);
        assert!(run.stdout.starts_with(start) && run.stdout.contains("E0105"), "{run:?}");
        assert_eq!(run.stderr, "");
    }
    let human = fleet.run("check").ended(1);
    assert!(human.stdout.is_empty() && human.stderr.contains("strnig"), "{human:?}");
}

#[test]
fn explain_prints_the_page_of_a_code() {
    let fleet = Fleet::new(&[]);
    for code in ["E0107", "e0107", "E0401", "E0505"] {
        let page = fleet.run(&format!("explain {code}")).ended(0).stdout;
        assert!(page.starts_with(&format!("# {}: ", code.to_uppercase())), "{page}");
    }
    assert!(fleet.run("explain E01O7").ended(1).stderr.contains("did you mean `E0107`?"));
    let list = fleet.run("explain --list").ended(0).stdout;
    assert!(list.lines().any(|line| line.starts_with("E0107  ")), "{list}");
}

#[test]
fn a_misuse_prints_the_usage_of_its_subcommand() {
    let fleet = Fleet::new(&["a", "b"]);
    fleet.write("tools.json", r#"{"tools": [{"name": "ping", "inputSchema": {"type": "object"}}]}"#);
    fleet.write("params.json", "{}");
    fleet.write("secret.hex", &"1".repeat(64));
    let invoke = "amp invoke http://x --to did:web:b --me did:web:a --secret-file secret.hex --key did:web:b=00 --capability org.a.b params.json";
    for (arguments, usage, message) in [
        ("--json", "capgen [OPTIONS]", "no contracts selected"),
        ("gen --json", "capgen gen [OPTIONS]", "no contracts selected"),
        ("init", "capgen init [OPTIONS]", "without a terminal, pass --agent <ID> and --capability <NAME>"),
        ("init --agent a --capability b --out -", "capgen init [OPTIONS]", "`--out -` is not a file"),
        ("import mcp tools.json --agent a --check", "capgen import mcp [OPTIONS] [TOOLS]", "pass `--out <FILE>`"),
        ("diff --against tools.json --all", "capgen diff [OPTIONS]", "2 contracts are selected"),
        #[cfg(feature = "registry")]
        ("registry step --log log.jsonl", "capgen registry step [OPTIONS]", "a JSONL log is only read"),
        #[cfg(feature = "dci")]
        ("dci resolve --query text", "capgen dci resolve [OPTIONS]", "--query ranks the providers"),
        #[cfg(feature = "amp-net")]
        (invoke, "capgen amp invoke [OPTIONS]", "invalid value 'did:web:b=00'"),
    ] {
        let stderr = fleet.run(arguments).ended(2).stderr;
        assert!(stderr.contains(message), "{arguments}: {stderr}");
        let shown = stderr.lines().find_map(|line| line.strip_prefix("Usage: "));
        assert!(shown.is_some_and(|shown| shown.starts_with(usage)), "{arguments}: {stderr}");
    }
}

#[test]
fn unknown_subcommands_get_a_suggestion() {
    for (name, suggestion) in [
        ("chekc", "'check'"),
        ("generate", "'gen'"),
        ("lint", "'check'"),
        ("new", "'init'"),
        ("verify", "'gen --check'"),
        (
            "frobnicate",
            "the subcommands are 'gen', 'check', 'validate', 'example', 'diff', 'init', 'import', 'export', 'lock', 'matrix', 'docs', 'audit', 'amp', 'registry', 'dci', 'explain'",
        ),
    ] {
        let run = Fleet::new(&[]).run(name).ended(2);
        assert!(run.stderr.contains(suggestion), "{name}: {}", run.stderr);
    }
}

#[test]
fn completion_scripts_contain_the_subcommands() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = Fleet::new(&[]).run(&format!("completions {shell}")).ended(0);
        assert!(run.stdout.contains("validate"), "{run:?}");
    }
}

#[test]
fn incorrect_usage_exits_with_2_and_a_hint() {
    let fleet = Fleet::new(&["a"]);
    for (arguments, hint) in [
        ("", "--peer <ID>"),
        ("gen", "--peer <ID>"),
        ("gen --json", "--capabilities <PATH>"),
        ("--pear a", "--peer"),
        ("generate", "unrecognized subcommand"),
        ("--peer a --lang python", "typescript"),
        ("--peer a --json --diff", "cannot be used with"),
        ("--peer a --watch --check", "cannot be used with"),
        ("validate --capability x --side request", "--capabilities <PATH>"),
        ("validate --peer a --capabilities b --capability x --side request", "cannot be used with"),
        ("validate --peer a --capability x --side both", "response"),
        ("explain", "CODE"),
        ("check --format xml", "sarif"),
    ] {
        let run = fleet.run(arguments).ended(2);
        assert!(run.stderr.contains(hint) && run.stdout.is_empty(), "{arguments}: {run:?}");
    }
}

#[test]
fn every_help_page_has_examples() {
    for subcommand in ["", "gen", "check", "validate", "init", "explain", "completions"] {
        let run = Fleet::new(&[]).run(&format!("{subcommand} --help")).ended(0);
        assert!(run.stdout.contains("Examples:\n  capgen "), "{run:?}");
    }
}

#[test]
fn output_is_not_coloured_without_a_terminal() {
    let fleet = Fleet::new(&["a"]);
    for arguments in ["--peer a", "--peer b", "check", "--help", "--nope"] {
        let run = fleet.run(arguments);
        assert!(!format!("{}{}", run.stdout, run.stderr).contains('\u{1b}'), "{run:?}");
    }
}

#[test]
fn a_contract_on_standard_input_is_incorrect_usage() {
    let fleet = common::Fleet::new(&["a"]);
    for arguments in
        ["check -", "gen --capabilities -", "validate --capabilities - --capability ping --side request payload.json"]
    {
        let run = fleet.run_with(arguments, common::loose("x")).ended(2);
        assert!(run.stderr.contains("a contract cannot be read from standard input"), "{run:?}");
    }
    fleet.write("-", &common::loose("x"));
    fleet.run("check ./-").ended(0);
}
