//! Tables that only grow.

/// The name and the statement of a trigger that refuses changes of the rows of a table, for
/// [`Schema::objects`](crate::Schema).
///
/// Tables of which the rows form chains by their hashes have three of them. They refuse changes by accident and by
/// other programs that use SQL. Someone who can write to the file can drop them; the hashes are for that case. `INSERT
/// OR REPLACE` deletes rows without the trigger for `DELETE`, so the one for `INSERT` refuses it.
///
/// All arguments are literals, because SQLite compares the text of statements. `because` is the message of the error.
///
/// - `insert` refuses a row that is not the last one of the table by `id`, or not the last one of its chain. `chain` is
///   the column that names the chain, and `place` the column with the place in it.
/// - `update` refuses every update.
/// - `delete` refuses every deletion; with `unless`, except for rows (`OLD`) for which that query has a result.
///
/// ```
/// use capgen_sqlite::{Limits, Schema, append_only, open_to_write};
///
/// const LOG: Schema = Schema {
///     application_id: 0x6c6f_6773,
///     version: 1,
///     objects: &[
///         ("log", "CREATE TABLE log (id INTEGER PRIMARY KEY, topic TEXT, seq INTEGER) STRICT"),
///         append_only!(insert "log", chain "topic", place "seq", because "the log is append-only"),
///         append_only!(update "log", because "the log is append-only"),
///         append_only!(delete "log", because "the log is append-only"),
///     ],
///     tables: &["log"],
/// };
/// let limits = Limits { max_value: 1 << 20, timeout: std::time::Duration::from_secs(1) };
/// let folder = tempfile::tempdir()?;
/// let file = open_to_write(&folder.path().join("log.db"), &LOG, limits, true)?;
/// file.execute("INSERT INTO log VALUES (1, 'a', 1), (2, 'a', 2), (3, 'b', 1)", [])?;
/// for change in [
///     "INSERT INTO log VALUES (4, 'a', 2)",
///     "INSERT OR REPLACE INTO log VALUES (3, 'b', 2)",
///     "UPDATE log SET topic = 'c'",
///     "DELETE FROM log",
/// ] {
///     assert_eq!(file.execute(change, []).unwrap_err().to_string(), "the log is append-only");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[macro_export]
macro_rules! append_only {
    (insert $table:literal, chain $chain:literal, place $place:literal, because $message:literal) => {
        $crate::append_only!(
            @trigger "insert", "INSERT", $table,
            concat!(
                "\nWHEN NEW.id <= (SELECT coalesce(max(id), 0) FROM ", $table, ")",
                "\n  OR EXISTS (SELECT 1 FROM ", $table,
                " WHERE ", $chain, " = NEW.", $chain, " AND ", $place, " >= NEW.", $place, ")"
            ),
            $message
        )
    };
    (update $table:literal, because $message:literal) => {
        $crate::append_only!(@trigger "update", "UPDATE", $table, "", $message)
    };
    (delete $table:literal, because $message:literal) => {
        $crate::append_only!(@trigger "delete", "DELETE", $table, "", $message)
    };
    (delete $table:literal, unless $query:literal, because $message:literal) => {
        $crate::append_only!(
            @trigger "delete", "DELETE", $table,
            concat!("\nWHEN NOT EXISTS (\n  ", $query, "\n)"),
            $message
        )
    };
    (@trigger $name:literal, $event:literal, $table:literal, $when:expr, $message:literal) => {
        (
            concat!($table, "_", $name),
            concat!(
                "CREATE TRIGGER ", $table, "_", $name, " BEFORE ", $event, " ON ", $table, $when,
                "\nBEGIN SELECT RAISE(ABORT, '", $message, "'); END"
            ),
        )
    };
}

#[cfg(test)]
mod tests {
    /// Files of earlier versions have these texts. A file with another text counts as changed.
    #[test]
    fn the_text_of_the_triggers_never_changes() {
        assert_eq!(
            append_only!(insert "log", chain "topic", place "seq", because "no"),
            (
                "log_insert",
                "CREATE TRIGGER log_insert BEFORE INSERT ON log
WHEN NEW.id <= (SELECT coalesce(max(id), 0) FROM log)
  OR EXISTS (SELECT 1 FROM log WHERE topic = NEW.topic AND seq >= NEW.seq)
BEGIN SELECT RAISE(ABORT, 'no'); END"
            )
        );
        assert_eq!(
            append_only!(update "log", because "no"),
            ("log_update", "CREATE TRIGGER log_update BEFORE UPDATE ON log\nBEGIN SELECT RAISE(ABORT, 'no'); END")
        );
        assert_eq!(
            append_only!(delete "log", because "no"),
            ("log_delete", "CREATE TRIGGER log_delete BEFORE DELETE ON log\nBEGIN SELECT RAISE(ABORT, 'no'); END")
        );
        assert_eq!(
            append_only!(delete "log", unless "SELECT 1", because "no"),
            (
                "log_delete",
                "CREATE TRIGGER log_delete BEFORE DELETE ON log
WHEN NOT EXISTS (
  SELECT 1
)
BEGIN SELECT RAISE(ABORT, 'no'); END"
            )
        );
    }
}
