//! Which messages arrive where, and the end of subscriptions and connections.

use std::collections::BTreeSet;
use std::time::Instant;

use bytes::Bytes;

use super::Check;
use super::harness::{
    Harness, LONG, SHORT, ensure, message, next, number, numbers, payload, send, soon, subscribe, subscribe_with,
};
use crate::transport::{BoxFuture, Health, IncomingContent, SubscribeOptions, TransportError};

pub(super) const ALL: [(&str, Check); 13] = [
    ("a_message_arrives_as_it_was_sent", arrives),
    ("an_empty_payload_is_a_message", empty_payload),
    ("every_subscription_receives_each_message", fan_out),
    ("one_member_of_each_group_receives_a_message", groups),
    ("a_wildcard_matches_one_token", wildcard),
    ("inboxes_are_unique", inboxes),
    ("a_request_without_receivers_is_reported_at_its_reply_address", no_responders),
    ("a_request_with_a_receiver_is_not_reported", responders),
    ("a_dropped_subscription_receives_nothing", dropped_subscription),
    ("a_message_above_the_limit_is_rejected", oversize),
    ("closing_ends_subscriptions", close_ends),
    ("a_closed_transport_rejects_operations", closed),
    ("closing_leaves_other_connections", close_is_local),
];

fn arrives<'a>(harness: &'a Harness<'a>) -> BoxFuture<'a, Result<(), String>> {
    Box::pin(async {
        let (sender, receiver) = (harness.connect().await?, harness.connect().await?);
        let address = harness.address("a");
        let mut own = subscribe(&sender, &address).await?;
        let mut other = subscribe(&receiver, &address).await?;
        ensure(sender.health() == Health::Connected, || "a new transport is not connected".to_owned())?;
        let bytes: Bytes = (0..=255).collect();
        let reply = harness.address("reply");
        send(&sender, crate::Outgoing { reply_to: Some(reply.clone()), ..message(&address, bytes.clone()) }).await?;
        for subscription in [&mut own, &mut other] {
            let incoming = next(subscription).await?;
            ensure(payload(&incoming)? == &bytes, || "the payload changed".to_owned())?;
            ensure(incoming.address == address, || format!("the address is {}", incoming.address))?;
            ensure(incoming.reply_to.as_ref() == Some(&reply), || format!("`reply_to` is {:?}", incoming.reply_to))?;
            ensure(!incoming.redelivered, || "the first delivery counts as redelivered".to_owned())?;
            ensure(incoming.acknowledgement.is_none(), || "an acknowledgement is expected".to_owned())?;
        }
        Ok(())
    })
}

fn empty_payload<'a>(harness: &'a Harness<'a>) -> BoxFuture<'a, Result<(), String>> {
    Box::pin(async {
        let transport = harness.connect().await?;
        let address = harness.address("a");
        let mut subscription = subscribe(&transport, &address).await?;
        send(&transport, message(&address, "")).await?;
        let incoming = next(&mut subscription).await?;
        ensure(payload(&incoming)?.is_empty(), || "the payload is not empty".to_owned())?;
        ensure(incoming.reply_to.is_none(), || "a reply address appeared".to_owned())
    })
}

fn fan_out<'a>(harness: &'a Harness<'a>) -> BoxFuture<'a, Result<(), String>> {
    Box::pin(async {
        let (one, two) = (harness.connect().await?, harness.connect().await?);
        let address = harness.address("a");
        let mut subscriptions =
            [subscribe(&one, &address).await?, subscribe(&one, &address).await?, subscribe(&two, &address).await?];
        let mut elsewhere = subscribe(&one, &harness.address("b")).await?;
        for index in 0..20 {
            send(&two, number(&address, index)).await?;
        }
        for subscription in &mut subscriptions {
            let received = numbers(&mut [subscription], 20).await?;
            ensure(received == (0..20).collect::<Vec<_>>(), || format!("received {received:?}"))?;
        }
        ensure(soon(&mut elsewhere).await.is_none(), || "a message arrived at another address".to_owned())
    })
}

