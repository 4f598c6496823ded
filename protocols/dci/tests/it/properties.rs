//! Properties of runs, for arbitrary skills.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{Case, skill};
use capgen_dci::{Mode, Penalties, Ranked, Resolution, Score, Scored, Skill};
use proptest::prelude::*;

const CAPABILITIES: [&str; 6] = ["web-search", "web-searches", "summarize", "translate", "http-fetch", "read-aloud"];

/// A skill with a contract, without its hints.
#[derive(Clone, Debug)]
struct Parts {
    description: String,
    provides: BTreeSet<&'static str>,
    requires: BTreeSet<&'static str>,
    denies: BTreeSet<&'static str>,
    rest: &'static str,
    hints: &'static str,
}

fn capabilities(most: usize) -> impl Strategy<Value = BTreeSet<&'static str>> {
    prop::collection::btree_set(prop::sample::select(CAPABILITIES.to_vec()), 0..=most)
}

fn parts() -> impl Strategy<Value = Parts> {
    let words =
        prop::sample::select(vec!["web", "search", "summarize", "translates", "fetch", "aloud", "text", "pages"]);
    let description = prop::collection::vec(words, 1..6).prop_map(|words| words.join(" "));
    let rest = prop::sample::select(vec!["", "", "", " X(y)", " E(!)", " Rt(zed)"]);
    let hints = prop::sample::select(vec![
        "",
        "",
        "min-total-score=0",
        "min-total-score=0.8,min-contract-score=0",
        "max-candidates=1",
        "max-candidates=100,min-required-coverage=1",
        "on-missing-required=auto-emulate",
        "on-missing-required=hard-fail,max-dependency-depth=9",
        "selection-mode=cover,max-providers=9",
    ]);
    (description, capabilities(3), capabilities(1), capabilities(1), rest, hints).prop_map(
        |(description, provides, requires, denies, rest, hints)| Parts {
            description,
            provides,
            requires,
            denies,
            rest,
            hints,
        },
    )
}

impl Parts {
    fn skill(&self, name: &str, has_hints: bool) -> Skill {
        let mut contract = "DCI/1".to_owned();
        for (clause, tokens) in [("P", &self.provides), ("R", &self.requires), ("D", &self.denies)] {
            if !tokens.is_empty() {
                let tokens: Vec<&str> = tokens.iter().copied().collect();
                contract.push_str(&format!(" {clause}({})", tokens.join(",")));
            }
        }
        contract.push_str(self.rest);
        if contract == "DCI/1" && !self.hints.is_empty() {
            // A skill without a contract is another one than a skill whose contract has only hints.
            contract.push_str(" E(text)");
        }
        if has_hints && !self.hints.is_empty() {
            contract.push_str(&format!(" Pol({})", self.hints));
        }
        skill(name, &self.description, if contract == "DCI/1" { "" } else { &contract })
    }
}

/// Some skills in a mode, with a policy.
fn cases() -> impl Strategy<Value = (Mode, bool, Vec<Parts>)> {
    let mode = prop::sample::select(vec![Mode::Strict, Mode::BestEffort]);
    (mode, any::<bool>(), prop::collection::vec(parts(), 1..9))
}

fn case(mode: Mode, is_cover: bool, skills: Vec<Skill>) -> Case {
    let mut case = Case::new(mode, &[]).requiring(&["web-search", "summarize"]).with("min-total-score", "0.3");
    case.skills = skills;
    if is_cover { case.with("selection-mode", "cover") } else { case }
}

fn names(parts: &[Parts]) -> impl Iterator<Item = (String, &Parts)> {
    parts.iter().enumerate().map(|(number, parts)| (format!("skill{number}"), parts))
}

/// The name of a skill, which its id begins with.
fn name(one: &Ranked) -> String {
    one.scored.id.split("::").next().unwrap().to_owned()
}

/// The names of the selected skills.
fn selected(resolution: &Resolution) -> Vec<String> {
    let providers = resolution.selection.providers();
    providers.map(name).collect()
}

