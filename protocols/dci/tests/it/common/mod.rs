//! Runs over small sets of skills.
#![allow(dead_code, reason = "each test binary uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::sync::Arc;

use capgen_dci::{
    Aliases, Circumstances, Consumer, Corpus, Decision, Declared, Inputs, Mode, Overrides, ProbeRunner, Probes,
    Profile, Reliability, Report, Resolution, ResolveError, Skill, Source, contract, resolve,
};
use serde_json::Value;

/// The names in a manifest.
pub(crate) type Names = Arc<BTreeSet<String>>;

/// The inputs of a run over some skills, each a name, a description and a contract.
pub(crate) struct Case {
    pub(crate) mode: Mode,
    pub(crate) skills: Vec<Skill>,
    pub(crate) required: Vec<&'static str>,
    pub(crate) query: Option<&'static str>,
    pub(crate) consumer: Option<&'static str>,
    pub(crate) policy: Vec<(&'static str, &'static str)>,
    pub(crate) probes: Probes,
    pub(crate) profile: Profile,
    /// The names in the manifest of a skill, if only verified providers are accepted.
    pub(crate) manifest: Option<fn(&Skill) -> Option<Names>>,
}

impl Case {
    pub(crate) fn new(mode: Mode, skills: &[(&str, &str, &str)]) -> Self {
        let skills = skills.iter().map(|(name, description, contract)| skill(name, description, contract)).collect();
        Self {
            mode,
            skills,
            required: vec![],
            query: None,
            consumer: None,
            policy: vec![],
            probes: Probes::default(),
            profile: Profile::default(),
            manifest: None,
        }
    }

    pub(crate) fn requiring(mut self, required: &[&'static str]) -> Self {
        self.required = required.to_vec();
        self
    }

    pub(crate) fn with(mut self, key: &'static str, value: &'static str) -> Self {
        self.policy.push((key, value));
        self
    }

    pub(crate) fn run(&self, runner: Option<&mut dyn ProbeRunner>) -> Result<(Resolution, Value), ResolveError> {
        let corpus = Corpus::new(self.skills.clone(), self.mode);
        let corpus = if let Some(manifest) = self.manifest { corpus.only_verified(manifest) } else { corpus };
        let mut overrides = Overrides::default();
        for (key, value) in &self.policy {
            overrides.set(key, value).unwrap();
        }
        let (aliases, reliability) = (Aliases::default(), Reliability::default());
        let consumer = self.consumer.map(|text| Consumer {
            id: "consumer-skill::skills/consumer-skill".to_owned(),
            contract: contract::read(text, self.mode).contract,
        });
        let inputs = Inputs {
            required: self.required.iter().map(ToString::to_string).collect(),
            query: self.query.map(str::to_owned),
            consumer,
            host: capgen_dci::Host::default(),
            overrides,
            profile: self.profile,
            aliases: &aliases,
            reliability: &reliability,
            probes: &self.probes,
        };
        let resolution = resolve(&corpus, &inputs, runner)?;
        let circumstances = Circumstances {
            sources: vec![Source::WorkspaceLocal],
            rejections: &[],
            decision: Decision::default(),
            generated_at: "2026-01-02T03:04:05Z",
        };
        let report = Report::new(&corpus, &inputs, &resolution, &circumstances);
        Ok((resolution, serde_json::to_value(report).unwrap()))
    }

    pub(crate) fn report(&self) -> Value {
        self.run(None).unwrap().1
    }
}

pub(crate) fn skill(name: &str, description: &str, contract: &str) -> Skill {
    Skill {
        name: name.to_owned(),
        description: description.to_owned(),
        path: format!("skills/{name}"),
        compatibility: Declared::Absent,
        contract: if contract.is_empty() { Declared::Absent } else { Declared::Text(contract.to_owned()) },
        capabilities: Declared::Absent,
        source: Source::WorkspaceLocal,
        folder: format!("skills/{name}").into(),
        file: format!("skills/{name}/SKILL.md").into(),
        boundary: "".into(),
    }
}

pub(crate) fn candidate<'r>(report: &'r Value, name: &str) -> &'r Value {
    let id = format!("{name}::skills/{name}");
    report["candidates"].as_array().unwrap().iter().find(|candidate| candidate["id"] == id.as_str()).unwrap()
}
