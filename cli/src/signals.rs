//! Ending by a signal without leaving temporary files behind.

/// From now on, SIGINT and SIGTERM remove the temporary files before they end the process. The exit status is that of a
/// process that the signal ended, so shells and `make` recognise it.
///
/// On other systems, and after SIGKILL, the next run removes the files.
pub(crate) fn remove_temporary_files_at_the_end() {
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGINT, SIGTERM};
        use signal_hook::iterator::Signals;
        // Without a handler the signals end the process as before.
        let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) else { return };
        let wait = move || {
            for signal in signals.forever() {
                capgen_files::remove_temporary_files();
                if signal_hook::low_level::emulate_default_handler(signal).is_err() {
                    std::process::exit(128 + signal);
                }
            }
        };
        // If the system has no thread for it, the files of a killed process are removed by the next one.
        let _ = std::thread::Builder::new().name("signals".to_owned()).spawn(wait);
    }
}
