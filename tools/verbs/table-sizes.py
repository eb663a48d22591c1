"""Prints how much of a log's file each of its tables takes.

usage: tools/dev table-sizes LOG

LOG is the folder with data.mdb, closed or a copy. For each table: entries, bytes of keys and of
values, bytes of its pages, and how full those are; then the rows of `state` by projection.
"""
import collections, os, runpy, struct

import project

reader = runpy.run_path(os.path.join(os.path.dirname(__file__), "read-log.py"))
LINE = "{:13} {:>9} {:>11} {:>11} {:>11} {:>5}"


def pages(tree):
    """A tree record's numbers of branch, leaf and overflow pages."""
    return sum(struct.unpack_from("<QQQ", tree, 8))


if __name__ == "__main__":
    parser = project.parser(__doc__)
    parser.add_argument("log")
    environment = reader["Environment"](parser.parse_args().log + "/data.mdb")
    print(LINE.format("table", "entries", "keys", "values", "pages", "fill"))
    rows = collections.defaultdict(lambda: [0, 0, 0])
    used = 0
    for name, tree in sorted(environment.tables.items()):
        count = keys = values = 0
        for key, value in environment.entries(tree):
            count, keys, values = count + 1, keys + len(key), values + len(value)
            if name == b"state":
                row = rows[key.split(b"/")[0].decode()]
                row[:] = row[0] + 1, row[1] + len(key), row[2] + len(value)
        size = pages(tree) * environment.page_size
        used += size
        fill = (keys + values) / size if size else 0
        print(LINE.format(name.decode(), count, keys, values, size, f"{fill:.2f}"))
    free = len(environment.file) - used
    print(LINE.format("free and meta", "", "", "", free, ""))
    for name, row in sorted(rows.items(), key=lambda item: -item[1][2]):
        print(LINE.format("  " + name, *row, "", ""))
