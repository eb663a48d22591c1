"""What a benchmark compares, and how its ratio is held against its bar."""
import statistics


class Row:
    """A benchmark: two times a thing, alternately, as often as asked."""

    def __init__(self, name, unit, bar, better, pair, scale=1e6):
        self.name, self.unit, self.bar, self.better = name, unit, bar, better
        self.pair, self.scale = pair, scale

    def run(self, context):
        pairs = [self.pair(context) for _ in range(context.runs)]
        ours = statistics.median(a for a, _ in pairs)
        theirs = statistics.median(b for _, b in pairs)
        ratios = sorted(self.better(a, b) for a, b in pairs)
        ratio = statistics.median(ratios)
        ok = ratio <= self.bar[1] if self.bar[0] == "<=" else ratio >= self.bar[1]
        return {"name": self.name, "unit": self.unit, "ours": round(ours * self.scale, 3),
                "baseline": round(theirs * self.scale, 3), "ratio": round(ratio, 3),
                "low": round(ratios[0], 3), "high": round(ratios[-1], 3),
                "bar": f"{self.bar[0]} {self.bar[1]}", "ok": ok}


def times(a, b):
    """How many times the baseline's time ours is."""
    return a / b


def speed(a, b):
    """How many times the baseline's throughput ours is."""
    return b / a


def mean(text):
    """Seconds for one thing, of how many were done in how many nanoseconds."""
    count, nanoseconds = map(int, text.split()[:2])
    return nanoseconds / count / 1e9


def p99(text):
    """The seconds that one thing in a hundred exceeds."""
    return int(text.split()[2]) / 1e9
