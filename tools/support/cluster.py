"""Runs three PostgreSQL servers under Patroni, with etcd, on loopback and in a temporary folder."""
import http.client, json, os, pathlib, secrets, shutil, socket, subprocess, tempfile, time
import urllib.request

import databases, processes

NODES = ("a", "b", "c")
# Debian's package has its own Python, whatever stands first in the search path.
PATRONI = "/usr/bin/patroni"
# Short times, in seconds: a fail-over takes one TTL. Patroni's defaults are 30, 10 and 10.
TTL, LOOP_WAIT, RETRY = 10, 1, 3
DISK_BYTES = 1 << 30


class Missing(Exception):
    """A program is not installed."""


class Slow(Exception):
    """The cluster did not become whole in time."""


def free_ports(count):
    """Ports of loopback on which nobody listens."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [listener.getsockname()[1] for listener in sockets]
    for listener in sockets:
        listener.close()
    return ports


class Node:
    """One machine of a cluster: a disk, a Patroni, and the PostgreSQL that it runs."""

    def __init__(self, cluster, name):
        self.cluster, self.name, self.patroni = cluster, name, None
        self.port, self.rest_port = free_ports(2)
        self.folder = cluster.folder / name
        self.disk = self.folder / "disk"
        self.data = self.disk / "data"
        self.disk.mkdir(parents=True)
        if cluster.has_own_disks:
            cluster.mount(self.disk)
        for folder in (self.folder, self.disk):
            cluster.own(folder)

    def start(self):
        """Starts Patroni, which starts PostgreSQL."""
        path = self.folder / "patroni.json"
        path.write_text(json.dumps(self.settings(), indent=1))
        path.chmod(0o600)
        self.cluster.own(path)
        self.patroni = self.cluster.run(self.folder / "log", PATRONI, path)

    def settings(self):
        cluster, address = self.cluster, f"127.0.0.1:{self.port}"
        rest = f"127.0.0.1:{self.rest_port}"
        users = {"superuser": "postgres", "replication": "standby", "rewind": "rewind"}
        return {
            "scope": "daybook", "name": self.name,
            "restapi": {
                "listen": rest, "connect_address": rest,
                "authentication": {"username": "cluster", "password": cluster.password}},
            # Not etcd3: through it, Patroni before 3.0.3 lets a primary that stood still take the
            # leader's key back from the next one (its pull request 2689).
            "etcd": {"hosts": [f"127.0.0.1:{cluster.etcd_port}"]},
            "bootstrap": {
                "dcs": DYNAMIC_SETTINGS,
                # Small segments fill a small disk soon.
                "initdb": ["data-checksums", {"encoding": "UTF8"}, {"locale": "C"},
                           {"wal-segsize": "1"}, "no-sync"]},
            "postgresql": {
                "listen": address, "connect_address": address, "data_dir": str(self.data),
                "bin_dir": str(pathlib.Path(databases.program("pg_controldata")).parent),
                "pgpass": str(self.folder / "pgpass"), "use_unix_socket": True,
                "remove_data_directory_on_rewind_failure": True,
                "remove_data_directory_on_diverged_timelines": True,
                "authentication": {
                    use: {"username": name, "password": cluster.password}
                    for use, name in users.items()},
                # The socket is in a folder of the server's user.
                "pg_hba": ["local all all trust", "host all all 127.0.0.1/32 scram-sha-256",
                           "host replication standby 127.0.0.1/32 scram-sha-256"],
                "parameters": {"unix_socket_directories": str(self.folder)}}}

    def postmaster(self):
        """The id of PostgreSQL's first process; None where none runs."""
        try:
            number = int((self.data / "postmaster.pid").read_text().split()[0])
        except (OSError, ValueError, IndexError):
            return None
        return number if processes.parent(number) else None

    def erase(self):
        """Removes all that is on the node's disk."""
        for entry in self.disk.iterdir():
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()

    def roots(self):
        """Patroni's and PostgreSQL's first processes, as far as they run."""
        patroni = self.patroni.pid if self.patroni and self.patroni.poll() is None else None
        return [number for number in (patroni, self.postmaster()) if number]

    def has_role(self, name):
        """Whether Patroni says that this node is the `primary`, or `synchronous` to it."""
        try:
            with urllib.request.urlopen(
                    f"http://127.0.0.1:{self.rest_port}/{name}", timeout=1) as answer:
                return answer.status == 200
        except (OSError, http.client.HTTPException):
            return False

    def sql(self, query):
        """The rows of a query of the superuser on this node, or None where it can't be asked."""
        address = f"postgres:///postgres?host={self.folder}&port={self.port}&user=postgres"
        return psql(address + "&connect_timeout=2", query)


def psql(address, query):
    """The output of a query, or None where the server does not answer it in time."""
    try:
        done = subprocess.run(
            [databases.program("psql"), "-X", "-q", "-t", "-A", address, "-c", query],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            timeout=5)
    except subprocess.TimeoutExpired:
        return None
    return None if done.returncode else done.stdout.strip()


# The settings that Patroni keeps in etcd; docs/DATABASES.md says why.
DYNAMIC_SETTINGS = {
    "ttl": TTL, "loop_wait": LOOP_WAIT, "retry_timeout": RETRY,
    "synchronous_mode": True, "synchronous_mode_strict": True, "synchronous_node_count": 1,
    "maximum_lag_on_failover": 1 << 20, "failsafe_mode": True,
    "postgresql": {
        "use_pg_rewind": True, "use_slots": True,
        "parameters": {
            "synchronous_commit": "on", "max_connections": 100, "shared_buffers": "32MB",
            "min_wal_size": "8MB", "max_wal_size": "64MB", "wal_keep_size": "32MB",
            "max_slot_wal_keep_size": "256MB", "wal_sender_timeout": "5s",
            "wal_receiver_timeout": "5s", "tcp_user_timeout": "5s"}}}


