"""A benchmark: a pair of measurements, their ratio, and the bar that the ratio must meet."""
import statistics


class Row:
    """A benchmark, which measures our time and the baseline's alternately."""

    def __init__(self, name, unit, bar, better, pair, scale=1e6, runs=None):
        """`runs` of them where the figure is no time and takes long to get."""
        self.name, self.unit, self.bar, self.better = name, unit, bar, better
        self.pair, self.scale, self.runs = pair, scale, runs

    def run(self, context):
        pairs = [self.pair(context) for _ in range(self.runs or context.runs)]
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
    """Our time in multiples of the baseline's."""
    return a / b


def speed(a, b):
    """Our throughput in multiples of the baseline's."""
    return b / a


def mean(text):
    """Seconds for one thing, from a text with their number and the nanoseconds for all."""
    count, nanoseconds = map(int, text.split()[:2])
    return nanoseconds / count / 1e9


def p99(text):
    """The seconds that one thing in a hundred exceeds."""
    return int(text.split()[2]) / 1e9
