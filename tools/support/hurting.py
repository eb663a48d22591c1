"""Hurts the primary of a cluster in every way that a machine can be hurt, and heals it again."""
import contextlib, functools, pathlib, signal, time

import cluster, processes, proxy

# A fail-over takes a TTL; a machine with much to do takes longer.
PATIENCE = 12 * cluster.TTL
SYNCHRONOUS = "SELECT application_name FROM pg_stat_replication WHERE sync_state = 'sync'"


class Hurts:
    """The harms that a cluster can suffer; each method below returns after the harm is undone."""

    def __init__(self, patient, cutter):
        self.cluster, self.cutter = patient, cutter

    def commands(self):
        """The commands by name; a disk can be filled only where each node has one of its own."""
        ways = [self.kill, self.kill_patroni, self.crash, self.lose, self.stop, self.pause,
                self.cut, self.etcd, self.standby]
        if self.cluster.has_own_disks:
            ways.append(self.fill)
        return {name: functools.partial(self.hurt, name, way)
                for way in ways for name in [way.__name__.replace("_", "-")]}

    def hurt(self, name, way):
        """Hurts the primary, heals it, waits until the cluster is whole, and says what happened."""
        primary = self.cluster.wait_until_whole(PATIENCE)
        start = time.monotonic()
        details = way(primary)
        after = self.cluster.wait_until_whole(PATIENCE)
        moved = f"{primary.name} to {after.name}" if after is not primary else primary.name
        seconds = time.monotonic() - start
        return ", ".join(filter(None, [
            f"{name}: {moved}", details, f"whole after {seconds:.1f} s"]))

    def kill(self, node):
        """kill -9 of all of PostgreSQL; Patroni starts it again, or another node takes over."""
        processes.kill(node.postmaster())

    def kill_patroni(self, node):
        """kill -9 of Patroni: its PostgreSQL goes on as a second primary until it is back."""
        processes.kill(node.patroni.pid)
        self.cluster.wait_for_primary(PATIENCE, other_than=node)
        # For a while there are two.
        time.sleep(3)
        node.start()

    def crash(self, node):
        """kill -9 of everything on the node, which comes back once another one is primary."""
        processes.kill(*node.roots())
        self.cluster.wait_for_primary(PATIENCE, other_than=node)
        node.start()

    def lose(self, node):
        """As `crash`, and its disk is lost."""
        processes.kill(*node.roots())
        node.erase()
        self.cluster.wait_for_primary(PATIENCE, other_than=node)
        node.start()

    def stop(self, node):
        """SIGSTOP of everything on the node, and SIGCONT once another one is primary."""
        stopped = [process for root in node.roots() for process in processes.tree(root)]
        processes.send(signal.SIGSTOP, stopped)
        try:
            self.cluster.wait_for_primary(PATIENCE, other_than=node)
        finally:
            processes.send(signal.SIGCONT, stopped)

    def pause(self, node):
        """SIGSTOP of PostgreSQL, and SIGCONT before anybody takes over."""
        stopped = processes.tree(node.postmaster())
        processes.send(signal.SIGSTOP, stopped)
        time.sleep(cluster.TTL / 3)
        processes.send(signal.SIGCONT, stopped)

    def fill(self, node):
        """Its disk is full, until another one is primary or it has been so for some time."""
        filler = pathlib.Path(node.disk / "filler")
        with open(filler, "wb", buffering=0) as file:
            # The server writes meanwhile, so what is free now can't be taken at once.
            for size in (1 << 20, 1 << 12):
                with contextlib.suppress(OSError):
                    while True:
                        file.write(bytes(size))
        # The next segment of the log has no place.
        node.sql("SELECT pg_switch_wal()")
        self.cluster.wait_for_primary(2 * cluster.TTL, other_than=node)
        filler.unlink()

    def cut(self, node):
        """Connections are cut at statements, before, while or after the server runs them."""
        with self.cutter.cutting(proxy.Plan(share=0.1)) as plan:
            time.sleep(5)
        return f"{plan.cuts} of {plan.seen} statements"

    def etcd(self, node):
        """kill -9 of etcd, for longer than the leader's key holds."""
        processes.kill(self.cluster.etcd.pid)
        time.sleep(cluster.TTL * 1.5)
        self.cluster.start_etcd()

    def standby(self, node):
        """kill -9 of everything on the synchronous standby: nothing is committed for a while."""
        name = node.sql(SYNCHRONOUS)
        for other in self.cluster.nodes:
            if other.name == name:
                processes.kill(*other.roots())
                time.sleep(cluster.TTL / 3)
                other.start()
