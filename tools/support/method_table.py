"""The table of methods and the types of their results, as `daybook methods` prints them."""
import json, re, subprocess, sys


def read(program):
    """The methods; ends where two types have one name."""
    done = subprocess.run([str(program), "methods", "--json"], check=True, capture_output=True,
                          text=True)
    table = [json.loads(line) for line in done.stdout.splitlines()]
    known = {}
    for entry in every_type(table):
        if known.setdefault(entry["type"], entry) != entry:
            sys.exit(f"two types of results have the name {entry['type']}")
    return table


def codes(program):
    """The codes of errors, as `daybook methods --codes` prints them."""
    done = subprocess.run([str(program), "methods", "--codes"], check=True, capture_output=True,
                          text=True)
    return done.stdout.split()


def every_type(table):
    """The types of all results and of their members, each as often as it occurs, after those that
    it is made of."""
    for entry in table:
        for result in [*entry["results"], *filter(None, [entry.get("notification")])]:
            yield from parts(result)


def parts(entry):
    """The types that a type is made of, and then the type."""
    if "base" in entry:
        yield from parts(entry["base"])
    for member in entry["members"]:
        kind = member["kind"]
        while isinstance(kind, dict) and "object" not in kind:
            (kind,) = kind.values()
        if isinstance(kind, dict):
            yield from parts(kind["object"])
    yield entry


def types(table):
    """Each type once, after those that it is made of."""
    return list({entry["type"]: entry for entry in every_type(table)}.values())


def members(entry):
    """All members of a type, those of its base first."""
    return (members(entry["base"]) if "base" in entry else []) + entry["members"]


def listed(entry):
    """The type of the entries if the result is a list; else nothing."""
    kind = entry["members"][0]["kind"] if entry["members"] else None
    inner = kind.get("list") if isinstance(kind, dict) and "base" not in entry else None
    return inner["object"]["type"] if isinstance(inner, dict) and "object" in inner else ""


def words(name):
    """A name in lower case with underscores: `blockTime` is `block_time`."""
    return re.sub(r"(?<=[a-z])([A-Z]+)", lambda found: "_" + found[0].lower(), name)
