//! The files of a bundle: missing, of another length, links, and others that are not listed.

use std::fs;
use std::path::PathBuf;

use capgen_amp::bundle::INDEX;
use tempfile::TempDir;

use super::{faults, opened, written};

/// A bundle, and the path of each artifact in it.
fn artifacts() -> (TempDir, Vec<String>) {
    let (folder, bundle) = written();
    let paths: Vec<_> = bundle.artifacts.keys().map(|key| format!("artifacts/{key}")).collect();
    assert_eq!(paths.len(), 2);
    (folder, paths)
}

/// The faults after a change of each artifact.
fn after(change: impl Fn(&PathBuf)) -> String {
    let (folder, paths) = artifacts();
    let mut single = String::new();
    for path in &paths {
        let file = folder.path().join(path);
        let bytes = fs::read(&file).unwrap();
        change(&file);
        let found = faults(folder.path());
        single.push_str(found.strip_prefix(path.as_str()).unwrap());
        fs::remove_file(&file).or_else(|_| fs::remove_dir(&file)).ok();
        fs::write(&file, bytes).unwrap();
        opened(folder.path());
    }
    // All at once, in the order of the keys.
    paths.iter().for_each(|path| change(&folder.path().join(path)));
    let all = faults(folder.path());
    let lines = all.lines().zip(&paths).map(|(line, path)| format!("{}\n", line.strip_prefix(path.as_str()).unwrap()));
    assert_eq!(lines.collect::<String>(), single);
    single
}

#[test]
fn every_artifact_that_is_missing_is_reported() {
    assert_eq!(after(|path| fs::remove_file(path).unwrap()), ": is missing\n".repeat(2));
}

#[test]
fn every_artifact_of_another_length_is_reported() {
    let shorter = after(|path| fs::write(path, &fs::read(path).unwrap()[1..]).unwrap());
    assert!(shorter.lines().all(|line| line.ends_with("it is truncated")), "{shorter}");
    let longer = after(|path| fs::write(path, [&fs::read(path).unwrap()[..], b" "].concat()).unwrap());
    assert!(longer.lines().all(|line| line.contains(": is longer than its ")), "{longer}");
    let huge = after(|path| fs::File::options().write(true).open(path).unwrap().set_len(1 << 40).unwrap());
    assert_eq!(huge, longer);
}

#[test]
fn every_altered_artifact_is_reported() {
    let altered = after(|path| fs::write(path, vec![b' '; fs::read(path).unwrap().len()]).unwrap());
    assert_eq!(altered, ": is altered: its hash is not the one in the signed list\n".repeat(2));
}

#[test]
fn a_folder_in_the_place_of_an_artifact_is_rejected() {
    let found = after(|path| {
        fs::remove_file(path).unwrap();
        fs::create_dir(path).unwrap();
    });
    assert_eq!(found, ": is not a regular file\n".repeat(2));
}

#[test]
fn a_signed_file_beyond_the_limit_is_not_read() {
    let (folder, _) = artifacts();
    let path = folder.path().join(INDEX);
    fs::File::options().write(true).open(path).unwrap().set_len((16 << 20) + 1).unwrap();
    assert_eq!(faults(folder.path()), "bundle.cbor: is longer than 16777216 bytes\n");
}

#[test]
fn missing_folders_are_reported() {
    let (folder, _) = artifacts();
    fs::remove_dir_all(folder.path().join("artifacts")).unwrap();
    assert_eq!(faults(folder.path()), "artifacts: is missing\n");
    assert_eq!(faults(&folder.path().join("other")), "bundle.cbor: is missing\n");
}

#[cfg(unix)]
mod links {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_in_the_place_of_an_artifact_is_rejected_even_if_the_bytes_are_equal() {
        let outside = TempDir::new().unwrap();
        let found = after(|path| {
            let target = outside.path().join(path.file_name().unwrap());
            fs::rename(path, &target).unwrap();
            symlink(target, path).unwrap();
        });
        assert_eq!(found, ": is a link; a bundle contains no links\n".repeat(2));
        let dangling = after(|path| {
            fs::remove_file(path).unwrap();
            symlink("/nonexistent", path).unwrap();
        });
        assert_eq!(dangling, found);
    }

    #[test]
    fn the_signed_file_and_the_folder_are_not_links() {
        for name in [INDEX, "artifacts"] {
            let ((folder, _), outside) = (artifacts(), TempDir::new().unwrap());
            fs::rename(folder.path().join(name), outside.path().join(name)).unwrap();
            symlink(outside.path().join(name), folder.path().join(name)).unwrap();
            assert_eq!(faults(folder.path()), format!("{name}: is a link; a bundle contains no links\n"));
        }
    }

    #[test]
    fn the_path_of_the_bundle_itself_may_be_a_link() {
        let ((folder, _), other) = (artifacts(), TempDir::new().unwrap());
        symlink(folder.path(), other.path().join("current")).unwrap();
        opened(&other.path().join("current"));
    }

    /// Opening a FIFO would wait for a writer.
    #[test]
    fn a_fifo_is_not_opened() {
        let (folder, paths) = artifacts();
        let path = folder.path().join(&paths[0]);
        fs::remove_file(&path).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        if !made.is_ok_and(|status| status.success()) {
            println!("skipped: mkfifo does not work here");
            return;
        }
        assert_eq!(faults(folder.path()), format!("{}: is not a regular file\n", paths[0]));
    }

    /// Decision 19.
    #[test]
    fn files_and_links_that_are_not_listed_are_ignored() {
        let (folder, _) = artifacts();
        fs::write(folder.path().join("README"), "x").unwrap();
        fs::write(folder.path().join("artifacts/other.json"), "not JSON").unwrap();
        fs::create_dir(folder.path().join("artifacts/folder")).unwrap();
        symlink("/etc/passwd", folder.path().join("artifacts/link")).unwrap();
        opened(folder.path());
    }
}
