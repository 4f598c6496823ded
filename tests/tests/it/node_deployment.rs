//! The deployment of a change in `examples/console/deployment`, as `docs/evolution.md` describes it.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use capgen_manifest::{load, read_source};
use capgen_testkit::brokers::NatsServer;
use capgen_testkit::node::{command, printed};
use capgen_testkit::npm;
use capgen_tests::{Failure, folder, node};

use crate::node_script::write_module;

/// An instance of the agent `trips`.
struct Instance(Child);

impl Instance {
    /// Ends the process as its users do, and waits for it.
    fn stop(mut self) {
        if cfg!(unix) {
            let sent = Command::new("kill").args(["-INT", &self.0.id().to_string()]).status().unwrap();
            assert!(sent.success() && self.0.wait().unwrap().success());
        }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The programs of the example with a broker.
struct World {
    example: PathBuf,
    generated: PathBuf,
    broker: NatsServer,
}

impl World {
    /// Generates the code for the contract before or after the change.
    fn generate(&self, release: &str, contract: &str) {
        let source = read_source(&self.example.join(contract), contract).unwrap();
        write_module(&load(&source).unwrap().manifest, &self.generated.join(release));
    }

    fn program(&self, name: &str, release: &str) -> Command {
        let mut program = command();
        program.arg(self.example.join(name)).arg(release).arg(self.generated.join(release)).arg(self.broker.url());
        program
    }

    fn start(&self, release: &str) -> Instance {
        let mut instance = Instance(self.program("trips.mjs", release).stdout(Stdio::piped()).spawn().unwrap());
        let mut line = String::new();
        BufReader::new(instance.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line.trim_end(), format!("serving {release}"));
        instance
    }

    /// The results of so many calls of the caller before or after the change.
    fn call(&self, release: &str, count: usize) -> Vec<String> {
        (0..count).map(|_| printed(&mut self.program("desk.mjs", release)).trim_end().to_owned()).collect()
    }
}

#[test]
fn the_deployment_on_the_page_about_evolution_works() -> Result<(), Failure> {
    let Some(_) = node::require_or_skip()? else { return Ok(()) };
    let Some(broker) = NatsServer::start() else { return Ok(()) };
    let console = folder().join("../examples/console");
    npm::install(&console)?;
    let generated = Path::new(env!("CARGO_TARGET_TMPDIR")).join("node-deployment");
    let world = World { example: console.join("deployment"), generated, broker };
    world.generate("before", "trips-1.yaml");
    world.generate("after", "trips-2.yaml");

    let old = world.start("before");
    assert_eq!(world.call("before", 1), ["booked for 12.5 dollars"]);
    let [early] = <[String; 1]>::try_from(world.call("after", 1)).map_err(|_| "one call")?;
    assert!(early.starts_with("EVERSION_SKEW: the provider (1.4.0) "), "{early}");

    // So many calls that each instance gets some.
    let new = world.start("after");
    let are_served = |count: usize| {
        assert!(world.call("before", count).iter().all(|result| result == "booked for 12.5 dollars"));
        assert!(world.call("after", count).iter().all(|result| result == "booked for 1250 cents"));
    };
    are_served(5);
    old.stop();
    are_served(2);
    new.stop();
    Ok(())
}
