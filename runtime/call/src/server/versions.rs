//! The versions of a capability that are served side by side, and the choice among them.

use std::iter;
use std::mem;
use std::sync::Arc;

use capgen_descriptor::may_run;

use super::difference::Difference;
use super::entry::Entry;
use super::respond::Answer;
use super::version::caller_version;
use crate::envelope::{Envelope, header};

/// The versions of one capability. Each has another version; a single one may have none.
#[derive(Clone, Debug)]
pub(super) struct Versions {
    highest: Arc<Entry>,
    /// The others, the highest first.
    lower: Vec<Arc<Entry>>,
    /// The versions as texts, the highest first.
    served: Vec<String>,
}

/// The versions of a capability that may run a request, in the order in which its payload is tried.
#[derive(Clone, Debug)]
pub(super) struct Candidates<'a> {
    pub(super) versions: &'a Versions,
    pub(super) first: &'a Arc<Entry>,
    /// Usually empty, which allocates nothing.
    others: Vec<&'a Arc<Entry>>,
}

/// The most versions of one capability: a payload that is invalid is read once for each. Few agents serve more than the
/// current and the previous one.
const MAX_VERSIONS: usize = 8;

/// Why a handler cannot be served beside others of its capability, after the name of the capability.
const WITHOUT_VERSION: &str = "has several handlers, of which one has no version";

impl Versions {
    pub(super) fn of(entry: Arc<Entry>) -> Self {
        let served = text(&entry).into_iter().collect();
        Self { highest: entry, lower: Vec::new(), served }
    }

    /// Adds a version, or states why it cannot be served beside the others, after the name of the capability.
    pub(super) fn add(&mut self, entry: Arc<Entry>) -> Result<(), String> {
        let Some(own) = entry.version.clone() else { return Err(WITHOUT_VERSION.to_owned()) };
        for known in self.descending() {
            let Some(known) = &known.version else { return Err(WITHOUT_VERSION.to_owned()) };
            if known.cmp_precedence(&own).is_eq() {
                return Err(format!("has two handlers for version {own}"));
            }
        }
        if self.lower.len() + 1 >= MAX_VERSIONS {
            return Err(format!("has more than {MAX_VERSIONS} versions"));
        }
        let is_highest = self.highest.version.as_ref() < Some(&own);
        self.lower.push(if is_highest { mem::replace(&mut self.highest, entry) } else { entry });
        // No two are equal by precedence, so build metadata, which this compares too, does not matter.
        self.lower.sort_by(|one, other| other.version.cmp(&one.version));
        self.served = self.descending().filter_map(text).collect();
        Ok(())
    }

    /// The versions, the highest first.
    pub(super) fn descending(&self) -> impl DoubleEndedIterator<Item = &Arc<Entry>> {
        iter::once(&self.highest).chain(&self.lower)
    }

    pub(super) fn are_several(&self) -> bool {
        !self.lower.is_empty()
    }

    /// The version that the plain name of the capability means: the highest one that is not a pre-release, or else the
    /// highest one.
    pub(super) fn plain(&self) -> &Arc<Entry> {
        let is_release = |entry: &&Arc<Entry>| entry.version.as_ref().is_none_or(|version| version.pre.is_empty());
        self.descending().find(is_release).unwrap_or(&self.highest)
    }

    /// The difference of the contracts of a request and of a version, if the caller states another one.
    pub(super) fn difference<'a>(&'a self, request: &'a Envelope, entry: &'a Entry) -> Option<Difference<'a>> {
        Difference::between(request, entry.contract.as_deref()?, &self.served)
    }

    /// The versions that may run a request. A version with the contract of the caller is the only one. Otherwise, they
    /// are those of the caller's compatibility line, because a payload that is valid for another line may mean
    /// something else there. If the agent has no version of that line, or the caller states none, they are all
    /// versions.
    pub(super) fn candidates<'a>(&'a self, request: &Envelope) -> Result<Candidates<'a>, Answer> {
        if self.lower.is_empty() {
            return self.only(&self.highest, request);
        }
        let caller = request.header(header::CONTRACT).filter(|hash| !hash.is_empty());
        if let Some(equal) = self.descending().find(|entry| Some(entry.hash()) == caller) {
            return self.only(equal, request);
        }
        let version = caller_version(request)?;
        let may_run = may_run(version.as_ref(), self.descending().map(|entry| entry.version.as_ref()));
        let (mut candidates, mut refusal) = (None, None);
        for entry in self.descending().filter(|entry| may_run(entry.version.as_ref())) {
            match self.check(entry, request) {
                Ok(()) => Candidates::add(&mut candidates, self, entry),
                Err(answer) => drop(refusal.get_or_insert(answer)),
            }
        }
        match refusal {
            Some(refusal) => candidates.ok_or(refusal),
            None => Ok(candidates.unwrap_or(Candidates { versions: self, first: &self.highest, others: Vec::new() })),
        }
    }

    /// One version, if it serves the version of the caller.
    fn only<'a>(&'a self, entry: &'a Arc<Entry>, request: &Envelope) -> Result<Candidates<'a>, Answer> {
        self.check(entry, request)?;
        Ok(Candidates { versions: self, first: entry, others: Vec::new() })
    }

    fn check(&self, entry: &Entry, request: &Envelope) -> Result<(), Answer> {
        match (&entry.served, &entry.contract) {
            (Some(served), Some(contract)) => served.check(request, contract, &self.served),
            _ => Ok(()),
        }
    }
}

impl<'a> Candidates<'a> {
    /// Adds a version, which may be the first.
    pub(super) fn add(candidates: &mut Option<Self>, versions: &'a Versions, entry: &'a Arc<Entry>) {
        match candidates {
            Some(candidates) => candidates.others.push(entry),
            None => *candidates = Some(Self { versions, first: entry, others: Vec::new() }),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &'a Arc<Entry>> {
        iter::once(self.first).chain(self.others.iter().copied())
    }
}

fn text(entry: &Arc<Entry>) -> Option<String> {
    entry.contract.as_ref()?.version.clone()
}
