//! Checking every chain of a database.

mod anchor;
mod chain;

pub use anchor::{Anchor, AnchorProblem, Head, InvalidAnchor, UnconfirmedHead};
pub use chain::{BrokenRow, Reason};

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, Statement};

use crate::database::{Database, DatabaseError};
use crate::row::{COLUMNS, Row};
use crate::table::SCHEMA;
use capgen_schema::Hash;
use chain::Chain;

/// More damage than this is not listed. The first problems show that the file is damaged, and a hostile file can have
/// any number.
const MAX_PROBLEMS: usize = 20;

/// The result of [`Database::verify`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Verification {
    /// The chain of each tenant, sorted by tenant.
    pub tenants: Vec<TenantChain>,
    /// Damage of the file that belongs to no tenant.
    pub problems: Vec<Damage>,
    /// The rows of the anchor that the chains do not contain.
    pub unconfirmed: Vec<UnconfirmedHead>,
    /// The hashes that were given for checkpoints, and that no checkpoint has.
    pub unknown_checkpoints: Vec<Hash>,
}

/// The chain of a tenant.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct TenantChain {
    /// The tenant.
    pub tenant: String,
    /// The number of its rows.
    pub rows: u64,
    /// The number of rows that were pruned, according to the last checkpoint.
    pub pruned: u64,
    /// The number of anchored rows that a checkpoint replaces whose hash was given to [`Database::verify_with_pruned`].
    pub replaced: u64,
    /// Its last row.
    pub head: Head,
    /// The first row that is wrong.
    pub broken: Option<BrokenRow>,
}

/// Damage of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damage {
    /// The `id` of the row that is damaged, or of the last row before the damage; `None` if it is not known.
    pub row: Option<i64>,
    /// A description.
    pub message: String,
}

impl Verification {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_intact(&self) -> bool {
        let is_confirmed = self.unconfirmed.is_empty() && self.unknown_checkpoints.is_empty();
        self.problems.is_empty() && is_confirmed && self.tenants.iter().all(|t| t.broken.is_none())
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.tenants.iter().map(|tenant| tenant.rows).sum()
    }

    /// The heads of the chains, to store elsewhere.
    ///
    /// ```
    /// assert!(capgen_audit::Verification::default().anchor().heads.is_empty());
    /// ```
    #[must_use]
    pub fn anchor(&self) -> Anchor {
        Anchor { heads: self.tenants.iter().map(|tenant| tenant.head.clone()).collect() }
    }
}

impl Database {
    /// Reads every row, computes its hash again, and checks the chain of each tenant and the structure of the file.
    /// With an anchor, also checks that the chains contain its rows. A row of the anchor that is gone is reported, also
    /// if a checkpoint states that it was pruned: anyone who can write to the file can append a checkpoint.
    ///
    /// A chain does not prove that no row is missing at its end, or that no one wrote the whole chain again: both take
    /// only write access to the file. An anchor that is stored elsewhere proves it for the rows up to the anchored
    /// ones.
    ///
    /// # Errors
    ///
    /// The file cannot be read at all. Damage that prevents reading some rows is part of the result.
    pub fn verify(&self, anchor: Option<&Anchor>) -> Result<Verification, DatabaseError> {
        self.verify_with_pruned(anchor, &[])
    }

    /// Like [`verify`](Self::verify), for a database that was pruned since the anchor: the checkpoints with these
    /// hashes may replace anchored rows. The hash of a checkpoint is part of the result of [`prune`](crate::prune). It
    /// covers the whole chain before it, so no other checkpoint can have it.
    ///
    /// # Errors
    ///
    /// As for [`verify`](Self::verify).
    pub fn verify_with_pruned(
        &self,
        anchor: Option<&Anchor>,
        checkpoints: &[Hash],
    ) -> Result<Verification, DatabaseError> {
        let allowed = Allowed::new(checkpoints);
        // All statements see the same state, whatever is written in the meantime.
        let transaction = self.connection.unchecked_transaction()?;
        let mut scan = Scan::new(anchor, &allowed);
        let mut problems: Vec<Damage> =
            SCHEMA.differences(&transaction)?.into_iter().map(|message| Damage { row: None, message }).collect();
        scan.rows(&transaction)?;
        problems.append(&mut scan.problems);
        if let Some(message) = capgen_sqlite::write_ahead_damage(&self.log) {
            let message = match scan.last {
                Some(id) => format!("{message}: rows after row {id} may be missing"),
                None => message,
            };
            problems.push(Damage { row: scan.last, message });
        }
        let structure = structure(&transaction);
        if !structure.is_empty() {
            problems.extend(unreachable_rows(&transaction).unwrap_or_default());
        }
        problems.extend(structure);
        problems.truncate(MAX_PROBLEMS);
        let (tenants, unconfirmed) = scan.finish();
        Ok(Verification { tenants, problems, unconfirmed, unknown_checkpoints: allowed.not_found() })
    }
}

/// The hashes of the checkpoints that may replace anchored rows.
struct Allowed {
    all: BTreeSet<Hash>,
    /// Those that no row has so far.
    left: RefCell<BTreeSet<Hash>>,
}

