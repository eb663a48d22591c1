"""Runs PostgreSQL servers of our own, in temporary folders and on a Unix socket."""
import os, pathlib, pwd, secrets, shutil, signal, subprocess, tempfile, time

import processes, proxy

# A server refuses to run as root.
OTHER_USERS = ("postgres", "nobody")
# The number in the name of the proxy's socket; nobody listens on such a port.
PROXY_PORT = 6000
POOLER_PORT = 6001
POOLER_SETTINGS = """
[databases]
postgres = host={server} port={port} dbname=postgres user=daybook
[pgbouncer]
listen_addr =
listen_port = {pooler_port}
unix_socket_dir = {folder}
unix_socket_mode = 0777
auth_type = any
pool_mode = {mode}
logfile = {folder}/log
"""


class Missing(Exception):
    """PostgreSQL's programs are not installed."""


def program(name):
    """The path of one of PostgreSQL's programs; Debian keeps them out of users' search paths."""
    versions = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))
    folders = [pathlib.Path("/usr/sbin"), *versions]
    found = shutil.which(name) or next(
        (str(folder / name) for folder in reversed(folders) if (folder / name).exists()), None)
    if not found:
        raise Missing(f"there is no {name}; tools/setup test installs PostgreSQL")
    return found


def server_user():
    """The user that runs servers: this one, unless it is root."""
    if os.getuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in OTHER_USERS if name in names)


class Server:
    """A server in a folder of its own; `url` is its database for a user who may do everything."""

    def __init__(self, port=None, settings=()):
        self.user, self.pooler = server_user(), None
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="daybook-postgres-"))
        self.password, self.port, self.child = secrets.token_hex(8), port, None
        self.settings = [f"unix_socket_directories={self.folder}", *settings]
        self.settings += [f"listen_addresses={'127.0.0.1' if port else ''}"]
        self.settings += [f"port={port}"] if port else []
        if self.user:
            shutil.chown(self.folder, self.user)
        secret = self.folder / "password"
        secret.write_text(self.password)
        secret.chmod(0o644)
        self.run(
            program("initdb"), "--pgdata", self.data, "--username", "daybook",
            "--auth-local=trust", "--auth-host=scram-sha-256", "--pwfile", str(secret),
            "--no-sync")
        self.url = f"postgres:///postgres?host={self.folder}&user=daybook"
        self.url += f"&port={port}" if port else ""
        self.start()

    @property
    def data(self):
        return str(self.folder / "data")

    def run(self, *words):
        """Runs one of PostgreSQL's programs as the server's user."""
        done = subprocess.run(
            words, user=self.user, cwd=self.folder, env={**os.environ, "LC_ALL": "C"},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise RuntimeError(done.stdout)
        return done.stdout

    def start(self):
        """Starts the server, and waits until it takes connections."""
        words = [program("postgres"), "-D", self.data]
        for setting in self.settings:
            words += ["-c", setting]
        with open(self.folder / "log", "ab") as log:
            self.child = subprocess.Popen(
                words, user=self.user, cwd=self.folder, env={**os.environ, "LC_ALL": "C"},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        end = time.monotonic() + 60
        while not self.answers():
            if self.child.poll() is not None or time.monotonic() > end:
                raise RuntimeError((self.folder / "log").read_text())
            time.sleep(0.05)

    def answers(self):
        return subprocess.run(
            [program("pg_isready"), "-q", "-d", self.url], stdin=subprocess.DEVNULL).returncode == 0

    def stop(self, number=signal.SIGINT):
        """Ends the server by a signal: SIGINT ends its transactions, SIGKILL leaves a crash."""
        if self.child and self.child.poll() is None:
            self.child.send_signal(signal.SIGCONT)
            self.child.send_signal(number)
            self.child.wait()

    def become_standby(self):
        """Restarts the server as a standby that waits for a primary and only lets clients read."""
        self.stop()
        (pathlib.Path(self.data) / "standby.signal").touch()
        self.start()

    def crash(self):
        """kill -9 of all its processes, and a new start, which recovers what was committed."""
        processes.kill(self.child.pid)
        self.child.wait()
        self.start()

    def add_proxy(self):
        """A proxy that cuts connections, and the address of the database through it."""
        sockets = [self.folder / f".s.PGSQL.{port}" for port in (self.port or 5432, PROXY_PORT)]
        return (proxy.Proxy(lambda: sockets[0], sockets[1]),
                f"postgres:///postgres?host={self.folder}&user=daybook&port={PROXY_PORT}")

    def add_pooler(self, mode):
        """PgBouncer in a mode, and the address of the database through it."""
        folder = self.folder / f"pooler-{mode}"
        folder.mkdir()
        (folder / "ini").write_text(POOLER_SETTINGS.format(
            server=self.folder, port=self.port or 5432, mode=mode, folder=folder,
            pooler_port=POOLER_PORT))
        if self.user:
            shutil.chown(folder, self.user)
        self.pooler = subprocess.Popen(
            [program("pgbouncer"), "-q", str(folder / "ini")], user=self.user, cwd=folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True)
        end = time.monotonic() + 10
        while not (folder / f".s.PGSQL.{POOLER_PORT}").exists():
            if self.pooler.poll() is not None or time.monotonic() > end:
                raise RuntimeError((folder / "log").read_text())
            time.sleep(0.02)
        return f"postgres:///postgres?host={folder}&user=daybook&port={POOLER_PORT}"

    def remove(self):
        if self.pooler:
            self.pooler.kill()
            self.pooler.wait()
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)
