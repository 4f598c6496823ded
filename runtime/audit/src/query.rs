//! Selecting rows.

use std::ops::ControlFlow;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use crate::database::{Database, DatabaseError};
use crate::row::{COLUMNS, MalformedRow, Row};
use crate::table;

/// The kinds of records.
pub const KINDS: [&str; 3] = ["capability_schema_violation", "capability_call", table::CHECKPOINT];

/// Which rows to return: those that meet every condition that is set.
///
/// ```
/// let filter = capgen_audit::Filter { kind: Some("capability_call".to_owned()), limit: Some(10), ..Default::default() };
/// assert_eq!(filter.since, None);
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Filter {
    /// Only records of this kind, one of [`KINDS`].
    pub kind: Option<String>,
    /// Only records of this tenant.
    pub tenant: Option<String>,
    /// Only records of this capability.
    pub capability: Option<String>,
    /// Only records with this other party, as `agent://<id>`.
    pub peer: Option<String>,
    /// Only records from this time on, as Unix time in ms.
    pub since: Option<u64>,
    /// Only records before this time, as Unix time in ms.
    pub until: Option<u64>,
    /// Only rows with a greater `id`.
    pub after: Option<i64>,
    /// Only the last rows, at most this many.
    pub limit: Option<u32>,
}

impl Filter {
    /// The condition in SQL, with its parameters.
    fn condition(&self) -> (String, Vec<Value>) {
        let mut conditions = vec!["1".to_owned()];
        let mut values = Vec::new();
        let mut add = |condition: &str, value: Option<Value>| {
            let Some(value) = value else { return };
            values.push(value);
            conditions.push(format!("{condition} ?{}", values.len()));
        };
        let text = |text: &Option<String>| text.clone().map(Value::Text);
        let time = |ms: Option<u64>| ms.map(|ms| Value::Integer(i64::try_from(ms).unwrap_or(i64::MAX)));
        add("kind =", text(&self.kind));
        add("tenant =", text(&self.tenant));
        add("capability =", text(&self.capability));
        add("peer =", text(&self.peer));
        add("ts >=", time(self.since));
        add("ts <", time(self.until));
        add("id >", self.after.map(Value::Integer));
        (conditions.join(" AND "), values)
    }
}

impl Database {
    /// Passes the rows that meet a filter to a function, in the order in which they were written, until it returns
    /// [`ControlFlow::Break`]. The rows are not verified.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn query(
        &self,
        filter: &Filter,
        each: &mut dyn FnMut(Result<Row, MalformedRow>) -> ControlFlow<()>,
    ) -> Result<(), DatabaseError> {
        Ok(query(&self.connection, filter, each)?)
    }

    /// The rows that meet a filter. For large results, [`query`](Self::query) needs less memory.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or a row is malformed.
    pub fn rows(&self, filter: &Filter) -> Result<Vec<Row>, DatabaseError> {
        let mut rows = Vec::new();
        self.query(filter, &mut |row| {
            rows.push(row);
            ControlFlow::Continue(())
        })?;
        let rows = rows.into_iter().map(|row| row.map_err(|row| DatabaseError::Damaged(row.to_string())));
        rows.collect()
    }

    /// The greatest `id`; 0 if there are no rows.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn last_id(&self) -> Result<i64, DatabaseError> {
        Ok(capgen_sqlite::integer(&self.connection, "SELECT coalesce(max(id), 0) FROM audit")?)
    }
}

fn query(
    connection: &Connection,
    filter: &Filter,
    each: &mut dyn FnMut(Result<Row, MalformedRow>) -> ControlFlow<()>,
) -> rusqlite::Result<()> {
    let (condition, values) = filter.condition();
    let query = match filter.limit {
        // Only the ids are sorted twice; they are small.
        Some(limit) => format!(
            "SELECT {COLUMNS} FROM audit WHERE id IN (SELECT id FROM audit WHERE {condition} ORDER BY id DESC LIMIT {limit}) ORDER BY id"
        ),
        None => format!("SELECT {COLUMNS} FROM audit WHERE {condition} ORDER BY id"),
    };
    let mut statement = connection.prepare(&query)?;
    let mut rows = statement.query(params_from_iter(values))?;
    while let Some(row) = rows.next()? {
        if each(Row::read(row)).is_break() {
            break;
        }
    }
    Ok(())
}
