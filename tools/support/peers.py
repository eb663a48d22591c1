"""Round trips with other implementations of what Daybook reads and writes.

It runs in the environment that tools/dev test-peers makes. Each round has a wallet of its own, with
new words in a language of BIP 39, and a seed determines everything but the keys that others draw.
"""
import base64, hashlib, json, logging, pathlib, random, subprocess, sys, tempfile, urllib.parse

import base58, cryptography.x509, mnemonic, rfc3161_client
from bip_utils import Bip39SeedGenerator, Bip44, Bip44Changes, Bip44Coins
from embit import bip32, ec
from embit.descriptor import Descriptor
from embit.descriptor.checksum import add_checksum
from embit.psbt import PSBT, OutputScope
from embit.script import Script
from embit.transaction import TransactionOutput
from hdwallet import HDWallet
from hdwallet.cryptocurrencies import Dash
from hdwallet.derivations import BIP44Derivation
from hdwallet.seeds import BIP39Seed
from iconsdk.builder.transaction_builder import TransactionBuilder
from iconsdk.libs.serializer import serialize
from iconsdk.wallet.wallet import KeyWallet

import time_stamps

LANGUAGES = ("english", "chinese_simplified", "chinese_traditional", "czech", "french", "italian",
             "japanese", "korean", "portuguese", "spanish")
PASSPHRASE = "correct Horse 7 battery!"
PAYEES = ("XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa", "7SQekjmcMtR25wEPPiL6m1Mb5586R5ut33")
RECEIVER = "hx5b97bc7e0a18d4a7a825e150ae59ef4e5c9fba2e"
ACCOUNT = "m/44h/5h/0h"
COIN = 100_000_000


