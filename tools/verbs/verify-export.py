"""Verifies an export without Daybook.

usage: tools/dev verify-export FILE.daybook [KEY]… [--witness KEY]…

It computes frames, events, left-out runs, counts, and the roots of checkpoints and of the whole log
again, and checks that the events are those of the selection. KEY is the log's public key as
`daybook checkpoint` prints it; where keys are given, one of them must have signed every checkpoint.
A witness's KEY is of type 4: where one is given, the answer says how many events it has cosigned,
and a cosignature of it that is wrong is refused. That needs PyPI's `cryptography`.
The status is 0 where the export is proved, 1 where it is refused, and 2 where it can't be read.

This program shares no code with Daybook and needs nothing else but Python: it shows that
docs/FORMATS.md is enough to write a verifier. It also runs alone, as a single file.
"""
import base64, hashlib, json, sys

LIMIT = 262_144
# The number of the format; those below are of development versions.
NUMBER = 10
# The keys of an event's type and data.
KIND, DATA = 5, 12
PRIME, ORDER = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
CURVE = -121665 * pow(121666, -1, PRIME)


class Refused(Exception):
    pass


def need(truth, reason):
    if not truth:
        raise Refused(reason)


def cbor(data, at=0):
    """Reads one value of the export's narrowed CBOR; returns it with the offset after it."""
    major, number, at = data[at] >> 5, data[at] & 31, at + 1
    if major == 7:
        return {20: False, 21: True, 22: None}[number], at
    need(number < 28 and major < 6, "not cbor")
    size = 0 if number < 24 else 1 << (number - 24)
    need(at + size <= len(data), "not cbor")
    number, at = int.from_bytes(data[at:at + size], "big") if size else number, at + size
    if major < 2:
        return (-1 - number if major else number), at
    if major < 4:
        raw = data[at:at + number]
        need(len(raw) == number, "not cbor")
        return (raw if major == 2 else raw.decode()), at + number
    items = []
    while len(items) < number * (major - 3):
        item, at = cbor(data, at)
        items.append(item)
    return (items if major == 4 else dict(zip(items[::2], items[1::2]))), at


def value(data):
    """Reads a payload, which is one map."""
    try:
        result, end = cbor(data)
    except (IndexError, KeyError, TypeError, UnicodeDecodeError, RecursionError):
        raise Refused("not cbor") from None
    need(end == len(data) and isinstance(result, dict), "not one map")
    return result


class Tree:
    """A Merkle tree of RFC 6962, to which leaves and whole subtrees are added on the right."""
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
        return root or hashlib.sha256(b"").digest()


def cover(first, end):
    while first < end:
        height = (end - first).bit_length() - 1
        while first % (1 << height):
            height -= 1
        yield height
        first += 1 << height


