"""Verifies a bundle with the Python standard library alone, from the text of the specification.

python3 verify_bundle.py DIR DID HEXPUB: prints the ids of the capabilities; exits with 1 if the bundle is invalid.
"""

import hashlib
import json
import os
import re
import sys

P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)


def recover(y, sign):
    """The point of Ed25519 with this y, in extended coordinates (RFC 8032, section 5.1.3)."""
    x2 = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(x2, (P + 3) // 8, P)
    x = x if x * x % P == x2 else x * ROOT % P
    assert x * x % P == x2 and y < P, "not a point"
    x = x if x & 1 == sign else P - x
    return x, y, 1, x * y % P


def point(data):
    number = int.from_bytes(data, "little")
    return recover(number % 2**255, number >> 255)


def add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]), (p[1] + p[0]) * (q[1] + q[0])
    c, d = 2 * p[3] * q[3] * D, 2 * p[2] * q[2]
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(scalar, p):
    q = (0, 1, 1, 0)
    while scalar:
        q = add(q, p) if scalar & 1 else q
        p, scalar = add(p, p), scalar >> 1
    return q


BASE = recover(4 * pow(5, P - 2, P) % P, 0)


def verify(public, message, signature):
    s = int.from_bytes(signature[32:], "little")
    assert s < L, "the signature is not reduced"
    h = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % L
    p, q = multiply(s, BASE), add(point(signature[:32]), multiply(h, point(public)))
    return (p[0] * q[2] - q[0] * p[2]) % P == 0 and (p[1] * q[2] - q[1] * p[2]) % P == 0


def head(data, at):
    major, info = data[at] >> 5, data[at] & 31
    if info < 24:
        return major, info, at + 1
    assert info < 28, "an indefinite length"
    size = 1 << (info - 24)
    value = int.from_bytes(data[at + 1 : at + 1 + size], "big")
    assert value >= (24 if size == 1 else 1 << 4 * size), "not the shortest form"
    return major, value, at + 1 + size


def decode(data, at=0):
    """A value and its end. Maps are dictionaries."""
    major, value, at = head(data, at)
    if major == 0:
        return value, at
    if major in (2, 3):
        assert at + value <= len(data), "truncated"
        content = data[at : at + value]
        return (content if major == 2 else content.decode()), at + value
    if major == 4:
        items = []
        for _ in range(value):
            item, at = decode(data, at)
            items.append(item)
        return items, at
    assert major == 5, "a value that no bundle contains"
    entries, previous = {}, b""
    for _ in range(value):
        start = at
        key, at = decode(data, at)
        assert data[start:at] > previous, "unsorted keys"
        previous = data[start:at]
        entries[key], at = decode(data, at)
    return entries, at


def encode_head(major, value):
    for info, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if value < 24:
            return bytes([major << 5 | value])
        if value < 1 << 8 * size:
            return bytes([major << 5 | info]) + value.to_bytes(size, "big")
    raise AssertionError("too large")


def without_signature(data):
    """The encoding of the map without `sig`: the other entries, byte for byte."""
    _, count, at = head(data, 0)
    kept = b""
    for _ in range(count):
        start = at
        key, at = decode(data, at)
        _, at = decode(data, at)
        kept += b"" if key == "sig" else data[start:at]
    return encode_head(5, count - 1) + kept


def main(folder, signer, public):
    with open(os.path.join(folder, "bundle.cbor"), "rb") as file:
        data = file.read()
    bundle, end = decode(data)
    assert end == len(data) <= 16 << 20, "trailing bytes"
    content = without_signature(data)
    signed = b"\x83\x6dAMP-bundle-v1\x40" + encode_head(2, len(content)) + content
    assert bundle["signer"] == signer and verify(public, signed, bundle["sig"]), "signature"
    assert bundle["version"] == 1 and type(bundle["created"]) is int
    algorithms = {"sha-256": hashlib.sha256, "sha-512": hashlib.sha512}
    files = {}
    for key, listed in bundle["artifacts"].items():
        assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}", key), "key"
        path = os.path.join(folder, "artifacts", key)
        assert not os.path.islink(path), "link"
        with open(path, "rb") as file:
            files[key] = file.read()
        assert len(files[key]) == listed["size"] <= 1 << 20, "size"
        assert algorithms[listed["hash_alg"]](files[key]).digest() == listed["hash"], "hash"
    assert len({key.lower() for key in files}) == len(files), "case"
    for descriptor in bundle["descriptors"]:
        assert descriptor["id"] == descriptor["name"] + ":" + descriptor["version"], "id"
        for side in ("input_schema", "output_schema"):
            reference = descriptor[side]
            content = files[reference["artifact_key"]]
            assert reference["bundle_id"] == bundle["bundle_id"], "bundle_id"
            assert algorithms[reference["hash_alg"]](content).digest() == reference["hash"], "hash of the descriptor"
            schema = json.loads(content)
            # The canonical form of RFC 8785, for schemas whose names are ASCII.
            assert json.dumps(schema, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() == content
        print(descriptor["id"])


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], bytes.fromhex(sys.argv[3]))
