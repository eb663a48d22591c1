"""Counts the round trips and calls to a distant node; one run is enough, as nothing is timed."""
import functools
import json
from comparison import Row, times

FIGURES = [
    # The name, its scene, the unit, and the bar.
    ("first", "first", "trips", 40),
    ("idle", "idle", "trips", 3),
    ("approve", "approve", "trips", 5),
    ("reorganisation", "reorganisation", "calls", 10),
]


def rows(run, shown):
    """The benchmarks; the first one that is used runs all scenes."""
    @functools.cache
    def counted():
        scenes = json.loads(run())
        for name in ("first", "idle", "approve", "reorganisation"):
            cost = scenes[name]
            shown[f"distance/{name}"] = (f"{cost['trips']} round trips, {cost['calls']} calls, "
                                         f"{cost['milliseconds']} ms")
        return scenes

    def row(name, scene, figure, most):
        def pair(_):
            scenes = counted()
            share = scenes["payments"] if scene == "reorganisation" else 1
            return scenes[scene][figure] / share, most
        unit = "calls a payment" if scene == "reorganisation" else figure
        return Row(f"distance/{name}", unit, ("<=", 1), times, pair, 1)
    return [row(*figures) for figures in FIGURES]
