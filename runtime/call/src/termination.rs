//! The signal by which a process is asked to end.

use std::io;

/// Ends when the process is asked to end: by SIGTERM, as service managers and orchestrators do, or by Ctrl-C (SIGINT).
/// Outside Unix, by Ctrl-C. Afterwards, these signals no longer end the process by themselves.
///
/// A server that then [shuts down](crate::Server::shutdown) answers the requests that it has received. Its patience
/// should be shorter than the time after which the process is killed, such as 30 s in Kubernetes and 90 s in systemd.
///
/// # Errors
///
/// The signals cannot be received.
pub async fn termination() -> io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        Ok(())
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}
