"""A time stamp authority for tests: `openssl ts` with certificates of its own, honest or not.

usage: time_stamps.py make FOLDER          makes its certificates: root.pem, other.pem and the rest
       time_stamps.py answer FOLDER KIND   reads a request, and writes the answer of this kind
       time_stamps.py serve FOLDER         prints its URL; POST /KIND answers, until its input ends
"""
import contextlib, http.server, os, pathlib, subprocess, sys, tempfile, threading

# Signers: who issues the certificate, and the options of `openssl ca` for it.
SIGNERS = {
    "signer": ("issuer", "stamps", "-days", "30"), "lone": ("root", "stamps", "-days", "30"),
    "expired": ("root", "stamps", "-startdate", "20200101000000Z", "-enddate", "20210101000000Z"),
    "weak": ("root", "stamps", "-days", "30", "-md", "sha1"),
    "foreign": ("other", "stamps", "-days", "30"),
    "unfit": ("root", "signs", "-days", "30"),
    "small": ("root", "stamps", "-days", "30"),
}
# Keys: EC takes no MD5, and has no keys that are too short.
KEYS = {"signer": "rsa:2048", "small": "rsa:1024"}
# Kinds of answers that `openssl ts` makes: the signer, the digest of its signature, the clock.
STAMPS = {
    "good": ("signer", "sha256", None), "lone": ("lone", "sha256", None),
    "sha512": ("signer", "sha512", None), "expired": ("expired", "sha256", None),
    "past": ("expired", "sha256", 1_600_000_000), "future": ("signer", "sha256", "+7200"),
    "weak": ("weak", "sha256", None), "small": ("small", "sha256", None),
    "foreign": ("foreign", "sha256", None), "sha1": ("signer", "sha1", None),
    "md5": ("signer", "md5", None),
}
SETTINGS = """
[req]
distinguished_name = name
[name]
[ca]
default_ca = own
[own]
database = $ENV::DATABASE
new_certs_dir = .
rand_serial = yes
unique_subject = no
default_md = sha256
policy = any
[any]
commonName = supplied
organizationName = optional
[issues]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign
[stamps]
extendedKeyUsage = critical,timeStamping
keyUsage = critical,digitalSignature
[signs]
keyUsage = critical,digitalSignature
[tsa]
default_tsa = authority
[authority]
serial = $ENV::SERIAL
crypto_device = builtin
default_policy = 1.2.3.4.1
digests = $ENV::DIGESTS
ess_cert_id_alg = sha256
"""
# The clock that a process sees: a number of seconds, or of seconds from now with a sign.
CLOCK = """
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
int gettimeofday(struct timeval *now, void *zone) {
    struct timespec real;
    clock_gettime(CLOCK_REALTIME, &real);
    const char *clock = getenv("CLOCK");
    now->tv_sec = atol(clock) + (*clock == '+' || *clock == '-' ? real.tv_sec : 0);
    now->tv_usec = 0;
    return 0;
}
"""


def run(*words, folder, given=None, **variables):
    """Runs a program in a folder; what it wrote to its standard output."""
    environment = os.environ | {"DATABASE": "index.txt", "SERIAL": "serial", "DIGESTS": "sha256"}
    done = subprocess.run([str(word) for word in words], cwd=folder, input=given,
                          capture_output=True, env=environment | variables)
    if done.returncode:
        sys.exit(done.stderr.decode(errors="replace"))
    return done.stdout


