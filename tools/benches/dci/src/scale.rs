//! 1,000 to 100,000 skills on disk: discovery, preparation, resolution and report.

use capgen_dci::files::{Roots, discover, discover_cached};
use capgen_dci::{
    Aliases, Circumstances, Corpus, Decision, Host, Inputs, Mode, Overrides, Probes, Reliability, Report, resolve,
};

use crate::{least, ms, workspace};

pub fn run() {
    println!("| skills | discover | from the cache | prepare | resolve | report |");
    println!("|---|---|---|---|---|---|");
    for skills in [1_000, 10_000, 100_000] {
        let folder = tempfile::tempdir().unwrap();
        workspace::write(folder.path(), skills);
        let roots = Roots { workspace: folder.path().to_owned(), ..Roots::default() };
        let (found, discovery) = least(3, || discover(&roots).unwrap());
        let cache = folder.path().join("cache");
        std::thread::sleep(std::time::Duration::from_secs(3));
        discover_cached(&roots, &cache, 0).unwrap();
        let (_, warm) = least(5, || discover_cached(&roots, &cache, 0).unwrap());
        let (corpus, prepare) = least(3, || Corpus::new(found.skills.clone(), Mode::BestEffort));
        let (aliases, reliability, probes) = (Aliases::default(), Reliability::default(), Probes::default());
        let inputs = Inputs {
            required: ["cap-1", "tool-3", "cap-77"].map(str::to_owned).to_vec(),
            query: None,
            consumer: None,
            host: Host::default(),
            overrides: Overrides::default(),
            profile: capgen_dci::Profile::default(),
            aliases: &aliases,
            reliability: &reliability,
            probes: &probes,
        };
        let (resolution, resolving) = least(5, || resolve(&corpus, &inputs, None).unwrap());
        let circumstances = Circumstances {
            sources: found.sources.clone(),
            rejections: &found.rejections,
            decision: Decision::Abort,
            generated_at: "2026-01-02T03:04:05Z",
        };
        let (_, reporting) = least(3, || {
            serde_json::to_string(&Report::new(&corpus, &inputs, &resolution, &circumstances)).unwrap().len()
        });
        println!("| {skills} | {} | {} | {} | {} | {} |", ms(discovery), ms(warm), ms(prepare), ms(resolving), ms(reporting));
    }
}
