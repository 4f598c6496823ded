//! The rule for shares.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use tokio::time::timeout;

use super::*;
use crate::Host;

const MIB: usize = 1 << 20;

fn named(name: &str) -> Caller {
    Caller::Named(name.into())
}

fn host(last: u8) -> Caller {
    Caller::Host(Host::of(IpAddr::V4(Ipv4Addr::new(127, 0, 0, last))))
}

fn seat() -> crate::Seat {
    crate::Seat::new(Host::of(IpAddr::V4(Ipv4Addr::LOCALHOST)), Arc::default())
}

/// Whether a share gets an amount without waiting. The time is paused, so the timeout is never over before everything
/// else waits.
async fn gets(share: &mut Share, amount: usize) -> bool {
    timeout(Duration::from_millis(1), share.grow(amount)).await.is_ok()
}

/// As many shares of an amount as a caller gets.
async fn take_all(budget: &Budget, caller: &Caller, amount: usize) -> Vec<Share> {
    let mut shares = Vec::new();
    loop {
        let mut share = budget.share(caller.clone());
        if !gets(&mut share, amount).await {
            return shares;
        }
        shares.push(share);
    }
}

#[tokio::test(start_paused = true)]
async fn a_sole_caller_gets_all_that_is_promised() {
    for (promised, amount) in [(256, 1), (16, 1), (256, 16)] {
        let budget = Budget::memory(promised * MIB, false);
        assert_eq!(take_all(&budget, &named("a"), amount * MIB).await.len(), promised / amount);
    }
    for count in [1, 2, 3, 5, 64] {
        let budget = Budget::places(count);
        assert_eq!(take_all(&budget, &named("a"), 1).await.len(), count);
    }
}

#[tokio::test(start_paused = true)]
async fn a_newcomer_finds_room_whatever_others_hold() {
    let budget = Budget::memory(256 * MIB, false);
    let mut all = Vec::new();
    for caller in 0..4 {
        let shares = take_all(&budget, &host(caller), 2 * FREE).await;
        assert!(!shares.is_empty(), "{caller} finds no room");
        all.push(shares);
    }
    let budget = Budget::places(1);
    let first = take_all(&budget, &host(1), 1).await;
    assert_eq!((first.len(), take_all(&budget, &host(2), 1).await.len()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn unproved_callers_share_half() {
    let budget = Budget::memory(256 * MIB, true);
    let mut all = Vec::new();
    for caller in 0..200 {
        all.push(take_all(&budget, &host(caller), MIB).await);
    }
    // Half of 320, and one message that may exceed it.
    let held = budget.held() / MIB;
    assert!((160..=161).contains(&held), "{held} MiB are held");
    assert!(take_all(&budget, &named("a"), MIB).await.len() >= 100, "the other half is free");
}

#[tokio::test(start_paused = true)]
async fn a_caller_waits_for_its_own_shares_and_small_ones_do_not_wait() {
    let budget = Budget::memory(4 * MIB, false);
    let mut shares = take_all(&budget, &named("a"), MIB).await;
    let mut next = budget.share(named("a"));
    assert!(gets(&mut next, FREE).await && !gets(&mut next, 2 * FREE).await);
    assert!(!gets(&mut budget.share(named("a")).always_waits(), 1).await);
    shares.pop();
    assert!(gets(&mut next, 2 * FREE).await);
}

#[tokio::test(start_paused = true)]
async fn messages_that_grow_do_not_wait_for_each_other_for_ever() {
    let budget = Budget::memory(4 * MIB, true);
    let tasks: Vec<_> = (0..40_u8)
        .map(|task| {
            let budget = budget.clone();
            tokio::spawn(async move {
                let caller = if task < 20 { host(task % 7) } else { named(&(task % 3).to_string()) };
                let mut share = budget.share(caller);
                for size in 1..=16 {
                    share.grow(size * (MIB / 8)).await;
                    tokio::task::yield_now().await;
                    assert!(budget.held() <= 8 * MIB, "{} bytes are held", budget.held());
                }
            })
        })
        .collect();
    for task in tasks {
        timeout(Duration::from_secs(60), task).await.unwrap().unwrap();
    }
    assert_eq!(budget.held(), 0);
    assert!(budget.state().callers.is_empty() && budget.state().waiting.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_message_beyond_the_budget_is_received_alone() {
    let budget = Budget::memory(MIB, true);
    let mut share = budget.share(host(1));
    assert!(gets(&mut share, 100 * MIB).await);
    assert!(!gets(&mut budget.share(host(2)), MIB).await);
    drop(share);
    assert!(gets(&mut budget.share(host(2)), MIB).await);
}

#[tokio::test(start_paused = true)]
async fn a_share_moves_to_the_caller_that_its_peer_has_proved_to_be() {
    let budget = Budget::memory(4 * MIB, true);
    let mut first = take_all(&budget, &host(1), MIB).await;
    assert!(!gets(&mut budget.share(host(1)), MIB).await);
    for share in &mut first {
        share.belongs_to(named("a"));
    }
    assert!(gets(&mut budget.share(host(1)), MIB).await);
    let count = first.len();
    let kept = first.pop().unwrap().keep(vec![0; 10].into(), seat().work());
    drop(first);
    assert_eq!(budget.held(), 10, "of {count} shares, the bytes that are kept are left");
    drop(kept.slice(2..4));
    drop(kept);
    assert_eq!(budget.held(), 0);
}

#[tokio::test(start_paused = true)]
async fn large_messages_of_one_caller_leave_room_for_others() {
    let budget = Budget::memory(4 * MIB, false);
    let mut large = budget.share(host(1));
    assert!(gets(&mut large, 3 * MIB).await);
    // The caller waits for itself, and does not exceed the total.
    assert!(!gets(&mut budget.share(host(1)), 3 * MIB).await);
    // A large message of another caller exceeds it, which does not count for the others.
    let mut other = budget.share(host(2));
    assert!(gets(&mut other, 3 * MIB).await);
    assert_eq!(budget.held(), 6 * MIB);
    assert!(gets(&mut budget.share(host(3)), MIB).await);
    assert!(!gets(&mut budget.share(host(4)), 3 * MIB).await, "one message at a time may exceed it");
    drop(other);
    assert_eq!(budget.held(), 3 * MIB);
}
