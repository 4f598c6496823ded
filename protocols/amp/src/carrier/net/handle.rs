//! Handling a message that has arrived, with the memory that it needs.

use bytes::Bytes;
use capgen_net::{Caller, Seat, Share, Work};

use crate::carrier::{BoxFuture, Handled, Proved, Service};
use crate::message::Did;

/// The method of DIDs that anyone can make, and sign for.
const SELF_MADE: &str = "did:key:";

/// A message that is being handled, with its memory and its place.
pub(in crate::carrier) struct Handling {
    handled: BoxFuture<'static, Handled>,
    proof: tokio::sync::oneshot::Receiver<Did>,
    seat: Seat,
    share: Share,
    work: Work,
}

impl Handling {
    /// Passes a message to a service. The share has the memory that the message needs while it is handled, and the work
    /// has begun when the message arrived.
    pub(in crate::carrier) fn new(
        service: &dyn Service,
        message: Bytes,
        principal: Option<Did>,
        seat: Seat,
        share: Share,
        work: Work,
    ) -> Self {
        let (proved, proof) = Proved::channel();
        Self { handled: service.handle(message, principal, proved), proof, seat, share, work }
    }

    /// The end of the message. An answer keeps its share until the peer has read it.
    pub(in crate::carrier) async fn run(self) -> Handled {
        let Self { mut handled, mut proof, seat, mut share, work } = self;
        let ended = tokio::select! {
            biased;
            Ok(sender) = &mut proof => {
                share.belongs_to(prove(&seat, &sender));
                handled.await
            }
            ended = &mut handled => {
                if let Ok(sender) = proof.try_recv() {
                    share.belongs_to(prove(&seat, &sender));
                }
                ended
            }
        };
        match ended {
            Handled::Answer(answer) => Handled::Answer(share.keep(answer, work)),
            other => other,
        }
    }
}

/// The peer has proved who it is. Returns whom its memory counts for: the agent, or the address for agents that anyone
/// can make, because otherwise a peer could take one share after the other.
pub(in crate::carrier) fn prove(seat: &Seat, agent: &Did) -> Caller {
    let agent = agent.without_fragment();
    if agent.starts_with(SELF_MADE) {
        seat.prove(&format!("{SELF_MADE} at {}", seat.host()));
    } else {
        seat.prove(agent);
    }
    seat.caller()
}
