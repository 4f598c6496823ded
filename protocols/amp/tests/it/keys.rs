//! DIDs and keys (decision 4).
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_amp::message::{Did, DidKey, Keys, PublicKey, Recipients, ResolveKey, SigningKey};

fn did(text: &str) -> Did {
    text.parse().unwrap()
}

fn key(seed: u8) -> PublicKey {
    SigningKey::from_seed(&[seed; 32]).public()
}

#[test]
fn a_did_has_a_subject_and_perhaps_a_fragment() {
    let bob = did("did:web:bob#key-1");
    assert_eq!((bob.as_str(), bob.without_fragment()), ("did:web:bob#key-1", "did:web:bob"));
    assert_eq!(did("did:web:bob").without_fragment(), "did:web:bob");
    assert_eq!(did("did:web:bob#a#b").without_fragment(), "did:web:bob");
    assert!(bob.same_subject(&did("did:web:bob")) && bob.same_subject(&did("did:web:bob#key-2")));
    assert!(!bob.same_subject(&did("did:web:bobby")));
    assert_ne!(bob, did("did:web:bob"));
    for text in ["", "did", "DID:web:bob", " did:web:bob", "web:bob"] {
        assert_eq!(text.parse::<Did>().unwrap_err().to_string(), "a DID begins with `did:`");
    }
}

#[test]
fn recipients_are_compared_without_fragments() {
    let many = Recipients::Many(vec![did("did:web:a"), did("did:web:b#key-1")]);
    assert!(many.includes(&did("did:web:a#x")) && many.includes(&did("did:web:b")));
    assert!(!many.includes(&did("did:web:c")));
    assert!(Recipients::One(did("did:web:b#1")).includes(&did("did:web:b#2")));
    assert!(!Recipients::Many(vec![]).includes(&did("did:web:b")));
}

#[test]
fn keys_are_found_by_the_exact_text_then_by_the_subject() {
    let mut keys = Keys::new();
    assert!(keys.is_empty());
    keys.insert(did("did:web:bob"), key(1));
    keys.insert(did("did:web:bob#key-2"), key(2));
    keys.insert(did("did:web:eve#key-3"), key(3));
    assert!(!keys.is_empty());
    assert_eq!(keys.key(&did("did:web:bob")), Some(key(1)));
    assert_eq!(keys.key(&did("did:web:bob#key-2")), Some(key(2)));
    assert_eq!(keys.key(&did("did:web:bob#key-9")), Some(key(1)));
    assert_eq!(keys.key(&did("did:web:eve#key-3")), Some(key(3)));
    // A key that is listed for one fragment is not a key of the agent as a whole.
    assert_eq!(keys.key(&did("did:web:eve")), None);
    assert_eq!(keys.key(&did("did:web:eve#key-4")), None);
    assert_eq!(keys.insert(did("did:web:bob"), key(4)), Some(key(1)));
}

/// Examples of the specification of `did:key`, and the vector of RFC 8032, section 7.1, test 1.
const DID_KEYS: [(&str, &str); 2] = [
    (
        "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK",
        "2e6fcce36701dc791488e0d0b1745cc1e33a4c1c9fcc41c63bd343dbbe0970e6",
    ),
    (
        "did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
    ),
];

#[test]
fn a_did_key_contains_its_key() {
    for (text, hex) in DID_KEYS {
        let key = PublicKey::from_hex(hex).unwrap();
        assert_eq!(DidKey.key(&did(text)), Some(key), "{text}");
        assert_eq!(DidKey.key(&did(&format!("{text}#z6Mk"))), Some(key));
        // A closed list does not trust it; the list takes precedence.
        assert_eq!(Keys::new().key(&did(text)), None);
        let mut keys = Keys::new().with_did_key();
        assert_eq!(keys.key(&did(text)), Some(key));
        keys.insert(did(text), self::key(9));
        assert_eq!(keys.key(&did(text)), Some(self::key(9)));
    }
}