def make(folder):
    """Makes the certificates, and the clock."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "openssl.cnf").write_text(SETTINGS)
    (folder / "index.txt").write_text("")
    (folder / "clock.c").write_text(CLOCK)
    run("cc", "-shared", "-fPIC", "-o", "clock.so", "clock.c", folder=folder)
    for root in ("root", "other"):
        issue(folder, root, root, "issues", "-selfsign", "-startdate", "20200101000000Z", "-days",
              "60")
    issue(folder, "issuer", "root", "issues", "-days", "40")
    for name, (issuer, *options) in SIGNERS.items():
        issue(folder, name, issuer, *options)


def issue(folder, name, issuer, extensions, *options):
    """Makes a key, and a certificate for it."""
    curve = [] if name in KEYS else ["-pkeyopt", "ec_paramgen_curve:prime256v1"]
    run("openssl", "req", "-config", "openssl.cnf", "-new", "-newkey", KEYS.get(name, "ec"),
        *curve, "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj",
        f"/O=Daybook's tests/CN={name}", folder=folder)
    signed_by = [] if name == issuer else ["-cert", f"{issuer}.pem"]
    run("openssl", "ca", "-config", "openssl.cnf", "-batch", "-notext", "-extensions", extensions,
        "-keyfile", f"{issuer}.key", *signed_by, "-in", f"{name}.csr", "-out", f"{name}.pem",
        *options, folder=folder)


def answer(folder, kind, request):
    """The answer of a kind to a request."""
    digest = request[request.index(b"\x04\x20") + 2:][:32].hex()
    if kind == "refusal":
        return reply(folder, request, "signer", "sha256", None, digests="sha512")
    if kind == "imprint":
        return answer(folder, "good", query(folder, "-digest", "00" * 32, "-sha256"))
    if kind == "nonce":
        return answer(folder, "good", query(folder, "-digest", digest, "-sha256"))
    if kind == "weak-imprint":
        return reply(folder, query(folder, "-digest", "00" * 20, "-sha1"), *STAMPS["good"],
                     digests="sha1")
    if kind == "unfit":
        return signed_otherwise(folder, answer(folder, "good", request), "unfit")
    if kind == "bare":
        # The authority's answer to a request that asks for no certificates.
        return reply(folder, request.replace(b"\x01\x01\xff", b"\x01\x01\x00"), *STAMPS["good"])
    return reply(folder, request, *STAMPS[kind])


def query(folder, *options):
    """A request of `openssl ts`."""
    return run("openssl", "ts", "-query", "-config", "openssl.cnf", "-cert", *options,
               folder=folder)


def reply(folder, request, signer, digest, clock, digests="sha256"):
    """The answer of `openssl ts`."""
    seen = {"LD_PRELOAD": "./clock.so", "CLOCK": str(clock)} if clock else {}
    chain = ["-chain", "issuer.pem"] if signer == "signer" else []
    with tempfile.TemporaryDirectory() as place:
        return run("openssl", "ts", "-reply", "-config", "openssl.cnf", "-queryfile",
                   "/dev/stdin", "-signer", f"{signer}.pem", "-inkey", f"{signer}.key", *chain,
                   f"-{digest}", folder=folder, given=request, SERIAL=f"{place}/serial",
                   DIGESTS=digests, **seen)


def signed_otherwise(folder, given, signer):
    """The content of an answer's token, signed by somebody whom `openssl ts` would not take."""
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        (place / "answer").write_bytes(given)
        token = run("openssl", "ts", "-reply", "-config", "openssl.cnf", "-in", place / "answer",
                    "-token_out", folder=folder)
        content = run("openssl", "cms", "-verify", "-noverify", "-inform", "DER", folder=folder,
                      given=token)
        token = run("openssl", "cms", "-sign", "-binary", "-nodetach", "-cades", "-md", "sha256",
                    "-econtent_type", "1.2.840.113549.1.9.16.1.4", "-signer", f"{signer}.pem",
                    "-inkey", f"{signer}.key", "-outform", "DER", folder=folder, given=content)
    return granted(token)


def granted(token):
    """An answer whose status says that it has a token."""
    content = b"\x30\x03\x02\x01\x00" + token
    return b"\x30\x82" + len(content).to_bytes(2, "big") + content


class Door(http.server.BaseHTTPRequestHandler):
    """Answers requests over HTTP."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        request = self.rfile.read(int(self.headers["Content-Length"]))
        kind = self.path.strip("/")
        if self.headers["Content-Type"] != "application/timestamp-query":
            return self.say(415, b"")
        match kind:
            case "silent":
                print("asked", flush=True)
                self.server.until_end.wait()
            case "slow":
                self.send_response(200)
                self.send_header("Content-Length", "9999")
                self.end_headers()
                while not self.server.until_end.wait(0.05):
                    self.wfile.write(b"\x30")
            case "garbage":
                self.say(200, b"\x30\x82\x01\x00" + os.urandom(256))
            case "empty":
                self.say(200, b"")
            case "long":
                self.say(200, bytes(1 << 20))
            case "page":
                self.say(200, b"<html></html>", "text/html")
            case "missing":
                self.say(404, b"")
            case "moved":
                self.say(301, b"")
            case "broken":
                self.say(500, b"")
            case _:
                self.say(200, answer(self.server.folder, kind, request))

    def say(self, status, body, kind="application/timestamp-reply"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def serving(folder):
    """Answers at a URL of loopback as long as the block runs."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Door)
    server.daemon_threads = True
    server.folder, server.until_end = folder, threading.Event()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.until_end.set()
    server.shutdown()
    server.server_close()


def main():
    verb, folder, *rest = sys.argv[1:]
    folder = pathlib.Path(folder).resolve()
    if verb == "make":
        make(folder)
    elif verb == "answer":
        sys.stdout.buffer.write(answer(folder, rest[0], sys.stdin.buffer.read()))
    else:
        with serving(folder) as url:
            print(url, flush=True)
            sys.stdin.buffer.read()


if __name__ == "__main__":
    main()