impl Allowed {
    fn new(hashes: &[Hash]) -> Self {
        let all: BTreeSet<Hash> = hashes.iter().copied().collect();
        Self { left: RefCell::new(all.clone()), all }
    }

    /// Whether the checkpoint with this hash is one of them.
    fn take(&self, hash: Hash) -> bool {
        self.left.borrow_mut().remove(&hash);
        self.all.contains(&hash)
    }

    fn not_found(&self) -> Vec<Hash> {
        self.left.borrow().iter().copied().collect()
    }
}

/// The state while the table is read, in the order of `id`.
struct Scan<'a> {
    chains: BTreeMap<String, Chain<'a>>,
    problems: Vec<Damage>,
    /// The anchored rows of each tenant that has not been found yet.
    heads: BTreeMap<&'a str, Vec<&'a Head>>,
    allowed: &'a Allowed,
    last: Option<i64>,
}

impl<'a> Scan<'a> {
    fn new(anchor: Option<&'a Anchor>, allowed: &'a Allowed) -> Self {
        let mut heads: BTreeMap<&str, Vec<&Head>> = BTreeMap::new();
        for head in anchor.into_iter().flat_map(|anchor| &anchor.heads) {
            heads.entry(&head.tenant).or_default().push(head);
        }
        Self { chains: BTreeMap::new(), problems: Vec::new(), heads, allowed, last: None }
    }

    fn rows(&mut self, connection: &Connection) -> Result<(), DatabaseError> {
        // An index may be damaged too, so it is not used.
        let mut statement = connection.prepare(&format!("SELECT {COLUMNS} FROM audit NOT INDEXED ORDER BY id"))?;
        if let Err(error) = self.read(&mut statement) {
            let error = DatabaseError::from(error);
            if error == DatabaseError::Locked {
                return Err(error);
            }
            let place = match self.last {
                Some(id) => format!("the row after row {id}"),
                None => "the first row".to_owned(),
            };
            self.problems.push(Damage { row: self.last, message: format!("{place} cannot be read: {error}") });
        }
        Ok(())
    }

    fn read(&mut self, statement: &mut Statement<'_>) -> rusqlite::Result<()> {
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let row = Row::read(row);
            let id = row.as_ref().map_or_else(|malformed| malformed.id, |row| Some(row.id));
            // In a damaged file, a page may occur several times, so that reading it would not end in reasonable time.
            if id <= self.last {
                let message = format!("row {} is out of order", id.unwrap_or_default());
                self.problems.push(Damage { row: id, message });
                return Ok(());
            }
            self.last = id;
            match row {
                Ok(row) => self.row(&row),
                Err(malformed) if self.problems.len() < MAX_PROBLEMS => {
                    self.problems.push(Damage { row: malformed.id, message: malformed.to_string() });
                }
                Err(_) => {}
            }
        }
        Ok(())
    }

    fn row(&mut self, row: &Row) {
        match self.chains.get_mut(&row.tenant) {
            Some(chain) => chain.push(row),
            None => {
                let heads = self.heads.remove(row.tenant.as_str()).unwrap_or_default();
                self.chains.insert(row.tenant.clone(), Chain::new(row, heads, self.allowed));
            }
        }
    }

    fn finish(self) -> (Vec<TenantChain>, Vec<UnconfirmedHead>) {
        let mut tenants = Vec::new();
        let unknown = self.heads.into_values().flatten();
        let unknown = unknown.map(|head| UnconfirmedHead { head: head.clone(), problem: AnchorProblem::NoTenant });
        let mut unconfirmed: Vec<UnconfirmedHead> = unknown.collect();
        for (tenant, chain) in self.chains {
            let (chain, missing) = chain.finish(tenant);
            unconfirmed.extend(missing);
            tenants.push(chain);
        }
        (tenants, unconfirmed)
    }
}

/// The errors that SQLite finds in the structure of the file and in its indexes.
fn structure(connection: &Connection) -> Vec<Damage> {
    let messages = capgen_sqlite::structure_errors(connection, MAX_PROBLEMS);
    messages.into_iter().map(|message| Damage { row: None, message }).collect()
}

/// The rows that only the index of the chains contains, because the page with the row is damaged.
fn unreachable_rows(connection: &Connection) -> rusqlite::Result<Vec<Damage>> {
    let mut index =
        connection.prepare("SELECT id, tenant, seq FROM audit INDEXED BY audit_chain ORDER BY tenant, seq")?;
    let mut row = connection.prepare("SELECT 1 FROM audit NOT INDEXED WHERE id = ?1")?;
    let mut problems = Vec::new();
    let mut rows = index.query([])?;
    while let Some(entry) = rows.next()? {
        let Ok(id) = entry.get::<_, i64>(0) else { continue };
        if problems.len() < MAX_PROBLEMS && !row.exists([id]).unwrap_or(false) {
            let (tenant, seq): (Option<String>, Option<i64>) = (entry.get(1).ok(), entry.get(2).ok());
            let place = match (tenant, seq) {
                (Some(tenant), Some(seq)) => format!(" (tenant {tenant:?}, sequence number {seq})"),
                _ => String::new(),
            };
            let message = format!("row {id}{place} cannot be found, but an index contains it");
            problems.push(Damage { row: Some(id), message });
        }
    }
    Ok(problems)
}