#[test]
fn other_did_keys_are_not_resolved() {
    let (valid, _) = DID_KEYS[0];
    let (start, end) = valid.split_at(valid.len() - 1);
    let long = format!("did:key:z{}", "z".repeat(1_000_000));
    let cases = [
        "did:key:",
        "did:key:z",
        // Another base.
        &valid.replace("did:key:z", "did:key:f"),
        &valid.replace("did:key:z", "did:web:z"),
        // Leading zeros, too few digits, too many digits, digits outside the alphabet.
        &valid.replace(":z", ":z1"),
        start,
        &format!("{valid}1"),
        &format!("{valid}{end}"),
        &valid.replace("6Mk", "0Mk"),
        &valid.replace("6Mk", "éMk"),
        // The largest numbers of 47 and 46 digits.
        &format!("did:key:z{}", "z".repeat(47)),
        &format!("did:key:z{}", "z".repeat(46)),
        &long,
        // secp256k1 and X25519.
        "did:key:zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQiYBme",
        "did:key:z6LSbysY2xFMRpGMhb7tFTLMpeuPRaqaWM1yECx2AtzE3KCc",
    ];
    for text in cases {
        assert_eq!(DidKey.key(&did(text)), None, "{}", text.get(..80).unwrap_or(text));
    }
}

#[test]
fn entries_of_a_list_are_read_from_text() {
    let (_, hex) = DID_KEYS[1];
    let mut keys = Keys::new();
    assert_eq!(keys.insert_text(&format!("did:web:a?b=c={hex}")), Ok(None));
    assert_eq!(keys.key(&did("did:web:a?b=c")), Some(PublicKey::from_hex(hex).unwrap()));
    let form = "expected a DID, `=`, and a key of 64 hexadecimal digits";
    let digits = "a key has 64 hexadecimal digits";
    let not_a_key = format!("did:web:a={}", "02".repeat(32));
    for (text, error) in [
        ("", form),
        (hex, form),
        ("web:a=00", form),
        ("did:web:a=", digits),
        ("did:web:a=00", digits),
        (&format!("did:web:a={hex}0"), digits),
        (&not_a_key, "the bytes are not a public key of Ed25519"),
    ] {
        assert_eq!(keys.insert_text(text).unwrap_err().to_string(), error, "{text}");
    }
}

#[test]
fn secret_keys_are_read_from_text_and_never_shown() {
    let seed = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
    let key = SigningKey::from_hex(&format!("\t{}\r\n", seed.to_uppercase())).unwrap();
    assert_eq!(key.public().to_string(), DID_KEYS[1].1);
    assert!(!format!("{key:?}").contains("9d61b1"));
    for text in
        ["", "00", seed.split_at(1).1, &format!("{seed}00"), &seed.replace('9', "g"), &seed.replace("9d", "9 d")]
    {
        assert_eq!(SigningKey::from_hex(text).unwrap_err().to_string(), "a key has 64 hexadecimal digits");
    }
    // RFC 8032, section 7.1, test 1: the signature of no bytes.
    let signature = "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b";
    assert_eq!(hex::encode(key.sign(&[])), signature);
    assert!(key.public().verify_strict(&[], &key.sign(&[])));
    assert!(!key.public().verify_strict(&[0], &key.sign(&[])));
}

#[test]
fn derived_keys_are_hmacs_of_their_contexts() {
    // Computed with another implementation of HMAC-SHA-256.
    let key = SigningKey::from_seed(&[11; 32]);
    assert_eq!(
        hex::encode(key.derive(b"Hi There")),
        "198a607eb44bfbc69903a0f1cf2bbdc5ba0aa3f3d9ae3c1c7a3b1696a0b68cf7"
    );
    assert_ne!(key.derive(b"a"), key.derive(b"b"));
    assert_ne!(key.derive(b"a"), SigningKey::from_seed(&[12; 32]).derive(b"a"));
}

#[test]
fn signatures_are_verified_strictly() {
    let seed = SigningKey::from_seed(&[1; 32]);
    let signature = seed.sign(b"message");
    // S + L: the same equation, another encoding.
    let order = hex::decode("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010").unwrap();
    let mut malleable = signature;
    let mut carry = 0;
    for (byte, add) in malleable[32..].iter_mut().zip(order) {
        let sum = u16::from(*byte) + u16::from(add) + carry;
        (*byte, carry) = (sum as u8, sum >> 8);
    }
    assert!(seed.public().verify_strict(b"message", &signature));
    assert!(!seed.public().verify_strict(b"message", &malleable));
    // A weak key, with which one signature verifies every message: R is the identity, and S is 0.
    let mut identity = [0; 32];
    identity[0] = 1;
    let mut signature = [0; 64];
    signature[0] = 1;
    let weak = PublicKey::from_bytes(&identity).unwrap();
    assert!(!weak.verify_strict(b"message", &signature));
}