/// Each candidate by name: its scores and penalties, and the names of the reasons that reject it.
type Summary = BTreeMap<String, (String, BTreeSet<&'static str>)>;

fn summary(resolution: &Resolution) -> Summary {
    let ranked = resolution.selection.ranked.iter();
    ranked
        .map(|one| {
            let reasons = one.reasons.iter().map(|reason| reason.name()).collect();
            let Scored { scores, .. } = &one.scored;
            // The penalty for conflicts depends on the selection.
            let penalties = Penalties { require_deny: Score::ZERO, ..one.scored.penalties.clone() };
            let scored = format!("{:?} {penalties:?}", (&scores.contract, &scores.description, &scores.total));
            (name(one), (scored, reasons))
        })
        .collect()
}

proptest! {
    #[test]
    fn scores_are_between_0_and_1((mode, is_cover, parts) in cases()) {
        let case = case(mode, is_cover, names(&parts).map(|(name, parts)| parts.skill(&name, true)).collect());
        let (resolution, _) = case.run(None).unwrap();
        for one in &resolution.selection.ranked {
            let scores = &one.scored.scores;
            for score in [
                scores.contract, scores.description, scores.name_path, scores.runtime, scores.total, scores.penalized,
                scores.history, scores.last, one.scored.skill(),
            ] {
                prop_assert!((Score::ZERO..=Score::ONE).contains(&score), "{one:?}");
            }
        }
    }

    #[test]
    fn hints_reject_only_the_candidate_that_declares_them((mode, is_cover, parts) in cases(), hinting in any::<prop::sample::Index>()) {
        let hinting = format!("skill{}", hinting.index(parts.len()));
        let with = |has_hints: bool| {
            let skills = names(&parts).map(|(name, parts)| parts.skill(&name, has_hints && name == hinting)).collect();
            let case = case(mode, is_cover, skills);
            let (resolution, _) = case.run(None).unwrap();
            (summary(&resolution), resolution)
        };
        let ((without, plain), (with, hinted)) = (with(false), with(true));
        // The policy is not relaxed; only the consequence may become stricter.
        let mut effective = plain.effective.clone();
        effective.on_missing_required = effective.on_missing_required.max(hinted.effective.on_missing_required);
        prop_assert_eq!(&effective, &hinted.effective);
        for (name, (scored, reasons)) in &without {
            let (hinted_scored, hinted_reasons) = &with[name];
            prop_assert_eq!(scored, hinted_scored);
            if *name == hinting {
                prop_assert!(hinted_reasons.is_superset(reasons) || is_cover, "{reasons:?} {hinted_reasons:?}");
            } else if !is_cover {
                // Others may only move up, into the places that a rejected candidate leaves.
                let left = |reasons: &BTreeSet<&'static str>| -> BTreeSet<&'static str> {
                    reasons.iter().copied().filter(|reason| *reason != "max-candidates").collect()
                };
                prop_assert_eq!(left(reasons), left(hinted_reasons));
                prop_assert!(reasons.is_superset(hinted_reasons));
            }
        }
    }

    #[test]
    fn the_order_of_discovery_does_not_matter((mode, is_cover, parts) in cases(), seed in any::<u64>()) {
        let skills: Vec<Skill> = names(&parts).map(|(name, parts)| parts.skill(&name, true)).collect();
        let mut other = skills.clone();
        other.sort_by_key(|skill| skill.name.bytes().fold(seed, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)));
        let (one, other) = (case(mode, is_cover, skills), case(mode, is_cover, other));
        let ((first, report), (second, other_report)) = (one.run(None).unwrap(), other.run(None).unwrap());
        prop_assert_eq!(selected(&first), selected(&second));
        // Only the identity of the run depends on the order, in which the candidates are hashed.
        let without_id = |mut report: serde_json::Value| {
            report.as_object_mut().unwrap().remove("run_id");
            report
        };
        prop_assert_eq!(without_id(report), without_id(other_report));
    }

    /// The statistics of a corpus are N, the document frequencies and the average length of BM25; the median of
    /// `p_count`; the mean and deviation of `S_contract - S_skill`, and whether there are at least five candidates. An
    /// addition that keeps them changes nothing else.
    #[test]
    fn a_skill_that_matches_nothing_changes_only_the_statistics_of_the_corpus((mode, is_cover, parts) in cases()) {
        let mut skills: Vec<Skill> = names(&parts).map(|(name, parts)| parts.skill(&name, true)).collect();
        let before = case(mode, is_cover, skills.clone());
        skills.push(skill("unrelated", "Bakes bread.", "DCI/1 P(bake-bread)"));
        let after = case(mode, is_cover, skills);
        let ((first, _), (second, _)) = (before.run(None).unwrap(), after.run(None).unwrap());
        let kept = |resolution: &Resolution| -> BTreeMap<String, String> {
            let one = resolution.selection.ranked.iter().filter(|one| name(one) != "unrelated");
            one.map(|one| {
                let (scores, penalties) = (&one.scored.scores, &one.scored.penalties);
                let kept = (
                    resolution.matches(&one.scored).map(|(name, kind)| (name.to_owned(), kind)).collect::<Vec<_>>(), scores.contract, scores.name_path, scores.runtime, scores.history,
                    penalties.invalid_token, penalties.unknown_clause,
                );
                (name(one), format!("{kept:?}"))
            }).collect()
        };
        prop_assert_eq!(kept(&first), kept(&second));
        let statistics = |resolution: &Resolution| -> BTreeMap<String, String> {
            let one = resolution.selection.ranked.iter();
            one.map(|one| (name(one), format!("{:?}", (one.scored.scores.description, one.scored.is_inflated, one.scored.penalties.overclaim)))).collect()
        };
        let (old, mut new) = (statistics(&first), statistics(&second));
        new.remove("unrelated");
        // If the statistics give every candidate the same values, the selection is the same.
        if old == new {
            prop_assert_eq!(selected(&first), selected(&second));
        }
    }
}