class Store:
    """A store in a folder of its own, and calls of `daybook` on it."""

    def __init__(self, folder, name):
        self.folder, self.home = folder, folder / name
        (folder / "passphrase").write_text(PASSPHRASE)
        (folder / "passphrase").chmod(0o600)
        self.run("init")

    def run(self, *words):
        """Calls `daybook`; the JSON objects that it printed."""
        words = [str(word) for word in words]
        done = subprocess.run([str(PROGRAM), *words, "--home", str(self.home), "--json"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        check(done.returncode == 0, f"daybook {' '.join(words)}: {done.stderr}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def sealing(self, *words):
        return self.run(*words, "--passphrase-file", self.folder / "passphrase")

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        path.chmod(0o600)
        return path


def check(holds, sentence):
    if not holds:
        raise AssertionError(sentence)


def same(ours, theirs, what):
    check(ours == theirs, f"{what}: {ours!r} here, {theirs!r} there")


# Words, keys and addresses.

def words_round(folder, draw):
    """Words of `mnemonic`, also with a passphrase: the keys of `bip-utils` and `hdwallet`."""
    store = Store(folder, "words")
    language, strength = draw.choice(LANGUAGES), draw.choice((128, 160, 192, 224, 256))
    entropy = draw.randbytes(strength // 8)
    words = mnemonic.Mnemonic(language).to_mnemonic(entropy)
    extra = draw.choice(("", "", "TREZOR", "pässwörd 日本"))
    options = ["--mnemonic-file", store.file("words.txt", words + "\n")]
    if extra:
        options += ["--mnemonic-passphrase-file", store.file("extra.txt", extra)]
    dash = store.sealing("wallet", "add", "--chain", "dash", *options)[0]
    icon = store.sealing("wallet", "add", "--chain", "icon", *options)[0]
    seed = mnemonic.Mnemonic.to_seed(words, extra)
    if language != "japanese":
        # Its words are not between plain blanks, which `bip-utils` expects.
        same(seed, bytes(Bip39SeedGenerator(words).Generate(extra)), "the seeds of two peers")
    account = Bip44.FromSeed(seed, Bip44Coins.DASH).Purpose().Coin().Account(0)
    watch = next(wallet for wallet in store.run("wallet", "list")
                 if wallet["wallet"] == dash["wallet"])["watch"]
    root = bip32.HDKey.from_seed(seed)
    origin = f"[{root.my_fingerprint.hex()}/44'/5'/0']"
    same(watch, origin + account.PublicKey().ToExtended(),
         "the account's key")
    first = account.Change(Bip44Changes.CHAIN_EXT).AddressIndex(0).PublicKey()
    same(dash["address"], first.ToAddress(), f"the address of {language} words")
    other = HDWallet(cryptocurrency=Dash).from_seed(BIP39Seed(seed=seed.hex())).from_derivation(
        BIP44Derivation(coin_type=Dash.COIN_TYPE, account=0, change="external-chain", address=0))
    same(dash["address"], other.address(), "the address of another peer")
    payload = base58.b58decode_check(dash["address"])
    same(payload[0], 0x4c, "the version of an address")
    same(dash["address"], base58.b58encode_check(payload).decode(), "an address, written again")
    icon_key = Bip44.FromSeed(seed, Bip44Coins.ICON).Purpose().Coin().Account(0).Change(
        Bip44Changes.CHAIN_EXT).AddressIndex(0)
    same(icon["address"], icon_key.PublicKey().ToAddress(), f"ICON's address of {language} words")
    wif_round(store, account, draw)
    descriptor_round(store, dash, account, watch)
    return store, root


def wif_round(store, account, draw):
    """A private key in wallet import format, as `base58` writes it."""
    key = account.Change(Bip44Changes.CHAIN_EXT).AddressIndex(draw.randrange(1, 1000))
    secret = key.PrivateKey().Raw().ToBytes()
    wif = base58.b58encode_check(b"\xcc" + secret + b"\x01").decode()
    added = store.sealing("wallet", "add", "--chain", "dash", "--wif-file",
                          store.file("wif.txt", wif + "\n"))[0]
    same(added["address"], key.PublicKey().ToAddress(), "the address of a private key")


def descriptor_round(store, wallet, account, watch):
    """Descriptors that `embit` reads, derives from and writes again."""
    for entry in store.run("wallet", "export-descriptors", wallet["wallet"])[0]["descriptors"]:
        text = entry["desc"]
        body = text.partition("#")[0]
        same(text, add_checksum(body), "a descriptor's checksum")
        there = Descriptor.from_string(text)
        same(add_checksum(str(there).replace("h]", "']").replace("h/", "'/")), text,
             "a descriptor, written again")
        if "/44'" not in body:
            continue
        branch = Bip44Changes.CHAIN_INT if entry["internal"] else Bip44Changes.CHAIN_EXT
        for index in (0, 1, 20, 999):
            hashed = there.derive(index).script_pubkey().data[3:23]
            same(base58.b58encode_check(b"\x4c" + hashed).decode(),
                 account.Change(branch).AddressIndex(index).PublicKey().ToAddress(),
                 "an address of a descriptor")
    other = Store(store.folder, "descriptor")
    key = watch.replace("'", "h")
    taken = other.run("wallet", "add", "--chain", "dash", "--watch",
                      add_checksum(f"pkh({key}/0/*)"))[0]
    same(taken["address"], wallet["address"], "the address of a watched descriptor")


# Payments that are signed elsewhere.

def payment_script(address):
    payload = base58.b58decode_check(address)
    if payload[0] == 0x4c:
        return Script(b"\x76\xa9\x14" + payload[1:] + b"\x88\xac")
    return Script(b"\xa9\x14" + payload[1:] + b"\x87")


def read_psbt(path):
    content = path.read_bytes()
    return PSBT.parse(content) if content[:5] == b"psbt\xff" else PSBT.from_string(content.decode())


def written(psbt, draw):
    """A PSBT as other programs write it."""
    binary = psbt.serialize()
    return draw.choice((binary, binary.hex().encode(), psbt.to_string().encode(),
                        "\n".join(textwrapped(psbt.to_string(), 76)).encode() + b"\n"))


def textwrapped(text, width):
    return [text[start:start + width] for start in range(0, len(text), width)]


def verify(psbt):
    """Checks that each input has one signature, which is good for its coin and the transaction."""
    for index, scope in enumerate(psbt.inputs):
        check(len(scope.partial_sigs) == 1, "an input has one signature")
        for public, signature in scope.partial_sigs.items():
            digest = psbt.sighash(index, sighash=signature[-1])
            check(public.verify(ec.Signature.parse(signature[:-1]), digest), "a signature")


def psbt_round(folder, draw, cold, root):
    """A payment that `embit` and Daybook sign in turn, and one of `embit` with several payees."""
    hot = Store(folder, "hot")
    watch = next(wallet for wallet in cold.run("wallet", "list")
                 if wallet["chain"] == "dash" and wallet["watch"].startswith("["))["watch"]
    far = hot.run("wallet", "add", "--chain", "dash", "--watch", watch)[0]["wallet"]
    for _ in range(3):
        hot.run("sandbox", "fund", far, draw.randrange(3, 9))
    hot.run("sandbox", "mine", 6)
    for number, signs in enumerate(("embit", "daybook")):
        amount = draw.randrange(COIN // 10, 2 * COIN) / COIN
        request = hot.run("open", f"dash:{PAYEES[0]}?amount={amount:.8f}&message={number}")[0]
        path = folder / f"pay{number}.psbt"
        hot.run("approve", request["request"], "--offline", path)
        psbt = read_psbt(path)
        same(PSBT.parse(psbt.serialize()).serialize(), psbt.serialize(), "a PSBT, read again")
        back = folder / f"back{number}.psbt"
        if signs == "embit":
            check(psbt.sign_with(root) == len(psbt.inputs), "embit finds all keys by their origin")
            back.write_bytes(written(psbt, draw))
        else:
            given = folder / f"given{number}.psbt"
            psbt.version = draw.choice((None, 2))
            given.write_bytes(written(psbt, draw))
            cold.sealing("sign", given, "--out", back, "--yes")
            verify(read_psbt(back))
        done = hot.run("approve", request["request"], "--signed", back)[0]
        same(done["status"], "completed", f"a payment that {signs} signed")
        hot.run("sandbox", "mine", 2)
    several_round(folder, draw, cold, hot)


def several_round(folder, draw, cold, hot):
    request = hot.run("open", f"dash:{PAYEES[0]}?amount=2")[0]
    path = folder / "several.psbt"
    hot.run("approve", request["request"], "--offline", path)
    psbt = read_psbt(path)
    whole = next(scope for scope in psbt.outputs if scope.value == 2 * COIN)
    others = [(draw.choice(PAYEES), draw.randrange(1000, COIN // 10))
              for _ in range(draw.randrange(1, 6))]
    for address, amount in others:
        whole.value -= amount
        output = OutputScope(vout=TransactionOutput(amount, payment_script(address)))
        psbt.outputs.insert(draw.randrange(len(psbt.outputs) + 1), output)
    psbt.version = draw.choice((None, 2))
    path.write_bytes(written(psbt, draw))
    back = folder / "several.signed"
    terms = cold.sealing("sign", path, "--out", back, "--yes")[0]["terms"]
    shown = [line["text"] for line in terms["details"] if line["name"] == "also pays"]
    first = next(line["text"] for line in terms["details"] if line["name"] == "to")
    shown.append(f"{terms['amounts'][0]['amount']} DASH to {first}")
    for address, amount in others + [(PAYEES[0], whole.value)]:
        text = f"{amount / COIN:.8f}".rstrip("0").rstrip(".")
        text = f"{text} DASH to {address}"
        check(text in shown, f"{text} is shown: {shown}")
        shown.remove(text)
    check(not shown, f"nothing else is shown: {shown}")
    verify(read_psbt(back))


# ICON.

def icon_round(folder, draw):
    """Keystores and signatures of ICON's SDK."""
    key = KeyWallet.create()
    keystore = folder / "peer.keystore"
    key.store(str(keystore), PASSPHRASE)
    cold, hot = Store(folder, "icon-cold"), Store(folder, "icon-hot")
    added = cold.sealing("wallet", "add", "--chain", "icon", "--keystore", keystore)[0]
    same(added["address"], key.get_address(), "the address of a keystore")
    ours = folder / "ours.keystore"
    cold.sealing("wallet", "export-keystore", added["wallet"], ours, "--new-passphrase-file",
                 cold.folder / "passphrase")
    same(KeyWallet.load(str(ours), PASSPHRASE).get_address(), key.get_address(),
         "a keystore that is written here")
    watch = cold.run("wallet", "list")[0]["watch"]
    same(watch, key.get_public_key(), "the public key")
    far = hot.run("wallet", "add", "--chain", "icon", "--watch", watch)[0]["wallet"]
    hot.run("sandbox", "fund", far, 10)
    for number, signs in enumerate(("iconsdk", "daybook")):
        asked = {"id": number, "method": "sendICX", "params": {
            "from": key.get_address(), "to": RECEIVER, "value": hex(draw.randrange(1, 10**18)),
            "dataType": "message", "data": "0x" + draw.choice(("48656c6c6f", "5b7b2e7d5d5c"))}}
        request = hot.run("open", connect(asked))[0]
        path, back = folder / f"send{number}.json", folder / f"send{number}.signed"
        hot.run("approve", request["request"], "--offline", path)
        file = json.loads(path.read_text())
        digest = sha3(serialize(dict(file["params"])))
        if signs == "iconsdk":
            file["signature"] = base64_of(key.sign(digest))
            back.write_text(json.dumps(file))
        else:
            cold.sealing("sign", path, "--out", back, "--yes")
            # Both choose the number that a signature needs by RFC 6979.
            same(json.loads(back.read_text())["signature"], base64_of(key.sign(digest)),
                 "a signature")
        done = hot.run("approve", request["request"], "--signed", back)[0]
        same(done["status"], "completed", f"a transaction that {signs} signed")


def stamp_round(folder):
    """A stamp by `openssl ts` that Daybook records, and that rfc3161-client verifies.

    It has one certificate: `openssl ts` does not sort several as DER demands, which is refused.
    """
    authority, store = folder / "authority", Store(folder, "stamped")
    time_stamps.make(authority)
    root = authority / "root.pem"
    note = store.run("checkpoint")[0]["note"]
    with time_stamps.serving(authority) as url:
        made = store.run("timestamp", "--tsa", f"{url}/lone", "--certificates", root)[0]
    event = store.run("log", "--from", made["position"])[0]
    # It reads tokens in the answers that bring them: status granted, then the token.
    token = bytes.fromhex(event["data"]["token"]["$hex"])
    answer = rfc3161_client.decode_timestamp_response(time_stamps.granted(token))
    same(answer.tst_info.gen_time.strftime("%FT%T"), made["at"][:19], "the time of a stamp")
    verifier = rfc3161_client.VerifierBuilder().add_root_certificate(
        cryptography.x509.load_pem_x509_certificate(root.read_bytes())).build()
    text = note[:note.index("\n\n") + 1].encode()
    check(verifier.verify_message(answer, text), "the stamp is of the note's text")
    try:
        verifier.verify_message(answer, text + b"x")
        check(False, "a stamp is of one text alone")
    except rfc3161_client.VerificationError:
        pass


def connect(message):
    data = base64_of(json.dumps(message).encode())
    return f"iconex://?data={urllib.parse.quote(data, safe='')}&caller=peer://"


def base64_of(data):
    return base64.b64encode(data).decode()


def sha3(data):
    return hashlib.sha3_256(data).digest()


def main(program, rounds, seed):
    global PROGRAM
    PROGRAM = pathlib.Path(program)
    logging.disable(logging.CRITICAL)
    for number in range(int(rounds)):
        draw = random.Random(f"{seed}/{number}")
        with tempfile.TemporaryDirectory(prefix="daybook-peers-") as folder:
            folder = pathlib.Path(folder)
            try:
                cold, root = words_round(folder, draw)
                psbt_round(folder, draw, cold, root)
                icon_round(folder, draw)
                stamp_round(folder)
            except AssertionError as failure:
                sys.exit(f"test-peers: seed {seed}, round {number}: {failure}")
    print(f"test-peers: {rounds} rounds, seed {seed}")


if __name__ == "__main__":
    main(*sys.argv[1:])
