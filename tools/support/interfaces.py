"""Lists what other programs may call of a version, and names what a later one breaks.

usage: interfaces.py record FOLDER PROGRAMS    writes the lists of the programs in a folder
       interfaces.py compare FOLDER PROGRAMS   prints what breaks the lists in FOLDER

A line of a list is `KEY: VALUE`. A line that is missing or has another value breaks callers; a new
one does not, unless it is a parameter that must be given."""
import json, pathlib, re, subprocess, sys, tempfile

import method_table, project, python_package

# The modules that other packages import.
MODULES = ("Daybook", "DaybookFoundation", "DaybookTesting")
# Conformances that a compiler finds itself, and the next one perhaps not.
OF_COMPILER = {"Swift.BitwiseCopyable", "Swift.Copyable", "Swift.Escapable",
               "Swift.SendableMetatype"}
# Changes of a value's first word that no caller notices.
LOOSER = {("required", "optional"), ("sometimes", "always")}


def output(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True,
                          text=True, **options).stdout


# Swift

def swift(programs):
    """Each public declaration of the modules, as the compiler writes it, and conformances."""
    triple = json.loads(output("swiftc", "-print-target-info"))["target"]["unversionedTriple"]
    folders = [programs / "Modules", *sorted((project.ROOT / "Sources").glob("C*"))]
    flags = output("pkg-config", "--cflags-only-I", "libpq", "lmdb", "libsecp256k1", "libcrypto",
                   "libcurl").split()
    for module in MODULES:
        with tempfile.TemporaryDirectory() as place:
            output("swift", "symbolgraph-extract", "-module-name", module, "-target", triple,
                   *[word for folder in folders for word in ("-I", folder)], *flags,
                   "-minimum-access-level", "public", "-skip-synthesized-members",
                   "-output-dir", place)
            for path in sorted(pathlib.Path(place).glob("*.json")):
                yield from declarations(module, json.loads(path.read_text()))


def declarations(module, graph):
    """The lines of a symbol graph."""
    names = {}
    for symbol in graph["symbols"]:
        name = ".".join([module, *symbol["pathComponents"]])
        names[symbol["identifier"]["precise"]] = name
        text = "".join(part["spelling"] for part in symbol["declarationFragments"])
        yield f"{name}: {' '.join(text.split())}"
    for relation in graph["relationships"]:
        if relation["kind"] == "conformsTo" and relation["source"] in names:
            other = relation.get("targetFallback") or names.get(relation["target"])
            if other and other not in OF_COMPILER:
                yield f"{names[relation['source']]} conforms to {other}: yes"


# C

def c(_programs):
    """The functions, types and constants of daybook.h."""
    text = (project.ROOT / "Sources/CDaybook/daybook.h").read_text(encoding="utf-8")
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    for name, value in re.findall(r"^#define (\w+) (\S.*)$", text, re.MULTILINE):
        yield f"{name}: {value}"
    for name, value in re.findall(r"(DAYBOOK_\w+) = (\d+)", text):
        yield f"{name}: {value}"
    text = re.sub(r"^#.*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\benum \{.*?\};", "", text, flags=re.DOTALL)
    for statement in text.replace('extern "C" {', "").split(";"):
        statement = " ".join(statement.split())
        if name := re.search(r"\(\*(\w+)\)|(\w+)\(|(\w+)$", statement):
            yield f"{name[1] or name[2] or name[3]}: {statement}"


# JSON-RPC

def kind_text(kind):
    """A member's kind in words; the types of objects are listed by themselves."""
    if isinstance(kind, str):
        return kind
    if "object" in kind:
        return kind["object"]["type"]
    (form, inner), = kind.items()
    return f"{form} of {kind_text(inner)}"


def methods(programs):
    """The methods with their parameters and results, and the types of results."""
    table = method_table.read(programs / "daybook")
    for entry in table:
        name = entry["method"]
        yield f"{name}: a method"
        for each in entry["parameters"]:
            need = "required" if each["required"] else "optional"
            yield f"{name} parameter {each['name']}: {need} {each['kind']}"
        for result in entry["results"]:
            yield f"{name} result {result['type']}: yes"
        if notification := entry.get("notification"):
            yield f"{name} notification: {notification['type']}"
    for entry in method_table.types(table):
        for member in method_table.members(entry):
            given = "always" if member["required"] else "sometimes"
            yield f"{entry['type']} member {member['name']}: {given} {kind_text(member['kind'])}"


def codes(programs):
    """The codes of errors."""
    for code in method_table.codes(programs / "daybook"):
        yield f"{code}: a code"


# Commands