fn groups<'a>(harness: &'a Harness<'a>) -> BoxFuture<'a, Result<(), String>> {
    Box::pin(async {
        let (one, two) = (harness.connect().await?, harness.connect().await?);
        let address = harness.address("a");
        let member = |group: &str| SubscribeOptions { group: Some(group.to_owned()), ..SubscribeOptions::default() };
        let mut group = [
            subscribe_with(&one, &address, member("g")).await?,
            subscribe_with(&one, &address, member("g")).await?,
            subscribe_with(&two, &address, member("g")).await?,
        ];
        let mut other_group = subscribe_with(&two, &address, member("h")).await?;
        let mut alone = subscribe(&two, &address).await?;
        for index in 0..100 {
            send(&one, number(&address, index)).await?;
        }
        let mut all = numbers(&mut group.each_mut(), 100).await?;
        all.sort_unstable();
        let expected: Vec<usize> = (0..100).collect();
        ensure(all == expected, || format!("the members of a group received {} messages: {all:?}", all.len()))?;
        for subscription in [&mut other_group, &mut alone] {
            let received = numbers(&mut [subscription], 100).await?;
            ensure(received == expected, || format!("received {received:?}"))?;
        }
        // The group goes on if a member leaves.
        let [gone, mut second, mut third] = group;
        drop(gone);
        tokio::time::sleep(SHORT).await;
        for index in 0..20 {
            send(&one, number(&address, index)).await?;
        }
        let mut rest = numbers(&mut [&mut second, &mut third], 20).await?;
        rest.sort_unstable();
        ensure(rest == (0..20).collect::<Vec<_>>(), || format!("the remaining members received {rest:?}"))
    })
}

fn wildcard<'a>(harness: &'a Harness<'a>) -> BoxFuture<'a, Result<(), String>> {
    Box::pin(async {
        let (one, two) = (harness.connect().await?, harness.connect().await?);
        let inbox = one.new_inbox();
        let mut subscription = subscribe(&one, &format!("{inbox}.*")).await?;
        for address in [format!("{inbox}.a.b"), inbox.clone(), format!("{inbox}x.a"), format!("{inbox}.a")] {
            send(&two, message(&address, address.clone())).await?;
        }
        send(&two, message(&format!("{inbox}.17-x_Y"), "last")).await?;
        let first = next(&mut subscription).await?;
        ensure(first.address == format!("{inbox}.a"), || format!("received a message to {}", first.address))?;
        let second = next(&mut subscription).await?;
        ensure(second.address == format!("{inbox}.17-x_Y"), || format!("received a message to {}", second.address))?;
        ensure(soon(&mut subscription).await.is_none(), || "too many messages arrived".to_owned())
    })
}

fn inboxes<'a>(harness: &'a Harness<'a>) -> BoxFuture<'a, Result<(), String>> {
    Box::pin(async {
        let (one, two) = (harness.connect().await?, harness.connect().await?);
        let all: BTreeSet<String> = (0..100).flat_map(|_| [one.new_inbox(), two.new_inbox()]).collect();
        ensure(all.len() == 200, || format!("only {} of 200 inboxes are different", all.len()))
    })
}

fn no_responders<'a>(harness: &'a Harness<'a>) -> BoxFuture<'a, Result<(), String>> {
    Box::pin(async {
        let transport = harness.connect().await?;
        let inbox = transport.new_inbox();
        let mut replies = subscribe(&transport, &format!("{inbox}.*")).await?;
        let start = Instant::now();
        let reply = format!("{inbox}.7");
        let request = crate::Outgoing { reply_to: Some(reply.clone()), ..message(&harness.address("a"), "request") };
        send(&transport, request).await?;
        let event = next(&mut replies).await?;
        ensure(event.content == IncomingContent::NoResponders, || format!("received {:?}", event.content))?;
        ensure(event.address == reply, || format!("reported at {}", event.address))?;
        ensure(start.elapsed().as_millis() < 1000, || format!("reported after {:?}", start.elapsed()))?;
        // No one is informed about a message that expects no answer.
        send(&transport, message(&harness.address("a"), "event")).await?;
        ensure(soon(&mut replies).await.is_none(), || "more than one event arrived".to_owned())
    })
}

