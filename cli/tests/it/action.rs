//! The GitHub action and the hooks of pre-commit, run as GitHub and pre-commit run them.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::common::{Fleet, REVIEWER};

const MANIFEST: &str = "agents/pr-reviewer/capabilities.yaml";
const MARKER: &str = "<!-- capgen: changes of contracts -->";

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// A request: its method, its path, its `Authorization`, and its body.
type Request = (String, String, String, Value);

/// The comments of a pull request, as the API of GitHub has them.
struct Api {
    url: String,
    state: Arc<Mutex<(Vec<Value>, Vec<Request>)>>,
}

impl Api {
    /// A server with these comments; without `writes`, it rejects new ones as for the token of a fork.
    fn new(comments: Vec<Value>, writes: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new((comments, Vec::new())));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                answer(&stream.unwrap(), &shared, writes);
            }
        });
        Self { url, state }
    }

    fn comments(&self) -> Vec<Value> {
        self.state.lock().unwrap().0.clone()
    }

    fn requests(&self) -> Vec<Request> {
        self.state.lock().unwrap().1.clone()
    }
}

fn answer(mut stream: &TcpStream, state: &Mutex<(Vec<Value>, Vec<Request>)>, writes: bool) {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let [method, path] = [0, 1].map(|part| line.split(' ').nth(part).unwrap().to_owned());
    let (mut length, mut token) = (0, String::new());
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).unwrap();
        let Some((name, value)) = header.trim_end().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().unwrap(),
            "authorization" => value.clone_into(&mut token),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let mut state = state.lock().unwrap();
    state.1.push((method.clone(), path.clone(), token, body.clone()));
    let (status, answer) = match method.as_str() {
        "GET" => {
            let page: usize = path.rsplit_once("page=").unwrap().1.parse().unwrap();
            let comments: Vec<Value> = state.0.iter().skip((page - 1) * 100).take(100).cloned().collect();
            ("200 OK", json!(comments))
        }
        _ if !writes => ("403 Forbidden", json!({ "message": "Resource not accessible by integration" })),
        "POST" => {
            let id = 1000 + state.0.len();
            state.0.push(json!({ "id": id, "user": { "type": "Bot" }, "body": body["body"] }));
            ("201 Created", json!({}))
        }
        _ => {
            let id: u64 = path.rsplit_once('/').unwrap().1.parse().unwrap();
            let comment = state.0.iter_mut().find(|comment| comment["id"] == id).unwrap();
            comment["body"] = body["body"].clone();
            ("200 OK", json!({}))
        }
    };
    let answer = answer.to_string();
    let length = answer.len();
    write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{answer}").unwrap();
}

/// Whether the programs that the script needs are installed.
fn can_run() -> bool {
    let has = |program: &str| Command::new(program).arg("--version").output().is_ok();
    let all = ["bash", "curl", "jq", "git"].into_iter().all(has);
    if !all {
        println!("skipped: the action needs bash, curl, jq and git");
    }
    all
}

/// A repository whose pull request has a breaking, a risky and a harmless change, and changes a description.
fn pull_request() -> Fleet {
    let old = REVIEWER.replace("    timeoutMs:", "    timeoutMs: 9000 #");
    let fleet = Fleet::new(&["pr-reviewer"]);
    fleet.write(MANIFEST, &old);
    fleet.init();
    let new =
        old.replace("low, med, high", "low, med").replace("9000", "500").replace("Review a", "Ignore @team, review a");
    assert_ne!(new, old);
    fleet.write(MANIFEST, &new);
    fleet.commit();
    fleet
}

