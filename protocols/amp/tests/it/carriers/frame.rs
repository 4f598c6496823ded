use bytes::{BufMut, Bytes, BytesMut};
use capgen_amp::carrier::frame::{Frame, FrameError, FrameType, HEAD, MAX_MAX_SIZE, take};
use proptest::prelude::*;

const MAX: u32 = 1 << 20;

fn types() -> impl Strategy<Value = FrameType> {
    (1_u8..=6).prop_map(|number| FrameType::from_number(number).unwrap())
}

fn frames() -> impl Strategy<Value = Vec<Frame>> {
    let payload = prop::collection::vec(any::<u8>(), 0..200).prop_map(Bytes::from);
    prop::collection::vec((types(), payload).prop_map(|(kind, payload)| Frame::new(kind, payload)), 0..8)
}

fn written(frames: &[Frame]) -> BytesMut {
    let mut bytes = BytesMut::new();
    frames.iter().for_each(|frame| frame.write(&mut bytes));
    bytes
}

fn drain(bytes: &mut BytesMut, frames: &mut Vec<Frame>) {
    while let Some(frame) = take(bytes, MAX).unwrap() {
        frames.push(frame);
    }
}

proptest! {
    #[test]
    fn frames_are_read_however_they_arrive(frames in frames(), pieces in prop::collection::vec(1_usize..50, 1..20)) {
        let all = written(&frames).freeze();
        let (mut bytes, mut read, mut at) = (BytesMut::new(), Vec::new(), 0);
        for piece in pieces.iter().cycle() {
            if at == all.len() { break }
            let end = (at + piece).min(all.len());
            bytes.put_slice(&all[at..end]);
            at = end;
            drain(&mut bytes, &mut read);
        }
        prop_assert_eq!(read, frames);
        prop_assert!(bytes.is_empty());
    }

    #[test]
    fn random_bytes_never_reserve_more_than_arrived(random in prop::collection::vec(any::<u8>(), 0..2000)) {
        let mut bytes = BytesMut::from(random.as_slice());
        while let Ok(Some(frame)) = take(&mut bytes, MAX) {
            prop_assert!(frame.payload.len() <= random.len());
        }
        prop_assert!(bytes.capacity() <= 4 * (random.len() + 64 * 1024));
    }
}

#[test]
fn a_frame_may_be_split_at_every_byte() {
    let frames =
        [Frame::new(FrameType::Message, Bytes::from_static(b"one")), Frame::new(FrameType::Pong, Bytes::new())];
    let all = written(&frames);
    for split in 0..=all.len() {
        let (mut bytes, mut read) = (BytesMut::from(&all[..split]), Vec::new());
        drain(&mut bytes, &mut read);
        bytes.put_slice(&all[split..]);
        drain(&mut bytes, &mut read);
        assert_eq!(read, frames, "split at {split}");
    }
}

#[test]
fn the_bytes_of_a_frame_are_those_of_the_specification() {
    let frame = Frame::new(FrameType::Message, Bytes::from_static(&[0xa0]));
    assert_eq!(&written(&[frame])[..], [0, 0, 0, 2, 1, 0xa0]);
    for (kind, number) in [
        FrameType::Message,
        FrameType::Handshake,
        FrameType::Ping,
        FrameType::Pong,
        FrameType::Goaway,
        FrameType::Error,
    ]
    .into_iter()
    .zip(1..)
    {
        assert_eq!(kind.number(), number);
        assert_eq!(FrameType::from_number(number), Some(kind));
    }
}

#[test]
fn the_maximum_counts_the_payload_and_not_the_type() {
    for (size, is_accepted) in [(MAX - 1, true), (MAX, true), (MAX + 1, false)] {
        let frame = Frame::new(FrameType::Message, vec![7; size as usize].into());
        let mut bytes = written(std::slice::from_ref(&frame));
        let expected = if is_accepted { Ok(Some(frame)) } else { Err(FrameError::TooLarge { size, max: MAX }) };
        assert_eq!(take(&mut bytes, MAX), expected);
    }
}

#[test]
fn a_length_of_zero_is_an_error() {
    assert_eq!(take(&mut BytesMut::from(&[0; 4][..]), MAX), Err(FrameError::Empty));
}

#[test]
fn a_frame_is_rejected_before_memory_is_reserved_for_it() {
    let mut bytes = BytesMut::from(&u32::MAX.to_be_bytes()[..]);
    assert_eq!(take(&mut bytes, MAX), Err(FrameError::TooLarge { size: MAX_MAX_SIZE, max: MAX }));
    // Accepted, but it has not arrived.
    let mut bytes = BytesMut::from(&[0, 0x10, 0, 0, 1][..]);
    assert_eq!(take(&mut bytes, MAX), Ok(None));
    assert!(bytes.capacity() < 256 * 1024, "{} bytes are reserved", bytes.capacity());
}

#[test]
fn an_unknown_type_is_an_error_before_its_payload_arrives() {
    for number in (0..=255).filter(|number| !(1..=6).contains(number)) {
        let mut bytes = BytesMut::from(&[0, 0, 1, 0, number][..]);
        assert_eq!(bytes.len(), HEAD);
        assert_eq!(take(&mut bytes, MAX), Err(FrameError::UnknownType(number)));
    }
}

#[test]
fn only_messages_are_large() {
    for (kind, size, is_accepted) in [
        (FrameType::Message, (64 << 10) + 1, true),
        (FrameType::Ping, 64 << 10, true),
        (FrameType::Ping, (64 << 10) + 1, false),
        (FrameType::Pong, (64 << 10) + 1, false),
        (FrameType::Goaway, (64 << 10) + 1, false),
    ] {
        let mut bytes = BytesMut::new();
        Frame::new(kind, vec![0; size].into()).write(&mut bytes);
        assert_eq!(take(&mut bytes, 1 << 20).is_ok(), is_accepted, "{kind:?} of {size} bytes");
    }
}
