//! Replacing files as a whole: a reader sees the old content or the new content, nothing in between.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::temporary::{Live, live, remove_stale_files};

/// Temporary files, each with the index of the file that it will replace. Those that are left when this is dropped are
/// deleted.
struct Pending(Vec<(PathBuf, usize)>);

impl Drop for Pending {
    fn drop(&mut self) {
        for (temporary, _) in &self.0 {
            live().delete(temporary);
        }
    }
}

/// Replaces each file with a content. All contents are written to temporary files next to their targets before the
/// first one is renamed, so if one cannot be written, no file has changed. They are renamed from the last to the first.
/// A symbolic link is replaced, not followed. A file that exists keeps its permissions.
///
/// Also removes the temporary files that killed processes left in the folders; see [`remove_stale_files`].
///
/// # Errors
///
/// The index of the file that failed, and the reason. The folders must exist.
pub fn replace_files<C: AsRef<[u8]> + ?Sized>(files: &[(&Path, &C)]) -> Result<(), (usize, io::Error)> {
    let folders: BTreeSet<_> = files.iter().filter_map(|(path, _)| path.parent()).collect();
    folders.into_iter().for_each(remove_stale_files);
    let mut pending = Pending(Vec::with_capacity(files.len()));
    for (index, (path, content)) in files.iter().enumerate() {
        // Renaming is only atomic within a file system, so the temporary file is in the same folder.
        let (temporary, file) = live().create(path).map_err(|error| (index, error))?;
        pending.0.push((temporary.clone(), index));
        write(file, &temporary, path, content.as_ref()).map_err(|error| (index, error))?;
    }
    // Locked until the last file is in its place: a signal ends the process before or after, not between two files. The
    // lock is dropped before `pending`, which locks again.
    let mut live = live();
    while let Some((temporary, index)) = pending.0.last() {
        let (path, content) = files.get(*index).ok_or_else(|| (*index, io::ErrorKind::InvalidInput.into()))?;
        rename(&mut live, temporary, path, content.as_ref()).map_err(|error| (*index, error))?;
        pending.0.pop();
    }
    Ok(())
}

/// Creates each file with a content, all or none: if one cannot be created, those before it are removed again. Every
/// file appears with its whole content, and no file that exists is touched, even if another process creates it
/// meanwhile.
///
/// # Errors
///
/// The index of the file that failed, and the reason; [`io::ErrorKind::AlreadyExists`] if there is something at its
/// path. The folders must exist.
pub fn create_files<C: AsRef<[u8]> + ?Sized>(files: &[(&Path, &C)]) -> Result<(), (usize, io::Error)> {
    let mut pending = Pending(Vec::with_capacity(files.len()));
    for (index, (path, content)) in files.iter().enumerate() {
        let (temporary, file) = live().create(path).map_err(|error| (index, error))?;
        pending.0.push((temporary.clone(), index));
        write(file, &temporary, path, content.as_ref()).map_err(|error| (index, error))?;
    }
    // Locked for the same reason as above.
    let live = live();
    let mut created = Vec::with_capacity(files.len());
    for ((temporary, index), (path, content)) in pending.0.iter().zip(files) {
        if let Err(error) = create(temporary, path, content.as_ref()) {
            created.into_iter().for_each(|path| drop(fs::remove_file(path)));
            return Err((*index, error));
        }
        created.push(*path);
    }
    drop(live);
    Ok(())
}

/// Gives a temporary file a second name, which fails if that exists. Renaming would replace the file.
fn create(temporary: &Path, path: &Path, content: &[u8]) -> io::Result<()> {
    match fs::hard_link(temporary, path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            // A file system without hard links.
            let mut file = File::options().write(true).create_new(true).open(path)?;
            file.write_all(content).inspect_err(|_| drop(fs::remove_file(path)))
        }
        result => result,
    }
}

fn write(mut file: File, temporary: &Path, path: &Path, content: &[u8]) -> io::Result<()> {
    // Before the content is written: if only its owner may read the old file, no other user may read the new one at any
    // time.
    if let Ok(metadata) = fs::symlink_metadata(path)
        && metadata.is_file()
    {
        fs::set_permissions(temporary, metadata.permissions())?;
    }
    file.write_all(content)
}