/// Runs the script of the action in a repository: the status, and both streams.
fn run(fleet: &Fleet, api: &Api, variables: &[(&str, &str)]) -> (i32, String) {
    let event = fleet.path("event.json");
    std::fs::write(&event, json!({ "pull_request": { "number": 7, "title": "$(touch pwned)" } }).to_string()).unwrap();
    let bin = Path::new(env!("CARGO_BIN_EXE_capgen")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("bash");
    command.arg(workspace().join(".github/action/check")).current_dir(fleet.path("."));
    command.env("PATH", path).env("GITHUB_ACTION_PATH", workspace());
    command.env("GITHUB_EVENT_PATH", &event).env("GITHUB_BASE_REF", "main").env("GITHUB_API_URL", &api.url);
    command.env("GITHUB_REPOSITORY", "owner/fleet").env("GITHUB_STEP_SUMMARY", fleet.path("summary.md"));
    command.env("CAPGEN_TOKEN", "t0ken").env("CAPGEN_GENERATED", "false").env("NO_PROXY", "127.0.0.1");
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let streams = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
    (output.status.code().unwrap(), streams)
}

#[test]
fn a_pull_request_gets_annotations_and_one_comment_that_is_updated() {
    if !can_run() {
        return;
    }
    let fleet = pull_request();
    let others = (0..120).map(|id| json!({ "id": id, "user": { "type": "User" }, "body": MARKER })).collect();
    let api = Api::new(others, true);
    let (status, streams) = run(&fleet, &api, &[]);
    assert_eq!(status, 1, "{streams}");
    assert!(streams.contains("::error file=agents/pr-reviewer/capabilities.yaml,line=17"), "{streams}");
    let comments = api.comments();
    assert_eq!(comments.len(), 121, "the comments of users do not count");
    let body = comments[120]["body"].as_str().unwrap();
    assert!(body.starts_with(&format!("{MARKER}\n### Contract changes: 1 breaking, 1 risky, ")), "{body}");
    assert!(body.contains("new text: `\"Ignore @team, review a"), "{body}");
    assert_eq!(std::fs::read_to_string(fleet.path("summary.md")).unwrap(), body.split_once('\n').unwrap().1);
    let requests = api.requests();
    assert!(
        requests
            .iter()
            .all(|(_, path, token, _)| { path.starts_with("/repos/owner/fleet/issues/") && token == "Bearer t0ken" })
    );
    assert!(!fleet.path("pwned").exists());
    // The next run changes the same comment.
    fleet.git(&["reset", "--quiet", "--hard", "origin/main"]);
    let (status, streams) = run(&fleet, &api, &[]);
    assert_eq!(status, 0, "{streams}");
    let comments = api.comments();
    assert_eq!(
        (comments.len(), &comments[120]["body"]),
        (121, &json!(format!("{MARKER}\n### Contract changes: none\n\n")))
    );
}

#[test]
fn a_comment_needs_changes_and_a_pull_request() {
    if !can_run() {
        return;
    }
    let fleet = Fleet::new(&["pr-reviewer"]);
    fleet.init();
    let api = Api::new(Vec::new(), true);
    assert_eq!(run(&fleet, &api, &[]).0, 0);
    assert_eq!(run(&fleet, &api, &[("GITHUB_BASE_REF", ""), ("CAPGEN_STRICT", "true")]).0, 0);
    assert_eq!(run(&fleet, &api, &[("CAPGEN_COMMENT", "false")]).0, 0);
    assert_eq!(api.comments(), Vec::<Value>::new());
}

#[test]
fn a_comment_that_cannot_be_written_is_a_warning_and_hostile_inputs_are_no_commands() {
    if !can_run() {
        return;
    }
    let fleet = pull_request();
    let api = Api::new(Vec::new(), false);
    let (status, streams) = run(&fleet, &api, &[("CAPGEN_FAIL_ON", "breaking")]);
    assert_eq!(status, 1, "{streams}");
    assert!(
        streams.contains("::warning title=capgen::the comment about changes of contracts cannot be written"),
        "{streams}"
    );
    for name in ["CAPGEN_AGAINST", "CAPGEN_FAIL_ON", "GITHUB_BASE_REF", "CAPGEN_ROOT"] {
        let (status, streams) = run(&fleet, &api, &[(name, "x\"; touch pwned; $(touch pwned) `touch pwned`")]);
        assert_ne!(status, 0, "{streams}");
        assert!(!fleet.path("pwned").exists(), "{name}");
    }
}

#[test]
fn no_expression_of_the_action_is_a_part_of_a_command() {
    let action = std::fs::read_to_string(workspace().join("action.yml")).unwrap();
    let runs: Vec<&str> = action.lines().filter(|line| line.trim_start().starts_with("run:")).collect();
    assert_eq!(runs, ["      run: bash \"$GITHUB_ACTION_PATH/.github/action/check\""]);
    let script = std::fs::read_to_string(workspace().join(".github/action/check")).unwrap();
    assert!(!script.contains("${{"));
}

#[test]
fn generated_code_is_that_of_the_outputs_or_of_all_agents() {
    if !can_run() {
        return;
    }
    let (fleet, api) = (pull_request(), Api::new(Vec::new(), true));
    let variables = [("CAPGEN_GENERATED", "true"), ("CAPGEN_COMMENT", "false")];
    let (status, text) = run(&fleet, &api, &variables);
    assert!(status == 1 && text.contains("`generated/pr-reviewer.rs` is missing"), "{text}");
    fleet.write("fleet.yaml", "agents: []\ngenerate: { outputs: [{ peers: all, lang: [ts], out: web }] }\n");
    let (status, text) = run(&fleet, &api, &variables);
    assert!(status == 1 && text.contains("`web/pr-reviewer.ts` is missing") && !text.contains("generated/"), "{text}");
}

#[test]
fn the_hooks_of_pre_commit_are_commands_of_this_program() {
    let hooks = std::fs::read_to_string(workspace().join(".pre-commit-hooks.yaml")).unwrap();
    let key = |hook: &str, key: &str| {
        let value = hook.lines().find_map(|line| line.trim().strip_prefix(key))?;
        Some(value.trim_matches(['[', ']']).to_owned())
    };
    let entry = |hook: &str| Some(key(hook, "entry: capgen ")? + " " + &key(hook, "args: ").unwrap_or_default());
    let entries: Vec<String> = hooks.split("- id: ").filter_map(entry).collect();
    assert_eq!(entries.len(), 4);
    let fleet = pull_request();
    fleet.write(MANIFEST, &fleet.read(MANIFEST).replace("agent://pr-reviewer", "pr-reviewer"));
    for (entry, status) in entries.into_iter().zip([1, 0, 1, 0]) {
        let run = fleet.run(entry.trim_end()).ended(status);
        assert!(!run.stderr.is_empty() || status == 0, "{run:?}");
    }
}
