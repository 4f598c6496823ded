//! The fixed schema of a file.

use rusqlite::Connection;

use crate::{FileError, integer};

/// How many versions after the known one count as those of a newer capgen. There will be far fewer; a file with a
/// greater number was damaged or has another origin, and a user who is asked to update capgen would do so in vain.
const NEWER_VERSIONS: i64 = 1000;

/// The tables, indexes and triggers of a file. SQLite stores the text of each statement, so texts are compared.
#[derive(Clone, Copy, Debug)]
pub struct Schema {
    /// `PRAGMA application_id` of the file.
    pub application_id: i64,
    /// `PRAGMA user_version` of the file.
    pub version: i64,
    /// The name and the statement of everything in the file.
    pub objects: &'static [(&'static str, &'static str)],
    /// The names of the tables that readers use.
    pub tables: &'static [&'static str],
}

impl Schema {
    /// Creates everything in an empty file, in a transaction of the caller.
    pub(crate) fn create(&self, connection: &Connection) -> rusqlite::Result<()> {
        for (_, statement) in self.objects {
            connection.execute_batch(statement)?;
        }
        let (application_id, version) = (self.application_id, self.version);
        connection.execute_batch(&format!("PRAGMA application_id = {application_id}; PRAGMA user_version = {version}"))
    }

    /// Checks that the file has this schema. The tables must be exactly the expected ones, so that reading them runs no
    /// view or expression of the file. Indexes and triggers are not checked, see [`differences`](Self::differences).
    pub(crate) fn check(&self, connection: &Connection) -> Result<(), FileError> {
        let other = |reason: String| Err(FileError::Other(reason));
        if integer(connection, "PRAGMA application_id")? != self.application_id {
            return other("its application id is another one".to_owned());
        }
        let version = integer(connection, "PRAGMA user_version")?;
        if version > self.version && version <= self.version + NEWER_VERSIONS {
            return Err(FileError::Newer(version));
        }
        if version != self.version {
            return other("it has an unknown version".to_owned());
        }
        for (name, expected) in self.objects.iter().filter(|(name, _)| self.tables.contains(name)) {
            match statement(connection, name)? {
                Some(found) if found == *expected => {}
                Some(_) => return other(format!("its table `{name}` has other columns")),
                None => return other(format!("it has no table `{name}`")),
            }
        }
        Ok(())
    }

    /// The objects of the file that are missing, changed or unexpected, as descriptions.
    ///
    /// # Errors
    ///
    /// SQLite reports an error.
    pub fn differences(&self, connection: &Connection) -> rusqlite::Result<Vec<String>> {
        let mut differences = Vec::new();
        for (name, expected) in self.objects {
            match statement(connection, name)? {
                Some(found) if found == *expected && is_of_its_table(connection, name, expected)? => {}
                Some(_) => differences.push(format!("the definition of `{name}` was changed")),
                None => differences.push(format!("`{name}` is missing")),
            }
        }
        let known = i64::try_from(self.objects.len()).unwrap_or(i64::MAX);
        // `ANALYZE` adds tables of its own.
        let others = "SELECT count(*) FROM sqlite_schema WHERE NOT (type = 'table' AND name LIKE 'sqlite_stat_')";
        let count = integer(connection, others)?;
        if count > known {
            differences.push(format!("the file has {} more tables, indexes, views or triggers", count - known));
        }
        Ok(differences)
    }
}

/// Whether the file has no tables at all, and belongs to no other application.
pub(crate) fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    for query in ["SELECT count(*) FROM sqlite_schema", "PRAGMA application_id", "PRAGMA user_version"] {
        if integer(connection, query)? != 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether the other columns of `sqlite_schema` are those that SQLite writes for a statement. It ignores the case of
/// their letters.
fn is_of_its_table(connection: &Connection, name: &str, statement: &str) -> rusqlite::Result<bool> {
    let kind = ["TABLE", "TRIGGER"].into_iter().find(|kind| statement.starts_with(&format!("CREATE {kind} ")));
    let kind = kind.unwrap_or("INDEX").to_lowercase();
    let table = match statement.split_once(" ON ") {
        Some((_, rest)) if kind != "table" => rest.split_whitespace().next().unwrap_or_default(),
        _ => name,
    };
    let query = "SELECT 1 FROM sqlite_schema WHERE name = ?1 AND type = ?2 AND tbl_name = ?3";
    connection.prepare(query)?.exists([name, &kind, table])
}

fn statement(connection: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
    let mut found = connection.prepare("SELECT CAST(sql AS BLOB) FROM sqlite_schema WHERE name = ?1")?;
    let mut rows = found.query([name])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let bytes = row.get_ref(0)?.as_blob_or_null()?.unwrap_or_default();
    Ok(Some(String::from_utf8_lossy(bytes).into_owned()))
}