def plain(text):
    """A line of a manual page without its font and its escapes."""
    text = re.sub(r"\\f.", "", text).replace("\\-", "-")
    return text.replace("\\(ga", "`").replace("\\(aq", "'").replace("\\(dq", '"')


def commands(programs):
    """The commands with their arguments and options, as their manual pages have them."""
    for program in ("daybook", "daybook-replay"):
        lines, command = iter(output(programs / program, "man").splitlines()), program
        for line in lines:
            if line.startswith(".SS "):
                command = f"{program} {plain(line[4:])}"
                usage = plain(next(lines)).removeprefix(command).strip()
                yield f"{command}: {usage or 'no arguments'}"
            elif line.startswith(".SH "):
                command = program
            elif line == ".TP":
                option, _, value = plain(next(lines)).partition(" ")
                if option.startswith("--"):
                    yield f"{command} option {option}: {value or 'no value'}"


# Python

# Runs with the package in the search path.
INSPECT = """
import importlib, inspect
def shown(name, value):
    if inspect.isclass(value):
        print(f"{name}: a class")
        for base in value.__mro__[1:]:
            if base.__module__.startswith("daybook") and not base.__name__.startswith("_"):
                print(f"{name} is a {base.__name__}: yes")
        for field, kind in sorted(getattr(value, "__annotations__", {}).items()):
            if not field.startswith("_"): print(f"{name}.{field}: {kind}")
        for member, inner in sorted(vars(value).items()):
            if not member.startswith("_"): shown(f"{name}.{member}", inner)
    elif isinstance(value, property):
        print(f"{name}: a property")
    elif callable(value):
        signature = inspect.signature(value)
        print(f"{name}: returns {signature.return_annotation}")
        for place, each in enumerate(signature.parameters.values()):
            if each.name == "self": continue
            need = "required" if each.default is each.empty else "optional"
            where = f" {place}" if each.kind is each.POSITIONAL_OR_KEYWORD else ""
            print(f"{name} parameter {each.name}: {need} {each.annotation}{where}")
for module in ("daybook", "daybook.aio", "daybook.types", "daybook.errors", "daybook._methods",
               "daybook._async_methods"):
    loaded = importlib.import_module(module)
    for name, value in sorted(vars(loaded).items()):
        own = getattr(value, "__module__", "") == module or name in getattr(loaded, "__all__", ())
        if own and not name.startswith("_") and not inspect.ismodule(value):
            shown(f"{module}.{name}", value)
"""


def python(programs):
    """The names of the Python package with their types and parameters."""
    with tempfile.TemporaryDirectory() as place:
        python_package.write(programs / "daybook", pathlib.Path(place))
        text = output(sys.executable, "-B", "-c", INSPECT, env={"PYTHONPATH": place})
    # Aliases of types are written out differently by versions of Python.
    yield from (line for line in text.splitlines() if ": " in line)


LISTS = {"swift": swift, "c": c, "methods": methods, "codes": codes, "commands": commands,
         "python": python}


# Comparing

def parsed(lines):
    """The values by their keys; declarations of one name differ in their values."""
    table = {}
    for line in lines:
        key, _, value = line.partition(": ")
        table.setdefault(key, set()).add(value)
    return table


def is_looser(old, new):
    """Whether callers notice no difference of two values."""
    (before, _, kind), (after, _, other) = old.partition(" "), new.partition(" ")
    return kind == other and (before, after) in LOOSER


def breaks(old, new):
    """The lines that others lack or have otherwise, in words."""
    old, new = parsed(old), parsed(new)
    for key, values in old.items():
        others = new.get(key, set()) - values
        for value in sorted(values - new.get(key, set())):
            if any(is_looser(value, other) for other in others):
                continue
            if others:
                yield f"{key}: was {value}, is {', '.join(sorted(others))}"
            else:
                yield f"{key}: was {value}, is removed"
    for key, values in new.items():
        owner, found, _ = key.partition(" parameter ")
        if found and owner in old and key not in old and min(values).startswith("required"):
            yield f"{key}: is new, and must be given"


def record(folder, programs):
    """Writes the lists of programs to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in LISTS.items():
        text = "".join(line + "\n" for line in sorted(set(lines(programs))))
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")


def compare(folder, programs):
    """The breaches of the lists in a folder, in words, each with its list's name."""
    for name, lines in LISTS.items():
        old = (folder / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        yield from (f"{name}: {found}" for found in breaks(old, lines(programs)))


def main():
    verb, folder, programs = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    if verb == "record":
        record(folder, programs)
    elif found := list(compare(folder, programs)):
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main()
