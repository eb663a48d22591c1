"""Files, memory, readers and disk that are not there, as much as is tried of each."""

import collections, concurrent.futures, os, random, shutil, subprocess, sys, time

from scene import Finding, code


class Limits:
    """What a process may have, and how much of it is tried."""

    def __init__(self, suite):
        self.suite = suite

    def run(self, workload, shell, name, may_crash=False):
        """A workload behind a shell's limit; true if it did its work."""
        scene = self.suite.scene(name)
        prefix = ["/bin/bash", "-c", shell + '; exec "$@"', "bash"]
        answer = self.suite.programs.run(scene, workload.command(), prefix, workload.program)
        if answer.returncode == 127 and "shared libraries" in answer.stderr:
            # The loader has not even begun the program.
            shutil.rmtree(scene)
            return False
        if may_crash and answer.returncode not in range(6):
            # Without memory Swift's runtime ends the program: a kill like any other.
            self.suite.judge(workload, "died", scene, answer, [])
        else:
            self.suite.judge(workload, "limit", scene, answer, [])
        shutil.rmtree(scene)
        return answer.returncode == 0

    def descriptors(self, workload):
        """Every number of files that may be open, until it is enough."""
        for number in range(3, 200):
            if self.run(workload, f"ulimit -n {number}", f"files-{workload.name}-{number}"):
                return number - 2
        raise Finding("200 descriptors are not enough")

    def memory(self, workload, source):
        """Address space from what the loader needs to what is enough."""
        chosen = source.sample(range(40, 700), 24)
        for mebibytes in chosen:
            self.run(workload, f"ulimit -v {mebibytes * 1024}",
                     f"memory-{workload.name}-{mebibytes}", may_crash=True)
        return len(chosen)

    def readers(self, workload):
        """All places of the log's reader table taken, and then left by one that was killed."""
        scene = self.suite.scene(f"readers-{workload.name}")
        log = scene / workload.home / "log"
        if not log.exists():
            shutil.rmtree(scene)
            return 0
        words = [self.suite.programs.folder / "LogDriver", "take-readers", log]
        with subprocess.Popen(words, stdout=subprocess.PIPE) as readers:
            try:
                taken = readers.stdout.readline()
                answer = self.suite.programs.run(
                    scene, workload.command(), (), workload.program)
            finally:
                readers.kill()
        said = f"status {answer.returncode}: {answer.stderr.strip()[-200:]}"
        if int(taken) == 0 or answer.returncode != 0 and not workload.answers and (
                code(answer) != "tooManyReaders"):
            raise Finding(f"with {int(taken)} readers: {said}")
        try:
            self.suite.judge(workload, "limit", scene, answer, [])
            # What was killed is cleared away by the next that needs its place.
            self.suite.again(scene, workload, True)
        except Finding as finding:
            raise Finding(f"with {int(taken)} readers: {finding}; {said}") from finding
        shutil.rmtree(scene)
        return 1


class Disk:
    """A file system of memory that is full but for some pages."""

    BYTES = 48 << 20

    def __init__(self, suite, folder):
        self.suite, self.folder = suite, folder / "disks"
        self.folder.mkdir()

    @staticmethod
    def alone():
        """Goes on in a name space where file systems may be mounted; false where that can't be."""
        if os.environ.get("DAYBOOK_FAULTS_ALONE"):
            return True
        words = ["unshare", "--mount"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
        if subprocess.run(words + ["mount", "-t", "tmpfs", "none", "/mnt"],
                          capture_output=True).returncode != 0:
            return False
        os.environ["DAYBOOK_FAULTS_ALONE"] = "1"
        os.execvp(words[0], words + [sys.executable, *sys.argv])

    def fill(self, workload):
        """No page of 4 KiB free, one, and so on, until the work can be done; how many tries."""
        pages, tries = 0, 1
        while not self.run(workload, pages):
            # What takes so many writes one page after the other.
            pages += 1 + pages // 16
            tries += 1
            if pages > 4096:
                raise Finding("16 MiB of space are not enough")
        return tries

    def run(self, workload, pages):
        place = self.folder / workload.name
        place.mkdir(exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={self.BYTES}", "daybook",
                        str(place)], check=True)
        try:
            scene = place / "scene"
            subprocess.run(["cp", "-a", str(self.suite.template), str(scene)], check=True)
            ballast = place / "ballast"
            with open(ballast, "wb", buffering=0) as file:
                try:
                    while file.write(b"b" * 4096):
                        pass
                except OSError:
                    pass
            os.truncate(ballast, max(0, ballast.stat().st_size // 4096 - pages) * 4096)
            answer = self.suite.programs.run(scene, workload.command(), (), workload.program)

            # What is checked may write as well: it is a disk that was full, not one that is.
            ballast.unlink()
            try:
                self.suite.judge(workload, "limit", scene, answer, [])
            except Finding as finding:
                raise Finding(f"{workload.name} with {pages} pages free: {finding}; status "
                              f"{answer.returncode}: {answer.stderr.strip()[-200:]}") from finding
            # That little is free is itself an answer about a store.
            tells = workload.answers and answer.returncode == 1 and " free" in answer.stdout
            return answer.returncode == 0 or tells
        finally:
            subprocess.run(["umount", "--lazy", str(place)], check=True)


def limits(suite, chosen, folder, seed, has_disk, deadline):
    """Readers, descriptors, space and memory for each workload; what was tried and found."""
    tried, found = collections.Counter(), []
    disk = Disk(suite, folder) if has_disk else None
    limits = Limits(suite)
    kinds = {"readers": limits.readers, "descriptors": limits.descriptors}
    if disk:
        kinds["disks"] = disk.fill
    kinds["memories"] = lambda workload: limits.memory(
        workload, random.Random(f"{seed} {workload.name}"))

    def one(case):
        kind, workload = case
        if time.monotonic() > deadline:
            return kind, 0, None
        try:
            return kind, kinds[kind](workload), None
        except (Finding, subprocess.TimeoutExpired) as finding:
            return kind, 0, f"{workload.name} at its limits, {kind}: {finding}"

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        cases = [(kind, workload) for kind in kinds for workload in chosen]
        for kind, number, finding in pool.map(one, cases):
            tried[kind] += number
            if finding:
                found.append(finding)
                print(finding, flush=True)
    return tried, found
