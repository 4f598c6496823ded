//! The table of all answers.

use std::fmt;

use capgen_tests::Failure;
use capgen_tests::agreement::Engine;

use super::confirm::{Confirmation, REQUIRED, Witness, confirm};
use super::pairs::SchemaPair;
use super::peers::Capgen;
use super::{Decision, Peer, Question};

/// The answers of capgen and its peers to both questions about each pair.
#[derive(Debug)]
pub struct Report {
    peers: Vec<&'static str>,
    rows: Vec<Row>,
}

/// One question.
#[derive(Debug)]
struct Row {
    id: String,
    direction: &'static str,
    truth: Option<bool>,
    /// The answer of capgen, then those of the peers.
    decisions: Vec<Decision>,
    /// If capgen answers `no`.
    witness: Option<(String, Confirmation)>,
}

/// Asks capgen and the peers about each pair, and the engines about each witness of capgen.
///
/// # Errors
///
/// If a peer or an engine cannot be run.
pub fn compare(pairs: &[SchemaPair], peers: &[&dyn Peer], engines: &[&(dyn Engine + Sync)]) -> Result<Report, Failure> {
    let questions: Vec<Question> = pairs.iter().flat_map(SchemaPair::questions).collect();
    let peers: Vec<&dyn Peer> = std::iter::once(&Capgen as &dyn Peer).chain(peers.iter().copied()).collect();
    let answers: Vec<Vec<Decision>> = peers.iter().map(|peer| peer.decide(&questions)).collect::<Result<_, _>>()?;
    let directions = pairs.iter().flat_map(|pair| {
        let truth = |index: usize| pair.truth.map(|truth| truth[index]);
        [(&pair.id, "old in new", truth(0)), (&pair.id, "new in old", truth(1))]
    });
    let mut rows: Vec<Row> = directions
        .enumerate()
        .map(|(index, (id, direction, truth))| {
            let decisions = answers.iter().map(|answers| answers[index].clone()).collect();
            Row { id: id.clone(), direction, truth, decisions, witness: None }
        })
        .collect();
    let witness = |(row, question): (usize, &Question)| match &rows[row].decisions[0] {
        Decision::No(Some(value)) => Some((row, Witness { question: question.clone(), payload: value.clone() })),
        _ => None,
    };
    let (places, witnesses): (Vec<usize>, Vec<Witness>) = questions.iter().enumerate().filter_map(witness).unzip();
    for ((row, witness), confirmation) in places.into_iter().zip(&witnesses).zip(confirm(&witnesses, engines)?) {
        rows[row].witness = Some((witness.payload.clone(), confirmation));
    }
    Ok(Report { peers: peers.iter().map(|peer| peer.name()).collect(), rows })
}

/// How an answer compares with the truth.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Right,
    Wrong,
    Undecided,
    Unknown,
}

impl Row {
    fn mark(&self, peer: usize) -> Mark {
        let is_yes = match &self.decisions[peer] {
            Decision::Undecided(_) => return Mark::Undecided,
            decision => *decision == Decision::Yes,
        };
        match self.truth {
            None => Mark::Unknown,
            Some(truth) if truth == is_yes => Mark::Right,
            Some(_) => Mark::Wrong,
        }
    }

    fn cell(&self, peer: usize) -> String {
        let word = self.decisions[peer].word();
        match self.mark(peer) {
            Mark::Right => format!("{word}, right"),
            Mark::Wrong => format!("**{word}, wrong**"),
            Mark::Undecided | Mark::Unknown => word.to_owned(),
        }
    }

    /// The reason that the answer of capgen does not meet the requirements.
    fn failure(&self) -> Option<String> {
        let place = format!("{}, {}", self.id, self.direction);
        match (self.mark(0), &self.decisions[0], &self.witness) {
            (Mark::Wrong, ..) => Some(format!("{place}: capgen is wrong")),
            (Mark::Undecided, Decision::Undecided(reason), _) => {
                Some(format!("{place}: capgen is undecided: {reason}"))
            }
            (_, Decision::No(_), None) => Some(format!("{place}: there is no witness")),
            (_, _, Some((witness, confirmation))) if !confirmation.is_complete(&REQUIRED) => Some(format!(
                "{place}: the witness {witness} is confirmed by {:?} only: {:?} {:?}",
                confirmation.by, confirmation.not_by, confirmation.excused
            )),
            _ => None,
        }
    }
}

impl Report {
    /// The reasons that answers of capgen do not meet the requirements: wrong, undecided, or with a witness that is not
    /// confirmed.
    pub fn failures(&self) -> Vec<String> {
        self.rows.iter().filter_map(Row::failure).collect()
    }

    /// The number of pairs of which both answers of a peer are right. The index of capgen is 0.
    pub fn exact_pairs(&self, peer: usize) -> usize {
        self.rows.chunks(2).filter(|rows| rows.iter().all(|row| row.mark(peer) == Mark::Right)).count()
    }

    /// How many witnesses there are, and for each engine how many it has confirmed.
    pub fn confirmations(&self) -> (usize, Vec<(&'static str, usize)>) {
        let mut counts: Vec<(&'static str, usize)> = Vec::new();
        let witnesses = || self.rows.iter().filter_map(|row| row.witness.as_ref());
        for name in witnesses().flat_map(|(_, confirmation)| &confirmation.by) {
            match counts.iter_mut().find(|(known, _)| known == name) {
                Some((_, count)) => *count += 1,
                None => counts.push((name, 1)),
            }
        }
        (witnesses().count(), counts)
    }

    fn answers(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| pair | question | {} | witness |", self.peers.join(" | "))?;
        writeln!(f, "|---|---|{}---|", "---|".repeat(self.peers.len()))?;
        for row in &self.rows {
            let cells: Vec<String> = (0..self.peers.len()).map(|peer| row.cell(peer)).collect();
            let witness = row.witness.as_ref().map(|(witness, _)| format!("`{witness}`")).unwrap_or_default();
            writeln!(f, "| `{}` | {} | {} | {witness} |", row.id, row.direction, cells.join(" | "))?;
        }
        writeln!(f)
    }

    fn totals(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| | pairs with both answers right | right | wrong | undecided |\n|---|---|---|---|---|")?;
        for (index, name) in self.peers.iter().enumerate() {
            let count = |mark| self.rows.iter().filter(|row| row.mark(index) == mark).count();
            let (right, wrong, undecided) = (count(Mark::Right), count(Mark::Wrong), count(Mark::Undecided));
            let (exact, all) = (self.exact_pairs(index), self.rows.len() / 2);
            writeln!(f, "| {name} | {exact} of {all} | {right} | {wrong} | {undecided} |")?;
        }
        writeln!(f)
    }

    fn reasons(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, name) in self.peers.iter().enumerate() {
            for row in &self.rows {
                if let Decision::Undecided(reason) = &row.decisions[index] {
                    let reason: String = reason.lines().next().unwrap_or_default().chars().take(160).collect();
                    writeln!(f, "{name} is undecided about {}, {}: {reason}", row.id, row.direction)?;
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.answers(f)?;
        self.totals(f)?;
        let (witnesses, counts) = self.confirmations();
        let counts: Vec<String> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
        writeln!(f, "{witnesses} witnesses, confirmed by: {}\n", counts.join(", "))?;
        self.reasons(f)
    }
}
