"""Measures the report's page in headless Chromium, and the memory of the program that writes it."""
import json, os, pathlib, shutil, subprocess, sys, tempfile, time

from comparison import Row, times
from programs import PROGRAMS, WORK, call

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
# A generated log has one request for 6.5 events.
REQUESTS, EVENTS = 10_000, 66_000
PRINTED, PRINTED_EVENTS = 2_000, 13_200


class Browser:
    """A headless Chromium with one tab, driven by its protocol over a pair of pipes."""

    def __init__(self):
        if not CHROMIUM:
            sys.exit("bench: tools/setup test installs Chromium, which shows the report")
        self.folder = tempfile.TemporaryDirectory()
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()
        script = (f'exec "$0" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage '
                  f'--remote-debugging-pipe --user-data-dir="$1" about:blank '
                  f'3<&{commands} 4>&{answers} >/dev/null 2>&1')
        self.process = subprocess.Popen(["bash", "-c", script, CHROMIUM, self.folder.name],
                                        pass_fds=(commands, answers))
        os.close(commands), os.close(answers)
        self.rest, self.last, self.session = b"", 0, None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.commands), os.close(self.answers)
        self.folder.cleanup()

    def call(self, method, **params):
        self.last += 1
        command = {"id": self.last, "method": method, "params": params}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.commands, json.dumps(command).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                self.rest += os.read(self.answers, 1 << 20)
            message, self.rest = self.rest.split(b"\0", 1)
            answer = json.loads(message)
            if answer.get("id") == self.last:
                return answer["result"]

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True,
                           returnByValue=True)
        if "value" not in result["result"]:
            sys.exit(f"bench: {result}")
        return result["result"]["value"]

    def open(self, page):
        """Seconds until the page has loaded and its script has drawn the first view."""
        self.call("Page.navigate", url=f"file://{page}")
        return self.value("""new Promise(done => {
            const end = () => requestAnimationFrame(() => setTimeout(() => done(
              performance.getEntriesByType('navigation')[0].loadEventEnd)));
            if (document.readyState === 'complete') end(); else addEventListener('load', end);
            })""") / 1000


def page(store, events):
    """The report of a log of so many events, and how many requests it has."""
    file = WORK / f"report-{events}.html"
    answer = json.loads(call(PROGRAMS / "daybook-replay", "report", store(events) / "store",
                             "--out", file, "--json")[0])
    return file, answer["requests"]


def peak(*words):
    """The most memory of its own that a program had, in bytes; the log's pages do not count."""
    process = subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL)
    most = 0
    while process.poll() is None:
        try:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        except OSError:
            break
        lines = [line.split()[1] for line in status.splitlines() if line.startswith("RssAnon")]
        most = max([most, *(int(line) * 1024 for line in lines)])
        time.sleep(0.01)
    if process.wait():
        sys.exit(f"bench: {' '.join(map(str, words))} failed")
    return most


def rows(store, shown):
    """The benchmarks; `store` makes a log of so many events, `shown` is printed at the end."""
    def size(context):
        file, requests = page(store, EVENTS)
        return file.stat().st_size / requests * REQUESTS / 1e6, 10

    def view(context):
        file, _ = page(store, EVENTS)
        with Browser() as browser:
            return browser.open(file), 1

    def filtering(context):
        file, _ = page(store, EVENTS)
        with Browser() as browser:
            browser.open(file)
            return browser.value("""(() => {
                const seconds = [['text', 'gro'], ['text', 'grocer'], ['status', 'completed'],
                  ['asset', 'DASH'], ['text', '0.00']].map(([name, value]) => {
                  const start = performance.now();
                  form.elements[name].value = value;
                  form.dispatchEvent(new Event('input'));
                  list.getBoundingClientRect();
                  return (performance.now() - start) / 1000;
                });
                return Math.max(...seconds);
                })()"""), 0.1

    def printing(context):
        file, requests = page(store, PRINTED_EVENTS)
        with Browser() as browser:
            browser.open(file)
            start = time.perf_counter()
            browser.call("Page.printToPDF", preferCSSPageSize=True)
            return (time.perf_counter() - start) / requests * PRINTED, 20

    def memory(context):
        # Both logs are so long that their states are folded in a file.
        file = WORK / "report-memory.html"
        long, short = (peak(PROGRAMS / "daybook-replay", "report", store(events) / "store",
                            "--out", file) for events in (context.many, 300_000))
        shown["memory of its own that a report takes"] = f"{long / 1048576:.0f} MiB"
        return long / 1e6, short / 1e6

    return [
        Row("report/size", "MB", ("<=", 1), times, size, 1, 1),
        Row("report/view", "s", ("<=", 1), times, view, 1),
        Row("report/filter", "ms", ("<=", 1), times, filtering, 1e3),
        Row("report/print", "s", ("<=", 1), times, printing, 1, 1),
        Row("report/memory", "MB", ("<=", 1.3), times, memory, 1, 1),
    ]
