"""Runs commands with too few descriptors, too little memory or space, and full reader tables."""

import collections, concurrent.futures, os, random, shutil, subprocess, sys, time

from scene import Finding, code


class Limits:
    """Limits of a process; each method returns how many it has tried."""

    def __init__(self, suite):
        self.suite = suite

    def run(self, workload, shell, name, may_crash=False):
        """Runs a workload under a limit that a shell sets; whether it did its work."""
        scene = self.suite.scene(name)
        prefix = ["/bin/bash", "-c", shell + '; exec "$@"', "bash"]
        answer = self.suite.programs.run(scene, workload.command(), prefix, workload.program)
        if answer.returncode == 127 and "shared libraries" in answer.stderr:
            # The loader failed before the program began.
            shutil.rmtree(scene)
            return False
        if may_crash and answer.returncode not in range(6):
            # Without memory, Swift's runtime ends the program, as a kill would.
            self.suite.judge(workload, "died", scene, answer, [])
        else:
            self.suite.judge(workload, "limit", scene, answer, [])
        shutil.rmtree(scene)
        return answer.returncode == 0

    def descriptors(self, workload):
        """Allows three open files, four, and so on, until the workload does its work."""
        for number in range(3, 200):
            if self.run(workload, f"ulimit -n {number}", f"files-{workload.name}-{number}"):
                return number - 2
        raise Finding("200 descriptors are not enough")

    def memory(self, workload, source):
        """Limits the address space to sizes between what the loader needs and what is enough."""
        chosen = source.sample(range(40, 700), 24)
        for mebibytes in chosen:
            self.run(workload, f"ulimit -v {mebibytes * 1024}",
                     f"memory-{workload.name}-{mebibytes}", may_crash=True)
        return len(chosen)

    def readers(self, workload):
        """Fills the log's reader table by a process, and then kills that process."""
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
            # The next process that needs a place removes the entries of the killed one.
            self.suite.again(scene, workload, True)
        except Finding as finding:
            raise Finding(f"with {int(taken)} readers: {finding}; {said}") from finding
        shutil.rmtree(scene)
        return 1


class Disk:
    """A file system in memory that is full except for some pages."""

    BYTES = 48 << 20

    def __init__(self, suite, folder):
        self.suite, self.folder = suite, folder / "disks"
        self.folder.mkdir()

    @staticmethod
    def alone():
        """Restarts this program in a namespace where it may mount; False if there is none."""
        if os.environ.get("DAYBOOK_FAULTS_ALONE"):
            return True
        words = ["unshare", "--mount"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
        if subprocess.run(words + ["mount", "-t", "tmpfs", "none", "/mnt"],
                          capture_output=True).returncode != 0:
            return False
        os.environ["DAYBOOK_FAULTS_ALONE"] = "1"
        os.execvp(words[0], words + [sys.executable, *sys.argv])

    def fill(self, workload):
        """Leaves no page of 4 KiB free, one, and so on, until the work is done; the tries."""
        pages, tries = 0, 1
        while not self.run(workload, pages):
            # Larger steps where a workload needs many pages.
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

            # The checks may write: they see a disk that was full, not one that is.
            ballast.unlink()
            try:
                self.suite.judge(workload, "limit", scene, answer, [])
            except Finding as finding:
                raise Finding(f"{workload.name} with {pages} pages free: {finding}; status "
                              f"{answer.returncode}: {answer.stderr.strip()[-200:]}") from finding
            # A report that little space is free is an answer, not a failure.
            tells = workload.answers and answer.returncode == 1 and " free" in answer.stdout
            return answer.returncode == 0 or tells
        finally:
            subprocess.run(["umount", "--lazy", str(place)], check=True)


def limits(suite, chosen, folder, seed, has_disk, deadline):
    """Tries all limits with each workload; the numbers of tries by kind, and the findings."""
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