class Cluster:
    """Three nodes and an etcd; `url` is a database of which the user `daybook` is the owner."""

    def __init__(self, own_disks=False):
        for program in (PATRONI, "etcd"):
            if not shutil.which(program):
                raise Missing(f"there is no {program}; tools/setup cluster installs it")
        self.user = databases.server_user()
        self.has_own_disks = own_disks
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="daybook-cluster-"))
        self.password = secrets.token_hex(16)
        self.children, self.mounts, self.nodes = [], [], []
        self.etcd_port, self.peer_port = free_ports(2)
        self.own(self.folder)
        try:
            (self.folder / "etcd").mkdir()
            self.own(self.folder / "etcd")
            self.start_etcd()
            self.nodes = [Node(self, name) for name in NODES]
            self.make()
        except BaseException:
            self.remove()
            raise

    def own(self, path):
        if self.user:
            shutil.chown(path, self.user)

    def mount(self, folder):
        """Gives a folder a disk of its own, in memory, where this process may do so."""
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES},mode=700", "tmpfs", folder],
            stderr=subprocess.DEVNULL)
        if done.returncode == 0:
            self.mounts.append(folder)
        else:
            self.has_own_disks = False

    def run(self, log, *words):
        """Starts a program as the servers' user."""
        with open(log, "ab") as output:
            child = subprocess.Popen(
                [str(word) for word in words], user=self.user, cwd=self.folder,
                env={**os.environ, "LC_ALL": "C"}, stdin=subprocess.DEVNULL, stdout=output,
                stderr=output, start_new_session=True)
        self.children.append(child)
        return child

    def start_etcd(self):
        client, peer = (f"http://127.0.0.1:{port}" for port in (self.etcd_port, self.peer_port))
        self.etcd = self.run(
            self.folder / "etcd.log", "etcd", "--data-dir", self.folder / "etcd",
            "--listen-client-urls", client, "--advertise-client-urls", client,
            "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
            "--initial-cluster", f"default={peer}", "--log-level", "error", "--enable-v2")

    def make(self):
        """Starts all nodes; one makes the database, from which the others copy theirs."""
        for node in self.nodes:
            node.start()
        primary = self.wait_until_whole(180)
        primary.sql(f"CREATE ROLE daybook LOGIN PASSWORD '{self.password}'")
        primary.sql("CREATE DATABASE daybook OWNER daybook")
        # libpq asks a standby first, perhaps, and tries no other server if it has no such database.
        self.wait_for(120, lambda: all(
            node.sql(DATABASES) == "1" for node in self.nodes))
        (self.folder / "passwords").write_text(f"*:*:*:daybook:{self.password}\n")
        (self.folder / "passwords").chmod(0o600)

    def address(self, ports):
        """The address of the database behind ports, for libpq, which finds the primary."""
        hosts = ",".join(f"127.0.0.1:{port}" for port in ports)
        return (f"postgres://daybook@{hosts}/daybook?target_session_attrs=read-write"
                f"&passfile={self.folder}/passwords&sslmode=disable&gssencmode=disable")

    @property
    def url(self):
        return self.address([node.port for node in self.nodes])

    def primary_port(self):
        primary = self.primary()
        return primary.port if primary else None

    def primary(self):
        """The node that has the leader's key, or None while there is none."""
        return next((node for node in self.nodes if node.has_role("primary")), None)

    def wait_for_primary(self, seconds, other_than=None):
        """The primary, once there is one; or None after so many seconds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            others = [node for node in self.nodes if node is not other_than]
            if found := next((node for node in others if node.has_role("primary")), None):
                return found
            time.sleep(0.1)
        return None

    def wait_until_whole(self, seconds):
        """The primary, once two standbys follow it, one of them synchronously."""
        def whole():
            primary = self.primary()
            return primary if (
                primary and primary.sql(STANDBYS) == "2|1"
                and any(node.has_role("synchronous") for node in self.nodes)) else None
        return self.wait_for(seconds, whole)

    def wait_for(self, seconds, condition):
        """The value of a condition, once it holds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if value := condition():
                return value
            if self.etcd.poll() is not None:
                raise Slow((self.folder / "etcd.log").read_text()[-2000:])
            time.sleep(0.2)
        logs = [f"{node.name}:\n" + (node.folder / "log").read_text()[-2000:]
                for node in self.nodes if (node.folder / "log").exists()]
        raise Slow(f"the cluster is not whole after {seconds} seconds\n" + "\n".join(logs))

    def remove(self):
        """Ends all processes, and removes the folder."""
        processes.kill(*[root for node in self.nodes for root in node.roots()],
                       *[child.pid for child in self.children if child.poll() is None])
        for child in self.children:
            child.wait()
        for folder in reversed(self.mounts):
            subprocess.run(["umount", folder], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


DATABASES = "SELECT count(*) FROM pg_database WHERE datname = 'daybook'"
STANDBYS = """
    SELECT count(*), count(*) FILTER (WHERE sync_state = 'sync')
    FROM pg_stat_replication WHERE state = 'streaming'"""
