#!/usr/bin/env python3
"""Verifies an export on its own: tools/verify-export.py FILE.daybook

Frames, events, left-out runs, checkpoints' roots, counts and the root of the whole log are all made
again, and the selection is held to. This shares no code with Daybook and needs nothing but Python:
it shows that docs/FORMATS.md and docs/LOG_FORMAT.md say enough. It checks no signature. Exit
status: 0 proved, 1 refused.
"""
import base64, hashlib, json, sys

LIMIT = 262_144
EMPTY = hashlib.sha256(b"").digest()


class Refused(Exception):
    pass


def need(truth, reason):
    if not truth:
        raise Refused(reason)


def cbor(data, at=0):
    """Reads one value of the log's narrowed CBOR; returns it with the place after it."""
    major, number, at = data[at] >> 5, data[at] & 31, at + 1
    if major == 7:
        return {20: False, 21: True, 22: None}[number], at
    size = 0 if number < 24 else 1 << (number - 24)
    need(number < 28 and major < 6, "cbor that the log does not have")
    number, at = int.from_bytes(data[at:at + size], "big") if size else number, at + size
    if major < 2:
        return (-1 - number if major else number), at
    if major < 4:
        need(at + number <= len(data), "cbor that ends too early")
        raw = data[at:at + number]
        return (raw if major == 2 else raw.decode()), at + number
    items = []
    while len(items) < number * (major - 3):
        item, at = cbor(data, at)
        items.append(item)
    return (items if major == 4 else dict(zip(items[::2], items[1::2]))), at


def value(data):
    try:
        result, end = cbor(data)
    except (IndexError, KeyError, TypeError, UnicodeDecodeError, RecursionError):
        raise Refused("not cbor") from None
    need(end == len(data) and isinstance(result, dict), "not one map")
    return result


class Tree:
    """Adds leaves and whole subtrees of RFC 6962 up, from the left."""
    def __init__(self):
        self.size, self.peaks = 0, []

    def add(self, digest, height=0):
        self.size += 1 << height
        while self.peaks and self.peaks[-1][0] == height:
            digest = hashlib.sha256(b"\1" + self.peaks.pop()[1] + digest).digest()
            height += 1
        self.peaks.append((height, digest))

    def root(self):
        root = None
        for _, digest in reversed(self.peaks):
            root = hashlib.sha256(b"\1" + digest + root).digest() if root else digest
        return root or EMPTY


def cover(first, end):
    while first < end:
        height = (end - first).bit_length() - 1
        while first % (1 << height):
            height -= 1
        yield height
        first += 1 << height


def frames(file, state):
    """Yields kind and payload of each frame whose checksum is right."""
    magic = file.read(8)
    need(magic[:7] == b"daybook"[:len(magic)], "not a .daybook file")
    need(len(magic) == 8, "cut off")
    need(magic[7] == 1, f"version {magic[7]} of the format, and this program knows 1")
    last, offset = hashlib.sha256(magic).digest(), 8
    while state["kind"] != "T":
        state["frame"], state["offset"] = state["frame"] + 1, offset
        head = file.read(5)
        length = int.from_bytes(head[1:], "big")
        need(len(head) == 5, "cut off")
        need(length <= LIMIT, "a frame that is too long")
        payload, checksum = file.read(length), file.read(32)
        need(len(payload) + len(checksum) == length + 32, "cut off")
        last = hashlib.sha256(last + head + payload).digest()
        need(last == checksum, "altered")
        offset += 37 + length
        state["kind"] = chr(head[0])
        yield state["kind"], payload
    need(not file.read(1), "something follows the trailer")


def verify(file, state):
    tree, header, counts = Tree(), None, {"E": 0, "L": 0, "C": 0}
    for kind, payload in frames(file, state):
        need((kind == "H") == (header is None), "a header that is not the first frame")
        counts[kind] = counts.get(kind, 0) + 1
        if kind == "H":
            header = value(payload)
            wanted = header["selection"]
            first, last = wanted.get("from", 0), wanted.get("to", header["size"] - 1)
        elif kind == "E":
            event = value(payload)
            need(event.get(1) == header["log"], "an event of another log")
            need(event.get(2) == tree.size, "a position out of order")
            need(first <= tree.size <= last and wanted.get("request", event.get(9)) == event.get(9),
                 "an event that was not asked for")
            tree.add(hashlib.sha256(b"\0" + payload).digest())
        elif kind == "L":
            run = value(payload)
            need(run["from"] == tree.size <= run["to"] < header["size"], "a run out of order")
            need({"request", "wallet"} & wanted.keys() or run["to"] < first or run["from"] > last,
                 "a run of events that were asked for")
            heights = list(cover(run["from"], run["to"] + 1))
            need(len(heights) == len(run["hashes"]), "a run with other hashes than it needs")
            for height, digest in zip(heights, run["hashes"]):
                tree.add(digest, height)
        elif kind == "C":
            _, size, root = payload.split(b"\n")[:3]
            need((int(size), base64.b64decode(root)) == (tree.size, tree.root()),
                 "a checkpoint that does not fit")
        else:
            need(kind == "T", f"a frame of an unknown kind {kind!r}")
        state["good"] = tree.size - 1
    trailer, head = value(payload), {"size": tree.size, "root": tree.root()}
    need({key: header[key] for key in head} == head, "the events are not the header's")
    need(trailer == {"events": counts["E"], "checkpoints": counts["C"], **head}, "the trailer")
    return {"log": header["log"].hex(), "events": counts["E"], "size": tree.size,
            "root": head["root"].hex(), "checkpoints": counts["C"]}


if __name__ == "__main__":
    state = {"frame": -1, "offset": 0, "kind": "", "good": -1}
    try:
        with open(sys.argv[1], "rb") as file:
            print(json.dumps(verify(file, state)))
    except (Refused, KeyError, ValueError, TypeError) as error:
        sys.exit(f"frame {max(0, state['frame'])} at byte {state['offset']}: {error} "
                 f"(last good position: {state['good'] if state['good'] >= 0 else 'none'})")
