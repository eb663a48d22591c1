#!/usr/bin/env python3
"""Roots and proofs of RFC 6962, section 2.1, from its definitions alone.

The leaf at index i is i in decimal. For each size: the size, the root, and SHA-256 over the
inclusion proofs of some indexes and over the consistency proofs from some sizes, where a proof
counts as its number of hashes (one byte) and the hashes.
"""
import hashlib

MOST = 1_000_000


def sha256(data):
    return hashlib.sha256(data).digest()


# levels[h][32 * i : 32 * (i + 1)] is the hash over the leaves from i * 2**h, 2**h of them.
levels = [bytearray().join(sha256(b"\0%d" % i) for i in range(MOST))]
while len(levels[-1]) > 32:
    below = levels[-1]
    levels.append(
        bytearray().join(
            sha256(b"\1" + below[at : at + 64]) for at in range(0, len(below) - 63, 64)
        )
    )


def split(n):
    """The largest power of two smaller than n."""
    return 1 << ((n - 1).bit_length() - 1)


def mth(start, end):
    """MTH(D[start:end])."""
    n = end - start
    if n == 0:
        return sha256(b"")
    if n & (n - 1) == 0:
        at = 32 * (start // n)
        return bytes(levels[n.bit_length() - 1][at : at + 32])
    k = split(n)
    return sha256(b"\1" + mth(start, start + k) + mth(start + k, end))


def path(m, start, end):
    """PATH(m, D[start:end])."""
    n = end - start
    if n == 1:
        return []
    k = split(n)
    if m < k:
        return path(m, start, start + k) + [mth(start + k, end)]
    return path(m - k, start + k, end) + [mth(start, start + k)]


def subproof(m, start, end, b):
    """SUBPROOF(m, D[start:end], b)."""
    n = end - start
    if m == n:
        return [] if b else [mth(start, end)]
    k = split(n)
    if m <= k:
        return subproof(m, start, start + k, b) + [mth(start + k, end)]
    return subproof(m - k, start + k, end, False) + [mth(start, start + k)]


def digest(proofs):
    return sha256(b"".join(bytes([len(p)]) + b"".join(p) for p in proofs)).hex()


def some(n):
    """Numbers below n: all of them if they are few."""
    if n <= 100:
        return range(n)
    k = split(n)
    return sorted({0, 1, n // 3, n // 2, k - 1, k, n - 2, n - 1, n * 7919 % 104729 % n})


def sizes():
    yield from range(1026)
    for exponent in range(11, 20):
        yield from (2**exponent - 1, 2**exponent, 2**exponent + 1)
    yield from (n * 104729 % MOST for n in range(1, 60))
    yield MOST


for size in sizes():
    inclusion = digest([path(m, 0, size) for m in some(size)])
    consistency = digest([subproof(m + 1, 0, size, True) for m in some(size)])
    print(size, mth(0, size).hex(), inclusion, consistency)
