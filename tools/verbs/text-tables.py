"""Writes BIP 39's word lists and Unicode's decompositions into the sources.

usage: tools/dev text-tables FOLDER

FOLDER has the ten lists as https://github.com/bitcoin/bips/tree/master/bip-0039 has them; their
SHA-256s are compared with those below first. The decompositions (NFKD) are those of Python's
unicodedata.
"""

import base64, hashlib, pathlib, sys, unicodedata

import project

WORDS = project.ROOT / "Sources/DaybookEncoding/Words"

# The lists with the SHA-256 of their files, each of whose lines ends with a line break.
LISTS = {
    "chinese_simplified": "5c5942792bd8340cb8b27cd592f1015edf56a8c5b26276ee18a482428e7c5726",
    "chinese_traditional": "417b26b3d8500a4ae3d59717d7011952db6fc2fb84b807f3f94ac734e89c1b5f",
    "czech": "7e80e161c3e93d9554c2efb78d4e3cebf8fc727e9c52e03b83b94406bdcc95fc",
    "french": "ebc3959ab7801a1df6bac4fa7d970652f1df76b683cd2f4003c941c63d517e59",
    "italian": "d392c49fdb700a24cd1fceb237c1f65dcc128f6b34a8aacb58b59384b5c648c2",
    "japanese": "2eed0aef492291e061633d7ad8117f1a2b03eb80a29d0e4e3117ac2528d05ffd",
    "korean": "9e95f86c167de88f450f0aaf89e87f6624a57f973c67b516e338e8e8b8897f60",
    "portuguese": "2685e9c194c82ae67e10ba59d9ea5345a23dc093e92276fc5361f6667d79cd3f",
    "spanish": "46846a5a0139d1e3cb77293e521c2865f7bcdb82c44e8d0a06a2cd0ecba48c0b",
}


def packed(words):
    """The words one after the other: a capital letter begins each one.

    It says how many letters the word shares with the one before: A none, B one, and so on.
    """
    text, before = "", ""
    for word in words:
        shared = 0
        while shared < min(len(before), len(word), 25) and before[shared] == word[shared]:
            shared += 1
        text += chr(ord("A") + shared) + word[shared:]
        before = word
    return text


def lines(text, width):
    return "\n".join("        " + text[i:i + width] for i in range(0, len(text), width))


def write_lists(folder):
    for name, digest in LISTS.items():
        content = (folder / f"{name}.txt").read_bytes()
        if hashlib.sha256(content).hexdigest() != digest:
            sys.exit(f"{name}.txt is not the list that BIP 39 publishes")
        text = unicodedata.normalize("NFC", content.decode())
        words = text.split("\n")[:-1]
        camel = name.split("_")[0] + "".join(part.capitalize() for part in name.split("_")[1:])
        title = " ".join(part.capitalize() for part in reversed(name.split("_")))
        # In Chinese each word is one character.
        text = "".join(words) if name.startswith("chinese") else packed(words)
        is_wide = ord(words[0][0]) > 0x1000
        (WORDS / f"{camel[0].upper()}{camel[1:]}Words.swift").write_text(
            f"extension WordList {{\n"
            f"    /// The {title} list of BIP 39, packed by `tools/dev text-tables`.\n"
            f'    static let {camel}Text = """\n'
            f"{lines(text, 44 if is_wide else 90)}\n"
            f'        """\n'
            f"}}\n")


def number(value):
    digits = bytearray()
    while value >= 128:
        digits.append(value & 127 | 128)
        value >>= 7
    digits.append(value)
    return bytes(digits)


def signed(value):
    return number(value * 2 if value >= 0 else -value * 2 - 1)


def decompositions():
    """Each scalar that has a decomposition, with it; Hangul follows from a formula."""
    for scalar in range(0x110000):
        if 0xd800 <= scalar < 0xe000 or 0xac00 <= scalar <= 0xd7a3:
            continue
        parts = unicodedata.normalize("NFKD", chr(scalar))
        if parts != chr(scalar):
            yield scalar, [ord(part) for part in parts]


def groups(items):
    """Runs of scalars in a row: with counted decompositions of one scalar, or of one length."""
    def counted(start):
        end = start + 1
        while (end < len(items) and items[end][0] == items[end - 1][0] + 1
               and len(items[end][1]) == 1 == len(items[start][1])
               and items[end][1][0] == items[end - 1][1][0] + 1):
            end += 1
        return end

    start = 0
    while start < len(items):
        end = counted(start)
        if is_counted := end - start >= 3:
            yield is_counted, items[start:end]
        else:
            end = start + 1
            while (end < len(items) and items[end][0] == items[end - 1][0] + 1
                   and len(items[end][1]) == len(items[start][1]) and counted(end) - end < 3):
                end += 1
            yield is_counted, items[start:end]
        start = end


def write_decompositions():
    table, scalar, last = bytearray(), 0, 0
    for is_counted, group in groups(list(decompositions())):
        table += number(group[0][0] - scalar)
        scalar = group[-1][0] + 1
        table += number(len(group) * 2 + is_counted) + number(len(group[0][1]))
        for place, (_, parts) in enumerate(group):
            for part in parts:
                if not (is_counted and place):
                    table += signed(part - last)
                last = part
    major, minor = unicodedata.unidata_version.split(".")[:2]
    (WORDS / "DecompositionTable.swift").write_text(
        f"extension Decomposition {{\n"
        f"    /// The version of Unicode whose characters the table knows.\n"
        f"    static let version = (major: {major}, minor: {minor})\n\n"
        f"    /// The decompositions, packed by `tools/dev text-tables`.\n"
        f'    static let packed = """\n'
        f"{lines(base64.b64encode(table).decode(), 90)}\n"
        f'        """\n'
        f"}}\n")


if __name__ == "__main__":
    parser = project.parser(__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    write_lists(parser.parse_args().folder)
    write_decompositions()
