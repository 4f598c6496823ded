//! Prints the time and the instructions of calls that are forbidden, beside those of calls of a capability that does
//! not exist: a caller must not learn from them which capabilities there are.
//!
//! The kinds of calls alternate in random order, so that a busy machine affects all. `calls small book
//! 1000` makes so many calls of one kind and prints nothing, for callgrind.

mod amp;
mod calls;
mod mcp;
mod statistics;
mod typescript;

use std::process::Command;
use std::time::{Duration, Instant};

use capgen_manifest::{Manifest, Source, load};
use capgen_testkit::Random;

/// The calls of each kind.
const CALLS: usize = 10_000;
/// Calls before those that are measured: caches and maps have their usual size then.
const BEFORE: usize = 1000;
/// The servers of MCP that share these calls. Each has hashes of its own, by which names take a few nanoseconds more or
/// less than others.
const SERVERS: usize = 50;
/// The calls of each kind under callgrind, which is slow, of a short run and of a long one. Their difference counts, so
/// that the start does not.
const COUNTED: [usize; 2] = [50, 250];
/// The capabilities of a large agent, each of which needs a role of its own.
const LARGE: usize = 300;

/// An agent, and two names of the same length.
struct Agent {
    manifest: Manifest,
    /// A capability that the caller may not call, and one that does not exist.
    names: [&'static str; 2],
    /// A further one of each kind. Over MCP, the program compares the two of a kind, too: their difference is the
    /// noise. The servers of the other protocols remember too many calls for that.
    others: [&'static str; 2],
    /// After the protocol in the tables.
    suffix: &'static str,
}

impl Agent {
    /// An agent with capabilities that need different roles; `book` has three versions. The caller has none of the
    /// roles.
    fn small() -> Self {
        let capabilities = [
            ("book", "1.0.0", "booker"),
            ("book", "1.1.0", "booker"),
            ("book", "2.0.0", "booker"),
            ("cancel", "1.0.0", "canceller"),
            ("list", "1.0.0", "reader"),
            ("quote", "1.0.0", "reader"),
            ("refund", "1.0.0", "accountant"),
            ("search", "1.0.0", "searcher"),
        ];
        let capabilities = capabilities.map(|texts| <[&str; 3]>::from(texts).map(str::to_owned));
        Self { manifest: manifest(&capabilities), names: ["book", "cook"], others: ["list", "nook"], suffix: "" }
    }

    /// An agent with many capabilities, of which the caller asks for the last one.
    fn large() -> Self {
        let texts = |number| [format!("trip-{number:03}"), "1.0.0".to_owned(), format!("role-{number:03}")];
        let capabilities: Vec<_> = (0..LARGE).map(texts).collect();
        Self {
            manifest: manifest(&capabilities),
            names: ["trip-299", "trip-300"],
            others: ["trip-298", "trip-301"],
            suffix: ", large agent",
        }
    }

    /// The agent with a name, in an argument.
    fn named(name: &str) -> Self {
        if name == "large" { Self::large() } else { Self::small() }
    }

    fn name(&self) -> &'static str {
        if self.suffix.is_empty() { "small" } else { "large" }
    }
}

/// An agent with capabilities, given by their names, versions and required roles.
fn manifest(capabilities: &[[String; 3]]) -> Manifest {
    let mut text = String::from(
        "version: 1\nagent: agent://trips\ntransports: [{ kind: memory, topics: { requests: trips } }]\n\
         capabilities:\n",
    );
    let schema = "{ type: object, properties: { city: { type: string } }, required: [city] }";
    for [name, version, role] in capabilities {
        text += &format!(
            "  - {{ name: {name}, version: {version}, skill: {name}-{}, requiredRoles: [{role}], \
             inputSchema: {schema} }}\n",
            version.replace('.', "-")
        );
    }
    load(&Source::new("capabilities.yaml", text)).expect("a contract").manifest
}

/// A caller that asks for a capability, and checks that it is denied.
trait Probe {
    async fn call(&mut self, name: &str);
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    if let [protocol, agent, name, count] = arguments.as_slice() {
        let (agent, count) = (Agent::named(agent), count.parse().expect("a number"));
        return runtime.block_on(async {
            match protocol.as_str() {
                "calls" => repeat(&mut calls::Calls::start(&agent).await, name, count).await,
                "MCP" => repeat(&mut mcp::Mcp::start(&agent).await, name, count).await,
                _ => repeat(&mut amp::Amp::start(&agent), name, count).await,
            }
        });
    }
    println!("| protocol | call | median, µs | p90 | p99 | instructions |\n|---|---|---:|---:|---:|---:|");
    let mut comparisons = Vec::new();
    for agent in [Agent::small(), Agent::large()] {
        for protocol in ["calls", "MCP", "AMP"] {
            let title = format!("{protocol}{}", agent.suffix);
            let (samples, noise) = runtime.block_on(async {
                match protocol {
                    "calls" => (measured(&mut calls::Calls::start(&agent).await, agent.names, CALLS).await, None),
                    "AMP" => (measured(&mut amp::Amp::start(&agent), agent.names, CALLS).await, None),
                    _ => {
                        let [forbidden, unknown, other_forbidden, other_unknown] = of_mcp(&agent).await;
                        let samples = [[&*forbidden, &other_forbidden].concat(), [&*unknown, &other_unknown].concat()];
                        (samples, Some([[forbidden, other_forbidden], [unknown, other_unknown]]))
                    }
                }
            });
            let counts = agent.names.map(|name| instructions(protocol, agent.name(), name));
            comparisons.push(statistics::rows(&title, &samples, counts));
            for (kind, samples) in ["forbidden", "unknown"].iter().zip(noise.into_iter().flatten()) {
                comparisons.push(statistics::comparison(&format!("{title}: two {kind} names"), &samples));
            }
        }
        if let Some(samples) = typescript::measured(&agent) {
            comparisons.push(statistics::rows(&format!("calls, TypeScript{}", agent.suffix), &samples, [None; 2]));
        }
    }
    println!(
        "\n| protocol | difference of the medians | Mann-Whitney: z | the first is slower |\n|---|---:|---:|---:|"
    );
    comparisons.iter().for_each(|row| println!("{row}"));
}

async fn repeat(probe: &mut impl Probe, name: &str, count: usize) {
    for _ in 0..count {
        probe.call(name).await;
    }
}

/// The times of the calls of both kinds, and of further ones of both. There are many servers, because each has hashes
/// of its own.
async fn of_mcp(agent: &Agent) -> [Vec<Duration>; 4] {
    let ([a, b], [c, d]) = (agent.names, agent.others);
    let names = [a, b, c, d];
    let mut all = names.map(|_| Vec::new());
    for _ in 0..SERVERS {
        let samples = measured(&mut mcp::Mcp::start(agent).await, names, CALLS / 2 / SERVERS).await;
        all.iter_mut().zip(samples).for_each(|(all, samples)| all.extend(samples));
    }
    all
}

/// The times of the calls of each name.
async fn measured<const N: usize>(probe: &mut impl Probe, names: [&str; N], calls: usize) -> [Vec<Duration>; N] {
    for name in names {
        repeat(probe, name, BEFORE).await;
    }
    let mut samples = names.map(|_| Vec::with_capacity(calls));
    let mut random = Random::new(1);
    let mut order: [usize; N] = std::array::from_fn(|kind| kind);
    for _ in 0..calls {
        for last in (1..N).rev() {
            order.swap(last, random.below(last + 1));
        }
        for kind in order {
            let start = Instant::now();
            probe.call(names[kind]).await;
            samples[kind].push(start.elapsed());
        }
    }
    samples
}

/// The instructions of a call, by callgrind; `None` if it is not installed.
fn instructions(protocol: &str, agent: &str, name: &str) -> Option<u64> {
    let count = |calls: usize| -> Option<u64> {
        let program = std::env::current_exe().ok()?;
        let output = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(program)
            .args([protocol, agent, name, &calls.to_string()])
            .output()
            .ok()?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        text.split_once("Collected : ")?.1.split_whitespace().next()?.parse().ok()
    };
    let [few, many] = COUNTED;
    Some(count(many)?.saturating_sub(count(few)?) / (many - few) as u64)
}
