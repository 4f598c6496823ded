//! Random pairs of schemas: independent validators confirm the witnesses, and the peers confirm the answers.

use std::collections::BTreeMap;
use std::fmt;

use capgen_schema::{Json, Schema};
use capgen_tests::Failure;
use capgen_tests::agreement::Engine;
use capgen_tests::agreement::tree::Tree;
use capgen_tests::containment::{Count, Kind, random_pair};
use capgen_tests::random::Random;

use super::confirm::{Witness, confirm};
use super::{Decision, Peer, Question};

/// The questions that are asked at once.
const BATCH: usize = 2_000;

/// The result of a run.
#[derive(Debug, Default)]
pub struct RandomReport {
    /// The answers for each kind of pairs.
    pub counts: BTreeMap<Kind, Count>,
    /// The number of witnesses.
    witnesses: usize,
    /// How many witnesses each engine has confirmed.
    confirmed: BTreeMap<&'static str, usize>,
    /// How often each known defect of an engine was the reason for another verdict.
    excused: BTreeMap<String, usize>,
    /// The witnesses that no independent validator has confirmed, because of known defects.
    excused_by_all: usize,
    peers: BTreeMap<&'static str, Agreement>,
    /// Wrong answers, unconfirmed witnesses, and contradictions to the answers of peers that prove them.
    pub failures: Vec<String>,
    /// Contradictions to the answers of peers, without a proof.
    pub contradictions: Vec<String>,
}

/// How the answers of a peer compare with those of capgen.
#[derive(Clone, Default, Debug)]
struct Agreement {
    same: usize,
    /// The peer has no answer.
    undecided: usize,
    /// The peer answers `yes`, although a witness is confirmed.
    wrong: usize,
    /// The peer answers `no`, and capgen answers `yes`.
    contradicts: usize,
    /// The peer has an answer, and capgen has none.
    more: usize,
}

/// Asks capgen, the engines and the peers about the random pairs of the first seeds, in both directions.
///
/// # Errors
///
/// If an engine or a peer cannot be run.
pub fn run(
    pairs: usize,
    first_seed: u64,
    peers: &[&dyn Peer],
    engines: &[&(dyn Engine + Sync)],
) -> Result<RandomReport, Failure> {
    let mut report = RandomReport::default();
    let (mut seed, mut done) = (first_seed, 0);
    while done < pairs {
        let mut batch = Vec::new();
        while batch.len() < BATCH && done < pairs {
            seed += 1;
            let Some(pair) = random_pair(seed) else { continue };
            done += 1;
            let count = report.counts.entry(pair.kind).or_default();
            count.pairs += 1;
            let [one, other] = &pair.schemas;
            for (larger, smaller) in [(one, other), (other, one)] {
                let question = Question { smaller: text(smaller), larger: text(larger) };
                let before = count.yes;
                match count.ask(larger, smaller, 0, &mut Random::new(seed)) {
                    Ok(witness) => batch.push((question, witness, count.yes > before)),
                    Err(contradiction) => report.failures.push(contradiction),
                }
            }
        }
        report.check_witnesses(&batch, engines)?;
        report.check_peers(&batch, peers)?;
        eprintln!("{done} of {pairs} pairs, {} failures; the last seed is {seed}", report.failures.len());
    }
    Ok(report)
}

fn text(schema: &Schema) -> String {
    Tree::from(schema.source()).to_string()
}

/// A question, the witness of a `no`, and whether the answer is `yes`.
type Asked = (Question, Option<Json>, bool);

impl RandomReport {
    fn check_witnesses(&mut self, batch: &[Asked], engines: &[&(dyn Engine + Sync)]) -> Result<(), Failure> {
        let witness = |(question, witness, _): &Asked| {
            Some(Witness { question: question.clone(), payload: witness.as_ref()?.canonical() })
        };
        let witnesses: Vec<Witness> = batch.iter().filter_map(witness).collect();
        self.witnesses += witnesses.len();
        for (witness, confirmation) in witnesses.iter().zip(confirm(&witnesses, engines)?) {
            for name in &confirmation.by {
                *self.confirmed.entry(name).or_default() += 1;
            }
            for excuse in &confirmation.excused {
                *self.excused.entry(excuse.clone()).or_default() += 1;
            }
            // The interpreter is not an independent validator.
            match confirmation.by.len() {
                0 | 1 if !confirmation.excused.is_empty() => self.excused_by_all += 1,
                0 | 1 => self.failures.push(format!("nothing confirms {witness:?}")),
                _ => {}
            }
            if !confirmation.not_by.is_empty() {
                self.failures.push(format!("{:?} about {witness:?}", confirmation.not_by));
            }
        }
        Ok(())
    }

    fn check_peers(&mut self, batch: &[Asked], peers: &[&dyn Peer]) -> Result<(), Failure> {
        let questions: Vec<Question> = batch.iter().map(|(question, ..)| question.clone()).collect();
        for peer in peers {
            let agreement = self.peers.entry(peer.name()).or_default();
            for ((question, witness, is_yes), decision) in batch.iter().zip(peer.decide(&questions)?) {
                match (decision, witness.is_some(), is_yes) {
                    (Decision::Undecided(_), ..) => agreement.undecided += 1,
                    (Decision::Yes, false, true) | (Decision::No(_), true, false) => agreement.same += 1,
                    (Decision::Yes, true, _) => agreement.wrong += 1,
                    (Decision::No(value), _, true) => {
                        agreement.contradicts += 1;
                        self.contradictions.push(format!("{}: {value:?} about {question:?}", peer.name()));
                    }
                    _ => agreement.more += 1,
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for RandomReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (kind, count) in &self.counts {
            let share = count.undecided_share() * 100.0;
            writeln!(f, "{kind:?}: {} pairs, {} yes, {} no, {share:.3} % undecided", count.pairs, count.yes, count.no)?;
            count.undecided.iter().try_for_each(|(reason, times)| writeln!(f, "  {times} times: {reason}"))?;
        }
        writeln!(
            f,
            "{} witnesses; {} of them meet a known defect of every oracle",
            self.witnesses, self.excused_by_all
        )?;
        self.confirmed.iter().try_for_each(|(name, times)| writeln!(f, "  {times} confirmed by {name}"))?;
        self.excused.iter().try_for_each(|(excuse, times)| writeln!(f, "  {times} excused: {excuse}"))?;
        for (name, agreement) in &self.peers {
            let Agreement { same, undecided, wrong, contradicts, more } = agreement;
            writeln!(f, "{name}: {same} answers are the same, {undecided} undecided, {wrong} wrong `yes`,")?;
            writeln!(f, "  {contradicts} `no` instead of `yes`, {more} that capgen does not have")?;
        }
        Ok(())
    }
}
