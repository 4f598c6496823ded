//! Bytes that are changed after the bundle was signed.

use std::fs;

use capgen_amp::bundle::{Creation, INDEX, SelfSignature, inspect, open};
use capgen_amp::message::{Keys, SigningKey};
use proptest::prelude::*;

use super::{CREATED, SIGNER, TIMES, edit, faults, key, map_of, opened, signed, trust, written};

#[test]
fn a_flipped_bit_in_any_file_is_found() {
    let (folder, bundle) = written();
    for (path, bytes) in bundle.files() {
        let file = folder.path().join(&path);
        // Each position takes a verification, which is slow without optimisation. 7 is prime to the 8 bits.
        for index in (0..bytes.len()).step_by(if path == INDEX { 7 } else { 1 }) {
            let mut changed = bytes.to_vec();
            changed[index] ^= 1 << (index % 8);
            fs::write(&file, &changed).unwrap();
            assert!(open(folder.path(), &trust(), TIMES).is_err(), "byte {index} of {path}");
        }
        fs::write(&file, bytes).unwrap();
    }
    opened(folder.path());
}

#[test]
fn a_truncated_signed_file_is_found() {
    let (folder, bundle) = written();
    for length in (0..bundle.index.len()).step_by(37) {
        fs::write(folder.path().join(INDEX), &bundle.index[..length]).unwrap();
        assert!(faults(folder.path()).starts_with("bundle.cbor: is not deterministic CBOR: "), "{length}");
    }
}

#[test]
fn the_signer_must_be_in_the_list_with_the_key_that_signed() {
    let (folder, bundle) = written();
    let text = |keys: &Keys| open(folder.path(), keys, TIMES).unwrap_err().to_string();
    let unknown = "bundle.cbor: the signer `did:web:publisher.example` is not trusted";
    assert_eq!(text(&Keys::new()), unknown);
    let other = SigningKey::from_seed(&[8; 32]);
    let mut keys = Keys::new();
    keys.insert("did:web:sender.example".parse().unwrap(), key().public());
    assert_eq!(text(&keys), unknown);
    keys.insert(SIGNER.parse().unwrap(), other.public());
    assert_eq!(text(&keys), "bundle.cbor: the signature is invalid");
    // Signed by another key in the name of the trusted signer.
    fs::write(folder.path().join(INDEX), signed(map_of(&bundle.index), &other)).unwrap();
    assert_eq!(faults(folder.path()), "bundle.cbor: the signature is invalid\n");
}

#[test]
fn the_signer_may_name_one_of_its_keys() {
    let (folder, _) = written();
    edit(folder.path(), |map| drop(map.insert("signer", format!("{SIGNER}#key-2"))));
    opened(folder.path());
}

#[test]
fn an_older_bundle_than_required_is_rejected() {
    let (folder, _) = written();
    open(folder.path(), &trust(), Creation { min: Some(CREATED), ..TIMES }).unwrap();
    let error = open(folder.path(), &trust(), Creation { min: Some(CREATED + 1), ..TIMES }).unwrap_err();
    assert!(error.to_string().contains("was created at 1700000000000, before 1700000000001"), "{error}");
}

#[test]
fn decision_24_a_bundle_from_more_than_a_day_ahead_is_invalid() {
    const DAY: u64 = 86_400_000;
    let (folder, _) = written();
    open(folder.path(), &trust(), Creation::until(CREATED - DAY)).unwrap();
    let early = Creation::until(CREATED - DAY - 1);
    let error = open(folder.path(), &trust(), early).unwrap_err();
    let expected =
        "bundle.cbor: was created at 1700000000000, more than a day after 1699913599999, the time of this check";
    assert_eq!(error.to_string(), expected);
    // One that claims the end of time would lock out every later bundle.
    edit(folder.path(), |map| drop(map.insert("created", u64::MAX)));
    assert!(open(folder.path(), &trust(), TIMES).is_err());
}

/// Decision 19.
#[test]
fn unknown_keys_are_ignored_but_signed() {
    let (folder, _) = written();
    edit(folder.path(), |map| {
        map.insert("mirror", "m1");
        map.insert(7, "not a text key");
    });
    opened(folder.path());
    let path = folder.path().join(INDEX);
    let mut map = map_of(&fs::read(&path).unwrap());
    map.insert("mirror", "m2");
    fs::write(path, capgen_amp::cbor::encode(&map.into())).unwrap();
    assert_eq!(faults(folder.path()), "bundle.cbor: the signature is invalid\n");
}

#[test]
fn inspecting_checks_everything_except_trust() {
    let (folder, bundle) = written();
    let inspected = inspect(folder.path()).unwrap();
    assert_eq!((inspected.index.signer.as_str(), inspected.signature), (SIGNER, SelfSignature::Unchecked));
    let artifact = folder.path().join(bundle.files().next().unwrap().0);
    fs::write(artifact, "false").unwrap();
    assert!(inspect(folder.path()).is_err());
}

#[test]
fn a_did_key_proves_its_own_signature() {
    let (folder, _) = written();
    // The key of this DID is not the one that signs.
    edit(folder.path(), |map| drop(map.insert("signer", "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK")));
    assert!(inspect(folder.path()).unwrap_err().to_string().contains("the signature is invalid"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn arbitrary_bytes_are_never_a_bundle(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let (folder, _) = written();
        fs::write(folder.path().join(INDEX), bytes).unwrap();
        prop_assert!(open(folder.path(), &trust(), TIMES).is_err());
        prop_assert!(inspect(folder.path()).is_err());
    }

    #[test]
    fn mutated_contents_that_are_signed_again_never_panic(position in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let (folder, bundle) = written();
        let mut content = map_of(&bundle.index);
        content.remove("sig");
        let mut bytes = capgen_amp::cbor::encode(&content.into());
        let position = position.index(bytes.len());
        bytes[position] = byte;
        if let Ok(capgen_amp::cbor::Value::Map(map)) = capgen_amp::cbor::decode(&bytes, &Default::default()) {
            fs::write(folder.path().join(INDEX), signed(map, &key())).unwrap();
            let _ = open(folder.path(), &trust(), TIMES);
            let _ = inspect(folder.path());
        }
    }
}