def point(data):
    """Decodes a point of Ed25519's curve, as in RFC 8032, 5.1.3."""
    y = int.from_bytes(data, "little") & (1 << 255) - 1
    square = (y * y - 1) * pow(CURVE * y * y + 1, -1, PRIME) % PRIME
    x = pow(square, (PRIME + 3) // 8, PRIME)
    x = x if x * x % PRIME == square else x * pow(2, (PRIME - 1) // 4, PRIME) % PRIME
    need(len(data) == 32 and y < PRIME and x * x % PRIME == square, "no point of the curve")
    return (x if x & 1 == data[31] >> 7 else PRIME - x), y


BASE = point((4 * pow(5, -1, PRIME) % PRIME).to_bytes(32, "little"))


def plus(p, q):
    product = CURVE * p[0] * q[0] * p[1] * q[1]
    return ((p[0] * q[1] + q[0] * p[1]) * pow(1 + product, -1, PRIME) % PRIME,
            (p[1] * q[1] + p[0] * q[0]) * pow(1 - product, -1, PRIME) % PRIME)


def times(number, p):
    result = (0, 1)
    for bit in bin(number)[2:]:
        result = plus(result, result)
        result = plus(result, p) if bit == "1" else result
    return result


def is_signed(text, lines, key):
    """Whether a note has signatures of the key, all valid: a signed note may have one twice."""
    name, number, public = key.split("+", 2)
    public, start = base64.b64decode(public)[1:], f"— {name} ".encode()
    made = [base64.b64decode(line[len(start):]) for line in lines if line.startswith(start)]
    made = [each[4:] for each in made if each[:4].hex() == number]
    return len(public) == 32 and made != [] and all(is_valid(each, public, text) for each in made)


def is_valid(signature, public, text):
    """Whether a signature by Ed25519 is valid (RFC 8032): S·B = R + SHA-512(R ‖ A ‖ text)·A."""
    if len(signature) != 64:
        return False
    nonce, scalar = signature[:32], int.from_bytes(signature[32:], "little")
    digest = int.from_bytes(hashlib.sha512(nonce + public + text).digest(), "little") % ORDER
    return scalar < ORDER and times(scalar, BASE) == plus(
        point(nonce), times(digest, point(public)))


def cosigned(text, lines, key):
    """When a witness has cosigned a note's text, in seconds since 1970; None if it has not."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    name, number, coded = key.split("+", 2)
    coded, start, times = base64.b64decode(coded, validate=True), f"— {name} ".encode(), []
    digest = hashlib.sha256(name.encode() + b"\n" + coded).hexdigest()
    need(coded[:1] == b"\4" and len(coded) == 33 and number == digest[:8], "no witness's key")
    for line in lines:
        made = base64.b64decode(line[len(start):]) if line.startswith(start) else b""
        if made[:4].hex() != number:
            continue
        need(len(made) == 76, "a cosignature of another length")
        time = int.from_bytes(made[4:12], "big")
        message = b"cosignature/v1\ntime %d\n" % time + text
        try:
            Ed25519PublicKey.from_public_bytes(coded[1:]).verify(made[12:], message)
        except InvalidSignature:
            raise Refused(f"a wrong cosignature of {name}") from None
        times.append(time)
    return min(times, default=None)


def check(note, log, tree, keys, witnesses):
    text, _, lines = note.rpartition(b"\n\n")
    text, lines = text + b"\n", lines.split(b"\n")
    origin, size, root = text.split(b"\n")[:3]
    need(origin == b"daybook/" + log.hex().encode(), "a checkpoint of another log")
    need((int(size), base64.b64decode(root)) == (tree.size, tree.root()),
         "a checkpoint that does not fit")
    need(not keys or any(is_signed(text, lines, key) for key in keys),
         "a checkpoint that no key has signed")
    for key, seen in witnesses.items():
        time = cosigned(text, lines, key)
        if time is not None:
            seen.append((tree.size, time))


def frames(file, state):
    """Yields kind and payload of each frame whose checksum is right."""
    magic = file.read(8)
    need(magic[:7] == b"daybook"[:len(magic)], "not a .daybook file")
    need(len(magic) == 8, "cut off")
    need(magic[7] >= NUMBER, f"the export format {magic[7]} is a development version's")
    need(magic[7] == NUMBER, f"the export format {magic[7]} is newer than {NUMBER}")
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


def note_event(event, notes, witnesses):
    """Keeps a checkpoint's note, or verifies a cosignature that an event records."""
    kind, data = event.get(KIND), event.get(DATA)
    if kind == "checkpoint.made":
        notes[event[2]] = data["note"]
    elif kind == "checkpoint.cosigned" and data["key"] in witnesses:
        note = notes.get(data["checkpoint"])
        if note is None:
            return
        name, number, _ = data["key"].split("+", 2)
        line = f"— {name} ".encode() + base64.b64encode(bytes.fromhex(number) + data["line"])
        text = note.rpartition(b"\n\n")[0] + b"\n"
        time = cosigned(text, [line], data["key"])
        witnesses[data["key"]].append((data["checkpoint"], time))


def verify(file, state, keys, witnesses):
    tree, header, counts, notes = Tree(), None, {"E": 0, "L": 0, "C": 0}, {}
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
            note_event(event, notes, witnesses)
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
            check(payload, header["log"], tree, keys, witnesses)
        else:
            need(kind == "T", f"a frame of an unknown kind {kind!r}")
        state["good"] = tree.size - 1
    trailer, head = value(payload), {"size": tree.size, "root": tree.root()}
    need({name: header[name] for name in head} == head, "the events are not the header's")
    need(trailer == {"events": counts["E"], "checkpoints": counts["C"], **head}, "the trailer")
    return {"log": header["log"].hex(), "events": counts["E"], "size": tree.size,
            "root": head["root"].hex(), "checkpoints": counts["C"], "signed": bool(keys),
            **({"cosigned": {key: max(seen)[0] if seen else 0 for key, seen in witnesses.items()}}
               if witnesses else {})}


if __name__ == "__main__":
    if len(sys.argv) < 2:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    # `daybook checkpoint` prints the key behind this word.
    words, witnesses = sys.argv[2:], {}
    while "--witness" in words[:-1]:
        place = words.index("--witness")
        witnesses[words[place + 1]] = []
        del words[place:place + 2]
    keys = [key.removeprefix("key: ") for key in words]
    state = {"frame": -1, "offset": 0, "kind": "", "good": -1}
    try:
        file = open(sys.argv[1], "rb")
    except OSError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    try:
        with file:
            print(json.dumps(verify(file, state, keys, witnesses)))
    except (Refused, KeyError, ValueError, TypeError) as error:
        sys.exit(f"frame {max(0, state['frame'])} at byte {state['offset']}: {error} "
                 f"(last good position: {state['good'] if state['good'] >= 0 else 'none'})")
