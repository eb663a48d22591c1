"""How cost grows with the log, as a table and as a drawing; see `tools/bench --growth`."""
import html, math

COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#888888"]
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 760, 440, 64, 24, 150, 44


def amount(seconds):
    """A time in the unit that suits it."""
    for unit, scale in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def power(exponent):
    return "10" + str(exponent).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def drawing(sizes, series):
    """An SVG of times over sizes, both logarithmic, for light and dark pages."""
    values = [value for line in series.values() for value in line if value]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    first, last = math.log10(sizes[0]), math.log10(sizes[-1])

    def x(size):
        return LEFT + (math.log10(size) - first) / (last - first) * (WIDTH - LEFT - RIGHT)

    def y(value):
        share = (math.log10(value) - low) / (high - low)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" role="img">',
        "<title>How cost grows with the number of events in the log</title>",
        "<style>svg{background:#fff}text{font:12px system-ui,sans-serif;fill:#222}"
        ".grid{stroke:#ddd}@media(prefers-color-scheme:dark){svg{background:#111}"
        "text{fill:#ddd}.grid{stroke:#333}}</style>",
    ]
    for exponent in range(low, high + 1):
        place = y(10 ** exponent)
        out.append(f'<path class="grid" d="M{LEFT} {place:.1f}H{WIDTH - RIGHT}"/>')
        out.append(f'<text x="{LEFT - 8}" y="{place + 4:.1f}" text-anchor="end">'
                   f"{amount(10 ** exponent * 1.0000001)}</text>")
    for size in sizes:
        out.append(f'<path class="grid" d="M{x(size):.1f} {TOP}V{HEIGHT - BOTTOM}"/>')
        out.append(f'<text x="{x(size):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">'
                   f"{power(round(math.log10(size)))}</text>")
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 6}" text-anchor="middle">'
               "events in the log</text>")
    # A name is at the end of its line, moved where two lines end close to each other.
    ends = sorted((y([v for v in line if v][-1]), name) for name, line in series.items())
    floor, places = -math.inf, {}
    for place, name in ends:
        floor = max(place, floor + 15)
        places[name] = floor
    for (name, line), colour in zip(series.items(), COLOURS):
        points = [(x(size), y(value)) for size, value in zip(sizes, line) if value]
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>' for a, b in points]
        out.append(f'<text x="{points[-1][0] + 10:.1f}" y="{places[name] + 4:.1f}" '
                   f'style="fill:{colour}">{html.escape(name)}</text>')
    return "\n".join(out + ["</svg>", ""])


def table(sizes, series):
    """The same as a table of Markdown."""
    head = "| work | " + " | ".join(power(round(math.log10(size))) for size in sizes) + " |"
    rows = [f"| {name} | " + " | ".join(amount(v) if v else "–" for v in line) + " |"
            for name, line in series.items()]
    return "\n".join([head, "|---" * (len(sizes) + 1) + "|"] + rows)
