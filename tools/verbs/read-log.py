"""Prints the events of a log, each as a line of JSON with its leaf hash.

usage: tools/dev read-log LOG [TABLE]

LOG is the folder with data.mdb, closed or a copy; the rows of another TABLE than `events` are
printed in hexadecimal. This program shares no code with Daybook and needs nothing but Python: it
shows that docs/FORMATS.md is enough to write a reader. It also runs alone, as a single file.
"""
import hashlib, json, struct, sys

# The numbers of the layout and of the event format; those below are of development versions.
NUMBER = 10
NAMES = "format log position stream revision type version time session request cause actor data"


class Environment:
    """Reads the B+ trees of an LMDB 0.9 data file (64-bit, little-endian)."""
    def __init__(self, path):
        try:
            with open(path, "rb") as file:
                self.file = file.read()
        except OSError as error:
            sys.exit(str(error))
        self.page_size, = struct.unpack_from("<I", self.file, 40)
        metas = [self.file[at + 16:at + 152] for at in (0, self.page_size)]
        newest = max(metas, key=lambda meta: struct.unpack_from("<Q", meta, 128))
        if struct.unpack_from("<II", newest) != (0xBEEFC0DE, 1):
            sys.exit("not a data file of LMDB 0.9")
        self.tables = dict(self.entries(newest[72:120]))
        if b"meta" in self.tables:
            meta = dict(self.entries(self.tables[b"meta"]))
            for name in (b"layout", b"format"):
                number = int.from_bytes(meta.get(name, NUMBER.to_bytes(8, "big")), "big")
                if number != NUMBER:
                    sys.exit(f"{name.decode()} {number} is another program's: this one knows "
                             f"{NUMBER}")

    def entries(self, tree):
        root, = struct.unpack_from("<Q", tree, 40)
        return iter(()) if root == 2**64 - 1 else self.walk(root)

    def walk(self, number):
        page = self.file[number * self.page_size:][:self.page_size]
        flags, lower = struct.unpack_from("<HH", page, 10)
        for at in struct.unpack_from(f"<{(lower - 16) // 2}H", page, 16):
            low, high, node_flags, key_size = struct.unpack_from("<HHHH", page, at)
            size, data = low | high << 16, at + 8 + key_size
            if flags & 1:  # a branch: its nodes hold page numbers
                yield from self.walk(size | node_flags << 32)
            elif node_flags & 1:  # a value on pages of its own
                start = struct.unpack_from("<Q", page, data)[0] * self.page_size + 16
                yield page[at + 8:data], self.file[start:start + size]
            else:
                yield page[at + 8:data], page[data:data + size]


def cbor(data, at=0):
    """Reads one value of the log's narrowed CBOR; returns it with the place after it."""
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
        item, at = cbor(data, at)
        items.append(item)
    return (items if major == 4 else dict(zip(items[::2], items[1::2]))), at


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    environment = Environment(sys.argv[1] + "/data.mdb")
    table = sys.argv[2] if len(sys.argv) > 2 else "events"
    if table.encode() not in environment.tables:
        sys.exit(f"there is no table {table}")
    for key, value in environment.entries(environment.tables[table.encode()]):
        line = {"key": key.hex(), "value": value.hex()}
        if table == "events":
            line = {NAMES.split()[key]: item for key, item in cbor(value)[0].items()}
            line["leaf"] = hashlib.sha256(b"\0" + value).hexdigest()
        print(json.dumps(line, default=bytes.hex, ensure_ascii=False))
