"""Derives keys from a wallet's words, and lists the ways in which software writes bytes as text."""

import base64, hashlib, hmac, json
from urllib.parse import quote, quote_plus

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


# MARK: Keys from words (BIP 39, BIP 32)

ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141
PRIME = 2**256 - 2**32 - 977
BASE = (0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798,
        0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8)


def add(first, second):
    if first is None or second is None:
        return first or second
    if first[0] == second[0]:
        if (first[1] + second[1]) % PRIME == 0:
            return None
        slope = 3 * first[0] ** 2 * pow(2 * first[1], -1, PRIME)
    else:
        slope = (second[1] - first[1]) * pow(second[0] - first[0], -1, PRIME)
    x = (slope ** 2 - first[0] - second[0]) % PRIME
    return x, (slope * (first[0] - x) - first[1]) % PRIME


def public(key):
    point, power, rest = None, BASE, int.from_bytes(key, "big")
    while rest:
        if rest & 1:
            point = add(point, power)
        power, rest = add(power, power), rest >> 1
    return bytes([2 + point[1] % 2]) + point[0].to_bytes(32, "big")


def child(node, index):
    key, chain = node
    data = b"\0" + key if index >> 31 else public(key)
    made = hmac.new(chain, data + index.to_bytes(4, "big"), hashlib.sha512).digest()
    number = (int.from_bytes(made[:32], "big") + int.from_bytes(key, "big")) % ORDER
    return number.to_bytes(32, "big"), made[32:]


def keys_of(words):
    """The seed, and the private keys on every path that Dash and Axe wallets use."""
    seed = hashlib.pbkdf2_hmac("sha512", words.encode(), b"mnemonic", 2048)
    made = hmac.new(b"Bitcoin seed", seed, hashlib.sha512).digest()
    found, hard = {"seed": seed}, 1 << 31
    for path in ([hard], [hard + 44, hard + 5, hard], [hard + 44, hard + 4242, hard]):
        node, name = (made[:32], made[32:]), "m"
        found[name] = node[0]
        # An account's chain code is in its extended public key, which callers may be given.
        for index in path + [0, 0]:
            node = child(node, index)
            name += f"/{index % hard}" + ("'" if index >> 31 else "")
            found[name] = node[0]
    return found


# MARK: Spellings

def base58(data):
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = ALPHABET[digit] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text


def base58_check(data):
    return base58(data + hashlib.sha256(hashlib.sha256(data).digest()).digest()[:4])


def spellings(secret):
    """All spellings of a secret: hexadecimal, base 58 and 64, escapes, numbers, other encodings."""
    texts = {secret.hex(), secret.hex().upper(), base58(secret), base58_check(secret)}
    for offset in range(3):
        # Without the characters at the ends, which depend on the bytes beside the secret.
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            texts.add(encode(b"\0" * offset + secret).decode()[4:-4])
    texts.add("".join(f"%{byte:02x}" for byte in secret))
    texts.add("".join(f"%{byte:02X}" for byte in secret))
    texts.add("".join(f"\\x{byte:02x}" for byte in secret))
    texts.add(", ".join(str(byte) for byte in secret))
    texts.add(",".join(str(byte) for byte in secret))
    if len(secret) == 32:
        texts.add(str(int.from_bytes(secret, "big")))
        for version in (128, 204, 239):
            for tail in (b"", b"\1"):
                texts.add(base58_check(bytes([version]) + secret + tail))
    raw = {secret, secret[::-1], secret.hex().encode("utf-16-le")}
    try:
        text = secret.decode()
    except UnicodeDecodeError:
        pass
    else:
        texts |= {json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1],
                  quote(text, safe=""), quote_plus(text), text.upper()}
        raw |= {text.encode("utf-16-le"), text.encode("utf-16-be")}
    raw |= {text.encode() for text in texts}
    return {spelling for spelling in raw if len(spelling) >= 8}
