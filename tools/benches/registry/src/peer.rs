//! The peer: a table of SQLite in memory or in a file, with an index.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, params};

use crate::{events, least, timed};

/// A table of registrations and one of health, as a program without a registry would have them.
const TABLES: &str = "
CREATE TABLE registration (
  agent TEXT NOT NULL, capability TEXT NOT NULL, major INTEGER NOT NULL, minor INTEGER NOT NULL, patch INTEGER NOT NULL,
  priority INTEGER NOT NULL, weight REAL NOT NULL, event TEXT NOT NULL,
  PRIMARY KEY (agent, capability, major, minor, patch)
) WITHOUT ROWID;
CREATE INDEX by_capability ON registration (capability, major, minor, patch);
CREATE TABLE health (agent TEXT PRIMARY KEY, event TEXT NOT NULL, healthy INTEGER NOT NULL) WITHOUT ROWID;
";

/// The same question as `resolve`, without access and deprecations.
const RESOLVE: &str = "
SELECT r.agent FROM registration r LEFT JOIN health h ON h.agent = r.agent
WHERE r.capability = ?1 AND r.major = 1 AND (r.minor, r.patch) >= (0, 0) AND coalesce(h.healthy, 1)
ORDER BY r.priority DESC, r.weight DESC, r.minor DESC, r.patch DESC, r.event, r.agent LIMIT 1";

pub fn table(path: Option<&Path>) -> Connection {
    let connection = match path {
        Some(path) => Connection::open(path).unwrap(),
        None => Connection::open_in_memory().unwrap(),
    };
    connection.pragma_update(None, "journal_mode", "WAL").unwrap();
    connection.pragma_update(None, "synchronous", "FULL").unwrap();
    connection.execute_batch(TABLES).unwrap();
    connection
}

/// Inserts registrations in one transaction.
pub fn insert(connection: &mut Connection, from: u64, to: u64) {
    let transaction = connection.transaction().unwrap();
    {
        let sql = "INSERT OR IGNORE INTO registration VALUES (?1, ?2, 1, 2, 0, ?3, 1.0, ?4)";
        let mut statement = transaction.prepare(sql).unwrap();
        for n in from..to {
            let (agent, capability) = (format!("agent-{}", n % events::AGENTS), events::capability(n / 100));
            statement.execute(params![agent, capability, (n % 5) as i64, format!("{n:032}")]).unwrap();
        }
    }
    transaction.commit().unwrap();
}

/// The duration of inserting registrations into an empty table in memory.
pub fn registrations(count: u64, runs: usize) -> Duration {
    least(runs, || {
        let mut connection = table(None);
        timed(|| insert(&mut connection, 0, count)).1
    })
}

/// The duration of replacing the health of agents in a table in memory.
pub fn heartbeats(texts: &[String], runs: usize) -> Duration {
    least(runs, || {
        let mut connection = table(None);
        let transaction = connection.transaction().unwrap();
        let ((), duration) = timed(|| {
            let mut statement = transaction.prepare("INSERT OR REPLACE INTO health VALUES (?1, ?2, 1)").unwrap();
            for n in 0..texts.len() as u64 {
                statement.execute(params![format!("agent-{}", n % events::AGENTS), format!("{n:032}")]).unwrap();
            }
        });
        transaction.commit().unwrap();
        duration
    })
}

/// A resolver: the agent for a capability.
pub fn resolver(connection: &Connection) -> impl FnMut(&str) -> String + '_ {
    let mut statement = connection.prepare(RESOLVE).unwrap();
    move |capability| statement.query_row([capability], |row| row.get(0)).unwrap()
}
