"""Runs one command under one fault, and checks what it leaves behind."""

import collections, re, shutil, subprocess

from scene import (Finding, code, contents, known_codes, events, files, is_about, make_scene,
                   types, workloads)


class Suite:
    def __init__(self, programs, folder):
        self.programs, self.folder = programs, folder
        self.template = folder / "scene"
        self.numbers = make_scene(programs, self.template)
        self.contents = contents(self.template)
        self.workloads = [self.prepared(workload) for workload in workloads()]
        self.codes = known_codes()

    def prepared(self, workload):
        workload.words = [self.numbers.get(word, word) for word in workload.words]
        return workload

    def scene(self, name):
        scene = self.folder / name
        subprocess.run(["cp", "-a", str(self.template), str(scene)], check=True)
        return scene

    def measure(self, workload):
        """Runs a workload twice without a fault, and notes its calls and the state afterwards."""
        scene = self.scene(f"measure-{workload.name}")
        workload.before = None
        if workload.home != "none":
            # Reading the log opens the store, which may write: a copy is read.
            other = self.scene(f"before-{workload.name}")
            workload.before = events(self.programs, other, workload.home)
            shutil.rmtree(other)
        answer, calls, _ = self.traced(scene, workload, "none", 0)
        if answer.returncode != 0:
            raise Finding(f"{workload.name} fails without a fault: {answer.stderr}")
        workload.calls, workload.is_reader = calls, contents(scene) == self.contents
        workload.after = types(events(self.programs, scene, workload.home))
        workload.made = workload.makes and (scene / workload.makes).read_bytes()
        self.again(scene, workload, True)
        workload.files = files(scene)
        shutil.rmtree(scene)

    def traced(self, scene, workload, fault, call):
        report = self.folder / f"{scene.name}.calls"
        plus = "+" if fault.endswith("+") else ""
        prefix = [self.programs.tracer, report, fault.rstrip("+"), f"{call}{plus}"]
        answer = self.programs.run(scene, workload.command(), prefix, workload.program)
        lines = report.read_text(errors="replace").splitlines()
        report.unlink()
        return answer, lines[:-1], [line for line in lines if line.endswith(" met")]

    def again(self, scene, workload, was_done):
        """Runs the same command once more: it must work, or say that it was done before."""
        answer = self.programs.run(scene, workload.command(), program=workload.program)
        if answer.returncode != 0 and not (was_done and code(answer) in workload.repeated):
            raise Finding(f"the same command then fails: {answer.stderr.strip()[-300:]}")

    def check(self, workload, fault, call, name):
        """Runs one case; the call that failed, or None where no call did."""
        scene = self.scene(name)
        answer, _, met = self.traced(scene, workload, fault, call)
        if not met:
            shutil.rmtree(scene)
            return None
        try:
            self.judge(workload, fault, scene, answer, met)
        except Finding as finding:
            raise Finding(f"{finding}\n  the call: {met[0]}\n  status {answer.returncode}, said: "
                          f"{answer.stderr.strip()[-300:]}") from finding
        shutil.rmtree(scene)
        return met[0]

    def judge(self, workload, fault, scene, answer, met):
        if not (fault == "died" or fault == "kill" and answer.returncode == 137):
            self.judge_end(workload, fault, answer, met)
            # Nothing changed: that state was checked when the workload was measured.
            if (answer.returncode != 0 or workload.is_reader) and (
                    contents(scene) == self.contents):
                return
        if answer.returncode == 0 and workload.says:
            said = self.programs.run(scene, workload.command(), program=workload.program).stdout
            if workload.says not in said:
                raise Finding(f"status 0, but run again it prints {said.strip()}")
        lines = events(self.programs, scene, workload.home)
        kept = workload.before or []
        if (lines or [])[:len(kept)] != kept:
            raise Finding("events that were there are gone or changed")
        is_done = types(lines) == workload.after
        if answer.returncode == 0 and not is_done:
            raise Finding(f"status 0, but the log has {types(lines)}")
        made = scene / workload.makes if workload.makes else None
        if made and (answer.returncode == 0 or made.exists()):
            if not made.exists() or made.read_bytes() != workload.made:
                raise Finding(f"status {answer.returncode}, but {workload.makes} is not whole")
        if lines is not None:
            self.programs.done(scene, "verify", "--home={}/" + workload.home)
        self.again(scene, workload, True)
        self.programs.done(scene, "verify", "--home={}/" + workload.home)
        self.programs.done(
            scene, "replay", "{}/" + workload.home, program="daybook-replay")
        if self.left(scene, workload):
            # A file that could not be removed goes when the next process writes one of its kind.
            self.programs.done(scene, "backup", "{}/copy")
            shutil.rmtree(scene / "copy")
        left = self.left(scene, workload)
        if left:
            raise Finding(f"other files than without a fault: {left}")

    def left(self, scene, workload):
        """How the files differ from those of a run without a fault."""
        left = collections.Counter(files(scene))
        left.subtract(collections.Counter(workload.files))
        return {name: number for name, number in left.items() if number != 0}

    def judge_end(self, workload, fault, answer, met):
        if answer.returncode not in range(6):
            raise Finding("it crashed")
        if fault == "EINTR" and answer.returncode != 0:
            raise Finding("a call that a signal interrupted was not repeated")
        if fault.startswith("short") and answer.returncode != 0:
            # LMDB treats a short write as a full disk, which is the usual cause, and a short read
            # of its first page as a file of another kind. It reads and writes at offsets.
            if not any(re.match(r"\d+ (pread64|pwrite64|writev|pwritev) ", line) for line in met):
                raise Finding("a read or write that was cut short was not continued")
        if answer.returncode == 0 or is_about(met, "write 2"):
            return
        if workload.answers and answer.returncode == 1 and answer.stdout:
            return
        name = code(answer)
        if name is None:
            raise Finding("its last line is not a named error")
        if name not in self.codes:
            raise Finding(f"the code {name} is none that the sources name")