fn rename(live: &mut Live, temporary: &Path, path: &Path, content: &[u8]) -> io::Result<()> {
    match live.rename(temporary, path) {
        // A process in another container, which does not see this one, took the file for one of a process that has
        // ended.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            live.delete(temporary);
            let (again, file) = live.create(path)?;
            let result = write(file, &again, path, content).and_then(|()| live.rename(&again, path));
            if result.is_err() {
                live.delete(&again);
            }
            result
        }
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use capgen_testkit::folder::Folder;

    use super::*;

    #[test]
    fn if_one_text_cannot_be_written_no_file_changes() {
        let folder = Folder::new();
        let (a, b) = (folder.path("a"), folder.path("missing/b"));
        fs::write(&a, "old").unwrap();
        let (index, _) = replace_files(&[(&a, "new"), (&b, "new")]).unwrap_err();
        assert_eq!((index, fs::read_to_string(&a).unwrap()), (1, "old".to_owned()));
        replace_files(&[(&a, "new")]).unwrap();
        assert_eq!(fs::read_to_string(&a).unwrap(), "new");
        assert_eq!(folder.names(""), ["a"], "temporary files are left");
    }

    #[test]
    fn files_are_created_all_or_none_and_none_is_replaced() {
        let folder = Folder::new();
        let (a, b) = (folder.path("a"), folder.path("b"));
        create_files(&[(&a, "new")]).unwrap();
        let (index, error) = create_files(&[(&b, "new"), (&a, "newer")]).unwrap_err();
        assert_eq!((index, error.kind()), (1, io::ErrorKind::AlreadyExists));
        assert_eq!(fs::read_to_string(&a).unwrap(), "new");
        assert_eq!(folder.names(""), ["a"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_replaced_file_keeps_its_permissions() {
        use std::os::unix::fs::PermissionsExt;
        let folder = Folder::new();
        let (a, link) = (folder.path("a"), folder.path("link"));
        for mode in [0o600, 0o640, 0o755, 0o444] {
            fs::write(&a, "old").unwrap();
            fs::set_permissions(&a, fs::Permissions::from_mode(mode)).unwrap();
            replace_files(&[(&a, "new")]).unwrap();
            assert_eq!(fs::metadata(&a).unwrap().permissions().mode() & 0o777, mode);
            fs::remove_file(&a).unwrap();
        }
        // A link is replaced; the permissions of the file that it leads to do not matter.
        fs::write(&a, "old").unwrap();
        fs::set_permissions(&a, fs::Permissions::from_mode(0o700)).unwrap();
        std::os::unix::fs::symlink(&a, &link).unwrap();
        replace_files(&[(&link, "new")]).unwrap();
        assert_eq!(fs::read_to_string(&a).unwrap(), "old");
        assert!(fs::symlink_metadata(&link).unwrap().is_file());
        assert_eq!(fs::metadata(&link).unwrap().permissions().mode() & 0o111, 0);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn files_of_ended_processes_are_removed_and_no_others() {
        let folder = Folder::new();
        let ended = std::process::Command::new("true").spawn().and_then(|mut child| {
            child.wait()?;
            Ok(child.id())
        });
        let ended = ended.unwrap();
        let own = std::process::id();
        let kept = [
            ".capgen-1-0.tmp".to_owned(),
            format!(".capgen-{ended}-x.tmp"),
            format!(".capgen-{ended}-0.tmp.rs"),
            format!("capgen-{ended}-0.tmp"),
            "a".to_owned(),
        ];
        let stale =
            [format!(".capgen-{ended}-0.tmp"), format!(".capgen-{ended}-17.tmp"), format!(".capgen-{own}-4000000.tmp")];
        for name in kept.iter().chain(&stale) {
            fs::write(folder.path(name), "x").unwrap();
        }
        fs::create_dir(folder.path(&format!(".capgen-{ended}-1.tmp"))).unwrap();
        std::os::unix::fs::symlink("a", folder.path(&format!(".capgen-{ended}-2.tmp"))).unwrap();
        replace_files(&[(&folder.path("a"), "new")]).unwrap();
        let names = folder.names("");
        assert!(kept.iter().all(|name| names.contains(name)), "{names:?}");
        assert!(!stale.iter().any(|name| names.contains(name)), "{names:?}");
        assert_eq!(names.len(), kept.len() + 2, "{names:?}");
        // One of a process that is alive, but old.
        let old = fs::File::options().write(true).open(folder.path(".capgen-1-0.tmp")).unwrap();
        old.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(2 * 60 * 60)).unwrap();
        remove_stale_files(folder.root());
        assert!(!folder.names("").contains(&".capgen-1-0.tmp".to_owned()));
    }

    #[test]
    fn a_file_that_another_process_removed_is_written_again() {
        let folder = Folder::new();
        let a = folder.path("a");
        let (temporary, _) = live().create(&a).unwrap();
        fs::remove_file(&temporary).unwrap();
        rename(&mut live(), &temporary, &a, b"new").unwrap();
        assert_eq!(fs::read_to_string(&a).unwrap(), "new");
        assert_eq!(folder.names(""), ["a"]);
        live().delete(&temporary);
    }
}
