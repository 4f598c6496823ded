//! Providers that require each other, down to depth 5: the work is bounded by the number of providers, not of paths.

use capgen_dci::{
    Aliases, Corpus, Declared, Host, Inputs, Mode, Overrides, Probes, Reliability, Skill, Source, resolve,
};

use capgen_testkit::Random;
use crate::{least, ms};

pub fn run() {
    println!("| providers | requirements of each | depth | instances | resolve |");
    println!("|---|---|---|---|---|");
    for (providers, depth) in [(100, "5"), (1_000, "1"), (1_000, "2"), (1_000, "3"), (1_000, "4"), (1_000, "5")] {
        let mut random = Random::new(1);
        let mut requirement = || random.below(providers);
        let skills = (0..providers).map(|number| {
            let (one, two, three) = (requirement(), requirement(), requirement());
            skill(number, &format!("DCI/1 P(service.{number:04}x) R(service.{one:04}x,service.{two:04}x,service.{three:04}x)"))
        });
        let corpus = Corpus::new(skills.collect(), Mode::Strict);
        let (aliases, reliability, probes) = (Aliases::default(), Reliability::default(), Probes::default());
        let mut overrides = Overrides::default();
        for (key, value) in
            [("selection-mode", "cover"), ("max-candidates", "1000"), ("min-total-score", "0"), ("min-contract-score", "0"), ("max-dependency-depth", depth)]
        {
            overrides.set(key, value).unwrap();
        }
        let inputs = Inputs {
            required: (0..3).map(|number| format!("service.{number:04}x")).collect(),
            query: None,
            consumer: None,
            host: Host::default(),
            overrides,
            profile: capgen_dci::Profile::default(),
            aliases: &aliases,
            reliability: &reliability,
            probes: &probes,
        };
        let (resolution, time) = least(3, || resolve(&corpus, &inputs, None).unwrap());
        println!("| {providers} | 3 | {depth} | {} | {} |", resolution.graph.nodes.len(), ms(time));
    }
}

fn skill(number: usize, contract: &str) -> Skill {
    Skill {
        name: format!("service-{number:04}x"),
        description: format!("service {number:04}x"),
        path: format!("skills/service-{number:04}x"),
        compatibility: Declared::Absent,
        contract: Declared::Text(contract.to_owned()),
        capabilities: Declared::Absent,
        source: Source::WorkspaceLocal,
        folder: format!("skills/service-{number:04}x").into(),
        file: format!("skills/service-{number:04}x/SKILL.md").into(),
        boundary: "".into(),
    }
}
