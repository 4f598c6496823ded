//! Links, pipes, devices and lengths.

use std::fs;
use std::io;
use std::path::PathBuf;

use capgen_files::{Links, Unreadable, has_content, is_marked, open, read, read_head, read_input};
use tempfile::TempDir;

const BOTH: [Links; 2] = [Links::Followed, Links::Refused];

/// A folder with a file of ten bytes.
fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, "0123456789").unwrap();
    (folder, path)
}

#[test]
fn a_file_is_read_up_to_its_limit() {
    let (_folder, path) = folder();
    for links in BOTH {
        assert_eq!(read(&path, links, 10).unwrap(), b"0123456789");
        assert_eq!(read(&path, links, 9).unwrap_err().to_string(), "it has more than 9 bytes");
        assert!(matches!(read(&path, links, 0), Err(Unreadable::TooLong { limit: 0 })));
        assert_eq!(read(&path, links, u64::MAX).unwrap().len(), 10);
        assert_eq!(read_head(&path, links, 3).unwrap(), b"012");
        assert_eq!(read_head(&path, links, 30).unwrap().len(), 10);
        assert!(has_content(&path, links, b"0123456789"));
        assert!(!has_content(&path, links, b"012345678") && !has_content(&path, links, b"0123456789 "));
    }
}

#[test]
fn an_input_that_never_ends_is_read_up_to_the_limit() {
    assert_eq!(read_input("abc".as_bytes(), 3).unwrap(), b"abc");
    assert_eq!(read_input(io::repeat(b'a'), 1000).unwrap_err().to_string(), "it has more than 1000 bytes");
}

#[test]
fn folders_and_missing_files_are_errors() {
    let (folder, path) = folder();
    for links in BOTH {
        assert!(matches!(read(folder.path(), links, 10), Err(Unreadable::Folder)));
        let missing = open(&folder.path().join("other"), links).unwrap_err();
        assert!(missing.is_missing(), "{missing}");
        assert_eq!(io::Error::from(missing).kind(), io::ErrorKind::NotFound);
        // A file is not a folder.
        assert!(matches!(open(&path.join("other"), links), Err(Unreadable::System(_))));
    }
}

#[cfg(unix)]
#[test]
fn links_are_followed_only_if_the_caller_wants_it() {
    let (folder, path) = folder();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    assert_eq!(read(&link, Links::Followed, 10).unwrap().len(), 10);
    let refused = read(&link, Links::Refused, 10).unwrap_err();
    assert!(matches!(refused, Unreadable::Link));
    assert_eq!(refused.to_string(), "it is not a regular file");
    let nowhere = folder.path().join("nowhere");
    std::os::unix::fs::symlink("missing", &nowhere).unwrap();
    assert!(matches!(read(&nowhere, Links::Refused, 10), Err(Unreadable::Link)));
    assert!(read(&nowhere, Links::Followed, 10).unwrap_err().is_missing());
}

#[cfg(unix)]
#[test]
fn pipes_sockets_and_devices_do_not_block() {
    let (folder, _) = folder();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let socket = folder.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    for path in [pipe, socket, PathBuf::from("/dev/zero")] {
        for links in BOTH {
            assert!(matches!(read(&path, links, 10), Err(Unreadable::Irregular)), "{}", path.display());
            assert!(matches!(read_head(&path, links, 10), Err(Unreadable::Irregular)), "{}", path.display());
            assert!(!has_content(&path, links, b"") && !is_marked(&path, links, ""), "{}", path.display());
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_whose_length_is_not_reported_is_read() {
    assert!(!read("/proc/self/status".as_ref(), Links::Refused, 1 << 20).unwrap().is_empty());
    assert!(matches!(read("/proc/self/status".as_ref(), Links::Refused, 1), Err(Unreadable::TooLong { limit: 1 })));
}
