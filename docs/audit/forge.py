#!/usr/bin/env python3
"""Lies in an export and makes every hash right again: forge.py LIE FROM.daybook TO.daybook

What a forger can do who knows docs/FORMATS.md, but not the log's key. LIE is
amount (a caller asked for less), left-out (a caller was never told an address), signature (one does
not verify), or end (the last events never happened).
"""
import hashlib, sys

POSITION, STREAM, REVISION, TYPE, SESSION, REQUEST, CAUSE, DATA = 2, 3, 4, 5, 8, 9, 10, 12


def read(data, at=0):
    """One value of the log's CBOR, and the place after it."""
    major, number, at = data[at] >> 5, data[at] & 31, at + 1
    if major == 7:
        return {20: False, 21: True, 22: None}[number], at
    size = 0 if number < 24 else 1 << (number - 24)
    number, at = int.from_bytes(data[at:at + size], "big") if size else number, at + size
    if major < 2:
        return (-1 - number if major else number), at
    if major < 4:
        raw = data[at:at + number]
        return (raw if major == 2 else raw.decode()), at + number
    items = []
    while len(items) < number * (major - 3):
        item, at = read(data, at)
        items.append(item)
    return (items if major == 4 else dict(zip(items[::2], items[1::2]))), at


def write(value):
    """The one spelling of a value; maps keep the order in which they were read."""
    def head(major, number):
        size = next(size for size in (0, 1, 2, 4, 8) if number < (1 << 8 * size if size else 24))
        if not size:
            return bytes([major << 5 | number])
        return bytes([major << 5 | 23 + size.bit_length()]) + number.to_bytes(size, "big")
    if value is None or isinstance(value, bool):
        return {None: b"\xf6", False: b"\xf4", True: b"\xf5"}[value]
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, (bytes, str)):
        raw = value if isinstance(value, bytes) else value.encode()
        return head(2 if isinstance(value, bytes) else 3, len(raw)) + raw
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(write, value))
    return head(5, len(value)) + b"".join(write(key) + write(value[key]) for key in value)


def root(leaves):
    """RFC 6962, section 2.1."""
    if len(leaves) == 1:
        return leaves[0]
    middle = 1 << (len(leaves) - 1).bit_length() - 1
    return hashlib.sha256(b"\1" + root(leaves[:middle]) + root(leaves[middle:])).digest()


def first(events, kind):
    return next(event for event in events if event[TYPE] == kind)


def lie_amount(events):
    data = first(events, "request.received")[DATA]
    data["text"] = data["text"].replace(b"amount=1.5", b"amount=1.0")


def lie_signature(events):
    data = first(events, "transaction.signed")[DATA]
    signed = bytearray(data["bytes"])
    signed[60] ^= 1  # behind the outpoint and the lengths, in the signature's r
    data["bytes"] = bytes(signed)
    data["txid"] = hashlib.sha256(hashlib.sha256(signed).digest()).digest()[::-1]


def lie_left_out(events):
    gone = first(events, "binding.granted")
    events.remove(gone)
    for event in events[gone[POSITION]:]:
        for field in (POSITION, SESSION, REQUEST, CAUSE):
            if event.get(field, 0) > gone[POSITION]:
                event[field] -= 1
        if event[STREAM] == gone[STREAM]:
            event[REVISION] -= 1


def lie_end(events):
    del events[25:]


lie, source, target = sys.argv[1:]
rest, frames = open(source, "rb").read()[8:], []
while rest:
    length = int.from_bytes(rest[1:5], "big")
    frames.append((rest[:1], rest[5:5 + length]))
    rest = rest[37 + length:]
events = [read(payload)[0] for kind, payload in frames if kind == b"E"]
{"amount": lie_amount, "left-out": lie_left_out, "signature": lie_signature,
 "end": lie_end}[lie](events)
payloads = [write(event) for event in events]
head = {"root": root([hashlib.sha256(b"\0" + payload).digest() for payload in payloads]),
        "size": len(events)}
header, trailer = read(frames[0][1])[0], read(frames[-1][1])[0]
header.update(head)
# The signed checkpoints would give the lie away, and a forger has no key to sign others.
trailer.update(head, events=len(events), checkpoints=0)
with open(target, "wb") as file:
    last = hashlib.sha256(file_head := b"daybook\x0a").digest()
    file.write(file_head)
    for kind, payload in [(b"H", write(header)), *((b"E", payload) for payload in payloads),
                          (b"T", write(trailer))]:
        frame = kind + len(payload).to_bytes(4, "big") + payload
        last = hashlib.sha256(last + frame).digest()
        file.write(frame + last)
