#!/usr/bin/env python3
"""Verifies a proof in C2SP's form: verify-proof.py KEY PROOF EVENT, the last two being files.

Written from c2sp.org/tlog-proof, tlog-checkpoint and signed-note, RFC 9162 (2.1.3.2) and RFC 8032.
Prints the origin, the size and the index, or ends with status 1.
"""
import base64
import hashlib
import sys

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def add(a, b):
    """Addition on the curve in extended coordinates."""
    s = (a[1] - a[0]) * (b[1] - b[0]) % P
    t = (a[1] + a[0]) * (b[1] + b[0]) % P
    u = 2 * a[3] * b[3] * D % P
    v = 2 * a[2] * b[2] % P
    e, f, g, h = t - s, v - u, v + u, t + s
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(scalar, point):
    result = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            result = add(result, point)
        point = add(point, point)
        scalar >>= 1
    return result


def decompress(data):
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    assert y < P
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    assert x * x % P == square and (x or not sign)
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


BASE = decompress((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def verify(key, message, signature):
    r, s = decompress(signature[:32]), int.from_bytes(signature[32:], "little")
    h = hashlib.sha512(signature[:32] + key + message).digest()
    left = multiply(s, BASE)
    right = add(r, multiply(int.from_bytes(h, "little") % L, decompress(key)))
    same = (left[0] * right[2] - right[0] * left[2]) % P == 0
    return len(signature) == 64 and s < L and same and (
        (left[1] * right[2] - right[1] * left[2]) % P == 0
    )


def root(event, index, size, hashes):
    fn, sn = index, size - 1
    r = hashlib.sha256(b"\0" + event).digest()
    for p in hashes:
        assert sn
        if fn & 1 or fn == sn:
            r = hashlib.sha256(b"\1" + p + r).digest()
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            r = hashlib.sha256(b"\1" + r + p).digest()
        fn, sn = fn >> 1, sn >> 1
    assert sn == 0
    return r


def main(verifier, proof, event):
    name, key_id, coded = verifier.split("+", 2)
    coded = base64.b64decode(coded)
    assert coded[0] == 1
    assert hashlib.sha256(name.encode() + b"\n" + coded).digest()[:4].hex() == key_id
    header, text, signatures = open(proof, "rb").read().decode().split("\n\n")
    lines = header.split("\n")
    assert lines.pop(0) == "c2sp.org/tlog-proof@v1"
    if lines[0].startswith("extra "):
        lines.pop(0)
    word, index = lines.pop(0).split(" ")
    assert word == "index"
    text += "\n"
    for line in signatures.splitlines():
        dash, signer, signature = line.split(" ")
        signature = base64.b64decode(signature)
        if dash == "—" and signer == name and signature[:4].hex() == key_id:
            assert verify(coded[1:], text.encode(), signature[4:])
            break
    else:
        raise AssertionError("no signature of the key")
    origin, size, expected = text.splitlines()[:3]
    hashes = [base64.b64decode(line) for line in lines]
    found = root(open(event, "rb").read(), int(index), int(size), hashes)
    assert found == base64.b64decode(expected) and origin == name
    print(origin, size, index)


main(*sys.argv[1:])