fn responders<'a>(harness: &'a Harness<'a>) -> BoxFuture<'a, Result<(), String>> {
    Box::pin(async {
        let (caller, provider) = (harness.connect().await?, harness.connect().await?);
        let address = harness.address("a");
        let group = SubscribeOptions { group: Some("g".to_owned()), ..SubscribeOptions::default() };
        let mut requests = subscribe_with(&provider, &address, group).await?;
        let inbox = caller.new_inbox();
        let mut replies = subscribe(&caller, &format!("{inbox}.*")).await?;
        for index in 0..10 {
            let reply = format!("{inbox}.{index}");
            send(&caller, crate::Outgoing { reply_to: Some(reply.clone()), ..number(&address, index) }).await?;
            let request = next(&mut requests).await?;
            let reply_to = request.reply_to.clone().ok_or("the reply address is missing")?;
            send(&provider, message(&reply_to, payload(&request)?.clone())).await?;
            let answer = next(&mut replies).await?;
            ensure(answer.address == reply, || format!("the answer arrived at {}", answer.address))?;
            ensure(payload(&answer)? == &Bytes::from(index.to_string()), || "another answer arrived".to_owned())?;
        }
        ensure(soon(&mut replies).await.is_none(), || "more than one answer arrived".to_owned())
    })
}

fn dropped_subscription<'a>(harness: &'a Harness<'a>) -> BoxFuture<'a, Result<(), String>> {
    Box::pin(async {
        let transport = harness.connect().await?;
        let address = harness.address("a");
        let inbox = transport.new_inbox();
        let mut replies = subscribe(&transport, &format!("{inbox}.*")).await?;
        drop(subscribe(&transport, &address).await?);
        // Dropping does not wait for the broker, so the first requests may still reach the old subscription.
        let start = Instant::now();
        while start.elapsed() < LONG {
            send(&transport, crate::Outgoing { reply_to: Some(format!("{inbox}.1")), ..message(&address, "") }).await?;
            if soon(&mut replies).await.is_some_and(|incoming| incoming.content == IncomingContent::NoResponders) {
                return Ok(());
            }
        }
        Err("the subscription is still in effect".to_owned())
    })
}

fn oversize<'a>(harness: &'a Harness<'a>) -> BoxFuture<'a, Result<(), String>> {
    Box::pin(async {
        let (sender, receiver) = (harness.connect().await?, harness.connect().await?);
        let address = harness.address("a");
        let mut subscription = subscribe(&receiver, &address).await?;
        let limit = sender.max_message();
        let result = sender.publish(message(&address, vec![b'x'; limit + 1])).await;
        let expected = TransportError::TooLarge { size: limit + 1, limit };
        ensure(result == Err(expected), || format!("{} bytes: {result:?}", limit + 1))?;
        send(&sender, message(&address, vec![b'y'; limit])).await?;
        let incoming = next(&mut subscription).await?;
        let received = payload(&incoming)?;
        ensure(received.len() == limit && received.iter().all(|byte| *byte == b'y'), || {
            format!("received {} bytes instead of {limit}", received.len())
        })
    })
}

fn close_ends<'a>(harness: &'a Harness<'a>) -> BoxFuture<'a, Result<(), String>> {
    Box::pin(async {
        let transport = harness.connect().await?;
        let mut subscription = subscribe(&transport, &harness.address("a")).await?;
        let waiting = tokio::spawn(async move { subscription.next().await.is_none() });
        tokio::task::yield_now().await;
        tokio::time::timeout(LONG, transport.close()).await.map_err(|_| "`close` does not end")?;
        let ended = tokio::time::timeout(LONG, waiting).await;
        ensure(matches!(ended, Ok(Ok(true))), || "a subscription did not end".to_owned())
    })
}

fn closed<'a>(harness: &'a Harness<'a>) -> BoxFuture<'a, Result<(), String>> {
    Box::pin(async {
        let transport = harness.connect().await?;
        let address = harness.address("a");
        transport.close().await;
        transport.close().await;
        ensure(transport.health() == Health::Closed, || format!("the health is {:?}", transport.health()))?;
        let published = transport.publish(message(&address, "late")).await;
        ensure(published == Err(TransportError::Closed), || format!("publish: {published:?}"))?;
        let subscribed = transport.subscribe(&address, SubscribeOptions::default()).await.map(|_| ());
        ensure(subscribed == Err(TransportError::Closed), || format!("subscribe: {subscribed:?}"))
    })
}

fn close_is_local<'a>(harness: &'a Harness<'a>) -> BoxFuture<'a, Result<(), String>> {
    Box::pin(async {
        let (one, two) = (harness.connect().await?, harness.connect().await?);
        let address = harness.address("a");
        let mut subscription = subscribe(&two, &address).await?;
        one.close().await;
        send(&two, message(&address, "still here")).await?;
        next(&mut subscription).await.map(drop)
    })
}
