//! Many messages: order, completeness and limits.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Check;
use super::harness::{
    Harness, LONG, SHORT, ensure, next, number, numbers, parsed, send, soon, subscribe, subscribe_with,
};
use crate::transport::{BoxFuture, SubscribeOptions, TransportError};

pub(super) const ALL: [(&str, Check); 5] = [
    ("messages_of_one_sender_keep_their_order", order),
    ("all_messages_of_concurrent_senders_arrive", concurrent),
    ("closing_sends_the_buffered_messages", close_sends),
    ("waiting_for_a_message_can_be_cancelled", cancel_safe),
    ("messages_that_no_one_reads_are_bounded_and_reported", capacity),
];

fn order<'a>(harness: &'a Harness<'a>) -> BoxFuture<'a, Result<(), String>> {
    Box::pin(async {
        let (sender, receiver) = (harness.connect().await?, harness.connect().await?);
        let address = harness.address("a");
        let mut subscription = subscribe(&receiver, &address).await?;
        for index in 0..500 {
            send(&sender, number(&address, index)).await?;
        }
        for index in 0..500 {
            let received = parsed(&next(&mut subscription).await?)?;
            ensure(received == index, || format!("message {received} arrived instead of {index}"))?;
        }
        Ok(())
    })
}

fn concurrent<'a>(harness: &'a Harness<'a>) -> BoxFuture<'a, Result<(), String>> {
    Box::pin(async {
        let (sender, receiver) = (harness.connect().await?, harness.connect().await?);
        let address = harness.address("a");
        let mut subscription = subscribe(&receiver, &address).await?;
        let tasks: Vec<_> = (0..10)
            .map(|task| {
                let (sender, address) = (Arc::clone(&sender), address.clone());
                tokio::spawn(async move {
                    for index in 0..100 {
                        send(&sender, number(&address, task * 100 + index)).await?;
                    }
                    Ok::<(), String>(())
                })
            })
            .collect();
        let mut received = Vec::new();
        while received.len() < 1000 {
            received.push(parsed(&next(&mut subscription).await?)?);
        }
        for task in tasks {
            task.await.map_err(|error| error.to_string())??;
        }
        received.sort_unstable();
        ensure(received == (0..1000).collect::<Vec<_>>(), || "not each message arrived once".to_owned())?;
        ensure(soon(&mut subscription).await.is_none(), || "more than 1000 messages arrived".to_owned())
    })
}

fn close_sends<'a>(harness: &'a Harness<'a>) -> BoxFuture<'a, Result<(), String>> {
    Box::pin(async {
        let (sender, receiver) = (harness.connect().await?, harness.connect().await?);
        let address = harness.address("a");
        let mut subscription = subscribe(&receiver, &address).await?;
        for index in 0..500 {
            send(&sender, number(&address, index)).await?;
        }
        tokio::time::timeout(LONG, sender.close()).await.map_err(|_| "`close` does not end")?;
        let received = numbers(&mut [&mut subscription], 500).await?;
        ensure(received.len() == 500, || format!("{} of 500 messages arrived", received.len()))
    })
}

fn cancel_safe<'a>(harness: &'a Harness<'a>) -> BoxFuture<'a, Result<(), String>> {
    Box::pin(async {
        let transport = harness.connect().await?;
        let address = harness.address("a");
        let mut subscription = subscribe(&transport, &address).await?;
        let (sender, to) = (Arc::clone(&transport), address.clone());
        let task = tokio::spawn(async move {
            for index in 0..200 {
                send(&sender, number(&to, index)).await?;
                if index % 20 == 0 {
                    tokio::time::sleep(Duration::from_millis(2)).await;
                }
            }
            Ok::<(), String>(())
        });
        let start = Instant::now();
        let mut expected = 0;
        while expected < 200 && start.elapsed() < LONG {
            let waiting = tokio::time::timeout(Duration::from_micros(50), subscription.next());
            if let Ok(Some(incoming)) = waiting.await {
                let received = parsed(&incoming)?;
                ensure(received == expected, || format!("message {received} arrived instead of {expected}"))?;
                expected += 1;
            }
        }
        task.await.map_err(|error| error.to_string())??;
        ensure(expected == 200, || format!("{expected} of 200 messages arrived"))
    })
}

fn capacity<'a>(harness: &'a Harness<'a>) -> BoxFuture<'a, Result<(), String>> {
    Box::pin(async {
        let (sender, receiver) = (harness.connect().await?, harness.connect().await?);
        let address = harness.address("a");
        let options = SubscribeOptions { capacity: 8, ..SubscribeOptions::default() };
        let mut slow = subscribe_with(&receiver, &address, options).await?;
        let mut rejected = 0_u64;
        for index in 0..500 {
            match sender.publish(number(&address, index)).await {
                Ok(()) => {}
                Err(TransportError::Overloaded) => rejected += 1,
                Err(error) => return Err(format!("publish failed: {error}")),
            }
        }
        tokio::time::sleep(SHORT).await;
        let received = numbers(&mut [&mut slow], 8).await?;
        ensure(received.len() <= 16, || format!("{} messages waited; the capacity is 8", received.len()))?;
        ensure(received.first() == Some(&0), || "the first messages were dropped, not the last".to_owned())?;
        let reported = rejected + receiver.dropped();
        ensure(reported > 0, || "the loss of messages was not reported".to_owned())?;
        // A subscription that was too slow is still one.
        send(&sender, number(&address, 1000)).await?;
        let received = parsed(&next(&mut slow).await?)?;
        ensure(received == 1000, || format!("message {received} arrived instead of 1000"))
    })
}
