//! Files that other programs have written, and files that cannot be used.

use std::path::Path;

use capgen_registry::log::{JsonlLog, Log as _, SqliteLog};

use crate::logs::{NOW, checker, heartbeats, records};

fn jsonl(path: &Path) -> JsonlLog {
    JsonlLog::open(path, checker()).unwrap()
}

#[test]
fn lines_of_others_are_rows_unless_they_are_blank_or_not_json() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    let events = heartbeats("a", 0..3);
    let (one, two) = (events[0].text(), events[1].text());
    let text = format!(
        "{one}\r\n\n  \t\n{{\"a\":\n[1, 2]\n\"caf\\ud800\"\n{}\n{two}",
        one.replace("\"payload\":", " \"payload\" : ")
    );
    std::fs::write(&path, text).unwrap();
    let mut log = jsonl(&path);
    let places: Vec<String> =
        records(&mut log).iter().map(|record| format!("{}/{}", record.partition, record.offset)).collect();
    assert_eq!(places, ["a/0", "/0", "a/1", "a/2"]);
    assert_eq!(log.warnings().iter().map(|warning| warning.line).collect::<Vec<_>>(), [4, 6]);
    let result = log.append(&events, &NOW).unwrap();
    let offsets: Vec<_> = result.iter().map(|result| result.as_ref().unwrap()).collect();
    assert_eq!(offsets.iter().map(|appended| appended.offset).collect::<Vec<_>>(), [0, 2, 3]);
    assert!(offsets[0].duplicate_of.is_some() && offsets[2].duplicate_of.is_none());
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.ends_with(&format!("{two}\n{}\n", events[2].text())));
}

#[test]
fn a_line_that_a_crash_has_cut_off_is_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    let events = heartbeats("a", 0..3);
    let text = format!("{}\n{}", events[0].text(), events[1].text());
    for length in events[0].text().len() + 2..text.len() {
        std::fs::write(&path, &text.as_bytes()[..length]).unwrap();
        let mut log = jsonl(&path);
        assert_eq!((log.warnings().len(), log.warnings()[0].line, records(&mut log).len()), (1, 2, 1));
        let results = log.append(&events[1..], &NOW).unwrap();
        assert_eq!(results.iter().map(|result| result.as_ref().unwrap().offset).collect::<Vec<_>>(), [1, 2]);
        let mut again = jsonl(&path);
        assert_eq!(again.warnings(), log.warnings());
        let found: Vec<_> = records(&mut again).into_iter().map(|record| record.event).collect();
        assert_eq!(found, events);
        assert_eq!(again.verify(None).unwrap(), log.verify(None).unwrap());
    }
}

#[test]
fn a_reader_sees_lines_as_they_grow() {
    use std::io::Write as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    let mut file = std::fs::File::create(&path).unwrap();
    let mut log = jsonl(&path);
    let event = &heartbeats("a", 0..1)[0];
    let (start, end) = event.text().split_at(50);
    file.write_all(start.as_bytes()).unwrap();
    assert_eq!((records(&mut log).len(), log.warnings().len()), (0, 1));
    file.write_all(end.as_bytes()).unwrap();
    assert_eq!((records(&mut log).len(), log.warnings().len()), (1, 0));
    file.write_all(format!("\n\n{}\n", event.text()).as_bytes()).unwrap();
    assert_eq!((records(&mut log).len(), log.warnings().len()), (2, 0));
    file.set_len(10).unwrap();
    let message = log.read(0, 1).unwrap_err().to_string();
    assert!(message.ends_with("log.jsonl: the file became shorter"), "{message}");
}

#[test]
fn long_lines_need_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    let event = &heartbeats("a", 0..1)[0];
    let long = format!("\"{}\"\n{}\n", "x".repeat(17 << 20), event.text());
    std::fs::write(&path, long).unwrap();
    let mut log = jsonl(&path);
    assert_eq!(records(&mut log).len(), 1);
    assert_eq!(log.warnings()[0].message, "the line is longer than 16 MiB");
}

#[test]
fn files_that_are_no_logs_are_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file.db");
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE events (id INTEGER PRIMARY KEY)").unwrap();
    drop(other);
    for contents in [std::fs::read(&path).unwrap(), b"This is text, and not a database of SQLite at all.".to_vec()] {
        std::fs::write(&path, &contents).unwrap();
        let message = SqliteLog::open_or_create(&path, checker()).unwrap_err().to_string();
        assert!(message.contains("the file cannot be used"), "{message}");
        assert!(SqliteLog::open_to_read(&path, checker()).is_err());
        assert_eq!(std::fs::read(&path).unwrap(), contents);
    }
    let missing = folder.path().join("missing.db");
    assert!(SqliteLog::open_to_read(&missing, checker()).unwrap_err().to_string().ends_with("the file does not exist"));
    assert!(!missing.exists());
    assert!(JsonlLog::open(&folder.path().join("missing.jsonl"), checker()).is_err());
    assert!(SqliteLog::open_to_read(folder.path(), checker()).is_err());
}

#[test]
fn a_log_that_is_opened_to_read_is_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.db");
    let events = heartbeats("a", 0..2);
    SqliteLog::open_or_create(&path, checker()).unwrap().append(&events[..1], &NOW).unwrap();
    let mut log = SqliteLog::open_to_read(&path, checker()).unwrap();
    let message = log.append(&events, &NOW).unwrap_err().to_string();
    assert!(message.contains("readonly"), "{message}");
    assert_eq!((records(&mut log).len(), log.verify(None).unwrap().ok), (1, true));
}
